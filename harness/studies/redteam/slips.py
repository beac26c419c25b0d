"""Generators of wrong answers from right answers: typical errors, near misses, missing terms."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ....benchmarks.hashed_random import HashedRandom
from ....rewards.reading.expression.build import ZERO, add, div, mul, neg, number, power
from ....rewards.reading.expression.tree import Call, Expression, Number
from .antiderivatives import ONE, SCALES, X, antiderivative, call, smooth
from .case import BOXED, Case, DiscardedError, Formulas, generator
from .numeric import on_another_branch, refuted

#: A function and its wrong substitute.
SWAPS = {"sin": "cos", "cos": "sin", "tanh": "erf", "erf": "tanh", "atan": "asinh"}
SWAPS |= {"sinh": "cosh", "cosh": "sinh", "asinh": "atan", "tan": "sin", "ln": "atan"}
_VOICES = (BOXED, "<F>", r"\boxed{<F> + C}", r"So the answer is $<F> + C$.")
#: Disjoint from `SCALES`, so that a near miss cancels no exponential of the answer.
_FAINT = (45, 61, 101, 137, 301, 701)


def slips(tree: Expression) -> Iterator[tuple[str, Expression]]:
    """Yield every expression that differs from ``tree`` by a typical error, with its name."""
    if isinstance(tree, Number):
        yield "a number", number(Fraction(tree.numerator, tree.denominator) + 1)
    if not isinstance(tree, Call):
        return
    name, args = tree.function, tree.args
    if name in ("add", "mul"):
        left_out = "a dropped term" if name == "add" else "a dropped factor"
        for index in range(len(args)):
            others_args = args[:index] + args[index + 1 :]
            yield left_out, (add if name == "add" else mul)(*others_args)
    if name in SWAPS:
        yield "another function", Call(SWAPS[name], args)
        yield "an inner factor", Call(name, (mul(Number(2), args[0]),))
    if name == "neg":
        yield "a sign", args[0]
    if name == "exp":
        yield "a sign in an exponent", call("exp", neg(args[0]))
    # The same errors inside.
    for index, arg in enumerate(args):
        for slip, changed in slips(arg):
            yield slip, Call(name, (*args[:index], changed, *args[index + 1 :]))


def _mutated(truth: Expression, rng: HashedRandom) -> Case:
    slip, answer = rng.choice([("a sign", neg(truth)), *slips(truth)])
    formulas = Formulas(truth, answer)
    if not refuted(formulas.integrand, answer):
        raise DiscardedError("the slip changed nothing that can be seen")
    if on_another_branch(formulas.integrand, answer):
        raise DiscardedError("the slip changed a sign that the integrand's radicals change, too")
    return Case.of(formulas, False, slip, rng.choice(_VOICES))


@generator
def mutation(rng: HashedRandom) -> Case:
    """Make a case with a wrong answer: a right answer with one typical error."""
    return _mutated(antiderivative(rng), rng)


@generator
def mutation_at_scale(rng: HashedRandom) -> Case:
    """Make a case with one typical error in a right answer with numbers from 60 to 10^4."""
    return _mutated(smooth(rng, rng.choice(SCALES)), rng)


def _faint_everywhere(rng: HashedRandom) -> Expression:
    """Draw a function without real zeros whose values near the origin are at most e^-45."""
    k = rng.choice(_FAINT)
    exponent = mul(number(k), add(ONE, power(X, Number(2))))
    return rng.choice([call("exp", neg(exponent)), div(ONE, call("cosh", exponent))])


def _check_varies(tree: Expression) -> None:
    """Raise `DiscardedError` if the derivative of ``tree`` is zero because its terms cancel.

    Such a case would have a wrong label.
    """
    if not refuted(ZERO, tree):
        raise DiscardedError("the derivative vanishes")


@generator
def near_miss_factor(rng: HashedRandom) -> Case:
    """Make a case with a wrong answer: a right answer times a factor that is close to 1.

    The factor is 1 + e^{-k(1+x^2)}, or a similar factor with a hyperbolic secant.
    """
    truth, faint = smooth(rng), _faint_everywhere(rng)
    _check_varies(mul(truth, faint))
    answer = mul(truth, add(ONE, faint))
    return Case.of(Formulas(truth, answer), False, "F times a factor close to 1")


@generator
def near_miss_term(rng: HashedRandom) -> Case:
    """Make a case with a wrong answer: a right answer plus a term.

    The term is nearly constant at usual test points. Some terms are tiny or have a small slope.
    Others have a bump or a step that is far away.
    """
    truth = smooth(rng, rng.choice([None, None, *SCALES[:4]]))
    k, far = rng.choice(_FAINT), rng.integer(12, 400)
    bump = call("exp", neg(power(add(X, number(-far)), Number(2))))
    steep = call("tanh", add(X, number(rng.choice([-10_000, -(10**5), -(10**6)]))))
    small = mul(number(Fraction(1, 10 ** rng.choice([30, 80, 500]))), X)
    tiny = mul(call("exp", number(-k)), X)
    wrong = rng.choice([_faint_everywhere(rng), bump, steep, small, tiny])
    return Case.of(Formulas(truth, add(truth, wrong)), False, "F plus a faint term")


@generator
def neglected_term(rng: HashedRandom) -> Case:
    """Make a case with a wrong answer, which ignores a small or distant term of the integrand."""
    truth = smooth(rng)
    k, far = rng.choice(_FAINT), rng.integer(12, 400)
    far_off = add(X, number(-far))
    left_out = rng.choice(
        [
            call("exp", neg(power(far_off, Number(2)))),
            _faint_everywhere(rng),
            call("exp", number(-k)),
            mul(number(Fraction(1, 10 ** rng.choice([30, 80, 500]))), X),
            div(ONE, add(ONE, call("exp", add(number(k), X)))),
            call("exp", neg(mul(number(rng.choice([10**4, 10**6])), power(X, Number(2))))),
        ]
    )
    return Case.of(
        Formulas(truth, truth, added=left_out), False, "a term of the integrand never looked at"
    )


@generator
def steep_step(rng: HashedRandom) -> Case:
    """Make a case with a wrong answer F. The integrand is F' times a steep step function.

    On one side of the step, F is right. On the other side, F is wrong.
    """
    truth, k = smooth(rng), number(rng.choice(SCALES))
    _check_varies(truth)
    step = rng.choice(
        [
            div(ONE, add(ONE, call("exp", neg(mul(k, X))))),
            call("tanh", mul(k, X)),
            div(mul(Number(2), call("atan", mul(number(10**30), X))), Call("pi")),
            div(ONE, add(ONE, call("exp", add(neg(X), k)))),
            div(ONE, add(ONE, call("exp", add(neg(k), X)))),
        ]
    )
    return Case.of(Formulas(truth, truth, factor=step), False, "a steep step taken for a constant")
