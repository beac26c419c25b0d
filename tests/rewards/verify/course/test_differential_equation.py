"""Differential equations: residual, conditions, generality, branches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.calculus_course.differential_equations import with_trees
from calculus_harness.benchmarks.calculus_course.equations import scaled, shifted
from calculus_harness.rewards import ProblemError, Status, verify_differential_equation
from tests.examples import examples

RIGHT = [
    ("y' = 2xy", "y = Ce^{x^2}"),
    ("y' = 2xy", r"\ln|y| = x^2 + C"),
    (r"\frac{dy}{dx} = \frac{x}{y}", "y^2 - x^2 = C"),
    (r"x\,dy = y\,dx", "y = Cx"),
    ("y'' + y = 0", r"y = A\cos(x + \phi)"),
    (r"y'' + y = 0, y(0) = 1, y'(0) = 0", r"\cos x"),
    (r"\ddot{x} + \omega^2x = 0", r"x(t) = A\cos\omega t + B\sin\omega t"),
    ("Solve $y' = ky$ with $y(0) = y_0$.", "y = y_0e^{kx}"),
    (r"y' = -\frac{x}{y}", r"y = \pm\sqrt{C - x^2}"),
    (r"y' = -\frac{x}{y}, y(0) = 5", "x^2 + y^2 = 25"),
    (r"Find all solutions of $y' = y^2$", r"y = -\frac{1}{x+C} \text{ or } y = 0"),
    ("Solve the first-order equation $y' = y$.", "y = Ce^x"),
    (r"txy' = xy, y(x)", r"y = Ce^{\frac{x}{t}}"),
    ("Solve the equation. Assume A, F are real and positive. $Ay' = F$", r"y = \frac{F}{A}x + C"),
    ("y'' = xy", r"y = C_1\operatorname{Ai}(x) + C_2\operatorname{Bi}(x)"),
    (r"y'\left(x+\sqrt{y^2-xy}\right) = y", r"\ln y = C - 2\sqrt{1-\frac{x}{y}}"),
    ("x' = y, y' = -x", r"x = A\cos t + B\sin t, y = B\cos t - A\sin t"),
    ("y'' + y = 0, y(0) = 0, y(\\pi) = 0", r"y = C\sin x"),
    (r"\frac{d}{dx}\left(x\frac{dy}{dx}\right) = 0", r"y = C_1\ln|x| + C_2"),
    ("y'' + y = 0, y(0) = 0, y(L) = 1", r"y = \frac{\sin x}{\sin L}"),
    (r"\frac{dv}{dt} = -kv, v(T) = 3", "v = 3e^{-k(t-T)}"),
    ("y' = y, y(0) = 1", r"\begin{aligned} y &= e^x \end{aligned}"),
    ("x' = y, y' = -x, x(0) = 0, y(0) = 1",
     r"\begin{aligned} x(t) &= \sin t \\ y(t) &= \cos t \end{aligned}"),
    (r"\begin{array}{ll} x' = y, & x(0) = 0 \\ y' = -x, & y(0) = 1 \end{array}",
     r"\begin{array}{rcl} x &=& \sin t \\ y &=& \cos t \end{array}"),
]  # fmt: skip
WRONG = [
    ("y' = 2xy", "y = e^{x^2} + C", "", "a constant in the wrong place"),
    (
        "y' = 2xy",
        "y = e^{x^2}",
        "constants of integration: 0, of a general solution: 1",
        "no constant",
    ),
    ("y'' + y = 0", r"y = C\cos x", "integration: 1,", "one constant for order two"),
    ("y'' - y = 0", "y = C_1e^x + C_2e^x", "not independent", "one constant twice"),
    ("y'' + y = 0, y(0) = 1, y'(0) = 0", r"y = \sin x", "a condition is not met", "values"),
    ("y'' + y = 0, y(0) = 1, y'(0) = 0", r"y = C\cos x", "a condition is not met", "free"),
    (r"y' = -\frac{x}{y}, y(0) = 5", r"y = -\sqrt{25 - x^2}", "a condition", "the other branch"),
    ("y' = 1.0001y", "y = Ce^x", "", "a decimal"),
    ("y' = 2xy", "y = Ce^{t^2}", "no constants: t", "another variable than that of the question"),
    ("y'' + y = 0", r"y = C_1\cos t + C_2\sin x", "no constants", "two variables"),
    (
        "T' = -k(T - 20), T(0) = 80",
        "T = 20 + 60e^{kt}",
        "",
        "a sign, of a variable that is implied",
    ),
    ("y' = y", "y = y_h", "no constants", "a name for the solution"),
    ("x' = y, y' = -x", r"x = A\cos t, y = A\sin t", "", "a sign in a system"),
    (r"\frac{dv}{dt} = -kv, v(T) = 3", "v = 3e^{k(t-T)}", "", "a sign, with a value at a letter"),
    ("x' = y, y' = -x", r"\begin{aligned} x &= A\cos t \\ y &= A\sin t \end{aligned}", "", "rows"),
    ("y'' + y = 0, y(0) = 0, y(\\pi) = 0", r"y = \sin x", "multiple", "one of many"),
]


#: A question that names no independent variable, whose answer does; a solution that is zero.
NAMED_LATER = [
    ("T' = -k(T - 20), T(0) = 80", "T = 20 + 60e^{-kt}"),
    ("T' = -k(T - 20), T(0) = 80", "T(x) = 20 + 60e^{-kx}"),
    ("y'' + y = 0", r"y = C_1\cos t + C_2\sin t"),
    ("y' + y = y^2", r"y = \frac{1}{1 + Ce^x}\quad\text{or}\quad y\equiv 0"),
]


@pytest.mark.parametrize(("question", "answer"), RIGHT + NAMED_LATER)
def test_a_right_answer_is_proved(question: str, answer: str) -> None:
    verdict = verify_differential_equation(rf"\boxed{{{answer}}}", question, accept="proof")
    assert verdict.correct, verdict


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (r"\frac{d f(x)}{dx} = f(x)", "f(x) = C e^x"),
        (r"\frac{dy(t)}{dt} = y(t)", "y(t) = C e^t"),
        (r"\frac{d^2y(t)}{dt^2} = -y(t)", r"y(t) = A\cos t + B\sin t"),
        (r"\frac{dy(x)}{dx} = 3 y(x)^2", r"y = -\frac{1}{3x+C}"),
        ("y' = y^2(x)", r"y = -\frac{1}{x+C}"),
        (r"f'(x) = f^{2}{\left(x \right)}", r"f{\left(x \right)} = - \frac{1}{x+C}"),
        (r"2 \frac{d}{d x} f{\left(x \right)} + \frac{d^{2}}{d x^{2}} f{\left(x \right)} = 0",
         r"f{\left(x \right)} = C_{1} + C_{2} e^{- 2 x}"),
        (r"x + f{\left(x \right)} \frac{d}{d x} f{\left(x \right)} = 0",
         r"x^{2} + f^{2}{\left(x \right)} = C_{1}"),
        (r"\frac{d}{dx} y = y", "y = C e^x"),
        (r"\frac{\mathrm d y}{\mathrm d x} = y", "y = C e^x"),
        (r"\frac{d}{dx}(x f(x)) = 0", r"f(x) = \frac{C}{x}"),
        (r"\frac{d}{dx} \left(x \frac{d}{dx} y(x)\right) = 0", r"y = A + B\ln x"),
        (r"\frac{d}{dt} x(t) = y(t), \frac{d}{dt} y(t) = -x(t)",
         r"x = A\sin t - B\cos t, y = A\cos t + B\sin t"),
        ("y'(x+1) = y", "y = C(x+1)"),  # no Fresnel integral
        (r"\frac{dy}{dx}(x+1) = y", "y = K(x+1)"),
        ("y'' = 0", "y = C_1 + C_2(x-1)"),
        ("y''(t) = 0", "y = at + b"),
        ("y' = \\cos(\\pi x^2/2)", "y = C(x) + C_1"),
    ],
)  # fmt: skip
def test_functions_of_their_variable_are_no_products(question: str, answer: str) -> None:
    assert verify_differential_equation(rf"\boxed{{{answer}}}", question).correct


def test_an_operator_before_a_product_without_brackets_is_refused() -> None:
    with pytest.raises(ProblemError, match="write brackets"):
        verify_differential_equation(r"\boxed{C}", r"\frac{d}{dx} f(x) \cos x = 0")


def test_conditions_that_determine_a_parameter_refute_nothing() -> None:
    # y(2) = 400 says that the rate is ln 2, which is not computed.
    question = r"\frac{dy}{dt} = ky, y(0) = 100, y(2) = 400"
    verdict = verify_differential_equation(r"\boxed{100\cdot 2^t}", question)
    assert verdict.status is Status.UNDECIDED
    question = r"\frac{dy}{dt} = ky, y(0) = 100"
    verdict = verify_differential_equation(r"\boxed{100\cdot 2^t}", question)
    assert verdict.status is Status.INCORRECT


@pytest.mark.parametrize(("question", "answer", "detail"), [row[:3] for row in WRONG])
def test_a_wrong_answer_is_refuted(question: str, answer: str, detail: str) -> None:
    verdict = verify_differential_equation(rf"\boxed{{{answer}}}", question)
    assert verdict.status is Status.INCORRECT
    assert detail in verdict.evidence.detail


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("y' = 2xy", "y' = 2xy"),
        ("y' = 2xy", r"\frac{dy}{dx} = 2xy"),
        ("y' = y", "y = y"),
        ("y' = y", "C = C"),
        ("y' = y", "x = x"),
        ("y' = y", "0 = 0"),
        ("y' = f(x)", r"y = \int f(x)\,dx"),
    ],
)
def test_an_echo_earns_nothing(question: str, answer: str) -> None:
    try:
        verdict = verify_differential_equation(rf"\boxed{{{answer}}}", question)
    except ProblemError:
        return
    assert not verdict.correct


def test_a_lost_solution_is_not_accepted_where_all_are_asked_for() -> None:
    question = "Find all solutions of $y' = y^2$"
    verdict = verify_differential_equation(r"\boxed{y = -\frac{1}{x+C}}", question)
    assert verdict.status is Status.UNDECIDED
    assert "the constant 0 is not among them" in verdict.evidence.detail
    plain = verify_differential_equation(r"\boxed{y = -\frac{1}{x+C}}", "y' = y^2")
    assert plain.correct


@pytest.mark.parametrize(
    ("answer", "status"), [(r"\tan(C/x)", Status.UNDECIDED), ("Cx^2", Status.INCORRECT)]
)
def test_an_inverse_function_of_its_function_refutes_nothing(answer: str, status: Status) -> None:
    """arctan(tan u) is u on a part of the line, where the answer is a solution."""
    question = r"xy' + (1+y^2)\arctan y = 0"
    assert verify_differential_equation(rf"$\boxed{{y = {answer}}}$", question).status is status


def test_zero_for_boundary_values_is_undecided() -> None:
    question = r"y'' + y = 0, y(0) = 0, y(\pi) = 0"
    verdict = verify_differential_equation(r"\boxed{y = 0}", question)
    assert verdict.status is Status.UNDECIDED


def test_uniqueness_is_not_shown_where_the_equation_has_no_derivative() -> None:
    """The function 1 - x is a second solution, for x > 0."""
    question = r"y' = \lfloor y\rfloor - 1, y(0) = 1"
    verdict = verify_differential_equation(r"$\boxed{y = 1}$", question)
    assert "uniqueness_not_shown" in verdict.evidence.flags


def test_values_of_other_derivatives_do_not_show_uniqueness() -> None:
    question = "y'' + y = 0, y(0) = 0, y''(0) = 0"
    verdict = verify_differential_equation(r"$\boxed{y = \sin x}$", question)
    assert verdict.status is Status.INCORRECT
    assert "multiple" in str(verdict.evidence.detail)


def test_a_solution_on_a_part_of_the_line_says_how_much() -> None:
    verdict = verify_differential_equation(r"\boxed{y = \sin(x+C)}", r"y' = \sqrt{1-y^2}")
    assert verdict.correct
    assert verdict.evidence.coverage is not None
    assert verdict.evidence.coverage < 1
    question = r"y' = \sqrt{1-y^2}, y(0) = 0"
    assert verify_differential_equation(r"\boxed{y = \sin x}", question).correct
    assert not verify_differential_equation(r"\boxed{y = -\sin x}", question).correct


#: Beside a solution a step has the derivative 0 wherever it has one; kinks of y are steps of y'.
JUMPS = [
    ("y' = 1", r"y = x + C + \frac{|x-2|}{x-2}"),
    ("y' = 1", r"y = x + C\frac{|x-2|}{x-2} + D"),
    ("y' = 1", r"y = x + C + 10^{-40}\frac{|x-10^8|}{x-10^8}"),
    ("y' = 1", r"y = x + C + \frac{|x^2-3x+2|}{x^2-3x+2}"),
    ("y' = 1", r"y = x + C + \sqrt{1+\frac{|x|}{x}}"),
    ("y' = 1", r"y = x + C + \frac{\sqrt{x^2-2x+1}}{x-1}"),
    ("y' = 1", r"y = x + C + \frac{\sqrt[4]{x^4}}{x}"),
    ("y' = 1", r"y = x + C + \frac{\ln((x-1)^2)-2\ln(x-1)}{i}"),
    ("y' = 1", r"y = \sqrt{x^2} + C"),
    ("y' = 1, y(0) = 1", r"y = x + 2 + \frac{|x-10^8|}{x-10^8}"),
    ("y' = 1, y(0) = 1", r"y = \sqrt{(x+1)^2}"),
    ("y' = y", r"y = Ce^x\left(2 + \frac{|x-1|}{x-1}\right)"),
    ("y' = -1/x^2", r"y = \frac1x + C + \frac{|x-3|}{x-3}"),
    ("y' = y^{2/3}", r"y = \frac{(x+C+|x|/x)^3}{27}"),
    ("(y')^2 = 1", "y = |x| + C"),
    ("y'' + y = 0", r"y = C_1\cos x + C_2\sqrt{\frac{1-\cos 2x}{2}}"),
    ("y'' + y = 0", r"y = C_1\cos x + C_2\sin\sqrt{x^2}"),
    ("y'' + y = 0", r"y = C_1\cos x + C_2\frac{\tan x}{\sqrt{1+\tan^2 x}}"),
    ("y'' = 2", r"y = x^2 + C_1x + C_2 + \sqrt{(x-1)^2}"),
    ("y'' = 0, y(0) = 0, y(1) = 1", r"y = \sqrt{x^2}"),
    ("x' = y, y' = -x",
     r"x = \frac{|t-1|}{t-1}(A\cos t + B\sin t),\ y = \frac{|t-1|}{t-1}(B\cos t - A\sin t)"),
    (r"y' = -\frac xy", r"x^2 + y^2 = C + \frac{|x-1/2|}{x-1/2}"),
    (r"y' = -\frac xy", r"x^2 + y^2 = C + \frac{|y|}{y}"),
    (r"y' = -\frac xy", r"x^2 + y\sqrt{y^2} = C"),
    (r"y' = -\frac xy", r"x\sqrt{x^2} + y^2 = C"),
    (r"e^yy' = 1 + y'\sin y", r"e^y + \cos y = x + C + |y| - y"),
]  # fmt: skip
#: Functions with bars, roots and poles whose derivatives below the highest do not jump, or jump
#: where the equation is singular.
CONTINUOUS = [
    ("y' = 1", r"y = \frac{|x|^2}{x} + C"),
    ("y' = |x|", r"y = \frac{x|x|}{2} + C"),
    ("y' = |x|", r"y = \frac{|x|^3}{2x} + C"),
    ("y' = -1/x^2", r"y = \frac1x + C"),
    ("xy' = 2y", "y = Cx|x|"),
    (r"y' = \frac{1}{x^2-1}", r"y = \frac12\ln\left|\frac{x-1}{x+1}\right| + C"),
    (r"y' = \frac{\cos x}{|\cos x|}", r"y = \arcsin(\sin x) + C"),
    (r"y' = \sqrt{1+\sin x}", r"y = -2\sqrt{1-\sin x} + C"),
    (r"y' = \frac{1}{2+\cos x}", r"y = \frac{2}{\sqrt3}\arctan\frac{\tan(x/2)}{\sqrt3} + C"),
    ("y'' + y = \\tan x", r"y = A\cos x + B\sin x - \cos x\ln|\sec x+\tan x|"),
    ("4x^2y'' + y = 0", r"y = C_1\sqrt x + C_2\sqrt x\ln x"),
    ("y' = y^3", r"y = \frac{1}{\sqrt{C-2x}}"),
    (r"y' = \frac{x+y}{x-y}", r"\arctan\frac yx = \frac12\ln(x^2+y^2) + C"),
    (r"y' = \sqrt{1-y^2}", r"\arcsin y = x + C"),
    ("y' = 2xy", "|y| = e^{x^2+C}"),
    ("(x-y)y' = x + y", r"\ln x = C - \ln\sqrt{1+\frac{y^2}{x^2}} + \arctan\frac yx"),
    (r"xy' = y + x\sin\frac yx",
     r"\ln x = \ln C + \frac12\ln(\cos\frac yx-1) - \frac12\ln(\cos\frac yx+1)"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer"), JUMPS)
def test_a_solution_with_a_jump_is_not_accepted(question: str, answer: str) -> None:
    assert not verify_differential_equation(rf"$\boxed{{{answer}}}$", question).correct


@pytest.mark.parametrize(("question", "answer"), CONTINUOUS)
def test_a_continuous_solution_is_accepted(question: str, answer: str) -> None:
    verdict = verify_differential_equation(rf"$\boxed{{{answer}}}$", question)
    assert verdict.correct, verdict


@pytest.mark.parametrize(
    "answer",
    [
        "x^2 + y^2 = -1 - C^2",
        r"\sqrt{-1-x^2-y^2} = C",
        "e^{x^2+y^2+C} = 0",
        r"\sin(x^2+y^2) = 5+C^2",
    ],
)
def test_an_implicit_solution_without_real_points_is_not_accepted(answer: str) -> None:
    assert not verify_differential_equation(rf"$\boxed{{{answer}}}$", r"y' = -\frac xy").correct


def test_uniqueness_is_shown_or_said_not_to_be() -> None:
    regular = verify_differential_equation(r"\boxed{y = e^x}", "y' = y, y(0) = 1")
    assert "uniqueness_not_shown" not in regular.evidence.flags
    singular = verify_differential_equation(r"\boxed{y = x^3}", "y' = 3y^{2/3}, y(0) = 0")
    assert "uniqueness_not_shown" in singular.evidence.flags


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("y' = x + t", "is the independent variable x or t"),
        (r"\frac{\partial u}{\partial t} = u", "partial differential equations"),
        ("y + 2 = 3", "no function whose derivative is written"),
        ("y' = x, z' = y, z'' = 1", "3 equations for the functions"),
        ("y' = y, y(x) = 1, y = 2", "equations for the functions"),
        ("y" * 5000, "more than 4000 characters"),
    ],
)
def test_a_bad_question_is_one_clear_line(question: str, message: str) -> None:
    with pytest.raises(ProblemError, match=message) as raised:
        verify_differential_equation(r"\boxed{y = 1}", question)
    assert "\n" not in str(raised.value)


@examples(12)
@given(st.data(), st.integers(2, 5), st.booleans())
def test_a_substitution_of_the_variable_changes_no_verdict(
    data: st.DataObject, number: int, is_right: bool
) -> None:
    entry, solved = data.draw(st.sampled_from(with_trees()))
    slip = "" if is_right else "+x^5"
    for changed in (solved, scaled(solved, number), shifted(solved, number)):
        if not is_right and (len(changed.ode.functions) > 1 or changed.answers[0].implicit):
            continue
        verdict = verify_differential_equation(
            rf"\boxed{{{changed.answer}{slip}}}", changed.question
        )
        assert verdict.correct == is_right, (entry.id, changed.question, changed.answer)


CASES = (
    r"y = C + \begin{cases} -\frac{(kx+1)e^{-kx}}{k^{%s}} & \text{if } k \ne 0"
    r" \\ \frac{x^2}{2} & \text{otherwise} \end{cases}"
)


@pytest.mark.parametrize(
    ("question", "answer", "status"),
    [
        ("y' = xe^{-kx}", CASES % 2, Status.CORRECT),
        ("y' = xe^{-kx}", CASES % 3, Status.INCORRECT),
        (
            "x^2y'' + xy' + (x^2-3)y = 0",
            r"y = C_1J_{\sqrt{3}}(x) + C_2Y_{\sqrt{3}}(x)",
            Status.CORRECT,
        ),
        (
            "x^2y'' + xy' + (x^2-3)y = 0",
            r"y = C_1J_{\sqrt{2}}(x) + C_2Y_{\sqrt{2}}(x)",
            Status.INCORRECT,
        ),
        (
            "x(x-1)y'' + (\\frac32-2x)y' + 2y = 0",
            r"y = C_1x^{5/2}{}_2F_1(\frac12,\frac32;\frac72;x)+C_2{}_2F_1(-2,-1;-\frac32;x)",
            Status.CORRECT,
        ),
        ("y'' = xy", r"y = C_1\operatorname{Ai}(x) + C_2\operatorname{Bi}(-x)", Status.INCORRECT),
    ],
)
def test_cases_and_special_functions(question: str, answer: str, status: Status) -> None:
    assert verify_differential_equation(rf"\boxed{{{answer}}}", question).status is status


BRANCH = (
    r"Find the particular solution $y=f(x)$ to $\frac{dy}{dx} = \frac{x+1}{y}$ with $f(0) = -2$."
)


@pytest.mark.parametrize(
    ("question", "answer", "status"),
    [
        (BRANCH, r"y=-\sqrt{x^2+2x+4}", Status.CORRECT),
        (BRANCH, r"f(x)=-\sqrt{x^2+2x+4}", Status.CORRECT),
        (BRANCH, r"y=\sqrt{x^2+2x+4}", Status.INCORRECT),
        ("Let $y=f(x)$ satisfy $f'(x)=2f(x)$, $f(0)=3$. Find $y$.", "y=3e^{2x}", Status.CORRECT),
        ("Let $y=f(x)$ satisfy $f'(x)=2f(x)$, $f(0)=3$. Find $y$.", "y=4e^{2x}", Status.INCORRECT),
        ("Solve $y'=2y$, $y(0)=3$.", "f(x)=3e^{2x}", Status.CORRECT),
    ],
)
def test_a_function_with_two_names(question: str, answer: str, status: Status) -> None:
    assert verify_differential_equation(rf"\boxed{{{answer}}}", question).status is status


def test_a_value_of_an_unknown_function_is_no_condition() -> None:
    with pytest.raises(ProblemError, match="what is f"):
        verify_differential_equation(r"\boxed{3e^{2x}}", "Solve $y'=2y$ with $f(0)=3$.")
