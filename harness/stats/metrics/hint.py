"""The share of right answers by each of HINT's two scorers.

The first scorer compares an answer with HINT's value of the expression, the second scorer with the
value in ordinary arithmetic. Only problems to which both scorers apply are counted: the problems
without HINT's few-shot concepts (symbols with a new meaning). In table 3 of Li et al. 2023, the
GPT-3 rows are scored by ordinary arithmetic. All other rows are scored by HINT's value.
"""

from __future__ import annotations

import math

from msgspec import UNSET

from ....benchmarks.payloads import ArithmeticTarget
from ....rewards.verdict import Status
from ...tasks.arithmetic import ORDINARY_RIGHT, ORDINARY_WRONG
from ..tallies import Group
from .registry import metric


def _sum(group: Group, name: str) -> float:
    pairs = zip(group.problems, group.verdicts, strict=True)
    return math.fsum(
        sums.get(name, 0)
        for problem, sums in pairs
        if isinstance(target := problem.target, ArithmeticTarget) and target.ordinary is not UNSET
    )


@metric("HINT answer")
def hint_answer(group: Group) -> float | None:
    samples = _sum(group, "samples")
    return _sum(group, Status.CORRECT) / samples if samples else None


@metric("ordinary arithmetic")
def ordinary_arithmetic(group: Group) -> float | None:
    """The share of right samples in ordinary arithmetic (see `tasks.arithmetic`).

    HINT's notebooks report the share.
    """
    right, wrong = (_sum(group, f"flag {flag}") for flag in (ORDINARY_RIGHT, ORDINARY_WRONG))
    return right / (right + wrong) if right + wrong else None
