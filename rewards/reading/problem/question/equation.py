r"""Finds the differential equations and the conditions in a question of many words.

The formulas with derivatives are the equations. Values of functions are conditions, also "$y = 2$
when $x = 0$" and "through the point $(0, 2)$". Other formulas are hints, domains and names. The
question is refused if words may state a condition, or may ask for something else than a solution.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ....errors import ProblemError
from ..clauses import clauses
from ..conditions import NAME, Conditions, conditions_of
from ..derivatives import name_of, operators
from ..layout import coordinates, pieces_of, relation
from ..prose import TABLE, without_asides, without_frame
from .asked import LETTER, asks_values, changes_numbers, put_back, without_statements
from .mentions import divided, mentioned
from .pieces import ASKS, NUMBER, VALUE, has_derivative
from .unknowns import unknowns

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
    integral integrals it pair path primitive primitives relation response result solution solutions
    system that them this trajectories""".split()
)
#: Words that may state a condition.
_MAY_STATE: Final = re.compile(
    r"\b(?:at|from)\s+rest\b|\b(?:begins?|dropped|doubles|empty|even|halves|initial\w*|odd|origin"
    r"|poured|released|started|starts?|triples|unit)\b",
    re.IGNORECASE,
)
#: Words that restrict the solutions, or name something else than a solution.
_RESTRICTS: Final = re.compile(
    r"\b(?:as\s+a\s+system|backwards?|besides|bounded|complementary\s+function\s+of|eigenvalues?|equilibri\w+|half-life|horizontal|intercepts?|orthogonal|periodic"
    r"|proportional|steady|tends?|vanish\w*|Wronskian)\b"
    r"|\b(?:decreasing|increasing|negative|non-?constant|positive)\s+(?:function|solution)",
    re.IGNORECASE,
)
#: Words that say that a point is on the curve.
_ON_THE_CURVE: Final = re.compile(r"\b(?:through|contains|point|passes)\b")
#: What the solutions tend to.
_TENDS: Final = re.compile(r"\\(?:to|rightarrow|lim)(?![A-Za-z])|→")
_ASKS_ALL: Final = re.compile(
    r"\b(?:all|every)\s+(?:[\w-]+\s+){0,2}?(?:curve|function|integral|primitive|solution|\ue012)|\bsingular\b",
    re.IGNORECASE,
)
#: Where a solution exists.
_EXISTS: Final = re.compile(r"\b(?:blows?\s+up|defined|exists?|valid)\b")
#: Words behind which a question describes what was named before.
_DESCRIBES: Final = re.compile(r"\b(?:from|given|if|such|when|where|with)\b")
_PLAIN: Final = TABLE["plain"] | TABLE["nothing"]
_APPLIED: Final = re.compile(rf"({NAME.pattern})\s*\(\s*{NAME.pattern}\s*\)")


class Equations(NamedTuple):
    """The differential equations of a question, and what the question says of the solutions.

    Attributes:
        formulas: the equations and the conditions.
        names: the letters, and the functions with their variable, that stand alone in the question.
        kinds: pairs of a parameter's name and its kind, such as ``integer``.
        asks_all: whether all solutions are asked for, including constant and singular solutions.
        asks_one: whether one solution suffices, such as a particular solution.
        needs_condition: a word that may state a condition if no formula does. It may be empty.

    """

    formulas: tuple[str, ...]
    names: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    asks_all: bool = False
    asks_one: bool = False
    needs_condition: str = ""


