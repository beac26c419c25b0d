"""Proofs that a function vanishes on a curve G(x, y) = 0, and points of such a curve.

A quotient of polynomials vanishes on the curve if G divides the numerator. A transcendental
sub-expression, such as e^y or sin(x + y), counts as a further indeterminate. Relations between the
indeterminates are then lost. Some true statements are therefore not proved. A false statement is
never proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from flint import Ordering, acb, arb, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from ..numeric.ball_arithmetic.balls import Tape, precision
from ..numeric.ball_arithmetic.compiler import compile_tape
from ..numeric.ball_arithmetic.domain import uniform
from ..numeric.ball_arithmetic.jets import Ball
from ..reading.expression.traversal import fold
from ..reading.expression.tree import Expression, Number, Symbol

#: Terms of a polynomial, indeterminates, and the highest power: those of second derivatives of
#: cubic curves have up to 80, 4 and 6.
_TERMS, _INDETERMINATES, _POWER = 4000, 12, 24
#: Points of the curve, lines x = const that are searched for them, and steps on each line.
_POINTS, _LINES, _STEPS = 5, 24, 48
#: Bits of a point of the curve; halvings of an interval around it.
_BITS, _HALVINGS = 256, 160

_Rational: TypeAlias = tuple[fmpq_mpoly, fmpq_mpoly]


class _TooLargeError(Exception):
    """A polynomial has too many terms or too high a power."""


def vanishes_on(tree: Expression, curve: Expression) -> bool:
    r"""Whether an expression is proved to vanish on a curve.

    Args:
        tree: the expression.
        curve: the function G. The curve consists of the points where G = 0.

    Returns:
        True if a proof was found. If the result is False, the expression may still vanish.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> texts = (r"\frac{x^2}{y} + y - \frac{25}{y}", "x^2 + y^2 - 25")
    >>> vanishes_on(*(read(text)[0].expression for text in texts))
    True

    """
    atoms: dict[Expression, int] = {}
    quotients = _quotients((tree, curve), atoms)
    if quotients is None:
        return False
    (numerator, denominator), (relation, _) = quotients
    if relation.is_constant() or denominator.is_zero():
        return False
    # A denominator that vanishes on the whole curve is no denominator.
    if (denominator % relation).is_zero():
        return False
    return bool((numerator % relation).is_zero())


def quotient_of_polynomials(tree: Expression, variables: Sequence[Expression]) -> _Rational | None:
    """The numerator and the denominator of a quotient of polynomials in symbols.

    The variables come first in the exponents. The result is None for any other expression, and for
    one that is too large.
    """
    atoms = {variable: at for at, variable in enumerate(variables)}
    quotients = _quotients((tree,), atoms)
    are_symbols = all(isinstance(atom, Symbol) for atom in atoms)
    return quotients[0] if quotients is not None and are_symbols else None


def _quotients(trees: Sequence[Expression], atoms: dict[Expression, int]) -> list[_Rational] | None:
    """Write trees as quotients of polynomials in atoms. If they are too large, return None."""
    for tree in trees:
        _collect(tree, atoms)
    if len(atoms) > _INDETERMINATES:
        return None
    names = [f"u{number}" for number in range(len(atoms))] or ["u0"]
    context = fmpq_mpoly_ctx.get(names, Ordering.lex)
    try:
        return [_rational(tree, atoms, context) for tree in trees]
    except (_TooLargeError, ZeroDivisionError):
        return None


def _collect(tree: Expression, atoms: dict[Expression, int]) -> None:
    if isinstance(tree, Number):
        return
    if tree.function in ("add", "mul", "neg", "div"):
        for arg in tree.args:
            _collect(arg, atoms)
    elif tree.function == "pow" and _whole(tree.args[1]) is not None:
        _collect(tree.args[0], atoms)
    else:
        atoms.setdefault(tree, len(atoms))


def _whole(tree: Expression) -> int | None:
    exponent = fold(tree)
    if exponent is None or exponent.denominator != 1 or abs(exponent) > _POWER:
        return None
    return int(exponent)


def _rational(
    tree: Expression, atoms: Mapping[Expression, int], context: fmpq_mpoly_ctx
) -> _Rational:
    """The numerator and the denominator of a tree, as polynomials in its atoms.

    The atoms are the symbols and the transcendental sub-expressions.
    """
    unit = context.constant(1)
    if isinstance(tree, Number):
        return context.constant(fmpq(tree.numerator, tree.denominator)), unit
    if tree in atoms:
        return context.gen(atoms[tree]), unit
    fractions = [_rational(arg, atoms, context) for arg in tree.args]
    top, bottom = fractions[0]
    if tree.function == "neg":
        return -top, bottom
    if tree.function == "pow":
        exponent = _whole(tree.args[1]) or 0
        if exponent < 0:
            top, bottom, exponent = bottom, top, -exponent
        return _checked(top**exponent, bottom**exponent)
    for other_top, other_bottom in fractions[1:]:
        if tree.function == "add":
            top, bottom = top * other_bottom + other_top * bottom, bottom * other_bottom
        elif tree.function == "mul":
            top, bottom = top * other_top, bottom * other_bottom
        else:
            top, bottom = top * other_bottom, bottom * other_top
        top, bottom = _checked(top, bottom)
    return top, bottom


def _checked(top: fmpq_mpoly, bottom: fmpq_mpoly) -> _Rational:
    if len(top) > _TERMS or len(bottom) > _TERMS:
        raise _TooLargeError
    if bottom.is_zero():
        raise ZeroDivisionError
    common = top.gcd(bottom)
    return (top, bottom) if common.is_one() else (top / common, bottom / common)


def points_of(
    curve: Expression, x: str, y: str, values: Mapping[str, Ball], signs: Mapping[str, int]
) -> Iterator[dict[str, Ball]]:
    """Yield points of a curve. Each point has a number x and a small interval of y.

    At this x, the function G changes its sign within the interval.

    Args:
        curve: the function G. The curve consists of the points where G = 0.
        x: the name of the first coordinate.
        y: the name of the second coordinate.
        values: the values of parameters.
        signs: 1 or -1 for each coordinate that is assumed to be positive or negative.

    Yields:
        Points of lines until there are five points. Each is a dictionary with the values of x, y
        and the parameters.

    """
    tape = compile_tape(curve, y)
    count = 0
    for line in range(_LINES):
        abscissa = 6.0 * uniform("line", line) - 3.0
        at = {**values, x: acb(abs(abscissa) * signs[x] if x in signs else abscissa)}
        previous: tuple[float, int] | None = None
        for step in range(_STEPS + 1):
            height = 5.0 * (2.0 * step / _STEPS - 1.0) + 0.013
            if height * signs.get(y, 0) < 0:
                continue
            sign = _sign(tape, acb(height), at)
            if sign and previous and previous[1] == -sign:
                with precision(_BITS):
                    ball = _between(tape, arb(previous[0]), arb(height), previous[1], at)
                if ball is not None:  # every branch counts: x^y = y^x is more than y = x
                    yield {**at, y: acb(ball)}
                    count += 1
            previous = (height, sign) if sign else None
        if count >= _POINTS:
            return


def _sign(tape: Tape, y: Ball, values: Mapping[str, Ball]) -> int:
    value = tape.value(y, values)
    if not value.is_finite() or not value.imag.is_zero():
        return 0
    return 1 if value.real > 0 else -1 if value.real < 0 else 0


def _between(tape: Tape, low: arb, high: arb, sign: int, at: Mapping[str, Ball]) -> arb | None:
    """Find a small interval inside [low, high] in which a function is real and changes its sign.

    The result is None if the function is not real in the interval.
    """
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        sign_of_middle = _sign(tape, acb(middle.mid()), at)
        if not sign_of_middle:
            return None
        low, high = (middle.mid(), high) if sign_of_middle == sign else (low, middle.mid())
    ball = low.union(high)
    value = tape.value(acb(ball), at)
    return ball if value.is_finite() and value.imag.is_zero() else None
