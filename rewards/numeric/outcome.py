"""The optional rules for a decision, its outcome with the evidence, and the budget of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..verdict import Status, Witness
from .ball_arithmetic.jets import Ball


class DecisionPolicy(NamedTuple):
    """The optional rules for accepting an answer.

    Attributes:
        strict_domain: see `verify_antiderivative`.
        require_continuous: see `verify_antiderivative`.
        fixed_roots: whether to refuse an answer that jumps where a radicand touches zero. The
            answer then is another root of the integrand on the two sides.

    """

    strict_domain: bool = False
    require_continuous: bool = False
    fixed_roots: bool = False


@dataclass(frozen=True, slots=True)
class Refutation:
    """A proof that two values differ: a point, and the two values there as disjoint balls."""

    point: Mapping[str, Ball]
    derivative: Ball
    f: Ball
    bits: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A decision with its evidence. See `rewards.verdict.Evidence` for the fields."""

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
    """The work budget of a verdict is spent. The budget counts operations, not time."""


class Budget:
    """The work left for one verdict. All readings and conventions share this budget."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = BUDGET

    def spend(self, units: int) -> None:
        """Subtract work units. If the budget is spent, raise `OutOfBudgetError`."""
        self.left -= units
        if self.left < 0:
            raise OutOfBudgetError


def show(ball: Ball) -> str:
    """Write a ball as text: its midpoint with 15 digits, and its radius."""
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
