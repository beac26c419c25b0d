r"""Reads differential equations with their conditions, and solutions as people write them.

Examples of questions are ``y'' + y = 0, y(0) = 1``, ``x\,dy = y\,dx``, and the system
``x' = y, y' = -x``. A solution may be explicit (``y = C_1\cos x``) or implicit
(``x^2 + y^2 = C``). An answer may state several solutions, or formulas for several functions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ....errors import ProblemError
from ...expression.traversal import nodes_of, symbols_of
from ...expression.tree import Expression
from ...functions import RECORDS
from ..clauses import Clause, clauses, without_assumptions
from ..conditions import conditions_of
from ..derivatives import DOTTED, LETTER, Jet, Jets, name_of, normal, operand, operators, read_tree
from ..layout import pieces_of, relation
from ..prose import EQUATION, TABLE, says, without_prose
from .story import RESTRICTS, TOLD, without_story

#: Functions of a system; textbooks have up to three.
MOST_FUNCTIONS: Final = 6


@dataclass(frozen=True)
class DifferentialEquation:
    """Equations for functions of one variable, and conditions on the functions.

    Attributes:
        variable: the independent variable.
        functions: the names of the functions, in the order of the text.
        equations: the two sides of each equation. Symbols stand for derivatives.
        conditions: the two sides of each condition, such as ``y(0)`` and 1. Symbols stand for
            values of functions.
        jets: the derivative or value that each symbol stands for.
        orders: the highest order of each function's derivatives.
        kinds: pairs of a parameter's name and its kind, such as ``integer``.
        asks_all: whether all solutions are asked for, including constant and singular solutions.
        asks_one: whether one solution suffices, such as a particular solution.
        is_variable_implied: whether the question does not name the independent variable.

    """

    variable: str
    functions: tuple[str, ...]
    equations: tuple[tuple[Expression, Expression], ...]
    conditions: tuple[tuple[Expression, Expression], ...]
    jets: Mapping[str, Jet]
    orders: Mapping[str, int]
    kinds: tuple[tuple[str, str], ...] = ()
    asks_all: bool = False
    asks_one: bool = False
    is_variable_implied: bool = False

    @property
    def order(self) -> int:
        """The number of constants of integration in the general solution."""
        return sum(self.orders.values())

    @property
    def may_determine_parameters(self) -> bool:
        """Whether there are parameters, and more conditions than constants of integration."""
        parameters = self.names - {self.variable, *self.functions}
        return len(self.conditions) > self.order and bool(parameters)

    @property
    def has_branches(self) -> bool:
        """Whether an equation has a function with breaks or branches.

        An example is the root of y^2, which is y or -y.
        """
        nodes = (node for pair in self.equations for side in pair for node in nodes_of(side))
        records = (RECORDS.get(node.function) for node in nodes if node.args)
        return any(record is not None and (record.breaks or record.branch) for record in records)

    @property
    def names(self) -> set[str]:
        """The names of the variable, the functions and the parameters of the question."""
        trees = [side for pair in (*self.equations, *self.conditions) for side in pair]
        return set().union({self.variable, *self.functions}, *map(symbols_of, trees)) - {*self.jets}


_PRIMED: Final = re.compile(
    r"(?<!\\)(?P<name>(?:\\(?:phi|psi|theta|varphi))|[A-Za-z](?:_(?:\d|\{\d+\}))?)\s*(?:\((?P<own>[a-z])\))?"
    r"\s*(?:'|\^\s*\{\s*\(\s*(?:\d+|[iv]+)\s*\)\s*\})(?:'*\s*\(\s*(?P<of>[a-z])\s*\))?"
)
_DIFFERENTIAL: Final = re.compile(r"(?<![\\])d\s*\{?\s*([a-z])\s*\}?(?![A-Za-z])")
NAME: Final = re.compile(LETTER)
_APPLIED: Final = re.compile(
    rf"(?<![A-Za-z\\])(?P<name>{NAME.pattern})\s*\(\s*(?P<of>[a-z]|\\theta|\\tau)\s*\)"
)
#: A function, or a letter alone, behind an operator such as d/dx; ``ends`` is None before a factor.
_OPERAND: Final = re.compile(
    rf"\s*(?P<name>{NAME.pattern})\s*(?:\(\s*(?P<own>[a-z])\s*\))?\s*(?P<ends>(?=[-+=,;.)\]}}]|\Z))?"
)
#: The value of a condition: a number, or the name of one.
_NAME_OR_DIGIT: Final = re.compile(rf"[-\d./\s]*|-?\s*{NAME.pattern}|-?\\frac[\d{{}}\s]+")
_OPERATOR_NAME: Final = re.compile(r"\\operatorname\*?\s*\{[^{}]*\}")
_ASKS: Final = (
    TABLE["value"]
    | TABLE["form"]
    | TABLE["other"]
    | frozenset("at derivative derivatives for gradient if slope solve value values".split())
)
#: Partial derivatives; impulses, because an answer with an impulse would be no function.
_NOT_JUDGED: Final = re.compile(r"\\partial|∂|\\delta\s*\(")


@lru_cache(maxsize=4096)
def read_differential_equation(text: str) -> DifferentialEquation:
    r"""Read a differential equation, or a system, with conditions.

    Args:
        text: the question. It consists of formulas, words and punctuation.

    Returns:
        The equations as trees.

    Raises:
        ProblemError: the text cannot be read, or it is not clear which letter is the function.

    >>> read_differential_equation("y'' + y = 0, y(0) = 1, y'(0) = 0").order
    2

    """
    if says(text, "no solution"):
        raise ProblemError(f"{text!r}: something else than a solution is asked for")
    try:
        return _read(text)
    except ProblemError as error:
        first_error = error
    plain = without_story(text)
    if plain is None or plain.strip() == text.strip():
        raise first_error
    return _read(plain)


def _read(text: str) -> DifferentialEquation:
    question, stated = without_assumptions(text)
    question_clauses = [
        clause for clause in clauses(without_prose(question, EQUATION)) if not _is_remark(clause)
    ]
    words = {word for clause in question_clauses for word in clause.words}
    formulas = [_with_operands(normal(clause.formula)) for clause in question_clauses]
    joined = " , ".join(formulas)
    if (other := _NOT_JUDGED.search(joined)) is not None:
        what = "impulses" if "delta" in other[0] else "partial differential equations"
        raise ProblemError(f"{text!r}: {what} are not judged; write a factor \\delta as d")
    variable, functions = _unknowns(text, joined)
    if not functions:
        variable, functions, formulas = _of_differentials(text, formulas)
    else:
        words_before = [clause.words for clause in question_clauses]
        formulas = _with_values(formulas, words_before, variable, functions)
    if len(functions) > MOST_FUNCTIONS:
        raise ProblemError(f"{text!r}: more than {MOST_FUNCTIONS} functions")
    jets = Jets(dict.fromkeys(functions, (variable,)))
    equations: list[tuple[Expression, Expression]] = []
    conditions: list[tuple[Expression, Expression]] = []
    parameter_kinds: list[tuple[str, str]] = [*stated.kinds]
    chained = [link for formula in formulas for link in _links(formula)]
    for formula in filter(None, chained):
        sides = relation(formula)
        if sides is None:
            condition = conditions_of(formula)
            if condition is None and _names(formula, functions):
                continue  # "find y(x)", "where k is a constant"
            if condition is None:
                raise ProblemError(f"{text!r}: {formula!r} is no equation")
            parameter_kinds += condition.kinds
            continue
        pair = tuple(read_tree(side, jets, {variable}, values=True) for side in sides)
        left_tree, right_tree = pair[0], pair[1]
        named = symbols_of(left_tree) | symbols_of(right_tree)
        has_value = any(jets.names[name].at for name in named & jets.names.keys())
        (conditions if has_value else equations).append((left_tree, right_tree))
    told = RESTRICTS.search(text) or (None if conditions else TOLD.search(text))
    if told is not None:
        raise ProblemError(f"{text!r}: {told[0]!r} may restrict the solutions; write a condition")
    orders = _checked(text, variable, functions, equations, conditions, jets)
    return DifferentialEquation(
        variable,
        functions,
        tuple(equations),
        tuple(conditions),
        jets.names,
        orders,
        tuple(parameter_kinds),
        asks_all=bool({"all", "every", "singular"} & words),
        asks_one="particular" in words or "nontrivial" in words,
        is_variable_implied=variable not in re.findall(r"\\?[A-Za-z]+", _symbols(joined)),
    )


def _with_operands(formula: str) -> str:
    r"""Write the operator d/dx and the function after it, y or y(x), as ``\frac{dy}{dx}``.

    Raises:
        ProblemError: a factor follows y(x). The operator may then apply to a product.

    """
    for start, end, of, by in sorted(operators(formula), reverse=True):
        match = _OPERAND.match(formula, end)
        if of.strip() or match is None or name_of(match["name"]) in by or len({*by}) > 1:
            continue
        if match["own"] not in (None, *by) or not (match["own"] or match["ends"] is not None):
            continue
        if match["ends"] is None:
            raise ProblemError(f"{formula[start:]!r}: write brackets around what is differentiated")
        quotient = rf"\frac{{d^{{{len(by)}}} {match['name']}}}{{d {by[0]}^{{{len(by)}}}}}"
        formula = formula[:start] + quotient + formula[match.end() :]
    return formula


def _with_values(
    formulas: Sequence[str],
    words: Sequence[Collection[str]],
    variable: str,
    functions: Collection[str],
) -> list[str]:
    """Rewrite conditions such as "``y = 2`` when ``x = 0``" as ``y(0) = 2``.

    The values at a point ``x = 0`` are the equations such as ``y = 2`` directly before the point.
    If no equation is directly before the point, the values are the equations directly after it. The
    first equation with a derivative is the differential equation, which is never a value.

    Args:
        formulas: the formulas of the question.
        words: the words before each formula.
        variable: the independent variable.
        functions: the functions.

    Returns:
        The rewritten formulas, without the formulas of the points.

    """
    results: list[str | None] = list(formulas)
    first = next(at for at, formula in enumerate(formulas) if _derivatives_in(formula)[0])
    for place, formula in enumerate(formulas):
        point = relation(formula)
        if point is None or name_of(point[0]) != variable or not {"at", "when"} & {*words[place]}:
            continue
        for others in (range(place - 1, -1, -1), range(place + 1, len(formulas))):
            for other in others:
                value = relation(formulas[other])
                function = _of_function(value[0], functions) if value else ""
                if value is None or not function or other == first:
                    break
                if _NAME_OR_DIGIT.fullmatch(value[1]) is None or name_of(value[1]) == variable:
                    break
                results[other] = f"{function}({point[1]}) = {value[1]}"
                results[place] = None
            if results[place] is None:
                break
    return [formula for formula in results if formula is not None]


def _of_function(text: str, functions: Collection[str]) -> str:
    """Write a function or its derivative with primes. For any other text, the result is empty."""
    quotients = operators(text)
    if len(quotients) == 1 and not text[: quotients[0].start].strip():
        name = quotients[0].of.strip()
        return name + "'" * len(quotients[0].by) if name_of(name) in functions else ""
    name = text.rstrip("' ")
    return text if name_of(name) in functions else ""


def _links(formula: str) -> list[str]:
    """Split a chain of values, such as ``y(0) = y'(0) = 1``, into single equations."""
    sides = list(pieces_of(formula, "="))
    return [f"{side} = {sides[-1]}" for side in sides[:-1]] if len(sides) > 2 else [formula]


