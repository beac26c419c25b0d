"""Identities with a changed number, sign or function: every proved identity is true.

``python -m tests.rewards.proof.test_mutations 100000`` tests a given number of identities, and as
many pairs of expressions with equality up to a branch.
"""

from __future__ import annotations

import random
import sys

import pytest
from flint import acb

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.proof.prover import prove
from calculus_harness.rewards.reading.expression.traversal import needs_worker
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from calculus_harness.rewards.reading.latex import to_latex
from tests.rewards.proof.random_expressions import call, diff, mutate

X, A = Symbol("x"), Symbol("a")
#: Points of a proved mutation, at which F' and f are compared.
POINTS = 6


def number(source: random.Random) -> Expression:
    """A rational number, a root, a sine, an exponential of one: relations of numbers, too."""
    n = Number(source.choice((-3, -2, -1, 1, 2, 3, 4, 5, 6)), source.choice((1, 1, 1, 2, 3)))
    name = source.choice(("", "", "", "", "sqrt", "cos", "sin", "exp", "atan", "ln", "pi"))
    if name in ("sqrt", "ln"):
        n = Number(abs(n.numerator) + 1)
    if name == "pi":
        return call("mul", n, Call("pi"))
    return call(name, n) if name else n


def linear(source: random.Random) -> Expression:
    """An argument with a phase: ``2x + 3``, ``x/2 - pi``."""
    k = Number(source.choice((-2, -1, 1, 2, 3)), source.choice((1, 1, 2, 3)))
    inner = call("mul", k, source.choice((X, X, X, call("pow", X, Number(2)))))
    shift = source.choice((None, None, number(source), A))
    return inner if shift is None else call("add", inner, shift)


def tree(source: random.Random, depth: int) -> Expression:
    """An expression in x, and perhaps a."""
    if depth == 0:
        return source.choice((X, linear(source), linear(source), number(source), A))
    u = source.random()
    if u < 0.5:
        children = tree(source, depth - 1), tree(source, source.randrange(depth))
        return call(source.choice(("add", "mul", "mul", "div")), *children)
    inner = tree(source, depth - 1)
    if u < 0.65:
        exponent = source.choice(((2, 1), (3, 1), (-1, 1), (1, 2), (1, 3), (3, 2), (-1, 2)))
        return call("pow", inner, Number(*exponent))
    names = "sin cos exp tan ln sinh cosh tanh atan sqrt asinh asin atanh erf abs"
    return call(source.choice(names.split()), inner)


def differ(answer: Expression, integrand: Expression, source: random.Random) -> bool:
    """Whether F' and f are proven to differ at a point where every part of f is real."""
    with precision(256):
        big_f, small_f = compile_tape(answer, "x"), compile_tape(integrand, "x")
        for _ in range(POINTS):
            x, values = acb(source.uniform(-4, 4)), {"a": acb(source.uniform(0.2, 3))}
            jets = small_f.run(x, values, derivative=False)
            if all(jets[slot][0].imag.is_zero() for slot in small_f.domain):
                slope = big_f.run(x, values)[big_f.root][1] or acb(0)
                difference = slope - jets[small_f.root][0]
                if difference.is_finite() and not difference.contains(0):
                    return True
    return False


def survey(count: int, seed: int) -> dict[str, int]:
    """Prove F' = f for random F and mutations of f. Count proofs, and the points of the proofs.

    Fails for a proved identity with a refuting point.
    """
    source = random.Random(seed)
    counts = dict.fromkeys(("mutations", "refuted", "proved", "identities", "points"), 0)
    while counts["mutations"] < count:
        answer = tree(source, source.choice((1, 2, 2, 3)))
        integrand = diff(answer)
        if needs_worker(answer) or needs_worker(integrand):
            continue
        # The identity itself, a mutated answer, and a mutated integrand.
        pairs = [
            (answer, integrand),
            (mutate(answer, source), integrand),
            (answer, mutate(integrand, source)),
        ]
        for mutated, (big_f, f) in enumerate(pairs):
            proved = prove(big_f, f, "x", {"a": "positive"}) is not None
            false = differ(big_f, f, source)
            assert not (proved and false), (to_latex(big_f), to_latex(f), seed)
            counts["points"] += POINTS * proved
            if mutated:
                counts["mutations"] += 1
                counts["refuted"] += false
                counts["proved"] += proved
            else:
                counts["identities"] += proved
    return counts


