r"""Whether both sides of an equation are equal, tested with balls (numbers with error bounds).

Derivatives are compared if the equation has an indefinite integral, or if equality up to a constant
suffices: ``\int f\,dx = F + \int g\,dx`` holds if f = F' + g. Nothing is differentiated
symbolically: both sides are evaluated as jets. A jet is a value together with the derivative by the
common variable of both sides. The derivative of an integral ``\int g\,du`` is g u'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from math import ceil, isinf, pi, tan

from flint import acb

from ....numeric.ball_arithmetic.balls import Tape, UnusableError, precision
from ....numeric.ball_arithmetic.compare import compare as compare_numbers
from ....numeric.ball_arithmetic.compare import differ
from ....numeric.ball_arithmetic.compiler import compile_tape
from ....numeric.ball_arithmetic.domain import candidates, real_everywhere, uniform
from ....numeric.ball_arithmetic.jets import ONE, ZERO, Ball
from ....numeric.outcome import show
from ....numeric.sampling.pool import ASSUMPTIONS
from ....reading.expression.build import IMAGINARY
from ....reading.expression.linear import NotLinearError, linear
from ....reading.expression.traversal import all_nodes, needs_worker, symbols_of
from ....reading.expression.tree import Expression, Symbol
from ....verdict import Witness
from ...answers import require_worker
from ..extents import NotReadError
from ..operations import Derivative, Differential, Integral, LimitAt, Operation, Series, Side
from ..result import Judgement
from ..scope import Equation, Range
from ..substitution import definite_operations, free_symbols
from .factors import VaryingFactorError, without_integrals
from .kinds import is_rational
from .values import DivergentStepError, inner_operations, operand_of, value_of

#: Points on which both sides are compared, the fewest that suffice, and those that are tried.
POINTS, ENOUGH, TRIED = 5, 4, 40
#: Points at which the sides must differ, and agree nowhere, to be called different.
DIFFERING = 3
#: Precisions of the numbers that are compared.
PRECISIONS = (128, 512)
#: Work for a whole solution: slots of tapes that are evaluated, and evaluations of the integrands
#: of definite integrals (about 2 s of the hardest, and some hundred of the usual ones).
SLOTS, EVALUATED = 200_000, 40_000
#: Sizes of the values of letters that are tried: an integral to b may be real for small b only,
#: one of ``x^{-p}`` to infinity has a value for large p only.
SCALES = (1.0, 4.0, 0.25)
#: A variable that is substituted for one between far limits is looked for up to 1.5 * 2^6.
SCALED = range(1, 7)
#: The assumptions on letters that do not stand for whole numbers.
_REAL = frozenset(("positive", "negative", "real"))
#: Whole numbers at which terms are compared: one of each so many, so that no period is hit at each
#: point. No claim of 799 solutions changes with 2 or 10 (`tests/mutation/constants.py`).
SPREAD = 5
#: The end of the first quadrant, and the step of the most even sequence modulo 1.
QUADRANT, GOLDEN = 1.5, 0.6180339887


@dataclass
class Work:
    """The remaining budget for judging a solution, counted in operations instead of seconds."""

    slots: int = SLOTS
    evaluations: int = EVALUATED
    special: bool = True
    cached_values: dict[Operation, Ball | NotReadError] = field(default_factory=dict)
    improper: set[Operation] = field(default_factory=set)
    tapes: dict[tuple[Expression, str], Tape] = field(default_factory=dict)

    def spend(self, slots: int) -> None:
        self.slots -= slots
        if self.slots < 0:
            raise NotReadError("the work for one solution is spent")

    def tape(self, tree: Expression, variable: str) -> Tape:
        """Compile an expression to a tape (a list of operations). A reused tape costs as much."""
        tape = self.tapes.get((tree, variable))
        if tape is None:
            self.allow(tree)
            try:
                tape = self.tapes[tree, variable] = compile_tape(tree, variable)
            except UnusableError as error:
                raise NotReadError(str(error)) from None
        self.spend(tape.size)
        return tape

    def allow(self, tree: Expression) -> None:
        """Require a worker for slow functions. Raise an error instead if ``special`` is False."""
        if needs_worker(tree):
            if not self.special:
                raise NotReadError("a special function that takes too long")
            require_worker(True)

    def pay(self, evaluations: int) -> None:
        self.evaluations -= evaluations
        if self.evaluations < 0:
            raise NotReadError("too many definite integrals and limits")

    def value(
        self, name: str, operations: Mapping[str, Operation], values: Mapping[str, Ball]
    ) -> Ball:
        """The value of a definite integral or a limit. A value without free symbols is cached."""
        definite = operations[name]
        inner = inner_operations(operand_of(definite), operations)
        if definite in self.cached_values and not inner:
            cached = self.cached_values[definite]
            if isinstance(cached, NotReadError):
                raise cached
            return cached
        constant = not free_symbols(Side(Symbol(name), operations))
        try:
            value = value_of(name, operations, values, self.pay, self.improper)
        except NotReadError as error:
            if constant:
                self.cached_values[definite] = error
            raise
        if constant:
            self.cached_values[definite] = value
        return value


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a comparison. ``loose`` is True if the equation has undefined letters."""

    judgement: Judgement
    points: int = 0
    witness: Witness | None = None
    detail: str = ""
    loose: bool = False


