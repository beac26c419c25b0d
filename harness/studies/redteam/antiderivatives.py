"""Random antiderivatives, with coefficients and degrees of usual size and of large size."""

from __future__ import annotations

from fractions import Fraction

from ....benchmarks.brittleness.primitives import INTEGERS
from ....benchmarks.hashed_random import HashedRandom
from ....benchmarks.lample_charton.sampling import sample_tree
from ....rewards.reading.expression.build import add, div, mul, neg, number, power
from ....rewards.reading.expression.traversal import is_constant
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from .case import DiscardedError, Formulas
from .numeric import confirmed

X = Symbol("x")
ONE = Number(1)
#: Exponents and slopes far from 1, with the years of competitions.
SCALES = (60, 99, 150, 250, 365, 500, 999, 1000, 2016, 2023, 2024, 2025, 5000, 10_000)
_BOUNDED = ("sin", "cos", "atan", "tanh", "asinh", "erf")
_GROWING = (*_BOUNDED, "exp", "sinh", "cosh")


def call(name: str, argument: Expression) -> Expression:
    """Apply a function to one argument."""
    return Call(name, (argument,))


def inner(rng: HashedRandom, scale: int | None) -> Expression:
    """Draw a formula that serves as the argument of a function.

    ``scale`` is a coefficient or the degree of the argument. For None, a small number is drawn
    instead.
    """
    k = number(scale if scale is not None else rng.integer(1, 9))
    shapes = [mul(k, X), mul(k, power(X, Number(2))), call("exp", mul(k, X))]
    if scale is not None:
        shapes += [power(X, k), call("exp", mul(neg(k), X)), neg(mul(k, X)), div(X, k)]
    else:
        shapes += [X, add(X, k), div(X, k), power(X, number(rng.integer(2, 4)))]
    return rng.choice(shapes)


def atom(rng: HashedRandom, scale: int | None) -> Expression:
    """Draw a function that is smooth on the whole line."""
    u = inner(rng, scale)
    squared = add(ONE, power(u, Number(2)))
    shapes = [
        call(rng.choice(_GROWING), u),
        call(rng.choice(_BOUNDED), u),
        call("ln", squared),
        call("ln", add(number(rng.integer(1, 5)), call("exp", u))),
        call("sqrt", squared),
        div(ONE, squared),
    ]
    return rng.choice(shapes)


def smooth(rng: HashedRandom, scale: int | None = None) -> Expression:
    """Draw a sum of one to three terms that are smooth on the whole line."""
    terms = []
    count = rng.integer(1, 3)
    for index in range(count):
        size = scale if index == 0 or rng.below(3) == 0 else None
        size_of = Fraction(rng.integer(-9, 9, nonzero=True), rng.choice((1, 1, 2, 3, 7)))
        if size is not None:
            size_of /= size
        factors: list[Expression] = [ONE, ONE, X, power(X, Number(2))]
        function = atom(rng, size)
        # exp(-x) exp(x + 9) is a constant, whose derivative is zero in disguise: undecided.
        if not (isinstance(function, Call) and function.function == "exp"):
            factors += [call("exp", neg(X)), call("exp", X)]
        terms.append(mul(number(size_of), rng.choice(factors), function))
    return add(*terms)


def antiderivative(rng: HashedRandom) -> Expression:
    """Draw a formula F, which serves as the antiderivative in a case.

    There are three kinds of F: smooth sums, trees from the benchmark `lample_charton`, and
    templates from `brittleness`.
    """
    source = rng.below(8)
    if source == 0:
        drawn = rng.choice(INTEGERS).integral(rng.integer(1, 99), rng.integer(1, 99))
        if drawn.antiderivative is not None:
            return drawn.antiderivative
    if source == 1:
        tree = sample_tree(rng, rng.integer(2, 6))
        if is_constant(tree, "x") or not confirmed(Formulas(tree, tree).integrand, tree):
            raise DiscardedError("constant, or not real at enough points")
        return tree
    return smooth(rng)
