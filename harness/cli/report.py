"""`run.py report`, `export`, `push` and `view`: results of runs for people and other programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from ...rewards.verdict import Status
from ..core.errors import UserError
from ..core.prices import Prices
from ..core.wording import counted
from ..integrations.hub import push_problems, push_run
from ..report import export_summary, print_summary, write_page
from ..report.export import export_run
from ..report.figures.files import check_figures, write_figures
from ..report.page.folder import Folder
from ..report.page.loopback import LoopbackServer
from ..report.page.sections import figures as page_figures
from ..report.page.watch import Watch
from ..report.published import published_sections
from ..report.sections import print_sections
from ..report.sources import Sources
from ..report.view import as_text, views
from ..report.votes import print_votes
from ..store.atomic import check_output
from ..store.run import Run
from .options import policy_option, prices_option, refuse_given


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
    help="Also the figures, as PNG, PDF and SVG (needs the extra 'plots').",
)
@click.option(
    "--watch",
    "watching",
    is_flag=True,
    help="Serve the page on this machine (loopback) and keep it up to date, as during a sweep.",
)
@click.option("--port", type=click.IntRange(0, 65535), help="For --watch; by default any free one.")
@policy_option
@prices_option
@click.option(
    "--majority",
    is_flag=True,
    help="Also majority votes (maj@k), with answers grouped as mathematics.",
)
@click.option("--all", "every", is_flag=True, help="All subsets, metrics and remarks.")
def report(
    runs: tuple[Path, ...],
    form: str | None,
    out: Path | None,
    figures: Path | None,
    watching: bool,
    port: int | None,
    policy: str | None,
    prices: Path | None,
    majority: bool,
    every: bool,
) -> None:
    """Print the results of runs, and write a page.

    The output begins with the better model, the breaking perturbations and the failures; --all has
    the rest. The page is report.html in the run; with --format only the table is printed. Several
    runs share a page, compared problem by problem.
    """
    if form is not None:
        refuse_given(["majority", "every"], "on the page, or on a table in another form")
    if out is not None and form not in (None, "html"):
        raise UserError("--out is where the page goes; a table is printed on stdout")
    if port is not None and not watching:
        raise UserError("--port goes with --watch")
    if watching and (form or out or figures or majority or every):
        raise UserError("--watch shows the page alone; give other outputs without it")
    if out is not None:
        check_output(out)
    if figures is not None:
        check_figures(figures)
    read = Prices.read(prices) if prices else None
    if watching:
        _serve(Watch(runs, lambda: Sources.open(runs, policy, read), port or 0))
        return
    sources = Sources.open(runs, policy, read)
    if form is not None and form != "html":
        click.echo(export_summary(sources.summary, form), nl=False)
    else:
        if form is None:
            every = every or read is not None  # who names prices wants to see the costs
            print_summary(sources.summary, every=every, findings=sources.findings)
            if every:
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


def _serve(server: LoopbackServer) -> None:
    """Serve until the interrupt, and open the page on a machine with a screen."""
    click.echo(f"the page is at {server.url} until Ctrl-C", err=True)
    if sys.platform in ("darwin", "win32") or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        click.launch(server.url)
    with suppress(KeyboardInterrupt):
        server.run()


@click.command("export")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(["csv", "parquet", "dataset", "lm-eval", "inspect"]),
    help="A row a sample; lm-eval, inspect: a directory of logs as these programs write them.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="PATH")
@policy_option
@click.option("--force", is_flag=True, help="Replace what is there.")
def export_samples(run: Path, form: str, out: Path, policy: str | None, force: bool) -> None:
    """Write every sample of a run for other programs.

    Completions, answers, verdicts, tokens. Samples are in the order of models, problems and
    samples, independent of time.
    """
    count = export_run(Run(run), form, out, policy=policy, force=force)
    click.echo(f"wrote {counted(count, 'sample')} to {out}", err=True)


@click.command(
    epilog="\b\nrun.py push runs/mini OWNER/mini-samples --private\n"
    "run.py push problems.jsonl OWNER/problems"
)
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@click.argument("repository", metavar="OWNER/NAME")
@click.option("--private", is_flag=True, help="Make a new repository private.")
@policy_option
def push(source: Path, repository: str, private: bool, policy: str | None) -> None:
    """Push a run, or a set of problems, to a hub as a data set with a card.

    SOURCE is a run, or a file or folder of `generate`. The card of a run has its table of results
    and its settings. The hub's token is taken from HF_TOKEN, or from `hf auth login`; HF_ENDPOINT
    names another hub.
    """
    if Run.exists(source):
        address = push_run(Run(source), repository, policy=policy, private=private)
    else:
        if policy is not None:
            raise UserError("--policy is for runs")
        address = push_problems(source, repository, private=private)
    click.echo(f"pushed to {address}", err=True)


@click.command(
    epilog="\b\nrun.py view runs/mini q001\n"
    "run.py view runs/mini --status incorrect --subset bee/competition\n"
    "run.py view --serve runs"
)
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.argument("problem", metavar="[PROBLEM[#SAMPLE]]", required=False)
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice([status.value for status in Status]),
    help="Only samples with this verdict; repeatable.",
)
@click.option("--subset", metavar="NAME", help="Only this subset or benchmark (bee/competition).")
@click.option("--model", metavar="LABEL", help="Only this model, by its label or its beginning.")
@policy_option
@click.option(
    "--json", "as_json", is_flag=True, help="JSON on stdout; without PROBLEM a line each."
)
@click.option(
    "--serve",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="All runs of a folder in a browser, on this machine (loopback), kept up to date.",
)
@click.option("--port", type=click.IntRange(0, 65535), help="For --serve; by default any free one.")
def view(
    run: Path | None,
    problem: str | None,
    statuses: tuple[str, ...],
    subset: str | None,
    model: str | None,
    policy: str | None,
    as_json: bool,
    folder: Path | None,
    port: int | None,
) -> int:
    """Show samples of a run, whole: prompt, completion, verdict, evidence.

    PROBLEM is a key (bee/qualifier/q001), an id (q001), or the beginning of a key or id. Without
    PROBLEM, all matching samples are shown, problem by problem; on a terminal, in your pager
    (less). Exit status 1: no sample matches.
    """
    if folder is not None:
        if run is not None or statuses or subset or model or as_json:
            raise UserError("--serve shows a folder of runs; filters are in the browser")
        _serve(Folder(folder, lambda runs: Sources.open(runs, policy), port or 0))
        return 0
    if port is not None:
        raise UserError("--port goes with --serve")
    if run is None:
        raise UserError("view needs a RUN, or --serve DIR for all runs of a folder")
    count, samples = views(
        Run(run), problem, statuses=statuses, subset=subset, model=model, policy=policy
    )
    if not count:
        click.echo(f"no sample of {run} fits", err=True)
        return 1
    if as_json:
        for sample_view in samples:
            indent = 2 if problem is not None else None
            click.echo(json.dumps(sample_view.to_dict(), indent=indent, ensure_ascii=False))
        return 0
    terminal = sys.stdout.isatty()

    def texts() -> Iterator[str]:
        for number, sample in enumerate(samples, 1):
            heading = f"problem {number} of {count}: " if count > 1 else ""
            yield heading + as_text(sample, colours=terminal) + ("\n" if number < count else "")

    if terminal and problem is None:
        click.echo_via_pager(texts(), color=True)
        return 0
    for text in texts():
        click.echo(text, nl=False, color=terminal)
    return 0
