"""Conditions of a problem on the parameters are read, and answers are judged by them."""

import pytest

from calculus_harness.rewards import ProblemError, verify_antiderivative, verify_definite_integral
from calculus_harness.rewards.numeric.quadrature import QuadratureError, draws, prepare_definite
from calculus_harness.rewards.numeric.quadrature.draws import draws_of, value_at
from calculus_harness.rewards.reading.problem.conditions import conditions_of

ASSUMPTIONS = [
    (r"n\in\mathbb{N}", {"n": "integer"}),
    (r"\quad (n \text{ a positive integer})", {"n": "integer"}),
    (r"\text{where }n\text{ is an odd natural number}", {"n": "odd"}),
    (r"n \text{ even}", {"n": "even"}),
    (r"n=1,2,3,\ldots", {"n": "integer"}),
    (r"n = 0, 2, 4, \dots", {"n": "even"}),
    (r"n\in\{1,3,5,\ldots\}", {"n": "odd"}),
    (r"n\in\mathbb{Z}", {"n": "signed integer"}),
    (r"m,n\in\mathbb{Z}^+", {"m": "integer", "n": "integer"}),
    (r"n\in\mathbb{Z}_{>0}", {"n": "integer"}),
    (r"n\in\mathbb{Z}, n\ge2", {"n": "integer"}),
    (r"\text{for integers } n\ge2", {"n": "integer"}),
    (r"a,b>0", {"a": "positive", "b": "positive"}),
    (r"\text{where } a<0", {"a": "negative"}),
    (r"a<b<0", {"a": "negative", "b": "negative"}),
    (r"a\ne 0", {"a": "real"}),
    (r"|a|<1", {"a": "real"}),
    (r"a<1", {"a": "real"}),
    (r"-1<a<1", {"a": "real"}),
    (r"0<a<1", {"a": "positive"}),
    (r"a\in(0,1)", {"a": "positive"}),
    (r"a>|b|", {"a": "positive", "b": "real"}),
    (r"\alpha>0,\ \beta\in\mathbb R", {"alpha": "positive", "beta": "real"}),
    (r"\text{where $a$ and $b$ are positive constants}", {"a": "positive", "b": "positive"}),
    (r"\text{where $a$ is a constant}", {"a": "positive"}),
]


@pytest.mark.parametrize(("text", "assumptions"), ASSUMPTIONS)
def test_kinds_of_parameters(text, assumptions):
    conditions = conditions_of(text)
    assert conditions is not None
    assert dict(conditions.assumptions) == assumptions


@pytest.mark.parametrize(
    "text",
    ["x^2", "Evaluate it", "a=b", "a b", r"a\text{ not negative}", "a>0, why", "n>" * 300],
)
def test_other_texts_are_no_conditions(text):
    assert conditions_of(text) is None


#: A problem, the right answer, and answers that are right without the condition or in another case.
JUDGED = [
    (r"\int_0^{\pi}\sin^2(nx)\,dx,\ n\in\mathbb{N}", r"\frac{\pi}{2}", [r"\pi"]),
    (r"\int_0^{\pi}\frac{\sin nx}{\sin x}\,dx, n \text{ odd}", r"\pi", ["0"]),
    (r"\int_0^{\pi}\frac{\sin nx}{\sin x}\,dx, n \text{ even}", "0", [r"\pi"]),
    (r"\int_0^{\pi}\frac{\sin nx}{\sin x}\,dx, n\in\mathbb{N}", None, ["0", r"\pi"]),
    (
        r"\int_0^\infty\frac{\sin(nx)}{x}dx, n\in\mathbb{Z}",
        r"\frac{\pi}{2}\operatorname{sgn}n",
        [r"\frac{\pi}{2}"],
    ),
    (r"\int_0^\infty\frac{\sin(ax)}{x}dx, a<0", r"-\frac{\pi}{2}", [r"\frac{\pi}{2}"]),
    (r"\int_a^b\frac{dx}{\sqrt{(x-a)(b-x)}},\quad a<b", r"\pi", [r"-\pi"]),
    (r"\int_0^1|x-a|\,dx, 0<a<1", r"a^2-a+\frac12", [r"a-\frac12"]),
    (r"\int_0^1|x-a|\,dx, a\ge 1", r"a-\frac12", [r"a^2-a+\frac12"]),
    (r"\int_0^1|x-a|\,dx, a<0", r"\frac12-a", [r"a-\frac12"]),
    (r"\int_0^1|x-a|\,dx, a<1", None, [r"a^2-a+\frac12", r"\frac12-a"]),
    (r"\int_0^1|x-a|\,dx, \frac13<a<\frac12", r"a^2-a+\frac12", [r"a-\frac12"]),
    (r"\int_0^1|x-a|\,dx, \frac12<a<2", None, [r"a^2-a+\frac12", r"a-\frac12"]),
    (r"\int_a^b|x|\,dx, a<0<b", r"\frac{a^2+b^2}{2}", [r"\frac{b^2-a^2}{2}"]),
    (r"\int_a^b\frac{|x|}{x}\,dx, a<b<0", "a-b", ["b-a"]),
    (
        r"For $a>b>0$, compute $$\int_0^{2\pi}\frac{dx}{a+b\cos x}.$$",
        r"\frac{2\pi}{\sqrt{a^2-b^2}}",
        [r"\frac{2\pi}{\sqrt{b^2-a^2}}"],
    ),
    (r"Evaluate $\int_0^{2n}\{x\}\,dx$, where n is a positive integer.", "n", ["2n"]),
    (r"Evaluate $\int_0^1 ax\,dx$ for x > 0.", r"\frac a2", ["a"]),
    (r"\int_0^n\lfloor x\rfloor\,dx=?,\ n\in\mathbb{N}", r"\frac{n(n-1)}{2}", [r"\frac{n^2}{2}"]),
    (
        r"\int_0^{2\pi}\cos mx\cos nx\,dx \quad (m\neq n \text{ positive integers})",
        "0",
        [r"\pi"],
    ),
    (
        r"$\int_0^{\pi/2}\frac{dx}{a^2\sin^2x+b^2\cos^2x}$ where $a,b$ are nonzero real constants",
        r"\frac{\pi}{2|ab|}",
        [r"\frac{\pi}{2ab}"],
    ),
]


