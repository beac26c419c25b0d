"""`run.py search`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

import click

from ....benchmarks.errors import BenchmarkError
from ...core.errors import UserError
from ...core.prices import Price
from ...core.program import program
from ...core.wording import counted
from ...models import Model, create
from ...report.figures.files import check_figures, write_figures
from ...report.search.records import RECORD, SearchRecord
from ...report.search.tables import search_sections
from ...report.sections import FORMATS, export_sections, print_sections
from ...run.job import Job
from ...run.progress import Silent
from ...run.spec import SweepSpec
from ...store.run import Run
from ...studies.search import SearchSettings, preset_names, search_settings, search_spec
from ...studies.search import search as run_search
from ...studies.search.mutations import MutationSet, Variant
from ...studies.search.paper import paper_sections
from ...studies.search.sagga import planned, seed_problems
from ...studies.search.seeds import seeds_of
from ...studies.search.settings import Fitness, Select, Simplifier
from ..options import (
    cluster_option,
    json_option,
    key_values,
    model_options_option,
    on_cluster,
    policy_options,
    refuse_given,
)
from ..sweep_options import cost_options, given_settings, prompt_options, sampling_options, setting

if TYPE_CHECKING:
    from rich.progress import Progress

_DEFAULTS = SearchSettings()
#: The options that are fields of `SearchSettings`.
_OWN = tuple(name for name in SearchSettings.__slots__ if name != "seeds")


def own(*flags: str, **attributes: Any) -> Callable[[Any], Any]:
    """An option for a field of `SearchSettings`, with the field's default."""
    default = getattr(_DEFAULTS, flags[-1].partition("/")[0].lstrip("-").replace("-", "_"))
    shown_default = str(default) if default is not None and not isinstance(default, bool) else False
    return click.option(*flags, default=None, show_default=shown_default, **attributes)


#: Shown below the options, a line each.
_EXAMPLES = """\b
Examples:
run.py search --preset general --model solver/sympy -M time-limit=2 --out runs/general
run.py search --model vllm/Qwen/Qwen3-8B -n 8 --fails-below 0.5 --archive 200 --out runs/q
run.py search --seeds 'x*exp(x)' --mutations constants --model python/mine.py:answer
run.py search runs/general runs/q --markdown
"""


