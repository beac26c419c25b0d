"""No text makes the reader hang, crash or recurse too deeply."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards.reading.latex import (
    Limits,
    ReadError,
    Reading,
    TooBigError,
    read,
    to_latex,
)
from tests.examples import examples
from tests.rewards.steps import steps

TABLE = json.loads((Path(__file__).parents[2] / "cases" / "latex.json").read_text(encoding="utf-8"))
TEXTS = [row["latex"] for row in TABLE["readings"]]

BOMBS = {
    "parentheses": "(" * 100_000,
    "many parentheses": "(" * 10_000,
    "balanced parentheses": "(" * 5_000 + "x" + ")" * 5_000,
    "a megabyte": "x+" * 500_000,
    "fractions": r"\frac{" * 5_000 + "x",
    "fractions without braces": r"\frac1" * 3_000 + "x",
    "bare fractions": r"\frac" * 5_000 + "1" * 100,
    "derivatives": r"\frac{d" * 3_000,
    "a tower of nines": "9^{" * 4_000,
    "a tower of letters": "x^" * 5_000 + "x",
    "signs": "x*" + "-" * 10_000 + "x",
    "bars": "|" * 10_000,
    "bars and letters": "|x" * 5_000,
    "nested bars": "|" * 3_000 + "x" + "|" * 3_000,
    "letter functions": "K(" * 3_000,
    "letter functions, shallow": "K(x" + "+K(x)" * 1_500 + ")",
    "functions": r"\sin" * 3_000 + "x",
    "factorials": "x" + "!" * 5_000,
    "divisions": "x" + "/x" * 5_000,
    "a long word": "ab" * 10_000,
    "a long number": "1" * 20_000,
    "a long subscript": "x_{" + "a" * 10_000,
    "sums of sums": r"\sum_{k=0}^{63}" * 10 + "k",
    "a huge exponent": "1e999999999",
    "products of e": "2e-3+" * 500 + "x",
    "tables": r"\begin{cases}" * 2_000,
    "row breaks": "\\" * 10_000,
    "spaces": " " * 30_000,
    "comments": "%" * 30_000,
    "empty groups": "{}" * 10_000,
    "sizes": r"\left" * 5_000,
    "texts": r"\text{" * 3_000,
    "hypergeometric": "{}_2F_1(" * 2_000,
    "names in braces": r"{{\sin}^2}" * 2_000 + "x",
    "superscripts": "x" + "²" * 10_000,
    "ambiguities": "1/2x+" * 2_000 + "x",
    "polygammas": r"\psi^{(" * 3_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_cause_little_work(name):
    assert steps(lambda: _readable_or_read_error(BOMBS[name])) < 250_000


def test_deep_callers_get_an_answer_or_a_read_error():
    """The reader's own depth is bounded; a deeply nested caller gets `TooBigError`."""
    text = "(" * 90 + "x" + ")" * 90

    def sink(levels: int) -> object:
        return read(text, symbols="x") if levels == 0 else sink(levels - 1)

    assert sink(100)
    with pytest.raises(TooBigError):
        sink(sys.getrecursionlimit() - 200)


def test_limits_are_the_callers_to_set():
    for limits in (Limits(characters=10), Limits(tokens=5), Limits(depth=2), Limits(digits=3)):
        with pytest.raises(TooBigError):
            read("((((x))))+1234567", limits=limits)
    with pytest.raises(TooBigError):
        read(r"\sum_{k=0}^{9} x^k", limits=Limits(terms=5))


