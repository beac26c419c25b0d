"""The tables of words and phrases, loaded once and compiled to one regular expression a role."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

_TABLES: Final = ("phrases.toml", "vocabulary.toml", "solutions.toml")
#: A role that stands for its phrases in a frame or a phrase: ``<leads_back>``.
_REFERENCE: Final = re.compile(r"(?<!\?)<([a-z_]+)>")


@dataclass(frozen=True, slots=True)
class Row:
    """The spellings of a role in one language.

    Attributes:
        language: the language's code (ISO 639-1).
        spelling: the words, or the regular expression of the phrases.
        matches: a text that has the role by this row.
        misses: a text that does not have the role.
        hint: letters that every spelling has; empty if the text is searched without a hint.

    """

    language: str
    spelling: str
    matches: str
    misses: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class PhraseRole:
    """What words say of the formula beside them.

    Attributes:
        says: the meaning.
        reads: what a spelling is, and where it stands; the head of ``phrases.toml`` has the list.
        rows: the spellings.
        frame: what may stand around a phrase.
        any_case: capital letters count as small ones.

    """

    says: str
    reads: str
    rows: tuple[Row, ...]
    frame: str = "<rows>"
    any_case: bool = False


@cache
def roles() -> Mapping[str, PhraseRole]:
    """The roles by their names."""
    table: dict[str, dict[str, Any]] = {}
    for name in _TABLES:
        table |= tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return {
        name: PhraseRole(
            role["says"],
            role["reads"],
            tuple(
                Row(
                    row["language"],
                    row["words"] if role["reads"] == "words" else row["phrase"],
                    row["matches"],
                    row["misses"],
                    row.get("hint", ""),
                )
                for row in role["rows"]
            ),
            role.get("frame", "<rows>"),
            role.get("any_case", False),
        )
        for name, role in table.items()
    }


#: Languages without spaces between words.
_UNSPACED: Final = frozenset(("zh", "ja", "ko"))


@cache
def words(name: str) -> frozenset[str]:
    """The words of a role."""
    return frozenset(word for row in roles()[name].rows for word in row.spelling.split())


@cache
def unspaced_words(name: str) -> tuple[str, ...]:
    """The words of a role in languages without spaces between words."""
    rows = (row for row in roles()[name].rows if row.language in _UNSPACED)
    return tuple(word for row in rows for word in row.spelling.split())


def alternatives(name: str) -> str:
    """The regular expression of any phrase of a role, without its frame."""
    return either(roles()[name].rows)


def either(rows: tuple[Row, ...]) -> str:
    """The regular expression of any phrase of these rows."""
    return _resolved(f"(?:{'|'.join(row.spelling for row in rows)})")


def _resolved(expression: str) -> str:
    return _REFERENCE.sub(lambda match: alternatives(match[1]), expression)


def framed(role: PhraseRole, rows: tuple[Row, ...]) -> re.Pattern[str]:
    """The regular expression of a role with these rows of it alone."""
    return re.compile(_framed(role, rows), re.IGNORECASE if role.any_case else 0)


def _framed(role: PhraseRole, rows: tuple[Row, ...]) -> str:
    return _resolved(role.frame.replace("<rows>", either(rows)))


class Phrases:
    """The phrases of some roles as one regular expression, compiled at its first use.

    Args:
        names: the roles.

    Example:
        >>> bool(Phrases("or").fullmatch(" or "))
        True

    """

    search: Callable[..., re.Match[str] | None]
    match: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    sub: Callable[[str, str], str]

    def __init__(self, *names: str) -> None:
        self._names = names

    def __getattr__(self, method: str) -> Any:  # of the first call; then the methods are attributes
        if method not in ("search", "match", "fullmatch", "sub"):
            raise AttributeError(method)
        chosen = [roles()[name] for name in self._names]
        expression = "|".join(_framed(role, role.rows) for role in chosen)
        compiled = re.compile(expression, re.IGNORECASE if chosen[0].any_case else 0)
        self.search, self.match = compiled.search, compiled.match
        self.fullmatch, self.sub = compiled.fullmatch, compiled.sub
        return getattr(compiled, method)


@cache
def hints(name: str, *, english: bool) -> tuple[str, ...]:
    """The hints of a role's rows, in their order; with ``english``, of English ones alone."""
    rows = roles()[name].rows
    return tuple(dict.fromkeys(row.hint for row in rows if row.language == "en" or not english))
