"""Derivatives: explicit, partial, higher, at a point, implicit, parametric."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import ProblemError, Status, verify_derivative
from calculus_harness.rewards.reading.expression.traversal import substitute
from calculus_harness.rewards.reading.expression.tree import Symbol
from calculus_harness.rewards.reading.latex import read, to_latex
from tests.examples import examples

RIGHT = [
    # The variables of a function that is named without arguments are those of the question.
    (r"z=x^2y^3, \frac{\partial^2 z}{\partial x\partial y}", "6xy^2"),
    (r"z=\ln(x^2+y^2), \frac{\partial^2 z}{\partial x^2}+\frac{\partial^2z}{\partial y^2}", "0"),
    (r"u=x^2y^3, x u_x + y u_y", "5x^2y^3"),
    (r"f(x)=xy^2, \frac{\partial f}{\partial y}", "2xy"),
    (r"\left(\frac{\ln x}{x}\right)'", r"\frac{1-\ln x}{x^2}"),
    # sin(..) is no function that the question defines
    (r"\sin(xy) = x, \frac{dy}{dx}", r"\frac{1 - y\cos(xy)}{x\cos(xy)}"),
    # Leibniz's rule
    (r"\frac{d}{dx}\int_0^{x^2}\sin(t^2)\,dt", r"2x\sin(x^4)"),
    (r"g(x)=\int_{\sin x}^{x}\sqrt{1+t^2}\,dt, g'(x)", r"\sqrt{1+x^2}-\cos x\sqrt{1+\sin^2x}"),
    (r"\frac{d}{dx}\left(\int_x^5 e^{-t^2}dt\right)", "-e^{-x^2}"),
    (r"F(x)=\int_0^x e^{t^2}dt, F''(x)", "2xe^{x^2}"),
    (r"\frac{d}{dx} x^3", "3x^2"),
    (r"\frac{d}{dx} x^3", r"\frac{d}{dx}x^3 = 3x^2"),
    (r"\dfrac{\mathrm{d}}{\mathrm{d}x}\left[\sin(x^2)\right]", r"2x\cos(x^2)"),
    (r"\frac{d}{dx}\sin^2 x", r"\sin 2x"),
    ("d/dx x^2 e^x", "xe^x(x+2)"),
    (r"\frac{d}{dx} x^2 + 3x", "2x+3"),
    (r"Differentiate $f(x) = x\ln x$.", r"f'(x) = \ln x + 1"),
    (r"Find the second derivative of $x^3$ with respect to $x$.", "6x"),
    ("f(x) = x^3, f'(2)", "12"),
    (r"f(x) = \ln x, f^{(4)}(x)", r"-\frac{6}{x^4}"),
    (r"\left.\frac{dy}{dx}\right|_{x=1}, y = x^x", "1"),
    (r"y = x^x, \frac{dy}{dx}", r"y(\ln x + 1)"),
    (r"\frac{\partial^2}{\partial x\partial y} x^2y^3", "6xy^2"),
    ("f(x,y) = x^2y, f_{xy}", "2x"),
    (r"x^2 + y^2 = 25, \frac{dy}{dx}", r"-\frac{x}{y}"),
    (r"x^2 + y^2 = 25, y''", r"-\frac{25}{y^3}"),
    (r"x^2 + y^2 = 25, \frac{dy}{dx}\text{ at }(3,4)", r"-\frac34"),
    (r"x = t^2, y = t^3, \frac{dy}{dx}", r"\frac{3t}{2}"),
    (r"x = t^2, y = t^3, \frac{d^2y}{dx^2}", r"\frac{3}{4t}"),
    (r"\frac{d}{dx}|x|", r"\frac{|x|}{x}"),
    (r"Find the slope of the tangent line to the curve $y=\sqrt{x}$ at $(4,2)$.", r"\frac14"),
    (r"Find $\frac{\partial z}{\partial x}$ at $(1,2,2)$ for $z=x^2y$.", "4"),
]
WRONG = [
    (r"\frac{d}{dx}\int_0^{x^2}\sin(t^2)\,dt", r"\sin(x^4)"),
    (r"z=x^2y^3, \frac{\partial^2 z}{\partial x\partial y}", "0"),
    (r"\frac{d}{dx} x^3", "3x^2 + C"),
    (r"\frac{d}{dx} x^3", "x^3"),
    (r"\frac{d}{dx} x^3", "3.0001x^2"),
    (r"f(x) = \ln x, f'(3)", "0.333333"),
    (r"\frac{d}{dx}\sqrt{x^2}", "1"),
    (r"x^2 + y^2 = 25, \frac{dy}{dx}", r"\frac{x}{y}"),
    (r"x^2 + y^2 = 25, y''", r"-\frac{1}{y^3}"),
    (r"x = t^2, y = t^3, \frac{d^2y}{dx^2}", "3"),
    (r"\frac{d}{dx} x^2", "2x + k"),
]


@pytest.mark.parametrize(("question", "answer"), RIGHT)
def test_a_right_answer_is_proved(question: str, answer: str) -> None:
    verdict = verify_derivative(rf"\boxed{{{answer}}}", question, accept="proof")
    assert verdict.correct, verdict
    assert verdict.evidence.proof == "identity"


@pytest.mark.parametrize(("question", "answer"), WRONG)
def test_a_wrong_answer_is_refuted(question: str, answer: str) -> None:
    assert verify_derivative(rf"\boxed{{{answer}}}", question).status is Status.INCORRECT


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (r"\frac{d}{dx} x^3", Status.NOT_CLOSED_FORM),
        ("f'(x)", Status.UNPARSEABLE),
        (r"\text{unknown}", Status.UNPARSEABLE),
    ],
)
def test_an_echo_earns_nothing(answer: str, status: Status) -> None:
    verdict = verify_derivative(rf"\boxed{{{answer}}}", r"f(x) = x^3, \frac{d}{dx} x^3")
    assert not verdict.correct
    assert verdict.status in (status, Status.NO_ANSWER, Status.NOT_CLOSED_FORM)


def test_a_value_that_agrees_is_not_proved() -> None:
    question = r"f(x)=\frac{\pi^2}{6}x, f'(0)"
    assert verify_derivative(r"$\boxed{\zeta(2)}$", question).evidence.proof == "agreement"
    strict = verify_derivative(r"$\boxed{\zeta(2)}$", question, accept="proof")
    assert strict.status is Status.UNDECIDED


def test_a_list_of_guesses_is_wrong() -> None:
    text = r"\boxed{2x} or \boxed{3x}"
    assert verify_derivative(text, r"\frac{d}{dx} x^2").status is Status.INCORRECT


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("x^2", "neither a derivative nor an equation"),
        (r"\frac{dy}{dx}", "one equation has to define"),
        ("f(x) = x^2, f'(x), f''(x)", "one derivative"),
        (r"\frac{d}{dx} x^2, \text{at }(1,2)", "as many values as names"),
        ("y^{(99)}, y = x", "order above"),
        ("x" * 5000, "more than 4000 characters"),
        (r"\frac{d}{dx}\int_0^x xt\,dt", "depends on x, too"),
        (r"F(x)=\int_0^x e^{t^2}dt, F(x)+F'(x)", "as well as its derivative"),
        (r"\frac{d}{dx}\int x^2\,dx", "needs limits"),
        (r"f(x)=\ln x, f'(-1)", "no real value at the point"),
        (r"\left.\frac{d}{dx}\sqrt{x}\right|_{x=-4}", "no real value at the point"),
        (r"x^2+y^2=1, \frac{dy}{dx} \text{ at } (\frac12, 5)", "not on the curve"),
        (r"Find the slope of the curve $y=\sqrt{x}$ at the point $(4,3)$.", "not on the curve"),
        (r"Find $\frac{dy}{dx}$ if $y=x^2$ at $y=9$", "given by the value of the function"),
    ],
)
def test_a_bad_question_is_one_clear_line(question: str, message: str) -> None:
    with pytest.raises(ProblemError, match=message) as raised:
        verify_derivative(r"\boxed{1}", question)
    assert "\n" not in str(raised.value)


FORMULAS = [(r"x^2\sin x", r"2x\sin x + x^2\cos x"), (r"\ln(1+x^2)", r"\frac{2x}{1+x^2}"),
            ("e^{-x}", "-e^{-x}"), (r"\arctan x", r"\frac{1}{1+x^2}")]  # fmt: skip


@examples(20)
@given(
    st.sampled_from(FORMULAS),
    st.sampled_from(["t", "u", "z", "s"]),
    st.sampled_from(["", "+1", "x"]),
)
def test_the_name_of_the_variable_changes_no_verdict(
    formula: tuple[str, str], name: str, slip: str
) -> None:
    function, slope = (
        read(text, symbols="x")[0].expression for text in (formula[0], formula[1] + slip)
    )

    def status(letter: str) -> Status:
        argument, answer = (
            to_latex(substitute(tree, "x", Symbol(letter))) for tree in (function, slope)
        )
        question = rf"\frac{{d}}{{d{letter}}}\left({argument}\right)"
        return verify_derivative(rf"\boxed{{{answer}}}", question).status

    verdicts = [status("x"), status(name)]
    assert verdicts[0] is verdicts[1]
    assert (verdicts[0] is Status.CORRECT) == (slip == "")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (r"\frac{d}{dx} x^2", r"2x + \operatorname{sgn}(x-3)^2 - 1"),
        (r"\frac{d}{dx} x^2", r"2x + 10^{-300}(1 - \operatorname{sgn}(x-10^9)^2)"),
        (r"\frac{d}{dx} x^2", r"2x\operatorname{sgn}(x-1)^2"),
        (
            r"\frac{d}{dx} x^2",
            r"2x + \frac{1-\operatorname{sgn}(x)^2}{1-2(1-\operatorname{sgn}(x)^2)}",
        ),
        (r"\frac{d}{dx} x^2", r"2x + \left\lfloor\frac{1}{1+(x-3)^2}\right\rfloor"),
        (r"\frac{d}{dx} x^2", r"2x + \left\lceil\frac{x^2}{1+x^2}\right\rceil - 1"),
        (r"\frac{d}{dx} x^2", "2x + 0^{|x-3|}"),
        (r"\frac{d}{dx}(x|x|)", r"2x\operatorname{sgn}(x) + 5(1-\operatorname{sgn}(x)^2)"),
    ],
)
def test_another_value_at_a_breakpoint_is_not_accepted(question: str, answer: str) -> None:
    assert not verify_derivative(rf"$\boxed{{{answer}}}$", question).correct


@pytest.mark.parametrize(
    ("function", "answer"),
    [
        ("|x|", r"\frac{x}{|x|}"),
        ("|x|", r"\operatorname{sgn}(x)"),
        ("x|x|", r"2x\operatorname{sgn}(x)"),
        ("x|x|", r"|x| + \frac{x^2}{|x|}"),
        ("x|x|", r"\begin{cases} 2x & x > 0 \\ -2x & x < 0 \end{cases}"),
        ("|x|^3", r"3|x|^2\frac{x}{|x|}"),
        ("|x^2-1|", r"\begin{cases} 2x & |x| > 1 \\ -2x & |x| < 1 \end{cases}"),
        (r"\cos|x|", r"-\frac{x}{|x|}\sin|x|"),
        (r"\arcsin(\cos x)", r"-\frac{\sin x}{|\sin x|}"),
    ],
)
def test_a_derivative_with_breakpoints_is_accepted(function: str, answer: str) -> None:
    question = rf"\frac{{d}}{{dx}}\left({function}\right)"
    assert verify_derivative(rf"$\boxed{{{answer}}}$", question).correct


@pytest.mark.parametrize(
    ("curve", "right", "addend"),
    [
        ("x^2+y^2=1", r"-\frac xy", "10^{-90}"),
        ("x^2+y^2=1", r"-\frac xy", r"\max(0, y-\frac{999}{1000})"),
        ("x^2+y^2=1", r"-\frac xy", r"\sqrt{(x-0.99)^2} + x - 0.99"),
        (r"e^y+\sin(xy)=x^3", r"\frac{3x^2-y\cos(xy)}{e^y+x\cos(xy)}", "10^{-60}y"),
        (r"\sqrt x+\sqrt y=3", r"-\sqrt{\frac yx}", "10^{-90}"),
        ("x^y=e^{x-y}", r"\frac{\ln x}{(1+\ln x)^2}", r"\max(0, y-10^6)"),
    ],
)
def test_points_of_a_curve_accept_nothing(curve: str, right: str, addend: str) -> None:
    question = rf"{curve}, \frac{{dy}}{{dx}}"
    assert verify_derivative(rf"$\boxed{{{right}}}$", question, accept="proof").correct
    assert not verify_derivative(rf"$\boxed{{{right} + {addend}}}$", question).correct
