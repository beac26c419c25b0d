"""Parents of derived problems, and the clusters of problems with a common origin.

A derived problem names its parent by the parent's id alone. The lookup tries the child's benchmark
first. Other benchmarks are tried only if the child's benchmark does not have the id. If several
problems have the id, original problems take precedence over derived problems. Among several
original problems, a problem of the child's own subset takes precedence.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...benchmarks.problem import Problem


class ParentIndex:
    def __init__(self, problems: Mapping[str, Problem]) -> None:
        self._problems = problems
        self._own: dict[tuple[str, str], list[str]] = {}
        self._anywhere: dict[str, list[str]] = {}  # for what is made of another benchmark's
        for key, problem in problems.items():
            self._own.setdefault((problem.benchmark, problem.id), []).append(key)
            self._anywhere.setdefault(problem.id, []).append(key)

    def find(self, problem: Problem, parent: str) -> str | None:
        """The key of a problem's parent; None if no problem has the id."""
        candidates = self._own.get((problem.benchmark, parent)) or self._anywhere.get(parent, [])

        def rank(key: str) -> tuple[bool, bool]:
            candidate = self._problems[key]
            return candidate.pair_parent is not None, candidate.name != problem.name

        ancestors = (
            candidates
            if len(candidates) == 1
            else [k for k in candidates if self._problems[k] != problem]
        )
        return min(ancestors, key=rank, default=None)

    def cluster(self, problem: Problem) -> str:
        """The key of a derived problem's original problem.

        Between the two problems may stand further derived problems. For a missing problem, the
        result consists of the missing id and the benchmark of the problem derived from the missing
        problem.
        """
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
        """The key of the earliest copy of an original problem.

        A copy is a problem of the same benchmark with the same id and the same inputs. Copies in
        different subsets are therefore in the same cluster.
        """
        keys = self._own[problem.benchmark, problem.id]
        return next(key for key in keys if self._problems[key].inputs == problem.inputs)


def _parent(problem: Problem) -> str | None:
    return problem.pair_parent or (problem.parents[0].id if problem.parents else None)


def clusters_of(problems: Mapping[str, Problem]) -> dict[str, str]:
    """Map each problem's key to a cluster."""
    parents = ParentIndex(problems)
    return {key: parents.cluster(problem) for key, problem in problems.items()}
