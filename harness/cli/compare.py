"""`run.py compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from ..core.errors import UserError
from ..core.prices import Prices
from ..report.comparison import export_comparison, print_comparison
from ..stats.compare import Breakdown
from ..stats.compare import compare as compare_runs
from .options import prices_option, refuse_given


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--by",
    default="model",
    show_default=True,
    type=click.Choice(["model", "perturbation"]),
    help="Pair models (or the prompts of two runs) by problem; or subsets with what they "
    "were made from, by parent.",
)
@click.option(
    "-k",
    "ks",
    multiple=True,
    type=click.IntRange(1),
    metavar="K",
    help="pass@K besides the primary k that the run declares; repeatable.",
)
@click.option(
    "--breakdown",
    type=click.Choice(get_args(Breakdown)),
    help="Also by the tags of the problems, the functions in their integrands, what came of "
    "their simplification, or HINT's operators; depth, length, longest dependency, number of "
    "operators, result and largest value are of HINT's expressions.",
)
@click.option(
    "--detect",
    "target",
    default=5.0,
    show_default=True,
    metavar="POINTS",
    type=click.FloatRange(0, 100, min_open=True),
    help="Say how many problems or samples would detect such a difference.",
)
@click.option("--policy", help="Verdicts to compare, by name; by default the latest complete.")
@prices_option
@click.option("--all", "every", is_flag=True, help="All subsets and k, luck, power and remarks.")
@click.option("--json", "form", flag_value="json", help="JSON on stdout.")
@click.option("--csv", "form", flag_value="csv", help="CSV on stdout.")
@click.option("--latex", "form", flag_value="latex", help="A LaTeX table (booktabs) on stdout.")
@click.option("--markdown", "form", flag_value="markdown", help="A Markdown table on stdout.")
def compare(
    runs: tuple[Path, ...],
    by: Any,
    ks: tuple[int, ...],
    breakdown: Any,
    target: float,
    policy: str | None,
    prices: Path | None,
    every: bool,
    form: str | None,
) -> None:
    """Compare models, or perturbations with their originals.

    Problem by problem, with intervals, p values adjusted over the family, and the detectable
    difference of the design: docs/statistics.md explains each number.
    """
    if len({path.resolve() for path in runs}) < len(runs):
        raise UserError("a run is named twice")
    if form is not None:
        refuse_given(["every"], "on a table in another form, which has everything")
    comparison = compare_runs(
        *runs,
        by=by,
        policy=policy,
        ks=ks,
        breakdown=breakdown,
        target=target / 100,
        prices=Prices.read(prices) if prices else None,
    )
    if form is None:
        # Who names a k, a difference to detect or prices wants to see what comes of them.
        every = every or bool(ks) or target != 5 or prices is not None
        print_comparison(comparison, every=every)
    else:
        click.echo(export_comparison(comparison, form), nl=False)
