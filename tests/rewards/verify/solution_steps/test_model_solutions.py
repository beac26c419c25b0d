"""Solutions by a language model without knowledge of the verifier: 50 right, 60 wrong.

Each wrong solution names the first wrong claim. The first run, before any change was made for these
texts, called 1 of 590 claims of right solutions wrong, and named the first wrong claim of 58 of 60.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards import (
    verify_antiderivative,
    verify_definite_integral,
    verify_solution,
)
from calculus_harness.rewards.verdict import Status
from calculus_harness.rewards.verify.solution_steps.result import Claim, Judgement

CASES = json.loads(
    (Path(__file__).parents[2] / "cases" / "model_solutions.json").read_text(encoding="utf-8")
)
RIGHT = [case for case in CASES if not case["first_wrong"]]
WRONG = [case for case in CASES if case["first_wrong"]]


def final(case: dict[str, Any]) -> Status:
    verify = verify_definite_integral if case["definite"] else verify_antiderivative
    return verify(case["response"], case["integral"]).status


def claims(case: dict[str, Any]) -> tuple[Claim, ...]:
    return verify_solution(case["response"], case["integral"], deadline=30.0).claims


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case["id"])
def test_no_claim_of_a_right_solution_is_wrong(case: dict[str, Any]) -> None:
    assert [claim for claim in claims(case) if claim.judgement is Judgement.INCORRECT] == []


def test_right_solutions_end_in_right_answers() -> None:
    # One box holds a comparison, 22/7 - pi > 0, which is no value.
    assert [case["id"] for case in RIGHT if final(case) is not Status.CORRECT] == ["a45"]


def test_nearly_all_claims_are_judged() -> None:
    judged = [
        claim.judgement is not Judgement.UNCHECKED for case in RIGHT for claim in claims(case)
    ]
    assert sum(judged) >= 0.94 * len(judged)


@pytest.mark.slow
def test_the_first_wrong_claim_is_named() -> None:
    named = 0
    for case in WRONG:
        assert final(case) is Status.INCORRECT, case["id"]
        begin = case["response"].index(case["first_wrong"])
        wrong = [
            claim
            for claim in claims(case)
            if claim.judgement is Judgement.INCORRECT or claim.withdrawn
        ]
        earliest = wrong[0]
        named += earliest.start < begin + len(case["first_wrong"]) and begin < earliest.end
    assert named >= 58
