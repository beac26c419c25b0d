"""`run.py report`, `export` and `view`: the results of runs, for people and other programs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ..core.errors import UserError
from ..report import export_summary, print_summary, write_page
from ..report.export import export_run
from ..report.figures.files import write_figures
from ..report.page.sections import figures as page_figures
from ..report.published import published_sections
from ..report.sections import print_sections
from ..report.sources import Sources
from ..report.view import print_view
from ..report.view import view as view_problem
from ..report.votes import print_votes
from ..stats.prices import Prices
from ..store.run import Run
from .options import policy_option, prices_option


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "markdown", "latex", "csv", "json"]),
    help="Only this: the page, or the table as text on stdout.",
)
@click.option("--latex", "form", flag_value="latex", help="As --format latex (booktabs).")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The page; by default report.html in the run, of several runs in this directory.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also the figures, as PNG and SVG (needs the extra 'plots').",
)
@policy_option
@prices_option
@click.option(
    "--majority",
    is_flag=True,
    help="Also majority votes (maj@k), with answers grouped as mathematics.",
)
def report(
    runs: tuple[Path, ...],
    form: str | None,
    out: Path | None,
    figures: Path | None,
    policy: str | None,
    prices: Path | None,
    majority: bool,
) -> None:
    """Print the table of runs, and write their page.

    The page is report.html in the run; with --format only the table is printed. Several runs are on
    one page, compared problem by problem.
    """
    if majority and form is not None:
        raise UserError("--majority goes with the table on the terminal, without --format")
    if out is not None and form not in (None, "html"):
        raise UserError("--out is where the page goes; a table is printed on stdout")
    sources = Sources.open(runs, policy, Prices.read(prices) if prices else None)
    if form is not None and form != "html":
        click.echo(export_summary(sources.summary, form), nl=False)
    else:
        if form is None:
            print_summary(sources.summary)
            print_sections(published_sections(sources.summary))
            if majority:
                for run in sources.runs:
                    print_votes(run, sources.policy)
        if out is None and len(runs) > 1:
            out = Path("report.html")
        click.echo(f"wrote {write_page(sources, out)}", err=True)
    if figures is not None:
        for path in write_figures(page_figures(sources), figures):
            click.echo(f"wrote {path}", err=True)


@click.command("export")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(["csv", "parquet", "dataset", "lm-eval"]),
    help="A row a sample; lm-eval: a directory of logs as lm-evaluation-harness writes them.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="PATH")
@policy_option
@click.option("--force", is_flag=True, help="Replace what is there.")
def export_samples(run: Path, form: str, out: Path, policy: str | None, force: bool) -> None:
    """Write every sample of a run for other programs.

    Completions, answers, verdicts, tokens. Samples are in the order of models, problems and
    samples, whenever they were made.
    """
    count = export_run(Run(run), form, out, policy=policy, force=force)
    click.echo(f"wrote {count} samples to {out}", err=True)


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("problem", metavar="PROBLEM[#SAMPLE]")
@click.option("--model", metavar="LABEL", help="Only this model, by its label or its beginning.")
@policy_option
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
def view(run: Path, problem: str, model: str | None, policy: str | None, as_json: bool) -> None:
    """Show a problem of a run, or one sample, whole.

    Prompt, completion, verdict, evidence. PROBLEM is a key (bee/qualifier/q001), an id (q001), or
    the beginning of one.
    """
    shown = view_problem(Run(run), problem, model=model, policy=policy)
    if as_json:
        click.echo(json.dumps(shown.to_dict(), indent=2, ensure_ascii=False))
    else:
        print_view(shown)
