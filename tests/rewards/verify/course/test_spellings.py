"""Another spelling of a question or of an answer never changes the verdict on a right answer."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from calculus_harness.benchmarks.payloads import QuestionTarget
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import resolve
from calculus_harness.rewards import ProblemError, Status
from calculus_harness.rewards.questions import COURSE


def _sized(text: str) -> str:
    if r"\left" in text or r"\(" in text:
        return text
    return re.sub(r"(?<!\\)\)", r"\\right)", re.sub(r"(?<!\\)\(", r"\\left(", text))


def _with_prime_signs(text: str) -> str:
    single = re.sub(r"([a-z])'(?!')", r"\1^{\\prime}", text)
    return re.sub(r"([a-z])''", r"\1^{\\prime\\prime}", single)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "dfrac": lambda text: text.replace(r"\frac", r"\dfrac"),
    "left": _sized,
    "upright d": lambda text: re.sub(r"(?<![A-Za-z\\])d(?=[a-z](?![a-z]))", r"\\mathrm{d}", text),
    "spaces": lambda text: text.replace("+", r"\,+\,").replace(" = ", r"\;=\;"),
    "prime": _with_prime_signs,
    "exp": lambda text: re.sub(r"e\^\{([^{}]*)\}", r"\\exp\\left(\1\\right)", text),
    "upright e": lambda text: re.sub(r"(?<![A-Za-z\\])e(?=\^)", r"\\mathrm{e}", text),
    "operatorname": lambda text: re.sub(
        r"\\(sin|cos|tan|ln|arctan)(?![A-Za-z])", r"\\operatorname{\1}", text
    ),
    "limits": lambda text: text.replace(r"\lim_", r"\lim\limits_").replace("_{", "_ {"),
}
#: Marks around a question that is a formula alone.
MARKS = {
    "dollars": "${}$",
    "display": r"\[\displaystyle {}\]",
    "sentence": "Find an exact answer. $${}$$",
    "align": r"\begin{{align*}}{}\end{{align*}}",
}


def _problems(task: str, limit: int) -> list[Problem]:
    subsets = [s for s in resolve("course/all") if s.task == task and "_" not in s.name]
    return [s.problem(0, at) for s in subsets for at in range(min(s.size(), limit))]


def _status(problem: Problem, question: str, answer: str) -> str:
    try:
        verdict = COURSE[problem.task].verify(
            rf"$\boxed{{{answer}}}$", question, assumptions=dict(problem.assumptions)
        )
    except ProblemError as error:
        return str(error)
    return verdict.status.value


@pytest.mark.parametrize("task", COURSE)
def test_spellings_of_questions_and_answers(task: str) -> None:
    failed, tried = [], 0
    for problem in _problems(task, 30):
        target = problem.target_as(QuestionTarget)
        question, answer = target.question, target.answer
        if answer is None or _status(problem, question, answer) != Status.CORRECT.value:
            continue
        pairs = [(respelled(question), answer) for respelled in SPELLINGS.values()]
        pairs += [(question, respelled(answer)) for respelled in SPELLINGS.values()]
        if not re.search("[a-z]{4,} ", re.sub(r"\\[a-z]+", "", question)) and "$" not in question:
            pairs += [(mark.format(question), answer) for mark in MARKS.values()]
        for pair in pairs:
            if pair != (question, answer):
                tried += 1
                status = _status(problem, *pair)
                failed += [(*pair, status)] if status != Status.CORRECT.value else []
    assert tried > 100
    assert not failed, failed[:5]
