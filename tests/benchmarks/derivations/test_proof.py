"""The proof accepts right steps and refuses every kind of wrong step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calculus_harness.benchmarks.derivations.examples import example
from calculus_harness.benchmarks.derivations.expressions.terms import (
    add,
    apply,
    cos,
    derivative,
    exp,
    integral,
    log,
    mul,
    negative,
    number,
    power,
    sin,
    symbol,
)
from calculus_harness.benchmarks.derivations.options import CODE
from calculus_harness.benchmarks.derivations.proof import (
    Interpretation,
    RefutedError,
    UndecidedError,
    equal,
    is_result,
    prove_steps,
)
from calculus_harness.benchmarks.derivations.steps import (
    EVALUATE_DERIVATIVES,
    EVALUATE_INTEGRALS,
    PREMISE,
    RENAMING,
    SUBSTITUTIONS,
    Annotation,
    Constant,
    DerivationEquation,
    Step,
)
from calculus_harness.rewards.reading.expression.tree import Expression

x, y, c, d = (symbol(name) for name in "xycd")
f, g, h = apply("f", x), apply("g", x, y), apply("h", y)
TWO, THREE = number(2), number(3)


def step(
    left: Expression, right: Expression, operator: str, *equations: int, **options: object
) -> Step:
    operand = options.get("m")
    constants = tuple(options.get("constants", ()))  # type: ignore[call-overload]
    return Step(
        DerivationEquation(left, right), Annotation(operator, equations, operand), constants
    )  # type: ignore[arg-type]


F_IS_SIN = step(f, sin(x), PREMISE)
SLOPES = step(derivative(f, x), derivative(sin(x), x), "differentiate", 1, m=x)
SUMS = step(integral(f, x), integral(sin(x), x), "integrate", 1, m=x)

RIGHT = {
    "an operator": [F_IS_SIN, step(cos(f), cos(sin(x)), "cos", 1)],
    "arithmetic": [F_IS_SIN, step(add(f, f), add(f, sin(x)), "add", 1, m=f)],
    "a power": [F_IS_SIN, step(power(f, x), power(sin(x), x), "power", 1, m=x)],
    "a derivative": [F_IS_SIN, SLOPES, step(derivative(f, x), cos(x), EVALUATE_DERIVATIVES, 2)],
    "a substitution": [
        F_IS_SIN,
        step(exp(f), exp(sin(x)), "exp", 1),
        step(exp(f), exp(f), "substitute_RHS_for_LHS", 2, 1),
    ],
    "integrals": [F_IS_SIN, SUMS],
    "one constant": [
        F_IS_SIN,
        SUMS,
        step(
            integral(f, x),
            add(c, negative(cos(x))),
            EVALUATE_INTEGRALS,
            2,
            constants=[Constant("c", integral(sin(x), x), negative(cos(x)))],
        ),
    ],
    "two constants": [
        F_IS_SIN,
        SLOPES,
        step(
            integral(derivative(f, x), x), integral(derivative(sin(x), x), x), "integrate", 2, m=x
        ),
        step(
            add(f, c),
            add(sin(x), d),
            EVALUATE_INTEGRALS,
            3,
            constants=[
                Constant("c", integral(derivative(f, x), x), f),
                Constant("d", integral(derivative(sin(x), x), x), sin(x)),
            ],
        ),
    ],
    "an integral split": [
        step(g, add(x, y), PREMISE),
        step(integral(g, x), integral(add(x, y), x), "integrate", 1, m=x),
        step(integral(g, x), add(integral(x, x), integral(y, x)), "expand", 2),
    ],
    "a new name": [F_IS_SIN, step(apply("k", x), exp(sin(x)), RENAMING)],
    "sides exchanged": [step(sin(x), f, PREMISE), step(log(sin(x)), log(f), "log", 1)],
}

WRONG = {
    "a sign": [F_IS_SIN, SLOPES, step(derivative(f, x), negative(cos(x)), EVALUATE_DERIVATIVES, 2)],
    "one side only": [F_IS_SIN, step(cos(f), sin(x), "cos", 1)],
    "another operand": [F_IS_SIN, step(add(f, y), add(sin(x), y), "add", 1, m=x)],
    "another operator": [F_IS_SIN, step(sin(f), sin(sin(x)), "cos", 1)],
    "another equation": [F_IS_SIN, step(h, exp(y), PREMISE), step(cos(f), cos(sin(x)), "cos", 2)],
    "f for its formula": [F_IS_SIN, step(power(f, TWO), mul(f, f, f), "times", 1, m=f)],
    "true, but not by this": [F_IS_SIN, step(mul(TWO, f), mul(TWO, sin(x)), "times", 1, m=THREE)],
    "formula for f": [F_IS_SIN, step(mul(sin(x), f), mul(sin(x), f), "times", 1, m=f)],
    "the wrong variable": [
        step(g, add(x, mul(TWO, y)), PREMISE),
        step(derivative(g, y), derivative(add(x, mul(TWO, y)), y), "differentiate", 1, m=x),
    ],
    "no antiderivative": [
        F_IS_SIN,
        SUMS,
        step(
            integral(f, x),
            add(c, cos(x)),
            EVALUATE_INTEGRALS,
            2,
            constants=[Constant("c", integral(sin(x), x), cos(x))],
        ),
    ],
    "constants as if independent": [
        *RIGHT["two constants"],
        step(derivative(add(f, c), c), derivative(add(sin(x), d), c), "differentiate", 4, m=c),
        step(number(1), number(0), EVALUATE_DERIVATIVES, 5),
    ],
    "a premise about something known": [F_IS_SIN, step(f, cos(x), PREMISE)],
    "a premise without a function": [step(x, y, PREMISE)],
    "an undefined function": [F_IS_SIN, step(add(f, h), add(sin(x), h), "add", 1, m=h)],
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_steps_are_proven(name: str) -> None:
    prove_steps(RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_wrong_steps_are_refuted(name: str) -> None:
    with pytest.raises(RefutedError):
        prove_steps(WRONG[name])


def test_what_nobody_can_tell_is_not_called_wrong() -> None:
    strange = [F_IS_SIN, SUMS, step(integral(f, x), integral(cos(x), x), "integrate", 1, m=x)]
    with pytest.raises(UndecidedError):
        prove_steps(strange)


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_no_wrong_equation_passes_for_the_right_one(steps: int) -> None:
    """Each negative under the positive's annotation is refused; and the reverse."""
    judged = 0
    for index in range(12):
        drawn = example(steps, 5, index)
        for mine, different in ((drawn.positive, drawn.negative), (drawn.negative, drawn.positive)):
            if mine.annotation.operator in SUBSTITUTIONS:
                continue  # its value says nothing about what was substituted: see `is_result`
            swapped = replace(different, annotation=mine.annotation)
            with pytest.raises((RefutedError, UndecidedError)):
                prove_steps([*drawn.before, swapped])
            judged += 1
    assert judged > 10


