"""Whether an equation defines a symbol, or states a claim about defined symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from ...reading.expression.build import add, div, mul, neg
from ...reading.expression.linear import NotLinearError, linear, root
from ...reading.expression.traversal import symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import RECORDS
from .extents import NotReadError
from .judging.readings import FUNCTIONS
from .operations import Derivative, Differential, Integral, LimitAt, Series, Side
from .scope import Scope, is_constant_name
from .sides import CALL, symbol_name
from .substitution import free_symbols
from .text import prose

#: What an equation does: ``settle`` claims ``v = ..`` after ``dv = ..`` and defines v.
#: ``again`` claims ``dv = ..`` once more, and lets v be chosen anew.
#: ``point`` is a value of a variable: ``x = 0``.
Act = Literal["claim", "define", "settle", "again", "point", "nothing"]

#: Letters that stand for variables, if nothing else is said of them.
VARIABLES = frozenset("x y z t u v w r theta phi".split())


@dataclass(frozen=True, slots=True)
class Meaning:
    """The role of an equation in a solution: define a symbol, or make a claim.

    ``name`` and ``value`` are the defined symbol and the symbol's value. ``tried`` is True for an
    uncertain definition, which may be a wrong claim.
    """

    act: Act
    name: str = ""
    value: Side | None = None
    tried: bool = False


#: Substitutions whose new variable is the argument of a function: its inverse.
_INVERSES = {f.name: f.inverse for f in RECORDS.values() if f.inverse}
_CLAIM, _NOTHING = Meaning("claim"), Meaning("nothing")


def meaning_of(
    lhs: Side,
    rhs: Side,
    lead: str,
    scope: Scope,
    problem_integral: Integral | None,
    agrees: Callable[[Side, Side], bool],
) -> Meaning:
    """Decide whether the first equation of a chain defines a symbol or makes a claim.

    Args:
        lhs: the left side.
        rhs: the right side.
        lead: the prose before the equation.
        scope: the definitions in force.
        problem_integral: the integral of the problem, if any. The letter ``I`` may stand for the
            integral.
        agrees: tells whether two sides are equal up to a constant.

    Raises:
        NotReadError: the equation has an unsupported form.

    """
    node = lhs.expression
    if isinstance(node, Symbol):
        operation = lhs.operations.get(node.name)
        if isinstance(operation, Differential):
            return _differential(operation.variable, rhs, scope, lambda: agrees(lhs, rhs))
        if (
            isinstance(operation, Derivative)
            and not rhs.operations
            and isinstance(operation.of, Symbol)
        ):
            name = operation.of.name  # v' = f as dv = f dx
            if scope.is_fresh(name):
                antiderivative = Integral(rhs.expression, operation.variable)
                side = Side(Symbol(node.name), {node.name: antiderivative})
                return Meaning("define", name, side)
        if operation is None:
            return _symbol(node.name, rhs, lead, scope, problem_integral, agrees)
    name = rhs.expression.name if isinstance(rhs.expression, Symbol) else ""
    if not free_symbols(lhs) and not lhs.operations and name in scope.variables | scope.moving():
        return Meaning("point", name, lhs)  # "substituting 4 = u"
    definition = implicit(lhs, rhs, scope)
    if definition is None:
        return _CLAIM
    defined = scope.variables | scope.values.keys()
    if definition[0] != scope.variable and not free_symbols(definition[1]) & defined:
        return _CLAIM
    return Meaning("define", *definition)


def _symbol(
    name: str,
    rhs: Side,
    lead: str,
    scope: Scope,
    problem_integral: Integral | None,
    agrees: Callable[[Side, Side], bool],
) -> Meaning:
    if scope.flow is not None and name in scope.flow.functions:
        scope.flow.state(name, rhs)
        inner = _of_unknown(name, rhs, scope)
        if inner is not None:
            return inner
    names = free_symbols(rhs)
    constant = not rhs.operations and not names & (scope.variables | scope.values.keys())
    define = Meaning("define", name, rhs)
    running = name == scope.variable or name in scope.introduced
    running |= name in scope.moving() and not scope.values[name].operations
    # Letters that are customary for variables get no value by the way ("bounded by y = 0").
    running |= scope.is_fresh(name) and name in VARIABLES and not prose.chooses(lead)
    if running and constant and not any(map(scope.is_fresh, names)):
        return Meaning("point", name, rhs)
    if name in scope.values:
        return _defined(name, rhs, lead, scope, agrees)
    if name == scope.variable:
        fresh_names = {symbol for symbol in names if scope.is_fresh(symbol)}
        if prose.chooses(lead) and names <= scope.introduced and not rhs.operations:
            return define  # the same letter in another substitution
        if len(fresh_names) != 1 or rhs.operations or names & scope.values.keys() or name in names:
            return _CLAIM
        return define
    if name in scope.symbols:
        return _NOTHING if constant else _CLAIM
    if name in scope.introduced:
        return _CLAIM  # back from the new variable
    if is_constant_name(name) and constant:
        if scope.flow is not None and not names:
            scope.flow.specialise()
        return _NOTHING
    if name in FUNCTIONS and problem_integral and not isinstance(rhs.expression, Symbol):
        meant = Side(Symbol("Q_0"), {"Q_0": problem_integral})
        if agrees(meant, rhs):
            return Meaning("claim", name, meant)
    return define


def _of_unknown(name: str, rhs: Side, scope: Scope) -> Meaning | None:
    """Read ``y = vx`` as the definition v = y/x, if only an equation of the problem defines y.

    The letter v must be new. The result is None for other equations.
    """
    fresh = {symbol for symbol in free_symbols(rhs) if scope.is_fresh(symbol)}
    if rhs.operations or len(fresh) != 1 or not fresh <= {"u", "v", "w", "z"}:
        return None
    (symbol,) = fresh
    try:
        value = root(add(rhs.expression, neg(Symbol(name))), symbol)
    except NotLinearError:
        inner = implicit(Side(Symbol(name), {}), rhs, scope)
        return Meaning("define", *inner) if inner and inner[0] == symbol else None
    return Meaning("define", symbol, Side(value, {}))


def _defined(
    name: str, rhs: Side, lead: str, scope: Scope, agrees: Callable[[Side, Side], bool]
) -> Meaning:
    """Decide the role of an equation if the symbol on the left side is already defined."""
    define = Meaning("define", name, rhs)
    names = free_symbols(rhs)
    value = scope.values[name]
    of_unknown = scope.flow is not None and scope.flow.concerns(value)
    new = prose.chooses(lead) and not any(map(is_constant_name, names))
    if of_unknown and scope.variable in names and not new:
        return _CLAIM  # v = 1/y, then v = 1 + Ce^x: a solution, and no other meaning of v
    if scope.course and free_symbols(value) & scope.solved and scope.variable in names:
        return _CLAIM  # y_p = Ax, then A = 2 and y_p = 2x
    if not value.has(Integral) and not (scope.course and value.has(LimitAt, Series)):
        if name in scope.solved or agrees(Side(Symbol(name), {}), rhs):
            return _CLAIM
        # A second substitution of the variable: u = x + 3, then u = \tan t says what t is.
        second = names and all(map(scope.is_fresh, names)) and not rhs.operations
        inner = implicit(Side(Symbol(name), {}), rhs, scope) if second else None
        return Meaning("define", *inner) if inner and inner[0] != name else define
    if name in scope.chosen:
        return Meaning("settle", name)
    # Whether the integral gets another meaning must not depend on what is right.
    if prose.chooses(lead):
        return define
    if prose.derives(lead):
        return _CLAIM
    lone = isinstance(rhs.expression, Symbol) and rhs.has(Integral, LimitAt, Series)
    redefined = lone and not agrees(Side(Symbol(name), {}), rhs)
    return Meaning("define", name, rhs, tried=True) if redefined else _CLAIM


def _differential(name: str, rhs: Side, scope: Scope, agree: Callable[[], bool]) -> Meaning:
    chosen = name in scope.chosen
    if name == scope.variable or name in scope.symbols or (name in scope.values and not chosen):
        return _CLAIM
    differential_of = {
        symbol: differential
        for symbol, differential in rhs.operations.items()
        if isinstance(differential, Differential)
    }
    if not rhs.operations and free_symbols(rhs) <= {scope.variable}:  # dv = e^x
        antiderivative = Integral(rhs.expression, scope.variable)
        return Meaning("define", name, Side(Symbol("Q_0"), {"Q_0": antiderivative}))
    differentials = linear(rhs.expression, differential_of.keys())[1]
    if len(differentials) != 1 or len(rhs.operations) != 1:
        raise NotReadError("a differential of several variables")
    factor, symbol = differentials[0]
    integral = Integral(factor, differential_of[symbol].variable)
    again = name in scope.values and agree()
    return Meaning("again" if again else "define", name, Side(Symbol(symbol), {symbol: integral}))


def relates_variables(readings: Sequence[Sequence[Side]], scope: Scope) -> bool:
    """Whether an equation relates the problem's variable to a substituted one: x = u - 1."""
    sides = [sides[0] for sides in readings if sides]
    if len(sides) != len(readings) or any(side.operations for side in sides):
        return False
    old, new = {scope.variable}, scope.moving() | scope.introduced
    names = [free_symbols(side) & (old | new) for side in sides]
    return names[0] != names[1] and old in names and bool((names[0] | names[1]) & new)


