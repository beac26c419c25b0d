"""``accept="proof"``: mere agreement is undecided, in every function."""

from __future__ import annotations

import pytest

from calculus_harness.harness.core.policy import Policy
from calculus_harness.rewards import (
    Status,
    UserError,
    verify_antiderivative,
    verify_definite_integral,
    verify_equivalent,
    verify_many,
    verify_value,
)
from calculus_harness.rewards.adapters.for_trl import make_reward
from calculus_harness.rewards.errors import UnknownNameError

#: Right on another branch of the root where cos x < 0: no identity, so that only points agree.
ANSWER, INTEGRAND = r"2\sqrt{1+\sin x}+C", r"\sqrt{1-\sin x}"


def test_an_answer_that_agrees_is_undecided() -> None:
    usual = verify_antiderivative(ANSWER, INTEGRAND)
    assert (usual.status, usual.evidence.proof) == (Status.CORRECT, "agreement")
    strict = verify_antiderivative(ANSWER, INTEGRAND, accept="proof")
    assert (strict.status, strict.reward) == (Status.UNDECIDED, 0.0)
    assert strict.evidence.proof == "agreement"  # counted as what the strictness costs
    assert "not proved" in strict.evidence.detail


def test_proofs_and_refutations_are_as_before() -> None:
    assert verify_antiderivative("x^2+C", "2x", accept="proof").correct
    assert verify_antiderivative("x^3+C", "2x", accept="proof").status is Status.INCORRECT


@pytest.mark.parametrize(
    ("answer", "target", "proved"),
    [
        ("2^{10}", "1024", True),
        (r"\frac{\sqrt8}{2}", r"\sqrt2", True),
        (r"\zeta(2)", r"\frac{\pi^2}{6}", False),
    ],
)
def test_values(answer: str, target: str, proved: bool) -> None:
    assert verify_value(rf"\boxed{{{answer}}}", target).correct
    status = verify_value(rf"\boxed{{{answer}}}", target, accept="proof").status
    assert status is (Status.CORRECT if proved else Status.UNDECIDED)


def test_expressions() -> None:
    assert verify_equivalent(r"1-\cos^2 x", r"\sin^2 x", accept="proof").correct
    assert verify_equivalent(r"\cos^2 x", r"\sin^2 x", accept="proof").status is Status.INCORRECT


def test_an_enclosed_integral_is_proved() -> None:
    problem = r"\int_0^1 \frac{dx}{1+x^2}"
    assert verify_definite_integral(r"\boxed{\frac{\pi}{4}}", problem, accept="proof").correct


def test_many_answers_and_rewards() -> None:
    verdicts = verify_many([ANSWER, "x^2"], [INTEGRAND, "2x"], accept="proof", workers=1)
    assert [verdict.status for verdict in verdicts] == [Status.UNDECIDED, Status.CORRECT]
    reward = make_reward(options={"accept": "proof"}, workers=1)
    completions = [rf"$\boxed{{{ANSWER}}}$", r"$\boxed{x^2}$"]
    assert reward(["", ""], completions, integrand=[INTEGRAND, "2x"]) == [0.0, 1.0]


def test_what_has_no_proofs_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        verify_antiderivative("x^2", "2x", accept="prof")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="proves nothing"):
        verify_antiderivative("x^2", "2x", method="welleck", accept="proof")
    with pytest.raises(UserError, match="proves nothing"):
        Policy(method="welleck", accept="proof")


def test_the_usual_policy_keeps_its_name() -> None:
    assert "accept" not in Policy().to_dict()
    assert Policy(accept="proof").to_dict()["accept"] == "proof"
    assert Policy(accept="proof").name != Policy().name
