"""Jumps: forms without jumps, and refuted jumps of roots and logarithms."""

from __future__ import annotations

from functools import partial

import pytest
from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import Status, verify_antiderivative
from calculus_harness.rewards.numeric.ball_arithmetic.balls import Branch, precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.ball_arithmetic.domain import breakpoints, isolate
from calculus_harness.rewards.numeric.ball_arithmetic.point_count import has_fixed_branch
from calculus_harness.rewards.numeric.outcome import Budget
from calculus_harness.rewards.numeric.sampling.integrand import Integrand
from calculus_harness.rewards.proof.discontinuities.form import cannot_jump
from calculus_harness.rewards.proof.discontinuities.zeros import has_no_zeros
from calculus_harness.rewards.proof.prover import prove
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from calculus_harness.rewards.reading.latex import read
from calculus_harness.rewards.verify.values import same_function
from tests.examples import examples

X = Symbol("x")


def form(answer: str, integrand: str = "2x") -> bool:
    trees = (read(text, symbols=["x"])[0].expression for text in (answer, integrand))
    return cannot_jump(*trees, "x")


@pytest.mark.parametrize(
    "answer",
    [
        r"\frac{|x|}{x}",
        r"\operatorname{sgn}x",
        r"\lfloor x\rfloor",
        r"\arg x",
        r"\tan|x|",
        r"\frac{\sqrt{x^2}}{x}",
        r"|x|x^{-1}",
        r"\frac{|x|^{1/2}}{\sqrt x}",
        r"i\frac{\sqrt{-x}}{\sqrt x}",
        r"\frac{e^{\ln|x|}}{x}",
        r"\frac{\ln|x|}{\ln|2x|}",
        r"\ln(2+\frac{|x|}{x})",
        r"\ln\left|2+\frac{|x|}{x}\right|",
        r"\ln||x|+2x|-\ln|x|",
        r"\ln|\sqrt{x^2}+2x|-\ln|x|",
        r"\ln(x|x|)",
        r"(\ln|x|-\ln x)^2",
        r"(\sqrt{\ln x}^2-\ln|x|)^2",
        r"\begin{cases}1&x>0\\0&x<0\end{cases}",
        r"\frac{\sqrt{1+(x+i)^2}}{\cosh x}",
    ],
)
def test_forms_that_may_jump(answer: str) -> None:
    assert not form(answer)


@pytest.mark.parametrize(
    ("answer", "integrand"),
    [
        (r"x|x|", "2|x|"),
        (r"x\ln(2|\sin 7x|)", "1"),
        (r"\ln\frac{|x-1|^x}{3|x+1|}", "1"),
        (r"\ln|\ln|x||", "1"),
        (r"\frac{\ln|x|}{x}+e^{1/x}", "1"),
        (r"2|\sqrt x|-2\arctan|\sqrt x|", "1"),
        (r"2|\sqrt{\ln x}|", r"\frac{1}{x\sqrt{\ln x}}"),
        (r"\ln(2|\sin(\ln x)|)", r"\frac{\cot(\ln x)}{x}"),
        (r"(\sin x)^{3/2}+e^{-5000}", "1"),
        (r"\max(x,3)^2", "1"),
    ],
)
def test_forms_that_cannot_jump(answer: str, integrand: str) -> None:
    assert form(answer, integrand)


def test_one_half_of_a_piecewise_integrand_is_not_proved() -> None:
    pieces = r"\begin{cases}\ln x&x>0\\5x&x\le0\end{cases}"
    answer, integrand = (read(text, symbols=["x"])[0].expression for text in (r"x\ln x-x", pieces))
    assert prove(answer, integrand, "x", {}) is None


def test_the_integrand_s_domain_ends_at_its_own_roots_only() -> None:
    assert form(r"\frac{\sqrt{x-1}}{x}", r"\frac{1}{\sqrt{x-1}}")
    assert not form(r"\frac{\sqrt{x-1}}{x}", "1")


# --- random terms whose pieces meet at 0


def call(name: str, *args: Expression) -> Expression:
    return Call(name, args)


ABS, TWICE = call("abs", X), call("mul", Number(2), X)
PIECES = [
    *(X, Number(2), ABS, call("neg", X), TWICE, call("sqrt", call("mul", X, X))),
    *(call("ln", X), call("ln", ABS), call("ln", call("abs", call("add", ABS, TWICE)))),
    *(call("ln", call("mul", Number(2), ABS)), call("sqrt", X), call("sqrt", ABS)),
]
TERMS = st.recursive(
    st.sampled_from(PIECES),
    lambda inner: st.one_of(
        *(st.builds(call, st.just(name), inner, inner) for name in ("add", "mul", "div")),
        st.builds(call, st.sampled_from(["exp", "abs", "neg", "sin"]), inner),
    ),
    max_leaves=3,
)