@pytest.mark.parametrize("seed", range(2))
def test_mutations_that_are_refuted_are_not_proved(seed: int) -> None:
    counts = survey(150, seed)
    assert counts["refuted"] > 0.5 * counts["mutations"]
    assert counts["identities"] > 0.25 * counts["mutations"]


def polynomial(source: random.Random, degree: int) -> Expression:
    terms = [
        call("mul", Number(c), call("pow", X, Number(k)))
        for k in range(degree + 1)
        if (c := source.randint(-3, 3))
    ]
    return call("add", Number(source.choice((1, 2, -1))), *terms)


def branches(source: random.Random) -> tuple[Expression, Expression]:
    """Two expressions with equality up to a branch, such as sqrt(v^2) and v, for v = a + b r."""
    # v = a + b r with a root, a sine or an exponential r whose square u is known: v^2 is then a
    # polynomial in r.
    square, unit, double = polynomial(source, source.choice((1, 1, 2, 4))), Number(1), Number(2)
    minus = Number(-1)
    nested = call("add", call("sqrt", polynomial(source, 1)), Number(source.randint(-2, 3)))
    sine = call("add", unit, call("mul", minus, call("pow", call("cos", X), double)))
    r, u = source.choice(
        (
            (call("sqrt", square), square),
            (call("sqrt", nested), nested),
            (call("sin", X), sine),
            (call("exp", X), call("exp", call("mul", double, X))),
        )
    )
    a, b = polynomial(source, source.choice((0, 1, 2))), polynomial(source, source.choice((0, 1)))
    v = call("add", a, call("mul", b, r))
    v2 = call("add", call("mul", a, a), call("mul", b, b, u), call("mul", double, a, b, r))
    conjugate = call("add", a, call("mul", minus, b, r))
    complement = call("add", unit, call("mul", minus, v2))
    half, pi = Number(1, 2), Call("pi")
    twice = call("atan", call("div", call("mul", double, v), complement))
    second = call("atan", call("div", call("mul", minus, complement), call("mul", double, v)))
    roots = call("mul", call("sqrt", call("mul", v, conjugate)), call("sqrt", v))
    # Each pair is equal on one branch only: roots and logarithms of squares, and inverse functions.
    pair = source.choice(
        (
            (call("sqrt", v2), v),
            (call("sqrt", v2), call("abs", v)),
            (call("mul", half, call("ln", v2)), call("ln", v)),
            (call("pow", call("mul", v2, v), Number(1, 3)), v),
            (roots, call("mul", v, call("sqrt", conjugate))),
            (call("asin", v), call("atan", call("div", v, call("sqrt", complement)))),
            (call("atan", v), call("mul", half, twice)),
            (call("atan", v), call("mul", half, call("add", call("mul", half, pi), second))),
        )
    )
    return pair if source.random() < 0.5 else pair[::-1]


def survey_of_branches(count: int, seed: int) -> dict[str, int]:
    """Prove F' = f for pairs of branches. Fails for a proved identity with a refuting point."""
    source, counts = random.Random(seed), {"proved": 0, "refuted": 0}
    for _ in range(count):
        answer, integral = (call("mul", X, tree) for tree in branches(source))
        integrand = diff(integral)
        proved = prove(answer, integrand, "x", {}) is not None
        false = differ(answer, integrand, source)
        assert not (proved and false), (to_latex(answer), to_latex(integrand), seed)
        counts["proved"] += proved
        counts["refuted"] += false
    return counts


def test_other_branches_are_not_proved() -> None:
    counts = survey_of_branches(150, 1)
    assert counts["proved"] > 15
    assert counts["refuted"] > 30


if __name__ == "__main__":
    size, start = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    print(survey(size, start), survey_of_branches(size, start))
