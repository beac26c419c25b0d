"""`run.py steps`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from ...report.page.sections.steps import sections
from ...report.sections import print_sections
from ...report.sources import Sources
from ...stats.steps import read_steps
from ...studies.steps import judge_steps
from ..options import cluster_option, json_option, on_cluster


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--limit", type=click.IntRange(1), help="Judge only so many completions of each model."
)
@click.option("--workers", type=click.IntRange(1), help="Processes; by default one for each core.")
@cluster_option
@json_option
def steps(
    runs: Sequence[Path],
    limit: int | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Judge every step of a run's solutions.

    The tables say where solutions fail, and how often a right answer is luck. What is found is
    stored in the run, and `report` shows it.
    """
    from rich.console import Console
    from rich.progress import Progress

    with on_cluster(cluster), Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("solutions", total=None)
        for path in runs:
            judge_steps(
                path,
                limit=limit,
                workers=workers,
                on_progress=lambda done: bar.update(task, completed=done),
            )
    if as_json:
        rows = [row.to_dict() for path in runs for row in read_steps(path)]
        click.echo(json.dumps(rows, ensure_ascii=False))
    else:
        print_sections(sections(Sources.open(runs)))
