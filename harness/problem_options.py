"""The part of the command line that is about problems: tables of one's own, presets, `generate`."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from harness.errors import UserError, suggest
from harness.writing import claim, write_rows

if TYPE_CHECKING:
    from benchmarks import Problem
    from benchmarks.fingerprint import Overlap

PRESETS = resources.files("harness") / "presets"


# --- tables of one's own ---


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How to read a benchmark that is a file (or ``file:``, ``hub:``)."""
    for option in (
        click.option("--skip-broken", is_flag=True,
                     help="Leave out rows of a file that cannot be used, with a warning."),
        click.option("--split", metavar="NAME", help="Split of a data set."),
        click.option("--syntax", type=click.Choice(["latex", "sympy"]),
                     help="Notation of a file's formulas; by default LaTeX."),
        click.option("--columns", multiple=True, metavar="FIELD=COLUMN,...",
                     help="Columns of a file, as in integrand=problem,antiderivative=answer."),
    ):  # fmt: skip
        command = option(command)
    return command


def with_source_options(
    benchmarks: Sequence[str],
    *,
    columns: Sequence[str],
    syntax: str | None,
    split: str | None,
    skip_broken: bool,
) -> tuple[str, ...]:
    """The benchmarks' names with these options added to those that are files."""
    from benchmarks.files import is_source, with_columns

    mapped = [column for group in columns for column in group.split(",") if column]
    settings = {"syntax": syntax, "split": split, "skip_broken": "yes" if skip_broken else None}
    given = {name: value for name, value in settings.items() if value is not None}
    if (mapped or given) and not any(map(is_source, benchmarks)):
        raise UserError("--columns, --syntax, --split and --skip-broken are for files (file:PATH)")
    return tuple(with_columns(name, mapped, **given) for name in benchmarks)


def plain_warnings() -> None:
    """Print warnings as one line each."""
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"


# --- presets ---


def preset_file(name: str) -> Path:
    """The settings of a preset, a file like those for ``--config``."""
    path = Path(str(PRESETS / f"{name}.toml"))
    if not path.is_file():
        known = [entry.name[: -len(".toml")] for entry in PRESETS.iterdir()]
        raise UserError(f"no preset {name!r}; {suggest(name, known)}")
    return path


# --- overlap ---


def print_overlap(benchmarks: Sequence[str], against: str, as_json: bool) -> int:
    """Print the problems of a set that are the benchmarks'; 1 if there are any."""
    from benchmarks import load
    from benchmarks.fingerprint import overlap
    from benchmarks.registry import names
    from harness.planning import problems_of

    ours = problems_of(benchmarks or [f"{name}/all" for name in names()], None, 0)
    found = overlap(ours, load(against))
    if as_json:
        click.echo(json.dumps(_overlap_row(found), indent=2, ensure_ascii=False))
    else:
        for match in found.matches:
            doubt = "" if match.confirmed else "  (by fingerprint; the verifier cannot tell)"
            click.echo(f"{match.first}  =  {match.second}{doubt}")
        for name, why in found.unreadable:
            click.echo(f"not compared: {name}: {why}", err=True)
        click.echo(
            f"{len(found.matches)} of {found.compared} problems are the same as one of "
            f"{len(ours)}, up to a constant factor and names"
        )
    return 1 if found.matches else 0


def _overlap_row(found: Overlap) -> dict[str, Any]:
    return {
        "compared": found.compared,
        "matches": [
            {"ours": match.first, "theirs": match.second, "confirmed": match.confirmed}
            for match in found.matches
        ],
        "unreadable": dict(found.unreadable),
    }


# --- generate ---


