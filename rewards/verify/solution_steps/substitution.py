"""Replace symbols of a side by sides. Apply Leibniz's rule and the rules of limits to a side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...numeric.ball_arithmetic.evaluation import evaluate
from ...reading.expression.build import ZERO, add, mul
from ...reading.expression.derivative import differentiate
from ...reading.expression.linear import linear
from ...reading.expression.traversal import size, symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.problem import Limit
from .extents import NotReadError
from .operations import (
    Change,
    Derivative,
    Differential,
    Integral,
    LimitAt,
    Operation,
    Series,
    Side,
    Value,
)

#: Nodes of a tree after its definitions are written out, and of a derivative. The largest trees of
#: 799 solutions have 166, and no claim changes with 200; 4000 are a fiftieth of `work.SLOTS`.
MOST_NODES, LARGEST_DERIVATIVE = 4000, 1500


def substituted(side: Side, table: Mapping[str, Side]) -> Side:
    """Replace symbols of a side simultaneously, except the bound variables of integrals."""
    if not table:
        return side
    # The variable of a definite integral, a limit or a sum is bound, and must not be replaced.
    trees = {name: value.expression for name, value in table.items()}
    operations: dict[str, Operation] = {}
    for name, operation in side.operations.items():
        if isinstance(operation, Integral):
            bound = operation.limits is not None
            inner = {
                key: tree for key, tree in trees.items() if not bound or key != operation.variable
            }
            limits = operation.limits and (
                _limit_replaced(operation.limits[0], trees),
                _limit_replaced(operation.limits[1], trees),
            )
            integrand = replaced(operation.integrand, inner)
            operations[name] = replace(operation, integrand=integrand, limits=limits)
        elif isinstance(operation, LimitAt):
            inner = {symbol: tree for symbol, tree in trees.items() if symbol != operation.variable}
            operations[name] = replace(operation, of=replaced(operation.of, inner))
        elif isinstance(operation, Series):
            inner = {symbol: tree for symbol, tree in trees.items() if symbol != operation.index}
            operations[name] = replace(operation, term=replaced(operation.term, inner))
        elif isinstance(operation, Value):
            operations[name] = replace(operation, at=replaced(operation.at, trees))
        elif isinstance(operation, Derivative):
            operations[name] = replace(operation, of=replaced(operation.of, trees))
        else:
            operations[name] = operation
    # The inserted sides bring operations of their own.
    for name in free_symbols(side) & table.keys():
        operations.update(table[name].operations)
    return Side(replaced(side.expression, trees), operations)


def _limit_replaced(limit: Limit, table: Mapping[str, Expression]) -> Limit:
    return limit if isinstance(limit, int) else replaced(limit, table)


def without(side: Side, table: Mapping[str, Side]) -> Side:
    """Replace operations of a side by other sides. ``table`` has the other sides, by symbol."""
    if not table:
        return side
    remaining = {
        name: operation for name, operation in side.operations.items() if name not in table
    }
    return substituted(Side(side.expression, remaining), table)


def with_own_operations(side: Side, name: str) -> Side:
    """Rename the operations of a side, so that several values, as of W_n, do not collide."""
    table = {key: Side(Symbol(f"{key}_{name}"), {}) for key in side.operations}
    renamed = substituted(side, table)
    operations = {f"{key}_{name}": operation for key, operation in renamed.operations.items()}
    return Side(renamed.expression, operations)


def free_symbols(side: Side) -> set[str]:
    """The free symbols of a side."""
    if not side.operations:
        return symbols_of(side.expression)

    def free(tree: Expression) -> set[str]:
        names: set[str] = set()
        for name in symbols_of(tree):
            operation = side.operations.get(name)
            names |= {name} if operation is None else of_operation(operation)
        return names

    def of_operation(operation: Operation) -> set[str]:
        match operation:
            case Integral(integrand, variable, None):
                return free(integrand) | {variable}
            case Integral(integrand, variable, limits):
                return (free(integrand) - {variable}).union(*map(of_end, limits or ()))
            case LimitAt(of, variable, point):
                return (free(of) - {variable}) | of_end(point)
            case Differential(variable):
                return {variable}
            case Derivative(of, variable):
                return free(of) | {variable}
            case Value(function, at):
                return {function} | free(at)
            case Series(term, index):
                return free(term) - {index}
            case Change(of):
                return free(of)

    def of_end(limit: Limit) -> set[str]:
        return set() if isinstance(limit, int) else free(limit)

    return free(side.expression)


def to_the_end(limit: LimitAt, operations: Mapping[str, Operation]) -> Side:
    """Replace a limit of integrals by improper integrals.

    As b tends to infinity, the limit of the integral from 1 to b becomes the integral from 1 to
    infinity. If the integrals converge, the limit of a sum is the sum of the limits.
    """
    integrals = symbols_of(limit.of) & operations.keys()
    summand, terms = linear(limit.of, integrals)
    moved: dict[str, Operation] = {}
    for name in integrals:
        integral = operations[name]
        if not isinstance(integral, Integral) or integral.limits is None:
            raise NotReadError("a limit of an indefinite integral")
        if limit.variable in symbols_of(integral.integrand):
            raise NotReadError("a limit of an integral whose integrand varies")
        lower, upper = (
            limit.point if end == Symbol(limit.variable) else end for end in integral.limits
        )
        moved[name] = replace(integral, limits=(lower, upper))
    if any(limit.variable in symbols_of(factor) for factor, _ in terms):
        raise NotReadError("a limit of an integral and a factor")
    if limit.variable in symbols_of(summand):
        name = f"{min(integrals)}_rest"
        moved[name], summand = replace(limit, of=summand), Symbol(name)
    return Side(add(summand, *(mul(factor, Symbol(name)) for factor, name in terms)), moved)


def differentiated(side: Side) -> Side:
    """Compute the derivatives of definite integrals in a side by Leibniz's rule."""
    table: dict[str, Side] = {}
    done: set[str] = set()
    for name, operation in side.operations.items():
        if not isinstance(operation, Derivative):
            continue
        integrals = {
            key for key in symbols_of(operation.of) if _varies(side, key, operation.variable)
        }
        if not integrals:
            continue
        summand, terms = linear(operation.of, integrals)
        if any(operation.variable in symbols_of(factor) for factor, _ in terms):
            raise NotReadError("the derivative of a product with an integral")
        derivatives: dict[str, Operation] = {f"{name}_rest": replace(operation, of=summand)}
        slopes = [
            mul(factor, _slope(side, symbol, operation.variable, derivatives))
            for factor, symbol in terms
        ]
        table[name] = Side(add(Symbol(f"{name}_rest"), *slopes), derivatives)
        done |= integrals - symbols_of(side.expression)
    remaining = {name: operation for name, operation in side.operations.items() if name not in done}
    return without(Side(side.expression, remaining), table)


