"""Equations whose sides have constants of integration, perhaps with new names or meanings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .....reading.expression.build import ZERO, add, neg
from .....reading.expression.derivative import differentiate
from .....reading.expression.linear import NotLinearError, root
from .....reading.expression.traversal import substitute, symbols_of
from .....reading.expression.tree import Expression, Symbol
from ...operations import Side
from ...result import Judgement
from ...scope import Equation, is_constant_name
from ...substitution import free_symbols
from ..equality import Finding, compare
from ..work import Work

#: A constant has got another meaning.
RENAMED = "a constant with another meaning"
#: The name of a constant with another meaning than on the other side.
_FRESH = "C new"


def _is_added(tree: Expression, variable: str) -> bool:
    r"""Whether a tree is a sum whose constant occurs only in terms without the variable.

    An example is ``x + \ln C``: the derivative does not depend on C.
    """
    try:
        return _FRESH not in symbols_of(differentiate(tree, variable))
    except ValueError:
        return False


def renamed(equation: Equation, assumptions: Mapping[str, str], key: str, work: Work) -> Finding:
    """Judge an equation with constants of integration on both sides: ``e^{x + C} = Ce^x``.

    The equation is right if it holds as written, or holds for all values of the variable after a
    suitable choice of one side's constant. The equation is wrong if each
    side has one constant and neither has a suitable choice.
    """
    finding = compare(equation, 0, assumptions, key, work)
    if finding.judgement is not Judgement.INCORRECT:
        return finding
    # Solve for the constant of one side: the equation is right if the solution is constant.
    sides = equation.lhs, equation.rhs
    refuted = []
    for at, side in enumerate(sides):
        names = [
            name
            for name in free_symbols(side)
            if is_constant_name(name) and name not in {*equation.problem, equation.variable}
        ]
        if len(names) != 1 or side.operations:
            return Finding(Judgement.UNCHECKED, detail="several constants of integration")
        fresh = substitute(side.expression, names[0], Symbol(_FRESH))
        try:
            constant = root(add(fresh, neg(sides[1 - at].expression)), _FRESH)
            constant_side = Side(constant, sides[1 - at].operations)
            value = replace(equation, lhs=constant_side, rhs=Side(ZERO, {}))
        except NotLinearError:
            if not _is_added(fresh, equation.variable):
                continue
            value = equation
        judgement = compare(value, 1, assumptions, key, work).judgement
        if judgement is Judgement.CORRECT:
            return Finding(Judgement.CORRECT, finding.points, detail=RENAMED)
        refuted.append(judgement is Judgement.INCORRECT)
    if refuted and all(refuted):
        return finding
    return Finding(Judgement.UNCHECKED, detail="a constant of integration within a function")