@click.command(epilog=_EXAMPLES)
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--preset",
    type=click.Choice(preset_names()),
    help="A published run's settings; other flags win over it.",
)
@click.option("--model", metavar="KIND/NAME", help="The model whose failures are looked for.")
@model_options_option
@click.option(
    "--solved-by",
    metavar="KIND/NAME",
    help="Only problems that this other model solves are failures.",
)
@click.option(
    "--solved-by-option",
    "solved_by_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Option of that model; repeatable.",
)
@click.option(
    "--seeds",
    multiple=True,
    metavar="FORMULA|FILE",
    help="First formulas in SymPy's notation, or a file with one a line; repeatable.",
)
@click.option(
    "--seeds-from",
    metavar="NAME[/SUBSET]",
    help="Take the integrands of a benchmark as seeds.",
)
@click.option(
    "--seeds-limit",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Of that benchmark, so many problems.",
)
@own("--name", metavar="WORD", help="What the problems' subset is called.")
@own(
    "--mutations", type=click.Choice(get_args(MutationSet)), help="All, or only those to constants."
)
@own("--low", type=int, help="The least constant of mutations.")
@own("--high", type=int, help="Constants are below this.")
@own(
    "--variant",
    type=click.Choice(get_args(Variant)),
    help="Mutations and fitness as the released code has them, or as the paper's text.",
)
@own(
    "--fitness",
    type=click.Choice(get_args(Fitness)),
    help="Prefer failures that are short, trigonometric, of a --target length, or near the seeds.",
)
@own("--target", type=click.IntRange(1), metavar="CHARACTERS", help="For --fitness target.")
@own("--threshold", type=click.FloatRange(0), help="The least fitness of what is kept.")
@own("--archive", type=click.IntRange(1), help="So many failures end the search.")
@own("--generations", type=click.IntRange(1), help="So many generations do, too.")
@own("--generation-size", type=click.IntRange(1), help="Mutants of a generation.")
@own("--seed-size", type=click.IntRange(1), help="Failures that the next one is made from.")
@own(
    "--select",
    type=click.Choice(get_args(Select)),
    help="These are the fittest of every cluster of new failures, or the fittest of all.",
)
@own("--clusters", type=click.IntRange(1), help="The number of clusters.")
@own(
    "--embedding",
    metavar="NAME",
    help="What is clustered by: ngrams, structure, scibert (as published), minilm, encoder:MODEL.",
)
@own(
    "--simplifier",
    type=click.Choice(get_args(Simplifier)),
    help="Our normal form, or SymPy's simplify as published, which is slow.",
)
@own(
    "--fails-below",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="With -n: a failure is what has a pass rate below this, by its 95 % interval.",
)
@own(
    "--confirm/--no-confirm",
    help="Ask failures of a sampled model again, with fresh seeds, before they count (so by "
    "default).",
)
@own(
    "--minimised",
    type=click.IntRange(0),
    metavar="NUMBER",
    help="Of so many failures look for the smallest form that fails.",
)
@prompt_options
@setting("-n", "--samples", type=click.IntRange(1), help="Samples of each problem.")
@setting("--seed", type=int, help="Determines mutants and samples.")
@sampling_options
@setting(
    "--beams",
    type=int,
    metavar="WIDTH",
    help="Beam search; a failure is what none of the -n best candidates solves.",
)
@setting("--out", type=click.Path(path_type=Path), metavar="DIR", help="Run directory.")
@policy_options
@cost_options
@click.option("--dry-run", is_flag=True, help="Show the seeds' first prompt, and ask nothing.")
@cluster_option
@click.option(
    "--paper",
    is_flag=True,
    help="With directories: the paper's tables and figures in its layout, its own beside.",
)
@click.option(
    "--elementary",
    type=click.IntRange(1),
    metavar="N",
    help="With --paper: of N failures of each search, whether they have an elementary "
    "antiderivative.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="With --paper: also the figures, as PNG, PDF and SVG (needs the extra 'plots').",
)
@click.option("--format", "form", type=click.Choice(FORMATS), help="The tables as text on stdout.")
@click.option("--markdown", "form", flag_value="markdown", help="As --format markdown.")
@json_option
@click.pass_context
def search(ctx: click.Context, /, runs: tuple[Path, ...], **flags: Any) -> int:
    """Search for problems that a model fails.

    A genetic search (SAGGA of "Symbolic Brittleness"): formulas are mutated, the model is asked,
    and failed problems become an archive and the next generation's seeds. --preset names the
    published runs; without --preset the settings are the settings of `general`, or your own.

    The run directory is a run like any other (`report`, `view`, `export`), and
    `sweep --benchmark DIR/archive` asks another model the failed problems. The same command resumes
    a stopped search; a larger --archive or --generations extends a search.

    With the directories of searches, print the tables and ask nothing.
    """
    output = {name: flags[name] for name in ("form", "as_json", "paper", "elementary", "figures")}
    if runs:
        refuse_given(("preset", "model", "seeds", "out"), "where finished searches are named")
        return _show(runs, **output)
    if flags["paper"] or flags["figures"] or flags["elementary"]:
        raise UserError(
            "--paper, --elementary and --figures are for the directories of finished searches"
        )
    if flags["model"] is None:
        raise UserError("name the model with --model KIND/NAME; `ls models` lists the kinds")
    if not flags["seeds_from"]:
        refuse_given(("seeds_limit",), "without --seeds-from")
    settings = _settings(flags)
    spec = _spec(ctx, settings)
    models = _models(flags)
    if flags["dry_run"]:
        return _print_plan(spec, settings, models)
    _refuse_unlimited(planned(spec, settings, models, seed_problems(settings)))
    with on_cluster(flags["cluster"]), SearchProgress(settings) as progress:
        try:
            run = run_search(
                spec, settings, models=models, progress=progress, on_generation=progress.generation
            )
        except KeyboardInterrupt:
            again = f"{program()} {shlex.join(sys.argv[1:])}"
            print(f"interrupted; this goes on from there:\n  {again}", file=sys.stderr)
            sys.exit(130)
    status = _show([run.path], **output)
    print(
        f"The search is in {run.path}; a page with the map: {program()} report {run.path}\n"
        f"For another model: {program()} sweep --benchmark {run.path}/archive --model ...",
        file=sys.stderr,
    )
    return status


def _settings(flags: dict[str, Any]) -> SearchSettings:
    changes = {name: flags[name] for name in _OWN if flags[name] is not None}
    if flags["seeds"] or flags["seeds_from"]:
        try:
            seeds = seeds_of(flags["seeds"], flags["seeds_from"], flags["seeds_limit"])
        except BenchmarkError as error:
            raise UserError(str(error)) from None
        changes = {"name": "own", **changes, "seeds": seeds}
    elif flags["preset"] is None:
        changes = {"name": "general", **changes}
    return search_settings(flags["preset"], **changes)


