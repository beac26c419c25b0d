r"""Finds the differential equations and the conditions in a question of many words.

The formulas with derivatives are the equations. Values of functions are conditions, also "$y = 2$
when $x = 0$" and "through the point $(0, 2)$". Other formulas are hints, domains and names. The
question is refused if words may state a condition, or may ask for something else than a solution.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from ....errors import ProblemError
from ..clauses import clauses
from ..conditions import NAME, Conditions, conditions_of
from ..derivatives import SYMBOL, name_of, operators
from ..layout import coordinates, pieces_of, relation
from ..prose import without_asides, without_frame
from .mentions import divided, mentioned
from .parts import PLACEHOLDER, put_back, without_statements
from .pieces import ASKS, NUMBER, VALUE, has_derivative
from .requests import check_requests
from .surroundings import asks_of_solution, asks_values, changes_numbers, with_definition
from .unknowns import APPLIED, unknowns

#: y_{xx} is y''.
_SUBSCRIPTS: Final = re.compile(r"([a-z])_\{?\s*(x{1,4}|t{1,4})\s*\}?(?![A-Za-z])")
#: y|_{x=0}
_AT: Final = re.compile(
    r"([A-Za-z]\s*'*)\s*(?:\\(?:[Bb]igg?[lmr]?|right))?\s*(?:\||\\[rl]?vert|\\mid)\s*_\s*"
    r"\{?\s*[a-z]\s*=\s*([^{}=]+?)\s*\}?\s*(?==)"
)
#: (D^2 - 4D + 4)y
_OPERATOR: Final = re.compile(r"(?:\(([^()=]*D[^()=]*)\)|(?<![A-Za-z\\])(D))\s*([a-z])(?![A-Za-z])")
_TERM: Final = re.compile(r"\s*([-+]?)\s*([^-+D]*?)\s*(?:(D)(?:\^\{?(\d)\}?)?)?\s*(?=[-+]|\Z)")
_SLOPE: Final = re.compile(
    rf"\b(?:(?:whose\s+)?(?:slope|gradient)\b[^.?!;]*?|(?:function\s+{PLACEHOLDER.pattern}\s+)?(?:whose|the)\s+derivative"
    rf"(?:\s+of(?:\s+(?:an?|the)\s+function)?(?:\s+{PLACEHOLDER.pattern})?)?\s+)"
    r"\b(?:is|equals|equal\s+to|given\s+by)\s+\ue012(?P<place>\d+)\ue012",
    re.IGNORECASE,
)
#: Words that may state a condition.
_MAY_STATE: Final = re.compile(
    r"\b(?:at|from)\s+(?:first|rest)\b|\b(?:begins?|dropped|doubles|empty|even|halves|initial\w*|odd|origin"
    r"|poured|released|started|starts?|triples|unit)\b"
    r"|\b(?:at|be|equals?|is|takes|to|value|was|when)\s+(?:zero|one|two|three|four|five|six|seven|eight|nine"
    r"|ten|unity)(?=\s*(?:[,.;:?]|\Z|(?:and|at|for|if|in|when|where|with)\b))",
    re.IGNORECASE,
)
#: Words outside of the request that restrict the solutions.
_RESTRICTS: Final = re.compile(
    r"\b(?:as\s+a\s+system|besides|bounded|horizontal|integrate\s+your|largest|period(?:ic)?|smallest|steady|tends?"
    r"|touch\w*|vanish\w*)\b"
    r"|\b(?:decreasing|increasing|negative|non-?constant|positive)\s+(?:function|solution)",
    re.IGNORECASE,
)
_PRIMED: Final = re.compile(r"(?<![A-Za-z\\])[fghFGH]\s*'+\s*\(\s*(?P<at>[^()]*?)\s*\)")
_POINT: Final = re.compile(r"\([^,]*,[^,]*\)")
_THROUGH: Final = re.compile(r"\bthrough\s+(?:the\s+point\s+)?\Z")
_INEQUALITY: Final = re.compile(r"\)\s*(?:[<>≤≥≠]|\\(?:[lg]t|[lg]eq?(?:slant)?|neq?)(?![A-Za-z]))")
#: What the solutions tend to.
_TENDS: Final = (r"\to", r"\rightarrow", r"\lim", "→")
_ASKS_ALL: Final = re.compile(
    r"\b(?:all|every)\s+(?:[\w-]+\s+){0,2}?(?:curve|function|integral|primitive|solution|\ue012)"
    r"|\bsingular\b",
    re.IGNORECASE,
)
#: A single solution suffices, also of several options.
_ASKS_ONE: Final = re.compile(
    r"\b(?:nontrivial|particular|which\s+(?:one\s+)?of\b(?!.*\bgeneral))\b",
    re.IGNORECASE | re.DOTALL,
)
#: Words before a solution that is known, or a part of a solution; words before an identity.
_REMARKS: Final = (["note", "that"], ["notice", "that"], ["observe", "that"], ["recall", "that"])
_HINTS: Final = (["including"], ["solution"], ["try"], ["trial"])
#: What stands before the value of a parameter, at the beginning of a sentence or behind a formula.
_STATES: Final = re.compile(
    r"(?:(?:\A|[.;?!])\s*(?:let|take|suppose|given|for|with|if)|\ue012\s*(?:,?\s*(?:and|given|that|when|with"
    r"|where|for|if|let|take))*)\s*,?\s*\Z",
    re.IGNORECASE,
)
#: A second name of a function: y = f(x).
_SECOND_NAME: Final = re.compile(r"\s*([A-Za-z])\s*=\s*([A-Za-z])\s*\(\s*[A-Za-z]\s*\)\s*[,.]?\s*")
#: Words behind which a question describes what was named before.
_DESCRIBES: Final = re.compile(r"\b(?:from|given|if|such|when|where|with)\b")


class Equations(NamedTuple):
    """The differential equations of a question, and the properties of the requested solutions.

    Attributes:
        formulas: the equations and the conditions.
        names: the letters, and the functions with the variable, alone in the question.
        assumptions: pairs of a parameter's name and an assumption, such as ``integer``.
        asks_all: whether all solutions are asked for, including constant and singular solutions.
        asks_one: whether a single solution suffices, such as a particular solution.
        needs_condition: a word for a possible condition, if no formula is a condition, or empty.

    """

    formulas: tuple[str, ...]
    names: tuple[str, ...] = ()
    assumptions: tuple[tuple[str, str], ...] = ()
    asks_all: bool = False
    asks_one: bool = False
    needs_condition: str = ""


def equations_of_question(text: str) -> Equations:
    r"""Find the equations and the conditions.

    Raises:
        ProblemError: the text has no differential equation, or words may change the question.

    >>> equations_of_question("Which curve through $(1,2)$ satisfies $y' = xy$?").formulas
    ("y' = xy", 'y(1) = 2')

    """
    question_parts = divided(text)
    if question_parts is None:
        plain = [link for clause in clauses(without_frame(text)) for link in links(clause.formula)]
        return Equations(
            tuple(link for link in plain if not _is_name(link)),
            tuple(filter(_is_name, plain)),
        )
    marked_prose, conditions = without_statements(*question_parts)
    marked_prose, formulas = without_asides(marked_prose), _with_one_name(question_parts[1])
    if changes_numbers(marked_prose) or asks_values(*question_parts):
        raise ProblemError("words may change the question")
    if asks_of_solution(question_parts[0]):
        raise ProblemError("a property of the solution is asked for")
    for formula in question_parts[1]:
        if _has_value(formula) and _INEQUALITY.search(formula):
            raise ProblemError(f"{formula!r} may be a condition")
        for primed in _PRIMED.finditer(formula):  # f'(2x) is a value, but y'(2x) a product
            if not (NAME.fullmatch(primed["at"]) or NUMBER.fullmatch(primed["at"])):
                raise ProblemError(f"{primed[0]!r}: a derivative at an argument that varies")
    # "The slope is f" is the equation y' = f. The words are removed, as f is no equation alone.
    slope = _SLOPE.search(marked_prose)
    stated = [f"{_name(slope, formulas)}' = {formulas[int(slope['place'])]}"] if slope else []
    collected = _EquationFormulas(text, stated)
    without_slope = _SLOPE.sub(" ", marked_prose, count=1)
    for piece, preceding_text in mentioned(without_slope, formulas):
        for link in links(_expanded(piece)):
            collected.take(link, preceding_text)
    # An equation such as p = y' only explains a notation if the question has another equation.
    equations = [
        equation for equation in collected.equations if not _is_notation(equation)
    ] or collected.equations
    if not equations:
        raise ProblemError(f"{text!r}: no differential equation")
    if slope is not None and len(equations) > 1:
        raise ProblemError("an equation, and the slope of a curve")
    formulas_of_question = collected.formulas(equations, marked_prose)
    if (word := _RESTRICTS.search(marked_prose)) is not None:
        raise ProblemError(f"{word[0]!r} may restrict the solutions")
    _check_asked(without_slope, formulas, equations)
    may_state = _MAY_STATE.search(marked_prose)
    return Equations(
        tuple(formulas_of_question),
        tuple(collected.names),
        conditions.also(collected.conditions).assumptions,
        _ASKS_ALL.search(marked_prose) is not None,
        _ASKS_ONE.search(marked_prose) is not None,
        may_state[0] if may_state else "",
    )


def _name(slope: re.Match[str], formulas: Sequence[str]) -> str:
    """The name of the function whose slope is stated: f, if the words name f, else y."""
    place = slope[1] or slope[2]
    name = formulas[int(place)].partition("(")[0].strip() if place else "y"
    if not _is_name(name):
        raise ProblemError(f"the derivative of {name}?")
    return name


def _with_one_name(formulas: list[str]) -> list[str]:
    """Write the name y for f wherever a formula says y = f(x)."""
    for name in list(filter(None, map(_SECOND_NAME.fullmatch, formulas))):
        second = re.compile(rf"(?<![A-Za-z\\]){name[2]}(?=\s*(?:'|\^\s*\{{?\s*\\prime)*\s*\()")
        formulas = [
            name[1] if formula == name[0] else second.sub(name[1], formula) for formula in formulas
        ]
    return formulas


def links(formula: str) -> list[str]:
    """Split a chain of values, such as ``y(0) = y'(0) = 1``, into single equations."""
    sides = list(pieces_of(formula, "="))
    return [f"{side} = {sides[-1]}" for side in sides[:-1]] if len(sides) > 2 else [formula]


