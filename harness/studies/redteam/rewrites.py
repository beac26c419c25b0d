"""Generators of right answers: rewritten forms, phrasings, and notations of piecewise answers."""

from __future__ import annotations

from collections.abc import Callable

from ....benchmarks.algebra.formulas import parse
from ....benchmarks.hashed_random import HashedRandom
from ....rewards.numeric.ball_arithmetic.ranges import may_have_pole
from ....rewards.reading.expression.build import TWO, add, div, mul, neg, number, power
from ....rewards.reading.expression.tree import Call, Expression, Number
from ....rewards.reading.latex import to_latex
from .antiderivatives import ONE, SCALES, X, antiderivative, call, smooth
from .case import Case, Formulas, generator
from .templates import TEMPLATES


def _halved(u: Expression) -> Expression:
    return div(u, TWO)


#: Identities on the whole complex plane, or at least where the left side is real.
_IDENTITIES: dict[str, Callable[[Expression], Expression]] = {
    "sin": lambda u: mul(TWO, call("sin", _halved(u)), call("cos", _halved(u))),
    "cos": lambda u: add(ONE, neg(mul(TWO, power(call("sin", _halved(u)), TWO)))),
    "tan": lambda u: div(call("sin", u), call("cos", u)),
    "sinh": lambda u: _halved(add(call("exp", u), neg(call("exp", neg(u))))),
    "cosh": lambda u: _halved(add(call("exp", u), call("exp", neg(u)))),
    "tanh": lambda u: add(ONE, neg(div(TWO, add(ONE, call("exp", mul(TWO, u)))))),
    "atan": lambda u: mul(TWO, call("atan", div(u, add(ONE, _root(u))))),
    "asinh": lambda u: call("ln", add(u, _root(u))),
    "ln": lambda u: add(call("ln", mul(Number(3), u)), neg(call("ln", Number(3)))),
    "erf": lambda u: neg(call("erf", neg(u))),
    "sqrt": lambda u: power(u, Number(1, 2)),
    "exp": lambda u: power(call("exp", _halved(u)), TWO),
}


def _root(u: Expression) -> Expression:
    return call("sqrt", add(ONE, power(u, TWO)))


def rewritten(tree: Expression, rng: HashedRandom) -> Expression:
    """Write the same function in another form.

    Each node has the probability 1/4 of being changed by an identity.
    """
    if not isinstance(tree, Call) or not tree.args:
        return tree
    args = tuple(rewritten(arg, rng) for arg in tree.args)
    change = rng.below(4) == 0
    if tree.function in ("add", "mul") and change:
        return Call(tree.function, tuple(rng.shuffled(args)))
    # arctan u may jump at a pole of u, an equal root may not (docs/verifier.md, jumps).
    steps = tree.function == "atan" and may_have_pole(args[0], "x")
    if tree.function in _IDENTITIES and change and not steps:
        return _IDENTITIES[tree.function](args[0])
    return Call(tree.function, args)


_CONSTANTS = (r"e^{-1000}", r"\tanh(700)", r"\frac{1}{300!}", r"\ln 7", r"\pi^e", r"\sqrt{2}", "0")


@generator
def rewrite(rng: HashedRandom) -> Case:
    """Make a case with a right answer in another form, with a constant of integration."""
    truth = antiderivative(rng)
    constant = parse(rng.choice(_CONSTANTS))
    formulas = Formulas(truth, add(rewritten(truth, rng), constant))
    return Case.of(formulas, True, "another form")


@generator
def rewrite_at_scale(rng: HashedRandom) -> Case:
    """Make a case with a right answer that has coefficients or degrees of 60 to 10^4."""
    truth = smooth(rng, rng.choice(SCALES))
    return Case.of(Formulas(truth, rewritten(truth, rng)), True, "another form, at a scale")


@generator
def voice(rng: HashedRandom) -> Case:
    """Make a case with a right answer in a sentence, as people and models write answers."""
    m = number(rng.integer(2, 9))
    truth = rng.choice(
        [
            div(power(X, m), m),
            add(mul(power(X, TWO), call("ln", X)), neg(_halved(power(X, TWO)))),
            mul(m, call("atan", X)),
            mul(X, call("exp", mul(m, X))),
            smooth(rng),
        ]
    )
    return Case.of(
        Formulas(truth, truth), True, "a voice", rng.choice(TEMPLATES["voices"]["answer"])
    )


def _halves(rng: HashedRandom, factor: str) -> tuple[str, str]:
    """Make the integrand |x - a| (x - a)^(m-1), and the text of a piecewise antiderivative.

    The piece for x < a is multiplied by ``factor``. The answer is right if ``factor`` is 1.
    """
    a, m = rng.integer(-3, 7), rng.integer(1, 5)
    shifted = add(X, number(-a))
    right_half = mul(div(ONE, number(m + 1)), power(shifted, number(m + 1)))
    integrand = mul(power(shifted, number(m - 1)), call("abs", shifted))
    dress = TEMPLATES["piecewise"]
    condition, second = rng.choice(dress["conditions"])
    text: str = rng.choice(dress["frames"])
    fillings = {"<F>": rng.choice(dress["dresses"]), "<P>": condition, "<Q>": second, "<a>": str(a)}
    fillings |= {"<A>": to_latex(right_half), "<B>": to_latex(neg(mul(parse(factor), right_half)))}
    for name, filling in fillings.items():
        text = text.replace(name, filling)
    return to_latex(integrand), text


@generator
def piecewise(rng: HashedRandom) -> Case:
    """Make a case with a right piecewise answer, an antiderivative of |x - a| (x - a)^(m-1).

    The answer is written as two pieces, in one of many notations.
    """
    return Case(*_halves(rng, "1"), True, "a piecewise answer")


@generator
def piecewise_wrong(rng: HashedRandom) -> Case:
    """Make a case with a piecewise answer that has a wrong factor on one piece."""
    wrong = rng.choice(("2", "-1", r"\frac{9}{10}"))
    return Case(*_halves(rng, wrong), False, "a piecewise answer with one wrong half")
