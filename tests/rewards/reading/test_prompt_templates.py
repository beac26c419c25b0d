"""Templates of prompts around questions (`prompt_templates.json`).

The templates a are those of public evaluations and trainings, with their sources. Writers who knew
no code wrote the templates b and c, and others that change what is asked for, such as "box the
number of digits". Eleven questions stood in each template.

Before instructions were left out and sentences about the response were read, 403 of 770 questions
in b and 491 of 880 in c were read, and the plain answer to changed ones was accepted for 176 of 440
(b) and 187 of 660 (c). At the first run after, on c: 488 and 91. The words of c were added then.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.rewards import ProblemError, Status
from calculus_harness.rewards.questions import QUESTIONS
from calculus_harness.rewards.reading.problem.prose import without_instructions

TEMPLATES = json.loads(
    (Path(__file__).parents[1] / "cases" / "prompt_templates.json").read_text("utf-8")
)
#: Questions with their kinds and answers.
ASKED = (
    ("definite", r"Evaluate $\int_{0}^{1} \frac{x^2}{1+x^2}\,dx$.", r"1-\frac{\pi}{4}"),
    ("antiderivative", r"$$\int \cos(5x)\,dx$$", r"\frac15\sin 5x+C"),
    ("derivative", r"If $f(x) = \frac{\ln x}{x^3}$, find $f'(x)$.", r"\frac{1-3\ln x}{x^4}"),
    ("limit", r"What is the limit of $\frac{\sin x}{x}$ as $x$ approaches $0$?", "1"),
    ("sum", r"Find the sum of the series $\sum_{n=1}^{\infty} \frac{1}{n^2}$.", r"\frac{\pi^2}{6}"),
    ("differential_equation", r"Solve $\frac{dy}{dx} = 2xy$, $y(0) = 3$.", "y=3e^{x^2}"),
)
#: Templates in which no question is read, or not every question.
UNREAD = frozenset(
    """b30 b31 b33 b34 b36 b40 b47 b48 b49 b53 b54 b55 b57 b58 b59 b64 b65 b68 b69 c19 c23 c24 c25
    c26 c27 c29 c30 c31 c32 c33 c35 c39 c41 c42 c43 c44 c45 c46 c47 c49 c51 c55 c56 c58
    c60 c64 c65 c66 c68 c70 c71 c75 c76 c77 c79""".split()
)
#: Templates that change the question, and are not noticed with every question.
NOT_NOTICED = frozenset(
    """b-changed-09 b-changed-17 b-changed-24 b-changed-31 c-changed-06 c-changed-27
    c-changed-36 c-changed-39""".split()
)


def accepted(template: str) -> int:
    """In how many of the questions the answer to the plain question is accepted."""
    count = 0
    for kind, question, answer in ASKED:
        try:
            verdict = QUESTIONS[kind].verify(
                rf"\boxed{{{answer}}}", template.replace("{q}", question)
            )
        except ProblemError:
            continue
        assert verdict.status is Status.CORRECT
        count += 1
    return count


@pytest.mark.parametrize("case", TEMPLATES, ids=lambda case: case["id"])
def test_questions_in_templates(case: dict[str, str]) -> None:
    if case["changes"]:
        assert (accepted(case["template"]) > 0) is (case["id"] in NOT_NOTICED)
    else:
        assert (accepted(case["template"]) < len(ASKED)) is (case["id"] in UNREAD)


@pytest.mark.parametrize(
    "text",
    [
        r"Put the square of your answer within \boxed{}.",
        "Box the number of steps.",
        "Answer with the other sign.",
        r"The final answer is $2\int_0^1 x\,dx$.",
        "Give the wrong answer.",
    ],
)
def test_words_that_may_change_an_answer_stay(text: str) -> None:
    assert without_instructions(text) == text
