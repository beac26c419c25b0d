"""Names the slip between a wrong reference and a right answer that is known.

A right answer to a differential equation is a family of functions. Where the family is an affine
function of its constants, a function belongs to the family if a linear system for the constants has
a solution; the system has one equation for each point of `Sampled`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ....rewards.numeric.ball_arithmetic.balls import UnusableError
from ....rewards.reading.expression.build import number
from ....rewards.reading.expression.traversal import additive_terms, substitute, symbols_of
from ....rewards.reading.expression.tree import Expression, Symbol
from ....rewards.reading.latex import ReadError
from ....rewards.reading.problem.differential_equation import (
    DifferentialEquation,
    read_differential_equation,
    solutions,
)
from ...stats.findings.failures import Sampled, Values
from ..reading import UnreadError, tree_of
from .slips import MAX_CANDIDATES, everything_undone, repairs

#: A formula for each function of a differential equation.
Formulas = Mapping[str, Expression]
#: The relative error of a linear system that counts as solved, and the number of equations beyond
#: the number of unknowns that make a solution by chance unlikely.
_SOLVED, _SPARE = 1e-9, 2


def slip_between(task: str, problem: str, wrong: str, right: str) -> str:
    """The name of the slip from a right to a wrong answer; empty for an unknown slip.

    Args:
        task: the kind of the question of the course.
        problem: the question.
        wrong: the wrong reference in LaTeX.
        right: a right answer in LaTeX.

    """
    try:
        if task == "differential_equation":
            return next(_between_solutions(read_differential_equation(problem), wrong, right), "")
        wrong_tree, right_tree = tree_of(wrong), tree_of(right)
    except (UnreadError, ReadError, UnusableError):
        return ""
    variable = min(symbols_of(right_tree), default="")
    return next((slip for slip, _ in repairs(right_tree, wrong_tree, variable, order=0)), "")


def _between_solutions(question: DifferentialEquation, wrong: str, right: str) -> Iterator[str]:
    mistaken, correct = (solutions(text, question)[0].formulas for text in (wrong, right))
    if not mistaken or not correct:  # implicit
        return
    constants = _constants(correct, question)
    family = _Affine.of(correct, constants, question.variable)
    if family is not None:
        yield from family.slips(_member(mistaken, question))
    elif len(constants) == len(names := _constants(mistaken, question)):
        for function, tree in correct.items():
            for old, new in zip(constants, names, strict=True):
                tree = substitute(tree, old, Symbol(new))
            yield from _names(tree, mistaken[function], question.variable)


def _names(right: Expression, wrong: Expression, variable: str) -> Iterator[str]:
    return (slip for slip, _ in repairs(right, wrong, variable, order=0))


def _constants(formulas: Formulas, question: DifferentialEquation) -> list[str]:
    return sorted(set().union(*map(symbols_of, formulas.values())) - question.names)


def _member(formulas: Formulas, question: DifferentialEquation) -> dict[str, Expression]:
    """A member of a family. The constants are different numbers without cancellation."""
    values = {name: 17 + 12 * at for at, name in enumerate(_constants(formulas, question))}
    return _with_values(formulas, values)


def _with_values(formulas: Formulas, values: Mapping[str, int]) -> dict[str, Expression]:
    trees = dict(formulas)
    for name, value in values.items():
        trees = {f: substitute(tree, name, number(value)) for f, tree in trees.items()}
    return trees


@dataclass(frozen=True, slots=True)
class _Affine:
    """A family of solutions p + c_1 f_1 + ..., each with a formula for every function.

    Attributes:
        particular: the formulas of p.
        variable: the independent variable.
        values: p, f_1, f_2, ... at the points, one function below the other; of shape (functions *
            points, 1 + constants). A missing value is NaN.
        slopes: the derivatives likewise.

    """

    particular: Formulas
    variable: str
    values: np.ndarray
    slopes: np.ndarray

    @classmethod
    def of(cls, family: Formulas, constants: Sequence[str], variable: str) -> _Affine | None:
        """The family, if the values at some choices of the constants show an affine family."""
        origin = dict.fromkeys(constants, 0)
        choices = [origin, *(origin | {name: 1} for name in constants)]
        elsewhere = {name: 2 + at for at, name in enumerate(constants)}
        try:
            members = [_with_values(family, choice) for choice in choices]
            sampled = [[Sampled(tree, variable) for tree in item.values()] for item in members]
            expected = _sampled(_with_values(family, elsewhere), variable)
        except UnusableError:
            return None
        values = _columns([[item.values for item in member] for member in sampled])
        slopes = _columns([[item.slopes for item in member] for member in sampled])
        combined = values[:, 0] + values[:, 1:] @ np.arange(2, 2 + len(constants))
        return cls(members[0], variable, values, slopes) if _close(combined, expected) else None

    def slips(self, wrong: Formulas) -> Iterator[str]:
        """The slips from the member of the family to a wrong solution."""
        values = _sampled(wrong, self.variable)
        # A derivative of the whole family: an error of order.
        if _coefficients(values, self.slopes) is not None:
            yield "another order"
        # Without constants, and for a single function, the slips of antiderivatives apply.
        if self.values.shape[1] == 1 == len(wrong):
            (right,), (answer,) = self.particular.values(), wrong.values()
            yield from _names(right, answer, self.variable)
        # Otherwise a slip is undone, and the result must be a member of the family.
        for function, tree in wrong.items():
            yield from self._dropped(function, values)
            for slip, candidate in islice(everything_undone(tree, self.variable), MAX_CANDIDATES):
                with suppress(UnusableError):
                    undone = _sampled({**wrong, function: candidate}, self.variable)
                    if _coefficients(undone, self.values) is not None:
                        yield slip

    def _dropped(self, function: str, values: np.ndarray) -> Iterator[str]:
        """The slips in the coefficient of a term of the particular solution."""
        nothing = dict.fromkeys(self.particular, number(0))
        for term in additive_terms(self.particular[function], self.variable):
            column = _sampled({**nothing, function: term}, self.variable)[:, None]
            solved = _coefficients(values, np.hstack([self.values, column]))
            if solved is not None and abs(solved[-1]) > _SOLVED:
                yield "a dropped term" if abs(solved[-1] + 1) < _SOLVED else "a coefficient"


def _sampled(formulas: Formulas, variable: str) -> np.ndarray:
    """The values of all functions at the points, one function below another."""
    return np.concatenate([_array(Sampled(tree, variable).values) for tree in formulas.values()])


def _columns(members: Sequence[Sequence[Values]]) -> np.ndarray:
    """The columns p, f_1, f_2, ... from the values of p, p + f_1, p + f_2, ..."""
    columns = np.stack([np.concatenate(list(map(_array, member))) for member in members], axis=1)
    columns[:, 1:] -= columns[:, :1]
    return columns


def _array(values: Values) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=complex)


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    defined = ~np.isnan(a) & ~np.isnan(b)
    size = 1 + np.abs(b[defined])
    return bool(defined.any()) and bool((np.abs(a - b)[defined] < _SOLVED * size).all())


def _coefficients(values: np.ndarray, columns: np.ndarray) -> np.ndarray | None:
    """The coefficients c with values = p + c_1 f_1 + ...; None without such coefficients.

    Args:
        values: the values at the points, of shape (points,).
        columns: p, f_1, f_2, ..., of shape (points, 1 + coefficients).

    """
    defined = ~np.isnan(columns).any(axis=1) & ~np.isnan(values)
    target, basis = (values - columns[:, 0])[defined], columns[defined, 1:]
    if len(target) < basis.shape[1] + _SPARE:
        return None
    solved = np.linalg.lstsq(basis, target, rcond=None)[0]
    return solved if _close(basis @ solved, target) else None
