"""Dollars for each problem and each solved problem, if prices are given."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.prices import Prices
from ...store.run import Run
from ..tallies import Group, group_samples
from .registry import metric
from .usage import usage_of


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars for all samples, per problem and per solved problem.

    Dollars per solved problem are None if no problem is solved.
    """

    per_problem: float
    per_solved: float | None


def cost(group: Group) -> Cost | None:
    """The cost of a group of samples; None for an unknown price or unknown tokens."""
    used = usage_of(group)
    if group.price is None or used.tokens_per_problem is None:
        return None
    dollars = group.price.dollars(
        prompt=used.prompt_tokens_per_problem or 0.0,
        completion=used.tokens_per_problem,
        cached=used.cached_tokens_per_problem or 0.0,
        reasoning=used.reasoning_tokens_per_problem or 0.0,
    )
    return Cost(dollars, dollars * used.problems / used.solved if used.solved else None)


@metric("$ a problem", unit="dollars", direction="lower", column="dollars_per_problem")
def dollars_per_problem(group: Group) -> float | None:
    """Dollars for all samples, divided by the number of problems."""
    spent = cost(group)
    return spent.per_problem if spent else None


@metric("$ a solved one", unit="dollars", direction="lower", column="dollars_per_solved")
def dollars_per_solved(group: Group) -> float | None:
    """Dollars for all samples, divided by the number of solved problems."""
    spent = cost(group)
    return spent.per_solved if spent else None


def costs(run: Run, prices: Prices, policy: str | None = None) -> dict[str, Cost | None]:
    groups = group_samples(run, policy, prices)
    return {group.model: cost(group) for group in groups}  # the last is the broadest
