"""Separate counts of failed problems with and without an elementary antiderivative.

A model that writes only elementary formulas cannot solve a problem without an elementary
antiderivative. Such failures are no evidence of what the model has learnt. Welleck et al. count
failures with and without an elementary antiderivative together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .....benchmarks.payloads import IntegrationTarget
from .....benchmarks.problem import Problem
from .....rewards import verify_antiderivative
from .....rewards.workers.errors import WorkerError
from .....rewards.workers.pool import shared_pool
from ....report.search.tables import StoredSearch
from ....report.sections import Section
from ....stats.intervals import clopper_pearson
from ..mutants import TASKS

HAS, NONE, UNDECIDED = "has", "none", "undecided"
#: Seconds of wall clock for a formula, only in case a worker hangs.
_DEADLINE = 120.0


def decided(problems: Sequence[Problem]) -> list[str]:
    """Decide for each problem whether it has an elementary antiderivative: `HAS`, `NONE` or
    `UNDECIDED`.

    The result is `HAS` if SymPy finds an antiderivative that the verifier accepts. The result is
    `NONE` if SymPy's Risch algorithm proves that no elementary antiderivative exists.
    """
    tokens = [[str(problem.metadata["prefix"])] for problem in problems]
    results = shared_pool(tasks=TASKS).map("elementary", tokens, deadline=_DEADLINE)
    return [_outcome(*pair) for pair in zip(problems, results, strict=True)]


def _outcome(problem: Problem, result: str | WorkerError) -> str:
    if isinstance(result, WorkerError) or not result:
        return UNDECIDED
    if result == "no":
        return NONE
    latex = result.removeprefix("yes ")
    integrand = problem.target_as(IntegrationTarget).integrand
    correct = verify_antiderivative(rf"\boxed{{{latex}}}", integrand, variable="x").correct
    return HAS if correct else UNDECIDED


def spread(problems: Sequence[Problem], number: int) -> list[Problem]:
    """Choose at most ``number`` problems, evenly spaced in the sequence.

    >>> spread([1, 2, 3, 4, 5, 6], 3)
    [1, 3, 5]
    """
    count = min(number, len(problems))
    return [problems[at * len(problems) // count] for at in range(count)]


def elementary_section(searches: Sequence[StoredSearch], number: int) -> Section:
    """For each archive, the shares of problems with and without an elementary antiderivative.

    The archive of a search consists of the failed problems that the search found. In each archive,
    ``number`` problems are examined.
    """
    rows = []
    for search in searches:
        chosen = spread(search.archive, number)
        counts = Counter(decided(chosen))
        cells = [_share(counts[name], len(chosen)) for name in (HAS, NONE, UNDECIDED)]
        rows.append((search.name, search.label, f"{len(chosen)} of {len(search.archive)}", *cells))
    return Section(
        "Failures with an elementary antiderivative, and without",
        ("search", "model", "examined", "has one", "has none", "undecided"),
        tuple(rows),
        (
            "In percent, with 95 % intervals. “Has one”: the verifier accepts an antiderivative of "
            "SymPy. “Has none”: by SymPy's Risch algorithm, which does not decide trigonometric "
            "and algebraic formulas.",
        ),
        names=2,
    )


def _share(count: int, total: int) -> str:
    if not total:
        return ""
    low, high = clopper_pearson(count, total)
    return f"{100 * count / total:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
