r"""Finds the functions, the point and the derivative in a question of many words.

A formula with a derivative is asked for, or the derivative of the formula behind words such as
"derivative of". Other equations define functions and points. The rest are domains and names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from ....errors import ProblemError
from .. import prose
from ..conditions import NAME, Conditions
from ..derivatives import name_of
from ..layout import relation
from .asked import asks_values, changes_numbers
from .parts import LETTER, PLACE, put_back, taken_apart, without_statements
from .pieces import ASKS, NUMBER, VALUE, has_derivative, pieces

_DERIVATIVE: Final = re.compile(
    r"\b(?:derivative|derived\s+function|differential\s+coefficient|differentiat(?:e|ing)|slope|gradient)\b",
    re.IGNORECASE,
)
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
    r"(?:\d|\$|\b[kmn])-?\s*th\s+(?:order\s+)?derivative|\d(?:st|nd|rd|th)\b|\b(?:against|chosen|pole|thrice|twice)\b"
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
    places, conditions = without_statements(*parts)
    if changes_numbers(places) or asks_values(*parts) or _OF_ORDER.search(text):
        raise ProblemError("words may change the question")
    story, start = _Story(), 0
    for match in PLACE.finditer(places):
        before, start = places[start : match.start()], match.end()
        if re.search(r"\b(?:interval|near|on|over)\s*\Z", before):
            continue  # a domain
        sentence = re.split(r"[.?!;]\s", places[: match.start()])[-1]
        for piece in pieces(parts[1][int(match[1])]):
            sides = relation(piece)
            if sides is None:
                story.take_formula(piece, before, sentence)
            else:
                story.take_relation(piece, sides, before, sentence)
    _check(places, parts[1], story.defined)
    return story.clauses(places), conditions


@dataclass(slots=True)
class _Story:
    """The formulas of a question.

    ``definitions`` and ``points`` are clauses. ``asked`` has the derivatives that are written.
    ``defined`` has the names that have a formula. ``function`` is the formula behind words such as
    "derivative of", perhaps with an ordinal before, and ``by`` the formula behind "respect to".
    """

    definitions: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    defined: list[str] = field(default_factory=list)
    function: str = ""
    by: str = ""

    def take_formula(self, piece: str, before: str, sentence: str) -> None:
        """Take a formula without an equals sign."""
        if re.search(r"respect\s+to\s*\Z", before):
            self.by = piece
        elif (
            has_derivative(piece)
            or _is_partial(piece, self.defined)
            or _BY_FUNCTION.search(piece) is not None
        ):
            self.asked.append(piece)
        elif piece.startswith("("):
            is_point = re.search(r"\b(?:at|point)\b", before)
            if is_point and NUMBER.fullmatch(piece.strip("() ").replace(",", " ")):
                self.points.append(f"at ${piece}$")
        elif _DERIVATIVE.search(sentence):
            if piece in self.defined or not NAME.fullmatch(piece):
                order = next((word for word in _words(before) if word in prose.ORDINALS), "")
                self.function = self.function or f"{order} {piece}".strip()
        elif NUMBER.fullmatch(piece) and piece.strip():
            raise ProblemError(f"what is {piece!r}?")

    def take_relation(self, piece: str, sides: tuple[str, str], before: str, sentence: str) -> None:
        """Take a formula with an equals sign."""
        left, right = sides
        name = left.partition("(")[0].strip()
        value = VALUE.fullmatch(left)
        if has_derivative(right) and NAME.fullmatch(name):
            self.asked.append(right)
        elif has_derivative(left):
            if right.strip(" ?.") and not re.fullmatch(r"\\[lc]?dots", right.strip()):
                raise ProblemError(f"{piece!r} is not used")
            self.asked.append(left)
        elif NAME.fullmatch(left.strip()) and NUMBER.fullmatch(right):
            self.points.append(f"at ${piece}$")
        elif not _OF_ITSELF.fullmatch(piece) and not (
            value is not None and NUMBER.fullmatch(value["at"])  # f(0) = 0 beside a formula of f
        ):
            slope = " ".join({"gradient", "slope"}.intersection(_words(before)))
            self.definitions.append(f"{slope} ${piece}$".strip())
            self.defined.append(name)
            if _DERIVATIVE.search(sentence):
                self.function = self.function or name

    def clauses(self, places: str) -> str:
        """Write the question: the definitions, the derivative, and the point."""
        asked = [*dict.fromkeys(map(_by_function, self.asked))]
        if len(asked) > 1 or (asked and self.by and NAME.fullmatch(self.by) is None):
            raise ProblemError(f"several derivatives: {', '.join((*asked, self.by))}")
        asked = asked or _from_words(self.function, self.by, places, self.defined)
        return " . ".join((*self.definitions, *(f"${each}$" for each in asked), *self.points))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


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