def equations_of_question(text: str) -> Equations:
    r"""Find the equations and the conditions.

    Raises:
        ProblemError: there is no differential equation, or words may change the question.

    >>> equations_of_question("Which curve through $(1,2)$ has $y' = xy$? I am in week 3.").formulas
    ("y' = xy", 'y(1) = 2')

    """
    parts = divided(text)
    if parts is None:
        plain = [link for each in clauses(without_frame(text)) for link in links(each.formula)]
        return Equations(
            tuple(each for each in plain if not _is_name(each)), tuple(filter(_is_name, plain))
        )
    places, conditions = without_statements(*parts)
    places, formulas = without_asides(places), parts[1]
    if changes_numbers(places) or asks_values(*parts):
        raise ProblemError("words may change the question")
    slope = _SLOPE.search(places)
    found = _Found(text, [f"y' = {formulas[int(slope['place'])]}"] if slope else [])
    without_slope = places.replace(f"\ue012{slope['place']}\ue012", " ") if slope else places
    for piece, before in mentioned(without_slope, formulas):
        for link in links(_expanded(piece)):
            found.take(link, before)
    equations = [each for each in found.equations if not _is_notation(each)] or found.equations
    if not equations:
        raise ProblemError(f"{text!r}: no differential equation")
    if slope is not None and len(equations) > 1:
        raise ProblemError("an equation, and the slope of a curve")
    values = found.values(equations, places)
    if (word := _RESTRICTS.search(places)) is not None:
        raise ProblemError(f"{word[0]!r} may restrict the solutions")
    _check_asked(places, formulas, equations)
    may_state = _MAY_STATE.search(places)
    return Equations(
        (*equations, *values),
        tuple(found.names),
        conditions.also(found.conditions).kinds,
        _ASKS_ALL.search(places) is not None,
        re.search(r"\b(?:nontrivial|particular)\b", places, re.IGNORECASE) is not None,
        may_state[0] if may_state else "",
    )


def links(formula: str) -> list[str]:
    """Split a chain of values, such as ``y(0) = y'(0) = 1``, into single equations."""
    sides = list(pieces_of(formula, "="))
    return [f"{side} = {sides[-1]}" for side in sides[:-1]] if len(sides) > 2 else [formula]


