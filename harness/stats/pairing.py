"""Pairs of samples: two systems paired by problem, or subsets paired by parent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...benchmarks.problem import Problem
from .clusters import ParentIndex
from .intervals import Clusters
from .metrics.pass_at_k import pass_at_k
from .tallies import Tally


@dataclass(frozen=True, slots=True)
class Pair:
    """The samples of both sides for one problem, or of several problems that are averaged."""

    unit: str
    cluster: str
    first: tuple[Tally, ...]
    second: tuple[Tally, ...]


Value = Callable[[Tally], float]


@dataclass(frozen=True, eq=False)
class Side:
    """One side of pairs.

    Tallies with the same numbers have the same pass@k: ``kinds`` holds one of each, and
    ``members`` the places there of every pair's.
    """

    kinds: tuple[Tally, ...]
    members: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, sides: Iterable[Sequence[Tally]]) -> Side:
        kinds: list[Tally] = []
        places: dict[tuple[int, int, int, int | None], int] = {}

        def place(t: Tally) -> int:
            at = places.setdefault((t.samples, t.correct, t.unknown, t.first), len(kinds))
            if at == len(kinds):
                kinds.append(t)
            return at

        members = tuple(tuple(map(place, side)) for side in sides)
        return cls(tuple(kinds), members)

    @cached_property
    def samples(self) -> int:
        """The fewest samples of any problem."""
        return min(t.samples for t in self.kinds)

    @cached_property
    def ranked(self) -> bool:
        """Whether there are ranked candidates (these give no estimate of luck)."""
        return any(t.first is not None for t in self.kinds)

    def means(self, value: Value) -> tuple[float, ...]:
        """The mean of ``value`` over the tallies of every pair."""
        values = [value(t) for t in self.kinds]
        return tuple(
            values[member[0]]
            if len(member) == 1
            else math.fsum(values[i] for i in member) / len(member)
            for member in self.members
        )

    def passes(self, k: int) -> tuple[float, ...]:
        """pass@k of every pair (cached)."""
        if k not in self._passes:
            self._passes[k] = self.means(lambda t: pass_at_k(*t.drawn(k), k))
        return self._passes[k]

    @cached_property
    def _passes(self) -> dict[int, tuple[float, ...]]:
        return {}


class Pairs(tuple[Pair, ...]):
    """Pairs; what does not depend on k is computed once."""

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Pairs:
        return pairs if isinstance(pairs, Pairs) else cls(pairs)

    @cached_property
    def first(self) -> Side:
        return Side.of(pair.first for pair in self)

    @cached_property
    def second(self) -> Side:
        return Side.of(pair.second for pair in self)

    @cached_property
    def clusters(self) -> Clusters:
        return Clusters.of([pair.cluster for pair in self])

    @property
    def samples(self) -> tuple[int, int]:
        """The fewest samples of any problem on each side."""
        return self.first.samples, self.second.samples

    @cached_property
    def weights(self) -> dict[tuple[int, int], float]:
        """The weight of each (samples, correct) in the variance of the mean difference.

        That variance is the weighted sum of theirs, divided by the number of clusters.
        """
        scale = self.clusters.count / len(self) ** 2
        weights: dict[tuple[int, int], float] = {}
        for pair in self:
            for side in (pair.first, pair.second):
                for t in side:
                    key = (t.samples, t.correct)
                    weights[key] = weights.get(key, 0.0) + scale / len(side) ** 2
        return weights


def pair_problems(first: Mapping[str, Tally], second: Mapping[str, Tally]) -> list[Pair]:
    """Pair two systems by the problems that both were asked."""
    return [
        Pair(key, tally.cluster, (tally,), (second[key],))
        for key, tally in first.items()
        if key in second
    ]


def pair_parents(
    tallies: Mapping[str, Tally], problems: Mapping[str, Problem]
) -> dict[str, tuple[list[Pair], int]]:
    """Pair every perturbed subset with its originals, by parent.

    Returns, for each subset (told apart by perturbation where one holds several), the pairs and the
    number of problems whose original was not asked.
    """
    origins = ParentIndex(problems)
    kinds: dict[str, set[str | None]] = {}
    for problem in problems.values():
        if problem.pair_parent is not None:
            kinds.setdefault(problem.name, set()).add(problem.perturbation)
    children: dict[str, dict[str, list[Tally]]] = {}
    alone: dict[str, int] = {}
    for key, problem in problems.items():
        if problem.pair_parent is None or key not in tallies:
            continue
        group = problem.name
        if len(kinds[group]) > 1:
            group += f": {problem.perturbation}"
        family = children.setdefault(group, {})
        alone.setdefault(group, 0)
        parent = origins.find(problem, problem.pair_parent)
        if parent is None or parent not in tallies:
            alone[group] += 1
        else:
            family.setdefault(parent, []).append(tallies[key])
    return {
        group: (
            [
                Pair(parent, tallies[parent].cluster, (tallies[parent],), tuple(its_children))
                for parent, its_children in family.items()
            ],
            alone[group],
        )
        for group, family in children.items()
    }