NESTS = [
    (r"\psi^{(", ")}(1,2)"),
    (r"\psi^{(", ")}"),
    ("K(", ")"),
    ("F(x|", ")"),
    ("e^", "2x"),
    ("(1-x*-", ")^2!/x"),
    (r"\sqrt[", "]{x}"),
    (r"\binom{x}{", "}"),
    (r"\log_{", "}x"),
    ("|", "|"),
    ("1/2(", ")"),
    (r"\sin 2(", ")"),
    (r"\log(2", ")^2"),
    (r"\left|", r"\right|"),
    ("(", ")!"),
    (r"\begin{cases}x&x>", r"\end{cases}"),
    ("{}_2F_1(1,2;3;", ")"),
    (r"\Gamma(2,", ")"),
    (r"\sum_{k=0}^{1}(", ")"),
]


@pytest.mark.parametrize("nest", NESTS, ids=str)
def test_reading_and_printing_nests_is_never_exponential(nest):
    """Reader and printer never go back, and every part is printed once."""
    opening, closing = nest

    def read_and_print(levels: int) -> None:
        with suppress(ReadError):
            for reading in read(opening * levels + "x" + closing * levels, symbols="x"):
                to_latex(reading.expression)

    for levels in (*range(1, 20), 29, 39, 49, 59):
        assert steps(lambda levels=levels: read_and_print(levels)) < 250_000


def test_a_tree_is_never_too_deep_for_its_users():
    limit = Limits().levels
    for levels in (10, 25, 49):
        text = r"\sin^2(1-2x/" * levels + "x" + ")" * levels
        try:
            (reading,) = read(text, symbols="x")
        except TooBigError:
            assert 5 * levels > limit
        else:
            assert 5 * levels <= limit + 1
            assert to_latex(reading.expression)


def test_limits_do_not_depend_on_the_clock():
    offsets = set()
    for _ in range(3):
        with pytest.raises(TooBigError) as caught:
            read("(" * 200 + "x", symbols="x")
        offsets.add(caught.value.offset)
    assert offsets == {100}


def test_work_is_linear():
    def work(copies: int) -> int:
        text = "+".join([r"\frac{1}{2}\sin^2(2x)\ln|x|"] * copies)
        return steps(lambda: read(text, symbols="x"))

    assert work(320) < 11 * work(32)


alphabet = st.sampled_from(
    [
        *"xyabCeikK0123456789+-*/^_(){}[]|!,;.=<>&' ",
        "\\\\",
        r"\frac",
        r"\sqrt",
        r"\sin",
        r"\ln",
        r"\left(",
        r"\right)",
        r"\left|",
        r"\right|",
        r"\int",
        r"\sum_{k=0}^{3}",
        r"\begin{cases}",
        r"\end{cases}",
        r"\operatorname{erf}",
        r"\text{if }",
        r"\pi",
        r"\over",
        r"\cdot",
        "{}_2F_1",
        "F(",
        r"\middle|",
        r"\pm",
        "²",
        "√",
        "sin",
        "2e-3",
        r"\psi",
        r"\Gamma(",
        "%",
        "~",
    ]
)


@examples(600)
@given(st.lists(alphabet, max_size=60).map("".join))
def test_soup_only_ever_raises_read_errors(text):
    _readable_or_read_error(text)


@examples(300)
@given(st.text(max_size=200))
def test_any_text_only_ever_raises_read_errors(text):
    _readable_or_read_error(text)


@examples(300)
@given(st.binary(max_size=200))
def test_any_bytes_only_ever_raise_read_errors(data):
    _readable_or_read_error(data.decode("latin-1"))


@examples(600)
@given(st.sampled_from(TEXTS), st.data())
def test_damaged_formulas_only_ever_raise_read_errors(text, data):
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    _readable_or_read_error(text[:start] + text[stop:])
    _readable_or_read_error(text[:stop])
    _readable_or_read_error(text[start:])


def _readable_or_read_error(text: str) -> None:
    refusal: ReadError | None = None
    results: tuple[Reading, ...] = ()
    try:
        results = read(text, symbols="x")
    except ReadError as error:
        refusal = error
    if refusal is None:
        assert 1 <= len(results) <= 8
    else:
        assert 0 <= refusal.offset <= len(text)
        assert refusal.expected