class _Relation(NamedTuple):
    """An equation of a question, perhaps a point, such as x = 0, or a known solution."""

    lhs: str
    rhs: str
    written: str
    may_be_point: bool
    is_hint: bool
    may_be_stated: bool


class _EquationFormulas:
    """The formulas of a question, sorted by their meaning.

    ``relations`` are all equations, and ``equations`` the equations with derivatives. ``points``
    are points of the plane. ``names`` are letters, and functions of the variable.
    ``stated_formulas`` are formulas behind words such as "is". ``solved_for`` are names behind
    "for".
    """

    def __init__(self, text: str, equations: list[str]) -> None:
        self.text = text
        self.equations = equations
        self.relations: list[_Relation] = []
        self.points: list[str] = []
        self.names: list[str] = []
        self.stated_formulas: list[str] = []
        self.solved_for: list[str] = []
        self.conditions = Conditions()

    def take(self, piece: str, preceding_text: str) -> None:
        """Sort a piece of a formula.

        Raises:
            ProblemError: the formula may be asked for, or may be a condition.

        """
        sides = relation(piece)
        if sides is not None:
            is_point = re.search(r"\b(?:at|when)\s*\Z", preceding_text) or NUMBER.fullmatch(
                sides[1]
            )
            words = preceding_text.lower().split()
            is_hint = words[-1:] in _HINTS or words[-2:] in _REMARKS
            stated = _STATES.search(preceding_text) is not None
            self.relations.append(_Relation(*sides, piece, is_point is not None, is_hint, stated))
            self.names += [sides[0]] if is_point and _is_name(sides[0]) else []
            self.equations += [piece] if has_derivative(piece) else []
        elif any(sign in piece for sign in _TENDS) and ":" not in piece:
            raise ProblemError(f"{piece!r} may be a condition")
        elif re.fullmatch(r"-?[\d.]+", piece) or _has_value(piece):
            raise ProblemError(f"what is {piece!r}?")
        elif _is_name(piece):
            self.names.append(piece)
            self.solved_for += [piece] if re.search(r"\bfor\s*\Z", preceding_text) else []
        elif (conditions := conditions_of(piece)) is not None:
            self.conditions = self.conditions.also(conditions)
        elif _POINT.fullmatch(piece) and (
            _THROUGH.search(preceding_text) or all(map(NUMBER.fullmatch, coordinates(piece)))
        ):
            self.points.append(piece)
        elif re.search(r"\b(?:be|equals|for|is)\s*\Z", preceding_text):
            self.stated_formulas.append(piece)

    def formulas(self, equations: list[str], marked_prose: str) -> list[str]:
        """The equations, and the conditions: values, points of the curve, and values at points.

        Raises:
            ProblemError: a formula may be a condition that is not understood.

        """
        variable, functions, _ = unknowns(self.text, equations, self.names)
        joined = "".join(equations).replace(" ", "")
        known_names = (variable, *functions)
        # A formula with no known role may be a condition, and a question without the condition has
        # other solutions.
        strange = [
            formula for formula in self.stated_formulas if formula.replace(" ", "") not in joined
        ]
        strange += [formula for formula in self.stated_formulas if has_derivative(formula)]
        strange += [
            name for name in self.solved_for if name_of(name.partition("(")[0]) not in functions
        ]
        strange += (
            []
            if functions and re.search(r"\b(?:through|contains|point|passes)\b", marked_prose)
            else self.points
        )
        if strange:
            raise ProblemError(f"what is {strange[0]!r}?")
        pairs = (coordinates(point) for point in self.points)
        values = [f"{functions[0]}({a}) = {b}" for a, b in pairs]
        # A value and its point may be two relations: "y = 2 when x = 0". The values and the points
        # are collected first, and then paired by their order.
        parameters = _letters(" ".join(equations)) - {*known_names}
        point_indices: list[int] = []
        numbers: dict[str, str] = {}  # the values of parameters, which are put in
        function_at: dict[int, str] = {}  # a function by the index of its value
        for index, (lhs, rhs, written, may_be_point, is_hint, stated) in enumerate(self.relations):
            function, value = _function_of(lhs, functions), VALUE.fullmatch(lhs)
            if name_of(lhs) == variable and may_be_point:
                point_indices.append(index)
            elif function and _is_value(rhs, variable) and written != equations[0]:
                function_at |= {} if is_hint else {index: function}
            elif value and name_of(value["name"]) in functions and written not in equations:
                values += [written] if name_of(value["at"]) != variable else []
            elif value and NUMBER.fullmatch(value["at"]) and written not in equations:
                raise ProblemError(f"what is {value['name']} in {written!r}?")
            elif stated and _is_number(lhs, rhs) and lhs.replace(" ", "") in joined:
                if lhs in numbers:
                    raise ProblemError(f"{written!r} may change the question")
                numbers[lhs] = written
            elif (letters := _letters(lhs)) and letters <= parameters:
                raise ProblemError(f"{written!r} may change the question")
            elif not (is_hint or written in self.equations) and _is_restricting(
                lhs, rhs, functions, variable
            ):
                values.append(written)  # y(0) + y(1) = 2, or an error of the reader
        if point_indices and not function_at and not values:
            raise ProblemError(f"what holds at {self.relations[point_indices[0]].written}?")
        point_of = {index: self._point(index, point_indices, function_at) for index in function_at}
        moved = {self.relations[index].written for index, point in point_of.items() if point}
        values += [
            f"{function_at[index]}({point}) = {self.relations[index].rhs}"
            for index, point in point_of.items()
            if point
        ]
        found = [equation for equation in equations if equation not in moved] + values
        for written in numbers.values():
            found = [with_definition(formula, written, variable) for formula in found]
        return found

    def _point(self, index: int, point_indices: list[int], value_indices: Collection[int]) -> str:
        """The point at which a function has a value. The point is empty if the value is a hint.

        A question with a single point has all values there. If the first point stands before all
        values, each value belongs to the last point before the value, and else to the next point.
        A letter is a value only beside a point or another value.

        Args:
            index: the index of the value among the relations.
            point_indices: the indices of the points.
            value_indices: the indices of all values.

        Raises:
            ProblemError: the point is not clear.

        """
        value = self.relations[index]
        if not NUMBER.fullmatch(value.rhs) and {index - 1, index + 1}.isdisjoint(
            (*point_indices, *value_indices)
        ):
            return ""
        is_behind = bool(point_indices) and point_indices[0] < min(value_indices)
        candidates = (
            [at for at in point_indices if at < index][-1:]
            if is_behind
            else [at for at in point_indices if at > index][:1]
        )
        candidates = candidates or point_indices
        if len(candidates) == 1:
            return self.relations[candidates[0]].rhs
        raise ProblemError(f"where is {value.written}?")


