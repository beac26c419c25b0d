r"""Finds the differential equations and the conditions in a question of many words.

The formulas with derivatives are the equations. Values of functions are conditions, also "$y = 2$
when $x = 0$" and "through the point $(0, 2)$". Other formulas are hints, domains and names. The
question is refused if words may state a condition, or may ask for something else than a solution.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ....errors import ProblemError
from .. import prose
from ..conditions import NAME
from ..derivatives import name_of, operators
from ..layout import coordinates, relation
from ..question.asked import asks_values, changes_numbers
from ..question.parts import PLACE, put_back, taken_apart, without_statements
from ..question.pieces import ASKS, DIFFERENTIALS, NUMBER, VALUE, has_derivative, pieces

#: y_{xx} is y''.
_SUBSCRIPTS: Final = re.compile(r"([a-z])_\{?\s*(x{1,4}|t{1,4})\s*\}?(?![A-Za-z])")
#: (D^2 - 4D + 4)y
_OPERATOR: Final = re.compile(r"(?:\(([^()=]*D[^()=]*)\)|(?<![A-Za-z\\])(D))\s*([a-z])(?![A-Za-z])")
_TERM: Final = re.compile(r"\s*([-+]?)\s*([^-+D]*?)\s*(?:(D)(?:\^\{?(\d)\}?)?)?\s*(?=[-+]|\Z)")
_SLOPE: Final = re.compile(
    r"\b(?:slope|gradient)\b[^.?!;]*?\b(?:is|equals|equal\s+to|given\s+by)\s+\ue012(?P<place>\d+)\ue012"
)
#: What a solution is called.
_SOLUTION: Final = frozenset(
    """answer curve curves equation equations expression family form formula function functions
    integral integrals it path primitive primitives relation response result solution solutions
    system that them this trajectories""".split()
)
#: Words that may state a condition.
TOLD: Final = re.compile(
    r"\b(?:at|from)\s+rest\b|\b(?:begins?|dropped|doubles|empty|even|halves|initial\w*|odd|origin"
    r"|poured|released|started|starts?|triples|unit)\b"
)
#: Words that restrict the solutions, or name something else than a solution.
RESTRICTS: Final = re.compile(
    r"\b(?:as\s+a\s+system|backwards?|besides|bounded|eigenvalues?|equilibri\w+|half-life|orthogonal|periodic"
    r"|proportional|vanish\w*|Wronskian)\b",
    re.IGNORECASE,
)
#: Words behind which a question describes what was named before.
_DESCRIBES: Final = re.compile(r"\b(?:from|given|if|such|when|where|with)\b")


def without_story(text: str) -> str | None:
    r"""Write a question for a solution as its equations and conditions.

    The result is None if the question has no words, or no derivative.

    Raises:
        ProblemError: words may change the question.

    >>> without_story("Which curve through $(1,2)$ satisfies $y' = xy$? I am stuck in week 3.")
    "y' = xy , y(1) = 2 "

    """
    parts = taken_apart(text)
    if parts is None:
        return None
    places, conditions = without_statements(*parts)
    formulas = parts[1]
    if changes_numbers(places) or asks_values(*parts):
        raise ProblemError("words may change the question")
    equations, values, points, tuples = [], [], [], []
    slope = _SLOPE.search(places)
    without_slope = places.replace(f"\ue012{slope['place']}\ue012", " ") if slope else places
    for piece, before in _stated(without_slope, formulas):
        sides = relation(piece)
        if sides is None:
            tuples += _point(piece, before)
            continue
        value = VALUE.fullmatch(sides[0])
        if value is not None and NUMBER.fullmatch(value["at"]):
            values.append(piece)
        elif has_derivative(piece):
            equations.append(piece)
        else:
            points.append(sides)
    if len(equations) > 1:  # p = y' defines p
        equations = [each for each in equations if not _is_notation(each)] or equations
    if equations and slope is not None:
        raise ProblemError("an equation, and the slope of a curve")
    if slope is not None:
        equations = [f"y' = {formulas[int(slope['place'])]}"]
    if not equations:
        return None
    values += _values(equations, points, tuples, places, has_values=bool(values))
    if (told := RESTRICTS.search(places)) is not None:
        raise ProblemError(f"{told[0]!r} may restrict the solutions")
    if not values and (told := TOLD.search(places)) is not None:
        raise ProblemError(f"{told[0]!r} may be a condition; write the condition as a formula")
    _check_asked(places, formulas, equations)
    kinds = "".join(f" . Let {name} be {kind}" for name, kind in conditions.kinds if kind in _KINDS)
    words = " ".join(
        word for word in ("all", "particular", "singular") if re.search(rf"\b{word}\b", places)
    )
    return f"{' , '.join((*equations, *values))} {words}{kinds}"


def _stated(places: str, formulas: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the equations and other formulas of a question, each with the text before."""
    for match in PLACE.finditer(places):
        before = places[: match.start()]
        if not re.search(r"\b(?:interval|near|on|over)\s*\Z", before):  # a domain
            for piece in map(_expanded, pieces(formulas[int(match[1])])):
                yield piece, before


