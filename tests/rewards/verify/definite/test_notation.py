"""Constants and functions in the notation of handbooks and models, in definite integrals."""

import pytest

from calculus_harness.rewards import Status, verify_definite_integral

CATALAN = r"\int_0^1 \frac{\arctan x}{x}\,dx"
EULER = r"\int_0^\infty -e^{-x}\ln x\,dx"
QUARTER = r"\int_0^1 \frac{dx}{1+x^2}"
LEMNISCATE = r"\int_0^1 \frac{dx}{\sqrt{1-x^4}}"
BASEL = r"\int_0^\infty \frac{x}{e^x-1}\,dx"
APERY = r"\int_0^\infty \frac{x^2}{e^x-1}\,dx"
DILOGARITHM = r"\int_0^1 \frac{\ln(1+x)}{x}\,dx"
HYPERBOLIC_SINE = r"\int_0^1 \frac{\sinh x}{x}\,dx"
ELLIPTIC = r"\int_0^{\pi/2}\frac{dx}{\sqrt{1-\frac14\sin^2 x}}"
SECOND_KIND = r"\int_0^{\pi/2}\sqrt{1-\frac14\sin^2 x}\,dx"

RIGHT = {
    CATALAN: [
        "G",
        r"\mathbf{G}",
        r"\mathrm{G}",
        r"\mathcal{G}",
        r"\operatorname{Cl}_2\left(\frac{\pi}{2}\right)",
        r"\text{Cl}_2(\pi/2)",
        r"\beta(2)",
        r"\Im\operatorname{Li}_2(i)",
        r"\operatorname{Im}\left(\operatorname{Li}_2(i)\right)",
        r"\operatorname{Ti}_2(1)",
        r"G, \text{ where } G \text{ is Catalan's constant}",
    ],
    EULER: [r"\gamma", "C", r"\mathbf{C}", r"\boldsymbol{\gamma}", r"\gamma_E", r"-\psi(1)"],
    QUARTER: [
        r"\frac{\pi}{4}.",
        r"=\frac{\pi}{4}",
        r"= \frac{\pi}{4}.",
        r"\frac12\Big(\frac{\pi}{4}+\frac{\pi}{4}\Big)",
        r"\frac12\left\{\frac{\pi}{4}+\frac{\pi}{4}\right\}",
        r"\frac12\bigl[\frac{\pi}{4}+\frac{\pi}{4}\bigr]",
        r"\frac12\big\{\frac{\pi}{4}+\frac{\pi}{4}\big\}",
        r"\frac{\pi}{4} \approx 0.785",
        r"I = \frac{\pi}{4} \approx 0.785398.",
        r"\frac{\pi}{4} \simeq 0.785",
    ],
    LEMNISCATE: [
        r"\frac{\Gamma^2\left(\frac14\right)}{4\sqrt{2\pi}}",
        r"\frac{\Gamma\left(\frac14\right)^2}{4\sqrt{2\pi}}",
        r"\frac{\Gamma^4\left(\frac14\right)}{4\sqrt{2\pi}\,\Gamma^2\left(\frac14\right)}",
        r"\frac14 \mathrm{B}\left(\frac14,\frac12\right)",
        r"\frac{1}{\sqrt2}\mathbf{K}\left(\frac{1}{\sqrt2}\right)",
    ],
    BASEL: [
        r"\zeta(2)",
        r"\psi'(1)",
        r"\psi^{\prime}\left(1\right)",
        r"\psi^{(1)}(1)",
        r"\psi_1(1)",
        r"2\eta(2)",
    ],
    APERY: [r"2\zeta(3)", r"-\psi^{(2)}(1)", r"-\psi''(1)", r"-\psi^{\prime\prime}(1)"],
    DILOGARITHM: [
        r"-\mathrm{~Li}_2\left(-1\right)",
        r"-\text{Li}_{2}(-1)",
        r"\eta(2)",
        r"-2\Re\left[2\operatorname{Li}_2(i)\right]",
    ],
    HYPERBOLIC_SINE: [r"\text{shi}(1)", r"\operatorname{shi}(1)", r"\operatorname{Shi}(1)"],
    ELLIPTIC: [r"\mathbf{K}\left(\frac12\right)", r"K\left(\frac14\right)"],
    SECOND_KIND: [r"\mathbf{E}\left(\frac12\right)", r"E\left(\frac14\right)"],
    r"\int_0^{\pi/2}\frac{dx}{\sqrt{1-k^2\sin^2 x}}": [r"\mathbf{K}(k)", "K(k^2)"],
    r"\int_0^{\pi/2} \sin(\cos x)\,dx": [r"\frac{\pi}{2}\mathbf{H}_0(1)", r"\frac{\pi}{2}H_0(1)"],
    r"\int_0^{\pi/2} \sinh(\cos x)\,dx": [r"\frac{\pi}{2}\mathbf{L}_0(1)"],
    r"\int_0^{\pi/2} \cosh(\sin x)\sin x\,dx": [r"\frac{\pi}{2}\mathbf{L}_{-1}(1)"],
    r"\int_0^1 J_0^2(1)\,dx": ["J_0^2(1)", "J_0(1)^2"],
    r"\int_0^1 \frac{1-x^4}{1-x}\,dx": ["H_4", r"\frac{25}{12}"],
    r"\int_0^1 \frac{1-\sqrt x}{1-x}\,dx": ["H_{1/2}", r"2-2\ln 2"],
    r"\int_0^1 \frac{1-x^n}{1-x}\,dx": ["H_n", r"\psi(n+1)+\gamma"],
    r"\int_0^1 \frac{x\ln x}{x-1}\,dx": [r"\zeta(2)-H_1^{(2)}"],
    r"\int_0^1 \frac{1+\sqrt5}{2}\,dx": [r"\varphi"],
}