def _letters(formula: str) -> set[str]:
    return {name_of(letter) for letter in SYMBOL.findall(formula)}


def _is_number(name: str, value: str) -> bool:
    """Whether an equation gives a number to a name, which is no function or variable then."""
    return NAME.fullmatch(name) is not None and NUMBER.fullmatch(value) is not None


def _has_value(piece: str) -> bool:
    """Whether a formula has a value of a function at a number, such as y(0)."""
    return any(NUMBER.fullmatch(value["at"]) for value in VALUE.finditer(piece))


def _is_restricting(lhs: str, rhs: str, functions: Sequence[str], variable: str) -> bool:
    """Whether an equation restricts a function, and only gives no name: 2y(0) = 4, y_0 = 1.

    A substitution and a trial solution have a name on a side: v = y/x, y = vx.
    """
    subscript = re.fullmatch(r"([A-Za-z])_\{?\d\}?", lhs)
    if subscript is not None:
        return subscript[1] in functions and NUMBER.fullmatch(rhs) is not None
    return not {*functions}.isdisjoint(_letters(lhs)) and not any(
        _is_name(side) or name_of(side.partition("(")[0]) in (variable, "d" + variable)
        for side in (lhs, rhs)
    )


def _is_name(piece: str) -> bool:
    """Whether a formula is only a name, or a function of the variable, as y(x)."""
    return NAME.fullmatch(piece) is not None or APPLIED.fullmatch(piece) is not None


