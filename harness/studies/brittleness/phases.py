"""The experiments of "Symbolic Brittleness" as phases: problems, and neighbours of solved ones.

The first phase asks any benchmarks. What is solved of them makes three pools, as in the paper:

- ``coeff``: the primitives (``brittleness/primitive_...``) that the best answer solves;
- ``exp``: powers and roots (``brittleness/powers``, ``roots``) that the best answer solves;
- ``valid``: whatever is solved of other benchmarks by any of the answers; filtered as ``published``
  only what passes the filters (`benchmarks.brittleness.filters`) that the paper applied to Lample
  and Charton's validation problems.

The second phase asks the neighbours of ``valid`` (N1, N2) and sums of two to four of each pool; of
a model that is sampled, also the pools again (sums of one), as a measure of luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from ....benchmarks.brittleness import NEIGHBOURS, neighbours, sums
from ....benchmarks.brittleness.filters import eligible, short
from ....benchmarks.brittleness.integrals import VARIANTS
from ....benchmarks.brittleness.sums import COUNT
from ....benchmarks.problem import Problem
from ...run.phases import Phase, PhaseResults
from ...run.spec import PhaseFilter

TERMS = (2, 3, 4)


def _primitive(problem: Problem) -> bool:
    return problem.name.startswith("brittleness/primitive_")


def _exponent(problem: Problem) -> bool:
    return problem.name.removesuffix("_paper") in ("brittleness/powers", "brittleness/roots")


def _validation(problem: Problem) -> bool:
    return problem.benchmark != "brittleness" and problem.task == "integration"


def derive(variant: str, phase_filter: PhaseFilter, results: PhaseResults) -> list[list[Problem]]:
    """The second phase's problems, subset by subset; raises `DerivationError` as they do."""
    valid = terms_of_sums = results.solved(_validation)
    if phase_filter == "published":
        valid = eligible(valid, variant)
        terms_of_sums = short(valid, variant)
    pools: dict[str, list[Problem]] = {
        "coeff": results.solved(_primitive, within=1),
        "exp": results.solved(_exponent, within=1),
        "valid": terms_of_sums,
    }
    terms = (1, *TERMS) if results.sampled else TERMS
    # Every problem's reference is proven: no more are made than a limit lets through.
    subsets = len(NEIGHBOURS) + len(pools) * len(terms)
    most = COUNT if results.limit is None else min(COUNT, math.ceil(results.limit / subsets))
    return [
        *(
            neighbours(neighbour, valid, results.seed, variant=variant, limit=most)
            for neighbour in NEIGHBOURS
        ),
        *(
            sums(pool, results.seed, terms=count, pool=name, count=most)
            for name, pool in pools.items()
            for count in terms
        ),
    ]


#: The released code's reading of the paper, and its text's.
PLANS = {"brittleness": VARIANTS[0], "brittleness-paper": VARIANTS[1]}


def phases(name: str, phase_filter: PhaseFilter) -> tuple[Phase, ...]:
    """The phases of `PLANS`."""
    make: Callable[[PhaseResults], Sequence[Sequence[Problem]]]
    make = partial(derive, PLANS[name], phase_filter)
    return (Phase("derived", make, {"phases": name, "phase-filter": phase_filter}),)