@pytest.mark.slow
@examples(1500)
@given(TERMS)
def test_no_step_of_a_locally_constant_term(term: Expression) -> None:
    """A term with a constant value on each side of 0 has the same real part on both sides."""
    if not cannot_jump(term, Number(1), "x"):
        return
    tape = compile_tape(term, "x")
    with precision(256):
        sides = [
            [tape.run(acb(sign * x), {})[tape.root] for x in (1e-9, 1e-7, 1e-5)]
            for sign in (1.0, -1.0)
        ]
        values = [jet[0].real for side in sides for jet in side]
        slopes = [jet[1] for side in sides for jet in side]
        if not all(value.is_finite() for value in values):
            return
        if all(slope is None or abs(slope) < 1e-60 for slope in slopes):
            assert abs(values[0] - values[3]) < 1e-30


# --- jumps of roots and logarithms inside the domain


@pytest.mark.parametrize(
    "step",
    [
        r"i\frac{\sqrt{-x}}{\sqrt x}",
        r"\frac{\sqrt{x-1}}{i\sqrt{1-x}}",
        r"\frac{\sqrt{(x-1)(x-2)}}{\sqrt{x-1}\sqrt{x-2}}",
        r"\frac{\sqrt[4]{x^4}}{x}",
        r"\frac{\sqrt[3]x\sqrt[6]x}{\sqrt x}",
        r"(\ln|x|-\ln x)^2",
        r"(\ln x-\ln(-x))^3i",
        r"(\ln(x-1)-\ln(1-x))i",
        r"\sqrt{-1}(\ln x-\ln(-x))",
        r"(\ln|x+1|-\ln(\sqrt{x}^2+1))^2",
        r"i(\ln|x+1|-\ln(\sqrt{x}\sqrt{x}+1))",
    ],
)
def test_a_step_that_a_root_or_logarithm_makes_is_refuted(step: str) -> None:
    assert verify_antiderivative(rf"\boxed{{x^2+{step}}}", "2x").status is Status.INCORRECT


@pytest.mark.parametrize(
    ("answer", "integrand"),
    [
        (r"\frac{2\sin x}{\sqrt{1+\cos x}}", r"\sqrt{1+\cos x}"),
        (r"2\sqrt{1-\cos x}", r"\sqrt{1+\cos x}"),
        (r"\ln(1-x^2)-\ln(x-1)", r"\frac{1}{1+x}"),
        (r"x^2+\ln x-\ln(-x)", "2x"),
        (r"-\frac{x\Gamma\left(\frac13,x^3\right)}{3\sqrt[3]{x^3}}", "e^{-x^3}"),
        (r"-\frac{x\Gamma\left(\frac14,x^4\right)}{4\sqrt[4]{x^4}}", "e^{-x^4}"),
        (r"\frac i2(\ln(x+i)-\ln(x-i))", r"\frac{1}{1+x^2}"),
    ],
)
def test_customary_jumps_are_accepted(answer: str, integrand: str) -> None:
    assert verify_antiderivative(rf"\boxed{{{answer}}}", integrand).correct


@pytest.mark.parametrize(
    ("answer", "target", "points"),
    [
        (r"\frac{1 - \sqrt{\sin x}}{1 - \sin x}", r"\frac{1}{1 + \sqrt{\sin x}}", 1),
        (r"x\ln(\cos^2 x) + \sqrt{x^2}", r"\sqrt{x^2} + x\ln(\cos^2 x)", 1),
        (r"\frac{x + \sqrt{x^2}}{x + \sqrt{x^2}}", "1", None),
        (r"\frac{x + |x|}{x + |x|}", "1", None),
        (
            r"x + \tan(x + \frac{\pi}{2} - \sqrt{x^2}) - \tan(x + \frac{\pi}{2} - \sqrt{x^2})",
            "x",
            None,
        ),
        (r"\frac{\arcsin(\sin x) - x}{\arcsin(\sin x) - x}", "1", None),
        (r"\frac{\ln(x^4) - 4\ln x}{\ln(x^4) - 4\ln x}", "1", None),
        (r"\frac{\sqrt{x^2-2x+1} + x - 1}{\sqrt{x^2-2x+1} + x - 1}", "1", None),
    ],
)
def test_a_proved_identity_needs_values_everywhere(
    answer: str, target: str, points: int | None
) -> None:
    """A single point suffices if no divisor is zero on an interval, for any values of roots."""
    tree, expected = (read(text)[0].expression for text in (answer, target))
    integrand = Integrand(expected, "x", {}, target)
    outcome = same_function(tree, integrand, (None, None), answer, Budget())
    if points is None:
        assert outcome.status is not Status.CORRECT
    else:
        assert (outcome.proof, outcome.points) == ("identity", points)


