"""Equal answers in different forms are one vote; different answers are different votes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from calculus_harness import harness
from calculus_harness.benchmarks import Problem
from calculus_harness.harness.report.votes import print_votes
from calculus_harness.harness.stats.answer_groups import JudgedAnswer, distinct_forms, group, votes


def problem(integrand: str, task: str = "integration") -> Problem:
    formula = {"integrand": integrand, "variable": "x"}
    return Problem(
        id="p",
        task=task,
        benchmark="b",
        subset="s",
        inputs=dict(formula),
        target=formula if task == "integration" else {"value": 12},
        assumptions={"a": "positive"},
    )


def groups(*answers: str | None, status: str = "incorrect") -> list[int | None]:
    return group(problem("x"), [JudgedAnswer(answer, status) for answer in answers])


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        (r"\sin^2 x", r"-\cos^2 x + C"),
        (r"\sin^2 x", r"-\frac{\cos 2x}{2} + 7"),
        (r"\ln x", r"\ln|3x| + C"),
        (r"\frac12\ln(x^2)", r"\ln|x|"),
        (r"\arctan x", r"-\arctan\frac1x"),
        (r"\frac{x^2}{2}", "0.5x^2 + C_1"),
        (r"e^{ax}/a", r"\frac{1}{a}\left(e^{ax} - 1\right)"),
        (r"\sqrt{x^2}", "|x|"),
        ("3", "7 + C"),
        (r"\operatorname{Si}(x)", r"\operatorname{Si}\left(x\right)"),
    ],
)
def test_a_different_constant_or_form_is_the_same_answer(answer: str, same: str) -> None:
    first, second = groups(answer, same)
    assert first == second is not None


@pytest.mark.parametrize(
    ("answer", "different"),
    [
        ("x^2", "2x^2"),
        ("x^2", "-x^2"),
        (r"\sin x", r"\cos x"),
        ("x^2", r"x^2 + 10^{-9} x"),
        (r"e^{ax}", r"e^{2ax}"),
        ("3", "x"),
    ],
)
def test_another_derivative_is_another_answer(answer: str, different: str) -> None:
    first, second = groups(answer, different)
    assert first != second


def test_what_has_no_mathematics_does_not_vote() -> None:
    answers = [
        JudgedAnswer("x^2", "correct"),
        JudgedAnswer(None, "no_answer"),
        JudgedAnswer(r"\frac{", "unparseable"),
        JudgedAnswer(r"\int x", "not_closed_form"),
        JudgedAnswer("x^3", "incorrect"),
        JudgedAnswer("x^2/1", "correct"),
        JudgedAnswer("x^3 + 1", "undecided"),
    ]
    numbers = group(problem("2x"), answers)
    assert numbers[0] == numbers[5] == 0
    assert numbers[1:4] == [None] * 3
    assert numbers[4] == numbers[6] not in (None, 0)


def test_other_tasks_are_grouped_by_text() -> None:
    numbers = group(
        problem("1", task="arithmetic"),
        [JudgedAnswer(answer, "incorrect") for answer in ("12", " 12", "13")],
    )
    assert numbers[0] == numbers[1] != numbers[2]


def test_forms_of_a_correct_answer() -> None:
    answers = [
        r"\sin^2 x",
        r"\sin^{2}\left(x\right) + C",
        r"-\cos^2 x",
        r"1 - \cos^2x",
        "wrong",
        r"x + \ln x",
        r"\ln(x)+x",
    ]
    judged = [JudgedAnswer(a, "incorrect" if a == "wrong" else "correct") for a in answers]
    assert distinct_forms(problem("x"), judged) == 3


MODEL = r"""
import itertools
count = itertools.count()

def answer(messages, seed):
    return rf"\boxed{{{['x^2+C', 'x^2-1', 'x^3', 'x^3+4', '-x^3', 'x^2'][next(count) % 6]}}}"
"""


def test_votes_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODEL)
    (tmp_path / "b.jsonl").write_text(json.dumps({"integrand": "2x"}) + "\n")
    run = harness.sweep(
        [f"python/{tmp_path}/m.py:answer"],
        [str(tmp_path / "b.jsonl")],
        samples=6,
        model_option={"concurrency": 1},
        out=tmp_path / "run",
    )
    (vote,) = votes(run, ks=[1, 6])
    assert [estimate.value for estimate in vote.majority] == [0.5, 1.0]
    assert (vote.groups, vote.forms) == (3, 1)
    print_votes(run, console=Console(file=(printed := io.StringIO())))
    assert "maj@6" in printed.getvalue()
    assert "100.0" in printed.getvalue()
