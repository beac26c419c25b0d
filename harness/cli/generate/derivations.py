"""`run.py generate derivations` and `generate calculus`: data sets to train classifiers on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ....benchmarks.derivations.options import VARIANTS
from ....benchmarks.derivations.splits import SplitSizes, data_splits
from ....benchmarks.registry import load
from ...core.errors import UserError
from ...core.wording import counted
from ...store.problem_files import check_out, write_problems, write_splits
from ..options import Decorator, cluster_option, on_cluster, refuse_given, together, workers_option

#: The options that hold for the problems of a subset; the others are for data sets.
_OF_PROBLEMS = {"subset", "limit", "seed", "out", "force"}


def _common(count: int) -> Decorator:
    return together(
        click.option(
            "--subset",
            metavar="NAME",
            help="Write this subset's problems instead, as of other benchmarks.",
        ),
        click.option("--limit", type=click.IntRange(1), help="With --subset: how many."),
        click.option(
            "--count",
            default=count,
            show_default=True,
            type=click.IntRange(2),
            help="Sequences to train on; the other splits are in proportion.",
        ),
        click.option("--seed", default=0, show_default=True),
        click.option(
            "--variant",
            default="code",
            show_default=True,
            type=click.Choice(["code", "paper", "original"]),
            help="As the released code does it, mended; as the paper says; "
            "as the released code does it.",
        ),
        click.option(
            "--style",
            default="published",
            show_default=True,
            type=click.Choice(["published", "clean"]),
            help="Of the text.",
        ),
        workers_option,
        cluster_option,
        click.option(
            "--out",
            required=True,
            type=click.Path(path_type=Path),
            help="A folder for a saved data set, or a .jsonl file.",
        ),
        click.option("--force", is_flag=True, help="Replace what is there."),
    )


@click.command()
@click.option(
    "--steps", default=3, show_default=True, type=click.IntRange(2, 6), help="Of each derivation."
)
@_common(20_000)
def generate_derivations(steps: int, **options: Any) -> None:
    """Write derivations to classify as right or wrong.

    Train, validation and static test sets, and VR, EE, AR of the last. The sizes are those of
    Meadows et al., table 5, if --count is 20000.
    """
    _generate("derivations", steps, 5, **options)


@click.command()
@click.option(
    "--operation",
    default="differentiation",
    show_default=True,
    type=click.Choice(["differentiation", "integration"]),
)
@_common(32_000)
def generate_calculus(operation: str, **options: Any) -> None:
    """Write results of calculus to classify as right or wrong.

    Of differentiation or integration, with VR, EC and an easy test set. The sizes are those of
    Meadows et al., table 5, if --count is 32000.
    """
    _generate("calculus", operation, 8, **options)


def _generate(
    benchmark: str,
    kind: int | str,
    test_share: int,
    *,
    count: int,
    seed: int,
    variant: str,
    style: str,
    workers: int | None,
    cluster: str | None,
    **subset_options: Any,
) -> None:
    if _of_subset(benchmark, seed, **subset_options):
        return
    sizes, options = SplitSizes.of(count, test_share=test_share), VARIANTS[variant]
    with on_cluster(cluster):
        splits = data_splits(kind, sizes, seed, options=options, style=style, workers=workers)
    write_splits(splits, subset_options["out"])
    sizes_of_splits = ", ".join(f"{name} {len(rows):,}" for name, rows in splits.items())
    click.echo(f"wrote {sizes_of_splits} to {subset_options['out']}", err=True)


def _of_subset(
    benchmark: str, seed: int, subset: str | None, limit: int | None, out: Path, force: bool
) -> bool:
    """Write the problems of ``subset`` and return True; return False for None."""
    check_out(out, force)
    if subset is None:
        if limit is not None:
            raise UserError("--limit is for --subset; the size of a data set is --count")
        return False
    data_set = click.get_current_context().params.keys() - _OF_PROBLEMS
    refuse_given(sorted(data_set), "with --subset, which names the problems; leave it out")

    problems = load(f"{benchmark}/{subset}", limit=limit, seed=seed)
    write_problems(problems, out)
    click.echo(f"wrote {counted(len(problems), 'problem')} to {out}", err=True)
    return True
