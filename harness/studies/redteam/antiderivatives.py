"""Random antiderivatives, at usual scales and at large ones."""

from __future__ import annotations

from fractions import Fraction

from ....benchmarks.brittleness.primitives import INTEGERS
from ....benchmarks.draws import Draws
from ....benchmarks.expressions import add, div, mul, neg, number, power
from ....benchmarks.lample_charton.sampling import sample_tree
from ....rewards.expression.tree import Call, Expression, Number, Symbol
from .case import DiscardedError, Formulas
from .numeric import confirmed

X = Symbol("x")
ONE = Number(1)
#: Exponents and slopes far from 1, years among them, which competitions like.
SCALES = (60, 99, 150, 250, 365, 500, 999, 1000, 2016, 2023, 2024, 2025, 5000, 10_000)
_BOUNDED = ("sin", "cos", "atan", "tanh", "asinh", "erf")
_GROWING = (*_BOUNDED, "exp", "sinh", "cosh")


def call(name: str, argument: Expression) -> Expression:
    """A function of one argument."""
    return Call(name, (argument,))


def inner(draws: Draws, scale: int | None) -> Expression:
    """What functions are applied to: of slope or degree ``scale``, if there is one."""
    k = number(scale if scale is not None else draws.integer(1, 9))
    shapes = [mul(k, X), mul(k, power(X, Number(2))), call("exp", mul(k, X))]
    if scale is not None:
        shapes += [power(X, k), call("exp", mul(neg(k), X)), neg(mul(k, X)), div(X, k)]
    else:
        shapes += [X, add(X, k), div(X, k), power(X, number(draws.integer(2, 4)))]
    return draws.pick(shapes)


def atom(draws: Draws, scale: int | None) -> Expression:
    """A function that is smooth on the whole line."""
    u = inner(draws, scale)
    squared = add(ONE, power(u, Number(2)))
    shapes = [
        call(draws.pick(_GROWING), u),
        call(draws.pick(_BOUNDED), u),
        call("ln", squared),
        call("ln", add(number(draws.integer(1, 5)), call("exp", u))),
        call("sqrt", squared),
        div(ONE, squared),
    ]
    return draws.pick(shapes)


def smooth(draws: Draws, scale: int | None = None) -> Expression:
    """A sum of one to three terms that are smooth on the whole line."""
    terms = []
    count = draws.integer(1, 3)
    for place in range(count):
        size = scale if place == 0 or draws.below(3) == 0 else None
        size_of = Fraction(draws.integer(-9, 9, nonzero=True), draws.pick((1, 1, 2, 3, 7)))
        if size is not None:
            size_of /= size
        factor = draws.pick((ONE, ONE, X, power(X, Number(2)), call("exp", neg(X)), call("exp", X)))
        terms.append(mul(number(size_of), factor, atom(draws, size)))
    return add(*terms)


def antiderivative(draws: Draws) -> Expression:
    """Smooth sums, the trees of the benchmark `lample_charton`, the templates of `brittleness`."""
    kind = draws.below(8)
    if kind == 0:
        drawn = draws.pick(INTEGERS).integral(draws.integer(1, 99), draws.integer(1, 99))
        if drawn.antiderivative is not None:
            return drawn.antiderivative
    if kind == 1:
        tree = sample_tree(draws, draws.integer(2, 6))
        if not confirmed(Formulas(tree, tree).integrand, tree):
            raise DiscardedError("not real at enough points")
        return tree
    return smooth(draws)