def _is_remark(clause: Clause) -> bool:
    r"""Whether a clause says nothing: "an $RL$ circuit", "a prime denotes $\frac{d}{dt}$"."""
    words = set(clause.words)
    if not words.isdisjoint(_ASKS):
        return False
    if not words.isdisjoint(("denote", "denotes")):
        formula = normal(clause.formula).strip()
        return [each[:3] for each in operators(formula)] == [(0, len(formula), "")]
    described = "whose" in words or clause.words[-1:] in (("a",), ("an",), ("the",))
    return described and re.fullmatch("[A-Za-ce-z]{2,3}", clause.formula) is not None


def _names(formula: str, functions: Collection[str]) -> bool:
    """Whether a formula is only a name, or a function with its variable, as y(x)."""
    applied = _APPLIED.fullmatch(formula)
    if applied is not None:
        return name_of(applied["name"]) in functions
    return NAME.fullmatch(formula.strip()) is not None


def _checked(
    text: str,
    variable: str,
    functions: Sequence[str],
    equations: Sequence[tuple[Expression, Expression]],
    conditions: Sequence[tuple[Expression, Expression]],
    jets: Jets,
) -> dict[str, int]:
    """Check a question, and return the highest order of each function's derivatives.

    Raises:
        ProblemError: there is no differential equation, the numbers of equations and functions
            differ, or a condition is not about a fixed point. A condition is about a fixed point if
            it does not contain the variable, and every function in it has a constant argument.

    """
    orders = {
        name: max(
            (jet.order for jet in jets.symbols if jet.function == name and not jet.at), default=0
        )
        for name in functions
    }
    if not equations or not any(orders.values()):
        raise ProblemError(f"{text!r}: no differential equation")
    if len(equations) != len(functions):
        raise ProblemError(
            f"{text!r}: {len(equations)} equations for the functions {', '.join(functions)}"
        )
    for pair in conditions:
        for name in symbols_of(pair[0]) | symbols_of(pair[1]):
            jet = jets.names.get(name)
            if name in functions or name == variable or (jet is not None and not jet.at):
                raise ProblemError(f"{text!r}: a condition holds {name} beside a value")
            if jet is not None and any(variable in symbols_of(argument) for argument in jet.at):
                raise ProblemError(f"{text!r}: {jet.function} at an argument that varies")
    return orders