@dataclass(slots=True)
class _Term:
    """A constant times an indefinite integral."""

    factor: Tape
    integrand: Tape
    variable: str


#: A side: what is without integrals, and the integrals.
_Compiled = tuple[Tape, list[_Term]]


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

    def __post_init__(self) -> None:
        equation = self.equation
        self.variable = equation.variable
        self.rates = {name: self._compiled(side) for name, side in equation.rates.items()}
        self.sides = [self._compiled(side) for side in (equation.lhs, equation.rhs)]
        self.placed = self._placeholders()
        # Both sides are written with i, and have no root or logarithm with several values.
        sides = equation.lhs.expression, equation.rhs.expression
        self.is_complex = all(IMAGINARY in all_nodes(tree) for tree in sides) and self.is_rational()
        for name in sorted(equation.free - {self.variable}):
            self.values[name] = acb(self._letter(name))

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
                    self.values[name] = self.work.value(name, side.operations, self.values)

    def divergence(self) -> Finding:
        """Judge an equation with one divergent integral.

        If the integral does not cancel, one side has no value and the other side has a value. The
        equation is then wrong. In all other cases, `NotReadError` is raised.
        """
        sides, unread = (self.equation.lhs, self.equation.rhs), "an integral that diverges"
        if self.equation.free:
            raise NotReadError(unread)
        divergent: list[str] = []
        for side in sides:
            for name, operation in side.operations.items():
                if not isinstance(operation, Integral | LimitAt | Series):
                    raise NotReadError(unread)
                try:
                    self.values[name] = self.work.value(name, side.operations, {})
                except DivergentStepError:
                    divergent.append(name)
        if len(divergent) != 1:
            raise NotReadError(unread)
        for side in sides:
            linear(side.expression, divergent)
        pairs = []
        for value in (ZERO, ONE):  # in place of the integral
            self.values[divergent[0]] = value
            pairs.append(self.at(ONE, PRECISIONS[0]))
        at_zero, at_one = pairs
        if at_zero is None or at_one is None or not all(map(acb.is_finite, at_zero + at_one)):
            raise NotReadError(unread)
        if any(differ(a, b) for a, b in zip(at_zero, at_one, strict=True)):
            return Finding(Judgement.INCORRECT, 1, detail=unread)
        raise NotReadError(unread)

    # --- at one point ---

    def at(self, x: Ball, bits: int) -> tuple[Ball, Ball] | None:
        """The values of both sides at a point, or None if a sub-expression is not real."""
        speeds: dict[str, Ball] = {}
        values = dict(self.values)
        if self.varying and self.work.evaluations < EVALUATED // 2:
            raise NotReadError("too many integrals that vary")  # the rest is for numbers
        for name, operations in self.varying:
            try:
                values[name] = self.work.value(name, operations, values | {self.variable: x})
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
        results = [self._side(side, x, bits, values, speeds, self.order) for side in self.sides]
        left_value, right_value = results
        return None if left_value is None or right_value is None else (left_value, right_value)

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

    # --- at several ---

    def points(self) -> Iterator[Ball]:
        """Yield sample points: in the variable's range, from 0 to pi/2, or on the real line."""
        tape, bounds = self.work.tape, self.equation.within
        within = [(tape(side.expression, self.variable), run) for side, run in bounds]
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


