"""Proofs that a function vanishes on a curve G(x, y) = 0, and points of such a curve.

The prover writes the function and G as quotients of polynomials in x, y and transcendental parts
such as e^y. The function vanishes on the curve if the numerator of G divides the function's. Where
G is a difference of two powers, the difference of their logarithms vanishes as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import comb

from flint import acb, arb

from ..numeric.ball_arithmetic.balls import Tape, precision
from ..numeric.ball_arithmetic.compiler import compile_tape
from ..numeric.ball_arithmetic.domain import uniform
from ..numeric.ball_arithmetic.jets import Ball
from ..reading.expression.build import ZERO, add, div, mul, neg
from ..reading.expression.derivative import differentiate
from ..reading.expression.linear import addends
from ..reading.expression.traversal import nodes_of, substitute, symbols_of
from ..reading.expression.tree import Call, Expression, Number, Symbol
from .equality import equality
from .prover.tower import attempted

#: Monomials that a remainder can have by its degree and its indeterminates. So many take 0.2 s; the
#: remainder of x^30000 modulo a circle would take 11 s. Those of the tests have degree 8.
_MONOMIALS = 1_000_000
#: Points of the curve, lines x = const that are searched for them, and steps on each line.
_POINTS, _LINES, _STEPS = 5, 24, 48
#: Bits of a point of the curve; halvings of an interval around it.
_BITS, _HALVINGS = 256, 160


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
    logarithmic = _in_logarithms(curve)
    trees = [tree, curve, *([] if logarithmic is None else [logarithmic])]
    tower, elements = attempted(
        lambda tower: [tower.field.normal(tower.value(node)) for node in trees],
        variable="",
        assumptions={},
    )
    if elements is None:
        return False
    difference, relations = elements[0], [element.num for element in elements[1:]]
    polynomials = difference.num, difference.den, *relations
    degree = max(int(poly.total_degree()) for poly in polynomials)
    indeterminates = {g.index for element in elements for g in tower.field.used(element)}
    if comb(degree + len(indeterminates), degree) > _MONOMIALS:
        return False
    if any(relation.is_constant() for relation in relations):
        return False
    # A denominator that vanishes on the whole curve is no denominator.
    numerator, denominator = difference.num, difference.den
    for relation in relations:
        numerator, denominator = numerator % relation, denominator % relation
    return bool(numerator.is_zero() and not denominator.is_zero())


def proved_on(
    answer: Expression,
    expected: Expression,
    curve: Expression,
    names: tuple[str, str],
    assumptions: Mapping[str, str],
) -> tuple[str, ...] | None:
    """The rules of a proof that two expressions are equal on a curve. None if no proof is found.

    Args:
        answer: an expression.
        expected: the expression to compare with.
        curve: the function G of the curve.
        names: the names of x and y.
        assumptions: assumptions on x, y and the parameters.

    """
    trees = answer, expected, curve
    nodes = [node for tree in trees for node in nodes_of(tree)]
    for name in names:
        symbol = Symbol(name)
        if any(node.function == "abs" and node.args[0] == symbol for node in nodes):
            rules: set[str] = set()
            for sign, assumption in ((1, "positive"), (-1, "negative")):
                first, second, on = (_with_sign(tree, symbol, sign) for tree in trees)
                found = proved_on(first, second, on, names, {**assumptions, name: assumption})
                if found is None:
                    return None
                rules.update(found)
            return tuple(sorted(rules))
    # Where a curve has the root or the logarithm of a coordinate, this coordinate is positive.
    roots = [node.args[0] for node in nodes_of(curve) if node.function in ("sqrt", "ln")]
    assumed = {**assumptions, **{name: "positive" for name in names if Symbol(name) in roots}}
    if (proof := equality(answer, expected, assumed)) is not None:
        return proof.rules
    if vanishes_on(add(answer, neg(expected)), curve):
        return ("relation of the curve",)
    for name in reversed(names):
        sign = {"positive": 1, "negative": -1}.get(assumed.get(name, ""), 0)
        value = solved(curve, name, sign)
        if value is not None:
            first, second = (substitute(tree, name, value) for tree in (answer, expected))
            if (proof := equality(first, second)) is not None:
                return proof.rules
    return None


def _with_sign(tree: Expression, symbol: Symbol, sign: int) -> Expression:
    """An expression for a symbol that has a given sign: ``|y|`` is y or -y."""
    if not isinstance(tree, Call):
        return tree
    if tree.args and tree.args[0] == symbol and tree.function in ("abs", "sgn"):
        return mul(Number(sign), symbol) if tree.function == "abs" else Number(sign)
    return Call(tree.function, tuple(_with_sign(arg, symbol, sign) for arg in tree.args))


def solved(curve: Expression, name: str, sign: int) -> Expression | None:
    r"""Solve the equation G = 0 of a curve for one of its symbols.

    G has to be linear in the symbol, or, if the symbol's sign is known, in its square.

    Args:
        curve: the function G.
        name: the symbol.
        sign: 1 or -1 if the symbol is assumed to be positive or negative, else 0.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> [solved(read("x^2 + y^2 - 25")[0].expression, "y", sign) is None for sign in (0, 1)]
    [True, False]

    """
    slope = differentiate(curve, name)
    rest = substitute(curve, name, ZERO)
    if slope != ZERO and name not in symbols_of(slope):
        return neg(div(rest, slope))
    factor = div(differentiate(slope, name), Number(2))
    is_even = equality(curve, substitute(curve, name, neg(Symbol(name)))) is not None
    if sign and factor != ZERO and name not in symbols_of(factor) and is_even:
        return mul(Number(sign), Call("sqrt", (neg(div(rest, factor)),)))
    return None


def _in_logarithms(curve: Expression) -> Expression | None:
    """The difference ``ln A - ln B`` for a curve A = B with powers A and B, which are positive."""
    terms = addends(curve)
    sides = [_exponent(term.args[0] if term.function == "neg" else term) for term in terms]
    if len(sides) != 2 or (terms[0].function == "neg") == (terms[1].function == "neg"):
        return None
    left, right = sides
    return None if left is None or right is None else add(left, neg(right))


def _exponent(power: Expression) -> Expression | None:
    """The logarithm of a power whose exponent is no number. None for other expressions."""
    if power.function == "exp":
        return power.args[0]
    if power.function != "pow" or not symbols_of(power.args[1]):
        return None
    return mul(power.args[1], Call("ln", (power.args[0],)))


def points_of(
    curve: Expression, x: str, y: str, values: Mapping[str, Ball], signs: Mapping[str, int]
) -> Iterator[dict[str, Ball]]:
    """Yield points of a curve. Each point has a number x and a small interval of y.

    At the point's x, the function G changes sign within the interval.

    Args:
        curve: the function G. The curve consists of the points where G = 0.
        x: the name of the first coordinate.
        y: the name of the second coordinate.
        values: the values of parameters.
        signs: 1 or -1 for each coordinate that is assumed to be positive or negative.

    Yields:
        Dictionaries with the values of x, y and the parameters, line by line up to the line on
        which the fifth point is found.

    """
    # On lines x = const, a change of the sign of G between two steps brackets a point of the curve.
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
                # Bisection narrows the bracket, to an interval in which G is real throughout.
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
