"""The problems of benchmarks, with a limit spread over the subsets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...benchmarks.problem import Problem
from ...benchmarks.registry import resolve
from ...benchmarks.subset import sample_families, spread
from ..core.errors import UserError
from ..core.requests import problem_key


def problems_of(specs: Sequence[str], limit: int | None, seed: int) -> list[Problem]:
    """The problems of several benchmarks, each once.

    Args:
        specs: names of benchmarks, or files of problems.
        limit: the largest number of problems, spread over all subsets. Derived problems stay
            together with the original problem, for comparisons. The problems chosen from a subset
            do not depend on other subsets: the problems of several runs pair.
        seed: the seed of generated problems.

    Returns:
        The problems.

    Raises:
        UserError: two different problems have the same key.

    """
    # Two files may hold parts of one subset.
    named = {(subset.name, subset.source): subset for spec in specs for subset in resolve(spec)}
    subsets = list(named.values())
    shares: list[int | None] = [None] * len(subsets)
    if limit is not None:
        if not any(subset.endless for subset in subsets) and any(s.perturbs for s in subsets):
            return _each_once(sample_families(subsets, limit, seed))
        room = [limit if subset.endless else subset.size() for subset in subsets]
        shares = list(spread(limit, room))
    return _each_once(
        problem
        for subset, share in zip(subsets, shares, strict=True)
        for problem in subset.problems(share, seed)
    )


def _each_once(problems: Iterable[Problem]) -> list[Problem]:
    by_key: dict[str, Problem] = {}
    for problem in problems:
        earlier = by_key.setdefault(problem_key(problem), problem)
        if earlier is not problem and earlier.content_hash != problem.content_hash:
            raise UserError(f"two different problems are called {problem_key(problem)}")
    return list(by_key.values())
