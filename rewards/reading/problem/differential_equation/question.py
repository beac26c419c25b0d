r"""Reads differential equations with conditions, and solutions in textbook notation.

Examples of questions are ``y'' + y = 0, y(0) = 1``, ``x\,dy = y\,dx``, and the system
``x' = y, y' = -x``. A solution may be explicit (``y = C_1\cos x``) or implicit
(``x^2 + y^2 = C``). An answer may state several solutions, or formulas for several functions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ....errors import ProblemError
from ...expression.build import ZERO, add, div, neg
from ...expression.derivative import differentiate
from ...expression.traversal import nodes_of, substitute, symbols_of
from ...expression.tree import Expression
from ...functions import RECORDS
from ..conditions import conditions_of
from ..derivatives import Jet, Jets, normal, read_tree
from ..layout import relation
from ..prose import says
from ..question.equation import equations_of_question
from ..question.unknowns import spaced, unknowns

#: Functions of a system; textbooks have up to three.
MOST_FUNCTIONS: Final = 6


@dataclass(frozen=True)
class DifferentialEquation:
    """Equations for functions of a single variable, and conditions on the functions.

    Attributes:
        variable: the independent variable.
        functions: the names of the functions, in the order of the text.
        equations: the two sides of each equation. Symbols stand for derivatives.
        conditions: the two sides of each condition, such as ``y(0)`` and 1. Symbols stand for
            values of functions.
        jets: the derivative or value for each symbol.
        orders: the highest order of each function's derivatives.
        assumptions: pairs of a parameter's name and an assumption, such as ``integer``.
        asks_all: whether all solutions are asked for, including constant and singular solutions.
        asks_one: whether a single solution suffices, such as a particular solution.
        is_variable_implied: whether the question does not name the independent variable.

    """

    variable: str
    functions: tuple[str, ...]
    equations: tuple[tuple[Expression, Expression], ...]
    conditions: tuple[tuple[Expression, Expression], ...]
    jets: Mapping[str, Jet]
    orders: Mapping[str, int]
    assumptions: tuple[tuple[str, str], ...] = ()
    asks_all: bool = False
    asks_one: bool = False
    is_variable_implied: bool = False

    @property
    def order(self) -> int:
        """The number of constants of integration in the general solution."""
        return sum(self.orders.values())

    @property
    def may_determine_parameters(self) -> bool:
        """Whether the equation has parameters, and fewer constants than conditions."""
        parameters = self.names - {self.variable, *self.functions}
        return len(self.conditions) > self.order and bool(parameters)

    @property
    def has_branches(self) -> bool:
        """Whether an equation has a function with breaks or branches.

        An example: the root of y^2 is y or -y.
        """
        nodes = (node for pair in self.equations for side in pair for node in nodes_of(side))
        records = (RECORDS.get(node.function) for node in nodes if node.args)
        return any(record is not None and (record.breaks or record.branch) for record in records)

    def highest_derivatives(self) -> dict[str, Expression]:
        """The derivative of the highest order of each function for which an equation is solved.

        The equation must be linear in this derivative, and have none of another function.
        """
        symbols = {
            name: jet.function
            for name, jet in self.jets.items()
            if not jet.at and jet.order == self.orders[jet.function]
        }
        solved: dict[str, Expression] = {}
        for lhs, rhs in self.equations:
            residual = add(lhs, neg(rhs))
            present = symbols.keys() & symbols_of(residual)
            if len(present) == 1:
                (name,) = present
                slope = differentiate(residual, name)
                if name not in symbols_of(slope):
                    solved[symbols[name]] = neg(div(substitute(residual, name, ZERO), slope))
        return solved

    @property
    def names(self) -> set[str]:
        """The names of the variable, the functions and the parameters of the question."""
        trees = [side for pair in (*self.equations, *self.conditions) for side in pair]
        trees += [value for jet in self.jets.values() for value in jet.at]
        return set().union({self.variable, *self.functions}, *map(symbols_of, trees)) - {*self.jets}


#: Partial derivatives; impulses, because an answer with an impulse would be no function.
_NOT_JUDGED: Final = re.compile(r"\\partial|∂|\\delta\s*\(")


@lru_cache(maxsize=4096)
def read_differential_equation(text: str) -> DifferentialEquation:
    r"""Read a differential equation, or a system, with conditions.

    Args:
        text: the question, with formulas, words and punctuation.

    Returns:
        The equations as trees.

    Raises:
        ProblemError: the text cannot be read, or the function is not clear.

    >>> read_differential_equation("y'' + y = 0, y(0) = 1, y'(0) = 0").order
    2

    """
    if says(text, "no solution"):
        raise ProblemError(f"{text!r}: something else than a solution is asked for")
    question = equations_of_question(text)
    joined = normal(" , ".join((*question.formulas, *question.names)))
    if (match := _NOT_JUDGED.search(joined)) is not None:
        what = "impulses" if "delta" in match[0] else "partial differential equations"
        raise ProblemError(f"{text!r}: {what} are not judged; write a factor \\delta as d")
    variable, functions, formulas = unknowns(text, question.formulas, question.names)
    if len(functions) > MOST_FUNCTIONS:
        raise ProblemError(f"{text!r}: more than {MOST_FUNCTIONS} functions")
    jets = Jets(dict.fromkeys(functions, (variable,)))
    equations: list[tuple[Expression, Expression]] = []
    conditions: list[tuple[Expression, Expression]] = []
    assumptions: list[tuple[str, str]] = [*question.assumptions]
    for formula in formulas:
        sides = relation(formula)
        if sides is None:
            condition = conditions_of(formula)
            if condition is None:
                raise ProblemError(f"{text!r}: {formula!r} is no equation")
            assumptions += condition.assumptions
            continue
        pair = tuple(read_tree(side, jets, {variable}, values=True) for side in sides)
        left_tree, right_tree = pair[0], pair[1]
        named = symbols_of(left_tree) | symbols_of(right_tree)
        has_value = any(jets.names[name].at for name in named & jets.names.keys())
        (conditions if has_value else equations).append((left_tree, right_tree))
    if any(name in functions and stated in ("even", "odd") for name, stated in assumptions):
        raise ProblemError(f"{text!r}: an even or odd function; write a condition")
    if question.needs_condition and not conditions:
        raise ProblemError(
            f"{text!r}: {question.needs_condition!r} may be a condition; write it as a formula"
        )
    orders = _checked(text, variable, functions, equations, conditions, jets)
    return DifferentialEquation(
        variable,
        functions,
        tuple(equations),
        tuple(conditions),
        jets.names,
        orders,
        tuple(assumptions),
        asks_all=question.asks_all,
        asks_one=question.asks_one,
        is_variable_implied=variable not in re.findall(r"\\?[A-Za-z]+", spaced(joined)),
    )


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
        ProblemError: the text has no differential equation, the numbers of equations and functions
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
