"""`run.py brittleness` and `run.py logprobs`."""

from __future__ import annotations

from pathlib import Path

import click

from .options import key_values, model_options_option


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
    from ..report.page.sections import Section, as_markdown, print_sections, write_sections
    from ..store.run import Run
    from ..studies.brittleness import tables as report

    opened = [Run(path) for path in runs]
    for run in opened:
        if policy is not None:
            run.verdicts(policy)  # for its error message
    found = report.sources(opened, policy)
    together = [report.decoding(found)]
    for run in opened:
        sections: list[Section] = []
        for source in found:
            if source.run is run:
                click.secho(f"{'# ' * markdown}{run.path.name}: {source.label}", bold=not markdown)
                click.echo()
                own = report.sections(source)
                if markdown:
                    click.echo(as_markdown(own))
                else:
                    print_sections(own)
                sections += own
        if not markdown:
            page = write_sections(
                run.path / "brittleness.html",
                f"Brittleness: {run.path.resolve().name}",
                ", ".join(source.label for source in found if source.run is run),
                [*sections, *together],
                report.REMARK,
            )
            click.echo(f"wrote {page}", err=True)
    if markdown:
        click.echo(as_markdown(together))
        click.echo(report.REMARK)
    else:
        print_sections(together)
        click.echo(report.REMARK)


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

    Its own best answers are scored, too. Whether failures are the search's fault or the model's is
    then in `run.py brittleness`. The same command goes on where it was stopped.
    """
    from ..models import create
    from ..studies.brittleness.teacher_forcing import force

    asked = create(model, key_values(model_options, "-M"))
    found = force(run, asked, candidates=candidates, written=written, limit=limit)
    click.echo(f"{found.scored} texts scored; they are in {run / 'scores'}", err=True)
    if found.remarks:
        remark = f"{len(found.remarks)} could not be scored, the first: {found.remarks[0]}"
        click.echo(remark, err=True)