def _derivatives_in(joined: str) -> tuple[tuple[str, ...], list[str]]:
    """The functions whose derivatives occur in the text, and the variables of differentiation."""
    functions: list[str] = []
    variables: list[str] = []
    for quotient in operators(joined):
        variables += quotient.by
        of = re.fullmatch(rf"\s*({NAME.pattern})\s*(?:\([a-z]\))?\s*", quotient.of)
        functions += [name_of(of[1])] if of else []
        if not quotient.of.strip():  # \frac{d}{dx}(x f(x))
            applied = _APPLIED.finditer(operand(joined[quotient.end :])[0])
            functions += [name_of(each["name"]) for each in applied if each["of"] in quotient.by]
    for match in _PRIMED.finditer(joined):
        functions.append(name_of(match["name"]))
        variables += [name for name in (match["own"], match["of"]) if name]
    functions += [name_of(match[2] or match[3]) for match in DOTTED.finditer(joined)]
    return tuple(dict.fromkeys(functions)), variables


def _unknowns(text: str, joined: str) -> tuple[str, tuple[str, ...]]:
    """Find the independent variable and the functions, from the derivatives in the text.

    If the text has no derivative, both are empty.
    """
    names, variables = _derivatives_in(joined)
    if not names:
        return "", ()
    for match in _APPLIED.finditer(joined):
        if name_of(match["name"]) in names:
            variables.append(name_of(match["of"]))
    written = set(variables)
    if len(written) > 1:
        raise ProblemError(f"{text!r}: several independent variables: {', '.join(sorted(written))}")
    if written:
        return written.pop(), names
    letters = set(re.findall(r"(?<![A-Za-z\\])([a-z])(?![A-Za-z(])", _symbols(joined))) - {*names}
    likely = [letter for letter in "xts" if letter in letters]
    if DOTTED.search(joined):
        likely = likely or ["t"]
    if len(likely) > 1 and "x" not in names and {"x", "t"} <= {*likely}:
        raise ProblemError(f"{text!r}: is the independent variable x or t? write y(x) or y(t)")
    return (likely[0] if likely else "t" if "x" in names else "x"), names


