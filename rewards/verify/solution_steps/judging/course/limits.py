"""Claims about limits and infinite sums: proved values, infinite values, and logarithms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from .....errors import ProblemError
from .....numeric.expansions.series import NotExpandedError, UndefinedError
from .....numeric.quadrature.work import QuadratureError
from .....proof.limits import Limit, limit
from .....reading.expression.traversal import fold, symbols_of
from .....reading.expression.tree import Call, Symbol
from ...extents import NotReadError
from ...operations import Integral, LimitAt, Series, Side
from ...result import Judgement
from ...scope import Equation, Scope
from ...substitution import is_finite, without
from ..values import DivergentStepError
from ..work import Work

#: What the proof of a limit costs, in evaluations.
PROOF_COST = 400
_INFINITY = re.compile(r"\s*(?P<sign>[-+]?)\s*(?:\\infty|∞)\s*[.,;]?\s*")


def proved_limit(
    limit_operation: LimitAt, scope: Scope, assumptions: Mapping[str, str], work: Work
) -> Limit | None:
    """The proved limit, or None."""
    names = symbols_of(limit_operation.of) - {limit_operation.variable}
    if not isinstance(limit_operation.point, int):
        names |= symbols_of(limit_operation.point)
    real = {*scope.variables, *scope.integer_variables}
    usual = {name: "real" if name in real else "positive" for name in names}
    assumed = tuple((name, assumptions.get(name, usual[name])) for name in sorted(names))
    over_integers = (
        limit_operation.variable in scope.integer_variables and limit_operation.point == 1
    )
    key = limit_operation, assumed, over_integers
    if key not in work.proved_limits:
        work.pay(PROOF_COST)
        work.proved_limits[key] = None
        with suppress(NotExpandedError, UndefinedError, ProblemError):
            work.proved_limits[key] = limit(
                limit_operation.of,
                limit_operation.variable,
                limit_operation.point,
                limit_operation.side,
                assumed,
                over_integers,
            )
    return work.proved_limits[key]


def with_proved_limits(
    equation: Equation, scope: Scope, assumptions: Mapping[str, str], work: Work
) -> Equation:
    """Replace each limit in an equation by a proved finite value, if any."""
    sides: list[Side] = []
    for side in (equation.lhs, equation.rhs):
        table: dict[str, Side] = {}
        for name, operation in side.operations.items():
            if (
                isinstance(operation, LimitAt)
                and not symbols_of(operation.of) & side.operations.keys()
            ):
                limit_value = proved_limit(operation, scope, assumptions, work)
                if limit_value is not None and limit_value.value is not None:
                    table[name] = Side(limit_value.value, {})
        sides.append(without(side, table))
    return replace(equation, lhs=sides[0], rhs=sides[1])


def infinite(
    lhs: tuple[str, Sequence[Side]],
    rhs: tuple[str, Sequence[Side]],
    scope: Scope,
    assumptions: Mapping[str, str],
    work: Work,
) -> Judgement | None:
    r"""The judgement on an equation with an infinite side: ``\lim_{x\to0} x^{-2} = \infty``.

    The result is None if no side is infinite.

    Args:
        lhs: the LaTeX of the left side, and its readings.
        rhs: the right side, likewise.
        scope: the definitions in force.
        assumptions: assumptions on parameters.
        work: the remaining budget of the solution.

    """
    if not any(_INFINITY.fullmatch(latex) for latex, _ in (lhs, rhs)) and not all(
        len(sides) == 1 and signed_operation(sides[0]) for _, sides in (lhs, rhs)
    ):
        return None
    try:
        signs = [_sign(latex, sides, scope, assumptions, work) for latex, sides in (lhs, rhs)]
    except NotReadError:
        return None
    if None in signs:
        return Judgement.UNCHECKED if any(signs) else None
    if not any(signs):
        return None
    return Judgement.CORRECT if signs[0] == signs[1] else Judgement.INCORRECT


def signed_operation(side: Side) -> tuple[int, LimitAt | Series] | None:
    """Find the limit or the infinite sum of which a side is a constant multiple.

    The result is the sign of the constant factor, and the limit or sum; or None.
    """
    tree, sign = side.expression, 1
    while isinstance(tree, Call) and tree.function in ("neg", "mul", "div"):
        if tree.function == "neg":
            tree, sign = tree.args[0], -sign
            continue
        factors = [fold(arg) for arg in tree.args]
        if factors.count(None) != 1 or len(factors) > 2 or 0 in factors or factors[0] is None:
            if tree.function == "div" and factors[0] is None and factors[1]:
                factors = [factors[1], None]
                tree = Call("mul", (tree.args[1], tree.args[0]))
            else:
                return None
        sign, tree = (sign if (factors[0] or 0) > 0 else -sign), tree.args[1]
    operation = side.operations.get(tree.name) if isinstance(tree, Symbol) else None
    return (sign, operation) if isinstance(operation, LimitAt | Series) else None


def _sign(
    latex: str, sides: Sequence[Side], scope: Scope, assumptions: Mapping[str, str], work: Work
) -> int | None:
    """The sign of an infinite side: 1 or -1.

    The result is 0 for a side with a finite value, and None if the value is unknown.
    """
    # A sign of infinity needs no computation.
    infinity = _INFINITY.fullmatch(latex)
    if infinity:
        return -1 if infinity["sign"] == "-" else 1
    if len(sides) != 1:
        return None
    side = scope.written_out(scope.evaluated(sides[0]), {})
    signed = signed_operation(side)
    # Without a limit or a sum, only a finite number has a known value.
    if signed is None:
        numeric = not side.operations and not symbols_of(side.expression)
        return 0 if numeric and is_finite(side.expression) else None
    sign, operation = signed
    if isinstance(operation, LimitAt):
        if symbols_of(operation.of) & side.operations.keys():
            return None
        value = proved_limit(operation, scope, assumptions, work)
        if value is None or not value.exists:
            return None
        return 0 if value.value is not None else sign * value.sign
    if symbols_of(operation.term) - {operation.index}:
        return None
    try:
        (name,) = side.operations
        work.value(name, side.operations, {})
    except DivergentStepError as error:
        return sign * error.sign or None
    except (NotReadError, QuadratureError, ValueError):
        return None
    return 0


def with_logarithms(lhs: Side, rhs: Side) -> tuple[Side, Side]:
    r"""Take the logarithms of two sides, if one of them is ``e^{\int f\,dx}``.

    The antiderivative is known up to a constant, and the power of e therefore up to a factor.
    """
    if not any(_has_integral_in_power(side) for side in (lhs, rhs)):
        return lhs, rhs
    log_lhs, log_rhs = (_logarithm(side) for side in (lhs, rhs))
    return log_lhs, log_rhs


def _has_integral_in_power(side: Side) -> bool:
    tree = side.expression
    return (
        isinstance(tree, Call)
        and tree.function == "exp"
        and any(isinstance(side.operations.get(name), Integral) for name in symbols_of(tree))
    )


def _logarithm(side: Side) -> Side:
    tree = side.expression
    if isinstance(tree, Call) and tree.function == "exp":
        return Side(tree.args[0], side.operations)
    return Side(Call("ln", (Call("abs", (tree,)),)), side.operations)
