"""The roles of tokens in a formula: operators, postfixes, closing delimiters."""

from __future__ import annotations

from typing import Final

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

POSTFIX: Final = frozenset(("^", "_", "!", "'", "°"))
CLOSERS: Final = frozenset((")", "]", "\\}", "\\right."))
#: Tokens that end a whole formula without harm.
TAIL: Final = frozenset((".", ",", ";"))
