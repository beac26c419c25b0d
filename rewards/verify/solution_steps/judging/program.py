r"""An equation, compiled to tapes, and its values at sample points.

Nothing is differentiated symbolically: both sides are evaluated as jets. A jet is a value together
with the derivative by the common variable of both sides. The derivative of an integral
``\int g\,du`` is g u'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count, islice
from math import ceil, inf, isinf, pi, tan

from flint import acb

from ....numeric.ball_arithmetic.balls import Tape, precision
from ....numeric.ball_arithmetic.compare import POINT_BITS
from ....numeric.ball_arithmetic.domain import candidates, real_everywhere, uniform
from ....numeric.ball_arithmetic.jets import ONE, ZERO, Ball
from ....numeric.sampling.pool import ASSUMPTIONS
from ....reading.expression.build import IMAGINARY
from ....reading.expression.linear import linear
from ....reading.expression.traversal import all_nodes, symbols_of
from ....reading.expression.tree import Symbol
from ..extents import NotReadError
from ..operations import Derivative, Differential, Integral, LimitAt, Operation, Series, Side
from ..scope import Equation, Range
from ..substitution import definite_operations, free_symbols
from .confirmation import MAX_BITS, TooFaintError, concealed, events, length_of_numbers
from .factors import VaryingFactorError
from .kinds import is_rational
from .values import ACCURACY, inner_operations, operand_of
from .work import EVALUATED, Work

#: Points that are tried.
TRIED = 40
#: Bits beyond those that have to agree: what is lost by rounding.
ROUNDING = 32
#: The second precision of a comparison, as a multiple of the first.
FINER = 4
#: A variable that is substituted for one between far limits is looked for up to 1.5 * 2^6.
SCALED = range(1, 7)
#: The assumptions on letters that do not stand for whole numbers.
_REAL = frozenset(("positive", "negative", "real"))
#: Whole numbers at which terms are compared: one of each so many, so that no period is hit at each
#: point. No claim of 799 solutions changes with 2 or 10 (`tests/mutation/constants.py`).
SPREAD = 5
#: The end of the first quadrant, and the step of the most even sequence modulo 1.
QUADRANT, GOLDEN = 1.5, 0.6180339887


@dataclass(slots=True)
class _Term:
    """A constant times an indefinite integral."""

    factor: Tape
    integrand: Tape
    variable: str


#: A side: what is without integrals, and the integrals.
_Compiled = tuple[Tape, list[_Term]]
#: Values of symbols, and derivatives of variables by the common one.
_Known = tuple[dict[str, Ball], dict[str, Ball]]


@dataclass
class Program:
    """A compiled equation. If ``order`` is 1, the derivatives of both sides are compared."""

    equation: Equation
    order: int
    assumptions: Mapping[str, str]
    key: str
    work: Work
    scale: float = 1.0
    values: dict[str, Ball] = field(default_factory=dict)
    varying: list[tuple[str, Mapping[str, Operation]]] = field(default_factory=list)
    is_complex: bool = False
    #: The last point, with the values of the other symbols and the derivatives of the variables.
    latest: tuple[Ball, _Known | None] = (ZERO, None)

    def __post_init__(self) -> None:
        equation = self.equation
        self.variable = equation.variable
        self.rates = {name: self._compiled(side) for name, side in equation.rates.items()}
        self.sides = [self._compiled(side) for side in (equation.lhs, equation.rhs)]
        self.placed = self._placeholders()
        compiled = [*self.sides, *self.rates.values()]
        compiled += [of for of, _ in self.placed.values() if of is not None]
        self.tapes = [tape for side in compiled for tape in _tapes(side)]
        # Both sides are written with i, and have no root or logarithm with several values.
        sides = equation.lhs.expression, equation.rhs.expression
        self.is_complex = all(IMAGINARY in all_nodes(tree) for tree in sides) and self.is_rational()
        for name in sorted(equation.free - {self.variable}):
            self.values[name] = acb(self._letter(name))
        with precision(ACCURACY + ROUNDING):
            self.operands, hidden = self._operands()
            #: The number of bits to which both sides have to agree.
            self.enough = POINT_BITS + self._length() + hidden
        self.see(self.enough)

    def see(self, bits: float) -> None:
        """Set the precision such that both sides can agree to so many bits, if not too many."""
        bits = ROUNDING * ceil(bits / ROUNDING) + ROUNDING if bits < MAX_BITS else 0
        self.accuracy = max(ACCURACY, bits)
        self.precisions = self.accuracy + ROUNDING, FINER * (self.accuracy + ROUNDING)

    def _length(self) -> float:
        """The number of bits that may agree although a number of the equation is wrong."""
        try:
            return length_of_numbers([*self.tapes, *self.operands], self.work.look)
        except TooFaintError:
            return inf

    def _operands(self) -> tuple[list[Tape], float]:
        """The compiled parts of integrals with limits, of limits and sums, and bits hidden at ends.

        At the end 30 of a range, ``e^{-x^2}`` is near to 0 up to 1300 bits, and the number 30 has
        no effect on fewer bits of the integral.
        """
        tapes: list[Tape] = []
        hidden = 0.0
        for side in (self.equation.lhs, self.equation.rhs):
            for operation in definite_operations(side).values():
                operand = operand_of(operation)
                if isinstance(operation, Series):
                    tapes.append(self.work.tape(operand, operation.index))
                    continue
                at = operation.limits if isinstance(operation, Integral) else (operation.point,)
                tape = self.work.tape(operand, operation.variable)
                ends = [self.work.tape(end, "") for end in at or () if not isinstance(end, int)]
                tapes += [tape, *ends]
                if isinstance(operation, Integral) and tape.symbols.keys() <= {operation.variable}:
                    fixed = [end.value(ZERO, {}) for end in ends if not end.symbols]
                    hidden = max(
                        [
                            hidden,
                            *(tape.faintness(MAX_BITS, end, spend=self.work.look) for end in fixed),
                        ]
                    )
        return tapes, hidden

    def _letter(self, name: str) -> float:
        """A sample value of a letter: from the letter's range, or by the letter's kind."""
        assumption = self.assumptions.get(name, "positive")
        is_integer = assumption not in _REAL
        if name in self.equation.ranges and assumption not in ("even", "odd"):
            value = _between(self.equation.ranges[name], uniform(self.key, name))
            return float(ceil(value)) if is_integer else value
        value = ASSUMPTIONS[assumption](uniform(self.key, name))
        return value * max(self.scale, 1) if is_integer else value * self.scale

    def _compiled(self, side: Side) -> _Compiled:
        indefinite = {
            name: operation
            for name, operation in side.operations.items()
            if isinstance(operation, Integral) and operation.limits is None
        }
        constant_term, factors = linear(side.expression, indefinite.keys())
        tape, terms = self.work.tape, []
        for factor, name in factors:
            integral = indefinite[name]
            if symbols_of(integral.integrand) & side.operations.keys():
                raise NotReadError("an integral within another")
            if self.variable in symbols_of(factor):
                raise VaryingFactorError("a factor of an integral that is not constant")
            tapes = tape(factor, self.variable), tape(integral.integrand, self.variable)
            terms.append(_Term(*tapes, integral.variable))
        return tape(constant_term, self.variable), terms

    def _placeholders(self) -> dict[str, tuple[_Compiled | None, str]]:
        """Map symbols of derivatives to operand and variable. A differential's operand is None."""
        placed: dict[str, tuple[_Compiled | None, str]] = {}
        for side in (self.equation.lhs, self.equation.rhs):
            for name, operation in side.operations.items():
                if isinstance(operation, Differential):
                    placed[name] = None, operation.variable
                elif isinstance(operation, Derivative):
                    placed[name] = (
                        self._compiled(Side(operation.of, side.operations)),
                        operation.variable,
                    )
        if placed and self.order:
            raise NotReadError("derivatives in an equation that holds up to a constant")
        return placed

    def constant_values(self) -> None:
        """Compute the definite integrals and limits without the variable."""
        self.varying = []
        for side in (self.equation.lhs, self.equation.rhs):
            constant = definite_operations(side)
            within = {
                inner
                for definite in constant.values()
                for inner in inner_operations(operand_of(definite), side.operations)
            }
            for definite in constant.values():
                self.work.allow(operand_of(definite))
            for name in sorted(constant.keys() - within):
                if self.variable in free_symbols(Side(Symbol(name), side.operations)):
                    if self.order:
                        raise NotReadError("an integral that varies, up to a constant")
                    self.varying.append((name, side.operations))
                else:
                    self.values[name] = self.work.value(
                        name, side.operations, self.values, self.accuracy
                    )

    # --- at one point ---

    def at(self, x: Ball, bits: int) -> tuple[Ball, Ball] | None:
        """The values of both sides at a point, or None if a sub-expression is not real."""
        known = self._known(x, bits)
        self.latest = x, known
        if known is None:
            return None
        left_value, right_value = (
            self._side(side, x, bits, *known, self.order) for side in self.sides
        )
        return None if left_value is None or right_value is None else (left_value, right_value)

    def _known(self, x: Ball, bits: int) -> _Known | None:
        """The values of all other symbols at a point, and the derivatives of the variables."""
        speeds: dict[str, Ball] = {}
        values = dict(self.values)
        if self.varying and self.work.evaluations < EVALUATED // 2:
            raise NotReadError("too many integrals that vary")  # the rest is for numbers
        for name, operations in self.varying:
            try:
                values[name] = self.work.value(
                    name, operations, values | {self.variable: x}, self.accuracy
                )
            except NotReadError:
                return None
        for name in self.rates:
            speed = self._speed(name, x, bits, values)
            if speed is None or speed.contains(ZERO):  # a "variable" may be constant: x = t - t
                return None
            speeds[name] = speed
        for name, (of, by) in self.placed.items():
            slope = speeds[by] if of is None else self._side(of, x, bits, values, speeds, 1)
            if slope is None:
                return None
            values[name] = slope if of is None else slope / speeds[by]
        return values, speeds

    def _speed(self, name: str, x: Ball, bits: int, values: Mapping[str, Ball]) -> Ball | None:
        """The derivative of a variable with respect to the common variable. None means unknown."""
        tape, terms = self.rates[name]
        if name == self.variable:
            return ONE
        speeds = {}
        for term in terms:  # a variable that is known by its differential: dv = f dx
            speed = None if term.variable == name else self._speed(term.variable, x, bits, values)
            if speed is None:
                return None
            speeds[term.variable] = speed
        return self._side((tape, terms), x, bits, values, speeds, 1)

    def _side(
        self,
        side: _Compiled,
        x: Ball,
        bits: int,
        values: Mapping[str, Ball],
        speeds: Mapping[str, Ball],
        order: int,
    ) -> Ball | None:
        tape, terms = side
        total = self._run(tape, x, bits, values, order)
        for term in terms:
            factor = self._run(term.factor, x, bits, values, 0)
            slope = self._run(term.integrand, x, bits, values, 0)
            if total is None or factor is None or slope is None:
                return None
            total += factor * slope * speeds[term.variable]
        return total

    def _run(
        self, tape: Tape, x: Ball, bits: int, values: Mapping[str, Ball], order: int
    ) -> Ball | None:
        self.work.spend(tape.size * (bits // 128))
        jets = tape.run(x, values, derivative=order == 1)
        if not self.is_complex and not real_everywhere(tape, jets):
            return None
        return jets[tape.root][order] or ZERO

    def concealed(self, x: Ball) -> float:
        """The number of bits that may agree at a point although a part has no effect there."""
        at, known = self.latest
        if at is not x:
            known = self._known(x, self.precisions[0])
        try:
            return inf if known is None else concealed(self.tapes, x, known[0], self.work.look)
        except TooFaintError:
            return inf

    # --- at several ---

    @property
    def is_moving(self) -> bool:
        """Whether functions are compared, and not numbers."""
        return bool(self.varying) or any(t.symbols for side in self.sides for t in _tapes(side))

    def _within(self) -> list[tuple[Tape, Range]]:
        bounds = self.equation.within
        return [(self.work.tape(side.expression, self.variable), run) for side, run in bounds]

    def events(self, *, every: bool = False) -> Iterator[Ball]:
        """Yield points beside the places where a branch may change, in the variable's range.

        If ``every`` is true, the places where the dominant term changes are added.
        """
        within, whole = self._within(), self.equation.has_integer_variable
        tapes = [*self.tapes, *self.operands] if self.varying else self.tapes
        for x in events(tapes, self.values, self.work.look, every=every):
            at = acb(x.real.floor()) if whole else x
            if (whole and not at.real > 0) or (self.equation.narrow and not 0 < at.real < QUADRANT):
                continue
            if all(self._is_within(tape, run, at) for tape, run in within):
                yield at

    def points(self) -> Iterator[Ball]:
        """Yield sample points: in the variable's range, from 0 to pi/2, or on the real line."""
        bounds, within = self.equation.within, self._within()
        own = [run for side, run in bounds if side.expression == Symbol(self.variable)]
        near: Iterator[Ball] = islice(self._places(own[0] if own else None), TRIED)
        if within and self.equation.narrow:  # x = t^6 between 64 and 729
            wider = (2**at * x for at in SCALED for x in islice(self._places(None), TRIED // 2))
            near = chain(near, wider)
        for x in near:
            if all(self._is_within(tape, run, x) for tape, run in within):
                yield x

    def _places(self, variable_range: Range | None) -> Iterator[Ball]:
        if variable_range is not None:
            for at in count():  # spread over all of the range
                yield acb(_between(variable_range, (uniform(self.key, "own") + at * GOLDEN) % 1))
        elif self.equation.has_integer_variable:
            for at in count(1):
                yield acb(SPREAD * at + int(SPREAD * uniform(self.key, "whole", at)))
        elif self.equation.narrow or (self.varying and self.variable not in self.equation.problem):
            for at in count():
                yield acb(0.05 + (QUADRANT - 0.05) * uniform(self.key, "narrow", at))
        else:
            for x, _ in candidates(self.key):
                yield acb(x)

    def is_rational(self) -> bool:
        """Whether both sides are rational functions.

        If two rational functions differ at one point, they differ at almost all points. If the
        functions seem equal at another point, the precision may be too low. For example, x^{2000}
        is tiny near 0.
        """
        sides = self.equation.lhs, self.equation.rhs, *self.equation.rates.values()
        if self.varying or any(side.has(Derivative, LimitAt, Series) for side in sides):
            return False
        integrals = (
            operation
            for side in sides
            for operation in side.operations.values()
            if isinstance(operation, Integral)
        )
        trees = [side.expression for side in sides] + [
            operation.integrand for operation in integrals
        ]
        return all(map(is_rational, trees))

    def _is_within(self, tape: Tape, run: Range, x: Ball) -> bool:
        value = tape.run(x, self.values, derivative=False)[tape.root][0]
        return bool(value.is_finite() and run[0] < float(value.real.mid()) < run[1])


def _between(run: Range, u: float) -> float:
    """Map a number in (0, 1) to a number in a range."""
    lower, upper = run
    if isinf(lower) and isinf(upper):
        return tan(pi * (u - 0.5))
    if isinf(upper):
        return lower + u / (1 - u)
    return upper - u / (1 - u) if isinf(lower) else lower + (upper - lower) * u


def _tapes(side: _Compiled) -> Iterator[Tape]:
    yield side[0]
    for term in side[1]:
        yield from (term.factor, term.integrand)
