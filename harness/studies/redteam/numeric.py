"""Checks of labels without the verifier, in mpmath at two precisions.

The derivative of an answer is compared with the integrand. If the formulas contain a large number
n, the points include 1/n, 1 + 1/n and points near n. Derivatives are formed by the rules of
differentiation (`rewards.reading.expression.derivative`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import isqrt
from typing import Any, TypeAlias

import mpmath

from ....rewards.reading.expression.derivative import differentiate
from ....rewards.reading.expression.traversal import nodes_of, symbols_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol

Value: TypeAlias = Any  # mpf or mpc
Point: TypeAlias = Mapping[str, Fraction]

#: The largest number of bits of an exponent whose value is computed.
_HUGE = 200
#: Bits by which the parts of a complex number may differ in size. mpmath's logarithm adds their
#: squares, and needs memory of that size: 1 + i e^{-10^9} has 10^9 bits.
_APART = 2**16
_CONSTANTS: dict[str, Callable[[], Value]] = {
    "pi": lambda: +mpmath.pi,
    "e": lambda: +mpmath.e,
    "i": lambda: mpmath.mpc(0, 1),
}
#: Functions with the same name in mpmath.
_SAME = frozenset(
    "sin cos tan cot sec csc asin acos atan sinh cosh tanh coth sech csch asinh acosh atanh "
    "sqrt exp ln erf erfc erfi".split()
)
_WITH_POLES = frozenset(("tan", "cot", "sec", "csc"))
_USUAL = tuple(Fraction(n, 97) for n in (31, -47, 83, 141, -160, 262, -355, 5, 701, -12))
_PARAMETERS = (Fraction(137, 60), Fraction(5, 7), Fraction(71, 8))
_INTEGERS = (Fraction(3), Fraction(8), Fraction(14))


class NoValueError(ArithmeticError):
    """A formula has no reliable value at a point."""


def value(tree: Expression, point: Point, computed: dict[int, Value] | None = None) -> Value:
    """The value of a formula at a point. mpmath's current precision is used.

    Args:
        tree: the formula.
        point: the values of the symbols.
        computed: a cache of the values of nodes, shared by the formulas of a case.

    Raises:
        NoValueError: the value is undefined or too large, or this module cannot evaluate a
            function.

    """
    computed = {} if computed is None else computed
    result = computed.get(id(tree))
    if result is None:
        result = computed[id(tree)] = _value(tree, point, computed)
    return result


def _value(tree: Expression, point: Point, computed: dict[int, Value]) -> Value:
    if isinstance(tree, Number):
        return mpmath.mpf(tree.numerator) / tree.denominator
    if isinstance(tree, Symbol):
        number = point[tree.name]
        return mpmath.mpf(number.numerator) / number.denominator
    if tree.function in _CONSTANTS:
        return _CONSTANTS[tree.function]()
    args = [value(arg, point, computed) for arg in tree.args]
    try:
        result = _apply(tree.function, args)
    except (ZeroDivisionError, OverflowError, ValueError, mpmath.libmp.NoConvergence) as error:
        raise NoValueError(str(error)) from None
    if not mpmath.isfinite(result):
        raise NoValueError("infinite")  # 1/artanh(1) would be 0
    components = mpmath.re(result), mpmath.im(result)
    if all(components) and abs(mpmath.mag(components[0]) - mpmath.mag(components[1])) > _APART:
        raise NoValueError("parts of different sizes")
    return result


def _apply(name: str, args: list[Value]) -> Value:
    if name == "add":
        return mpmath.fsum(args)
    if name == "mul":
        return mpmath.fprod(args)
    if name == "neg":
        return -args[0]
    if name == "div":
        return args[0] / args[1]
    if name == "pow":
        if args[0] and mpmath.mag(args[1] * mpmath.log(args[0])) > _HUGE:
            raise NoValueError("too large")
        return mpmath.power(*args)
    if name in ("abs", "sgn"):
        if mpmath.im(args[0]) != 0:
            raise NoValueError(f"{name} of a complex number")
        return mpmath.fabs(args[0]) if name == "abs" else mpmath.sign(args[0])
    if name not in _SAME:
        raise NoValueError(f"no value for {name}")
    if name not in ("ln", "sqrt", "atan", "asinh") and args[0] and mpmath.mag(args[0]) > _HUGE:
        raise NoValueError("too large")
    result = getattr(mpmath, name)(args[0])
    if name in _WITH_POLES and result and mpmath.mag(result) > mpmath.mp.prec // 2:
        raise NoValueError("a pole")  # tan(asin(1)) is large only for want of digits
    return result


def points(*trees: Expression, assumptions: Mapping[str, str]) -> Iterator[dict[str, Fraction]]:
    """Yield the points at which formulas are compared.

    The first points and the last points are always the same. The points between them depend on the
    largest numbers n in the formulas. Some of them are near n, 2n and -n. The others are close to 0
    or 1, for example at a distance of 1/n.
    """
    sizes = {size for tree in trees for node in nodes_of(tree) for size in _sizes(node)}
    abscissas: list[Fraction] = []
    # Large numbers in a formula make features near 1/n, 1 and n, which the usual points miss.
    for n in sorted((n for n in sizes if 10 <= n < 10**40), reverse=True)[:4]:
        for small in (Fraction(1, n), Fraction(1, 3 * n), Fraction(1, 2 * isqrt(n))):
            abscissas += [small, -small, 1 + small, 1 - small]
        abscissas += [Fraction(n) + Fraction(1, 7), 2 * Fraction(n) + Fraction(1, 7), Fraction(-n)]
    names = sorted(set().union(*map(symbols_of, trees)) - {"x"})
    for draw, abscissa in enumerate([*_USUAL[:3], *abscissas, *_USUAL[3:]]):
        parameters = {}
        for shift, name in enumerate(names):
            values = _INTEGERS if assumptions.get(name) == "integer" else _PARAMETERS
            parameters[name] = values[(draw + shift) % len(values)]
        yield {"x": abscissa, **parameters}


def _sizes(node: Expression) -> tuple[int, ...]:
    """The sizes of the numbers in a node.

    The sizes of a number are its numerator and its denominator. The size of a power of numbers is
    its value. Other nodes have no size.
    """
    if isinstance(node, Number):
        return abs(node.numerator), node.denominator
    if isinstance(node, Call) and node.function == "pow":
        base, exponent = node.args
        if isinstance(base, Number) and isinstance(exponent, Number | Call):
            inner = exponent.args[0] if isinstance(exponent, Call) and exponent.args else exponent
            if isinstance(inner, Number) and inner.denominator == 1 and inner.numerator < 40:
                return (abs(base.numerator) ** abs(inner.numerator),)
    return ()


def _gap(trees: tuple[Expression, ...], point: Point, digits: int) -> tuple[Value, Value]:
    """Compute F' - f and f at a point where the integrand f is real. ``trees`` has f, F' and F."""
    integrand, slope, answer = trees
    with mpmath.workdps(digits):
        computed: dict[int, Value] = {}
        expected = value(integrand, point, computed)
        value(answer, point, computed)  # raises unless the answer has a value, too
        if mpmath.im(expected) != 0:
            raise NoValueError("the integrand is not real here")
        return value(slope, point, computed) - expected, expected


def refuted(
    integrand: Expression,
    answer: Expression,
    assumptions: Mapping[str, str] | None = None,
    ladder: tuple[int, ...] = (40, 250),
) -> bool:
    """Whether the answer's derivative F' differs from the integrand f at some point.

    Only points with a real value of f are compared. For each d in ``ladder``, F' - f is computed
    with d and with 2d digits. Both results must agree, because a rounding error would differ
    between them.
    """
    try:
        trees = (integrand, differentiate(answer), answer)
    except ValueError:
        return False
    # Few digits first: most differences are large. A small difference must stay the same with twice
    # the digits.
    for digits in ladder:
        for point in points(integrand, answer, assumptions=assumptions or {}):
            try:
                gap, expected = _gap(trees, point, digits)
                if abs(gap) <= abs(expected) * mpmath.mpf(10) ** (-digits // 2) or not gap:
                    continue
                again, _ = _gap(trees, point, 2 * digits)
            except NoValueError:
                continue
            if abs(again - gap) < abs(gap) / 1000:
                return True
    return False


def on_another_branch(integrand: Expression, answer: Expression) -> bool:
    """Whether F' = f at some points and F' = -f at all other points, for an answer F.

    For example, this is true of F = x and the integrand f = ``x/sqrt(x^2)``. The verifier's rule on
    branches accepts such answers.
    """
    trees, signs = (integrand, differentiate(answer), answer), set()
    for point in points(integrand, answer, assumptions={}):
        try:
            gap, expected = _gap(trees, point, 40)
        except NoValueError:
            continue
        if expected:
            sign = 1 + gap / expected
            if not mpmath.almosteq(abs(sign), 1, rel_eps=1e-20):
                return False
            signs.add(int(mpmath.nint(mpmath.re(sign))))
    return len(signs) == 2


def _is_steady(tree: Expression, point: Point) -> bool:
    """Whether the value of a formula at a point is the same at 600 and at 1200 digits.

    For example, ``ln(cos(asin(1)))`` has two different computed values. The exact value of
    cos(asin(1)) is 0. Its computed value is a rounding error, which depends on the number of
    digits.
    """
    values = []
    for digits in (600, 1200):
        with mpmath.workdps(digits):
            values.append(value(tree, point))
    return bool(mpmath.almosteq(*values, rel_eps=mpmath.mpf(10) ** -100))


def confirmed(
    integrand: Expression, answer: Expression, assumptions: Mapping[str, str] | None = None
) -> bool:
    """Whether the answer's derivative is equal to the integrand to 300 digits.

    The two must agree at six or more points, and differ at no point.
    """
    try:
        trees = (integrand, differentiate(answer), answer)
    except ValueError:
        return False
    agreed = 0
    for point in points(integrand, answer, assumptions=assumptions or {}):
        try:
            gap, expected = _gap(trees, point, 600)
            # Cancellation may exceed the digits: the first point must have a value that more digits
            # leave unchanged.
            if not agreed and not _is_steady(answer, point):
                continue
        except NoValueError:
            continue
        if abs(gap) > abs(expected) * mpmath.mpf(10) ** -300:
            return False
        agreed += 1
    return agreed >= 6
