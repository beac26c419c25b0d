"""Reads answers to differential equations: formulas of functions, implicit solutions, lists."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ....errors import ProblemError
from ...expression.traversal import symbols_of
from ...expression.tree import Expression
from ...latex import ReadError, read
from ..clauses import Clause, clauses
from ..conditions import NAME
from ..derivatives import EXPONENT, name_of, normal
from ..layout import coordinates, marked_tables, pieces_of
from ..marks import PROSE
from ..question.pieces import MATRIX
from .question import DifferentialEquation

#: Solutions of an answer, and signs ``\pm`` of one: textbooks have up to four and two.
MOST_SOLUTIONS, MOST_SIGNS = 6, 2
#: Constants of integration that are also names of functions: Fresnel's C, elliptic E and K, ...
_CONSTANTS_OR_FUNCTIONS: Final = {f"{c}{n}" for c in "BCEKP" for n in ("", "_1", "_2", "_3", "_4")}
#: Names of constants of integration. The usual letters of functions and variables are excluded.
_CONSTANT: Final = re.compile(
    r"(?:[A-EKMNPQRa-dkmnpqrs]|alpha|beta|gamma|delta|lambda|mu|phi|varphi|theta)(?:_\w+)?"
)
#: ``y \equiv 0``
_IDENTICAL: Final = re.compile(r"\\equiv(?![A-Za-z])|≡")
#: A column vector, and the name of a vector.
_COLUMN: Final = re.compile(MATRIX, re.DOTALL)
_VECTOR: Final = re.compile(
    rf"{_COLUMN.pattern}|\\(?:mathbf|boldsymbol|vec|bm)\s*\{{?\s*[A-Za-z]\s*\}}?\s*(?:\([a-z]\))?",
    re.DOTALL,
)
_MEMBER: Final = re.compile(r"\\(?:in|neq|ne|geq?|leq?|forall|quad)(?![A-Za-z])|[<>≠∈]")


@dataclass(frozen=True)
class StatedSolution:
    """A solution, or a family of solutions, in an answer.

    Attributes:
        formulas: the formula of each function. Empty for an implicit solution.
        implicit: the two sides of the equation of an implicit solution, else None.

    """

    formulas: Mapping[str, Expression]
    implicit: tuple[Expression, Expression] | None = None

    def further_names(
        self, question: DifferentialEquation
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names missing in the question: constants of integration, and names of nothing."""
        sides = self.implicit or ()
        used = set().union(*map(symbols_of, (*self.formulas.values(), *sides)))
        free = used - question.names
        constants = {name for name in free if _CONSTANT.fullmatch(name)}
        strangers = free - constants | (set() if sides else used & {*question.functions})
        return tuple(sorted(constants)), tuple(sorted(strangers))


def solutions(text: str, question: DifferentialEquation) -> list[StatedSolution]:
    r"""The solutions in an answer. The answer is right only if all solutions are right.

    Args:
        text: the answer in LaTeX.
        question: the differential equation of the question.

    Returns:
        The solutions. For a system, each solution has a formula for every function.

    Raises:
        ReadError: the answer is unreadable.

    >>> from calculus_harness.rewards.reading.problem.differential_equation import (
    ...     read_differential_equation,
    ... )
    >>> asked = read_differential_equation("y' = 2x")
    >>> [len(each.formulas) for each in solutions("y = x^2 + C", asked)]
    [1]

    """
    text = _componentwise(_IDENTICAL.sub("=", text), question)
    if len(x := question.variable) == 1:  # at + b is no word, if t is the variable
        text = re.sub(rf"(?<![A-Za-z\\])([a-z]){x}(?![A-Za-z])", rf"\1 {x}", text)
    results: list[StatedSolution] = []
    formulas: dict[str, Expression] = {}
    try:
        answer_clauses = clauses(PROSE.sub(" ; ", text))  # the formulas count, not the words
    except ProblemError as error:
        raise ReadError(str(error), 0) from None
    for clause, following in pairwise([*answer_clauses, Clause((), "")]):
        formula = _called(normal(clause.formula), question)
        compared = [
            neighbour
            for neighbour in (clause, following)
            if _MEMBER.search(marked_tables(neighbour.formula)[0])
        ]
        if (
            not formula
            or clause in compared
            or (compared and NAME.fullmatch(formula))  # x, y > 0
            or _is_constant(formula, question)
        ):
            continue
        # The solution of a system has a formula for each function, in several clauses.
        for variant in _signs(formula):
            for solution in _stated(variant, question):
                if solution.implicit is None and len(question.functions) > 1:
                    formulas |= solution.formulas
                    if len(formulas) == len(question.functions):
                        results.append(StatedSolution(formulas))
                        formulas = {}
                else:
                    results.append(solution)
    if formulas:
        missing = ", ".join(name for name in question.functions if name not in formulas)
        raise ReadError(f"no formula for {missing}", 0)
    if len(results) > MOST_SOLUTIONS:
        raise ReadError(f"more than {MOST_SOLUTIONS} solutions", 0)
    if not results:
        raise ReadError("no solution", 0)
    return results


