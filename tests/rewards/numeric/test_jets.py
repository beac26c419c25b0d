"""Every derivative rule against a difference quotient of the value, at high precision."""

from __future__ import annotations

import pytest
from flint import acb, arb

from calculus_harness.rewards import Status, verify_antiderivative
from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.reading.expression.tree import (
    FUNCTIONS,
    Call,
    Expression,
    Number,
    Symbol,
)

X = Symbol("x")
BITS = 400
STEP = acb(2.0**-100)


def _value(expression: Expression, x: acb) -> acb:
    tape = compile_tape(expression, "x")
    return tape.run(x, {}, derivative=False)[tape.root][0]


def _slope(expression: Expression, x: acb) -> acb:
    tape = compile_tape(expression, "x")
    return tape.run(x, {})[tape.root][1]


# Real arguments on either side of each function's special places, and one off the axis.
REAL = [0.3, -0.4, 0.7, 1.6, -2.3, 5.2]
COMPLEX = [acb(0.6, 0.4), acb(-1.2, 0.7), acb(1.5, -0.9)]
NOT_SMOOTH = {"sgn", "floor", "ceil", "frac", "heaviside", "abs"}
UNARY = sorted(
    name
    for name, (least, largest) in FUNCTIONS.items()
    if least == 1 and name not in {"double_factorial"}
)
BINARY = [
    ("pow", X, Call("div", (Number(2), Number(3)))),
    ("pow", X, X),
    ("pow", Number(3), X),
    ("pow", X, Number(-3)),
    ("root", X, Number(3)),
    ("log", X, Number(2)),
    ("expint", Number(2), X),
    ("gamma_upper", Number(1, 2), X),
    ("gamma_lower", Number(1, 2), X),
    ("polygamma", Number(1), X),
    ("polylog", Number(3), X),
    ("zeta", Number(3), X),
    ("elliptic_f", X, Number(1, 3)),
    ("elliptic_e", X, Number(1, 3)),
    ("elliptic_pi", Number(1, 5), X, Number(1, 3)),
    ("bessel_j", Number(1), X),
    ("bessel_y", Number(1), X),
    ("bessel_i", Number(1), X),
    ("bessel_k", Number(1), X),
    ("legendre_p", Number(3), X),
    ("chebyshev_t", Number(3), X),
    ("chebyshev_u", Number(3), X),
    ("hermite_h", Number(3), X),
    ("laguerre_l", Number(3), X),
    ("beta_lower", Number(2), Number(3), X),
    ("lerch_phi", X, Number(2), Number(3)),
    ("hypgeom", Number(2), Number(1), Number(1), Number(1, 2), Number(3, 2), X),
    ("beta", X, Number(2)),
    ("binomial", Number(5), X),
]
CASES = [Call(name, (X,)) for name in UNARY] + [Call(name, args) for name, *args in BINARY]
CASES = [Call(case.function, tuple(case.args)) for case in CASES]


def _close(got: acb, expected: acb) -> bool:
    gap = abs(got - expected)
    return bool(gap < arb(2.0**-60) * (1 + abs(expected)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.function}{len(case.args)}")
def test_slope_is_the_limit_of_difference_quotients(case: Call) -> None:
    points = [acb(x) for x in REAL] + ([] if case.function in NOT_SMOOTH else COMPLEX)
    checked = 0
    with precision(BITS):
        for x in points:
            right_value, left_value = _value(case, x + STEP), _value(case, x - STEP)
            quotient = (right_value - left_value) / (STEP + STEP)
            slope = _slope(case, x)
            slope = acb(0) if slope is None else slope
            if quotient.is_finite() and slope.is_finite():
                assert _close(slope, quotient), f"{case} at {x.str(5)}"
                checked += 1
    assert checked >= 2


@pytest.mark.parametrize(
    ("answer", "integrand"),
    [
        (r"\psi^{(-2)}(x)", r"\ln\Gamma(x)"),  # right by Mathematica's convention
        (r"J_{300}(x)", r"\frac{J_{299}(x)-J_{301}(x)}{2}"),  # orders that take long
        (r"J_{300}(x)+x^2", "2x"),
    ],
)
def test_what_is_not_computed_refutes_nothing(answer: str, integrand: str) -> None:
    """The slope of such a value is unknown, and not zero."""
    assert verify_antiderivative(answer, integrand).status is Status.UNDECIDED