def _is_value(text: str, variable: str) -> bool:
    return NUMBER.fullmatch(text) is not None or (
        re.fullmatch(rf"-?\s*{NAME.pattern}", text) is not None and name_of(text) != variable
    )


def _function_of(text: str, functions: Sequence[str]) -> str:
    """Write a function or a derivative with primes. For another text, the result is empty."""
    quotients = operators(text)
    if len(quotients) == 1 and not text[: quotients[0].start].strip():
        name = quotients[0].of.strip()
        return name + "'" * len(quotients[0].by) if name_of(name) in functions else ""
    name = text.rstrip("' ")
    return text if name_of(name) in functions else ""


def _expanded(piece: str) -> str:
    """Write subscripts and the operator D as primes, and values behind a bar as y(0)."""
    piece = _AT.sub(r"\1(\2)", piece)
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
    derivatives = operators(sides[1])
    is_operator = [derivative[:2] for derivative in derivatives] == [(0, len(sides[1].strip()))]
    return is_operator or re.fullmatch(r"[A-Za-z]\s*'+", sides[1].strip()) is not None


def _check_asked(marked_prose: str, formulas: list[str], equations: Sequence[str]) -> None:
    """Raise an error if something else than a solution is asked for."""
    check_requests(marked_prose, formulas, "equation")
    joined = " ".join(equations)
    for asks in ASKS.finditer(marked_prose):
        named, *described_by = _DESCRIBES.split(asks["words"].lower(), maxsplit=1)
        of_letter = re.search(r"\bin\s+terms\s+of\s*\Z", named)
        if asks["place"] is not None and not described_by and not of_letter:
            formula = formulas[int(asks["place"])]
            name = name_of(re.split(r"[\s(=]", formula.strip())[0])
            is_solution = name in joined and all(map(_is_name, pieces_of(formula, ",;")))
            is_other = not ("=" in formula or is_solution or _POINT.fullmatch(formula.strip()))
            if is_other or (has_derivative(formula) and "=" not in formula):
                raise ProblemError(
                    f"{put_back(asks[0], formulas, '$')!r} may ask for something else"
                )
