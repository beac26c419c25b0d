"""A second pass over the tokens of texts with layout, such as alignment marks and empty groups."""

from __future__ import annotations

from typing import Final

_ALIGNMENT: Final = frozenset(("&", "\\\\"))
_OPERATORS: Final = frozenset(
    ("+", "-", "*", "/", "=", "\\cdot", "\\times", "\\div", "\\pm", "\\mp", ",", ";", ".")
)
_OPENING: Final = frozenset(("(", "[", "{", "\\{"))
_CLOSING: Final = frozenset(("", ")", "]", "}", "\\}", "\\right|", "\\right."))


def _continues(previous: str, following: str) -> bool:
    """Whether the formula before an alignment mark continues after the mark.

    If it does not continue, a second formula begins after the mark. The arguments are the tokens
    directly before and after the mark.
    """
    return (
        previous in _OPERATORS
        or previous in _OPENING
        or not previous
        or following in _OPERATORS
        or following in _CLOSING
    )


def has_marks(text: str) -> bool:
    """Whether the tokens of the text have to be cleaned by `kept_places`."""
    return (
        "&" in text
        or "\\\\" in text
        or "{}" in text
        or "F_" in text  # as in _2F_1
        or ("." in text and ("\\left." in text or "\\left ." in text or "\\right." in text))
    )


def kept_places(tokens: list[str]) -> list[int]:
    r"""The indices of the tokens that remain when layout is removed.

    Outside tables, ``&`` and ``\\`` are removed. Empty groups are removed, too. A pair of
    delimiters that is split over two lines becomes one pair, as in
    ``\left( a \right. \\ \left. + b \right)``.

    Two kinds of token are renamed in ``tokens``: the first underscore of ``_2F_1``, and the bar of
    ``\left. x \right| m``.
    """
    _mark_hypergeometric(tokens)
    broken = "\\left." in tokens or "\\right." in tokens
    dropped = _separating_bars(tokens) | _split_pairs(tokens) if broken else frozenset()
    kept_indices: list[int] = []
    tables = following = 0
    for index, token in enumerate(tokens):
        if token.startswith("\\begin "):
            tables += 1
        elif token.startswith("\\end "):
            tables -= 1
        elif index in dropped:
            continue
        elif tables <= 0 and token in _ALIGNMENT:
            while following <= index or tokens[following] in _ALIGNMENT:
                following += 1
            if _continues(tokens[kept_indices[-1]] if kept_indices else "", tokens[following]):
                continue
        elif (
            token == "}"
            and kept_indices
            and tokens[kept_indices[-1]] == "{"
            and kept_indices[-1] == index - 1
        ):
            previous = tokens[kept_indices[-2]] if len(kept_indices) > 1 else ""
            if previous not in ("^", "_"):
                kept_indices.pop()
                continue
        kept_indices.append(index)
    return kept_indices


def _mark_hypergeometric(tokens: list[str]) -> None:
    for index, token in enumerate(tokens):
        if token == "F" and index > 1 and tokens[index + 1 : index + 2] == ["_"]:
            if tokens[index - 2] == "_":
                tokens[index - 2] = "\\hyper"
            elif index > 3 and tokens[index - 1] == "}" and tokens[index - 4] == "_":
                tokens[index - 4] = "\\hyper"


def _split_pairs(tokens: list[str]) -> set[int]:
    r"""The indices of ``\right.``, of the next ``\left.``, and of all tokens between them.

    A pair is left out if any token between ``\right.`` and ``\left.`` is not a line break or an
    alignment mark.
    """
    indices: set[int] = set()
    closing: int | None = None
    for index, token in enumerate(tokens):
        if token == "\\left." and closing is not None:
            indices.update(range(closing, index + 1))
            closing = None
        elif token == "\\right.":
            closing = index
        elif token not in _ALIGNMENT:
            closing = None
    return indices


def _separating_bars(tokens: list[str]) -> set[int]:
    r"""Rename the bars of ``\left. x \right| m`` and ``x \left| m \right.`` to ``\middle|``.

    Returns:
        The indices of the empty delimiters ``\left.`` and ``\right.`` of these bars.

    """
    starts: set[int] = set()
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token in ("(", "[", "\\{", "\\left|", "\\left."):
            opened.append(index)
        elif token in (")", "]", "\\}", "\\right|", "\\right.") and opened:
            start = opened.pop()
            # With limits it is the bar of an evaluation.
            limits = tokens[index + 1 : index + 2] in (["_"], ["^"])
            if tokens[start] == "\\left." and token == "\\right|" and not limits:
                tokens[index] = "\\middle|"
                starts.add(start)
            elif tokens[start] == "\\left|" and token == "\\right.":
                tokens[start] = "\\middle|"
                starts.add(index)
    return starts
