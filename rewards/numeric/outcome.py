"""The policy of a decision, and the outcome of a decision with its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..verdict import Status, Witness
from .ball_arithmetic.jets import Ball


class DecisionPolicy(NamedTuple):
    """The rules of acceptance (see `verify_antiderivative`)."""

    strict_domain: bool = False
    require_continuous: bool = False


@dataclass(frozen=True, slots=True)
class Refutation:
    """A point, given by the values of all symbols, at which two balls are proved to differ."""

    point: Mapping[str, Ball]
    derivative: Ball
    f: Ball
    bits: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A decision with its evidence; see `rewards.verdict.Evidence` for the fields."""

    status: Status
    points: int = 0
    digits: float = 0.0
    coverage: float | None = None
    witness: Witness | None = None
    flags: tuple[str, ...] = ()
    detail: str = ""
    proof: str = ""
    rules: tuple[str, ...] = ()
    refutation: Refutation | None = None


#: Work units (`rewards.numeric.ball_arithmetic.balls.Tape.work`) of one verdict: 2 s at most, where
#: four units take a microsecond. The most that a right answer in `tests/rewards/cases` needs is 7.5
#: million.
BUDGET = 8_500_000


class OutOfBudgetError(Exception):
    """The work budget of a verdict, which is a count, is spent."""


class Budget:
    """The work of one verdict. All readings, links and conventions that are tried share this
    budget.
    """

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = BUDGET

    def spend(self, units: int) -> None:
        """Count work units. When the budget is spent, the verdict is undecided."""
        self.left -= units
        if self.left < 0:
            raise OutOfBudgetError


def show(ball: Ball) -> str:
    """A ball as text: midpoint and radius, 15 digits."""
    return str(ball.real.str(15)) if ball.imag.is_zero() else str(ball.str(15))


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """The first incorrect or undecided outcome, else the first without a proof, else the first."""
    wrong = next((outcome for outcome in outcomes if outcome.status is not Status.CORRECT), None)
    if wrong is not None:
        return wrong
    coverages = [outcome.coverage for outcome in outcomes if outcome.coverage is not None]
    agreed = [outcome for outcome in outcomes if outcome.proof != "identity"]
    return replace(
        (agreed or outcomes)[0],
        points=max(outcome.points for outcome in outcomes),
        coverage=min(coverages, default=None),
        flags=tuple(dict.fromkeys(flag for outcome in outcomes for flag in outcome.flags)),
        rules=tuple(sorted({rule for outcome in outcomes for rule in outcome.rules})),
    )
