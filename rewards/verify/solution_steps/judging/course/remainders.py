r"""Formulas that omit terms: ``\sin x = x - \frac{x^3}{6} + O(x^5)`` and ``x - .. + \cdots``.

Such an equation says that the difference of both sides has the order of the omitted terms. For
``O(t)``, the difference divided by t is bounded near the point. For dots, the difference divided by
the highest power before the dots tends to zero. Both statements are judged by a proved limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .....errors import ProblemError
from .....numeric.expansions.series import NotExpandedError, UndefinedError
from .....proof.limits import Limit, limit
from .....reading.expression.build import ZERO, add, div, neg, number, power
from .....reading.expression.traversal import degree, fold, nodes_of, substitute, symbols_of
from .....reading.expression.tree import Call, Expression, Symbol
from ...extents import NotReadError
from ...operations import Side
from ...result import Judgement
from ...scope import COUNTED, Equation, Scope
from ...text.statements import Link
from ..equality import Finding
from ..work import Work
from .limits import PROOF_COST

_TERM = re.compile(
    r"\s*\+\s*(?P<sign>[Oo])\s*(?:\\left|\\[bB]igg?l?)?\((?P<of>(?:[^()]|\([^()]*\))*)(?:\\right|\\[bB]igg?r?)?\)"
    r"\s*[.,;]?\s*\Z"
)
_DOTS = re.compile(r"\s*[-+]\s*(?:\\(?:[cl]?dots[bc]?)(?![A-Za-z])|\.\.\.|…)\s*[.,;]?\s*\Z")


class _Cut(NamedTuple):
    """The written terms of a formula that omits terms.

    The omitted remainder is ``O(of)`` or ``o(of)``. If ``of`` is empty, the remainder is written as
    dots.
    """

    latex: str
    of: str = ""
    is_small: bool = True


def _cut(latex: str) -> _Cut | None:
    if term := _TERM.search(latex):
        return _Cut(latex[: term.start()], term["of"], term["sign"] == "o")
    if dots := _DOTS.search(latex):
        return _Cut(latex[: dots.start()])
    return None


def up_to_remainder(
    lhs: tuple[str, list[Side]],
    rhs: tuple[str, list[Side]],
    scope: Scope,
    work: Work,
    sides: Callable[[Link], list[Side]],
) -> Finding | None:
    """Judge an equation with a side that omits terms at the end, such as ``x + O(x^3)``.

    The result is None for other equations.

    Args:
        lhs: the LaTeX of the left side, and its readings.
        rhs: the right side, likewise.
        scope: the definitions in force.
        work: the remaining budget of the solution.
        sides: returns the readings of a link (a side in LaTeX).

    """
    cuts = [_cut(latex) for latex, _ in (lhs, rhs)]
    if not any(cuts):
        return None
    try:
        trees = [
            _tree(sides(Link(cut.latex, 0, 0)) if cut else read, scope)
            for cut, (_, read) in zip(cuts, (lhs, rhs), strict=True)
        ]
        # The written terms differ by no more than the remainders, in one variable.
        difference = add(trees[0], neg(trees[1]))
        if len(symbols_of(difference)) != 1:
            trees = [scope.written_out(Side(tree, {}), {}).expression for tree in trees]
            difference = add(trees[0], neg(trees[1]))
        names = symbols_of(difference)
        if len(names) != 1:
            return None
        (name,) = names
        fits: list[bool | None] = []
        for cut, tree in zip(cuts, trees, strict=True):
            if cut is not None:
                term = _tree(sides(Link(cut.of, 0, 0)), scope) if cut.of else _highest(tree, name)
                order = degree(tree, name)
                fits.append(_is_within(difference, term, name, order, cut.is_small, work))
    except NotReadError:
        return None
    if None in fits:
        return None
    return Finding(Judgement.CORRECT if any(fits) else Judgement.INCORRECT, 1)


def _tree(readings: list[Side], scope: Scope) -> Expression:
    if len(readings) != 1:
        raise NotReadError("a formula with several readings")
    side = scope.evaluated(readings[0])
    if not symbols_of(side.expression).isdisjoint(scope.functions.keys() & scope.values.keys()):
        side = scope.written_out(side, {})
    if side.operations:
        raise NotReadError("a formula with integrals or limits")
    return side.expression


def _highest(tree: Expression, name: str) -> Expression:
    terms = tree.args if isinstance(tree, Call) and tree.function == "add" else (tree,)
    orders = [order for term in terms if (order := degree(term, name)) is not None]
    if any(_has_sum(term, name) for term in terms):
        raise NotReadError("powers of another variable")  # of x - 1
    # Of one term alone, or of falling powers, it is not clear what the dots leave out.
    if len(orders) < max(len(terms), 2) or orders != sorted(orders) or not orders[-1]:
        raise NotReadError("dots behind what has no rising powers")
    return power(Symbol(name), number(orders[-1]))


def _is_within(
    difference: Expression,
    term: Expression,
    name: str,
    kept_degree: int | None,
    small: bool,
    work: Work,
) -> bool | None:
    """Whether ``difference`` is O(term), or o(term) if ``small`` is True.

    The result is None if undecided.

    Args:
        difference: the difference of both sides.
        term: the term in ``O`` or ``o``, or the highest power before dots.
        name: the variable.
        kept_degree: the degree of the kept terms. None if the terms form no polynomial.
        small: whether the difference divided by the term has to tend to zero.
        work: the remaining budget of the solution.

    """
    base = term.args[0] if isinstance(term, Call) and term.function == "pow" else term
    order = degree(term, name)
    at: Expression | int
    if kept_degree is None or name in COUNTED:
        return None  # it is not clear which point the variable tends to
    if base == Symbol(name) or order == 0:
        at = ZERO if kept_degree <= (order or 0) else 1
    elif isinstance(base, Call) and base.function == "add" and degree(base, name) == 1:
        shifts = [arg for arg in base.args if arg != Symbol(name)]
        if len(shifts) != len(base.args) - 1 or any(symbols_of(shift) for shift in shifts):
            return None
        at = neg(add(*shifts))
    elif isinstance(base, Call) and base.function == "div" and fold(base.args[0]) is not None:
        at = 1
    else:
        return None
    work.pay(PROOF_COST)
    try:
        # From one side: from both, an odd power is infinite with two signs.
        ratio_limit: Limit = limit(div(difference, term), name, at, 0 if isinstance(at, int) else 1)
    except (NotExpandedError, UndefinedError, ProblemError, ValueError):
        return None
    if not ratio_limit.exists:
        return None
    if ratio_limit.value is None:
        return False
    return (
        fold(ratio_limit.value) == 0
        if small and fold(ratio_limit.value) is not None
        else not small or None
    )


def _has_sum(tree: Expression, name: str) -> bool:
    return any(
        isinstance(node, Call) and node.function == "add" and name in symbols_of(node)
        for node in nodes_of(tree)
    )


def leaves_out_a_remainder(lhs: Side, rhs: Side, scope: Scope, work: Work) -> bool:
    r"""Whether one side may be a series without the remainder: ``\sin x = x - x^3/6``."""
    trees = [lhs.expression, rhs.expression]
    names = set().union(*map(symbols_of, trees))
    if lhs.operations or rhs.operations or len(names) != 1 or names & scope.values.keys():
        return False
    (name,) = names
    orders = [order for tree in trees if (order := degree(tree, name)) is not None]
    if len(orders) != 1 or not orders[0]:
        return False
    difference, term = add(trees[0], neg(trees[1])), power(Symbol(name), number(orders[0]))
    try:
        return _is_within(difference, term, name, 0, True, work) is True
    except NotReadError:
        return False


def is_factored(lhs: Side, rhs: Side, unknown: frozenset[str], scope: Scope) -> bool:
    """Whether an equation factors a polynomial, and must hold for all values of the letter.

    One side is a product. Both sides have the same degree and the same leading coefficient.
    """
    if not scope.course or lhs.operations or rhs.operations or len(unknown) != 1:
        return False
    (name,) = unknown
    trees = [lhs.expression, rhs.expression]
    orders = [degree(tree, name) for tree in trees]
    products = [
        isinstance(tree, Call)
        and tree.function in ("mul", "pow")
        and any(isinstance(arg, Call) and arg.function == "add" for arg in tree.args)
        for tree in trees
    ]
    if orders[0] != orders[1] or (orders[0] or 0) < 2 or products[0] == products[1]:
        return False
    if set().union(*map(symbols_of, trees)) != {name}:
        return False
    try:
        leading_ratio = limit(div(*trees), name, 1)
    except (NotExpandedError, UndefinedError, ValueError):
        return False
    return leading_ratio.value is not None and fold(leading_ratio.value) == 1


def is_multiple(equation: Equation, unknown: Sequence[str]) -> bool:
    """Whether both sides of an equation are zero for A = 0, or linear in A: ``4A - A = 2A``.

    A is the only unknown letter.
    """
    sides = [equation.lhs.expression, equation.rhs.expression]
    if len(unknown) != 1 or equation.lhs.operations or equation.rhs.operations:
        return False
    (name,) = unknown
    if not all(name in symbols_of(side) for side in sides):
        return False
    at_zero = [fold(substitute(side, name, ZERO)) for side in sides]
    return at_zero == [0, 0] or all(degree(side, name) == 1 for side in sides)