def test_an_inverse_function_turns_at_three_values() -> None:
    tape = compile_tape(read("x^2")[0].expression, "x")
    with precision(128):
        at = partial(tape.at, tape.root, values={})
        turns, wholes = (breakpoints(at, event, 400, 2.0**-40)[0] for event in ("turn", "integer"))
    assert [round(float(low.mid())) for low, _ in turns] == [-1, 0, 1]
    assert len(wholes) > len(turns)


def test_the_zeros_of_an_imaginary_part_are_isolated() -> None:
    """The real part of ``i(x - 2)`` is 0 everywhere."""
    tape = compile_tape(read("|ix-2i|", symbols=["x"])[0].expression, "x")
    with precision(128):
        intervals, unsure = breakpoints(
            partial(tape.at, tape.breaks[0].slot, values={}), tape.breaks[0].at, 400, 2.0**-20
        )
    assert not unsure
    assert [round(float(low)) for low, _ in intervals] == [2]


@pytest.mark.parametrize(
    "step",
    [
        r"\frac{\sqrt{x^2}}{x}+\operatorname{Ei}(x)-\operatorname{Ei}(x)",
        r"\frac{\sqrt{x^2}}{x}\frac{\operatorname{Si}(x)}{\operatorname{Si}(x)}",
    ],
)
def test_a_step_is_not_hidden_by_a_special_function(step: str) -> None:
    assert not verify_antiderivative(rf"\boxed{{x^2+{step}}}", "2x").correct


def test_proved_answers_need_no_breakpoints() -> None:
    for answer, integrand in (
        (r"\ln(2|\sin 7x|)", r"7\cot 7x"),
        (r"\frac{e^{5x}\ln|\sinh 999x|}{999}", r"e^{5x}(\frac{5}{999}\ln\sinh 999x+\coth 999x)"),
        (r"(\sin x)^{3/2}+e^{-5000}", r"\frac32\sqrt{\sin x}\cos x"),
        (r"\frac{\ln\cosh e^{10000x}}{10000}", r"e^{10000x}\tanh e^{10000x}"),
        (r"2^{-10000}\frac23(\sin x)^{3/2}", r"2^{-10000}\sqrt{\sin x}\cos x"),
        (r"\frac{x}{5x}+e^{-1000}", r"\frac{5x-5x}{(5x)^2}"),
    ):
        verdict = verify_antiderivative(rf"\boxed{{{answer}}}", integrand)
        assert (verdict.correct, verdict.evidence.proof) == (True, "identity")


@pytest.mark.parametrize(
    ("radicand", "fixed"),
    [
        ("x-2", True),
        (r"\ln(2x)", True),
        (r"\ln(x^2)", False),
        ("x^2", False),
    ],
)
def test_radicands_that_change_sign_only_at_an_end_of_the_domain(
    radicand: str, fixed: bool
) -> None:
    tree = read(radicand, symbols=["x"])[0].expression
    assert has_fixed_branch(Branch(tree, 0, True), "x") is fixed


def test_a_sign_that_is_unknown_at_an_end_is_no_zero_there() -> None:
    """With 128 bits, ``x - 3/4 + pi^{50} - pi^{50}`` is known to 2^-42; the zero is 2^-44 off."""
    tape = compile_tape(read(r"x-\frac34-2^{-44}+\pi^{50}-\pi^{50}")[0].expression, "x")
    with precision(128):
        found = isolate(
            partial(tape.at, tape.root, values={}), arb(0), arb(0.75), arb(1), 2.0**-100
        )
    assert found is not None
    assert bool(found[0] <= arb(0.75) + arb(2) ** -44)
    assert bool(found[1] >= arb(0.75) + arb(2) ** -44)


def test_a_reciprocal_vanishes_at_poles() -> None:
    texts = (r"\frac{1}{\Gamma(x)^2}", r"x+\sqrt{x^2+1}", r"e^{2x}")
    assert [has_no_zeros(read(text)[0].expression, "x") for text in texts] == [False, True, True]
