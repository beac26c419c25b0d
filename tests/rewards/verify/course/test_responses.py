"""Responses in many people's and models' styles to plain questions, mostly without a box.

Two writers without knowledge of the code wrote the responses. The first 94 (``r0..``, ``r1..``)
served for development; of the next 100, the first run accepted 46 of 50 right responses and refuted
one.

A third stranger wrote the responses ``M001`` to ``M150``, in the styles of models, students and
templates: the first run accepted 77 of 105 right responses, refuted 7 and accepted a wrong one. The
other responses of the file are variants of misjudged responses, by the writer of the mends: run-on
base models (A), loops (B), remarks behind the answer (C), values in plain and bold type (D),
results that somebody finds (E), derivatives of order n (F), and further responses (G, H, K).

A fourth writer wrote 527 responses (S) in the styles of models in twelve languages and of reward
hackers, the first 230 before a look at the code; the file has those that were misjudged, and
neighbours. On the first 230 the first run accepted 103 of 112 right responses and 5 of 113 wrong
ones, and on all, as the code was then, 248 of 301 and 44 of 221.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from calculus_harness.rewards import (
    ProblemError,
    Status,
    verify_antiderivative,
    verify_definite_integral,
    verify_derivative,
    verify_limit,
    verify_sum,
)
from calculus_harness.rewards.questions import QUESTIONS
from calculus_harness.rewards.reading.extraction import extract

CASES = json.loads(
    (Path(__file__).parents[2] / "cases" / "course_responses.json").read_text("utf-8")
)
STRANGERS = json.loads(
    (Path(__file__).parents[2] / "cases" / "stranger_responses.json").read_text("utf-8")
)
JUDGES = {
    "antiderivative": verify_antiderivative,
    "definite": verify_definite_integral,
} | {task: QUESTIONS[task].verify for task in QUESTIONS if task != "definite"}
#: Responses with two answers of which one is right: "-1, if ..; divergent, if ..".
HEDGES = {"r079"}


def test_right_responses_are_accepted_and_others_are_not() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for case in CASES:
        try:
            status = JUDGES[case["kind"]](case["response"], case["question"]).status
        except ProblemError:
            continue
        counts[case["label"], status.value] += 1
        if case["label"] == "right":
            assert status is Status.CORRECT, case
        elif case["id"] not in HEDGES:
            assert status is not Status.CORRECT, case
    assert counts["right", "correct"] >= 94
    assert counts["wrong", "incorrect"] >= 52


#: Questions that are not read: templates around them, areas, volumes and lengths, two integrals, a
#: function that an integral defines, several problems, the equation of a tangent line.
UNREAD = set(
    """M022 M026 M027 M028 M029 M051 M062 M072 M079 M089 M096 M104 M110 M129 M135 M147""".split()
)
#: Wrong responses that are accepted: the other branch of a solution y = f(x); "It's 0!", which is
#: 1; a formula that the writer takes back behind it.
ACCEPTED = {"M097", "G07", "H49"}
#: Right responses that are refuted: they go on with the second derivative, by that name, and with
#: the average value and the maximum; "from 0 to 4 = .." (S434).
REFUTED = {"H26", "K24", "S434"}


def test_responses_of_strangers() -> None:
    wrong: list[tuple[str, str]] = []
    for case in STRANGERS:
        try:
            status = JUDGES[case["kind"]](case["response"], case["question"]).status
        except ProblemError:
            if case["label"] == "right" and case["id"] not in UNREAD:
                wrong.append((case["id"], "unread"))
            continue
        is_known = case["id"] in UNREAD | ACCEPTED | REFUTED
        if (status is Status.CORRECT) != (case["label"] == "right") and not is_known:
            wrong.append((case["id"], status.value))
    assert not wrong


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"The sums are $S_N = \frac34 - \frac1{2N} \to \frac34$ as $N \to \infty$.", r"\frac34"),
        ("Partial sums: S_N = 3/4 - 1/(2N)\n\nS_N → 3/4 as N → ∞.", "3/4"),
        (r"$$\frac{3x^2-x}{5x^2+7} \longrightarrow \frac35$$", r"\frac35"),
        (r"With $u=2$ the limits are $0$ and $4$, so the value is $\ln 5$.", r"\ln 5"),
        (r"$\frac{x^2}{2}$ between $0$ and $1$ gives $\frac12$.", r"\frac12"),
        (r"This has the form $\frac00$. By L'Hôpital the limit is $2$.", "2"),
        (r"Its sum was found by Euler in 1734. It uses $\int_1^n x^{-2}\,dx$.", None),
        (r"The value is $\frac1{30}\ (\approx 0.0333)$.", r"\frac1{30}"),
        (r"So $L=e^{-1/2}$, which is $\frac1{\sqrt e}$ (about $0.6065$).", r"\frac1{\sqrt e}"),
    ],
)
def test_a_value_is_found_by_its_symbols(text: str, answer: str | None) -> None:
    assert extract(text, asks="value").answer == answer


def test_parameters_may_stand_in_a_value() -> None:
    text = r"Hence the value is $\frac{\pi a^2}{4}$, by $x = a\sin t$."
    assert extract(text, asks="value", symbols=("a",)).answer == r"\frac{\pi a^2}{4}"
    assert extract(text, asks="value").answer is None
    text = r"Hence the value is $\frac{a_1}{2}$, by $x = a_1 t$."
    assert extract(text, asks="value", symbols=("a_1",)).answer == r"\frac{a_1}{2}"


def test_words_at_the_end_state_an_answer() -> None:
    series = r"\sum_{n=1}^\infty \frac1n"
    text = r"We have $S_{2^k} \ge 1+\frac k2$, and $1+\frac{k}{2}$ grows. So the series diverges."
    assert verify_sum(text, series).correct
    text = r"First $\sum \frac1{n^2}=\frac{\pi^2}{6}$ is known. The harmonic one is not so."
    assert not verify_sum(text, series).correct
    question = rf"Does ${series.replace('1n', '1{n^2}')}$ converge?"
    assert verify_sum(
        r"We have $\frac1{n^2} \le \frac2{n(n+1)}$. Thus it converges.", question
    ).correct
    assert not verify_sum(r"Thus it does not converge.", question).correct
    text = r"The left limit is $-1$, the right one is $1$. Hence the limit does not exist."
    assert verify_limit(text, r"\lim_{x\to0}\frac{|x|}{x}").correct


def test_a_derivative_is_no_check_of_a_derivative() -> None:
    question = r"Differentiate $\sin(x^2)$."
    text = r"Differentiating, we get $2x\cos(x^2)$. Here $2x$ is the derivative of $x^2$."
    assert verify_derivative(text, question).correct
    text = r"The derivative is either $2x\cos(x^2)$ or $\cos(x^2)$."
    assert not verify_derivative(text, question).correct
