r"""Derivatives of inverse functions at a value: (f^{-1})'(a) = 1/f'(b) with f(b) = a."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Final

from ..errors import ProblemError
from ..numeric.expansions.series import NotExpandedError, UndefinedError
from ..reading.expression.build import ONE, ZERO, div, mul, neg, number
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import fold, substitute, symbols_of
from ..reading.expression.tree import Call, Expression, Symbol
from ..reading.latex import ReadError, read
from ..reading.latex.tokens.roles import IN_PROBLEM
from ..reading.problem.derivative import read_derivative
from ..reading.problem.derivatives import POWER_MINUS_ONE, normal
from .limits import are_equal

#: (f^{-1})'(a), alone in its formula, or at the end of a question without marks of formulas;
#: a value of textbooks has a few characters.
_INVERSE: Final = rf"\(\s*(?P<name>[A-Za-z]){POWER_MINUS_ONE}\s*\)"
_INVERSE_DERIVATIVE: Final = (
    r"(?P<open>\$|\\[(\[]|(?<=[,;]))\s*(?:\\displaystyle\s*)?%s\s*'\s*\((?P<value>[^$=]{1,80})\)"
    r"\s*[=?.]*\s*(?P<close>\$|\\[)\]]|\Z)"
)
#: A name for the inverse function: "g be the inverse function of f", g = f^{-1}.
_NAMED: Final = re.compile(
    r"(?:\$|\\\()?\s*(?P<inverse>[A-Za-z])(?:\([a-z]\))?\s*(?:(?:\$|\\\))?\s+(?:be|is|denotes?)"
    r"\s+the\s+inverse(?:\s+function)?\s+(?:of|to)\s+(?:\$|\\\()?\s*|=\s*(?=[a-z]\s*\^))"
    rf"(?P<name>[A-Za-z])(?:{POWER_MINUS_ONE})?(?:\([a-z]\))?\s*(?:\$|\\\))"
)
#: Points at which a function is tried for the value. Those of textbooks are small whole numbers,
#: and for trigonometric functions and logarithms simple multiples of pi, and e.
_PI: Final = Call("pi", ())
_CANDIDATES: Final = (
    *(number(Fraction(n, 2)) for n in sorted(range(-20, 21), key=lambda n: (n % 2, abs(n)))),
    *(mul(number(Fraction(n, d)), _PI) for d in (1, 2, 3, 4, 6) for n in (1, -1)),
    *(Call("exp", (n,)) for n in (ONE, neg(ONE))),
)
_EVERYWHERE: Final = (-math.inf, math.inf)
#: Ranges of functions of a real number.
_RANGES: Final = {
    "exp": (0, math.inf), "cosh": (1, math.inf), "sin": (-1, 1), "cos": (-1, 1),
}  # fmt: skip
_Range = tuple[Fraction | float, Fraction | float]


def read_derivative_of_inverse(text: str) -> tuple[Expression, str, Expression] | None:
    r"""Read a question such as ``(f^{-1})'(4)``: the derivative of an inverse function.

    Returns:
        The function f, the variable of f, and the value (4 in the example). The result is None for
        another question.

    Raises:
        ProblemError: the function or the value is unreadable, or the question restricts the domain
            of the function.

    """
    plain = normal(text)
    named = _NAMED.search(plain)
    derivative = re.search(
        _INVERSE_DERIVATIVE % (rf"{named['inverse']}" if named else _INVERSE), plain
    )
    if derivative is None:
        return None
    name = (named or derivative)["name"]
    # the reader of derivatives knows no f^{-1}: f'(a) stands in the place of (f^{-1})'(a)
    slope = f"{derivative['open']}{name}'{derivative['close']}"
    plain = f"{plain[: derivative.start()]}{slope}{plain[derivative.end() :]}"
    question = read_derivative(plain.replace(named[0], f"${name}$") if named else plain)
    function = question.definitions.get(name)
    stated = question.variable in dict(question.assumptions) or question.bounds != (None, None)
    if function is None or question.point or stated:
        raise ProblemError(f"{text!r}: the inverse function is not read")
    try:
        value = read(derivative["value"], symbols=(IN_PROBLEM,))[0].expression
    except ReadError as error:
        raise ProblemError(f"{text!r}: unreadable value: {error}") from None
    if symbols_of(function) != {question.variable} or symbols_of(value):
        raise ProblemError(f"{text!r}: an inverse function with parameters is not judged")
    return function, question.variable, value


def slope_of_inverse(function: Expression, variable: str, value: Expression) -> Expression:
    r"""The derivative of an inverse function at ``value``.

    The function f must be proved monotonic on the real line. Then f takes the value at no second
    point.

    Raises:
        ProblemError: the function is not proved monotonic, the point is not found, or the inverse
            has no derivative at the value.

    >>> from calculus_harness.rewards.reading.latex import read, to_latex
    >>> to_latex(slope_of_inverse(read("x^3+2x+1")[0].expression, "x", number(4)))
    '\\frac{1}{3 \\cdot 1^{2} + 2}'

    """
    # A derivative without a change of sign makes f monotonic: f has the value at one point only.
    slope = differentiate(function, variable)
    low, high = _range(slope, variable)
    if low < 0 < high:
        raise ProblemError("the function is not proved to have an inverse")
    for point in _CANDIDATES:
        try:
            if not are_equal(substitute(function, variable, point), value, {}):
                continue
            at_point = substitute(slope, variable, point)
            if are_equal(at_point, ZERO, {}):
                raise ProblemError("the inverse function has no derivative at this value")
            return div(ONE, at_point)
        except (NotExpandedError, UndefinedError):
            continue
    raise ProblemError("the value of the inverse function was not found")


def _range(tree: Expression, variable: str) -> _Range:
    """An interval that contains all values of an expression of a real variable.

    Raises:
        ProblemError: the expression may have no value for some value of the variable.

    """
    constant = fold(tree)
    if constant is not None:
        return constant, constant
    if tree == Symbol(variable):
        return _EVERYWHERE
    ranges = [_range(arg, variable) for arg in tree.args]
    if tree.function == "neg":
        return -ranges[0][1], -ranges[0][0]
    if tree.function == "add":
        return sum(low for low, _ in ranges), sum(high for _, high in ranges)
    if tree.function in _RANGES:
        return _RANGES[tree.function]
    if tree.function == "pow" and ranges[1][0] == ranges[1][1] and ranges[1][0] >= 0:
        exponent = Fraction(ranges[1][0])
        if exponent.denominator == 1:
            return (0, math.inf) if exponent % 2 == 0 else _EVERYWHERE
    if tree.function == "div" and ranges[1][0] > 0:
        ranges[1] = (0, 1 / Fraction(ranges[1][0]))  # a float would round
    elif tree.function != "mul":
        raise ProblemError("the function is not proved to have an inverse")
    product: _Range = (1, 1)
    for factor in ranges:
        product = _product(product, factor)
    return product


def _product(a: _Range, b: _Range) -> _Range:
    """An interval that contains all products of a number of ``a`` and a number of ``b``."""
    for (low, high), interval in ((a, b), (b, a)):
        if low == high and low != 0:
            ends = (low * interval[0], low * interval[1])
            return min(ends), max(ends)
    return (0, math.inf) if a[0] >= 0 and b[0] >= 0 else _EVERYWHERE