def _point(piece: str, before: str) -> list[str]:
    """A point of the plane, if a formula without an equals sign is one.

    Raises:
        ProblemError: the formula may be what is asked for, or may say what something is.

    """
    value = VALUE.fullmatch(piece)
    is_value = value is not None and NUMBER.fullmatch(value["at"]) is not None
    is_stated = re.search(r"\b(?:be|equals|for|is)\s*\Z", before) and not NAME.fullmatch(piece)
    if re.fullmatch(r"-?[\d.]+", piece) or is_value:
        raise ProblemError(f"what is {piece!r}?")
    if re.fullmatch(r"\(.*,.*\)", piece) and NUMBER.fullmatch(piece.strip("()").replace(",", " ")):
        return [piece]
    if is_stated:
        raise ProblemError(f"what is {piece!r}?")
    return []


#: Kinds of parameters that are written again as words.
_KINDS: Final = ("integer", "even", "odd", "negative", "real", "positive")


def _expanded(piece: str) -> str:
    """Write subscripts and the operator D as primes."""
    piece = _SUBSCRIPTS.sub(lambda match: match[1] + "'" * len(match[2]), piece)
    if "=" not in piece:
        return piece

    def applied(match: re.Match[str]) -> str:
        terms = [
            f"{sign or '+'} {factor} {match[3]}{chr(39) * (int(power or 1) if d else 0)}"
            for sign, factor, d, power in _TERM.findall(match[1] or match[2])
            if factor.strip() or d
        ]
        return f"({' '.join(terms).removeprefix('+')})"

    return _OPERATOR.sub(applied, piece)


def _is_notation(equation: str) -> bool:
    """Whether an equation only gives a derivative or an operator a name: p = y', D = d/dx."""
    sides = relation(equation)
    if sides is None or NAME.fullmatch(sides[0].strip()) is None:
        return False
    found = operators(sides[1])
    is_operator = [each[:2] for each in found] == [(0, len(sides[1].strip()))]
    return is_operator or re.fullmatch(r"[A-Za-z]\s*'+", sides[1].strip()) is not None


def _values(
    equations: Sequence[str],
    points: Sequence[tuple[str, str]],
    tuples: Sequence[str],
    places: str,
    *,
    has_values: bool,
) -> list[str]:
    """The conditions that are stated as ``y = 2`` at ``x = 0``, or as a point of the curve."""
    functions: list[str] = []
    variables: list[str] = []
    for equation in equations:
        for quotient in operators(equation):
            functions.append(name_of(quotient.of.split("(")[0]))
            variables += quotient.by
        functions += re.findall(r"(?<![\\A-Za-z])([A-Za-z])\s*'", equation)
        if not functions:
            letters = sorted({match.strip("d {}") for match in DIFFERENTIALS.findall(equation)})
            variables += [letter for letter in letters if letter in "xt"][:1]
            functions += [letter for letter in letters if letter not in variables]
    variable = (variables or ["x"])[0]
    found = (
        [f"{functions[0]}({a}) = {b}" for a, b in (coordinates(each) for each in tuples)]
        if (functions and tuples and re.search(r"\b(?:through|contains|point|passes)\b", places))
        else []
    )
    if tuples and not found:
        raise ProblemError(f"what is {tuples[0]!r}?")
    at = [side for name, side in points if name_of(name) == variable and NUMBER.fullmatch(side)]
    given = [
        (name, side)
        for name, side in points
        if name_of(name) in functions and NUMBER.fullmatch(side)
    ]
    if at and not given and not has_values:
        raise ProblemError(f"what holds at {variable} = {at[0]}?")
    if given and len(at) == 1:
        found += [f"{name}({at[0]}) = {side}" for name, side in given]
    elif given and re.search(r"\bwhen\b|\bat\b", places):
        raise ProblemError(f"where is {given[0][0]} = {given[0][1]}?")
    return found


def _check_asked(places: str, formulas: list[str], equations: Sequence[str]) -> None:
    """Raise an error if something else than a solution is asked for."""
    described: set[str] = set()
    start = 0
    joined = " ".join(equations)
    for asks in ASKS.finditer(places):
        described |= {*re.findall(r"[a-z-]{3,}", places[start : asks.start()].lower())}
        start = asks.end()
        named, *described_by = _DESCRIBES.split(asks["words"].lower(), maxsplit=1)
        words = {*re.findall(r"[a-z-]{2,}", named)}
        nouns = {*re.findall(r"([a-z-]+)\s+(?:of|to)\b", named)} - _SOLUTION - {"subject"}
        is_formula = asks["place"] is not None and not described_by
        if is_formula:
            formula = formulas[int(asks["place"])]
            name = name_of(re.split(r"[\s(=]", formula.strip())[0])
            is_other = bool(nouns) or "factor" in words or not (name in joined or "=" in formula)
        else:
            spoken = words - prose.TABLE["plain"] - prose.TABLE["nothing"]
            is_other = bool(nouns) or bool(spoken and not words & (_SOLUTION | described))
            is_other = is_other or bool(described_by and not words)  # find when y = 2
        if is_other:
            raise ProblemError(f"{put_back(asks[0], formulas, '$')!r} may ask for something else")
