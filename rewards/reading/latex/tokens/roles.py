"""The roles of tokens in a formula: operators, postfixes, closing delimiters."""

from __future__ import annotations

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
