"""Generators of answers on another branch of a root, and of answers with a jump.

The jump is hidden in a root or in an inverse function.
"""

from __future__ import annotations

from dataclasses import replace

from ....benchmarks.hashed_random import HashedRandom
from ....rewards.reading.expression.build import ONE, TWO, add, div, mul, neg, number, power
from ....rewards.reading.expression.tree import Call, Expression, Number
from .antiderivatives import X, call, smooth
from .case import Case, Formulas, generator

HALF = Number(1, 2)


def _square(at: int) -> Expression:
    """Write ``(x - at)^2`` in expanded form."""
    return add(power(X, TWO), mul(number(-2 * at), X), number(at * at))


@generator
def misplaced_branch(rng: HashedRandom) -> Case:
    """Make a case with the right answer F or the wrong answer |F|.

    The integrand is F' times the sign of x - a. This sign is written with the root of (x - a)^2,
    where a is an integer. F is a right answer, because the integrand is F' on one branch of this
    root. The answer |F| is usually written as the root of a square. It is wrong, because F changes
    its sign at a different point than a.
    """
    zero, elsewhere, *_ = rng.shuffled(range(-9, 10))
    t, k = add(X, number(-zero)), number(rng.integer(1, 9))
    angle = mul(k, t)
    function, squared = rng.choice(
        [
            (t, _square(zero)),
            (power(t, Number(3)), power(t, Number(6))),
            (call("atan", angle), power(call("atan", angle), TWO)),
            (call("sin", angle), add(ONE, neg(power(call("cos", angle), TWO)))),
            (call("sin", angle), div(add(ONE, neg(call("cos", mul(TWO, angle)))), TWO)),
            (call("tan", angle), add(power(call("sec", angle), TWO), neg(ONE))),
            (call("sinh", angle), add(power(call("cosh", angle), TWO), neg(ONE))),
            (call("tanh", angle), add(ONE, neg(power(call("sech", angle), TWO)))),
        ]
    )
    squared = rng.choice([squared, power(function, TWO), mul(function, function)])
    positive = rng.choice(
        [ONE, k, add(ONE, power(X, TWO)), call("exp", angle), call("cosh", X), Call("pi")]
    )
    squared_modulus = mul(positive, squared)
    modulus = rng.choice(
        [
            call("sqrt", squared_modulus),
            mul(call("sqrt", positive), call("sqrt", squared)),
            power(squared_modulus, HALF),
            power(mul(power(positive, TWO), power(squared, TWO)), mul(HALF, HALF)),
            div(ONE, call("sqrt", div(ONE, squared_modulus))),
            div(squared_modulus, call("sqrt", mul(squared, positive))),
            mul(call("sqrt", positive), call("acosh", call("cosh", function))),
        ]
    )
    shifted = add(X, number(-elsewhere))
    root = call("sqrt", rng.choice([power(shifted, TWO), _square(elsewhere)]))
    truth, is_right = mul(call("sqrt", positive), function), rng.below(4) == 0
    formulas = Formulas(
        truth,
        answer=truth if is_right else modulus,
        factor=rng.choice([div(shifted, root), div(root, shifted)]),
    )
    case = Case.of(formulas, is_right, "an answer on another branch")
    return replace(case, formulas=None)  # an edit may move one branch to the other


@generator
def hidden_step(rng: HashedRandom) -> Case:
    """Make a case with a wrong answer: a right answer plus a step function.

    Examples of step functions of a linear u are u/sqrt(u^2) and csc(u) sin(arccos(cos u)).
    """
    u = add(mul(number(rng.integer(1, 9)), X), number(rng.integer(-9, 9)))
    sin, cos, tan, cot = (call(name, u) for name in ("sin", "cos", "tan", "cot"))
    squared, secant = power(u, TWO), add(ONE, power(tan, TWO))
    steps = [
        (u, call("sqrt", div(ONE, squared))),
        (u, power(power(u, Number(-6)), Number(1, 6))),
        (div(ONE, u), call("sqrt", squared)),
        (cos, call("sqrt", secant)),
        (cos, call("exp", mul(HALF, call("ln", secant)))),
        (cos, power(add(ONE, neg(power(sin, TWO))), neg(HALF))),
        (sin, call("sqrt", add(ONE, power(cot, TWO)))),
        (cot, call("sqrt", add(power(call("sec", u), TWO), neg(ONE)))),
        (call("csc", u), div(tan, call("sqrt", secant))),
        (call("sinh", u), call("sqrt", add(power(call("coth", u), TWO), neg(ONE)))),
        (call("csc", u), call("sin", call("acos", cos))),
        (call("sec", u), call("cos", call("asin", sin))),
        (div(ONE, u), call("acosh", call("cosh", u))),
        (call("csc", squared), call("sqrt", power(call("sin", squared), TWO))),
        (call("sgn", div(ONE, u)),),
    ]
    truth, step = smooth(rng), mul(number(rng.integer(1, 9)), *rng.choice(steps))
    case = Case.of(Formulas(truth, add(truth, step)), False, "F plus a step")
    return replace(case, formulas=None)  # mpmath sees no step


@generator
def tiny_step(rng: HashedRandom) -> Case:
    """Make a case with a wrong answer: a right answer plus a step function with a tiny jump."""
    u = add(mul(number(rng.integer(1, 9)), X), number(rng.integer(-9, 9)))
    sign = rng.choice(
        [
            call("sgn", u),
            div(call("abs", u), u),
            div(call("sqrt", power(u, TWO)), u),
            call("floor", u),
        ]
    )
    large = number(10 ** rng.choice([50, 300, 500]))
    step = rng.choice(
        [
            div(sign, large),
            div(div(sign, large), number(rng.integer(2, 9))),
            mul(div(ONE, large), sign),
            power(div(sign, number(10**50)), number(rng.choice([3, 7]))),
            call("exp", add(sign, number(-rng.choice([100, 1000])))),
            call("atan", div(sign, large)),
            call("tanh", add(sign, number(rng.choice([90, 900])))),
        ]
    )
    truth = smooth(rng)
    case = Case.of(Formulas(truth, add(truth, step)), False, "F plus a tiny step")
    return replace(case, formulas=None)  # mpmath sees no step
