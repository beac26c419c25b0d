from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.hint.scoring import (
    hint_answer,
    notebook_arithmetic,
    ordinary_answer,
    ordinary_value,
    read_prediction,
)
from calculus_harness.benchmarks.hint.semantics import parse
from tests.benchmarks.hint import independent


@pytest.mark.parametrize(
    ("completion", "number"),
    [
        (" 40.", 40.0),
        (" 5\n", 5.0),
        (" -6.", -6.0),
        ("20/135.", None),
        ("1,234", None),
        ("1 with a remainder of 2, or 12.", 12.0),
        (" : 0.55555", 0.55555),
        ("", None),
        ("5. So it is", 5.0),
        ("three", None),
        ("7 or\n8 apples", 8.0),
        ("1e3", 1000.0),
        ("1_000", 1000.0),
        ("5 4x", 5.0),
        ("...9...", 9.0),
        ("= 5", 5.0),
        ("\t5", 5.0),
    ],
)
def test_reading_a_prediction(completion: str, number: float | None) -> None:
    assert read_prediction(completion) == number


@pytest.mark.parametrize(
    ("text", "completion", "hint", "notebook"),
    [
        ("4*9-4", "32", True, True),
        ("3-8", "0", True, False),  # HINT's minus ends at 0; the notebooks never count a 0
        ("3-8", "-5", False, True),
        ("7/2", "4", True, False),
        ("7/2", "3", False, True),
        ("7/2", "3.5", False, True),
        ("7/2", "3.9", False, True),
        ("7/2", "4.0", True, False),
        ("8-8", "0", True, False),  # right by any arithmetic
        ("8-8", "0.5", False, True),  # truncated to 0, and not exactly 0 itself
        ("1/2", "-0.5", False, True),
        ("0-7/2", "-3", False, True),  # truncated towards 0
        ("8*8", "", False, False),
        ("8*8", "nan", False, False),
        ("8*8", "inf", False, False),
        ("8*8", "1e999", False, False),
        ("1/(4-7)", "-0.33", False, True),  # HINT divides by 0 here
        ("1/(0*4+3-3+1)", "1", True, True),
    ],
)
def test_the_two_scorers(text: str, completion: str, hint: bool, notebook: bool) -> None:
    expression = parse(text)
    assert hint_answer(completion, expression) is hint
    assert notebook_arithmetic(completion, expression) is notebook


def test_ordinary_values_are_pythons() -> None:
    rng = random.Random(3)
    undefined = 0
    for _ in range(5000):
        text = independent.random_text(rng, rng.randrange(16), "0123456789", "+-*/")
        try:
            expected = eval(text)
        except ZeroDivisionError:
            expected, undefined = None, undefined + 1
        value = ordinary_value(parse(text))
        assert value == expected
        assert type(value) is type(expected)
        assert ordinary_answer(parse(text)) == (None if expected is None else int(expected))
    assert undefined > 100


def test_ordinary_values_of_hostile_expressions() -> None:
    assert ordinary_value(parse("9" + "*9" * 3000 + "/2")) is None  # too large for a float
    assert ordinary_value(parse("(" * 3000 + "1" + "+1)" * 3000)) == 3001
    assert ordinary_answer(parse("1/(3-3)")) is None
    assert not notebook_arithmetic("0", parse("1/(3-3)"))
    with pytest.raises(ValueError, match="concept"):
        ordinary_value(parse("x+1"))


@given(st.text())
def test_any_completion_gets_a_verdict_from_both(completion: str) -> None:
    for score in (hint_answer, notebook_arithmetic):
        assert score(completion, parse("7/2")) in (True, False)