def _componentwise(text: str, question: DifferentialEquation) -> str:
    """Write an equation between vectors as equations of the components.

    Every column is replaced by the component. The sum of columns with factors becomes the sum of
    the components with the factors.
    """
    lhs, equals, rhs = text.partition("=")
    columns = [match["rows"] for match in _COLUMN.finditer(rhs)]
    lhs = lhs.strip()
    names = coordinates(lhs) if lhs.startswith("(") and lhs.endswith(")") else []
    is_vector = _VECTOR.fullmatch(lhs) is not None or len(names) > 1
    if not equals or not is_vector or any("&" in rows for rows in columns):
        return text
    if names and not columns:
        values = coordinates(rhs.strip())
        same = len(names) == len(values)
        return " , ".join(map(" = ".join, zip(names, values, strict=True))) if same else text
    named = _COLUMN.fullmatch(lhs)
    names = names or (_rows(named["rows"]) if named else [*question.functions])
    if not columns or any(len(_rows(rows)) != len(names) for rows in columns):
        return text

    def component(at: int) -> str:
        return _COLUMN.sub(lambda match: f"({_rows(match['rows'])[at]})", rhs)

    return " , ".join(f"{name} = {component(at)}" for at, name in enumerate(names))


def _rows(column: str) -> list[str]:
    return [row.strip() for row in re.split(r"\\\\", column) if row.strip()]


def _is_constant(formula: str, question: DifferentialEquation) -> bool:
    """Whether a formula is only the name of a constant, such as C in ``where C is a constant``."""
    match = NAME.fullmatch(formula)
    return match is not None and name_of(formula) not in question.names and formula[0] in "CcKkAB"


def _called(formula: str, question: DifferentialEquation) -> str:
    """Replace ``y(x)`` by ``y`` and ``y^{2}(x)`` by ``y^{2}`` in a formula, for each function y."""
    for name in question.functions:
        letter = re.escape(name) if len(name) == 1 else rf"\\?{re.escape(name)}"
        own = re.escape(question.variable)
        applied = rf"(?<![A-Za-z])({letter}(?:{EXPONENT})?)\s*\(\s*\\?{own}\s*\)"
        formula = re.sub(applied, r"\1", formula)
        # y_p, a particular solution
        formula = re.sub(rf"\A\s*({letter})_\{{?(?:p|h|c|g|part)\}}?\s*(?==)", r"\1", formula)
    # f(x) = .. is the function of a question that calls it y
    named_function = re.match(
        rf"\s*([A-Za-z])\s*\(\s*\\?{re.escape(question.variable)}\s*\)\s*(?==)", formula
    )
    if named_function and len(question.functions) == 1 and named_function[1] not in question.names:
        formula = question.functions[0] + formula[named_function.end() :]
    return formula


def _signs(formula: str) -> Iterator[str]:
    r"""Yield the two formulas for ``\pm``. In each, ``\mp`` becomes the opposite sign.

    A formula without the signs is yielded unchanged.
    """
    sign_count = len(re.findall(r"\\(?:pm|mp)(?![A-Za-z])|[±∓]", formula))
    if not sign_count:
        yield formula
        return
    if sign_count > MOST_SIGNS:
        raise ReadError(f"more than {MOST_SIGNS} signs of both kinds", 0)
    for sign in "+-":
        opposite = "-" if sign == "+" else "+"
        changed = re.sub(r"\\pm(?![A-Za-z])|±", f" {sign} ", formula)
        yield re.sub(r"\\mp(?![A-Za-z])|∓", f" {opposite} ", changed)


def _stated(formula: str, question: DifferentialEquation) -> Iterator[StatedSolution]:
    """Yield the solutions in an equation, a chain of equations, or a formula alone."""
    sides = [side.strip() for side in pieces_of(formula, "=")]
    names = {*question.names}
    if len(sides) == 1:
        if len(question.functions) != 1:
            raise ReadError("a formula without the name of its function", 0)
        tree = _tree(sides[0], names - {*question.functions}, question)
        yield StatedSolution({question.functions[0]: tree})
        return
    function = name_of(sides[0]) if NAME.fullmatch(sides[0]) else ""
    if function in question.functions:
        trees = [_tree(side, names, question) for side in sides[1:]]
        if all(symbols_of(tree).isdisjoint(question.functions) for tree in trees):
            for tree in trees:
                yield StatedSolution({function: tree})
            return
    if len(sides) != 2:
        raise ReadError("a chain of equations that names no function", 0)
    left_tree, right_tree = (_tree(side, names, question) for side in sides)
    if len(question.functions) != 1:
        raise ReadError("an implicit solution of a system", 0)
    yield StatedSolution({}, (left_tree, right_tree))


def _tree(text: str, names: Collection[str], question: DifferentialEquation) -> Expression:
    """Read a formula. The text C(x+1) may be a function or a product.

    It is read as a product if the formula would otherwise have too few constants.
    """
    tree = read(text, symbols=names)[0].expression
    if len(symbols_of(tree) - {*names}) < question.order - len(question.conditions):
        return read(text, symbols={*names, *_CONSTANTS_OR_FUNCTIONS})[0].expression
    return tree
