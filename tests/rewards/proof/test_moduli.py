"""ln|u| is ln u for real u only: at points, in proofs, in certificates and in the checker."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from calculus_harness.rewards import NoCertificateError, certify, verify_antiderivative
from calculus_harness.rewards.verify.certificates.check import CertificateError, check

#: Formal derivatives agree, and F is another function, for instance 0.
WRONG = [
    (r"\frac{1}{x^2+1}", r"\frac{1}{2i}\ln\left|\frac{x-i}{x+i}\right|"),
    (r"\frac{1}{x^2+1}", r"\frac{i}{2}\log\left|\frac{1-ix}{1+ix}\right|"),
    (r"\frac{1}{x^2+4}", r"\frac{1}{4i}\left(\ln|x-2i|-\ln|x+2i|\right)"),
    (r"\frac{1}{x^2+1}", r"\frac{1}{2\sqrt{-1}}\ln\left|\frac{x-\sqrt{-1}}{x+\sqrt{-1}}\right|"),
    (r"\frac{1}{x-i}", r"\ln|x-i|"),
    (r"\frac{1}{2x-3i}", r"\frac12\ln|2x-3i|"),
    (r"\frac{1}{x-\sqrt{-1}}", r"\ln|x-\sqrt{-1}|"),
    (r"\frac{e^x}{e^x-i}", r"\ln|e^x-i|"),
    (r"i", r"\ln|e^{ix}|"),
    (r"\sec x", r"\frac1i\ln\left|\frac{e^{ix}-i}{e^{ix}+i}\right|"),
    # F is complex, and no antiderivative, for x < 0.
    (r"\frac{1}{x^2+1}", r"\arctan x+\ln|1+\sqrt x|-\ln(1+\sqrt x)"),
]
RIGHT = [
    (r"\frac{2x}{x^2+1}", r"\ln|x+i|+\ln|x-i|"),
    (r"\frac{x}{x^2+1}", r"\ln|1-ix|"),
    ("0", r"\ln|e^{ix}|"),
    (r"\cot x", r"\ln|e^{2ix}-1|"),
    (r"\frac{1}{2x}", r"\ln|\sqrt x|"),
    (r"\frac{1}{1-x^2}", r"\ln\left|\sqrt{\frac{1+x}{1-x}}\right|"),
    (r"\frac{1}{x-1}", r"\ln|1+\sqrt x|+\ln|1-\sqrt x|"),
    (r"\frac{1}{\sqrt{x^2-1}}", r"\ln|x+\sqrt{x^2-1}|"),
    (r"\frac{1}{x\ln x}", r"\ln|\ln x|"),
    (r"\frac{1}{x(x^n+a^n)}", r"\frac{1}{na^n}\ln\left|\frac{x^n}{x^n+a^n}\right|"),
    (r"\frac{i}{x-2}+1", r"i\ln|x-2|+x"),  # f is real nowhere
]


@pytest.mark.parametrize(("integrand", "answer"), WRONG)
def test_the_modulus_of_a_complex_number_is_not_the_number(integrand: str, answer: str) -> None:
    assert not verify_antiderivative(rf"\boxed{{{answer}}}", integrand).correct
    with suppress(NoCertificateError):
        assert certify(answer, integrand)["kind"] == "witness"


@pytest.mark.parametrize(("integrand", "answer"), RIGHT)
def test_moduli_are_proved_where_they_are_right(integrand: str, answer: str) -> None:
    verdict = verify_antiderivative(rf"\boxed{{{answer}}}", integrand)
    assert verdict.correct
    assert verdict.evidence.proof == "identity"
    assert check(certify(answer, integrand)) == []


def forged(radicand: list[Any], slope: list[Any]) -> dict[str, Any]:
    """A certificate with the claim that ln|u|/(2i) is an antiderivative of 1/(x^2 + 1)."""
    unit, i = [["1", []]], [["1", [[1, 1]]]]
    constant = {"args": [], "unit": "1", "partner": None}
    generators = [
        {"function": "variable", "meaning": "x", "derivative": [unit, unit]} | constant,
        {"function": "i", "meaning": "i", "derivative": [[], unit]} | constant,
        {"function": "ln_abs", "meaning": "ln|u|", "derivative": slope}
        | constant
        | {"args": [radicand]},
    ]
    square = [["1", [[0, 2]]], ["1", []]]
    case = {
        "conditions": [],
        "generators": generators,
        "terms": [[[["1/2", [[2, 1]]]], i]],
        "integrand": [unit, square],
        "denominator": [
            ["1", [[0, 2], [1, 3]]],
            ["1", [[1, 3]]],
            ["-1", [[0, 4], [1, 1]]],
            ["-1", [[0, 2], [1, 1]]],
        ],
        "cofactors": [[["-1", [[1, 1]]]]],
    }
    return {"kind": "identity", "version": 1, "rules": [], "cases": [case]}


def test_the_checker_refuses_the_modulus_of_a_complex_number() -> None:
    minus, plus = ([["1", [[1, 1]]], [sign, [[0, 1]]]] for sign in ("-1", "1"))
    slope = [[["-2", [[1, 1]]]], [["1", [[1, 2]]], ["-1", [[0, 2]]]]]
    with pytest.raises(CertificateError, match="not real"):
        check(forged([minus, plus], slope))
    # With an unknown constant for i, the same algebra is no identity: the refusal is about i.
    data = forged([minus, plus], slope)
    data["cases"][0]["generators"][1]["function"] = "symbol"
    data["cases"][0]["cofactors"] = []
    with pytest.raises(CertificateError, match="cofactors"):
        check(data)


#: F changes its form beyond a number that usual samples do not reach.
FAR = [
    (r"2x", r"x^2+x\max(C,10^{15})-10^{15}x"),
    (r"2x", r"x^2+x\max(C-10^{400},0)"),
    (r"2x", r"x^2+x\lfloor C/10^{30}\rfloor"),
    (r"2x", r"\begin{cases}x^3&|x|>10^{1000}\\x^2&\text{otherwise}\end{cases}"),
    (r"2x", r"\begin{cases}x^3&x<-10^{20}\\x^2&\text{otherwise}\end{cases}"),
    (r"2x", r"\begin{cases}x^3&10^{400}<x<10^{401}\\x^2&\text{otherwise}\end{cases}"),
    (r"2x", r"x^2+\max(x-10^{500},0)"),
    (r"1", r"10^{13}\arctan\tan\frac{x}{10^{13}}+\max(x-10^{90},0)"),
    (r"1", r"x\operatorname{sgn}(1.5707963267948966192-\arctan x)"),  # between the float and pi/2
]


@pytest.mark.parametrize(("integrand", "answer"), FAR)
def test_thresholds_far_away_are_looked_beyond(integrand: str, answer: str) -> None:
    verdict = verify_antiderivative(rf"\boxed{{{answer}}}", integrand)
    assert verdict.status.value == "incorrect"


def test_great_numbers_do_not_make_a_right_answer_wrong() -> None:
    answer = r"\boxed{\frac{(x-10^{20})|x-10^{20}|}{2}+C}"
    assert verify_antiderivative(answer, r"|x-10^{20}|").correct
    too_great = r"\boxed{x^2+\max(x-10^{1500},0)}"
    assert verify_antiderivative(too_great, "2x").status.value == "incorrect"
