"""Differential equations and their solutions as prefix tokens, as in ODE1 and ODE2.

``Y``, ``Y'`` and ``Y''`` are the function and its derivatives, and the constants of integration are
``a8`` and ``a9``. Between trees and tokens the coefficients ``a0``, ``a1`` and ``a2``, absent from
all published data, stand for the function and its derivatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ....rewards.reading.expression.build import add, neg
from ....rewards.reading.expression.traversal import substitute, symbols_of
from ....rewards.reading.expression.tree import Expression, Symbol
from ....rewards.reading.latex import to_latex
from ....rewards.reading.problem.differential_equation import DifferentialEquation
from ...algebra.normal_form import Algebra
from .prefix import PrefixError, Tokens, from_prefix, to_prefix

#: Constants of integration by their number, the first of them for equations of either order.
CONSTANTS: Final = ("a8", "a9")
_FUNCTION: Final = ("Y", "Y'", "Y''")
_HELD: Final = ("a0", "a1", "a2")


def equation_tokens(equation: DifferentialEquation) -> Tokens:
    """The tokens of the side of an equation that is zero on the solutions.

    Args:
        equation: an equation of first or second order for one function of x.

    Returns:
        The tokens, in the order of SymPy.

    Raises:
        PrefixError: the equation has no tokens.

    >>> from calculus_harness.rewards.reading.problem.differential_equation import (
    ...     read_differential_equation,
    ... )
    >>> " ".join(equation_tokens(read_differential_equation("y' = 2y")))
    "add Y' mul INT- 2 Y"

    """
    if len(equation.functions) != 1 or equation.conditions or equation.order >= len(_FUNCTION):
        raise PrefixError("tokens are for one equation of order one or two, without conditions")
    orders = {name: jet.order for name, jet in equation.jets.items()} | {equation.functions[0]: 0}
    (left, right), *_ = equation.equations
    tree = add(left, neg(right))
    symbols = {name: _HELD[order] for name, order in orders.items()} | {equation.variable: "x"}
    tokens = to_prefix(Algebra("x").node(_renamed(tree, symbols)))
    written = dict(zip(_HELD, _FUNCTION, strict=True))
    return tuple(written.get(token, token) for token in tokens)


def equation_tree(tokens: Sequence[str]) -> Expression:
    """The side that is zero, with the symbols ``y``, ``Q_1`` and ``Q_2`` (`read_tree` of jets).

    Raises:
        PrefixError: the tokens are no equation.

    >>> from calculus_harness.rewards.reading.latex import to_latex
    >>> to_latex(equation_tree("add Y' Y".split()))
    'Q_{1} + y'

    """
    held = dict(zip(_FUNCTION, _HELD, strict=True))
    tree = from_prefix([held.get(token, token) for token in tokens])
    if symbols_of(tree).isdisjoint(_HELD[1:]):
        raise PrefixError("no derivative")
    return _renamed(tree, dict(zip(_HELD, ("y", "Q_1", "Q_2"), strict=True)))


def equation_latex(tree: Expression) -> str:
    r"""The equation in LaTeX, from the side equal to zero.

    >>> equation_latex(equation_tree("add Y' Y".split()))
    "y' + y = 0"

    """
    text = to_latex(tree)
    for symbol, primes in (("Q_{1}", "y'"), ("Q_{2}", "y''")):
        text = text.replace(f"{symbol}^", rf"\left({primes}\right)^").replace(symbol, primes)
    return f"{text} = 0"


def solution_tokens(formula: Expression, constants: Sequence[str]) -> Tokens:
    """The tokens of a solution.

    Args:
        formula: the solution in x.
        constants: the symbols of the constants of integration.

    Raises:
        PrefixError: more than two constants, or a formula without tokens.

    """
    if len(constants) > len(CONSTANTS):
        raise PrefixError(f"more than {len(CONSTANTS)} constants of integration")
    renamed = _renamed(formula, dict(zip(constants, CONSTANTS, strict=False)))
    return to_prefix(Algebra("x").node(renamed))


def solution_tree(tokens: Sequence[str]) -> Expression:
    """The formula of a solution, with ``C_1`` and ``C_2`` as constants of integration.

    Raises:
        PrefixError: the tokens are no formula.

    """
    return _renamed(from_prefix(tokens), dict(zip(CONSTANTS, ("C_1", "C_2"), strict=True)))


def _renamed(tree: Expression, names: Mapping[str, str]) -> Expression:
    for name, new_name in names.items():
        if name != new_name:
            tree = substitute(tree, name, Symbol(new_name))
    return tree
