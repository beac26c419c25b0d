"""Pairs of samples: two systems paired by problem, or subsets paired by parent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...benchmarks.problem import Problem
from .clusters import ParentIndex
from .intervals import Clusters, Ratio
from .metrics.pass_at_k import pass_at_k
from .tallies import Tally


@dataclass(frozen=True, slots=True)
class Pair:
    """The counts of samples on both sides of a comparison, for related problems.

    A side usually has a single problem. An original problem may be paired with several perturbed
    problems and the mean of their metrics.
    """

    unit: str
    cluster: str
    first: tuple[Tally, ...]
    second: tuple[Tally, ...]


Value = Callable[[Tally], float]


@dataclass(frozen=True, eq=False)
class PairedSide:
    """One side of a paired comparison, for all pairs.

    A tally holds the counts of one problem's samples. Tallies with equal counts are stored once, in
    ``distinct``. ``members`` has indices into ``distinct`` for each pair. pass@k is thus computed
    once for equal counts.
    """

    distinct: tuple[Tally, ...]
    members: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, sides: Iterable[Sequence[Tally]]) -> PairedSide:
        distinct: list[Tally] = []
        positions: dict[tuple[int, int, int, int | None], int] = {}

        def position_of(t: Tally) -> int:
            at = positions.setdefault((t.samples, t.correct, t.unknown, t.first), len(distinct))
            if at == len(distinct):
                distinct.append(t)
            return at

        members = tuple(tuple(map(position_of, side)) for side in sides)
        return cls(tuple(distinct), members)

    @cached_property
    def samples(self) -> int:
        """The smallest number of samples of any problem."""
        return min(t.samples for t in self.distinct)

    @cached_property
    def ranked(self) -> bool:
        """Whether the samples are ranked candidates of a beam search.

        Ranked candidates are not independent, and do not tell whether a second attempt would
        succeed.
        """
        return any(t.first is not None for t in self.distinct)

    def means(self, value: Value) -> tuple[float, ...]:
        values = [value(t) for t in self.distinct]
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
    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Pairs:
        return pairs if isinstance(pairs, Pairs) else cls(pairs)

    @cached_property
    def first(self) -> PairedSide:
        return PairedSide.of(pair.first for pair in self)

    @cached_property
    def second(self) -> PairedSide:
        return PairedSide.of(pair.second for pair in self)

    @cached_property
    def clusters(self) -> Clusters:
        return Clusters.of([pair.cluster for pair in self])

    @property
    def samples(self) -> tuple[int, int]:
        """For each side, the smallest number of samples of any problem."""
        return self.first.samples, self.second.samples

    def differences(self, k: int) -> list[float]:
        """pass@k of the second side minus pass@k of the first side, for every pair."""
        passes = zip(self.first.passes(k), self.second.passes(k), strict=True)
        return [second - first for first, second in passes]

    def mean_difference(self, k: int) -> Ratio:
        """The mean of `differences`, with its bootstrap distribution."""
        return Ratio.of(self.differences(k), [1.0] * len(self), self.clusters)

    @cached_property
    def weights(self) -> dict[tuple[int, int], float]:
        """The weight of each problem's sampling variance.

        The weighted sum of these variances, divided by the number of clusters, is a part of the
        variance of the mean difference. A problem's sampling variance depends only on the number of
        samples and the number of correct samples. These two numbers are a key of the result. The
        weights of problems with the same key are added.
        """
        scale = self.clusters.count / len(self) ** 2
        weights: dict[tuple[int, int], float] = {}
        for pair in self:
            for side in (pair.first, pair.second):
                for t in side:
                    key = (t.samples, t.correct)
                    weights[key] = weights.get(key, 0.0) + scale / len(side) ** 2
        return weights


def pair_problems(tallies: Mapping[str, Tally], second_tallies: Mapping[str, Tally]) -> list[Pair]:
    """Pair two systems by common problems."""
    return [
        Pair(key, tally.cluster, (tally,), (second_tallies[key],))
        for key, tally in tallies.items()
        if key in second_tallies
    ]


def pair_parents(
    tallies: Mapping[str, Tally], problems: Mapping[str, Problem]
) -> dict[str, tuple[list[Pair], int]]:
    """Pair the problems of every perturbed subset with the original problems.

    For each subset, the result has the pairs and the number of problems whose original was not
    asked. A subset with several perturbations is split by perturbation.
    """
    origins = ParentIndex(problems)
    # A subset is split only if it has several perturbations, to keep short names.
    perturbations: dict[str, set[str | None]] = {}
    for problem in problems.values():
        if problem.pair_parent is not None:
            perturbations.setdefault(problem.name, set()).add(problem.perturbation)
    # Children are collected by parent: each parent counts once, whatever the number of children.
    children: dict[str, dict[str, list[Tally]]] = {}
    alone: dict[str, int] = {}
    for key, problem in problems.items():
        if problem.pair_parent is None or key not in tallies:
            continue
        group = problem.name
        if len(perturbations[group]) > 1:
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