class _Found:
    """The formulas of a question, sorted by what they say.

    ``relations`` are all equations, and ``equations`` those with derivatives. ``points`` are points
    of the plane. ``parts`` are formulas that are said to be something.
    """

    def __init__(self, text: str, equations: list[str]) -> None:
        self.text = text
        self.equations = equations
        self.relations: list[tuple[str, str, str, bool]] = []
        self.points: list[str] = []
        self.names: list[str] = []
        self.solved_for: list[str] = []
        self.parts: list[str] = []
        self.conditions = Conditions()

    def take(self, piece: str, before: str) -> None:
        """Sort a piece of a formula.

        Raises:
            ProblemError: the formula may be what is asked for, or may say what something is.

        """
        sides = relation(piece)
        if sides is not None:
            is_point = re.search(r"\b(?:at|when)\s*\Z", before) is not None
            is_point |= NUMBER.fullmatch(sides[1]) is not None
            self.relations.append((*sides, piece, is_point))
            self.names += [sides[0]] if is_point and _is_name(sides[0]) else []
            self.equations += [piece] if has_derivative(piece) else []
        elif _TENDS.search(piece) and ":" not in piece:
            raise ProblemError(f"{piece!r} may be a condition")
        elif _is_name(piece):
            self.names.append(piece)
            self.solved_for += [piece] if re.search(r"\bfor\s*\Z", before) else []
        elif (conditions := conditions_of(piece)) is not None:
            self.conditions = self.conditions.also(conditions)
        else:
            value = VALUE.fullmatch(piece)
            is_value = value is not None and NUMBER.fullmatch(value["at"])
            if re.fullmatch(r"-?[\d.]+", piece) or is_value:
                raise ProblemError(f"what is {piece!r}?")
            if re.fullmatch(r"\(.*,.*\)", piece) and NUMBER.fullmatch(
                piece.strip("()").replace(",", " ")
            ):
                self.points.append(piece)
            elif re.search(r"\b(?:be|equals|for|is)\s*\Z", before):
                self.parts.append(piece)

    def values(self, equations: list[str], places: str) -> list[str]:
        """The conditions, also those that are stated as ``y = 2`` at ``x = 0``, or as a point.

        A value that is no equation with a derivative belongs to the last point before the value if
        a point is stated first, and to the next point otherwise. Such values are removed from the
        equations.
        """
        variable, functions, _ = unknowns(self.text, equations, self.names)
        joined = "".join(equations).replace(" ", "")
        strange = [
            part
            for part in self.parts
            if has_derivative(part) or part.replace(" ", "") not in joined
        ]
        strange += [
            piece
            for piece in self.solved_for
            if name_of(piece.partition("(")[0]) not in (variable, *functions)
        ]
        if self.points and not (functions and _ON_THE_CURVE.search(places)):
            strange += self.points
        if strange:
            raise ProblemError(f"what is {strange[0]!r}?")
        pairs = (coordinates(each) for each in self.points)
        values = [f"{functions[0]}({a}) = {b}" for a, b in pairs]
        letters = {name_of(letter) for each in equations for letter in LETTER.findall(each)}
        at: list[int] = []
        given: list[tuple[int, str]] = []
        for place, (name, side, piece, may_be_point) in enumerate(self.relations):
            function, value = function_of(name, functions), VALUE.fullmatch(name)
            if name_of(name) == variable and may_be_point:
                at.append(place)
            elif function and _is_value(side, variable) and piece != equations[0]:
                given.append((place, f"{function}(@) = {side}"))
            elif value and name_of(value["name"]) in functions and piece not in equations:
                values += [piece] if name_of(value["at"]) != variable else []
            elif NAME.fullmatch(name) and name_of(name) in letters - {variable, *functions}:
                raise ProblemError(f"{piece!r} may change the question")
        if at and not given and not values:
            raise ProblemError(f"what holds at {self.relations[at[0]][2]}?")
        stated = {*at, *(place for place, _ in given)}
        for place, condition in given:
            if not NUMBER.fullmatch(self.relations[place][1]) and stated.isdisjoint(
                (place - 1, place + 1)
            ):
                continue  # a hint: let y = v
            before, behind = ([x for x in at if x < place], [x for x in at if x > place])
            near = (before[-1:] if at and at[0] < given[0][0] else behind[:1]) or at
            if len(near) == 1:
                values.append(condition.replace("@", self.relations[near[0]][1]))
                equations[:] = [each for each in equations if each != self.relations[place][2]]
            elif near or re.search(r"\b(?:when|at|such that)\b", places, re.IGNORECASE):
                raise ProblemError(f"where is {self.relations[place][2]}?")
        return values


def _is_name(piece: str) -> bool:
    """Whether a formula is only a name, or a function with its variable, as y(x)."""
    return NAME.fullmatch(piece) is not None or _APPLIED.fullmatch(piece) is not None


def _is_value(text: str, variable: str) -> bool:
    return NUMBER.fullmatch(text) is not None or (
        re.fullmatch(rf"-?\s*{NAME.pattern}", text) is not None and name_of(text) != variable
    )


def function_of(text: str, functions: Sequence[str]) -> str:
    """Write a function or its derivative with primes. For any other text, the result is empty."""
    quotients = operators(text)
    if len(quotients) == 1 and not text[: quotients[0].start].strip():
        name = quotients[0].of.strip()
        return name + "'" * len(quotients[0].by) if name_of(name) in functions else ""
    name = text.rstrip("' ")
    return text if name_of(name) in functions else ""


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
            is_other |= has_derivative(formula) and "=" not in formula
        else:
            spoken = {word for word in words if not word.endswith("ly")} - _PLAIN
            is_other = bool(nouns) or bool(spoken and not words & (_SOLUTION | described))
            is_other |= bool(described_by and not words and not _EXISTS.search(asks["words"]))
        if is_other:
            raise ProblemError(f"{put_back(asks[0], formulas, '$')!r} may ask for something else")
