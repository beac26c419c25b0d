"""A box that says "diverges" commits itself to that, without another answer beside it."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import (
    Verdict,
    verify_definite_integral,
    verify_limit,
    verify_sum,
)


def verdicts(completion: str) -> list[Verdict]:
    """The verdicts on questions to which "diverges" is the right answer."""
    return [
        verify_definite_integral(completion, r"\int_0^1 \frac{dx}{x}"),
        verify_limit(completion, r"\lim_{x\to\infty}\sin x"),
        verify_sum(completion, r"\sum_{n=1}^\infty \frac1n"),
    ]


@pytest.mark.parametrize(
    "box",
    [
        r"\text{DNE or }0",
        r"\text{DNE}, 0",
        r"0 \text{ does not exist}",
        r"\nexists 0",
        r"\text{undefined or }5",
        r"\text{undefined? no: }0",
        r"\text{diverges}\vee 1",
        r"\text{diverges?}",
        r"\text{diverges}\Leftrightarrow 1=2",
        r"\text{diverges to }5",
        r"\text{exists and does not exist}",
        r"\text{it is false that it does not exist}",
        r"\text{it is not the case that the value does not exist}",
        r"\text{diverges unless it is zero}",
        r"\text{diverges or is finite}",
        r"\text{perhaps diverges}",
        r"\text{half diverges}",
        r"\text{diverges} = 1",
        r"\text{diverges because it is 0 or 1}",
        r"\frac{\text{diverges}}{2}",
        r"\text{DNE (or }0)",
        r"\text{DNE }(0)",
    ],
)
def test_a_box_that_also_offers_something_else_is_not_accepted(box: str) -> None:
    assert not any(verdict.correct for verdict in verdicts(rf"\boxed{{{box}}}"))


@pytest.mark.parametrize(
    "box",
    [
        r"\text{diverges}",
        r"\text{DNE}",
        "DNE",
        r"\text{The answer is that it does not exist.}",
        r"\textbf{diverges}",
        r"\text{does not converge}",
        r"\text{diverges, because the terms do not tend to 0}",
        r"\text{diverges (it has no finite value)}",
        r"\text{No, it diverges}",
        r"\text{Therefore it diverges.}",
        r"\text{diverges by comparison with } \frac1x",
        r"\int_0^1 \frac{dx}{x} \text{ diverges}",
        r"f(x)\text{ diverges}",
        r"\mathrm{DNE}",
        r"\text{divergent}",
        r"\text{est divergente}",
        r"\text{DNE (left limit }-1\text{, right limit }1)",
        r"\text{Das Integral divergiert}",
    ],
)
def test_a_box_that_says_so_plainly_is_accepted(box: str) -> None:
    assert all(verdict.correct for verdict in verdicts(rf"\boxed{{{box}}}"))


@pytest.mark.parametrize(
    ("box", "right"),
    [
        (r"\text{diverges to }\infty", True),
        (r"\text{diverges to infinity}", True),
        (r"+\infty\ \text{(the integral diverges)}", True),
        (r"\infty, \text{ diverges}", True),
        (r"\text{diverges to }-\infty", False),
        (r"\text{diverges to negative infinity}", False),
        (r"-\infty\ \text{(the integral diverges)}", False),
        (r"\text{diverges to }\infty\text{ or }-\infty", False),
    ],
)
def test_the_infinity_beside_the_word_counts(box: str, right: bool) -> None:
    integral, _, series = verdicts(rf"\boxed{{{box}}}")
    limit = verify_limit(rf"\boxed{{{box}}}", r"\lim_{x\to\infty} x")
    assert [integral.correct, series.correct, limit.correct] == [right] * 3


@pytest.mark.parametrize(
    "sentence",
    ["It is false that the integral diverges.", "It would be wrong to say that it diverges."],
)
def test_a_sentence_that_denies_the_divergence_is_not_accepted(sentence: str) -> None:
    assert not any(verdict.correct for verdict in verdicts(sentence))
