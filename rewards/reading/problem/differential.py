r"""Finds differentials in every spelling: ``dx``, ``\mathrm{~d}x``, ``\text{ dx}``, ``\cos xdx``.

The position of the differential decides how to read the integrand. With the differential at the end
or in front, the remaining text is the integrand. With the differential in the middle
(``\int\frac{x\,dx}{1+x^2}``), the formula is read with a symbol for the differential. Every term
must contain the symbol as a factor exactly once; the integrand is the formula without the factor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from ..expression.build import ONE, product, quotient
from ..expression.derivative import differentiate
from ..expression.traversal import symbols_of
from ..expression.tree import Call, Expression, Symbol
from ..latex import ReadError, read, to_latex
from ..latex.tokens.names import GREEK, GREEK_CHARACTERS, GREEK_VARIANTS
from ..latex.tokens.pattern import FONT
from ..latex.tokens.roles import DIFFERENTIAL
from .layout import SPACE, opening

_END: Final = r"(?![A-Za-z])"
_INDEX: Final = r"(?:_(?:[A-Za-z0-9]|\{[A-Za-z0-9]+\}))?"


def _in_font(content: str) -> str:
    """A regular expression for ``content`` in a font command, in any of three spellings."""
    return (
        rf"(?:\\{FONT}\s*\{{{SPACE}{content}{SPACE}\}}|\{{{SPACE}\\{FONT}{_END}{SPACE}{content}{SPACE}\}}"
        rf"|\\{FONT}{_END}\s*{content})"
    )


def _styled(content: str) -> str:
    """A regular expression for ``content`` inside a font command or braces."""
    return rf"(?:{_in_font(content)}|\{{{SPACE}{content}{SPACE}\}})"


_CHARACTER: Final = f"[A-Za-z{''.join(GREEK_CHARACTERS)}]"
_LETTER: Final = rf"(?:\\(?!{FONT}{_END})[A-Za-z]+|{_CHARACTER}){_INDEX}"
_VARIABLE: Final = rf"(?:{_LETTER}|{_styled(_LETTER)})"
#: The d of a macro of an author: ``\\dx``, ``\\dt``.
_MACRO: Final = rf"\\d(?=[tuvxyz]{_END})"
_SIGN_D: Final = rf"(?:{_styled('d')}|\\(?:dd|differentialD|diff|d){_END}|{_MACRO}|[ⅆ𝑑])"
#: The d of a differential or a derivative alone.
D: Final = rf"(?:{_SIGN_D}|(?<![A-Za-z\\])d)"
#: A d before the parenthesis of its function.
_D_BEFORE: Final = re.compile(rf"{D}{SPACE}(?:\\left\s*)?\Z")
#: The variable of a measure, as in d\mu(x), whose letter is no variable.
_OF_MEASURE: Final = re.compile(r"\s*\(\s*[A-Za-z]\s*\)\s*\Z")
_MARKED_RUN: Final = _in_font(rf"d{SPACE}{_LETTER}")
_NOT_LETTERS: Final = re.compile(
    rf"\\{FONT}{_END}|\\(?:dd|differentialD|diff|d|q?quad){_END}|{_MACRO}|[{{}}~]"
)
_NAME: Final = re.compile(
    rf"(?P<letter>\\[A-Za-z]+|{_CHARACTER})(?:_\{{?(?P<index>[A-Za-z0-9]+)\}}?)?\s*\Z"
)


@cache  # compiled at the first problem: a fifth of the time that importing the package took
def _spellings() -> re.Pattern[str]:
    """The regular expression of a differential: a d, followed by a variable.

    The group ``marked`` matches a d in a different font from the variables, such as an upright d.
    The group ``plain`` matches any other d. Letters may precede a plain d, as in ``xdx``.
    """
    return re.compile(
        rf"(?:(?P<marked>{_SIGN_D}{SPACE}{_VARIABLE}|{_MARKED_RUN})"
        rf"|(?<![A-Za-z\\])(?P<glued>[A-Za-z]*?)(?P<plain>d{SPACE}{_VARIABLE})){_END}"
    )


@dataclass(frozen=True, slots=True)
class Differential:
    """A candidate for a differential in a text.

    Attributes:
        start: the offset of the d. In ``xdx``, the offset is 1.
        end: the offset after the differential.
        variable: the name of the variable, as in trees.
        is_marked: whether the d is upright or has another font than the letters. A marked d is
            not a parameter.

    """

    start: int
    end: int
    variable: str
    is_marked: bool


def differentials(text: str) -> list[Differential]:
    r"""Find the candidates for the differential of a text, the likeliest first.

    The likeliest candidate is the last in the text. If any d has a font that marks a differential,
    every plain d is read as a parameter. A plain d is then not a candidate.

    >>> [each.variable for each in differentials(r"\\cos xdx")]
    ['x']
    """
    candidates = list(differentials_in_order(text))
    marked = [candidate for candidate in candidates if candidate.is_marked]
    return (marked or candidates)[::-1]


def differentials_in_order(
    text: str, start: int = 0, end: int | None = None
) -> Iterator[Differential]:
    r"""Find the candidates for differentials, from left to right.

    Args:
        text: a formula.
        start: the offset at which the search begins.
        end: the offset at which the search ends.

    Yields:
        The candidates.

    Example:
        >>> [each.variable for each in differentials_in_order(r"x\,dx + \mathrm{d}y")]
        ['x', 'y']

    """
    for match in _spellings().finditer(text, start, len(text) if end is None else end):
        spelling = match["marked"] or match["plain"]
        name = _NAME.search(_NOT_LETTERS.sub(" ", spelling))
        variable = _symbol_name(name["letter"]) if name else ""
        if name is None or not variable or _OF_MEASURE.match(text, match.end()):
            continue
        if name["index"]:
            variable = f"{variable}_{name['index']}"
        glued = match["glued"] or ""
        begin = match.end("glued") if glued else match.start()
        yield Differential(begin, match.end(), variable, match["marked"] is not None)


def with_slope(body: str) -> str | None:
    r"""Write the differential of a function at the end of a text with the function's derivative.

    The result is None if the text does not end in such a differential, or if the function does not
    have exactly one variable.

    >>> with_slope(r"x\,d(x^2)")
    '\\left(x\\,\\right) \\left(2 x\\right) \\,dx'

    """
    text = body.rstrip()
    start = opening(text, len(text) - 1) if text.endswith(")") else -1
    sign = _D_BEFORE.search(text, 0, max(start, 0))
    if sign is None:
        return None
    try:
        function = read(text[start + 1 : -1].removesuffix("\\right"))[0].expression
    except ReadError:
        return None
    if len(names := symbols_of(function)) != 1:
        return None
    (name,) = names
    slope = to_latex(differentiate(function, name))
    factor = text[: sign.start()].strip()
    factor = rf"\left({factor}\right) " if factor else ""
    return rf"{factor}\left({slope}\right) \,d{name}"


def _symbol_name(letter: str) -> str:
    r"""The name of a symbol: "x" of ``x``, "phi" of ``\varphi`` and ``φ``, "" of other commands."""
    if not letter.startswith("\\"):
        return GREEK_CHARACTERS.get(letter, letter)
    name = GREEK_VARIANTS.get(letter[1:], letter[1:])
    return name if name in GREEK or len(name) == 1 else ""


def with_symbol(text: str, candidates: Iterable[Differential]) -> str:
    """Replace every differential by the same symbol. Padding keeps all offsets unchanged."""
    for candidate in candidates:
        width = candidate.end - candidate.start
        text = f"{text[: candidate.start]}{DIFFERENTIAL.ljust(width)}{text[candidate.end :]}"
    return text


def without_symbol(node: Expression) -> Expression | None:
    """Divide a formula by the symbol of its differential.

    Every term must contain the symbol as a factor exactly once. Otherwise the result is None.
    """
    degree, cofactor = _divided(node)
    return cofactor if degree == 1 else None


def _divided(node: Expression) -> tuple[int, Expression]:
    """How often the symbol of a differential is a factor, and the formula without the factor.

    If the symbol occurs in another way, for example inside a function, the number is 2.
    """
    if node == Symbol(DIFFERENTIAL):
        return 1, ONE
    if not isinstance(node, Call):
        return 0, node
    divided_args = [_divided(arg) for arg in node.args]
    degrees = [degree for degree, _ in divided_args]
    if not any(degrees):
        return 0, node
    cofactors = [cofactor for _, cofactor in divided_args]
    if node.function == "mul" and sum(degrees) == 1:
        at = degrees.index(1)
        factors = cofactors[:at] + cofactors[at + 1 :] if cofactors[at] == ONE else cofactors
        return 1, product(factors) if factors else ONE
    if node.function == "div" and degrees == [1, 0]:
        return 1, quotient(*cofactors)
    if node.function == "neg" or (node.function == "add" and set(degrees) == {1}):
        return degrees[0], Call(node.function, tuple(cofactors))
    return 2, node
