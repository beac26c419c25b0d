"""The 91 tokens of the sequence integrator, in the order of their ids (Lample and Charton 2019).

The order is that of the released code (commit 4596d07); trained models depend on the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: Operator -> the number of operands.
OPERATORS: dict[str, int] = {
    **dict.fromkeys("add sub mul div pow rac derivative".split(), 2),
    **dict.fromkeys(
        """inv pow2 pow3 pow4 pow5 sqrt exp ln abs sign sin cos tan cot sec csc asin acos atan acot
        asec acsc sinh cosh tanh coth sech csch asinh acosh atanh acoth asech acsch f""".split(),
        1,
    ),
    "g": 2,
    "h": 3,
}

SPECIAL = ("<s>", "</s>", "<pad>", "(", ")", *(f"<SPECIAL_{i}>" for i in range(5, 10)))
CONSTANTS = ("pi", "E")
VARIABLES = ("x", "y", "z", "t")
COEFFICIENTS = tuple(f"a{i}" for i in range(10))
SYMBOLS = ("I", "INT+", "INT-", "INT", "FLOAT", "-", ".", "10^", "Y", "Y'", "Y''")
DIGITS = tuple("0123456789")

#: Every token; a token's id is its index.
TOKENS: tuple[str, ...] = (
    *SPECIAL,
    *CONSTANTS,
    *VARIABLES,
    *COEFFICIENTS,
    *sorted(OPERATORS),
    *SYMBOLS,
    *DIGITS,
)
IDS: dict[str, int] = {token: index for index, token in enumerate(TOKENS)}

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
    for index, number in enumerate(ids):
        if not 0 <= number < len(TOKENS):
            raise ValueError(f"{number} is not the id of a token: ids are 0 to {len(TOKENS) - 1}")
        if number == END:
            if index:
                break
        elif number != PADDING:
            tokens.append(TOKENS[number])
    return tuple(tokens)
