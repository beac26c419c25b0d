"""The same integrand up to a factor and names is recognised; another is not."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.fingerprint import (
    Match,
    definite_fingerprint,
    duplicates,
    fingerprint,
    overlap,
)
from calculus_harness.rewards import ProblemError


def problem(name: str, integrand: str, variable: str = "x") -> Problem:
    inputs = {"integrand": integrand, "variable": variable}
    return Problem(name, "integration", "mine", "all", inputs, inputs)


SAME = [
    ("x e^x", "x", "3te^t", "t"),
    (r"\sqrt{\tan x}", "x", r"\frac{\sqrt{\sin x}}{\sqrt{\cos x}}", "x"),
    (r"\frac{1}{\sin x}", "x", r"-7\csc u", "u"),
    (r"\sin^2x", "x", r"\frac{1-\cos 2x}{2}", "x"),
    (r"|x|", "x", r"\sqrt{x^2}", "x"),
    (r"a x^b", "x", r"\sqrt2\,k y^c", "y"),
    ("1", "x", r"\pi", "x"),
    (r"\ln x^2", "x", r"\ln|x|", "x"),
    (r"\sqrt[3]{x}", "x", r"(8x)^{1/3}", "x"),
    (r"\int \frac{1}{x}\,dx", "x", r"\frac1x", "x"),
    # The factor may be another on each piece of the domain.
    (r"\sqrt{x^2}", "x", "x", "x"),
    (r"\operatorname{Li}_2(x)", "x", r"\operatorname{Li}_2(t)", "t"),
    (r"\sqrt{\ln x - 100}", "x", r"\sqrt{\ln x - \ln e^{100}}", "x"),
]
DIFFERENT = [
    ("x", "x", "x+10^{-20}", "x"),
    ("x^2+1", "x", "x^2+2", "x"),
    (r"\sin x", "x", r"\sin 2x", "x"),
    ("x^a", "x", "a^x", "x"),
]


@pytest.mark.parametrize(("first", "x", "second", "t"), SAME)
def test_the_same(first: str, x: str, second: str, t: str) -> None:
    a, b = fingerprint(first, x), fingerprint(second, t)
    assert a.resembles(b)
    assert a.same(b) is True


@pytest.mark.parametrize(("first", "x", "second", "t"), DIFFERENT)
def test_different(first: str, x: str, second: str, t: str) -> None:
    a, b = fingerprint(first, x), fingerprint(second, t)
    assert not (a.resembles(b) and a.same(b))


DEFINITE_SAME = [
    (r"\int_0^1 x e^x\,dx", r"\int\limits_{0}^{1} 3te^t\,dt"),
    (r"\int_0^{\pi/2} \sin^2 x\,dx", r"\int_{\frac{\pi}{2}}^0 \frac{1-\cos 2t}{2}\,dt"),
    (r"\int_0^\infty e^{-a x^2}\,dx", r"I = \int_0^{\infty} \frac{dy}{e^{by^2}}"),
    (r"\int_0^{a} \sqrt{a^2-x^2}\,dx", r"\int_0^{R} \sqrt{(R-x)(R+x)}\,dx"),
    (r"\int_{-1}^{1} x^2\,dx", r"\int_{-1}^{1} x^2\,dx"),
]
DEFINITE_DIFFERENT = [
    (r"\int_0^1 x e^x\,dx", r"\int_0^2 x e^x\,dx"),
    (r"\int_0^1 x e^x\,dx", r"\int_0^1 x e^{2x}\,dx"),
    (r"\int_0^\infty e^{-x^2}\,dx", r"\int_{-\infty}^\infty e^{-x^2}\,dx"),
    (r"\int_0^{a} \sqrt{a^2-x^2}\,dx", r"\int_0^{b} \sqrt{a^2-x^2}\,dx"),
    (r"\int_{-1}^{2} \frac{dx}{x}", r"\mathrm{PV}\int_{-1}^{2} \frac{dx}{x}"),
]


@pytest.mark.parametrize(("first", "second"), DEFINITE_SAME)
def test_the_same_definite_integral(first: str, second: str) -> None:
    a, b = definite_fingerprint(first), definite_fingerprint(second)
    assert a.resembles(b)
    assert a.same(b) is True


@pytest.mark.parametrize(("first", "second"), DEFINITE_DIFFERENT)
def test_different_definite_integrals(first: str, second: str) -> None:
    a, b = definite_fingerprint(first), definite_fingerprint(second)
    assert not a.resembles(b) or not a.same(b)


def test_definite_integrals_are_screened_and_are_no_indefinite_ones() -> None:
    def definite(name: str, integral: str) -> Problem:
        inputs = {"integral": integral}
        return Problem(name, "definite_integral", "mine", "all", inputs, inputs)

    ours = [definite("a", r"\int_0^1 x e^x\,dx"), problem("b", "x e^x")]
    theirs = [definite("p", r"\int_0^1 7te^t\,dt"), definite("q", r"\int_0^1 x\,dx \,dx")]
    report = overlap(ours, theirs)
    assert report.matches == [Match("mine/all/a", "mine/all/p")]
    assert [name for name, _ in report.unreadable] == ["mine/all/q"]
    assert duplicates(ours).matches == []


def test_a_set_is_screened_against_another() -> None:
    ours = [problem("a", "x e^x"), problem("b", r"\tan x"), problem("c", "x^3")]
    theirs = [
        problem("p", r"\frac{5\sin y}{\cos y}", "y"),
        problem("q", "x^4"),
        problem("r", r"\frac{x}{"),
    ]
    result = overlap(ours, theirs)
    assert result.matches == [Match("mine/all/b", "mine/all/p")]
    assert [name for name, _ in result.unreadable] == ["mine/all/r"]
    assert result.compared == 2


def test_duplicates_within_a_set() -> None:
    result = duplicates(
        [problem("a", "x e^x"), problem("b", "x^2"), problem("c", r"-e^{t} t", "t")]
    )
    assert result.matches == [Match("mine/all/a", "mine/all/c")]


def test_an_unreadable_integrand_is_a_problem_error() -> None:
    with pytest.raises(ProblemError):
        fingerprint(r"\frac{x}{", "x")
