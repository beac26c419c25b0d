"""Messages for a token in the wrong place: the expected text, and the kind of error."""

from __future__ import annotations

from typing import Final

from ..errors import AlternativesError, ReadError
from .roles import CLOSERS

_ALTERNATIVES: Final = {
    "\\pm": "one answer, not \\pm",
    "\\mp": "one answer, not \\mp",
    ",": "one answer, not a list",
    ";": "one answer, not a list",
    "\\or": "one answer, not two",
    "\\vee": "one answer, not two",
    "\\wedge": "one answer, not two",
    "\\\\": "one answer, not several lines",
    "&": "one answer, not several columns",
}
_ENDINGS: Final = CLOSERS | {"}", "|", "\\right|"}


def expected_end(token: str) -> tuple[str, type[ReadError]]:
    """What the parser expects in place of ``token`` after a complete expression.

    The second result is the kind of error.
    """
    if token in _ALTERNATIVES:
        return _ALTERNATIVES[token], AlternativesError
    if token == "=":
        return "an expression, not an equation", ReadError
    if token in _ENDINGS:
        return "the end of the formula, not a closing delimiter", ReadError
    return "an operator or the end of the formula", ReadError


def expected_closing(token: str) -> tuple[str, type[ReadError]]:
    """What the parser expects in place of ``token`` in a group that is not closed.

    The second result is the kind of error.
    """
    if token in ("\\or", "\\pm", "\\mp", "="):
        return expected_end(token)
    return "an operator or a closing delimiter", ReadError


def expected_operand(token: str) -> tuple[str, type[ReadError]]:
    """What the parser expects in place of ``token`` where an operand should begin.

    The second result is the kind of error.
    """
    if token.startswith("\\text "):
        return f"mathematics, not words: {token[6:]}", ReadError
    if token in ("\\pm", "\\mp", "\\or"):
        return expected_end(token)
    if token.startswith("\\") and token[1:2].isalpha():
        return f"a known command, not {token.split(' ')[0][:40]}", ReadError
    return "an operand", ReadError