def differentiated_often(side: Side, variable: str, order: int) -> Side:
    """The derivative of a formula by ``variable``. ``order`` is the order of the derivative."""
    if not order:
        return side
    if side.operations:
        name = f"slope_{'_'.join(sorted(side.operations))}"
        slope = differentiated(
            Side(Symbol(name), {**side.operations, name: Derivative(side.expression, variable)})
        )
        rests = {
            key: differentiated_often(Side(operation.of, {}), variable, 1)
            for key, operation in slope.operations.items()
            if isinstance(operation, Derivative)
            and not symbols_of(operation.of) & slope.operations.keys()
        }
        slope = without(slope, rests)
        if order > 1 or slope.has(Derivative):
            raise NotReadError("a derivative at a place")
        return slope
    tree = side.expression
    for _ in range(order):
        tree = slope_of(tree, variable)
        if size(tree) > LARGEST_DERIVATIVE:
            raise NotReadError("a derivative that grows too large")
    return Side(tree, {})


def slope_of(tree: Expression, variable: str) -> Expression:
    """The derivative of a tree. A function without a rule raises `NotReadError`."""
    try:
        return differentiate(tree, variable)
    except ValueError:
        raise NotReadError("a derivative without a rule") from None


def _varies(side: Side, name: str, variable: str) -> bool:
    """Whether the symbol ``name`` stands for a definite integral dependent on ``variable``."""
    operation = side.operations.get(name)
    definite = isinstance(operation, Integral) and operation.limits is not None
    return definite and variable in free_symbols(Side(Symbol(name), side.operations))


def _slope(side: Side, name: str, variable: str, derivatives: dict[str, Operation]) -> Expression:
    """An integral's derivative by Leibniz's rule. New integrals are added to ``derivatives``."""
    integral = side.operations[name]
    if (
        not isinstance(integral, Integral)
        or symbols_of(integral.integrand) & side.operations.keys()
    ):
        raise NotReadError("the derivative of a nested integral")
    under = slope_of(integral.integrand, variable)
    total: list[Expression] = []
    for limit, sign in zip(integral.limits or (), (-1, 1), strict=False):
        if not isinstance(limit, int) and variable in symbols_of(limit):
            boundary_value = replaced(integral.integrand, {integral.variable: limit})
            total.append(mul(Number(sign), boundary_value, slope_of(limit, variable)))
    if under != ZERO:
        derivatives[f"{name}_slope"] = replace(integral, integrand=under)
        total.append(Symbol(f"{name}_slope"))
    return add(*total)


def is_finite(tree: Expression) -> bool:
    """Whether a tree has a finite value. A tree with symbols counts as finite."""
    if symbols_of(tree):
        return True
    return bool(evaluate(tree).is_finite())


def movers(side: Side) -> set[str]:
    """The variables of indefinite integrals, derivatives and differentials in a side."""
    return {
        operation.variable
        for operation in side.operations.values()
        if isinstance(operation, Differential)
        or (isinstance(operation, Derivative) and not operation.partial)
        or (isinstance(operation, Integral) and operation.limits is None)
    }


def replaced(node: Expression, table: Mapping[str, Expression]) -> Expression:
    if not table or symbols_of(node).isdisjoint(table):
        return node
    node_count = 0
    sizes = {name: size(tree) for name, tree in table.items()}

    def walk(node: Expression) -> Expression:
        nonlocal node_count
        if isinstance(node, Symbol):
            node_count += sizes.get(node.name, 1)
            if node_count > MOST_NODES:
                raise NotReadError("definitions that grow too large")
            return table.get(node.name, node)
        node_count += 1
        if isinstance(node, Call) and node.args:
            return Call(node.function, tuple(map(walk, node.args)))
        return node

    return walk(node)


def definite_operations(side: Side) -> dict[str, LimitAt | Integral | Series]:
    """The definite integrals, the limits and the infinite sums of a side, by symbol."""
    return {
        name: operation
        for name, operation in side.operations.items()
        if isinstance(operation, LimitAt | Series)
        or (isinstance(operation, Integral) and operation.limits)
    }
