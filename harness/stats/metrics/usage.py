"""Tokens and seconds for each problem, and for each solved problem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..tallies import Group
from .registry import metric


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and seconds, summed over samples and divided by the number of problems.

    A problem with a correct sample is solved. Fields per solved problem are None without solved
    problems. Tokens are None if the model's server does not count tokens.
    ``cached_tokens_per_problem`` counts prompt tokens in the server's cache.
    ``reasoning_tokens_per_problem`` counts completion tokens of the reasoning.
    """

    problems: int
    solved: int
    seconds_per_problem: float
    seconds_per_solved: float | None
    tokens_per_problem: float | None = None
    tokens_per_solved: float | None = None
    prompt_tokens_per_problem: float | None = None
    cached_tokens_per_problem: float | None = None
    reasoning_tokens_per_problem: float | None = None


def usage(spent: Sequence[Mapping[str, float]], solved: int) -> Usage:
    """Compute the `Usage` of problems from the sums of `harness.store.counts.count_completions`.

    Tokens are None if a completion has no token count; a sum without the completion would be too
    low.
    """
    names = (
        "rows",
        "counted",
        "seconds",
        "completion_tokens",
        "prompt_tokens",
        "cached",
        "reasoning_tokens",
    )
    total = {name: math.fsum(sums.get(name, 0.0) for sums in spent) for name in names}
    all_counted = total["rows"] > 0 and total["counted"] == total["rows"]

    def per(name: str, count: int) -> float | None:
        return total[name] / count if all_counted and count else None

    return Usage(
        problems=len(spent),
        solved=solved,
        seconds_per_problem=total["seconds"] / len(spent),
        seconds_per_solved=total["seconds"] / solved if solved else None,
        tokens_per_problem=per("completion_tokens", len(spent)),
        tokens_per_solved=per("completion_tokens", solved),
        prompt_tokens_per_problem=per("prompt_tokens", len(spent)),
        cached_tokens_per_problem=per("cached", len(spent)),
        reasoning_tokens_per_problem=per("reasoning_tokens", len(spent)),
    )


def usage_of(group: Group) -> Usage:
    return usage(group.completions, sum(tally.correct > 0 for tally in group.tallies))


@metric("tokens per problem", unit="tokens", direction="lower", shown="never")
def tokens_per_problem(group: Group) -> float | None:
    """Completion tokens of all samples, divided by the number of problems.

    The result is None if a completion has no token count.
    """
    return usage_of(group).tokens_per_problem


@metric("tokens per solved", unit="tokens", direction="lower", shown="never")
def tokens_per_solved(group: Group) -> float | None:
    """Completion tokens of all samples, divided by the solved problems."""
    return usage_of(group).tokens_per_solved
