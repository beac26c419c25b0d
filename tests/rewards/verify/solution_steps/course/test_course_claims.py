"""Steps of course solutions: judged claims, unjudged claims, and no rewards."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import verify_solution
from calculus_harness.rewards.adapters.scoring import Rollout, Rubric, score
from calculus_harness.rewards.errors import ProblemError
from calculus_harness.rewards.verdict import Status
from calculus_harness.rewards.verify.solution_steps import Solution, token_rewards
from calculus_harness.rewards.verify.solution_steps.reward import verify_steps

EQUATION = "xy' + 2y = x^3"
SERIES = r"\sum_{n=1}^{\infty} \frac{1}{n(n+1)}"


def judgements(text: str, problem: str, task: str = "") -> list[str]:
    claims = verify_solution(text, problem, task=task).claims
    return [str(claim.judgement) for claim in claims if claim.kind != "final"]


@pytest.mark.parametrize(
    ("problem", "claim", "judgement"),
    [
        # along the solutions of a differential equation
        (EQUATION, "(x^2y)' = x^4", "correct"),
        (EQUATION, "(x^2y)' = x^3", "incorrect"),
        (EQUATION, r"y' + \frac{2}{x}y = x^2", "correct"),
        (EQUATION, r"y' = x^2 + \frac{2}{x}y", "incorrect"),
        (EQUATION, r"x^2y = \int x^4\,dx", "correct"),
        (EQUATION, r"x^2y = \int x^3\,dx", "incorrect"),
        (EQUATION, r"x^2y = \frac{x^5}{5} + C", "correct"),
        (EQUATION, r"x^2y = \frac{x^4}{4} + C", "incorrect"),
        (EQUATION, r"y = \frac{x^3}{5} + \frac{C}{x^2}", "correct"),
        (EQUATION, r"y = \frac{x^3}{5} + C", "incorrect"),
        (EQUATION, r"y = \frac{1}{x^2}\left(\int x^4\,dx + C\right)", "correct"),
        (EQUATION, r"y = \frac{1}{x^2}\left(\int x^3\,dx + C\right)", "incorrect"),
        ("y' = 2xy", r"\frac{dy}{y} = 2x\,dx", "correct"),
        ("y' = 2xy", r"\frac{dy}{y} = x\,dx", "incorrect"),
        ("y' = 2xy", r"y\,dy = 2x\,dx", "incorrect"),
        ("y' = 2xy", r"|y| = e^{x^2 + C}", "correct"),
        ("y'' = -y", r"y'' + y = 0", "correct"),
        ("y'' = -y", r"y = C_1\cos x + C_2\sin x", "correct"),
        ("y'' = -y", r"y = C_1e^x + C_2e^{-x}", "incorrect"),
        ("y'' + 3y' + 2y = 0", "r^2 + 3r + 2 = (r + 1)(r + 2)", "correct"),
        ("y'' + 3y' + 2y = 0", "r^2 + 3r + 2 = (r - 1)(r - 2)", "incorrect"),
        ("y'' + 2y' + 5y = 0", r"\frac{-2 \pm \sqrt{-16}}{2} = -1 \pm 2i", "correct"),
        ("y'' + 2y' + 5y = 0", r"\frac{-2 \pm \sqrt{-16}}{2} = -1 \pm 4i", "incorrect"),
        # what may be about something else than the solution of the question is not wrong
        (EQUATION, "xy' + 2y = 0", "unchecked"),
        (EQUATION, r"y = \frac{C}{x^2}", "unchecked"),
        (EQUATION, "y = x^m", "unchecked"),
        (EQUATION, "y = x^5", "unchecked"),
        (EQUATION, "y^2 = 4", "unchecked"),
        (EQUATION, "y' = ky", "unchecked"),
        (EQUATION, "u' = 3x", "unchecked"),
        ("y' = y(1-y)", "y(1-y) = 0", "unchecked"),
        ("y' + y = x", "C_1'e^x + C_2'e^{-x} = 0", "unchecked"),
        ("y' + y = x", "y = C(x)e^{-x}", "unchecked"),
        # an implicit function has the slope of its curve
        (r"x^2 + y^2 = 25, \frac{dy}{dx}", r"2x + 2y\frac{dy}{dx} = 0", "correct"),
        (r"x^2 + y^2 = 25, \frac{dy}{dx}", r"2x + 2\frac{dy}{dx} = 0", "incorrect"),
        (r"x^2 + y^2 = 25, \frac{dy}{dx}", r"y'' = -\frac{25}{y^3}", "correct"),
        (r"x^2 + y^2 = 25, \frac{dy}{dx}", r"y' = -\frac{3}{4}", "unchecked"),
        (r"x^2 + y^2 = 25, \frac{dy}{dx}", "y = 3", "unchecked"),
        # derivatives of any order, at a place, partial ones
        (r"f(x) = x^4, f''(x)", "f''(x) = 12x^2", "correct"),
        (r"f(x) = x^4, f''(x)", "f^{(3)}(x) = 12x", "incorrect"),
        (r"f(x) = x^4, f''(x)", "f''(2) = 48", "correct"),
        (r"f(x) = x^4, f''(x)", r"\frac{d^2f}{dx^2} = 12x^2", "correct"),
        (r"f(x) = x^4, f''(x)", r"\frac{d}{dx}(1 + x^2)^3 = 6x(1 + x^2)^2", "correct"),
        (r"f(x,y) = x^2y^3, f_{xy}", "f_{xy} = 6xy^2", "correct"),
        (r"f(x,y) = x^2y^3, f_{xy}", r"\frac{\partial f}{\partial y} = 3x^2y", "incorrect"),
        (r"f(x) = x^3+2x+1, (f^{-1})'(4)", "f^{-1}(4) = 2", "unchecked"),
        (r"F(x) = \int_0^{x^2} e^{-t^2}\,dt, F'(x)", "F'(x) = 2xe^{-x^4}", "correct"),
        (r"F(x) = \int_0^{x^2} e^{-t^2}\,dt, F'(x)", "F'(x) = e^{-x^4}", "incorrect"),
    ],
)
def test_one_claim(problem: str, claim: str, judgement: str) -> None:
    task = "differential_equation" if "f" not in problem and "d" not in problem else "derivative"
    task = "derivative" if "F" in problem else task
    assert judgements(f"${claim}$", problem, task) in ([judgement], [])
    assert judgements(f"${claim}$ is what we have.", problem, task) in ([judgement], [])


@pytest.mark.parametrize(
    ("problem", "claim", "judgement"),
    [
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\sin x = x - \frac{x^3}{6} + O(x^5)", "correct"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\sin x = x + \frac{x^3}{6} + O(x^5)", "incorrect"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\cos x = 1 - \frac{x^2}{2} + \cdots", "correct"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\cos x = 1 - x^2 + \cdots", "incorrect"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\sin x = x - \frac{x^3}{6}", "unchecked"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\ln x = (x-1) - (x-1)^2 + \cdots", "unchecked"),
        (r"\lim_{n\to\infty} \frac{n^2}{2n^2}", r"(n+1)^3 = n^3 + 3n^2 + \cdots", "unchecked"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\lim_{x\to0}\frac{1}{x^2} = \infty", "correct"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\lim_{x\to0}\frac{1}{x^2} = -\infty", "incorrect"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\lim_{x\to0}\frac{\sin x}{x} = \infty", "incorrect"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", r"\lim_{x\to0}\frac{\sin x}{x} = \frac00", "unchecked"),
        (r"\lim_{x\to2} \frac{x^2-4}{x-2}", r"\lim_{x\to2}\frac{x^2-4}{x-2} = x + 2", "unchecked"),
        (
            r"\lim_{x\to-\infty} \frac{x}{\sqrt{x^2+1}}",
            r"\sqrt{x^2+1} = x\sqrt{1+\frac{1}{x^2}}",
            "incorrect",
        ),
        (
            r"\lim_{x\to\infty} \frac{x}{\sqrt{x^2+1}}",
            r"\sqrt{x^2+1} = x\sqrt{1+\frac{1}{x^2}}",
            "correct",
        ),
        (SERIES, r"\sum_{n=1}^{\infty} \frac{1}{n(n+1)} = 1", "correct"),
        (SERIES, r"\sum_{n=1}^{\infty} \frac{1}{n(n+1)} = 2", "incorrect"),
        (SERIES, r"\sum_{n=1}^N \frac{1}{n(n+1)} = 1 - \frac{1}{N+1}", "correct"),
        (SERIES, r"\sum_{n=1}^N \frac{1}{n(n+1)} = 1 - \frac{1}{N}", "incorrect"),
        (SERIES, r"S_N = 1 - \frac{1}{N+1}", "correct"),
        (SERIES, r"S_N = 1 - \frac{1}{(N+1)^2}", "incorrect"),
        (SERIES, r"\sum_{n=0}^{\infty} x^n = \frac{1}{1-x}", "correct"),
        (SERIES, r"\sum_{n=0}^{\infty} x^n = \frac{1}{1+x}", "incorrect"),
        (SERIES, r"\sum_{n=1}^{\infty} \frac1n = \infty", "correct"),
        (SERIES, r"\frac{(n+1)!}{n!} = n + 1", "correct"),
        (SERIES, r"\cos(n\pi) = (-1)^n", "correct"),
        (SERIES, r"\cos(n\pi) = (-1)^{n+1}", "incorrect"),
    ],
)
def test_one_claim_of_a_limit_or_a_sum(problem: str, claim: str, judgement: str) -> None:
    assert judgements(f"${claim}$", problem) == [judgement]


def test_the_answer_is_judged_as_the_kind_judges_it() -> None:
    # Not one side of the equation alone: y = 2x + C is right.
    solution = verify_solution(r"Answer: $\boxed{y^2 = 2x + C}$", "y' = 2")
    assert solution.verdict.status is Status.INCORRECT


def test_what_holds_for_the_values_at_the_start_is_not_wrong() -> None:
    problem = "y'' = 6x, y(0) = 1, y'(0) = 2"
    assert judgements("$y' = 3x^2 + 2$ and $y'' = 5x$.", problem) == ["unchecked", "incorrect"]
    text = "$p = y'$, $p' = p$, $p = Ce^x$, $p(0) = 1$, so $C = 1$ and $y' = e^x$."
    assert "incorrect" not in judgements(text, "y'' = y', y(0) = 0, y'(0) = 1")


@pytest.mark.parametrize(
    "text",
    [
        # the first N terms, a multiple, a sum that is shifted: not what the rule takes S_N for
        r"$S_N = 1 - \frac{1}{N}$",
        r"$S_N = 3 - \frac{3}{N+1}$",
        r"$S_N = \sum_{n=2}^N \frac1n$ is another sum",
    ],
)
def test_partial_sums_that_are_chosen_otherwise_are_not_wrong(text: str) -> None:
    assert "incorrect" not in judgements(text, SERIES)


def test_the_text_says_the_kind_of_a_question() -> None:
    claim = "$1 + 1 = 2$"
    for problem in (r"\lim_{x\to0} x", SERIES, r"\frac{d}{dx} x^2", "y' = 2xy", "2x"):
        assert judgements(claim, problem) == ["correct"]
    assert judgements(claim, r"\lim_{x\to0} x", "limit") == ["correct"]
    assert judgements(claim, "2x", "integration") == ["correct"]
    for problem, task in (("2x", "label"), ("2x", "limit"), (SERIES, "antiderivative")):
        with pytest.raises(ProblemError):
            verify_solution(claim, problem, task=task)


def test_values_at_the_start_determine_the_constants() -> None:
    text = r"""$y = C_1e^x + C_2e^{-x}$. $y(0) = C_1 + C_2 = 1$ and $y'(x) = C_1e^x - C_2e^{-x}$,
    so $y'(0) = C_1 - C_2 = 3$. Thus $y = 2e^x - e^{-x}$ and $y' = 2e^x + e^{-x}$."""
    problem = "y'' - y = 0, y(0) = 1, y'(0) = 3"
    assert "incorrect" not in judgements(text, problem)
    wrong = judgements(text.replace("C_1e^x - C_2e^{-x}", "C_1e^x + C_2e^{-x}"), problem)
    assert wrong.index("incorrect") == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a value of a constant against the condition, whatever the text has called it before
        (r"$y = Ce^{x^2}$. $3 = Ce^0$.", ["correct", "correct"]),
        (r"$y = Ce^{x^2}$. $4 = Ce^0$.", ["correct", "incorrect"]),
        (r"$\ln y = x^2 + C$, $y = e^{x^2 + C} = Ce^{x^2}$. $3 = Ce^0$.", ["correct"] * 4),
        (
            r"$\ln y = x^2 + C$, $y = e^{x^2 + C} = e^{x^2} + C$.",
            ["correct", "correct", "incorrect"],
        ),
        (r"$y(0) = C = 4$", ["correct", "incorrect"]),
        (r"$y = e^{x^2}$. Hence $y' = 2xe^{x^2}$.", ["unchecked", "correct"]),
        (r"Try $y = e^{rx}$. Then $y' = re^{rx}$.", ["correct"]),
        (r"Try $y = e^{rx}$. Then $y' = e^{rx}$.", ["incorrect"]),
        (r"Let $v = \ln y$. Then $v' = 2x$ and $v = x^2 + C$.", ["correct", "correct"]),
        (r"Let $v = \ln y$. Then $v' = x$ and $v = 2x + C$.", ["incorrect", "incorrect"]),
        # letters that an ansatz leaves open, and such that the text says to be zero
        (r"$y_p = A\cos x$, so $y_p'' = -A\cos x$.", ["correct"]),
        (r"$y_p = A\cos x$, so $y_p'' = -A\sin x$.", ["incorrect"]),
        (r"$y_p = Ax\cos x$. We want $y_p'' = -2\sin x$.", ["unchecked"]),
        (r"$4A - A = 3A$", ["correct"]),
        (r"$4A - A = 2A$", ["incorrect"]),
        (r"$4A - A = 2A$, so $A = 0$.", ["correct"]),
        (
            r"$\frac{1}{y(1-y)} = \frac{A}{y} + \frac{B}{1-y}$, $A = 1$, $B = 2$",
            ["correct"] * 2 + ["incorrect"],
        ),
    ],
)
def test_constants_and_coefficients(text: str, expected: list[str]) -> None:
    text = r"$y = Ce^{x^2}$. " + text if "y(0)" in text else text
    judged = judgements(text, "y' = 2xy, y(0) = 3")
    assert judged[len(judged) - len(expected) :] == expected


def solved() -> Solution:
    text = r"$\lim_{x\to0}\frac{\sin x}{x} = \lim_{x\to0}\frac{\cos x}{1} = 1$. \boxed{1}"
    return verify_solution(text, r"\lim_{x\to0}\frac{\sin x}{x}")


def test_steps_of_the_course_bring_no_progress() -> None:
    # There is no integral that right steps could settle, and nothing else that cannot be farmed.
    solution = solved()
    assert (solution.outcome, solution.progress) == ("right", 0)
    assert {claim.gain for claim in solution.claims} == {0}
    assert token_rewards(solution, [(at, at + 5) for at in range(0, 80, 5)]) == [0] * 16
    padded = (
        r"$1 = 1$. $\lim_{x\to0} x = 0$. " * 20 + r"$\int_0^1 2x\,dx = 1$, $\int 2x\,dx = x^2 + C$"
    )
    for problem in (r"\lim_{x\to0}\frac{\sin x}{x}", "y' = 2x", r"\frac{d}{dx} x^2", SERIES):
        assert verify_solution(f"${problem}$. {padded}", problem).progress == 0


def test_the_reward_of_steps_refuses_questions_of_the_course() -> None:
    with pytest.raises(ProblemError, match="its steps bring no reward"):
        verify_steps("$1 = 1$", r"\lim_{x\to0}\frac{\sin x}{x}")
    rubric = Rubric("steps", ("steps",), gate=False, workers=1)
    (result,) = score([Rollout("$1 = 1$", "y' = 2xy")], rubric)
    assert (result.reward, result.status) == (None, "bad_problem")


@pytest.mark.parametrize(
    ("claim", "judgement"),
    [
        (r"\sum_{n=1}^\infty \frac1n = \infty", "correct"),
        (r"\sum_{n=1}^\infty\frac{-1}{n} = -\infty", "correct"),
        (r"-\sum_{n=1}^\infty \frac1n = -\infty", "correct"),
        (r"\sum_{n=1}^\infty \frac1n = -\infty", "incorrect"),
        (r"\sum_{n=1}^\infty \frac{1}{n^2} = \infty", "incorrect"),
        (r"\sum_{n=1}^\infty (-1)^n = \infty", "unchecked"),
    ],
)
def test_an_infinite_sum_has_the_sign_of_its_terms(claim: str, judgement: str) -> None:
    assert judgements(f"$${claim}$$", SERIES) == [judgement]


def test_a_sum_without_a_variable_is_no_integrand() -> None:
    solution = verify_solution(r"$\boxed{1}$", r"\sum_{n=0}^\infty \frac{2^n}{3^{n+1}}")
    assert solution.outcome == "right"
    assert verify_solution(r"$\boxed{x + C}$", "1").outcome == "right"


@pytest.mark.parametrize("space", ["", " ", r"\,", r"\; "])
def test_a_sum_may_begin_with_a_sign(space: str) -> None:
    problem = r"\sum_{n=1}^\infty -\frac{1}{n^2}"
    for value, judgement in ((r"-\frac{\pi^2}{6}", "correct"), (r"\frac{\pi^2}{6}", "incorrect")):
        text = rf"$\sum_{{n=1}}^\infty{space}-\frac{{1}}{{n^2}} = {value}$"
        assert judgements(text, problem, "sum") == [judgement]
