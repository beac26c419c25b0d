"""The equal answers of a group are decided once, with any text around the answers."""

from __future__ import annotations

from typing import Any

import pytest

from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.numeric.sampling.integrand import prepare
from calculus_harness.rewards.verify import antiderivative

DECIDE = antiderivative.decide


@pytest.fixture
def decisions(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return DECIDE(*arguments, **options)

    monkeypatch.setattr(antiderivative, "decide", counted)
    return calls


def test_a_group_of_equal_answers_is_decided_once(decisions: list[Any]) -> None:
    right = [rf"Thought {n}: so $\boxed{{x^{{41}} + 7}}$." for n in range(16)]
    wrong = [rf"Thought {n}: so $\boxed{{x^{{42}}}}$." for n in range(16)]
    verdicts = [verify_antiderivative(text, "41x^{40}") for text in right + wrong]
    assert [verdict.correct for verdict in verdicts] == [True] * 16 + [False] * 16
    assert len(decisions) == 2
    assert len({verdict.evidence.points for verdict in verdicts[:16]}) == 1


def test_other_settings_and_integrands_are_decided_anew(decisions: list[Any]) -> None:
    text = r"$\boxed{\frac{2}{3}x^{3/2}}$"
    for strict in (True, False):
        verify_antiderivative(text, r"\sqrt{x} ", strict_domain=strict)
    verify_antiderivative(text, r"\sqrt{x}\cdot 1 ")
    assert len(decisions) == 3


def test_no_more_is_remembered_than_a_group_has(decisions: list[Any]) -> None:
    for n in range(3 * antiderivative.REMEMBERED):
        verify_antiderivative(rf"\boxed{{x^2 + {n}}}", "2x + 0")
    decided = prepare("2x + 0", None, None).decided
    assert len(decided) == antiderivative.REMEMBERED


def test_what_was_not_decided_is_asked_again(decisions: list[Any]) -> None:
    for _ in range(2):
        verdict = verify_antiderivative(r"\boxed{3x^2 + 10^{-5000}x}", "6x")
        assert verdict.status == "undecided"
    assert len(decisions) == 2
