r"""Questions for a derivative whose order is a letter: ``f^{(n)}(x)``, ``\frac{d^ny}{dx^n}``."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ....errors import ProblemError
from ..conditions import INDEX_LETTERS
from ..marks import LONGEST

_TH: Final = r"(?:\^\s*\{?\s*)?(?:\\(?:text|mathrm|textrm)\s*\{\s*)?-?\s*th(?:\s*\})?(?:\s*\})?"
#: The word for an order, such as ``$n$th``, n-th and ``$n^{\text{th}}$``.
_WORD: Final = re.compile(
    rf"(?<![A-Za-z\\])(?:\$(?P<a>[{INDEX_LETTERS}])\$-?\s*th\b|\$(?P<b>[{INDEX_LETTERS}])\s*{_TH}\s*\$|(?P<c>[{INDEX_LETTERS}])\s*-?\s*th\b)"
    r"(?=\s*-?\s*(?:order\s+)?derivative)"
)
_PRIMES: Final = re.compile(rf"\^\s*\{{\s*\(\s*([{INDEX_LETTERS}])\s*\)\s*\}}")
_QUOTIENT: Final = re.compile(
    rf"(?<=\{{)\s*d\s*\^\s*\{{?\s*([{INDEX_LETTERS}])\s*\}}?(?P<of>[^{{}}]*)\}}"
    r"\s*\{\s*d\s*(?P<by>[a-z])\s*\^\s*\{?\s*\1\s*\}?\s*(?=\})"
)
#: What a question says of the order.
_POSITIVE: Final = (
    r"(?:,?\s*(?:for|where)?\s*(?:all|any|each|every)?\s*\$\s*%s\s*(?:"
    r"(?P<relation>=|>|\\geq?(?:slant)?(?![A-Za-z])|≥)\s*(?P<least>\d)(?:\s*,[\s\d,]*\\[cl]?dots)?"
    r"|\\in\s*\\mathbb\s*\{?\s*N\s*\}?)\s*\$"
    r"|,?\s*(?:for|where)\s+(?:all|any|each|every)?\s*(?:\$%s\$\s+is\s+an?\s+)?positive\s+integers?(?:\s*\$%s\$)?)"
)


class GeneralOrder(NamedTuple):
    """A question for a derivative of any order.

    Attributes:
        text: the question for the first derivative.
        order: the letter of the order.
        least: the least order.

    """

    text: str
    order: str
    least: int


def general_order(text: str) -> GeneralOrder | None:
    """Read a question for a derivative whose order is a letter. Another question yields None.

    Raises:
        ProblemError: the question has several letters of orders, or the condition is not read.

    """
    if len(text) > LONGEST:
        return None
    orders = {order for match in _WORD.finditer(text) for order in match.groups() if order}
    orders |= {match[1] for match in (*_PRIMES.finditer(text), *_QUOTIENT.finditer(text))}
    if not orders:
        return None
    (order, *further_orders) = orders
    plain = _QUOTIENT.sub(r"d\g<of>}{d\g<by>", _PRIMES.sub("'", _WORD.sub("", text)))
    least, condition = 1, re.search(_POSITIVE % ((order,) * 3), plain)
    if condition is not None:
        plain = f"{plain[: condition.start()]} {plain[condition.end() :]}"
        least = int(condition["least"] or 1) + (condition["relation"] == ">")
    if further_orders or least < 1 or re.search(rf"(?<![A-Za-z\\]){order}(?![A-Za-z])", plain):
        raise ProblemError(f"{text!r}: a derivative whose order is a letter is not read")
    return GeneralOrder(plain, order, least)
