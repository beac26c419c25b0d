"""Generalisation gaps of HINT's test splits: pass@k on I minus pass@k on SS, LS, SL or LL.

Split I has expressions of the training set. In the names of the other splits, the first letter says
whether expressions are short or long (S, L). The second letter says whether values are small or
large (S, L).

The splits have different problems, so a gap is a difference of independent means. The difference of
two models' gaps is also a difference of independent means. On each split the two models are paired,
and the paired differences on two splits are independent. The interval of either difference combines
the intervals of two independent means. The method is from Zou and Donner, "Construction of
Confidence Limits about Effect Measures: A General Approach", Statistics in Medicine 27 (2008). For
proportions with Wilson's intervals, the method is Newcombe's method 10, Statistics in Medicine 17
(1998), 873-890.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ...benchmarks.hint.problems import is_hint
from ...benchmarks.hint.splits import SPLITS
from ...benchmarks.problem import Problem
from .intervals import mean_interval
from .metrics.pass_at_k import pass_at_k
from .pairing import Pairs, pair_problems
from .tallies import Tally, estimate

#: A mean or a difference, with its interval.
Bounded: TypeAlias = tuple[float, tuple[float, float]]
Tallies: TypeAlias = Mapping[str, Tally]


@dataclass(frozen=True)
class Gap:
    """The score on HINT's split I minus the score on another split.

    Attributes:
        group: both splits, as in ``hint: I − SS``.
        k: the k of pass@k.
        sides: the gap of each of one or two systems, with an interval.
        systems: the names of the systems.
        difference: the second system's gap minus the first system's gap, on the problems common to
            both systems. None for a single system, or without common problems.

    >>> Gap("hint: I − SS", 1, ((0.25, (0.1, 0.4)),), ("a",)).difference is None
    True

    """

    group: str
    k: int
    sides: tuple[Bounded, ...]
    systems: tuple[str, ...]
    difference: Bounded | None = None


def minus(bounded: Bounded, second: Bounded) -> Bounded:
    """The difference of two independent estimates, with an interval.

    >>> value, (low, high) = minus((0.5, (0.4, 0.6)), (0.2, (0.1, 0.3)))
    >>> round(value, 2), round(low, 2), round(high, 2)
    (0.3, 0.16, 0.44)
    """
    (a, (a_low, a_high)), (b, (b_low, b_high)) = bounded, second
    return a - b, (
        a - b - math.hypot(a - a_low, b_high - b),
        a - b + math.hypot(a_high - a, b - b_low),
    )


def gaps(problems: Mapping[str, Problem], k: int, systems: Mapping[str, Tallies]) -> Iterator[Gap]:
    """The gap in pass@k between split I of HINT and each other split, for one or two systems.

    A split has no gap if no problem of the split was asked.

    Args:
        problems: the problems by key. Problems outside HINT are skipped.
        k: the k of pass@k. A split with fewer than k samples of a problem has no gap.
        systems: the tallies of each system by the problem's key.

    """
    # Split I is the base: each concept, and the main set, has a split I of its own.
    groups: dict[tuple[str, str], set[str]] = {}
    for key, problem in problems.items():
        if is_hint(problem):
            concept, _, split = problem.subset.removesuffix("_distinct").rpartition("_")
            groups.setdefault((f"{problem.benchmark} {concept}".strip(), split), set()).add(key)
    sides = list(systems.values())
    for (name, split), keys in groups.items():
        base = groups.get((name, SPLITS[0]))
        if split not in SPLITS[1:] or base is None:
            continue
        tallies_of_splits = [
            [_chosen_tallies(side, chosen, k) for side in sides] for chosen in (base, keys)
        ]
        if not all(tallies for of_systems in tallies_of_splits for tallies in of_systems):
            continue
        own = tuple(
            minus(_mean(on_base, k), _mean(new, k))
            for on_base, new in zip(*tallies_of_splits, strict=True)
        )
        # Splits have different problems, so the gaps are independent; two systems share the
        # problems, so their difference is paired within each split.
        between = None
        if len(sides) == 2:
            paired = [
                _difference(of_systems[0], of_systems[1], k) for of_systems in tallies_of_splits
            ]
            between = minus(paired[0], paired[1]) if paired[0] and paired[1] else None
        yield Gap(f"{name}: {SPLITS[0]} − {split}", k, own, tuple(systems), between)


def _chosen_tallies(tallies: Tallies, keys: set[str], k: int) -> Tallies:
    chosen = {key: tally for key, tally in tallies.items() if key in keys}
    return chosen if all(tally.samples >= k for tally in chosen.values()) else {}


def _mean(tallies: Tallies, k: int) -> Bounded:
    rate = estimate(list(tallies.values()), pass_at_k, k)
    return rate.value, rate.interval


def _difference(tallies: Tallies, second: Tallies, k: int) -> Bounded | None:
    pairs = Pairs.of(pair_problems(tallies, second))
    if not pairs:
        return None
    values = pairs.differences(k)
    return math.fsum(values) / len(values), mean_interval(values, pairs.clusters)