def implicit(lhs: Side, rhs: Side, scope: Scope) -> tuple[str, Side] | None:
    r"""The symbol defined by an equation such as ``\sin\theta = x``, and the symbol's value.

    The symbol is a new one, as a function of others, or the problem's variable, as a function of a
    new symbol: ``2x + 1 = 3\tan t``. The result is None if the equation defines no symbol.
    """
    if lhs.operations or rhs.operations:
        return None
    sides = (rhs.expression, lhs.expression), (lhs.expression, rhs.expression)
    for node, value in sides:
        names = symbols_of(node)
        if len(names) == 1 and scope.is_fresh(name := min(names)) and name not in symbols_of(value):
            solution = _solution(node, value, name, steps=1)
            if solution is not None:
                return name, Side(solution, {})
    for value, node in sides:
        new = symbols_of(value) - scope.symbols
        if symbols_of(node) <= scope.symbols and len(new) == 1 and scope.is_fresh(min(new)):
            solution = _solution(node, value, scope.variable)
            if solution is not None and scope.variable not in symbols_of(value):
                return scope.variable, Side(solution, {})
    return None


def _solution(
    node: Expression, value: Expression, name: str, steps: int | None = None
) -> Expression | None:
    """Solve ``node = value`` for a symbol that occurs once, by inverse operations.

    Of several solutions the one in the first quadrant is chosen. The result is None if the symbol
    occurs twice, within a function without an inverse, or under more than ``steps`` operations.
    """
    while node != Symbol(name):
        holders = [arg for arg in node.args if name in symbols_of(arg)]
        if len(holders) != 1 or steps == 0:
            return None
        (inner,) = holders
        rest = [arg for arg in node.args if arg is not inner]
        match node.function:
            case "neg":
                value = neg(value)
            case "add":
                value = add(value, *map(neg, rest))
            case "mul":
                value = div(value, mul(*rest))
            case "div":
                value = mul(value, rest[0]) if inner is node.args[0] else div(rest[0], value)
            case "sqrt":
                value = Call("pow", (value, Number(2)))
            case "pow" if isinstance(node.args[1], Number):
                value = Call("root", (value, node.args[1]))
            case function if function in _INVERSES:
                value = Call(_INVERSES[function], (value,))
            case _:
                return None
        node, steps = inner, None if steps is None else steps - 1
    return value


def redefine(latex: str, closed_form: Side, scope: Scope) -> None:
    r"""Redefine a symbol by the last closed form of a chain, as in ``\mu = e^{\int p}``.

    Only two kinds of symbols change: symbols defined by an indefinite integral, and symbols defined
    in terms of unknown letters, as in ``r = a_{n+1}/a_n = 2/3`` without a definition of ``a_n``.

    Args:
        latex: LaTeX of the first link of the chain.
        closed_form: the last side of the chain. A side with operations changes nothing.
        scope: the definitions in force.

    """
    call = CALL.fullmatch(latex)
    name = symbol_name(call["name"] if call and "'" not in latex else latex.strip())
    value = scope.values.get(name)
    if value is None or closed_form.operations:
        return
    by_integral = name not in scope.chosen and any(
        isinstance(operation, Integral) and operation.limits is None
        for operation in value.operations.values()
    )
    if by_integral or free_symbols(value) - scope.names:
        with suppress(NotReadError):
            scope.define(name, closed_form)
