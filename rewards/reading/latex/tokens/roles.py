"""The roles of tokens in a formula: operators, postfixes, closing delimiters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

#: The symbol that stands for the differential in the text of a problem: a private character, so
#: that no text has it by chance. It is readable only if it is among the symbols of the problem.
DIFFERENTIAL: Final = "\ue000"
#: Among the symbols: the text is a problem, not an answer. Then braces are the fractional part, and
#: a power series with a known sum is a function like any other; as an answer it is no closed form.
IN_PROBLEM: Final = "\ue001"
#: Among the symbols: the answer is a value. A sum is no value, because it may be the question.
IS_VALUE: Final = "\ue002"

STOP, TIMES, SLASH, DIVIDE, BAR = range(5)

#: What ends an operand and is no operator of a product.
_ENDS = (
    r"+ - , ; : = < > & \\ . ? ) ] } \} \right| \right. \middle| \rfloor \rceil \pm \mp "
    r"\over \choose \le \ge \ne \in \cup \to \wedge \vee \or \if \otherwise \backslash"
)
_ENVIRONMENTS = "cases dcases rcases matrix pmatrix smallmatrix array"
#: What a token does after an operand. A token that is not here begins another operand: a product.
INFIX: Final[dict[str, int]] = dict.fromkeys(
    ("", *_ENDS.split(), *(f"\\end {name}" for name in _ENVIRONMENTS.split())),
    STOP,
) | {
    "*": TIMES,
    "\\cdot": TIMES,
    "\\times": TIMES,
    "/": SLASH,
    "\\div": DIVIDE,
    "÷": DIVIDE,
    "|": BAR,
}

POSTFIX: Final = frozenset(("^", "_", "!", "'", "°", "\\%"))
CLOSERS: Final = frozenset((")", "]", "\\}", "\\right."))
#: Tokens that end a whole formula without harm.
TAIL: Final = frozenset((".", ",", ";"))

_OPENING: Final = frozenset(("(", "[", "{", "\\{"))
_CLOSING: Final = frozenset((")", "]", "}", "\\}"))
#: Tokens that are searched for the end of a group, so that nested calls take linear time.
_LONGEST_GROUP: Final = 1000


def group_levels(tokens: list[str], start: int) -> Iterator[tuple[int, int]]:
    """The indices of the tokens from ``start`` on, each with the number of brackets still open.

    The last token closes the bracket at ``start``, unless the search ends before.
    """
    level = 0
    for index in range(start, min(start + _LONGEST_GROUP, len(tokens))):
        level += (tokens[index] in _OPENING) - (tokens[index] in _CLOSING)
        yield index, level
        if level <= 0:
            break


def group_end(tokens: list[str], start: int) -> int:
    """The index of the token that closes the bracket at ``start``, or ``start``."""
    *_, (end, level) = group_levels(tokens, start)
    return end if level == 0 else start
