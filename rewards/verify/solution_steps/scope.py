r"""The definitions in force, and equations written out in one variable.

``u = x^2`` makes u a function of x. ``x = \sin\theta`` makes x a function of theta, but only in
equations with theta. ``dv = e^x\,dx`` makes v some antiderivative, until the text states v.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...numeric.ball_arithmetic.compiler import compile_tape
from ...numeric.ball_arithmetic.jets import ZERO as ZERO_BALL
from ...reading.expression.build import ZERO, add, mul
from ...reading.expression.derivative import differentiate
from ...reading.expression.linear import linear
from ...reading.expression.traversal import size, symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.problem import Limit
from .extents import NotReadError
from .sides import Change, Derivative, Differential, Integral, LimitAt, Part, Side, Value

#: Nodes of a tree after its definitions are written out, and rounds of it: a function of u, then u.
MOST_NODES, NESTED = 4000, 2
#: Between which numbers a variable runs.
Range = tuple[float, float]

#: Why an equation of several variables is not judged.
UNRELATED = "nothing relates"
#: Functions of two variables at once, for formulas in any u and v (``\int u\,dv = uv - ..``).
_ANY = (
    Call("add", (Call("sin", (Symbol("t"),)), Number(2))),
    Call("add", (Call("exp", (Call("div", (Symbol("t"), Number(3))),)), Symbol("t"))),
)


@dataclass(frozen=True, slots=True)
class Equation:
    r"""An equation whose two sides are written in terms of one variable.

    Attributes:
        left: the left side.
        right: the right side.
        variable: the common variable of both sides.
        rates: the variables of integration and of differentials as functions of ``variable``.
        narrow: whether sample points must be in the first quadrant, as for ``x = \sin\theta``.
        used: the definitions that were written out.
        free: the free symbols of both sides.
        within: expressions in ``variable``, each with the range of its values at sample points.
        ranges: the ranges of letters.
        problem: the symbols of the problem.

    """

    left: Side
    right: Side
    variable: str
    rates: Mapping[str, Side]
    narrow: bool
    used: frozenset[str]
    free: frozenset[str]
    within: tuple[tuple[Side, Range], ...] = ()
    ranges: Mapping[str, Range] = field(default_factory=dict)
    problem: frozenset[str] = frozenset()


@dataclass
class Scope:
    """The definitions that are in force at a point of the text.

    Attributes:
        variable: the variable of the problem.
        symbols: the variable and the parameters of the problem.
        values: the values of symbols, with earlier definitions written out.
        changed: the problem's variable as a function of another variable.
        variables: the variables of integration.
        functions: names of functions (``F(x)``) with their variables.
        chosen: symbols that are known by their differentials only, such as v after ``dv = ..``.
        solved: unknown constants that an equation determines.
        limits: the limits of integration, if the problem is a definite integral.
        earlier: the previous values of redefined symbols.
        assumed: names such as I that are assumed to stand for the problem's integral.
        ranges: the ranges of variables, from the limits of the problem and from conditions.
        indices: contains ``i`` if the text sums over i, and is empty otherwise.

    """

    variable: str
    symbols: frozenset[str]
    values: dict[str, Side] = field(default_factory=dict)
    changed: dict[str, Side] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    functions: dict[str, str] = field(default_factory=dict)
    chosen: set[str] = field(default_factory=set)
    solved: set[str] = field(default_factory=set)
    limits: tuple[Limit, ...] = ()
    earlier: dict[str, Side] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)
    ranges: dict[str, Range] = field(default_factory=dict)
    indices: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.variables.add(self.variable)

    @property
    def names(self) -> set[str]:
        """The symbols that may occur in a side."""
        own = {*self.values, *self.variables} - self.functions.keys() - {"d", "e", "i"}
        return own | self.symbols | self.indices

    @property
    def introduced(self) -> set[str]:
        """The new variables that substitutions introduce, such as t in ``x = t^2``."""
        return set().union(*(free_symbols(value) for value in self.changed.values()))

    def is_fresh(self, name: str) -> bool:
        """Whether a name is unused, so that the text may define it.

        The name must be new, begin with a small letter, and not be a usual constant of integration.
        """
        is_defined = name in self.values or name in self.symbols or name == self.variable
        is_defined |= name in self.introduced
        return not is_defined and not is_constant_name(name) and name[:1].islower()

    def define(self, name: str, side: Side) -> None:
        """Define a symbol by a side. Symbols in the side are replaced by their definitions."""
        own = self.functions.get(name)  # a function keeps its own variable: F(u) with u = x^2
        values_before, self.values = self.values, {k: v for k, v in self.values.items() if k != own}
        try:
            value = self.written_out(self.evaluated(side), {})
        finally:
            self.values = values_before
        if name in free_symbols(value):
            raise NotReadError("a symbol defined by itself")
        if name == self.variable:
            self.variables |= {symbol for symbol in free_symbols(value) if self.is_fresh(symbol)}
            self.changed = {name: value}
        elif name not in self.symbols:
            self.values[name] = value

    def written_out(self, side: Side, used: dict[str, Side]) -> Side:
        """Replace defined symbols in a side by their values. Add these definitions to ``used``."""
        for _ in range(NESTED):
            definitions = {
                name: self.values[name] for name in free_symbols(side) if name in self.values
            }
            if not definitions:
                break
            used.update(definitions)
            side = substituted(side, definitions)
        return side

    def evaluated(self, side: Side) -> Side:
        """Replace ``[F]_a^b`` in a side by F(b) - F(a), and ``F(2)`` by the value of F at 2."""
        table: dict[str, Side] = {}
        for name, operation in side.parts.items():
            if isinstance(operation, Value):
                value = self.values.get(operation.function)
                if value is None or _movers(value):
                    raise NotReadError("a value of a function that is not known")
                argument = {self.applied[operation.function]: Side(operation.at, {})}
                table[name] = substituted(value, argument)
            elif isinstance(operation, Change):
                table[name] = self._changed(name, operation, side.parts)
        side = _without(side, table)
        limits = {
            name: to_the_end(operation, side.parts)
            for name, operation in side.parts.items()
            if isinstance(operation, LimitAt) and symbols_of(operation.of) & side.parts.keys()
        }
        return _without(side, limits)

    def _changed(self, name: str, change: Change, operations: Mapping[str, Part]) -> Side:
        of = Side(change.of, {})
        if symbols_of(change.of) & operations.keys():
            raise NotReadError("an integral between limits")
        functions = {key: self.values[key] for key in self.functions if key in self.values}
        of = substituted(of, functions)
        if change.variable and change.variable not in symbols_of(of.expression):
            of = self.written_out(of, {})
        running = {change.variable} if change.variable else self._running(of)
        if len(running) > 1:
            of = self.written_out(of, {})
            running = self._running(of)
        if len(running) > 1 or of.parts:
            raise NotReadError("a change of several variables")
        if not running:
            return Side(ZERO, {})
        (variable,) = running
        ends = []
        limits_at_ends: dict[str, Part] = {}
        for at, (limit, inward) in enumerate(zip(change.limits, (1, -1), strict=True)):
            tree = None if isinstance(limit, int) else _replaced(of.expression, {variable: limit})
            if tree is None or not is_finite(tree):
                limits_at_ends[f"{name}_{at}"] = LimitAt(of.expression, variable, limit, inward)
                tree = Symbol(f"{name}_{at}")
            ends.append(tree)
        return Side(Call("add", (ends[1], Call("neg", (ends[0],)))), limits_at_ends)

    def _running(self, side: Side) -> set[str]:
        """The names that may run from a to b in ``[F]_a^b``: variables, or undefined symbols."""
        names = symbols_of(side.expression)
        moving = names & {*self.variables, *self.introduced, *self.moving()}
        return moving or {
            name for name in names - self.symbols - self.values.keys() if not is_constant_name(name)
        }

    def ends(self, name: str) -> list[Expression]:
        """The problem's finite limits of integration, if ``name`` is the problem's variable."""
        finite = [limit for limit in self.limits if not isinstance(limit, int)]
        return finite if name == self.variable else []

    def moving(self) -> set[str]:
        """The symbols whose values depend on a variable."""
        return {name for name, value in self.values.items() if free_symbols(value) & self.variables}

    @property
    def applied(self) -> dict[str, str]:
        """Map each function's name to its variable: u to x after u = x^2."""
        table = dict(self.functions)
        for name, value in self.values.items():
            if name not in table and not value.parts:
                of = free_symbols(value)
                if len(of) == 1 and of <= self.variables:
                    table[name] = next(iter(of))
        return table

    def equation(self, left: Side, right: Side) -> Equation:
        """Write the two sides of an equation in terms of one variable.

        Raises:
            NotReadError: the sides have several variables without a relation.

        """
        moving = _movers(left) | _movers(right)
        unknown = [self.values[name] for name in moving if name in self.values]
        if (
            len(moving - {self.variable}) == len(_ANY)
            and moving == free_symbols(left) | free_symbols(right)
            and any(value.has(Integral) for value in unknown)
        ):
            return self._of_any(left, right, sorted(moving))  # v is known by dv only
        if moving & self.symbols - {self.variable}:
            raise NotReadError("a derivative by a parameter")
        used: dict[str, Side] = {}
        self.variables |= moving
        sides = [
            differentiated(self.written_out(self.evaluated(side), used)) for side in (left, right)
        ]
        names = _movers(sides[0]) | _movers(sides[1])
        rates: dict[str, Side] = {}
        pending = set(names)
        while pending:
            name = pending.pop()
            rates[name] = self.values.get(name, Side(Symbol(name), {}))
            pending |= _movers(rates[name]) - rates.keys()
        free = self._free(sides, rates)
        narrow = False
        for name, value in self.changed.items():
            new_variables = free_symbols(value) & free & self.variables
            if name in free and new_variables:
                table = {name: value}
                sides = [substituted(side, table) for side in sides]
                rates = {symbol: substituted(side, table) for symbol, side in rates.items()}
                free = self._free(sides, rates)
            narrow |= bool(new_variables)
        running = free & self.variables
        if 1 < len(running) <= len(_ANY) and running == names and self.variable not in names:
            return self._of_any(left, right, sorted(running))
        if len(running) > 1:
            raise NotReadError(f"{UNRELATED} {' and '.join(sorted(running))}")
        root = next(iter(running), self.variable)
        narrow |= root in self.introduced
        within = tuple(self._within(root))
        about = frozenset(used), free, within, self.ranges, self.symbols | {self.variable}
        return Equation(sides[0], sides[1], root, rates, narrow, *about)

    def _within(self, root: str) -> Iterator[tuple[Side, Range]]:
        """Yield each expression in ``root`` that must lie in a range, with the range."""
        for name, between in self.ranges.items():
            value = self.changed.get(name) if name != root else Side(Symbol(name), {})
            if value is not None and root in free_symbols(value):
                yield value, between

    @staticmethod
    def _free(sides: list[Side], rates: Mapping[str, Side]) -> frozenset[str]:
        """The free symbols of both sides that are not functions of the common variable."""
        every = frozenset().union(*map(free_symbols, (*sides, *rates.values())))
        own = {name for name, value in rates.items() if value.expression != Symbol(name)}
        return every - own

    def _of_any(self, left: Side, right: Side, names: list[str]) -> Equation:
        """Write an equation about any two functions u and v for two fixed functions instead."""
        table = {name: Side(value, {}) for name, value in zip(names, _ANY, strict=False)}
        sides = [substituted(side, table) for side in (left, right)]
        return Equation(
            sides[0], sides[1], "t", table, False, frozenset(), self._free(sides, table)
        )


