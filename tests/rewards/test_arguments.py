"""Arguments of the verifier are checked at the entrance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from calculus_harness.rewards import (
    Verdict,
    verify_antiderivative,
    verify_equivalent,
    verify_integer,
    verify_label,
    verify_many,
    verify_value,
)
from calculus_harness.rewards.arguments import keyword_options
from calculus_harness.rewards.errors import ArgumentTypeError, ProblemError, UserError
from calculus_harness.rewards.questions import QUESTIONS
from calculus_harness.rewards.verify.answers import AnswerKeywords, AnswerOptions

JUDGES: list[tuple[Callable[..., Verdict], Any]] = [
    (verify_antiderivative, "2x"),
    (verify_value, "2"),
    (verify_equivalent, "2x"),
    (verify_integer, 2),
    (verify_label, 1),
]
IDS = [judge.__name__ for judge, _ in JUDGES]


@pytest.mark.parametrize(("judge", "target"), JUDGES, ids=IDS)
@pytest.mark.parametrize("completion", [None, 3, b"x^2", ["x^2"]])
def test_a_completion_is_text(judge: Callable[..., Verdict], target: Any, completion: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="completion must be text"):
        judge(completion, target)
    with pytest.raises(TypeError):  # what a caller expects of Python
        judge(completion, target)


@pytest.mark.parametrize(("judge", "target"), JUDGES, ids=IDS)
def test_a_switch_is_true_or_false(judge: Callable[..., Verdict], target: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="strict must be True or False, not 'no'"):
        judge("1", target, strict="no")


def test_a_method_is_one_of_the_choices() -> None:
    with pytest.raises(
        UserError, match="method: no choice 'foo'; known: balls, published, welleck"
    ):
        verify_antiderivative("x^2", "2x", method="foo")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="did you mean 'balls'"):
        verify_many(["x^2"], "2x", method="ball")


def test_targets_have_their_types() -> None:
    with pytest.raises(ArgumentTypeError, match="target must be a whole number"):
        verify_integer("2", "2")  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="target must be text"):
        verify_value("2", None)  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match="integrand must be LaTeX text or a SymPy expression"):
        verify_antiderivative("2", None)  # type: ignore[arg-type]


def test_a_batch_names_the_item() -> None:
    with pytest.raises(ArgumentTypeError, match=r"completions\[1\] must be text \(str\), not None"):
        verify_many(["x^2", None], "2x")  # type: ignore[list-item]
    with pytest.raises(TypeError, match="not one string"):
        verify_many("x^2", "2x")


def test_a_verdict_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match=r"verdict\.correct"):
        bool(verify_antiderivative("x^3", "2x"))


def test_a_verdict_is_shown_in_a_line() -> None:
    assert repr(verify_label("yes", 1)) == "<Verdict correct, reward 1: '1'>"
    wrong = repr(verify_antiderivative("x^3+C", "2x"))
    assert wrong.startswith("<Verdict incorrect, reward 0: 'x^3+C' (at x = 0.58")
    assert "+/-" not in wrong
    assert "C =" not in wrong  # F' does not depend on it
    assert "C = " in repr(verify_antiderivative("C x", "2x", variable="x"))


def test_a_witness_shows_a_difference_that_its_values_hide() -> None:
    witness = verify_antiderivative("x^2 + 10^{-20} x", "2x").evidence.witness
    assert witness is not None
    values = witness.described()
    assert values["integrand"] == values["derivative"]
    assert float(values["difference"]) == pytest.approx(1e-20)
    assert "[" not in str(witness)


def test_all_judges_of_answers_have_the_same_options() -> None:
    common = AnswerKeywords.__annotations__.keys()
    assert common == {option.name for option in fields(AnswerOptions)} - {"assumptions"}
    for name in ("antiderivative", "definite", "value", "equivalent", "limit", "sum"):
        assert common <= keyword_options(QUESTIONS[name].verify).keys()
    assert keyword_options(QUESTIONS["limit"].verify).keys() == {
        *common,
        "assumptions",
        "reference",
    }


def test_an_unknown_option_is_an_error() -> None:
    with pytest.raises(TypeError, match="tolerance"):
        verify_value("2", "2", tolerance=1e-3)
