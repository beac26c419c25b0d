"""Expands expressions in x near a point or at infinity, from one side.

`multiseries` does arithmetic, powers, exponentials and logarithms. A function that is analytic at
the limit of its argument is expanded into a Taylor series. The coefficients follow from the
formula for the function's derivative. At infinity and at poles, the formulas of `functions` apply.
If the argument of a sine tends to infinity, the argument is called an *angle*. The sine is then
bounded, and is kept as a symbol without an expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import factorial
from typing import Any

from flint import fmpq

from ...reading.expression.build import ONE, PI, TWO, add, div, mul, neg, power
from ...reading.expression.formulas import definition_of, filled, slope_of, template
from ...reading.expression.traversal import fold, substitute, symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from .functions import FORMULAS, SERIES, formula_at
from .multiseries import Scale
from .series import Constants, Germ, NotExpandedError, Series, UndefinedError

#: Functions with a definition that is not used.
KEPT = frozenset(("erfc",))
#: Formulas that hold for all arguments. The formula for asin has no pole at 1.
_REDUCED = {**FORMULAS, "asin": "2*atan(u/(1 + sqrt(1 - u**2)))"}
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


@dataclass(slots=True)
class GermExpander:
    """Expands expressions in one variable as the variable tends to one point. An expansion is
    called a germ.

    Attributes:
        constants: the object that decides about exact numbers, for example whether a number is
            zero.
        variable: the name of the variable.
        point: the limit of the variable.
        whole: whether the variable takes whole values only.
        fixed: values of angles, by the names of the angles. If values are given, the variable runs
            through a sequence of points on which the angles equal or approach these values.
        beside: 0 if the angles equal their fixed values. 1 or -1 if the angles approach their fixed
            values from above or below. In the second case, an angle and its fixed value differ by
            exp(-x^2), where x tends to infinity. Other germs in textbooks are larger.
        tables: Taylor coefficients of functions at numbers.

    """

    constants: Constants
    variable: str
    point: LimitPoint
    whole: bool = False
    fixed: Mapping[str, Expression] = field(default_factory=dict)
    beside: int = 0
    angles: list[Angle] = field(default_factory=list)
    scale: Scale = field(init=False)
    start: Germ = field(init=False)
    forms: dict[Expression, Germ] = field(default_factory=dict)
    tables: dict[Expression, Callable[[int], Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scale = Scale(self.constants)
        sign = self.constants.number(fmpq(self.point.sign))
        exponent = fmpq(-1 if self.point.at is None else 1)
        self.start = self.scale.monomial(self.scale.elements[0], exponent, sign)
        if self.point.at is not None:
            self.start = self.scale.add(self.start, self.constants.value(self.point.at))

    # --- expressions ---

    def germ(self, node: Expression) -> Germ:
        """The expansion of an expression.

        Raises:
            UndefinedError: the expression has no real values near the point.
            NotExpandedError: no expansion was found.

        """
        expansion = self.forms.get(node)
        if expansion is None:
            expansion = self.forms[node] = self._germ(node)
        return expansion

    def _germ(self, node: Expression) -> Germ:
        if isinstance(node, Symbol) and node.name == self.variable:
            return self.start
        if not isinstance(node, Call) or self.variable not in symbols_of(node):
            return self.constants.value(node)
        rule = _RULES.get(node.function)
        if rule is not None:
            return rule(self, *node.args)
        if node.function in SERIES:
            return self._power_series(node)
        formula = filled(_REDUCED.get(node.function, ""), node)
        if formula is None and node.function not in KEPT:
            formula = definition_of(node)
        return self.function(node) if formula is None else self.germ(formula)

    def _power_series(self, node: Call) -> Germ:
        """Expand a power series of the formulas in `functions`."""
        *orders, argument = node.args
        series, numbers = SERIES[node.function], [int(fold(order) or 0) for order in orders]
        power_ = self.germ(substitute(template(series.power), "u", argument))
        return self.scale.compose(
            lambda j: self.constants.number(series.coefficient(j, *numbers)),
            power_,
            (node.function, *numbers),
        )

    def rational(self, p: int, q: int = 1) -> Any:
        """Make the exact number p/q."""
        return self.constants.number(fmpq(p, q))

    def limit(self, germ: Germ) -> tuple[int, Any]:
        """The limit of an expansion (a germ), as two numbers.

        For a finite limit, they are 0 and the limit. For plus or minus infinity, they are 1 or -1
        and the coefficient of the leading term.
        """
        germ = self.scale.normal(germ)
        size = self.scale.size(germ)
        if size < 0:
            return 0, self.scale.zero
        coefficient = self.scale.leading(germ)[1]
        return (0, coefficient) if size == 0 else (self.constants.sign(coefficient), coefficient)

    def sign(self, germ: Germ) -> int:
        """The sign (1, 0 or -1) of an expansion near the point."""
        germ = self.scale.normal(germ)
        if germ is self.scale.zero:
            return 0
        return self.constants.sign(self.scale.leading(germ)[1])

    # --- powers ---

    def pow(self, base: Expression, exponent: Expression) -> Germ:
        """Expand ``base`` to the power ``exponent``."""
        if self.variable not in symbols_of(exponent):
            return self.scale.power(self.germ(base), self.constants.value(exponent))
        base_germ = self.germ(base)
        exponent_germ = self.germ(exponent)
        if self.whole and not isinstance(base_germ, Series) and self.sign(base_germ) < 0:
            # (-2)^n = 2^n cos(pi n)
            turn = self.circular("cos", self.scale.mul(self.constants.value(PI), exponent_germ))
            size = self.scale.ln(self.scale.neg(base_germ))
            return self.scale.mul(turn, self.scale.exp(self.scale.mul(exponent_germ, size)))
        if self.scale.normal(base_germ) is self.scale.zero:
            if self.sign(exponent_germ) > 0:
                return self.scale.zero
            raise UndefinedError("a power of zero")
        return self.scale.exp(self.scale.mul(exponent_germ, self.scale.ln(base_germ)))

    # --- sines and cosines ---

    def circular(self, name: str, germ: Germ) -> Germ:
        """Expand the sine or the cosine of an expanded argument."""
        infinite, finite = self.scale.split(germ)
        sign, limit = self.limit(finite)
        assert not sign
        small = self.scale.add(finite, -limit)
        values = [self.constants.apply(f, limit) for f in ("sin", "cos")]
        if infinite is not self.scale.zero:
            # sin(A + c + h) = sin(A + c) cos(h) + cos(A + c) sin(h)
            angle = self._angle(infinite)
            if angle[1].name in self.fixed:
                small = self.scale.add(
                    small, self.scale.mul(self.constants.number(angle[0]), self._nearness())
                )
            sine, cosine = (self._of_angle(f, angle) for f in ("sin", "cos"))
            values = [sine * values[1] + cosine * values[0], cosine * values[1] - sine * values[0]]
        cycle = [values[0], values[1], -values[0], -values[1]]
        shift = name == "cos"
        return self.scale.compose(
            lambda j: cycle[(j + shift) % 4] * self.rational(1, factorial(j)),
            small,
            (name, *map(self.constants.tree, values)),
        )

    def _angle(self, germ: Germ) -> tuple[Any, Angle]:
        """Write the argument of a sine or cosine as a rational number times an angle.

        If no known angle fits, a new `Angle` is made.
        """
        if self.whole:
            turns = self._multiple(germ, self.scale.mul(self.constants.value(PI), self.start))
            if turns is not None and turns.q == 1:
                return turns, Angle(germ, "@n")
        for angle in self.angles:
            ratio = None if angle.of_floor else self._multiple(germ, angle.germ)
            if ratio is not None:
                return ratio, angle
        return fmpq(1), self._new_angle(germ)

    def _multiple(self, germ: Germ, unit: Germ) -> fmpq | None:
        """Return q if an expansion is a rational number q times another expansion, else None."""
        a, b = map(self.scale.normal, (germ, unit))
        if self.scale.ratio(a, b):
            return None
        ratio = self.constants.rational(self.scale.leading(a)[1] / self.scale.leading(b)[1])
        if ratio is None:
            return None
        difference = self.scale.add(germ, self.scale.mul(self.constants.number(-ratio), unit))
        return ratio if self.scale.normal(difference) is self.scale.zero else None

    def _nearness(self) -> Germ:
        """The expansion of an `Angle` minus its fixed value (see ``beside``)."""
        if not self.beside:
            return self.scale.zero
        x = Symbol(self.variable)
        distance = x if self.point.at is None else div(ONE, add(x, neg(self.point.at)))
        return self.scale.mul(
            self.rational(self.beside), self.germ(Call("exp", (neg(power(distance, TWO)),)))
        )

    def _new_angle(self, germ: Germ, *, of_floor: bool = False) -> Angle:
        angle = Angle(germ, f"@{'floor' if of_floor else 'angle'}{len(self.angles)}", of_floor)
        self.angles.append(angle)
        return angle

    def multiple_of_variable(self, germ: Germ) -> fmpq | None:
        """Return q if an expansion is a rational number q times the variable, else None."""
        return self._multiple(germ, self.start)

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

    def floor(self, node: Expression, upwards: bool = False) -> Germ:
        """Expand the floor of an expression, or its ceiling if ``upwards`` is True."""
        germ = self.germ(node)
        if self.scale.size(self.scale.normal(germ)) > 0:
            angle, offset = self._floor_angle(germ)
            share = self._share(angle, offset)
            return self.scale.add(germ, self.scale.neg(share), self.rational(int(upwards)))
        limit = self.limit(germ)[1]
        integer = self.constants.apply("floor", limit)
        if not self.constants.is_zero(limit - integer):
            return integer + self.rational(1) if upwards else integer
        side = self.sign(self.scale.add(germ, -limit))
        return integer + self.rational(int(side > 0) if upwards else -int(side < 0))

    def _floor_angle(self, germ: Germ) -> tuple[Angle, Any]:
        """Write an expansion as an `Angle` plus a number. If no angle fits, make a new one."""
        for angle in self.angles:
            if angle.of_floor:
                difference = self.scale.add(germ, self.scale.neg(angle.germ))
                sign, offset = self.limit(difference)
                beyond = self.scale.add(difference, -offset)
                if not sign and self.scale.normal(beyond) is self.scale.zero:
                    return angle, offset
        return self._new_angle(germ, of_floor=True), self.scale.zero

    def _share(self, angle: Angle, offset: Any) -> Germ:
        """Expand the fractional part of an `Angle` plus a number."""
        value = self.fixed.get(angle.name)
        if value is not None:
            total = self.constants.value(value) + offset
            whole = self.constants.apply("floor", total)
            below = self.beside < 0 and self.constants.is_zero(total - whole)
            return self.scale.add(total + -whole, self.rational(int(below)), self._nearness())
        if offset is not self.scale.zero:
            raise NotExpandedError("two floors that are not fixed")
        return self.constants.value(Symbol(angle.name))

    def extreme(self, *nodes: Expression, sign: int) -> Germ:
        """Expand the largest of several expressions (the smallest if ``sign`` is -1)."""
        best = self.germ(nodes[0])
        for node in nodes[1:]:
            germ = self.germ(node)
            if self.sign(self.scale.add(germ, self.scale.neg(best))) == sign:
                best = germ
        return best

    def piecewise(self, *nodes: Expression) -> Germ:
        """Expand a piecewise function: the first value whose condition holds near the point."""
        for value, condition in zip(nodes[::2], nodes[1::2], strict=False):
            if self._holds(condition):
                return self.germ(value)
        if len(nodes) % 2 == 0:
            raise UndefinedError("no case holds")
        return self.germ(nodes[-1])

    def _holds(self, condition: Expression) -> bool:
        if condition.function in ("and", "or"):
            joined = all if condition.function == "and" else any
            return joined(map(self._holds, condition.args))
        if condition.function not in _COMPARISONS:
            raise NotExpandedError("a condition")
        a, b = map(self.germ, condition.args)
        return self.sign(self.scale.add(a, self.scale.neg(b))) in _COMPARISONS[condition.function]

    # --- inverse functions and special functions ---

    def function(self, node: Call) -> Germ:
        """Expand a function call in which exactly one argument varies."""
        varying = [at for at, arg in enumerate(node.args) if self.variable in symbols_of(arg)]
        if len(varying) != 1:
            raise NotExpandedError(f"{node.function} of several functions")
        argument = node.args[varying[0]]
        germ = self.germ(argument)
        sign, limit = self.limit(germ)
        ratio = None if sign else self.constants.rational(limit)
        whole = int(ratio.p) if ratio is not None and ratio.q == 1 else None
        formula = formula_at(node, sign, whole)
        if formula is not None:
            return self.germ(formula)
        if sign:
            raise NotExpandedError(f"{node.function} at {'minus ' * (sign < 0)}infinity")
        inner = Call(
            node.function,
            tuple(Symbol(_INNER) if at == varying[0] else arg for at, arg in enumerate(node.args)),
        )
        return self.scale.compose(
            self._taylor(inner, limit),
            self.scale.add(germ, -limit),
            (inner, self.constants.tree(limit)),
        )

    def _taylor(self, call: Call, limit: Any) -> Callable[[int], Any]:
        """The Taylor coefficients of a function at a number. In ``call``, the symbol `_INNER` is
        the variable.

        Raises:
            NotExpandedError: the function is not known to be analytic at the number.

        """
        tree = self.constants.tree(limit)
        at = call.args.index(Symbol(_INNER))
        applied = Call(call.function, (*call.args[:at], tree, *call.args[at + 1 :]))
        coefficients = self.tables.get(applied)
        if coefficients is None:
            # in place before it is computed: the derivative of a function may contain the function
            self.tables[applied] = coefficients = self._coefficients(call, applied, limit)
        return coefficients

    def _coefficients(self, call: Call, applied: Call, limit: Any) -> Callable[[int], Any]:
        if call.function == "lambertw" and limit is self.scale.zero and len(call.args) == 1:
            return lambda j: self.rational((-j) ** (j - 1), factorial(j)) if j else limit
        slope = slope_of(call)
        if slope is None or call.args[slope[0]] != Symbol(_INNER):
            raise NotExpandedError(f"{call.function} has no derivative")
        constant_term = self.constants.apply(
            call.function, *map(self.constants.value, applied.args)
        )

        @cache
        def derivative() -> tuple[GermExpander, Germ]:
            tree = self.constants.tree(limit)
            inner = GermExpander(self.constants, _INNER, LimitPoint(tree), tables=self.tables)
            return inner, inner.germ(slope[1])

        @cache
        def coefficient(j: int) -> Any:
            if j == 0:
                return constant_term
            inner, germ = derivative()
            return inner.coefficient(germ, j - 1) * self.rational(1, j)

        return coefficient

    def coefficient(self, germ: Germ, j: int) -> Any:
        """The coefficient of t^j in an expansion (germ) that is a power series in t.

        Raises:
            NotExpandedError: the germ has other powers or scales.

        """
        if not isinstance(germ, Series):
            return germ if j == 0 else self.scale.zero
        for exponent, value in germ.behind(0):
            if isinstance(value, Series) or exponent < 0 or exponent.q != 1:
                raise NotExpandedError("no power series")
            if exponent >= j:
                return value if exponent == j else self.scale.zero
        return self.scale.zero


def _asinh(e: GermExpander, z: Expression) -> Germ:
    # ln(z + sqrt(z^2 + 1)) cancels for z < 0
    if e.sign(e.germ(z)) < 0:
        return e.scale.neg(e.germ(Call("asinh", (neg(z),))))
    formula = filled(FORMULAS["asinh"], Call("asinh", (z,)))
    assert formula is not None
    return e.germ(formula)


def _absolute(e: GermExpander, z: Expression) -> Germ:
    germ = e.germ(z)
    return e.scale.neg(germ) if e.sign(germ) < 0 else germ


_RULES: dict[str, Callable[..., Germ]] = {
    "add": lambda e, *terms: e.scale.add(*map(e.germ, terms)),
    "mul": lambda e, *factors: e.scale.mul(*map(e.germ, factors)),
    "neg": lambda e, z: e.scale.neg(e.germ(z)),
    "div": lambda e, z, w: e.scale.mul(e.germ(z), e.scale.inverse(e.germ(w))),
    "pow": lambda e, z, w: e.pow(z, w),
    "exp": lambda e, z: e.scale.exp(e.germ(z)),
    "ln": lambda e, z: e.scale.ln(e.germ(z)),
    "sin": lambda e, z: e.circular("sin", e.germ(z)),
    "cos": lambda e, z: e.circular("cos", e.germ(z)),
    "asinh": _asinh,
    "abs": _absolute,
    "sgn": lambda e, z: e.rational(e.sign(e.germ(z))),
    "heaviside": lambda e, z: e.rational(int(e.sign(e.germ(z)) > 0)),
    "floor": lambda e, z: e.floor(z),
    "ceil": lambda e, z: e.floor(z, upwards=True),
    "max": lambda e, *nodes: e.extreme(*nodes, sign=1),
    "min": lambda e, *nodes: e.extreme(*nodes, sign=-1),
    "piecewise": lambda e, *nodes: e.piecewise(*nodes),
}
