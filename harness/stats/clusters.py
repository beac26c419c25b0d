"""Parents of derived problems, and the clusters of problems with a common origin.

A parent is named by its id alone. It is looked for in the same benchmark, and among others only
where that has no such id. Where several subsets hold it, what was itself made of others comes
last, and the child's own subset first.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...benchmarks.problem import Problem


class ParentIndex:
    """Finds the parents of problems among problems by their keys."""

    def __init__(self, problems: Mapping[str, Problem]) -> None:
        self._problems = problems
        self._own: dict[tuple[str, str], list[str]] = {}
        self._anywhere: dict[str, list[str]] = {}  # for what is made of another benchmark's
        for key, problem in problems.items():
            self._own.setdefault((problem.benchmark, problem.id), []).append(key)
            self._anywhere.setdefault(problem.id, []).append(key)

    def find(self, problem: Problem, parent: str) -> str | None:
        """The key of the problem that another one names as its parent; None if it is not there."""
        known = self._own.get((problem.benchmark, parent)) or self._anywhere.get(parent, [])

        def rank(key: str) -> tuple[bool, bool]:
            other = self._problems[key]
            return other.pair_parent is not None, other.name != problem.name

        others = known if len(known) == 1 else [k for k in known if self._problems[k] != problem]
        return min(others, key=rank, default=None)

    def cluster(self, problem: Problem) -> str:
        """The original that a problem was made from, through all generations, as a cluster."""
        seen = set()
        parent = _parent(problem)
        while parent is not None:
            seen.add((problem.name, problem.id))
            key = self.find(problem, parent)
            if key is None:
                return f"{problem.benchmark}:{parent}"
            if (self._problems[key].name, self._problems[key].id) in seen:
                break
            problem = self._problems[key]
            parent = _parent(problem)
        return self._alike(problem)

    def _alike(self, problem: Problem) -> str:
        """The first key of an original; copies in several subsets are one problem."""
        keys = self._own[problem.benchmark, problem.id]
        return next(key for key in keys if self._problems[key].inputs == problem.inputs)


def _parent(problem: Problem) -> str | None:
    return problem.pair_parent or (problem.parents[0].id if problem.parents else None)


def clusters_of(problems: Mapping[str, Problem]) -> dict[str, str]:
    """The cluster of every problem, by its key."""
    parents = ParentIndex(problems)
    return {key: parents.cluster(problem) for key, problem in problems.items()}
