"""Tokens and seconds for each problem, and for each solved one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..tallies import Group
from .registry import metric


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answers took, summed over samples and divided by problems.

    A problem is solved if one of its samples is correct; None where none is. Tokens are None where
    the model's server does not count them. ``cached_tokens_per_problem`` are those of the prompt's
    that the server had ready, ``reasoning_tokens_per_problem`` those of the completion's that are
    its reasoning.
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
    """The `Usage` of problems from their sums (`harness.store.counts.count_completions`).

    An estimate from only some of the samples would be too low: tokens are known if those of every
    row are.
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
    known = total["rows"] > 0 and total["counted"] == total["rows"]

    def each(name: str, count: int) -> float | None:
        return total[name] / count if known and count else None

    return Usage(
        problems=len(spent),
        solved=solved,
        seconds_per_problem=total["seconds"] / len(spent),
        seconds_per_solved=total["seconds"] / solved if solved else None,
        tokens_per_problem=each("completion_tokens", len(spent)),
        tokens_per_solved=each("completion_tokens", solved),
        prompt_tokens_per_problem=each("prompt_tokens", len(spent)),
        cached_tokens_per_problem=each("cached", len(spent)),
        reasoning_tokens_per_problem=each("reasoning_tokens", len(spent)),
    )


def usage_of(group: Group) -> Usage:
    """The `Usage` of a group of samples."""
    return usage(group.completions, sum(tally.correct > 0 for tally in group.tallies))


@metric("tokens per problem", unit="tokens", direction="lower", shown="never")
def tokens_per_problem(group: Group) -> float | None:
    """Completion tokens of all samples, divided by the problems; None where not all are counted."""
    return usage_of(group).tokens_per_problem


@metric("tokens per solved", unit="tokens", direction="lower", shown="never")
def tokens_per_solved(group: Group) -> float | None:
    """Completion tokens of all samples, divided by the solved problems."""
    return usage_of(group).tokens_per_solved
