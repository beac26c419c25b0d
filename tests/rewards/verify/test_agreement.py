"""Acceptance without a proof: each search finds a fault that no other one does."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import Status, verify_antiderivative


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        (r"\operatorname{sgn}(x-77)\operatorname{sgn}(x-77.01)", "x"),
        (r"\max(x-50,0)\max(50.01-x,0)", "7"),
        (r"1+\max(x-500,0)\max(500.1-x,0)", "x"),
    ],
)
def test_a_narrow_interval_between_breakpoints_has_a_point(integrand: str, answer: str) -> None:
    """F' = f but on an interval of f that no other point of the line hits."""
    verdict = verify_antiderivative(rf"\boxed{{{answer}}}", integrand)
    assert verdict.status is Status.INCORRECT
    assert verdict.evidence.witness is not None


def test_another_branch_between_breakpoints_is_flagged() -> None:
    """F' = -f on an interval between two zeros of the radicand: half of a branch, and a flag."""
    verdict = verify_antiderivative(
        r"\boxed{\frac{x^3}{3}-\frac{101x^2}{2}+2550x}", r"\sqrt{(x-50)^2(x-51)^2}"
    )
    assert verdict.status is Status.CORRECT
    assert verdict.evidence.flags == ("branch",)