def is_constant_name(name: str) -> bool:
    """Whether a name is customary for a constant of integration."""
    return name.partition("_")[0] in ("C", "c", "K", "k", "constant", "tilde C", "hat C", "bar C")


def substituted(side: Side, table: Mapping[str, Side]) -> Side:
    """Replace symbols of a side, all at once. The bound variables of integrals are not replaced."""
    if not table:
        return side
    trees = {name: value.expression for name, value in table.items()}
    operations: dict[str, Part] = {}
    for name, operation in side.parts.items():
        if isinstance(operation, Integral):
            bound = operation.limits is not None
            inner = {
                key: tree for key, tree in trees.items() if not bound or key != operation.variable
            }
            limits = operation.limits and (
                _limit_replaced(operation.limits[0], trees),
                _limit_replaced(operation.limits[1], trees),
            )
            integrand = _replaced(operation.integrand, inner)
            operations[name] = replace(operation, integrand=integrand, limits=limits)
        elif isinstance(operation, LimitAt):
            inner = {symbol: tree for symbol, tree in trees.items() if symbol != operation.variable}
            operations[name] = replace(operation, of=_replaced(operation.of, inner))
        elif isinstance(operation, Derivative):
            operations[name] = replace(operation, of=_replaced(operation.of, trees))
        else:
            operations[name] = operation
    for name in free_symbols(side) & table.keys():
        operations.update(table[name].parts)
    return Side(_replaced(side.expression, trees), operations)