def test_a_step_changed_anywhere_is_refused() -> None:
    for index in range(10):
        drawn = example(3, 6, index, CODE)
        equation = drawn.positive.equation
        if drawn.operator == RENAMING:
            continue
        for left, right in (
            (add(equation.left, x), equation.right),
            (equation.left, mul(number(-1), add(equation.right, number(1)))),
            (add(equation.left, x), add(equation.right, x)),
        ):
            broken = replace(drawn.positive, equation=DerivationEquation(left, right))
            with pytest.raises((RefutedError, UndecidedError)):
                prove_steps([*drawn.before, broken])


def test_what_counts_as_the_result() -> None:
    true = step(mul(TWO, f), mul(TWO, sin(x)), "times", 1, m=TWO)
    assert is_result(
        DerivationEquation(mul(TWO, sin(x)), add(f, f)), true
    )  # exchanged, written otherwise
    assert not is_result(DerivationEquation(mul(THREE, f), mul(THREE, sin(x))), true)
    assert not is_result(
        DerivationEquation(add(f, sin(x)), mul(TWO, sin(x))), true
    )  # needs the premise
    evaluated = RIGHT["one constant"][-1]
    again = DerivationEquation(integral(f, x), add(d, negative(cos(x))))
    constants = (Constant("d", integral(sin(x), x), negative(cos(x))),)
    assert is_result(again, evaluated, constants)  # another letter for the constant
    assert not is_result(DerivationEquation(integral(f, x), negative(cos(x))), evaluated)


def test_equality_in_balls() -> None:
    interpretation = Interpretation()

    def same(a: Expression, b: Expression) -> bool:
        return equal(interpretation.lower(a), interpretation.lower(b))

    assert same(power(add(x, y), TWO), add(power(x, TWO), mul(TWO, x, y), power(y, TWO)))
    assert same(add(power(sin(x), TWO), power(cos(x), TWO)), number(1))
    assert not same(sin(x), add(sin(x), power(number(10), number(-12))))
    assert not same(log(power(x, TWO)), mul(TWO, log(y)))


def test_the_verifiers_jets_agree_with_the_derivatives_of_the_proof() -> None:
    """The same derivative by automatic differentiation, for the functions of derivations."""
    from flint import acb

    from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
    from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape

    interpretation = Interpretation()
    for term in (mul(x, exp(sin(x))), power(x, add(x, TWO)), log(cos(mul(x, y))), power(sin(x), y)):
        lowered = interpretation.lower(term)
        slope = interpretation.derivative(lowered, "x")
        tape, slope_tape = compile_tape(lowered, "x"), compile_tape(slope, "x")
        with precision(128):
            at, values = acb(0.7, 0.2), {"y": acb(1.3, 0.4)}
            gap = (
                tape.run(at, values)[tape.root][1] - slope_tape.run(at, values)[slope_tape.root][0]
            )
            assert gap.contains(0)
            assert abs(gap).abs_upper() < 1e-30
