"""The 91 tokens of the sequence integrator, in the order of their ids (Lample and Charton 2019).

The order is that of the released code (commit 4596d07); a trained model depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: Operator -> the number of its operands.
OPERATORS: dict[str, int] = {
    "add": 2,
    "sub": 2,
    "mul": 2,
    "div": 2,
    "pow": 2,
    "rac": 2,
    "derivative": 2,
    "inv": 1,
    "pow2": 1,
    "pow3": 1,
    "pow4": 1,
    "pow5": 1,
    "sqrt": 1,
    "exp": 1,
    "ln": 1,
    "abs": 1,
    "sign": 1,
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "cot": 1,
    "sec": 1,
    "csc": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "acot": 1,
    "asec": 1,
    "acsc": 1,
    "sinh": 1,
    "cosh": 1,
    "tanh": 1,
    "coth": 1,
    "sech": 1,
    "csch": 1,
    "asinh": 1,
    "acosh": 1,
    "atanh": 1,
    "acoth": 1,
    "asech": 1,
    "acsch": 1,
    "f": 1,
    "g": 2,
    "h": 3,
}

SPECIAL = ("<s>", "</s>", "<pad>", "(", ")", *(f"<SPECIAL_{i}>" for i in range(5, 10)))
CONSTANTS = ("pi", "E")
VARIABLES = ("x", "y", "z", "t")
COEFFICIENTS = tuple(f"a{i}" for i in range(10))
SYMBOLS = ("I", "INT+", "INT-", "INT", "FLOAT", "-", ".", "10^", "Y", "Y'", "Y''")
DIGITS = tuple("0123456789")

#: Every token; a token's id is its place.
TOKENS: tuple[str, ...] = (
    *SPECIAL,
    *CONSTANTS,
    *VARIABLES,
    *COEFFICIENTS,
    *sorted(OPERATORS),
    *SYMBOLS,
    *DIGITS,
)
IDS: dict[str, int] = {token: place for place, token in enumerate(TOKENS)}

#: Begins and ends every sequence.
END = IDS["<s>"]
#: Pads a batch; the released code uses ``</s>`` for it, not ``<pad>``.
PADDING = IDS["</s>"]


def encode(tokens: Iterable[str]) -> list[int]:
    """The ids of a sequence, between two `END`.

    Raises:
        ValueError: if a token is unknown.

    """
    try:
        return [END, *(IDS[token] for token in tokens), END]
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is not one of the {len(TOKENS)} tokens") from None


def decode(ids: Sequence[int]) -> tuple[str, ...]:
    """The tokens of a sequence up to the second `END`, without padding.

    Raises:
        ValueError: if an id is out of range.

    """
    tokens: list[str] = []
    for place, number in enumerate(ids):
        if not 0 <= number < len(TOKENS):
            raise ValueError(f"{number} is not the id of a token: ids are 0 to {len(TOKENS) - 1}")
        if number == END:
            if place:
                break
        elif number != PADDING:
            tokens.append(TOKENS[number])
    return tuple(tokens)
