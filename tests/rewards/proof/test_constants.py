"""Equal constants without a relation of the field, and different constants."""

from __future__ import annotations

import copy

import pytest

from calculus_harness.rewards import certify, verify_antiderivative
from calculus_harness.rewards.proof.prover.field import Field
from calculus_harness.rewards.proof.prover.rules.constants import is_zero
from calculus_harness.rewards.proof.prover.tower import Tower
from calculus_harness.rewards.reading.latex import read
from calculus_harness.rewards.verify.certificates.check import CertificateError, check

EQUAL = [
    (r"\sqrt2+\sqrt3", r"x\sqrt{5+2\sqrt6}"),
    (r"\cos1\cos2", r"\frac{x}{2}(\cos1+\cos3)"),
    (r"\sin\frac{\pi}{5}\cos x", r"\sqrt{\frac{5-\sqrt5}{8}}\sin x"),
    (r"\frac{\pi}{4}x", r"\frac{x^2}{2}\left(\arctan\frac12+\arctan\frac13\right)"),
    (r"e^{\sqrt2+\sqrt3}x", r"\frac{x^2}{2}e^{\sqrt{5+2\sqrt6}}"),
    (
        r"\cos\frac{\pi}{7}\cos\frac{2\pi}{7}\cos\frac{4\pi}{7}\cos x",
        r"-\frac{\sin x}{8}",
    ),
]


@pytest.mark.parametrize(("integrand", "answer"), EQUAL)
def test_equal_constants_are_proved_and_certified(integrand: str, answer: str) -> None:
    evidence = verify_antiderivative(answer, integrand).evidence
    assert evidence.proof == "identity"
    certificate = certify(answer, integrand)
    remainder = certificate["cases"][0]["remainder"]
    assert check(certificate) == (["constants"] if remainder else [])
    assert bool(remainder) == ("constants" in evidence.rules)


def test_a_remainder_that_is_not_zero_is_refused() -> None:
    certificate = certify(*reversed(EQUAL[0]))
    forged = copy.deepcopy(certificate)
    case = forged["cases"][0]
    case["remainder"][0][0] = "17"
    case["terms"][0][0][0][0] = "17"
    with pytest.raises(CertificateError):
        check(forged)


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        (r"\sqrt2+\sqrt3", r"x\sqrt{5+2\sqrt7}"),
        (r"\sqrt2+\sqrt3", r"x\sqrt{5+2\sqrt{6+10^{-60}}}"),
        (r"e^{\pi\sqrt{163}}", r"262537412640768744x"),
        (r"\cos1\cos2", r"\frac{x}{2}(\cos1+\cos3+10^{-80})"),
        (r"\cos\frac{\pi}{7}\cos\frac{2\pi}{7}\cos x", r"\frac{\sin x}{8}"),
        ("1", r"x+\frac{x}{\sqrt{5+2\sqrt6}-\sqrt2-\sqrt3}"),
    ],
)
def test_others_are_not_proved(integrand: str, answer: str) -> None:
    assert verify_antiderivative(answer, integrand).evidence.proof != "identity"


@pytest.mark.parametrize(
    ("text", "zero"),
    [
        (r"\sqrt{5+2\sqrt6}-\sqrt2-\sqrt3", True),
        (r"\sqrt{5+2\sqrt6}-\sqrt2-\sqrt5", False),
        (r"\ln5+\pi", False),
        (r"\Gamma(\frac13)-3", None),
        # in Calcium this odd root is principal
        (r"\ln(2+\sqrt[3]{1-\sqrt2})-\ln(2+(\sqrt2-1)^{1/3}\frac{1+i\sqrt3}{2})", None),
        (r"x-\sqrt2", None),
        (r"\sin(1)^{40}-\sqrt{5}", None),
    ],
)
def test_zero_is_decided_or_nothing_is_said(text: str, zero: bool | None) -> None:
    tower = Tower(Field(), "x", {})
    value = tower.value(read(text, symbols=["x"])[0].expression)
    assert is_zero(tower.field, value.num) is zero
