"""The tables of words, phrases and layouts, loaded once.

A role is a meaning of words next to a formula, or a purpose of a layout. Each role has a table,
compiled to a regular expression.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

_TABLES: Final = ("phrases.toml", "vocabulary.toml", "layouts.toml", "solutions.toml")
#: A role that stands for its rows in a frame or a row: ``<leads_back>``; ``(?P<name>`` is a group,
#: and ``\<`` the sign.
_REFERENCE: Final = re.compile(r"(?<!(?<!\\)\\)(?<!\?P)<([a-z_]+)>")


@dataclass(frozen=True, slots=True)
class SpellingRow:
    """Spellings with the same meaning, the role. All words are in the same language.

    Attributes:
        spelling: the words, or the regular expression of the phrases or the layout.
        matches: an example of a text that the row matches.
        misses: an example of a text without the role.
        language: the language's code (ISO 639-1). Empty for a layout.
        kind: the kind of the row. A group of the regular expression has the name. The group tells
            the caller which kind of row matched.
        becomes: the replacement of a match.
        hint: letters in every spelling, for a fast search. Empty if the role is
            searched without hints.

    """

    spelling: str
    matches: str
    misses: str
    language: str = ""
    kind: str = ""
    becomes: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class WordTable:
    """A role: the meaning of words next to a formula, or the purpose of a layout.

    Attributes:
        says: the meaning of the role in words.
        reads: what a spelling is, and where in the text it is searched. The comments at the top of
            the TOML files list the values.
        rows: the spellings.
        frame: the possible text around a spelling.
        any_case: whether capital letters count as small letters.

    """

    says: str
    reads: str
    rows: tuple[SpellingRow, ...]
    frame: str = "<rows>"
    any_case: bool = False


@cache
def roles() -> Mapping[str, WordTable]:
    """Load the tables of words, phrases and layouts. The keys are the names of the tables."""
    table: dict[str, dict[str, Any]] = {}
    for name in _TABLES:
        table |= tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return {
        name: WordTable(**role | {"rows": (*map(_row, role["rows"]),)})
        for name, role in table.items()
    }


def _row(row: dict[str, str]) -> SpellingRow:
    """Convert a row of the TOML file. Line breaks in a long regular expression are removed."""
    column = next(name for name in ("words", "phrase", "layout") if name in row)
    fields = {name: value for name, value in row.items() if name != column}
    spelling = row[column] if column == "words" else re.sub(r"\n\s*", "", row[column])
    return SpellingRow(spelling, **fields)


#: Languages without spaces between words.
_UNSPACED: Final = frozenset(("zh", "ja", "ko"))


@cache
def words(name: str) -> frozenset[str]:
    """The words of the table ``name``. All have the same meaning next to a formula."""
    return frozenset(word for row in roles()[name].rows for word in row.spelling.split())


@cache
def unspaced_words(name: str) -> tuple[str, ...]:
    """The words of the table ``name`` in languages without spaces between words."""
    rows = (row for row in roles()[name].rows if row.language in _UNSPACED)
    return tuple(word for row in rows for word in row.spelling.split())


@lru_cache(maxsize=1024)  # short texts with a role, which recur between completions
def replacement(name: str, text: str) -> str:
    """The replacement for a match of a row of the table ``name``."""
    role = roles()[name]
    return next(row.becomes for row in role.rows if framed(role, (row,)).fullmatch(text))


def _either(rows: tuple[SpellingRow, ...]) -> str:
    """Make a regular expression for all spellings in the rows.

    The rows of each kind are followed by an empty group with the name of the kind. The group tells
    the caller which kind of row matched. The group is not put before the rows, because a search is
    slow if the expression begins with a group. If a row already has a group of this name, no group
    is added.
    """
    spellings: list[str] = []
    for group_name, same in groupby(rows, key=lambda row: row.kind):
        expression = "|".join(row.spelling for row in same)
        named = group_name and f"(?P<{group_name}>" not in expression
        spellings.append(f"(?:{expression})(?P<{group_name}>)" if named else expression)
    return _resolved(f"(?:{'|'.join(spellings)})")


def _resolved(expression: str) -> str:
    return _REFERENCE.sub(lambda match: _either(roles()[match[1]].rows), expression)


@cache
def framed(role: WordTable, rows: tuple[SpellingRow, ...]) -> re.Pattern[str]:
    """Make a regular expression of the given rows, in the frame of the table ``role``."""
    expression = _resolved(role.frame.replace("<rows>", _either(rows)))
    return re.compile(expression, re.IGNORECASE if role.any_case else 0)


class _Patterns:
    def __getattr__(self, name: str) -> re.Pattern[str]:
        """Compile the regular expression of the table ``name`` at its first use, and store it."""
        if name not in roles():
            raise AttributeError(name)
        compiled = framed(roles()[name], roles()[name].rows)
        setattr(self, name, compiled)
        return compiled


#: The roles as regular expressions: ``patterns.box`` matches any row of the role in its frame.
patterns: Final = _Patterns()


@cache
def hints(name: str, *, english: bool = False) -> tuple[str, ...]:
    """The hints of the table ``name``, in order; only the English hints if ``english`` is true.

    A hint is a group of letters, in every spelling of a row.
    """
    rows = roles()[name].rows
    return tuple(dict.fromkeys(row.hint for row in rows if row.language == "en" or not english))
