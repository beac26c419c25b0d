"""Small decisions of extraction beyond the corpora."""

from __future__ import annotations

import pytest

from calculus_harness.rewards.reading.extraction import boxes, extract
from calculus_harness.rewards.reading.extraction.boxed.content import is_mention
from calculus_harness.rewards.reading.extraction.cases import as_cases
from calculus_harness.rewards.reading.extraction.choose import _FormulaReader
from calculus_harness.rewards.reading.extraction.judge import ExtractionGoal
from calculus_harness.rewards.reading.extraction.spans import spans
from calculus_harness.rewards.reading.extraction.statements import chains
from calculus_harness.rewards.reading.extraction.words.leads import first_check


def test_the_first_formula_begins_the_chain_of_a_later_one() -> None:
    text = "$D(x)$ is wanted.\n\n$\\frac{d}{dx}x^3$\n$= 3x^2$\n$= 4x^2 - x^2$"
    formulas = spans(text[text.index("\n\n") :])
    reader = _FormulaReader(text[text.index("\n\n") :], formulas, ExtractionGoal())
    assert reader.root(len(formulas) - 1) == r"\frac{d}{dx}x^3"


def test_a_box_is_only_mentioned_at_the_very_beginning() -> None:
    text = r"in \boxed{}"
    assert is_mention(boxes.boxes(text)[0], text)


def test_a_heading_is_found_behind_the_same_word_in_a_sentence() -> None:
    text = "The explanation and an explanation follow.\n\n$x^2$\n\nExplanation: we used $u$"
    assert first_check(text, len(text)) == text.index("Explanation:")


@pytest.mark.parametrize("padding", range(1, 40))
def test_formulas_that_are_close_are_joined_wherever_they_stand(padding: int) -> None:
    assert [span.latex for span in spans("." * padding + "$x^2$ + $C$")] == ["x^2 + C"]
    far = "." * padding + "$x^2$" + " " * 10 + "+" + " " * 4 + "$C$"
    assert len(spans(far)) == 2


@pytest.mark.parametrize("truncated", [False, True])
def test_an_open_thought_holds_no_answer(truncated: bool) -> None:
    for text in ("<think>so $x^2$", r"<think>so \boxed{x^2}"):
        extracted = extract(text, truncated=truncated)
        assert extracted.answer is None
        assert extracted.notes == ("the thinking block is not closed",)


@pytest.mark.parametrize(
    "text",
    [
        r"It is not \boxed{x^2}. Let us see.",
        r"So $\boxed{x^2}$ is wrong.",
        "The answer is not $\\boxed{x^2}$.\n\nWe go on.",
    ],
)
def test_a_box_is_denied_from_either_side(text: str) -> None:
    assert extract(text).answer is None


@pytest.mark.parametrize("second", [r"x\le 0", r"\text{otherwise}", r"\text{if } x\le 0"])
@pytest.mark.parametrize("first", ["x>0", r"\text{if } x>0", r"\text{for positive } x"])
def test_each_condition_of_a_case_is_a_bound_or_a_word(first: str, second: str) -> None:
    assert as_cases(f"x^2, {first}; -x^2, {second}").startswith(r"\begin{cases}")


@pytest.mark.parametrize("argument", ["(x > 0)", r"(x \in \mathbb R)", "(x)"])
def test_words_before_brackets_are_a_remark(argument: str) -> None:
    assert extract(rf"$F(x) = x^2 \text{{ near the origin }} {argument}$").answer == "x^2"


def test_a_closing_bracket_alone_changes_nothing_behind_it() -> None:
    assert extract("$a) F = x^3 (x > 0, x < 1)$").answer == extract("$F = x^3$").answer


def test_values_and_bounds_alone_are_cases() -> None:
    extracted = as_cases(r"x^2, x>0, x<5; -x^2, x\le 0")
    assert extracted == r"\begin{cases} x^2 & x>0,  x<5 \\ -x^2 & x\le 0 \end{cases}"


def test_a_second_open_bracket_is_like_the_first() -> None:
    once, twice = (
        r"\left\{x\right. = \left(y\right.",
        r"\left\{x\right. = \left\{x\right. = \left(y\right.",
    )
    assert len(chains(once)[0].links) == 2
    assert len(chains(twice)[0].links) == 3


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"\\boxed{\\frac{x^2}{2}}", r"\frac{x^2}{2}"),
        (r"\boxed{\begin{cases} \frac{x}{2} & x>0 \\\sin x & x<0\end{cases}}", None),
        ("\\boxed{\f" + r"rac{1}{2}x^2}", r"\frac{1}{2}x^2"),  # a decoder took \f as a form feed
    ],
)
def test_backslashes_are_doubled_everywhere_or_kept(text: str, answer: str | None) -> None:
    extracted = extract(text).answer
    assert extracted == answer if answer else "\\\\" in str(extracted)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # words between two displays end a sum
        (r"First $$x^2 +$$ is one half, and the other half is $$\sin x + C$$", r"\sin x + C"),
        (r"$$x^2 +$$ $$\sin x + C$$", r"x^2 + \sin x + C"),
        # an integral with limits has a value, and no antiderivative
        (r"$\int 2x\,dx = x^2$ and $3x+1$.", "x^2"),
        (r"$\int_0^1 2x\,dx = x^2$ and $3x+1$.", "3x+1"),
        (r"\boxed{$\frac{x^2}{2}$ + $C$}", r"\frac{x^2}{2}  +  C"),
    ],
)
def test_which_formula_is_the_answer(text: str, answer: str) -> None:
    assert extract(text).answer == answer