@pytest.mark.parametrize(
    ("problem", "answer"), [(problem, text) for problem, right in RIGHT.items() for text in right]
)
def test_the_notation_is_read(problem, answer):
    verdict = verify_definite_integral(rf"So $\boxed{{{answer}}}$", problem)
    assert verdict.correct, verdict


WRONG = [
    (CATALAN, r"\beta(3)"),
    (CATALAN, r"\operatorname{Cl}_2\left(\frac{\pi}{3}\right)"),
    (QUARTER, r"0.785 \approx \frac{\pi}{4}"),
    (QUARTER, r"\frac{\pi}{3} \approx 0.785"),
    (QUARTER, r"\frac{\pi}{4} + C"),
    (BASEL, r"\psi(1)"),
    (BASEL, r"\psi''(1)"),
    (ELLIPTIC, r"K\left(\frac13\right)"),
    (r"\int_0^{\pi/2} \sin(\cos x)\,dx", r"\frac{\pi}{2}\mathbf{L}_0(1)"),
    (r"\int_0^1 \frac{1-x^4}{1-x}\,dx", "H_5"),
    (r"\int_0^1 C x\,dx", r"\frac{\gamma}{2}"),
    (r"\int_0^1 \beta(x)\,dx", r"\frac{\eta}{2}"),
]


@pytest.mark.parametrize(("problem", "answer"), WRONG)
def test_notation_does_not_make_a_wrong_value_right(problem, answer):
    verdict = verify_definite_integral(rf"So $\boxed{{{answer}}}$", problem)
    assert not verdict.correct, verdict


def test_symbols_of_the_problem_keep_their_meaning():
    def status(problem, answer):
        return verify_definite_integral(rf"\boxed{{{answer}}}", problem).status

    assert status(r"\int_0^1 2C x\,dx", "C") is Status.CORRECT
    assert status(r"\int_0^1 2G x\,dx", "G") is Status.CORRECT
    assert status(r"\int_0^{2} \beta x\,dx", r"\beta(2)") is Status.CORRECT
    assert status(r"\int_0^1 H_4\,dx", "H_4") is Status.CORRECT
    assert status(r"\int_0^1 \beta(x+1)\,dx", r"\frac32\beta") is Status.CORRECT


@pytest.mark.parametrize(
    ("answer", "flag"),
    [
        (r"K\left(\frac14\right)", "elliptic_modulus"),
        (r"\mathbf{K}\left(\frac12\right)", "elliptic_modulus:second"),
        (r"\frac{2}{\pi}\cdot\frac{\pi}{2}K\left(\frac12\right)", "elliptic_modulus:second"),
    ],
)
def test_the_flag_names_the_reading_that_holds(answer, flag):
    verdict = verify_definite_integral(rf"\boxed{{{answer}}}", ELLIPTIC)
    assert verdict.correct
    assert flag in verdict.evidence.flags