def _limit_replaced(limit: Limit, table: Mapping[str, Expression]) -> Limit:
    return limit if isinstance(limit, int) else _replaced(limit, table)


def _without(side: Side, table: Mapping[str, Side]) -> Side:
    """Replace some parts of a side (integrals, derivatives, ..) by sides."""
    if not table:
        return side
    remaining = {name: operation for name, operation in side.parts.items() if name not in table}
    return substituted(Side(side.expression, remaining), table)


def free_symbols(side: Side) -> set[str]:
    """The free symbols of a side, also within its integrals and other parts."""
    if not side.parts:
        return symbols_of(side.expression)

    def free(tree: Expression) -> set[str]:
        names: set[str] = set()
        for name in symbols_of(tree):
            operation = side.parts.get(name)
            names |= {name} if operation is None else of_part(operation)
        return names

    def of_part(operation: Part) -> set[str]:
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
            case Change(of):
                return free(of)

    def of_end(limit: Limit) -> set[str]:
        return set() if isinstance(limit, int) else free(limit)

    return free(side.expression)


def to_the_end(limit: LimitAt, operations: Mapping[str, Part]) -> Side:
    """Replace a limit of integrals by improper integrals.

    As b tends to infinity, the limit of the integral from 1 to b becomes the integral from 1 to
    infinity. If the integrals converge, the limit of a sum is the sum of the limits.
    """
    integrals = symbols_of(limit.of) & operations.keys()
    summand, terms = linear(limit.of, integrals)
    moved: dict[str, Part] = {}
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
    """Write out the derivatives of definite integrals in a side by Leibniz's rule."""
    table: dict[str, Side] = {}
    done: set[str] = set()
    for name, operation in side.parts.items():
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
        derivatives: dict[str, Part] = {f"{name}_rest": replace(operation, of=summand)}
        slopes = [
            mul(factor, _slope(side, symbol, operation.variable, derivatives))
            for factor, symbol in terms
        ]
        table[name] = Side(add(Symbol(f"{name}_rest"), *slopes), derivatives)
        done |= integrals - symbols_of(side.expression)
    remaining = {name: operation for name, operation in side.parts.items() if name not in done}
    return _without(Side(side.expression, remaining), table)


