r"""Quotients of differentials in a text: ``\frac{dy}{dx}``, ``d/dx``, ``\dv{y}{x}``."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ....errors import ProblemError
from ...latex.tokens.names import GREEK, GREEK_VARIANTS
from ..layout import argument_end, unbraced

#: The highest order of a derivative. Questions for Leibniz's rule have up to 50.
HIGHEST: Final = 60
#: Orders in Roman numerals: y^{(iv)}.
ROMAN: Final = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8}
#: The d of a differential, and the exponent of an order; patterns.
D: Final = r"(?:d|\\partial(?![A-Za-z])|∂)"
#: A Latin or Greek letter with an index. Other commands, such as ``\exp``, name no function here.
_GREEK: Final = "|".join(sorted((*GREEK, *GREEK_VARIANTS, "ell"), key=len, reverse=True))
LETTER: Final = rf"(?:\\(?:{_GREEK})(?![A-Za-z])|[A-Za-z])(?:_(?:\w|\{{\w+\}}))?"
POWER: Final = r"(?:\^\s*(?:\{\s*(\d+)\s*\}|(\d)))?"
_TOP: Final = re.compile(rf"\s*{D}\s*{POWER}\s*")
_DENOMINATOR: Final = re.compile(rf"\s*{D}\s*\{{?\s*({LETTER})\s*\}}?\s*{POWER}\s*")
_PLAIN: Final = re.compile(
    rf"(?<![A-Za-z\\]){D}\s*{POWER}\s*(?P<of>{LETTER})?\s*/\s*\(?(?P<below>(?:{D}\s*{LETTER}\s*{POWER})+)\)?"
    r"(?![A-Za-z])"
)
_BRACED_D: Final = re.compile(r"\\d?p?(?:dv|derivative|odv)\*?\s*(?:\[\s*(\d+)\s*\])?\s*(?=\{)")


def name_of(letter: str) -> str:
    """The name of a LaTeX letter in trees."""
    name = letter.strip().lstrip("\\").replace("{", "").replace("}", "")
    return GREEK_VARIANTS.get(name, name)


class Operator(NamedTuple):
    r"""A quotient of differentials in a text, such as ``\frac{dy}{dx}``.

    Attributes:
        start: the offset of the quotient.
        end: the offset after the quotient.
        of: the function in the numerator, as y in dy. Empty in ``\frac{d}{dx}``.
        by: the variables, in the order of differentiation.

    """

    start: int
    end: int
    of: str
    by: tuple[str, ...]


def operators(text: str) -> list[Operator]:
    r"""The quotients of differentials in a result of `normal`.

    >>> [(each.of, each.by) for each in operators(r"\frac{d^2y}{dx^2} + \frac{d}{dx}(xy)")]
    [('y', ('x', 'x')), ('', ('x',))]
    """
    candidates: list[Operator] = []
    for match in re.finditer(r"\\frac(?![A-Za-z])\s*", text):
        end = match.end() + argument_end(text[match.end() :])
        top = unbraced(text[match.end() : end])
        begin = len(text) - len(text[end:].lstrip())
        stop = begin + argument_end(text[begin:])
        quotient = _operator(top, unbraced(text[begin:stop]))
        if quotient is not None:
            candidates.append(Operator(match.start(), stop, *quotient))
    for match in _PLAIN.finditer(text):
        quotient = _operator(
            text[match.start() : match.start("below")].rstrip("/( "), match["below"]
        )
        if quotient is not None:
            candidates.append(Operator(match.start(), match.end(), *quotient))
    for match in _BRACED_D.finditer(text):
        end = match.end() + argument_end(text[match.end() :])
        argument = unbraced(text[match.end() : end])
        second, stop = "", end
        if text[end : end + 1] == "{":
            stop = end + argument_end(text[end:])
            second = unbraced(text[end:stop])
        of, by = (argument, second) if second else ("", argument)
        by_all = (name_of(by),) * int(match[1] or 1)
        candidates.append(Operator(match.start(), stop, of, by_all))
    return candidates


def _operator(numerator: str, denominator: str) -> tuple[str, tuple[str, ...]] | None:
    """Read a quotient of differentials as an operand and variables.

    For another fraction, the result is None.
    """
    head = _TOP.match(numerator)
    if head is None or re.match(rf"\s*{D}", denominator) is None:
        return None
    names: list[str] = []
    position = 0
    while position < len(denominator.rstrip()):
        factor = _DENOMINATOR.match(denominator, position)
        if factor is None or factor.end() == position:
            return None
        count = int(factor[2] or factor[3] or 1)
        if count > HIGHEST:
            raise ProblemError(f"a derivative of an order above {HIGHEST}")
        names += [name_of(factor[1])] * count
        position = factor.end()
    order = int(head[1] or head[2] or 1)
    if order != len(names):
        return None
    return numerator[head.end() :], tuple(reversed(names))


def operand(text: str) -> tuple[str, str]:
    r"""Split a text into the operand at the start and the text after the operand.

    The operand ends before the next ``+``, ``-`` or ``=`` outside of brackets.

    >>> operand("(x^2) + 3"), operand(r"x^2 \sin x + 3")
    (('(x^2)', ' + 3'), ('x^2 \\sin x ', '+ 3'))
    """
    text = text.lstrip()
    level = 0
    for offset, character in enumerate(text):
        level += (character in "([{") - (character in ")]}")
        if level < 0:
            return text[:offset], text[offset:]
        if level == 0 and character in "+-=" and _is_sign_of_addition(text, offset):
            return text[:offset].rstrip() if text[0] in "([" else text[:offset], _remainder(
                text, offset
            )
    return text, ""


def _remainder(text: str, offset: int) -> str:
    return (" " if text[0] in "([" else "") + text[offset:]


def _is_sign_of_addition(text: str, offset: int) -> bool:
    preceding = text[:offset].rstrip()
    return (
        bool(preceding)
        and preceding[-1] not in "*/^_(+-="
        and not preceding.endswith(("\\cdot", "\\times"))
    )
