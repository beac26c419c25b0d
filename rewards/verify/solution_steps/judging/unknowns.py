r"""Equations with unknown constants: ``\frac{1}{x^2-1} = \frac{A}{x-1} + \frac{B}{x+1}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice

from flint import acb_mat

from ....numeric.ball_arithmetic.balls import precision
from ....numeric.ball_arithmetic.compare import compare, differ
from ....numeric.ball_arithmetic.jets import ONE, ZERO, Ball
from ....reading.expression.tree import Expression, Number, Symbol
from ..extents import NotReadError
from ..operations import Side
from ..scope import Equation
from ..substitution import definite_operations, free_symbols
from .program import Program
from .work import Work

#: Unknowns of one equation, and points at which a solution is checked.
MAX_UNKNOWNS, CHECKED = 8, 3
#: The largest denominator of a solution.
LARGEST_DENOMINATOR = 10**6


def solve(
    equation: Equation,
    unknowns: Sequence[str],
    assumptions: Mapping[str, str],
    key: str,
    work: Work,
    order: int = 0,
) -> dict[str, Expression] | None:
    """The values of unknown constants for which an equation holds identically in the variable.

    Args:
        equation: both sides in one variable.
        unknowns: the constants. The equation must be linear in the constants.
        assumptions: assumptions about parameters.
        key: the seed of the sample points, as text.
        work: the remaining budget of the solution.
        order: 1 compares derivatives instead of values, as `compare` does.

    Returns:
        A table of the rational values. The table is empty if the equation does not determine the
        values. The result is None if no values satisfy the equation.

    Raises:
        NotReadError: the equation is not linear, has irrational solutions, or is unsupported.

    """
    if not unknowns or len(unknowns) > MAX_UNKNOWNS:
        raise NotReadError("too many unknown constants")
    for side in (equation.lhs, equation.rhs):
        for name in definite_operations(side):
            if free_symbols(Side(Symbol(name), side.operations)) & set(unknowns):
                raise NotReadError("an unknown constant within a definite integral or a limit")
    program = Program(equation, order, assumptions, key, work)
    with precision(program.precisions[-1]):
        program.constant_values()
        if program.varying:
            raise NotReadError("unknown constants beside an integral that varies")
        rows: list[list[Ball]] = []
        for x in program.points():
            row = _row(program, unknowns, x)
            if row is not None:
                rows.append(row)
            if len(rows) == len(unknowns) + CHECKED:
                break
        else:
            raise NotReadError("too few points at which all of it is real")
        # A letter that changes neither side (+ A - A) cannot make them equal.
        pivots = _independent(rows, len(unknowns))
        if not pivots:
            return None
        names = [unknowns[at] for at in pivots]
        program.values.update(dict.fromkeys(unknowns, ZERO))
        matrix = acb_mat([[row[at] for at in pivots] for row in rows[: len(pivots)]])
        solved = matrix.solve(acb_mat([[-row[-1]] for row in rows[: len(pivots)]]))
        program.values.update({name: solved[at, 0] for at, name in enumerate(names)})
        for x in islice(program.points(), len(pivots), len(pivots) + CHECKED + 2):
            pair = program.at(x, program.precisions[-1])
            if pair is not None and differ(*pair):
                # Linear at the points, as the rows are; it cannot hold at this one.
                return None
        determined = len(pivots) == sum(_matters(rows, at) for at in range(len(unknowns)))
        if not determined:
            return {}
        return {name: _rational(solved[at, 0]) for at, name in enumerate(names)}


def _matters(rows: Sequence[Sequence[Ball]], column: int) -> bool:
    """Whether the unknown with the index ``column`` has an effect on the equation."""
    return not all(_vanishes(row[column]) for row in rows)


def _independent(rows: Sequence[Sequence[Ball]], count: int) -> list[int]:
    """Return the indices of unknowns with linearly independent coefficients at sample points.

    An unknown is left out if the column of coefficients is a linear combination of earlier
    columns.
    """
    pivots: list[int] = []
    for column in range(count):
        trial = [*pivots, column]
        if not _matters(rows, column):
            continue
        square = acb_mat([[row[at] for at in trial] for row in rows[: len(trial)]])
        if not _vanishes(square.det()):
            pivots = trial
    return pivots


def _row(program: Program, unknowns: Sequence[str], x: Ball) -> list[Ball] | None:
    """The coefficients of the unknowns, and the constant term, of right side minus left side.

    All are values at the point ``x``. The result is None if a side is not real at ``x``.
    """
    values: list[Ball] = []
    for chosen in (*unknowns, None):
        program.values.update({name: ONE if name == chosen else ZERO for name in unknowns})
        pair = program.at(x, program.precisions[-1])
        if pair is None:
            return None
        values.append(pair[1] - pair[0])
    # Where the unknowns are 2, 3, .. a linear equation is known by its coefficients.
    trial_values = {name: ONE * at for at, name in enumerate(unknowns, 2)}
    program.values.update(trial_values)
    pair = program.at(x, program.precisions[-1])
    constant = values.pop()
    row = [value - constant for value in values]
    total = sum(
        (trial_values[name] * value for name, value in zip(unknowns, row, strict=True)), constant
    )
    if pair is None or differ(pair[1] - pair[0], total):
        raise NotReadError("an equation that is not linear in its unknown constants")
    return [*row, constant]


def _vanishes(value: Ball) -> bool:
    return compare(value, ZERO).same is True


def _rational(value: Ball) -> Expression:
    if not value.is_finite():
        raise NotReadError("unknown constants that are not determined")
    near = Fraction(float(value.real.mid())).limit_denominator(LARGEST_DENOMINATOR)
    if differ(value * near.denominator, ONE * near.numerator):
        raise NotReadError("unknown constants that are not rational")
    return Number(near.numerator, near.denominator)
