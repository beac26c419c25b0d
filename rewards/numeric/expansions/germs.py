"""Expands expressions in x near a point or at infinity, from one side.

`multiseries` does arithmetic, powers, exponentials and logarithms. A function that is analytic at
the limit of its argument is expanded into a Taylor series. The coefficients follow from the
formula for the function's derivative. At infinity and at poles, the formulas of `functions` apply.
If the argument of a sine tends to infinity, the argument is called an *angle*. The sine is then
bounded, and is kept as a symbol without an expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cmp_to_key
from math import factorial
from typing import Any, ClassVar

from flint import fmpq

from ...reading.expression.build import ONE, PI, TWO, add, div, mul, neg, power
from ...reading.expression.formulas import slope_of, template
from ...reading.expression.traversal import fold, substitute, symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from .functions import FORMULAS, SERIES, Expander, formula_at
from .multiseries import Scale
from .series import Germ, NotExpandedError, Series, Term, UndefinedError

#: The signs of a difference for which a comparison holds.
_COMPARISONS = {
    "lt": (-1,), "le": (-1, 0), "gt": (1,), "ge": (1, 0), "eq": (0,), "ne": (-1, 1),
}  # fmt: skip
#: The name of a variable of Taylor series.
_INNER = "u of Taylor"


@dataclass(frozen=True, slots=True)
class LimitPoint:
    """A point, and the side from which the variable tends to the point.

    Attributes:
        at: the point, or None for infinity.
        sign: 1 for a limit from above or at plus infinity, -1 for a limit from below or at minus
            infinity.

    """

    at: Expression | None
    sign: int = 1


@dataclass(slots=True)
class Angle:
    """The argument of a sine, a cosine or a floor function, if this argument tends to infinity.

    In coefficients, the symbol ``name`` stands for the angle. If ``of_floor`` is True, the function
    is a floor function, and the symbol stands for the fractional part of the argument.
    """

    germ: Germ
    name: str
    of_floor: bool = False


#: Functions that are not analytic, or that oscillate.
_RULES: dict[str, Callable[..., Germ]] = {
    "sin": lambda e, z: e.circular("sin", e.expand(z)),
    "cos": lambda e, z: e.circular("cos", e.expand(z)),
    "sgn": lambda e, z: e.rational(e.sign(e.expand(z))),
    "heaviside": lambda e, z: e.rational(int(e.sign(e.expand(z)) > 0)),
    "floor": lambda e, z: e.floor(e.expand(z)),
    "max": lambda e, *nodes: max(map(e.expand, nodes), key=cmp_to_key(e.compare)),
    "min": lambda e, *nodes: min(map(e.expand, nodes), key=cmp_to_key(e.compare)),
    "piecewise": lambda e, *nodes: e.piecewise(*nodes),
}
_FORMULAS = {
    **FORMULAS,
    "abs": "sgn(u)*u",
    "ceil": "-floor(-u)",
    # without a pole at 1, and without cancellation for u < 0
    "asin": "2*atan(u/(1 + sqrt(1 - u**2)))",
    "asinh": "sgn(u)*log(abs(u) + sqrt(u**2 + 1))",
}


@dataclass(slots=True)
class GermExpander(Scale, Expander[Germ]):
    """Expands expressions in one variable as the variable tends to one point. An expansion is
    called a germ.

    Attributes:
        constants: the object that decides about exact numbers, for example whether a number is
            zero.
        variable: the name of the variable.
        point: the limit of the variable.
        is_sequence: whether all values of the variable are integers, as in a sequence.
        fixed: values of angles, by the names of the angles. If values are given, the variable runs
            through a sequence of points on which the angles equal or approach these values.
        angle_side: 0 if the angles equal their fixed values. 1 or -1 if the angles approach their
            fixed values from above or below. In the second case, an angle and its fixed value
            differ by exp(-x^2), where x tends to infinity. Other germs in textbooks are larger.
        tables: Taylor coefficients of functions at numbers.

    """

    formulas: ClassVar = _FORMULAS
    variable: str
    point: LimitPoint
    is_sequence: bool = False
    fixed: Mapping[str, Expression] = field(default_factory=dict)
    angle_side: int = 0
    angles: list[Angle] = field(default_factory=list)
    start: Germ = field(init=False)
    expansions: dict[Expression, Germ] = field(init=False, default_factory=dict)
    tables: dict[Expression, Callable[[int], Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Scale.__post_init__(self)
        sign = self.constants.number(fmpq(self.point.sign))
        exponent = fmpq(-1 if self.point.at is None else 1)
        self.start = self.monomial(self.elements[0], exponent, sign)
        if self.point.at is not None:
            self.start = self.add(self.start, self.constants.value(self.point.at))

    # --- expressions ---

    def varies(self, node: Expression) -> bool:
        return self.variable in symbols_of(node)

    def leaf(self, node: Expression) -> Germ:
        return self.start if self.varies(node) else self.constants.value(node)

    def raised(self, a: Germ, exponent: Expression) -> Germ:
        return self.power(a, self.constants.value(exponent))

    def rational(self, p: int, q: int = 1) -> Any:
        """Make the exact number p/q."""
        return self.constants.number(fmpq(p, q))

    # --- powers ---

    def varying_power(self, base: Expression, exponent: Expression) -> Germ:
        base_germ, exponent_germ = self.expand(base), self.expand(exponent)
        if not isinstance(exponent_germ, Series):
            return self.power(base_germ, exponent_germ)
        if self.is_sequence and not isinstance(base_germ, Series) and self.sign(base_germ) < 0:
            # (-2)^n = 2^n cos(pi n)
            turn = self.circular("cos", self.mul(self.constants.value(PI), exponent_germ))
            return self.mul(turn, Expander.varying_power(self, neg(base), exponent))
        if self.normal(base_germ) is self.zero:
            if self.sign(exponent_germ) > 0:
                return self.zero
            raise UndefinedError("a power of zero")
        return Expander.varying_power(self, base, exponent)

    # --- sines and cosines ---

    def circular(self, name: str, germ: Germ) -> Germ:
        """Expand the sine or the cosine of an expanded argument."""
        infinite, limit, small = self.parts(germ)
        values = [self.constants.apply(f, limit) for f in ("sin", "cos")]
        if infinite is not self.zero:
            # sin(A + c + h) = sin(A + c) cos(h) + cos(A + c) sin(h)
            angle = self._angle(infinite)
            if angle[1].name in self.fixed:
                small = self.add(small, self.mul(self.constants.number(angle[0]), self._nearness()))
            sine, cosine = (self._of_angle(f, angle) for f in ("sin", "cos"))
            values = [sine * values[1] + cosine * values[0], cosine * values[1] - sine * values[0]]
        cycle = [values[0], values[1], -values[0], -values[1]]
        shift = name == "cos"
        return self.compose(
            lambda j: cycle[(j + shift) % 4] * self.rational(1, factorial(j)),
            small,
            (name, *map(self.constants.tree, values)),
        )

    def _angle(self, germ: Germ) -> tuple[Any, Angle]:
        """Write the argument of a sine or cosine as a rational number times an angle.

        If no known angle fits, a new `Angle` is made.
        """
        if self.is_sequence:
            turns = self.multiple(germ, self.mul(self.constants.value(PI), self.start))
            if turns is not None and turns.q == 1:
                return turns, Angle(germ, "@n")
        for angle in self.angles:
            ratio = None if angle.of_floor else self.multiple(germ, angle.germ)
            if ratio is not None:
                return ratio, angle
        return fmpq(1), self._new_angle(germ)

    def multiple(self, germ: Germ, unit: Germ) -> fmpq | None:
        """Return q if an expansion is a rational number q times another expansion, else None."""
        a, b = map(self.normal, (germ, unit))
        if self.ratio(a, b):
            return None
        ratio = self.constants.rational(self.leading(a)[1] / self.leading(b)[1])
        if ratio is None:
            return None
        difference = self.add(germ, self.mul(self.constants.number(-ratio), unit))
        return ratio if self.normal(difference) is self.zero else None

    def _nearness(self) -> Germ:
        """The expansion of an `Angle` minus its fixed value (see ``angle_side``)."""
        if not self.angle_side:
            return self.zero
        x = Symbol(self.variable)
        distance = x if self.point.at is None else div(ONE, add(x, neg(self.point.at)))
        return self.mul(
            self.rational(self.angle_side), self.expand(Call("exp", (neg(power(distance, TWO)),)))
        )

    def _new_angle(self, germ: Germ, *, of_floor: bool = False) -> Angle:
        angle = Angle(germ, f"@{'floor' if of_floor else 'angle'}{len(self.angles)}", of_floor)
        self.angles.append(angle)
        return angle

    def _of_angle(self, name: str, multiple: tuple[Any, Angle]) -> Any:
        ratio, angle = multiple
        if angle.name == "@n":
            # sin(pi n) = 0, cos(pi n) = (-1)^n
            if name == "sin" or ratio.p % 2 == 0:
                return self.rational(int(name == "cos"))
            if all(other_angle.name != "@n" for other_angle in self.angles):
                self.angles.append(angle)
            return self.constants.value(Call("cos", (self.fixed.get("@n", Symbol("@n")),)))
        symbol = self.fixed.get(angle.name, Symbol(angle.name))
        return self.constants.value(Call(name, (mul(Number(int(ratio.p), int(ratio.q)), symbol),)))

    # --- functions that are not analytic ---

    def floor(self, germ: Germ) -> Germ:
        """Expand the floor of an expanded argument."""
        if self.size(self.normal(germ)) > 0:
            return self.add(germ, self.neg(self._share(*self._floor_angle(germ))))
        limit = self.limit(germ)[1]
        integer = self.constants.apply("floor", limit)
        if not self.constants.is_zero(limit - integer):
            return integer
        return integer + self.rational(-int(self.sign(self.add(germ, -limit)) < 0))

    def _floor_angle(self, germ: Germ) -> tuple[Angle, Any]:
        """Write an expansion as an `Angle` plus a number. If no angle fits, make a new one."""
        for angle in self.angles:
            if angle.of_floor:
                difference = self.add(germ, self.neg(angle.germ))
                sign, offset = self.limit(difference)
                beyond = self.add(difference, -offset)
                if not sign and self.normal(beyond) is self.zero:
                    return angle, offset
        return self._new_angle(germ, of_floor=True), self.zero

    def _share(self, angle: Angle, offset: Any) -> Germ:
        """Expand the fractional part of an `Angle` plus a number."""
        value = self.fixed.get(angle.name)
        if value is not None:
            total = self.constants.value(value) + offset
            integer = self.constants.apply("floor", total)
            from_below = self.angle_side < 0 and self.constants.is_zero(total - integer)
            return self.add(total + -integer, self.rational(int(from_below)), self._nearness())
        if offset is not self.zero:
            raise NotExpandedError("two floors that are not fixed")
        return self.constants.value(Symbol(angle.name))

    def compare(self, a: Germ, b: Germ) -> int:
        """The sign of the difference of two expansions near the point."""
        return self.sign(self.add(a, self.neg(b)))

    def piecewise(self, *nodes: Expression) -> Germ:
        """Expand a piecewise function: the first value whose condition holds near the point."""
        for value, condition in zip(nodes[::2], nodes[1::2], strict=False):
            if self._holds(condition):
                return self.expand(value)
        if len(nodes) % 2 == 0:
            raise UndefinedError("no case holds")
        return self.expand(nodes[-1])

    def _holds(self, condition: Expression) -> bool:
        if condition.function in ("and", "or"):
            joined = all if condition.function == "and" else any
            return joined(map(self._holds, condition.args))
        if condition.function not in _COMPARISONS:
            raise NotExpandedError("a condition")
        a, b = map(self.expand, condition.args)
        return self.compare(a, b) in _COMPARISONS[condition.function]

    # --- inverse functions and special functions ---

    def function(self, node: Call) -> Germ:
        """Expand a function for which there is no formula. Exactly one argument varies, unless the
        function has a rule.
        """
        rule = _RULES.get(node.function)
        if rule is not None:
            return rule(self, *node.args)
        if node.function in SERIES:
            *orders, argument = node.args
            power_ = substitute(template(SERIES[node.function].power), "u", argument)
            return self.series(
                node.function, self.expand(power_), *(int(fold(order) or 0) for order in orders)
            )
        # At infinity and at poles, a formula; elsewhere, the Taylor series at the argument's limit.
        varying = [at for at, arg in enumerate(node.args) if self.varies(arg)]
        if len(varying) != 1:
            raise NotExpandedError(f"{node.function} of several functions")
        at = varying[0]
        germ = self.expand(node.args[at])
        sign, limit = self.limit(germ)
        ratio = None if sign else self.constants.rational(limit)
        integer = int(ratio.p) if ratio is not None and ratio.q == 1 else None
        formula = formula_at(node, sign, integer)
        if formula is not None:
            return self.expand(formula)
        if sign:
            raise NotExpandedError(f"{node.function} at {'minus ' * (sign < 0)}infinity")
        tree = self.constants.tree(limit)
        inner, applied = (
            Call(node.function, (*node.args[:at], argument, *node.args[at + 1 :]))
            for argument in (Symbol(_INNER), tree)
        )
        if applied not in self.tables:
            self.tables[applied] = self._taylor(inner, applied, limit)
        return self.compose(self.tables[applied], self.add(germ, -limit), (inner, tree))

    def _taylor(self, call: Call, applied: Call, limit: Any) -> Callable[[int], Any]:
        """The Taylor coefficients of a function at a number.

        Args:
            call: the function of the symbol `_INNER`.
            applied: the function of the number.
            limit: the number.

        Raises:
            NotExpandedError: the function is not known to be analytic at the number.

        """
        slope = slope_of(call)
        if slope is None or call.args[slope[0]] != Symbol(_INNER):
            raise NotExpandedError(f"{call.function} has no derivative")
        constant_term = self.constants.apply(
            call.function, *map(self.constants.value, applied.args)
        )

        point = LimitPoint(self.constants.tree(limit))
        inner = GermExpander(self.constants, _INNER, point, tables=self.tables)

        @cache
        def coefficient(j: int) -> Any:
            if j == 0:
                return constant_term
            # expanded when the table is in place: a derivative may contain the function
            return inner.coefficient(inner.expand(slope[1]), j - 1) * self.rational(1, j)

        return coefficient

    @staticmethod
    def terms(germ: Germ) -> Iterable[Term]:
        """The terms of an expansion. A number is a single term."""
        return germ.behind(0) if isinstance(germ, Series) else [(fmpq(0), germ)]

    def coefficient(self, germ: Germ, j: int) -> Any:
        """The coefficient of t^j in an expansion (germ) that is a power series in t.

        Raises:
            NotExpandedError: the germ has other powers or scales.

        """
        for exponent, value in self.terms(germ):
            if isinstance(value, Series) or exponent < 0 or exponent.q != 1:
                raise NotExpandedError("no power series")
            if exponent >= j:
                return value if exponent == j else self.zero
        return self.zero
