"""The experiments of "Symbolic Brittleness" in two phases.

The first phase asks problems of any benchmarks. The second phase asks problems that are made from
the solved problems. The solved problems form three pools, as in the paper:

- ``coeff``: the primitives (``brittleness/primitive_...``) whose top-ranked answer is correct;
- ``exp``: powers and roots (``brittleness/powers``, ``roots``) whose top-ranked answer is correct;
- ``valid``: problems of other benchmarks that have at least one correct answer. With the filter
  ``published``, a problem must also pass the paper's filters for Lample and Charton's validation
  problems (`benchmarks.brittleness.filters`).

The second phase asks slightly changed problems of ``valid`` (the paper's neighbours N1 and N2). It
also asks sums of two to four terms from each pool. If answers are sampled, the problems of the
pools are also asked again (as sums of one term), to measure luck.
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
    """Make new problems from the solved problems of the first phase, a list for each subset.

    Raises:
        DerivationError: no problem can be made from a solved problem, or two different solved
            problems have the same id.

    """
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
    # The proof of every reference takes time: make no more problems than the limit lets through.
    subsets = len(NEIGHBOURS) + len(pools) * len(terms)
    count_each = COUNT if results.limit is None else min(COUNT, math.ceil(results.limit / subsets))
    return [
        *(
            neighbours(neighbour, valid, results.seed, variant=variant, limit=count_each)
            for neighbour in NEIGHBOURS
        ),
        *(
            sums(pool, results.seed, terms=count, pool=name, count=count_each)
            for name, pool in pools.items()
            for count in terms
        ),
    ]


#: The plans by the released code, and by the paper's text.
PLANS = {"brittleness": VARIANTS[0], "brittleness-paper": VARIANTS[1]}


def phases(name: str, phase_filter: PhaseFilter) -> tuple[Phase, ...]:
    """Make the phases that follow the first phase, for a name in `PLANS`."""
    make: Callable[[PhaseResults], Sequence[Sequence[Problem]]]
    make = partial(derive, PLANS[name], phase_filter)
    return (Phase("derived", make, {"phases": name, "phase-filter": phase_filter}),)
