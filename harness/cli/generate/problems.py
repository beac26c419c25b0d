"""`run.py generate`: problems to a file, or a set to train on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from ....benchmarks.bee.augmented import Parents, PerturbedProblems, built_in
from ....benchmarks.bee.perturbations import PERTURBATIONS
from ....benchmarks.brittleness import KINDS
from ....benchmarks.registry import load, names, resolve
from ...core.errors import UserError, suggest
from ...core.wording import counted
from ...store.problem_files import check_out, write_problems
from ..options import cluster_option, on_cluster, refuse_given, source_options, with_source_options

if TYPE_CHECKING:
    from ....benchmarks import Problem


class Generators(click.Group):
    """A command for each benchmark, and commands with special options."""

    #: Benchmarks whose command is shown under another name.
    ALIASES: ClassVar[dict[str, str]] = {"lample_charton": "lample-charton"}
    #: Name -> the command, imported when it is asked for.
    OWN: ClassVar[dict[str, str]] = {
        "train": "..train:generate_train",
        "lample-charton": ".lample_charton:generate_pairs",
        "derivations": ".derivations:generate_derivations",
        "calculus": ".derivations:generate_calculus",
        "hint-release": ".hint:generate_release",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:

        return sorted({*names(), *self.OWN} - self.ALIASES.keys())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = self.ALIASES.get(name, name)
        if name in self.OWN:
            module, _, attribute = self.OWN[name].partition(":")
            command: click.Command = getattr(import_module(module, __package__), attribute)
            return command

        def run(**options: Any) -> None:
            _generate(name, **options)

        summary = f"Write problems of {name}, as `sweep` reads them."
        return click.Command(name, callback=run, params=list(_plain.params), help=summary)


@click.group(cls=Generators)
def generate() -> None:
    """Write problems to a file, or a set to train on.

    `sweep --benchmark FILE` reads such files. The problems have their parents, the numbers
    drawn, and whether SymPy could simplify the integrand in time. Every kind has its own --help.
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
@cluster_option
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="A .jsonl file, or a folder for a saved data set of the library `datasets`.",
)
@click.option("--force", is_flag=True, help="Replace what is there.")
def _plain(**options: Any) -> None:
    """The options of benchmarks without a separate command."""


def _generate(
    benchmark: str, bank: str | None, cluster: str | None, out: Path, force: bool, **options: Any
) -> None:
    check_out(out, force)
    drawn = {name: options.pop(name) for name in ("subset", "seed", "limit", "difficulty")}
    banks = with_source_options([] if bank is None else [bank], **options)
    with on_cluster(cluster):
        problems = list(_problems(benchmark, banks[0] if banks else None, **drawn))
    if not problems:  # such as combinations of the integrals of a bank that holds a single one
        raise UserError("no problem could be made; a bank needs several integrals with references")
    write_problems(problems, out)
    click.echo(f"wrote {counted(len(problems), 'problem')} to {out}", err=True)


def _problems(
    benchmark: str,
    bank: str | None,
    *,
    subset: str | None,
    seed: int,
    limit: int | None,
    difficulty: int,
) -> Iterable[Problem]:
    name = benchmark if subset is None else f"{benchmark}/{subset}"
    if benchmark == "brittleness" and bank is not None:
        refuse_given(["difficulty"], "on brittleness; it is for bee's augmentations")
        return _perturbed(name, bank, seed, limit)
    resolve(name)  # for its error message
    recipe = PERTURBATIONS.get(name.removeprefix("bee/")) if name.startswith("bee/") else None
    if recipe is None:
        if difficulty != 1 or bank is not None:
            raise UserError("--difficulty is for bee's augmentations, --bank for brittleness too")
        return load(name, limit=limit, seed=seed)
    parents = built_in() if bank is None else Parents.of(load(bank))
    generator = PerturbedProblems(recipe, parents, seed, difficulty)
    return _counted(generator.problems(limit), min(limit or generator.size, generator.size))


def _perturbed(name: str, bank: str, seed: int, limit: int | None) -> Sequence[Problem]:
    """Perturbations of any problems, as after a model's right answers."""
    perturbation = name.partition("/")[2]
    if perturbation not in KINDS:
        raise UserError(f"{name!r} cannot be made of a bank; {suggest(perturbation, KINDS)}")
    return KINDS[perturbation](load(bank, seed=seed), seed)[:limit]


def _counted(problems: Iterable[Problem], total: int) -> Iterable[Problem]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(problems, "generating", total, console=console, transient=True)
