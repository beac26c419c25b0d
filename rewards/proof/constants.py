"""Exact numbers for expansions: elements of the prover's field.

A number counts as zero if a proof exists by the relations of the field or by the library
Calcium. A number counts as nonzero if an interval around the value excludes zero. A number with
parameters counts as nonzero if the value at one choice of the parameters is nonzero: the value is
then nonzero for almost all choices.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from flint import acb, arb, fmpq

from ..numeric.ball_arithmetic.balls import UnusableError, precision
from ..numeric.ball_arithmetic.evaluation import evaluate
from ..numeric.ball_arithmetic.jets import Ball
from ..numeric.expansions.series import NotExpandedError, UndefinedError
from ..reading.expression.build import PI
from ..reading.expression.traversal import (
    SLOW,
    all_nodes,
    fold,
    is_written_with,
    needs_worker,
    symbols_of,
)
from ..reading.expression.tree import Call, Expression
from ..workers.child import in_worker
from .prover.field import Field
from .prover.quotients import NotProvedError, Quotient
from .prover.rules import constants as by_calcium
from .prover.rules.signs import sign as sign_of
from .prover.tower import Tower

#: Bits of the balls that show that a number is not zero, in this order.
PRECISIONS: Final = (128, 1024)
#: Numerators and denominators of arguments for which every function takes less than 20 ms at the
#: highest of these precisions (measured: polygamma(5, 63/64) takes 9 ms).
MAX_ARGUMENT: Final = 64
#: Longer numbers are not given to Calcium, nor compared in balls. The longest of 4649 answers in
#: tests/rewards/cases has 3 terms, and no answer changes with 4, 200 or 800.
MAX_TERMS: Final = 400


def _failing(method: Any) -> Any:
    """Wrap a method: if the prover fails, the method raises `NotExpandedError`."""

    def wrapped(self: ExactNumbers, *args: Any) -> Any:
        try:
            return method(self, *args)
        except (NotProvedError, UnusableError) as error:
            raise NotExpandedError(str(error)) from None

    wrapped.__doc__ = method.__doc__
    return wrapped


@dataclass(slots=True)
class ExactNumbers:
    """Proved arithmetic of the numbers in one expansion (`rewards.numeric.expansions`).

    Attributes:
        assumptions: assumptions on parameters.

    """

    assumptions: Mapping[str, str] = field(default_factory=dict)
    tower: Tower = field(init=False)
    balls: dict[int, Ball] = field(default_factory=dict)
    zeros: dict[tuple[Any, Any], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tower = Tower(Field(), "", dict(self.assumptions))

    @_failing
    def value(self, node: Expression) -> Quotient:
        """Convert an expression to a number."""
        if is_written_with(node, "i"):
            raise NotExpandedError("a complex number")
        return self._checked(self.tower.field.normal(self.tower.value(node)))

    def number(self, value: fmpq) -> Quotient:
        """Convert a rational number to a number of the field."""
        return self.tower.field.ring.one * value

    @_failing
    def apply(self, name: str, *numbers: Quotient) -> Quotient:
        """Apply a function to numbers."""
        trees = tuple(map(self.tree, numbers))
        exact = fold(Call(name, trees)) if name == "pow" else None
        if exact is not None:
            return self.number(fmpq(exact.numerator, exact.denominator))
        if name == "floor":
            return self._floor(numbers[0])
        if name == "atan" and (ratio := self.rational(numbers[0])) in (0, 1, -1):
            quarter: Quotient = self.value(PI) * self.number(fmpq(int(ratio), 4))
            return quarter
        value: Quotient = self.value(Call(name, trees))
        return value

    def _floor(self, value: Quotient) -> Quotient:
        ratio = self.rational(value)
        if ratio is not None:
            return self.number(fmpq(int(ratio.p) // int(ratio.q)))
        tree = self.tree(value)
        constant = not symbols_of(tree)
        floor = self.ball(tree, PRECISIONS[0]).real.floor().unique_fmpz() if constant else None
        if floor is None:
            raise NotExpandedError("a floor that is not known")
        return self.number(fmpq(int(floor)))

    @_failing
    def rational(self, number: Quotient) -> fmpq | None:
        """The value of a number, if the number is rational; else None."""
        return self.tower.field.normal(number).rational()

    @_failing
    def tree(self, number: Quotient) -> Expression:
        return self.tower.field.tree(number)

    @_failing
    def is_zero(self, number: Quotient) -> bool:
        """Whether a number is zero, by proof. Without a proof, raise `NotExpandedError`."""
        if not number.support:
            return number.is_zero()
        number = self.tower.field.normal(number)
        if number.is_zero():
            return True
        self.tower.field.spend(number)
        if len(number.num) + len(number.den) > MAX_TERMS:
            raise NotExpandedError("a number with too many terms")
        tree = self.tree(number)
        if any(self._differs_from_zero(tree, seed) for seed in range(2)):
            return False
        if by_calcium.vanishes(self.tower.field, number.num, number.den):
            return True
        raise NotExpandedError("a number that may be zero")

    def _differs_from_zero(self, tree: Expression, seed: int) -> bool:
        values = {name: self.tower_value(name, seed) for name in sorted(symbols_of(tree))}
        for bits in PRECISIONS:
            ball = self.ball(tree, bits, values)
            if ball.is_finite() and not ball.contains(acb(0)):
                return True
        return False

    def tower_value(self, name: str, seed: int) -> Ball:
        """A sample value of a parameter. The value satisfies the assumption about the parameter."""
        size = random.Random(f"{name} {seed}").randrange(1, 4096)
        assumption = self.assumptions.get(name, "real")
        if "integer" in assumption or assumption in ("even", "odd"):
            return acb(2 * (size % 8) + 2 + (assumption == "odd"))
        return acb(arb(fmpq(size, 1024))) * (-1 if assumption == "negative" else 1)

    @_failing
    def sign(self, number: Quotient) -> int:
        """The sign of a number: 1, 0 or -1.

        A number may depend on angles or fractional parts. The sign of the number must then be the
        same for all values of the angles and fractional parts.
        """
        number = self.tower.field.normal(number)
        ratio = number.rational()
        if ratio is not None:
            return int(ratio > 0) - int(ratio < 0)
        signs = [sign_of(self.tower, poly) for poly in (number.num, number.den)]
        if signs[0] and signs[1]:
            return signs[0] * signs[1]
        tree = self.tree(number)
        ball = self.ball(tree, PRECISIONS[-1], self.ranges(tree)).real
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
        raise NotExpandedError("a number whose sign is not known")

    def ranges(self, tree: Expression) -> dict[str, Ball]:
        """An interval for each angle and each fractional part in an expression.

        Each interval contains all values of its angle or fractional part.

        Raises:
            NotExpandedError: the expression has a parameter.

        """
        values: dict[str, Ball] = {}
        for name in symbols_of(tree):
            if not name.startswith("@"):
                raise NotExpandedError("a sign that depends on a parameter")
            # Of an angle, 652 turns to both directions: sines and cosines take all values.
            values[name] = acb(arb(0.5, 0.5)) if name.startswith("@floor") else acb(arb(0, 4096))
        return values

    @staticmethod
    def ball(tree: Expression, bits: int, values: Mapping[str, Ball] | None = None) -> Ball:
        """A ball (a complex interval) that contains the value of an expression."""
        if needs_worker(tree) and not in_worker() and not _is_quick(tree):
            raise NotExpandedError("a number that may take long")
        with precision(bits):
            return evaluate(tree, values)

    def _checked(self, number: Quotient) -> Quotient:
        """Return the number unchanged. If the number is proved not real, raise `UndefinedError`."""
        if self.tower.field.support(number) & self.tower.field.unreal:
            tree = self.tree(number)
            if not symbols_of(tree):
                ball = self.ball(tree, PRECISIONS[0])
                if not ball.is_finite() or not ball.imag.contains(0):
                    raise UndefinedError("a number that is not real")
        return number


def _is_quick(tree: Expression) -> bool:
    """Whether all arguments of slow functions in an expression are small rational numbers."""
    slow = [node for node in all_nodes(tree) if node.function in SLOW]
    arguments = [fold(arg) for node in slow for arg in node.args]
    return all(
        ratio is not None and max(abs(ratio.numerator), ratio.denominator) <= MAX_ARGUMENT
        for ratio in arguments
    )
