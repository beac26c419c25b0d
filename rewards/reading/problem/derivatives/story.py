r"""Finds the functions, the point and the derivative in a question of many words.

A formula with a derivative is asked for, or the derivative of the formula behind words such as
"derivative of". Other equations define functions and points. The rest are domains and names.
"""

from __future__ import annotations

import re
from typing import Final

from ....errors import ProblemError
from .. import prose
from ..conditions import NAME, Conditions
from ..layout import relation
from ..question.asked import (
    LETTER,
    PLACE,
    asks_values,
    changes_numbers,
    put_back,
    taken_apart,
    without_statements,
)
from ..question.pieces import ASKS, NUMBER, VALUE, has_derivative, pieces
from .operators import name_of

_DERIVATIVE: Final = re.compile(
    r"\b(?:derivative|derived\s+function|differential\s+coefficient|differentiat(?:e|ing)|slope|gradient)\b",
    re.IGNORECASE,
)
#: Words that the reader of clauses understands before a formula.
_KEPT: Final = frozenset(("at", "gradient", "point", "slope", "when", *prose.ORDINALS))
#: What is asked for without a formula.
_ITS: Final = re.compile(
    rf"\b(?:its|the|their)\s+(?:(?P<order>{'|'.join(prose.ORDINALS)})\s+)?(?:derivative|derived\s+function|slope|gradient)\b",
    re.IGNORECASE,
)
_OTHER: Final = prose.TABLE["operation"] - {"derivative", "derivatives", "differentiate"} | {
    "angle", "area", "equation", "line", "maximum", "minimum", "points", "tangents",
}  # fmt: skip
_ASKED: Final = frozenset(
    """coefficient component derivative derivatives differentiate expression formula gradient it its
    rate result slope value velocity""".split()
)
#: The order of a derivative as a number or a letter, which is not read here.
_OF_ORDER: Final = re.compile(
    r"[\w$]-?\s*th\s+(?:order\s+)?derivative|\d(?:st|nd|rd|th)\b|\b(?:against|chosen|pole|thrice|twice)\b"
)
#: y = y(x)
_OF_ITSELF: Final = re.compile(r"\s*([A-Za-z])\s*=\s*\1\s*\([^()]*\)\s*")
#: A derivative by a function: \frac{d(\sin x)}{d(\cos x)}, \frac{d\ln Q}{d\ln P}.
_BY_FUNCTION: Final = re.compile(
    r"\\frac\s*\{\s*d\s*(?P<of>[^{}]*[^\s{}][^{}]*)\}\s*\{\s*d\s*(?P<by>[^{}]*\\[a-z]+[^{}]*)\}"
)


def without_story(text: str) -> tuple[str, Conditions] | None:
    r"""Write a question for a derivative as clauses. Return the clauses and the conditions.

    The result is None if the question has no words.

    Raises:
        ProblemError: words may change the question.

    >>> without_story("PHYS 2. The speed is $v=t^2$ for $t>0$. Report $dv/dt$, at $t=3$.")[0]
    '$v=t^2$ . $dv/dt$ . at $t=3$'

    """
    parts = taken_apart(text)
    if parts is None:
        return None
    formulas = parts[1]
    places, conditions = without_statements(*parts)
    if changes_numbers(places) or asks_values(*parts) or _OF_ORDER.search(text):
        raise ProblemError("words may change the question")
    written: list[str] = []
    asked: list[str] = []
    defined: list[str] = []
    function, by, start = "", "", 0
    for match in PLACE.finditer(places):
        before, start = places[start : match.start()], match.end()
        if re.search(r"\b(?:interval|near|on|over)\s*\Z", before):
            continue  # a domain
        words = [word for word in re.findall(r"[a-z]+", before.lower()) if word in _KEPT]
        own = pieces(formulas[int(match[1])])
        for piece in own:
            sides = relation(piece)
            if sides is None and re.search(r"respect\s+to\s*\Z", before):
                by = piece
            elif sides is None and (has_derivative(piece) or _is_partial(piece, defined)):
                asked.append(piece)
            elif sides is None and piece.startswith("("):
                coordinates = piece.strip("() ").replace(",", " ")
                written += (
                    [f"at ${piece}$"]
                    if NUMBER.fullmatch(coordinates) and "at" in words + ["at"] * ("point" in words)
                    else []
                )
            elif sides is None:
                sentence = re.split(r"[.?!;]\s", places[: match.start()])[-1]
                if _DERIVATIVE.search(sentence) and not (
                    NAME.fullmatch(piece) and piece not in defined
                ):
                    order = " ".join(word for word in words if word in prose.ORDINALS)
                    function = function or f"{order} {piece}".strip()
                elif NUMBER.fullmatch(piece) and piece.strip():
                    raise ProblemError(f"what is {piece!r}?")
            elif _OF_ITSELF.fullmatch(piece):
                continue
            elif has_derivative(sides[1]) and NAME.fullmatch(sides[0].partition("(")[0].strip()):
                asked.append(sides[1])
            elif has_derivative(sides[0]):
                if sides[1].strip(" ?.") and not re.fullmatch(r"\\[lc]?dots", sides[1].strip()):
                    raise ProblemError(f"{piece!r} is not used")
                asked.append(sides[0])
            elif NAME.fullmatch(sides[0].strip()) and NUMBER.fullmatch(sides[1]):
                written.append(f"at ${piece}$")
            elif (value := VALUE.fullmatch(sides[0])) and NUMBER.fullmatch(value["at"]):
                continue  # f(0) = 0 beside a formula of f
            else:
                written.append(f"{' '.join(words)} ${piece}$".strip())
                defined.append(sides[0].partition("(")[0].strip())
                if _DERIVATIVE.search(re.split(r"[.?!;]\s", places[: match.start()])[-1]):
                    function = function or defined[-1]
    _check(places, formulas, defined)
    asked = [_by_function(piece) for piece in asked]
    if not asked:
        asked = _from_words(function, by, places, defined)
    elif by and NAME.fullmatch(by) is None:
        raise ProblemError(f"with respect to {by!r}?")
    order = {"at": 1}
    written.sort(key=lambda piece: order.get(piece.partition(" ")[0], 0))
    at = sum(piece.startswith("at") for piece in written)
    middle = len(written) - at
    return " . ".join(
        [*written[:middle], *(f"${piece}$" for piece in asked[-1:]), *written[middle:]]
    ), conditions


