"""A second pass over the tokens of texts with alignment marks, empty groups and the like."""

from __future__ import annotations

from typing import Final

_ALIGNMENT: Final = frozenset(("&", "\\\\"))
_OPERATORS: Final = frozenset(
    ("+", "-", "*", "/", "=", "\\cdot", "\\times", "\\div", "\\pm", "\\mp", ",", ";", ".")
)
_OPENING: Final = frozenset(("(", "[", "{", "\\{"))
_CLOSING: Final = frozenset(("", ")", "]", "}", "\\}", "\\right|", "\\right."))


def _continues(before: str, after: str) -> bool:
    """Whether the formula continues or ends at an alignment mark, so that no other begins there."""
    return (
        before in _OPERATORS
        or before in _OPENING
        or not before
        or after in _OPERATORS
        or after in _CLOSING
    )


def has_marks(text: str) -> bool:
    """Whether the tokens of the text need a second pass (`kept_places`)."""
    return (
        "&" in text
        or "\\\\" in text
        or "{}" in text
        or "F_" in text  # as in _2F_1
        or "\\left." in text
        or "\\left ." in text
        or "\\right." in text
    )


def kept_places(tokens: list[str]) -> list[int]:
    r"""The places left without ``&`` and ``\\`` outside tables, and without empty groups.

    A pair that is split over two lines (``\left( a \right. \\ \left. + b \right)``) is one pair.

    Renames two kinds of token in place: the first underscore of ``_2F_1``, and the bar of
    ``\left. x \right| m``.
    """
    _mark_hypergeometric(tokens)
    broken = "\\left." in tokens or "\\right." in tokens
    dropped = _separating_bars(tokens) | _split_pairs(tokens) if broken else frozenset()
    kept: list[int] = []
    tables = following = 0
    for place, token in enumerate(tokens):
        if token.startswith("\\begin "):
            tables += 1
        elif token.startswith("\\end "):
            tables -= 1
        elif place in dropped:
            continue
        elif tables <= 0 and token in _ALIGNMENT:
            while following <= place or tokens[following] in _ALIGNMENT:
                following += 1
            if _continues(tokens[kept[-1]] if kept else "", tokens[following]):
                continue
        elif token == "}" and kept and tokens[kept[-1]] == "{" and kept[-1] == place - 1:
            before = tokens[kept[-2]] if len(kept) > 1 else ""
            if before not in ("^", "_"):
                kept.pop()
                continue
        kept.append(place)
    return kept


def _mark_hypergeometric(tokens: list[str]) -> None:
    for place, token in enumerate(tokens):
        if token == "F" and place > 1 and tokens[place + 1 : place + 2] == ["_"]:
            if tokens[place - 2] == "_":
                tokens[place - 2] = "\\hyper"
            elif place > 3 and tokens[place - 1] == "}" and tokens[place - 4] == "_":
                tokens[place - 4] = "\\hyper"


def _split_pairs(tokens: list[str]) -> set[int]:
    r"""The places of ``\right.`` and ``\left.`` with only a new line between, and of that."""
    places: set[int] = set()
    closing: int | None = None
    for place, token in enumerate(tokens):
        if token == "\\left." and closing is not None:
            places.update(range(closing, place + 1))
            closing = None
        elif token == "\\right.":
            closing = place
        elif token not in _ALIGNMENT:
            closing = None
    return places


def _separating_bars(tokens: list[str]) -> set[int]:
    r"""Renames the bars of ``\left. x \right| m`` and ``x \left| m \right.``.

    Returns:
        The places of the empty delimiters.

    """
    starts: set[int] = set()
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token in ("(", "[", "\\{", "\\left|", "\\left."):
            opened.append(place)
        elif token in (")", "]", "\\}", "\\right|", "\\right.") and opened:
            start = opened.pop()
            # With limits it is the bar of an evaluation.
            limits = tokens[place + 1 : place + 2] in (["_"], ["^"])
            if tokens[start] == "\\left." and token == "\\right|" and not limits:
                tokens[place] = "\\middle|"
                starts.add(start)
            elif tokens[start] == "\\left|" and token == "\\right.":
                tokens[start] = "\\middle|"
                starts.add(place)
    return starts