def _spec(ctx: click.Context, settings: SearchSettings) -> SweepSpec:
    """The questions and the way of asking, as for `sweep`."""
    named = {"seeds", "seeds-from", "seeds-limit", "solved-by", "solved-by-option"}
    named |= {"paper", "elementary", "figures", "format", "markdown"}
    named |= {name.replace("_", "-") for name in _OWN} | {"preset", "seed-size"}
    rows = {name: value for name, value in given_settings(ctx).items() if name not in named}
    rows["model"] = [name for name in (rows.pop("model"), ctx.params["solved_by"]) if name]
    rows["benchmark"] = list(search_spec(settings, model="any").benchmark)
    return SweepSpec.of(**rows)


def _models(flags: dict[str, Any]) -> list[Model]:
    models = [create(flags["model"], key_values(flags["model_options"], "-M"))]
    options = key_values(flags["solved_by_options"], "--solved-by-option")
    if flags["solved_by"] is not None:
        models.append(create(flags["solved_by"], options))
    elif options:
        raise UserError("--solved-by-option is for the model of --solved-by")
    return models


def _refuse_unlimited(job: Job) -> None:
    """Raise `UserError` if answers cost money without a limit: the number of answers is unknown."""
    if job.limits.max_cost is None and any(job.limits.price(model) for model in job.models):
        raise UserError("answers of this model cost money; say how much at most with --max-cost")


def _print_plan(spec: SweepSpec, settings: SearchSettings, models: Sequence[Model]) -> int:
    seeds = seed_problems(settings)
    job = planned(spec, settings, models, seeds)
    first_request = next(iter(job.first.values()))
    click.echo(f"{first_request.prompt}\n")
    click.echo(
        f"{len(seeds)} seeds, then up to {settings.generations} generations of "
        f"{settings.generation_size} mutants, {counted(job.samples, 'sample')} each, until "
        f"{settings.archive} failures are found; to be stored in {job.out}"
    )
    return 0


def _show(
    paths: Sequence[Path],
    *,
    form: str | None,
    as_json: bool,
    paper: bool,
    elementary: int | None,
    figures: Path | None,
) -> int:
    """Print the tables of searches, or the paper's."""
    runs = [Run(path) for path in paths]
    for run in runs:
        if not (run.path / RECORD).is_file():
            raise UserError(f"{run.path} is a run without a search")
    if elementary is not None and not paper:
        raise UserError("--elementary goes with --paper")
    if figures is not None:
        if not paper:
            raise UserError("--figures goes with --paper; `report --figures` has those of a page")
        check_figures(figures)
    form = "json" if as_json else form
    if form == "json" and not paper:
        texts = [(run.path / RECORD).read_text(encoding="utf-8") for run in runs]
        click.echo(json.dumps([json.loads(text) for text in texts], ensure_ascii=False))
        return 0
    sections = paper_sections(runs, elementary=elementary) if paper else search_sections(runs)
    if form is not None:
        click.echo(export_sections(form, sections), nl=False)
    else:
        print_sections(sections)
    if figures is not None:
        drawn = (figure for section in sections for figure in section.figures)
        for path in write_figures(drawn, figures):
            click.echo(f"wrote {path}", err=True)
    return 0


class SearchProgress(Silent):
    """On a terminal a bar of the archive and a bar of the answers; else a line per generation."""

    def __init__(self, settings: SearchSettings) -> None:
        self._bar: Progress | None = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import MofNCompleteColumn, Progress

            columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn())
            self._bar = Progress(*columns, console=Console(stderr=True))
            self._archive = self._bar.add_task("failures", total=settings.archive)
            self._answers = self._bar.add_task("answers", total=None)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, model: Model, total: int, stored: int, price: Price | None = None) -> None:
        if self._bar is not None:
            self._bar.update(self._answers, total=total, completed=stored, description=model.label)

    def answered(self, completion: object) -> None:
        if self._bar is not None:
            self._bar.advance(self._answers)

    def notice(self, text: str) -> None:
        self._say(f"warning: {text}")

    def status(self, text: str) -> None:
        self._say(text)

    def generation(self, record: SearchRecord) -> None:
        """Report a finished generation."""
        latest = record.generations[-1]
        if self._bar is not None:
            self._bar.update(self._archive, completed=latest.archive)
        refused = sum(latest.refused.values())
        self._say(
            f"generation {latest.number}: {counted(latest.drawn, 'mutant')}, {refused} refused, "
            f"{latest.repeated} repeated; {latest.failed} of {latest.asked} new ones failed; "
            f"archive {latest.archive}"
        )

    def _say(self, text: str) -> None:
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)
