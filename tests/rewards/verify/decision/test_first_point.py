"""The decision at the first point: its conditions, and equality with the full decision."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.rewards import Status, certify, verify_antiderivative
from calculus_harness.rewards.numeric.sampling.integrand import prepare
from calculus_harness.rewards.numeric.sampling.pool import MIN_POINTS
from calculus_harness.rewards.proof.prover.prove import ProofSearch
from calculus_harness.rewards.reading.latex import read
from calculus_harness.rewards.verify.certificates.check import check
from calculus_harness.rewards.verify.decision import decide as decision
from calculus_harness.rewards.verify.decision.first_point import POINTS, decide_at_first_point

CASES = Path(__file__).parents[2] / "cases"


def decided(answer: str, integrand: str) -> Status | None:
    problem = prepare(integrand, "x", None)
    expression = read(answer, symbols=problem.symbols)[0].expression
    search = ProofSearch(expression, problem.expression, "x", {})
    outcome = decide_at_first_point(expression, problem, search)
    return outcome.status if outcome else None


@pytest.mark.parametrize(
    ("integrand", "answer", "status"),
    [
        ("2x", "x^2+C", Status.CORRECT),
        ("2x", "x^2+x+C", Status.INCORRECT),
        (r"\frac1x", r"\ln|x|", Status.CORRECT),
        (r"\frac{\ln x}{x}", r"\frac{\ln(x)^2}{2}", Status.CORRECT),
        (r"\sqrt x", r"\frac23x^{3/2}", Status.CORRECT),
        ("ax", r"\frac{ax^2}{2}", Status.CORRECT),
        ("ax", "ax^2", Status.INCORRECT),
        ("2x", r"x^2+\frac{|x|}{x}", None),  # jumps
        ("2x", r"x^2+\sqrt{x^2}/x", None),
        (r"\frac{1}{1+x^2}", r"\arctan\frac{x-1}{x+1}", None),  # flagged: a pole of the argument
        ("2x", r"x^2+\ln(-1)", None),  # complex
        (r"\sqrt{-1-x^2}", r"x^3", None),
        (r"\sqrt{x^2}", "x^2", None),  # on another branch of f it might be right
        (r"x^{1/3}", "x^2", None),  # with principal roots it might be right
        (r"x^{1/3}", r"\frac34x^{4/3}", Status.CORRECT),
        ("x+10^{30}-10^{30}", "x^2/2", None),  # balls of few digits
        (r"\frac{e^x}{x}", r"\operatorname{Ei}(x)", None),  # may take long
        (r"e^{x^2+x^{-2}}", "x", Status.INCORRECT),
        (r"\sqrt{x-2}", r"\frac23(x-2)^{3/2}", Status.CORRECT),  # real at a later place only
        (r"|x|", r"\frac{x|x|}{2}", Status.CORRECT),  # in cases of signs
        ("2x", r"x^2+\frac{1}{x-x}", None),  # no value
    ],
)
def test_when_the_first_point_decides(integrand: str, answer: str, status: Status | None) -> None:
    assert decided(answer, integrand) is status


def test_a_proof_in_cases_counts_the_points_that_agree() -> None:
    right = verify_antiderivative(r"\boxed{\frac{x|x|}{2}}", "|x|")
    assert right.evidence.points == POINTS


def test_with_a_proof_few_digits_are_enough() -> None:
    right = verify_antiderivative(r"\boxed{x^2/2}", "x+10^{30}-10^{30}").evidence
    assert (right.proof, right.points) == ("identity", MIN_POINTS)
    assert 0 < right.digits < 10


def test_a_proof_is_followed_by_a_search_for_jumps_alone() -> None:
    jump = verify_antiderivative(r"\boxed{x^2+10^{30}\lfloor x/10^{30}\rfloor}", "2x")
    assert jump.status is Status.INCORRECT
    assert jump.evidence.points == MIN_POINTS


def test_the_full_decision_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []
    for name in ("antiderivatives", "responses", "special_integrals"):
        rows += json.loads((CASES / f"{name}.json").read_text("utf-8"))[::7]

    def statuses() -> list[Status]:
        texts = [(row.get("response") or rf"\boxed{{{row['answer']}}}") for row in rows]
        return [
            verify_antiderivative(text, row["integrand"], variable=row.get("variable", "x")).status
            for text, row in zip(texts, rows, strict=True)
        ]

    at_first_point = statuses()
    monkeypatch.setattr(decision, "decide_at_first_point", lambda *_: None)
    assert statuses() == at_first_point


@pytest.mark.parametrize(("integrand", "answer"), [("2x", "x^3+C"), ("ax", "ax^2-K")])
def test_a_refutation_has_a_certificate(integrand: str, answer: str) -> None:
    certificate = certify(answer, integrand)
    assert certificate["kind"] == "witness"
    check(certificate)
