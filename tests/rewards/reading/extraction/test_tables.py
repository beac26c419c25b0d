"""The tables of extraction: words, phrases, layouts, and the order of candidates."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

import pytest

from calculus_harness.rewards.reading.extraction import extract
from calculus_harness.rewards.reading.extraction.choose import RULES, STANDINGS
from calculus_harness.rewards.reading.extraction.words import tables
from calculus_harness.rewards.reading.extraction.words.leads import _WORD_ROLES
from calculus_harness.rewards.reading.extraction.words.tables import (
    SpellingRow,
    WordTable,
    framed,
    patterns,
    roles,
)

FORMULA = "\u00a7"
DOCUMENT = Path(__file__).parents[4] / "docs" / "verifier.md"
ROWS = [
    pytest.param(name, row, id=f"{name}: {row.language or 'layout'}: {row.matches}")
    for name, role in roles().items()
    for row in role.rows
]


def has(role: WordTable, rows: tuple[SpellingRow, ...], text: str) -> bool:
    """Whether a text has a role by one of the rows."""
    if role.reads == "words":
        spellings = [word for row in rows for word in row.spelling.split()]
        if rows[0].language in ("zh", "ja", "ko"):
            return any(word in text for word in spellings)
        return not set(spellings).isdisjoint(patterns.lead_word.findall(text))
    pattern = framed(role, rows)
    match = {
        "between": lambda: pattern.fullmatch(text),
        "whole": lambda: pattern.fullmatch(text),
        "line": lambda: pattern.match(text),
        "before": lambda: pattern.search(text.partition(FORMULA)[0].rstrip("\0")),
        "after": lambda: pattern.match(text, text.index(FORMULA) + 1),
        "anywhere": lambda: pattern.search(text),
    }[role.reads]()
    return match is not None and (not rows[0].kind or match.lastgroup in {r.kind for r in rows})


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_a_row_matches_its_example_and_the_role_misses_the_other(
    name: str, row: SpellingRow
) -> None:
    role = roles()[name]
    assert has(role, (row,), row.matches)
    # Rows of another language or another kind may match what this one has to miss.
    same = tuple(
        entry
        for entry in role.rows
        if entry.kind == row.kind and (role.reads != "words" or entry.language == row.language)
    )
    assert not has(role, same if row.kind or role.reads == "words" else role.rows, row.misses)
    if row.kind:
        names = [match.lastgroup for match in framed(role, role.rows).finditer(row.matches)]
        assert names[0] == row.kind
    assert row.hint in row.matches


def test_every_role_has_a_reason_and_is_used() -> None:
    """A role of a layout is an attribute of ``patterns``, or a part of another role."""
    folder = Path(tables.__file__).parents[3]
    code = "".join(path.read_text("utf-8") for path in folder.rglob("*.py"))
    sources = " ".join(
        text for role in roles().values() for text in (role.frame, *(r.spelling for r in role.rows))
    )
    assert all(role.says for role in roles().values())
    names = [name for name, role in roles().items() if not name.startswith("as_")]
    unused = [
        name
        for name in names
        if not re.search(rf"patterns\.{name}\b", code)
        and f"<{name}>" not in sources
        and f'"{name}"' not in code
    ]
    assert unused == []


#: A layout that is quadratic takes seconds for so many characters, others a few milliseconds.
LONG = 20_000


@pytest.mark.parametrize(
    "name", [name for name, role in roles().items() if not role.rows[0].language]
)
def test_layouts_are_linear_in_the_text(name: str) -> None:
    role = roles()[name]
    if role.reads == "words":
        return
    pattern = getattr(patterns, name)
    find = {"whole": pattern.fullmatch, "line": pattern.match}.get(role.reads, pattern.search)
    for row in role.rows:
        for example in (row.matches, row.misses, row.matches[:-1]):
            text = example.replace(FORMULA, "") or "x"
            started = time.process_time()
            find(text * (LONG // len(text)))
            assert time.process_time() - started < 0.5


def test_no_role_stands_in_two_tables() -> None:
    folder = Path(tables.__file__).parent
    names = Counter(
        name
        for table in folder.glob("*.toml")
        for name in re.findall(r"^\[(\w+)\]$", table.read_text("utf-8"), re.MULTILINE)
    )
    assert names.keys() == roles().keys()
    assert set(names.values()) == {1}


def test_no_word_has_two_roles() -> None:
    """Words lead to a formula in a single way; nouns and verbs have no second role."""
    leads = (*_WORD_ROLES, "breaks")
    counts = Counter(
        word
        for name in leads
        for word in {word for row in roles()[name].rows for word in row.spelling.split()}
    )
    assert [word for word, count in counts.items() if count > 1] == []


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
