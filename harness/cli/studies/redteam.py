"""`run.py redteam`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...core.errors import UserError
from ...report.sections import Section, print_sections
from ...studies.redteam import FAULTS, search
from ..options import cluster_option, on_cluster, workers_option

if TYPE_CHECKING:
    from ...studies.redteam import Result


@click.command()
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="Search for so long.")
@click.option("--tries", type=click.IntRange(1), help="Search so many cases.")
@click.option("--seed", default=0, show_default=True, help="The same seed, the same cases.")
@click.option(
    "--generator", "generators", multiple=True, metavar="NAME", help="Only this one; repeatable."
)
@workers_option
@cluster_option
@click.option(
    "--minimised",
    default=3,
    show_default=True,
    type=click.IntRange(0),
    help="Finds to make small, of each generator and kind.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write what is found to this file, one case a line.",
)
def redteam(
    minutes: float | None,
    tries: int | None,
    seed: int,
    generators: Sequence[str],
    workers: int | None,
    cluster: str | None,
    minimised: int,
    out: Path | None,
) -> int:
    """Search for wrong verdicts of the verifier.

    The findings are accepted wrong answers, refused or undecided right answers, and failures. The
    exit status is 1 if the search has findings. For a number of tries, any number of workers finds
    the same cases. An interrupted search prints the findings so far.
    """
    from rich.console import Console
    from rich.progress import Progress

    if minutes is None and tries is None:
        raise UserError("say for how long: --minutes, --tries or both")
    console = Console(stderr=True)
    with (
        on_cluster(cluster),
        Progress(console=console) as bar,
        out.open("w", encoding="utf-8") if out else nullcontext() as file,
    ):
        task = bar.add_task("cases", total=tries)
        written, latest = 0, None

        def show(result: Result) -> None:
            nonlocal written, latest
            latest = result
            description = f"cases, {len(result.finds)} judged wrongly"
            bar.update(task, completed=result.tries.total(), description=description)
            for find in result.finds[written:] if file else ():
                print(json.dumps(find.to_dict(), ensure_ascii=False), file=file, flush=True)
            written = len(result.finds)

        try:
            result = search(
                tries=tries,
                minutes=minutes,
                seed=seed,
                generators=generators,
                workers=workers,
                minimised=minimised,
                on_progress=show,
            )
        except ValueError as error:
            raise UserError(str(error)) from None
        except KeyboardInterrupt:
            if latest is not None:
                _print_table(latest)
            raise
    _print_table(result)
    return 1 if result.finds else 0


def _print_table(result: Result) -> None:
    """Print the numbers of cases and of wrong verdicts, by generator."""
    rows = []
    for name in [*sorted(result.tries), "all"]:
        names = sorted(result.tries) if name == "all" else [name]
        tries, repeated, skipped = (
            sum(counter[generator] for generator in names)
            for counter in (result.tries, result.repeated, result.skipped)
        )
        counts = [sum(result.faults[generator, fault] for generator in names) for fault in FAULTS]
        rate = 1e4 * sum(counts) / max(1, tries - repeated - skipped)
        rows.append((name, *map(str, (tries, repeated, *counts, skipped)), f"{rate:.0f}"))
    headings = ("generator", "tries", "repeated", *FAULTS, "skipped", "in 10^4")
    print_sections(
        [Section(f"Verdicts that are wrong (seed {result.seed})", headings, tuple(rows))]
    )