def _symbols(text: str) -> str:
    """Insert spaces into runs of at most three letters, so that each letter is a symbol."""
    text = _OPERATOR_NAME.sub(" ", text)
    return re.sub(r"(?<![\\A-Za-z])[A-Za-z]{1,3}(?![A-Za-z])", lambda m: " ".join(m[0]), text)


def _of_differentials(text: str, formulas: Sequence[str]) -> tuple[str, tuple[str, ...], list[str]]:
    """Rewrite an equation between differentials ``dx`` and ``dy`` as an equation for y'.

    The result is the independent variable, a tuple with only the function, and the new formulas.
    """
    letters = set(_DIFFERENTIAL.findall(" ".join(formulas)))
    if len(letters) != 2:
        raise ProblemError(f"{text!r}: no function whose derivative is written")
    if letters in ({"x", "y"}, {"t", "x"}, {"t", "y"}):
        variable = "t" if "t" in letters else "x"
    elif "x" in letters or "t" in letters:
        variable = "x" if "x" in letters else "t"
    else:
        raise ProblemError(f"{text!r}: which of {' and '.join(sorted(letters))} is the function?")
    function = (letters - {variable}).pop()
    rewritten = [
        _DIFFERENTIAL.sub(lambda m: " {1} " if m[1] == variable else f" {function}' ", formula)
        for formula in formulas
    ]
    return variable, (function,), rewritten
