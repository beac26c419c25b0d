"""`run.py brittleness`, `logprobs` and `pairwise`: analyses of single papers."""

from __future__ import annotations

from pathlib import Path

import click

from ..models import create
from ..report.sections import Section, as_markdown, print_sections, write_sections
from ..store.run import Run
from ..studies.brittleness import tables as brittleness_tables
from ..studies.brittleness.teacher_forcing import score_texts
from ..studies.derivations import tables as derivations_tables
from ..studies.derivations.export import export_analyses
from ..studies.derivations.pairwise import analyse
from .options import key_values, model_options_option, policy_option


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--policy", help="Verdicts to report, by name; by default our verifier's latest complete."
)
@click.option("--markdown", is_flag=True, help="The tables as Markdown on stdout, and no page.")
def brittleness(runs: tuple[Path, ...], policy: str | None, markdown: bool) -> None:
    """Print the tables of "Symbolic Brittleness" for runs.

    The page of each run is written, too. The published numbers stand beside them. Several runs are
    compared by their way of decoding.
    """
    opened = [Run(path) for path in runs]
    for run in opened:
        if policy is not None:
            run.verdicts(policy)  # for its error message
    sources = brittleness_tables.answers_of(opened, policy)
    together = [brittleness_tables.decoding(sources)]
    for run in opened:
        sections: list[Section] = []
        for source in sources:
            if source.run is run:
                click.secho(f"{'# ' * markdown}{run.path.name}: {source.label}", bold=not markdown)
                click.echo()
                own = brittleness_tables.sections(source)
                if markdown:
                    click.echo(as_markdown(own))
                else:
                    print_sections(own)
                sections += own
        if not markdown:
            page = write_sections(
                run.path / "brittleness.html",
                f"Brittleness: {run.path.resolve().name}",
                ", ".join(source.label for source in sources if source.run is run),
                [*sections, *together],
                brittleness_tables.REMARK,
            )
            click.echo(f"wrote {page}", err=True)
    if markdown:
        click.echo(as_markdown(together))
    else:
        print_sections(together)
    click.echo(brittleness_tables.REMARK)


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--model", required=True, metavar="KIND/NAME", help="The model that was asked.")
@model_options_option
@click.option(
    "--candidates",
    default=10,
    show_default=True,
    type=click.IntRange(0),
    help="Of each problem, so many of the best answers.",
)
@click.option(
    "--written",
    default=r"\boxed{%s}",
    show_default=True,
    metavar="TEXT",
    help="How this model writes an answer; %s is the reference.",
)
@click.option("--limit", type=click.IntRange(1), help="At most so many problems.")
def logprobs(
    run: Path,
    model: str,
    model_options: tuple[str, ...],
    candidates: int,
    written: str,
    limit: int | None,
) -> None:
    """Ask a model how likely it finds a run's references.

    Its own best answers are scored, too. `run.py brittleness` then tells
    search errors from model errors. The same command goes on where it was stopped.
    """
    scorer = create(model, key_values(model_options, "-M"))
    result = score_texts(run, scorer, candidates=candidates, written=written, limit=limit)
    click.echo(f"{result.scored} texts scored; they are in {run / 'scores'}", err=True)
    if result.remarks:
        remark = f"{len(result.remarks)} could not be scored, the first: {result.remarks[0]}"
        click.echo(remark, err=True)


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@policy_option
@click.option("--json", "form", flag_value="json", help="JSON on stdout, and no page.")
@click.option("--csv", "form", flag_value="csv", help="CSV on stdout, one number a line.")
@click.option("--latex", "form", flag_value="latex", help="LaTeX tables (booktabs) on stdout.")
@click.option("--markdown", "form", flag_value="markdown", help="Markdown tables on stdout.")
def pairwise(run: Path, policy: str | None, form: str | None) -> None:
    """Analyse items with their perturbed twins.

    For runs of derivations or calculus. Prints accuracy and F1 with paired differences, S, G, None,
    All, Static±, Not P and the final operators behind them, the published tables beside, and writes
    pairwise.html with the figure.
    """
    opened = Run(run)
    analyses = analyse(opened, policy)
    if form is not None:
        click.echo(export_analyses(analyses, form), nl=False)
        return
    sections = derivations_tables.sections(analyses)
    print_sections(sections)
    click.echo(derivations_tables.REMARK)
    page = write_sections(
        run / "pairwise.html",
        f"Pairwise: {run.resolve().name}",
        ", ".join(analysis.label for analysis in analyses),
        sections,
        derivations_tables.REMARK,
    )
    click.echo(f"wrote {page}", err=True)