@pytest.mark.parametrize(("problem", "right", "wrong"), JUDGED, ids=[row[0] for row in JUDGED])
def test_answers_are_judged_under_the_conditions(problem, right, wrong):
    if right is not None:
        assert verify_definite_integral(rf"\boxed{{{right}}}", problem).correct
    for answer in wrong:
        verdict = verify_definite_integral(rf"\boxed{{{answer}}}", problem)
        assert verdict.status.value == "incorrect", answer


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (r"\int_0^1 x^a\,dx, a>0, a<0", "a is positive and negative"),
        (r"\int_0^1 x^a\,dx, a>5, a<2", "no values of the parameters"),
        (r"\int_0^1 x^a\,dx, b>5", "conditions on b, which it lacks"),
        (r"$\int_0^1 x^a\,dx$ and $\sin a$", "may change the question"),
        (r"\int_0^1 x^a\,dx, a \text{ is a strange integer}", "unreadable"),
    ],
)
def test_conditions_that_cannot_be_used_are_one_clear_line(problem, message):
    with pytest.raises(ProblemError, match=message):
        verify_definite_integral(r"\boxed{\frac{1}{a+1}}", problem)


def test_draws_keep_the_conditions():
    for text, holds in (
        ("a>b>c>0", lambda a, b, c: a > b > c > 0),
        (r"\pi<a<2\pi", lambda a, b, c: 3.14 < a < 6.29),
        (r"|a|<1, b<-5", lambda a, b, c: -1 < a < 1 and b < -5),
        (r"3<c<5, c\in\mathbb{Z}", lambda a, b, c: c == 4),
    ):
        usual, special = draws_of(prepare_definite(rf"\int_0^1 |x-ab^2c|\,dx, {text}"))
        assert usual
        assert all(holds(**dict(draw)) for draw in (*usual, *special))


def test_signs_hold_for_antiderivatives():
    problem = r"\int\frac{dx}{x^2+a},\ a<0"
    answer = r"\boxed{\frac{1}{2\sqrt{-a}}\ln\left|\frac{x-\sqrt{-a}}{x+\sqrt{-a}}\right|+C}"
    assert verify_antiderivative(answer, problem).correct
    with pytest.raises(ProblemError, match="only signs, kinds"):
        verify_antiderivative(r"\boxed{ax}", r"\int a\,dx,\ a<b")


def test_what_fails_for_a_draw_fails_again_without_work(monkeypatch):
    attempts = []

    def evaluate(*arguments):
        attempts.append(arguments)
        raise QuadratureError("too hard")

    monkeypatch.setattr(draws, "evaluate", evaluate)
    integral = prepare_definite(r"\int_0^1 ax^{1357}\,dx")
    for _ in range(2):
        with pytest.raises(QuadratureError, match="too hard"):
            value_at(integral, draws_of(integral)[0][0], 17)
    assert len(attempts) == 1
