"""Solutions of course questions by a language model without knowledge of the verifier.

`course_solutions.json` has 252 solutions, each wrong solution with the first wrong claim: 220 of a
writer, 132 right and 88 wrong, and 32 readable solutions of another writer (`third-..`). The first
run on 120, before any change was made for these texts, called 4 of 402 claims of right solutions
wrong, and named the first wrong claim of 36 of 48. The first run on 100 more, after the reader had
been developed on the others, called 1 of 403 wrong, and named 33 of 40. Of the other writer's
solutions, no claim of the 16 right ones was called wrong; the first wrong claim of 7 of 16 wrong
ones is named, and of the others a later claim or the answer. `course_steps.json` was written by the
author of the verifier, to find false alarms.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks.registry import resolve
from calculus_harness.rewards import verify_solution
from calculus_harness.rewards.errors import ProblemError
from calculus_harness.rewards.verdict import Status
from calculus_harness.rewards.verify.solution_steps import Judgement, Solution

FOLDER = Path(__file__).parents[3] / "cases"
FOREIGN, OWN = (
    json.loads((FOLDER / name).read_text(encoding="utf-8"))
    for name in ("course_solutions.json", "course_steps.json")
)
CASES = FOREIGN + OWN
RIGHT = [case for case in CASES if not case["first_wrong"]]
WRONG = [case for case in CASES if case["first_wrong"]]
#: Derivatives of a general order and of an inverse, tables of values, intervals: no question that
#: the verifiers read.
UNREAD = {"derivative-13", *(f"second-{name}" for name in ("der-15", "der-18", "ode-25"))}
#: First wrong claims that are not judged, or that follow a claim that is wrong as well.
MISSED = {f"second-{name}" for name in ("lim-17", "lim-24", "ode-20", "ode-21", "ode-24")} | {
    f"third-w0{number}" for number in (18, 20, 26, 28, 30, 38, 48, 54, 60)
}


def judged(case: dict[str, Any]) -> Solution:
    return verify_solution(case["response"], case["problem"], task=case["kind"], deadline=30.0)


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case["id"])
def test_no_claim_of_a_right_solution_is_wrong(case: dict[str, Any]) -> None:
    if case["id"] in UNREAD:
        with pytest.raises(ProblemError):
            judged(case)
        return
    solution = judged(case)
    assert [claim for claim in solution.claims if claim.judgement is Judgement.INCORRECT] == []
    assert solution.verdict.status is Status.CORRECT
    assert solution.progress == 0


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case["id"])
def test_the_first_wrong_claim_is_named(case: dict[str, Any]) -> None:
    if case["id"] in UNREAD:
        with pytest.raises(ProblemError):
            judged(case)
        return
    solution = judged(case)
    assert solution.verdict.status is Status.INCORRECT
    if case["id"] in MISSED:
        return
    begin = case["response"].index(case["first_wrong"])
    wrong = next(claim for claim in solution.claims if claim.failed)
    assert wrong.start < begin + len(case["first_wrong"])
    assert begin < wrong.end


@pytest.mark.parametrize("name", ["limits", "sums", "differential_equations"])
def test_no_right_answer_of_a_bank_is_a_wrong_claim(name: str) -> None:
    seen = 0
    for subset in resolve(f"course/{name}"):
        for problem in subset.problems(None, 0):
            question, answer = problem.target.judged, problem.target.reference
            formula = answer if name == "differential_equations" else f"{question} = {answer}"
            if not formula.startswith(("y", "\\lim", "\\sum")):
                continue
            options = {"task": problem.task, "assumptions": dict(problem.assumptions)}
            claims = verify_solution(f"$${formula}$$", question, **options).claims
            seen += len(claims)
            assert "incorrect" not in {claim.judgement for claim in claims if claim.left}, formula
    assert seen > 50


def test_nearly_all_claims_are_judged() -> None:
    claims = [
        claim
        for case in FOREIGN
        if not case["first_wrong"] and case["id"] not in UNREAD
        for claim in judged(case).claims
        if claim.kind != "final"
    ]
    decided = [claim for claim in claims if claim.judgement is not Judgement.UNCHECKED]
    assert len(decided) >= 0.9 * len(claims)
