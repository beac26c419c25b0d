"""`run.py generate lample-charton`: random integrals for sequence models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ....benchmarks.lample_charton import GeneratorSettings, random_integrals
from ....benchmarks.lample_charton.codec.released import CountedPair, write
from ....benchmarks.lample_charton.sampling import GRAMMARS
from ....rewards.workers.pool import make_pool
from ...core.errors import UserError
from ...core.wording import counted
from ...store.problem_files import check_out, write_problems
from ..options import cluster_option, on_cluster, refuse_given, workers_option


@click.command()
@click.option(
    "--method",
    required=True,
    type=click.Choice(["fwd", "bwd", "ibp"]),
    help="Integrate random expressions, differentiate them, or integrate by parts.",
)
@click.option("--count", default=200, show_default=True, type=click.IntRange(1), help="So many.")
@click.option("--seed", default=0, show_default=True, help="The same seed, the same problems.")
@click.option(
    "--recipe",
    default="own",
    show_default=True,
    type=click.Choice(["own", "published"]),
    help="Our own algebra, or SymPy for everything as in the released code.",
)
@click.option(
    "--max-operators",
    default=15,
    show_default=True,
    type=click.IntRange(1, 60),
    help="Most operators of a random expression.",
)
@click.option("--operators", type=click.IntRange(1, 60), help="Exactly so many operators instead.")
@click.option(
    "--max-length",
    default=512,
    show_default=True,
    type=click.IntRange(8, 4096),
    help="Most tokens of either side.",
)
@click.option(
    "--grammar",
    default="published",
    show_default=True,
    type=click.Choice(list(GRAMMARS)),
    help="The operators and leaves of random expressions.",
)
@workers_option
@cluster_option
@click.option(
    "--pairs",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the pairs to this file, too, in the released code's format.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="A .jsonl file, or a folder."
)
@click.option("--force", is_flag=True, help="Replace what is there.")
def generate_pairs(
    method: str,
    count: int,
    seed: int,
    workers: int | None,
    cluster: str | None,
    pairs: Path | None,
    out: Path,
    force: bool,
    **recipe: Any,
) -> None:
    """Write random integrals with proven references.

    Formulas are also in prefix form. The file is the same for any number of workers, and no pair
    is in it twice.
    """
    from rich.console import Console
    from rich.progress import track

    settings = GeneratorSettings(**recipe)
    check_out(out, force)
    if pairs is not None and pairs.exists() and not force:
        raise UserError(f"{pairs} is there already; --force replaces it")
    if method == "ibp" and settings.recipe == "own":
        refuse_given(["operators"], "with --method ibp --recipe own; there is --max-operators")
    elif settings.operators is not None and method != "ibp":  # there it bounds the second factor
        refuse_given(["max_operators"], "with --operators")
    console = Console(stderr=True)
    with on_cluster(cluster):
        cores = workers or make_pool().size
        stream = random_integrals(method, seed, count, settings, workers=cores)
        problems = list(track(stream, "generating", count, console=console, transient=True))
    write_problems(problems, out)
    if pairs is not None:
        sides = ((p.metadata["prefix"], p.metadata["antiderivative_prefix"]) for p in problems)
        try:
            lines = (CountedPair(1, tuple(str(f).split()), tuple(str(g).split())) for f, g in sides)
            write(lines, pairs)
        except OSError as error:
            raise UserError(f"cannot write {pairs}: {error.strerror or error}") from None
    click.echo(f"wrote {counted(len(problems), 'problem')} to {out}", err=True)