def _varies(side: Side, name: str, variable: str) -> bool:
    """Whether a symbol stands for a definite integral whose value depends on ``variable``."""
    operation = side.parts.get(name)
    definite = isinstance(operation, Integral) and operation.limits is not None
    return definite and variable in free_symbols(Side(Symbol(name), side.parts))


def _slope(side: Side, name: str, variable: str, derivatives: dict[str, Part]) -> Expression:
    """Differentiate an integral by Leibniz's rule. New integrals are added to ``derivatives``."""
    integral = side.parts[name]
    if not isinstance(integral, Integral) or symbols_of(integral.integrand) & side.parts.keys():
        raise NotReadError("the derivative of a nested integral")
    try:
        under = differentiate(integral.integrand, variable)
        total: list[Expression] = []
        for limit, sign in zip(integral.limits or (), (-1, 1), strict=False):
            if not isinstance(limit, int) and variable in symbols_of(limit):
                boundary_value = _replaced(integral.integrand, {integral.variable: limit})
                total.append(mul(Number(sign), boundary_value, differentiate(limit, variable)))
    except ValueError:
        raise NotReadError("a derivative without a rule") from None
    if under != ZERO:
        derivatives[f"{name}_slope"] = replace(integral, integrand=under)
        total.append(Symbol(f"{name}_slope"))
    return add(*total)


def is_finite(tree: Expression) -> bool:
    """Whether an expression has a finite value. An expression with symbols counts as finite."""
    if symbols_of(tree):
        return True
    tape = compile_tape(tree, "")
    return bool(tape.run(ZERO_BALL, {}, derivative=False)[tape.root][0].is_finite())


def _movers(side: Side) -> set[str]:
    """The variables of indefinite integrals, derivatives and differentials in a side."""
    return {
        operation.variable
        for operation in side.parts.values()
        if isinstance(operation, Differential | Derivative)
        or (isinstance(operation, Integral) and operation.limits is None)
    }


def _replaced(node: Expression, table: Mapping[str, Expression]) -> Expression:
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