class Generators(click.Group):
    """A command for each thing to generate: those with options of their own, and benchmarks."""

    #: Benchmarks whose command is shown under another name.
    ALIASES: ClassVar[dict[str, str]] = {"lample_charton": "lample-charton"}
    #: Name -> the command, imported when it is asked for.
    OWN: ClassVar[dict[str, str]] = {
        "train": "harness.cli_train:generate_train",
        "lample-charton": "harness.cli_lample_charton:generate_pairs",
        "derivations": "harness.cli_derivations:generate_derivations",
        "calculus": "harness.cli_derivations:generate_calculus",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        from benchmarks.registry import names

        return sorted({*names(), *self.OWN} - self.ALIASES.keys())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = self.ALIASES.get(name, name)
        if name in self.OWN:
            module, _, attribute = self.OWN[name].partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            return command

        def run(**options: Any) -> None:
            _generate(name, **options)

        summary = f"Write problems of {name}, as `sweep` reads them."
        return click.Command(name, callback=run, params=list(_plain.params), help=summary)


@click.group(cls=Generators)
def generate() -> None:
    """Write problems to a file, or a set to train on.

    `sweep --benchmark FILE` reads such files. The problems hold all that went into them: parents,
    draws, and whether SymPy could simplify the integrand in time. Every kind has its own --help.
    """


@click.command()
@click.option("--subset", metavar="NAME", help="What to generate; `ls benchmarks` lists them.")
@click.option("--seed", default=0, show_default=True, help="The same seed, the same problems.")
@click.option("--limit", type=click.IntRange(1), help="At most so many problems.")
@click.option(
    "--difficulty",
    default=1,
    show_default=True,
    type=click.IntRange(1, 4),
    help="How many are combined or composed, for bee's augmentations.",
)
@click.option(
    "--bank",
    metavar="FILE",
    help="Make them of these problems: bee's augmentations instead of the built-in ones, "
    "brittleness's neighbours and sums.",
)
@source_options
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="A .jsonl file, or a folder for a saved data set of the library `datasets`.",
)
@click.option("--force", is_flag=True, help="Replace what is there.")
def _plain(**options: Any) -> None:
    """The options of what needs no others."""


def _generate(
    benchmark: str,
    subset: str | None,
    seed: int,
    limit: int | None,
    difficulty: int,
    bank: str | None,
    out: Path,
    force: bool,
    **options: Any,
) -> None:
    claim(out, force)
    if bank is not None:
        (bank,) = with_source_options([bank], **options)
    problems = list(_problems(benchmark, subset, seed, limit, difficulty, bank))
    write_problems(problems, out)
    click.echo(f"wrote {len(problems)} problems to {out}", err=True)


def _problems(
    benchmark: str,
    subset: str | None,
    seed: int,
    limit: int | None,
    difficulty: int,
    bank: str | None,
) -> Iterable[Problem]:
    from benchmarks.bee.augmented import Generator, Parents, built_in
    from benchmarks.bee.recipes import RECIPES
    from benchmarks.registry import load, resolve

    name = benchmark if subset is None else f"{benchmark}/{subset}"
    if benchmark == "brittleness" and bank is not None:
        return _perturbed(name, bank, seed, limit)
    resolve(name)  # for its error message
    recipe = RECIPES.get(name.removeprefix("bee/")) if name.startswith("bee/") else None
    if recipe is None:
        if difficulty != 1 or bank is not None:
            raise UserError("--difficulty is for bee's augmentations, --bank for brittleness too")
        return load(name, limit=limit, seed=seed)
    parents = built_in() if bank is None else Parents.of(load(bank))
    generator = Generator(recipe, parents, seed, difficulty)
    return _counted(generator.problems(limit), min(limit or generator.size, generator.size))


def _perturbed(name: str, bank: str, seed: int, limit: int | None) -> Sequence[Problem]:
    """What is made of solved problems, of any problems."""
    from benchmarks.brittleness import KINDS
    from benchmarks.registry import load

    kind = name.partition("/")[2]
    if kind not in KINDS:
        raise UserError(f"of a bank no {name!r} is made; {suggest(kind, KINDS)}")
    return KINDS[kind](load(bank, seed=seed), seed)[:limit]


def _counted(problems: Iterable[Problem], total: int) -> Iterable[Problem]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(problems, "generating", total, console=console, transient=True)


def write_problems(problems: Sequence[Problem], out: Path) -> None:
    rows = [problem.to_dict() for problem in problems]
    if out.suffix != ".jsonl":
        # Mappings whose keys differ from row to row are text in a table.
        loose = ("assumptions", "metadata")
        rows = [row | {name: json.dumps(row[name]) for name in loose} for row in rows]
    write_rows(rows, out)
