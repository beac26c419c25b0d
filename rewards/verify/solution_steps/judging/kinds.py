"""The purpose of a claim, judged by the form of both sides."""

from __future__ import annotations

import re

from ....reading.expression.build import IMAGINARY
from ....reading.expression.traversal import nodes_of
from ....reading.expression.tree import Call, Expression, Number, Symbol
from ....reading.functions import TRANSCENDENTAL
from ..operations import Change, Derivative, Differential, Integral, LimitAt, Series, Side, Value
from ..result import Kind
from ..scope import Scope
from ..substitution import free_symbols

_BY_PARTS = re.compile(r"by[ -]parts|\bd\s?v\b", re.IGNORECASE)


def kind_of(lhs: Side, rhs: Side, scope: Scope, lead: str) -> Kind:
    """The kind of a claim, such as ``parts`` or ``limit``, judged by the form of both sides.

    Args:
        lhs: the left side, as written.
        rhs: the right side.
        scope: the definitions in force.
        lead: the prose before the claim.

    """
    # Operations decide first: each belongs to a technique.
    names = free_symbols(lhs) | free_symbols(rhs)
    by_parts = bool(names & scope.chosen) or _BY_PARTS.search(lead) is not None
    if lhs.has(Differential) or rhs.has(Differential):
        return "parts" if by_parts else "substitution"
    if scope.flow is not None and scope.flow.concerns(lhs, rhs):
        return "differential equation" if scope.flow.is_of_differential_equation else "derivative"
    if lhs.has(Derivative) or rhs.has(Derivative):
        return "derivative"
    lhs_integrals, rhs_integrals = _integrals(lhs, scope), _integrals(rhs, scope)
    if lhs_integrals and rhs_integrals:
        if {integral.variable for integral in lhs_integrals} != {
            integral.variable for integral in rhs_integrals
        }:
            return "parts" if by_parts else "substitution"
        new_factors = (_outside(rhs) - _outside(lhs)) & scope.variables
        return "parts" if new_factors and len(lhs_integrals) <= len(rhs_integrals) else "algebra"
    if lhs_integrals or rhs_integrals:
        return "parts" if by_parts and isinstance(lhs.expression, Symbol) else "integral"
    if names & scope.solved:
        return "partial fractions"
    if any(side.has(LimitAt) for side in (lhs, rhs)):
        return "limit"
    if any(side.has(Series) for side in (lhs, rhs)):
        return "sum"
    if any(side.has(Integral, Change, Value) for side in (lhs, rhs)):
        return "definite integral"
    # Closed forms remain: the symbols, then the functions, tell the purpose.
    running = scope.variables | scope.values.keys()
    if not names & running:
        return "arithmetic"
    if (free_symbols(lhs) - free_symbols(rhs)) & running - {scope.variable}:
        return "back-substitution"
    functions = {
        node.function
        for side in (lhs, rhs)
        for node in nodes_of(side.expression)
        if isinstance(node, Call)
    }
    return "identity" if functions & TRANSCENDENTAL else "algebra"


def _integrals(side: Side, scope: Scope) -> list[Integral]:
    """The indefinite integrals in a side, and in the side's definitions."""
    named = (scope.values[name] for name in free_symbols(side) if name in scope.values)
    return [
        operation
        for owner in (side, *named)
        for operation in owner.operations.values()
        if isinstance(operation, Integral) and operation.limits is None
    ]


def _outside(side: Side) -> set[str]:
    """The symbols of a side outside of integrals."""
    return free_symbols(Side(side.expression, {})) - side.operations.keys()


def is_rational(tree: Expression) -> bool:
    """Whether a formula is a rational function, perhaps with the imaginary unit."""
    return all(
        node == IMAGINARY
        or node.function in ("add", "neg", "mul", "div")
        or (
            node.function == "pow"
            and isinstance(node.args[1], Number)
            and node.args[1].denominator == 1
        )
        for node in nodes_of(tree)
        if isinstance(node, Call)
    )
