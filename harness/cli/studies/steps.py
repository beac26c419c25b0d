"""`run.py steps`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from ....benchmarks.problem import Problem
from ....rewards.verify.solution_steps import Solution
from ...core.wording import counted
from ...report.page.sections.steps import sections
from ...report.sections import print_sections
from ...report.sources import Sources
from ...stats.steps import read_steps
from ...store.problem_files import check_out, write_problems
from ...store.samples import Sample
from ...studies.steps import judge_steps, step_problems
from ..options import cluster_option, json_option, on_cluster, refuse_given, workers_option


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--limit", type=click.IntRange(1), help="Judge only so many completions of each model."
)
@click.option("--thoughts", is_flag=True, help="Read thinking blocks as well.")
@workers_option
@click.option(
    "--problems",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the judged steps as problems of the task derivation_step.",
)
@click.option("--force", is_flag=True, help="Replace that file.")
@cluster_option
@json_option
def steps(
    runs: Sequence[Path],
    limit: int | None,
    thoughts: bool,
    workers: int | None,
    problems: Path | None,
    force: bool,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Judge every step of a run's solutions.

    The tables show where solutions fail, and how often a right answer is luck. The judged steps are
    stored in the run, and `report` shows the tables.
    """
    if problems is not None:
        check_out(problems, force)
    else:
        refuse_given(["force"], "without --problems")
    problems_of_steps: list[Problem] = []

    def keep(sample: Sample, solution: Solution) -> None:
        if problems is not None:
            problems_of_steps.extend(step_problems(sample, solution))

    from rich.console import Console
    from rich.progress import Progress

    with on_cluster(cluster), Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("solutions", total=None)
        for path in runs:
            judge_steps(
                path,
                limit=limit,
                thoughts=thoughts,
                workers=workers,
                on_progress=lambda done: bar.update(task, completed=done),
                on_solution=keep,
            )
    if problems is not None:
        write_problems(problems_of_steps, problems)
        click.echo(f"wrote {counted(len(problems_of_steps), 'problem')} to {problems}", err=True)
    if as_json:
        rows = [row.to_dict() for path in runs for row in read_steps(path)]
        click.echo(json.dumps(rows, ensure_ascii=False))
    else:
        print_sections(sections(Sources.open(runs)))