def _is_partial(piece: str, defined: list[str]) -> bool:
    """Whether a formula is a partial derivative of a defined function, such as f_{xy}(x, y)."""
    match = re.match(r"([A-Za-z])_\{?[a-z ]{1,5}\}?", piece)
    return match is not None and match[1] in defined


def _by_function(piece: str) -> str:
    """Write a derivative by a function as a quotient of two derivatives."""
    match = _BY_FUNCTION.search(piece)
    if match is None:
        return piece
    return piece[: match.start()] + _quotient(match["of"], match["by"]) + piece[match.end() :]


def _quotient(of: str, by: str) -> str:
    names = {name_of(letter) for letter in LETTER.findall(by) if len(letter) == 1} - {"e"}
    if len(names) != 1:
        raise ProblemError(f"with respect to {by!r}?")
    x = names.pop()
    return rf"\frac{{\frac{{d}}{{d{x}}}({of})}}{{\frac{{d}}{{d{x}}}({by})}}"


def _from_words(function: str, by: str, places: str, defined: list[str]) -> list[str]:
    """The derivative that words ask for."""
    its = _ITS.search(places)
    if not function and its is not None and len({*defined}) == 1:
        function = f"{its['order'] or ''} {defined[0]}".strip()
    if not function:
        return []
    first, _, rest = function.partition(" ")
    order = prose.ORDINALS.get(first.lower(), 1)
    body = rest if first.lower() in prose.ORDINALS else function
    if by and NAME.fullmatch(by) is None:
        return [_quotient(body, by)] if order == 1 else []
    if NAME.fullmatch(body) and not by:
        return [body + "'" * order]
    names = {name_of(letter) for letter in LETTER.findall(body) if len(letter) == 1} - {"e"}
    x = by or ("x" if "x" in names or len(names) != 1 else names.pop())
    power = f"^{order}" if order > 1 else ""
    return [rf"\frac{{d{power}}}{{d{x}{power}}}({body})"]


def _check(places: str, formulas: list[str], defined: list[str]) -> None:
    """Raise an error if something else than a derivative is asked for."""
    for asks in ASKS.finditer(places):
        words = {*re.findall(r"[a-z-]{2,}", asks["words"].lower())}
        if words & _OTHER and not words & {"implicit"}:
            raise ProblemError(f"{asks[0]!r} may ask for something else")
        if asks["place"] is None:
            spoken = words - prose.TABLE["plain"] - prose.TABLE["nothing"]
            if spoken and not words & _ASKED:
                raise ProblemError(f"{asks[0]!r} may ask for something else")
        else:
            formula = formulas[int(asks["place"])]
            is_value = NAME.fullmatch(formula) and formula not in defined and "respect" not in words
            if is_value and "of" in words | {""} and "value" in words:
                raise ProblemError(
                    f"{put_back(asks[0], formulas, '$')!r} may ask for something else"
                )
