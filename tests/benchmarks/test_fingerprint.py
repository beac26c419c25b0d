"""The same integrand up to a factor and names is recognised; another is not."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.fingerprint import Match, duplicates, fingerprint, overlap
from calculus_harness.rewards import ProblemError


def problem(name: str, integrand: str, variable: str = "x") -> Problem:
    shown = {"integrand": integrand, "variable": variable}
    return Problem(name, "integration", "mine", "all", shown, shown)


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