def compare(
    equation: Equation, order: int, assumptions: Mapping[str, str], key: str, work: Work
) -> Finding:
    """Compare both sides of an equation at sample points.

    Args:
        equation: both sides in one variable.
        order: 0 compares the sides, 1 compares the derivatives.
        assumptions: assumptions about parameters, as in `verify_antiderivative`.
        key: the seed of the sample points, as text.
        work: the remaining budget of the solution.

    Raises:
        NotReadError: a side has an unsupported form.

    """
    finding = Finding(Judgement.UNCHECKED)
    error: NotReadError | None = None
    for scale in SCALES if equation.free - {equation.variable} else SCALES[:1]:
        try:
            finding = _compared(Program(equation, order, assumptions, key, work, scale))
            error = None
        except VaryingFactorError as unread:
            condition = without_integrals(equation)
            finding, error = _compared(Program(condition, 0, assumptions, key, work, scale)), unread
            if finding.judgement is Judgement.INCORRECT:  # the condition is not sufficient
                return replace(finding, witness=None, detail="not equal for any constants")
        except NotLinearError as unread:
            error = NotReadError(str(unread))
        except NotReadError as unread:
            error = unread
        if finding.judgement is not Judgement.UNCHECKED or finding.points:
            break
    if error is not None:
        raise error
    return finding


def _compared(program: Program) -> Finding:
    with precision(PRECISIONS[0]):
        try:
            program.constant_values()
        except DivergentStepError:
            return program.divergence()
        # Numbers need a single comparison, functions a comparison at several points.
        moving = bool(program.varying) or any(
            tape.symbols for side in program.sides for tape in _tapes(side)
        )
        agreed, differing = 0, 0
        witness: Witness | None = None
        for x in program.points():
            same, pair = _same(program, x)
            if same is None:
                continue
            agreed += same
            differing += not same
            if not same and witness is None and pair is not None:
                witness = _witness(program, x if moving else None, pair)
            if agreed + differing == (POINTS if moving else 1):
                break
    # Functions such as x and |x| agree on a half-line only. Rational functions cannot do so.
    if differing and agreed and not program.is_rational():
        detail = "it holds on a part of the real line only"
        return Finding(Judgement.UNCHECKED, agreed, detail=detail)
    if agreed >= (ENOUGH if moving else 1) and not differing:
        return Finding(Judgement.CORRECT, agreed)
    if differing >= (1 if agreed or not moving else DIFFERING):
        return Finding(Judgement.INCORRECT, differing, witness)
    return Finding(Judgement.UNCHECKED, detail="too few points at which all of it is real")


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


def _same(program: Program, x: Ball) -> tuple[bool | None, tuple[Ball, Ball] | None]:
    """Whether both sides agree at a point, and the values of both sides. None means unknown."""
    for bits in PRECISIONS:
        with precision(bits):
            pair = program.at(x, bits)
            if pair is None:
                return None, None
            same = compare_numbers(*pair).same
            if same is not None:
                return same, pair
    return None, None


def _witness(program: Program, x: Ball | None, pair: tuple[Ball, Ball]) -> Witness:
    constants = {name: value for name, value in program.values.items() if not name.startswith("Q_")}
    values = ({} if x is None else {program.variable: x}) | constants
    point = ", ".join(f"{name}={show(ball)}" for name, ball in values.items())
    return Witness(point, expected=show(pair[0]), got=show(pair[1]))
