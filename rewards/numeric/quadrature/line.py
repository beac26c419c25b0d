"""A real integrand on the real line, with a budget of evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from flint import acb, arb, ctx

from ...reading.expression.traversal import SLOW, nodes_of, symbols_of
from ...reading.expression.tree import Call, Expression
from ...reading.problem import Limit
from ..ball_arithmetic.balls import Tape, precision
from ..ball_arithmetic.compiler import compile_tape
from ..ball_arithmetic.evaluation import evaluate
from ..ball_arithmetic.jets import Ball
from .work import SPECIAL, QuadratureError, WorkError, spend

#: Precision at which limits and kinks are known: p + e^{-1024} has to differ from p.
END_BITS = 4096
#: Evaluations of a tape's slot that one integral may cost: about a second.
SLOT_BUDGET = 4_000_000
#: The cost of a slow function in slots up to `SLOW_BITS`; for more bits, in proportion to the bits.
SLOW_SLOTS, SLOW_BITS = 400, 512

#: How near to an end f has to be bounded to be regular there.
_EDGE = arb(2) ** -300
#: Bits with which p + 2^-300 differs from p up to 2^200.
_EDGE_BITS = 512


#: Digits of a point in a message.
POINT_DIGITS = 6

#: Points at which f is looked for a value, in parts of 1/200 of the range, of which three lie near
#: the ends; and how far from 0 an infinite range is looked at.
SAMPLES, SHARES, FAR_SAMPLE = (1, 9, 45, 100, 163, 191, 199), 200, 1024


class OutsideDomainError(QuadratureError):
    """The integrand or a limit of integration is not real. The problem itself is at fault."""


@dataclass(slots=True)
class RealLine:
    """The integrand f on the real line. `at` computes f at a point. `on` bounds f on an interval.

    Attributes:
        tape: the compiled integrand.
        values: the values of the parameters.
        spent: the number of sub-expressions evaluated so far.
        slow: the number of functions in f that may take long.

    """

    tape: Tape
    values: Mapping[str, Ball]
    spent: int = field(default=0)
    slow: int = field(default=0)

    @classmethod
    def of(cls, expression: Expression, variable: str, values: Mapping[str, Ball]) -> RealLine:
        """Compile an expression in a variable to a function on the real line."""
        varying = {node for node in nodes_of(expression) if variable in symbols_of(node)}
        slow = sum(isinstance(node, Call) and node.function in SLOW for node in varying)
        return cls(compile_tape(expression, variable), values, slow=slow)

    def at(self, x: arb) -> arb:
        """The value of the integrand at ``x``. The ball may be infinite.

        Raises:
            OutsideDomainError: the integrand is not real at ``x``.
            QuadratureError: the budget is spent.

        """
        value = self._run(x)
        if not value.imag.contains(0):
            x_text = x.str(POINT_DIGITS, radius=False)
            raise OutsideDomainError(
                f"the integrand is not real at {self.tape.variable} = {x_text}"
            )
        return arb(value.real)

    def on(self, interval: arb) -> arb:
        """A ball with all values of the integrand on an interval. The ball may be infinite."""
        value = self._run(interval)
        return value.real if value.is_finite() else arb("nan")

    def _run(self, x: arb) -> Ball:
        spend(self.tape.size)
        self.spent += self.tape.size
        if self.slow:
            spend(self.slow * SPECIAL)
            self.spent += self.slow * SLOW_SLOTS * max(ctx.prec, SLOW_BITS) // SLOW_BITS
        if self.spent > SLOT_BUDGET:
            raise WorkError("the integral takes more work than is allowed")
        return self.tape.value(acb(x), self.values)

    def is_singular(self, x: arb) -> bool:
        """Whether the integrand has no finite bound on a ball ``x``."""
        return not self._run(x).is_finite()

    def special_slots(self, interval: arb) -> list[tuple[int, arb]]:
        """The sub-expressions whose value may be a multiple of pi/2 inside an interval, by slot.

        Each slot (index in the tape) is paired with the multiple, which may be 0. Where a
        sub-expression u has such a value, functions such as 1/u and tan u may have a pole.
        """
        self.spent += self.tape.size
        jets = self.tape.run(acb(interval), self.values, derivative=False)
        special = []
        for slot, (value, _) in enumerate(jets):
            if not self.tape.varying[slot] or not value.is_finite():
                continue
            if value.contains(0):
                special.append((slot, arb(0)))
            turns = (2 * value.real / arb.pi()).unique_fmpz()
            if turns is not None and int(turns):
                special.append((slot, int(turns) * arb.pi() / 2))
        return special


def is_regular(line: RealLine, end: arb, side: int) -> bool:
    """Whether the integrand is bounded near an end of the range. False for an infinite end."""
    if not end.is_finite():
        return False
    with precision(_EDGE_BITS):
        edge = arb(end.mid()).union(arb((end + side * _EDGE).mid()))
        return line.on(edge).is_finite()


def limit_value(limit: Limit, values: Mapping[str, Ball]) -> arb:
    """The value of a limit of integration, at the working precision."""
    if isinstance(limit, int):
        return arb("inf") * limit
    value = evaluate(limit, values)
    if not value.is_finite() or not value.imag.contains(0):
        raise OutsideDomainError("a limit of integration is not a real number")
    return arb(value.real)


def inner_point(low: arb, high: arb) -> arb:
    """A point inside a range, which may be infinite."""
    if low.is_finite() and high.is_finite():
        return arb(((low + high) / 2).mid())
    if low.is_finite() or high.is_finite():
        return arb((low + 1).mid()) if low.is_finite() else arb((high - 1).mid())
    return arb(0)


def sample_points(lower: arb, upper: arb) -> Iterator[arb]:
    """Yield some points between the limits."""
    low = lower if lower.is_finite() else arb(-FAR_SAMPLE).min(upper - FAR_SAMPLE)
    high = upper if upper.is_finite() else arb(FAR_SAMPLE).max(low + FAR_SAMPLE)
    for k in SAMPLES:
        yield arb((low + (high - low) * k / SHARES).mid())
