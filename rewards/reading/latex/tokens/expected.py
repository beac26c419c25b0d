"""Messages for a token in the wrong place: the expected text, and the kind of error."""

from __future__ import annotations

from typing import Final

from ..errors import AlternativesError, ReadError
from .roles import CLOSERS

#: The token after an expression -> what is expected in its place, and the kind of error.
_ENDS: Final[dict[str, tuple[str, type[ReadError]]]] = {
    "\\pm": ("one answer, not \\pm", AlternativesError),
    "\\mp": ("one answer, not \\mp", AlternativesError),
    **dict.fromkeys((",", ";"), ("one answer, not a list", AlternativesError)),
    **dict.fromkeys(("\\or", "\\vee", "\\wedge"), ("one answer, not two", AlternativesError)),
    "\\\\": ("one answer, not several lines", AlternativesError),
    "&": ("one answer, not several columns", AlternativesError),
    "=": ("an expression, not an equation", ReadError),
    **dict.fromkeys(
        CLOSERS | {"}", "|", "\\right|"},
        ("the end of the formula, not a closing delimiter", ReadError),
    ),
}


def expected_end(token: str) -> tuple[str, type[ReadError]]:
    """What the parser expects in place of ``token`` after a complete expression.

    The second result is the kind of error.
    """
    return _ENDS.get(token, ("an operator or the end of the formula", ReadError))


def expected_closing(token: str) -> tuple[str, type[ReadError]]:
    """Like `expected_end`, in a group that is not closed."""
    if token in ("\\or", "\\pm", "\\mp", "="):
        return expected_end(token)
    return "an operator or a closing delimiter", ReadError


def expected_operand(token: str) -> tuple[str, type[ReadError]]:
    """Like `expected_end`, where an operand should begin."""
    if token.startswith("\\text "):
        return f"mathematics, not words: {token[6:]}", ReadError
    if token in ("\\pm", "\\mp", "\\or"):
        return expected_end(token)
    if token.startswith("\\") and token[1:2].isalpha():
        return f"a known command, not {token.split(' ')[0][:40]}", ReadError
    return "an operand", ReadError
