"""The tables of extraction: every row of ``phrases.toml``, and the order of candidates."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from calculus_harness.rewards.reading.extraction import extract
from calculus_harness.rewards.reading.extraction.choose import RULES, STANDINGS
from calculus_harness.rewards.reading.extraction.words.phrases import PhraseRole, Row, framed, roles

FORMULA = "\u00a7"
DOCUMENT = Path(__file__).parents[4] / "docs" / "verifier.md"
ROWS = [
    pytest.param(name, row, id=f"{name}: {row.language}: {row.matches}")
    for name, role in roles().items()
    for row in role.rows
]


def has(role: PhraseRole, rows: tuple[Row, ...], text: str) -> bool:
    """Whether a text has a role by one of these rows."""
    if role.reads == "words":
        spellings = [word for row in rows for word in row.spelling.split()]
        if rows[0].language in ("zh", "ja", "ko"):
            return any(word in text for word in spellings)
        return not set(spellings).isdisjoint(re.findall(r"[^\W\d_]+(?:[-.'][^\W\d_]+)*|[,;]", text))
    pattern = framed(role, rows)
    if role.reads == "between":
        return pattern.fullmatch(text) is not None
    if role.reads == "line":
        return pattern.match(text) is not None
    if role.reads == "before":
        return pattern.search(text.partition(FORMULA)[0]) is not None
    if role.reads == "after":
        return pattern.match(text, text.index(FORMULA) + 1) is not None
    assert role.reads == "anywhere"
    return pattern.search(text) is not None


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_a_row_matches_its_example_and_the_role_misses_the_other(name: str, row: Row) -> None:
    role = roles()[name]
    assert has(role, (row,), row.matches)
    language = tuple(each for each in role.rows if each.language == row.language)
    rows = language if role.reads == "words" else role.rows
    assert not has(role, rows, row.misses)
    assert row.hint in row.matches


def test_no_word_has_two_roles() -> None:
    """Words lead to a formula in one way; nouns and verbs are no other words either."""
    leads = ("announce", "noun", "verb", "conclude", "recall", "method", "check", "soft", "breaks")
    found = Counter(
        word
        for name in leads
        for word in {word for row in roles()[name].rows for word in row.spelling.split()}
    )
    assert [word for word, count in found.items() if count > 1] == []


def test_the_document_has_the_order_of_candidates() -> None:
    section = DOCUMENT.read_text(encoding="utf-8").partition("### Which formula is the answer")[2]
    cells = re.findall(r"^\| (.+?) \|(?: (.*?))? \|$", section.partition("## ")[0], re.MULTILINE)
    table = [(formula, names.split(", ") if names else []) for formula, names in cells[1:]]
    assert table == [(rule.reason, list(rule.standings)) for rule in RULES]
    order = section.partition("the order is:")[2].partition("\n\n")[0]
    names = re.findall(r"\w+", re.sub(r"\(.*?\)", "", order))
    assert names == [name for name in STANDINGS if name not in ("overriding", "answer")]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("So we get $$x^3$$ Recall that $F(x) = x^2 + C$ holds.", "x^2 + C"),
        ("Recall that $F(x) = x^2 + C$ holds. So we get $$x^3$$", "x^3"),
        ("The answer is $x^2 + C$. This simplifies to $$x^3$$", "x^3"),
        ("The answer is $x^2 + C$. Here $x^3$ is used.", "x^2 + C"),
        (r"We have $x^3$. Check: $F(x) = x^2 + C$.", "x^3"),
        ("Let $u = x^2$. We use $x^5$ and $a + b = x^4$", "x^4"),
    ],
)
def test_the_order_of_standings(text: str, answer: str) -> None:
    assert extract(text).answer == answer
