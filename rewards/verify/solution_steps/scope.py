r"""The definitions in force, and equations written out in one variable.

``u = x^2`` makes u a function of x. ``x = \sin\theta`` makes x a function of theta, but only in
equations with theta. ``dv = e^x\,dx`` makes v some antiderivative, until the text states v.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ...reading.expression.build import ZERO, div
from ...reading.expression.traversal import symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.problem import Limit
from .extents import NotReadError
from .operations import Change, Derivative, Integral, LimitAt, Operation, Side, Value
from .substitution import (
    differentiated,
    differentiated_often,
    free_symbols,
    is_finite,
    movers,
    replaced,
    slope_of,
    substituted,
    to_the_end,
    with_own_operations,
    without,
)

#: Rounds in which definitions are written out: a function of u, then u. With one round six of 799
#: solutions are judged otherwise, with four none (`tests/mutation/constants.py`).
NESTED = 2
#: Between which numbers a variable runs.
Range = tuple[float, float]

#: Letters of whole numbers, as in ``a_n``.
COUNTED = frozenset("jkmnKMN")
#: Letters of functions, which are no constants where nothing defines them.
FUNCTION_LETTERS = frozenset("fghuvwyzFGHPQ")
#: Why an equation of several variables is not judged.
UNRELATED = "nothing relates"
#: Functions of two variables at once, for formulas in any u and v (``\int u\,dv = uv - ..``).
_ANY = (
    Call("add", (Call("sin", (Symbol("t"),)), Number(2))),
    Call("add", (Call("exp", (Call("div", (Symbol("t"), Number(3))),)), Symbol("t"))),
)


class Unknowns(Protocol):
    """The functions that only an equation of the problem defines (`judging.course.flows.Flow`)."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the unknown functions."""

    @property
    def is_of_differential_equation(self) -> bool:
        """Whether a differential equation, not a curve, defines the unknown functions."""

    def concerns(self, *sides: Side) -> bool:
        """Whether a side has one of the unknown functions."""

    def state(self, name: str, formula: Side) -> None:
        """Record the formula that the text states for a function, perhaps as a trial solution."""

    def specialise(self) -> None:
        """Record a value of a constant in the text, which then means a particular solution."""


@dataclass(frozen=True, slots=True)
class Equation:
    r"""An equation with both sides written in terms of a common variable.

    Attributes:
        lhs: the left side.
        rhs: the right side.
        variable: the common variable of both sides.
        rates: the variables of integrals and differentials, each as a function of ``variable``.
        narrow: whether sample points must be in the first quadrant, as for ``x = \sin\theta``.
        used: the names of the symbols replaced by definitions.
        free: the free symbols of both sides.
        within: expressions in ``variable``, each with the range of values at sample points.
        ranges: the ranges of letters.
        problem: the symbols of the problem.
        has_integer_variable: whether the common variable takes whole numbers only.

    """

    lhs: Side
    rhs: Side
    variable: str
    rates: Mapping[str, Side]
    narrow: bool
    used: frozenset[str]
    free: frozenset[str]
    within: tuple[tuple[Side, Range], ...] = ()
    ranges: Mapping[str, Range] = field(default_factory=dict)
    problem: frozenset[str] = frozenset()
    has_integer_variable: bool = False


@dataclass
class Scope:
    """The definitions that are in force at a place in the text.

    Attributes:
        variable: the variable of the problem.
        symbols: the variable and the parameters of the problem.
        values: the values of symbols. Earlier definitions are inserted into the values.
        changed: the problem's variable as a function of another variable.
        variables: the variables of integration.
        functions: names of functions (``F(x)``) with variables.
        chosen: symbols known by differentials only, such as v after ``dv = ..``.
        solved: unknown constants determined by an equation.
        limits: the limits of integration, if the problem is a definite integral.
        earlier: the previous values of redefined symbols.
        assumed: names for the problem's integral by assumption, such as I.
        ranges: the ranges of variables, from the limits of the problem and from conditions.
        indices: contains ``i`` if the text sums over i, and is empty otherwise.
        letters: contains ``gamma`` if gamma is a letter in the text, not Euler's constant.
        vanishing: the letters set to zero in the text.
        integer_variables: the variables with integer values, such as the index of a sum.
        flow: the functions defined by an equation of the problem, such as y in y' = 2xy.
        course: the kind of the question, such as ``limit``. Empty for an integral.

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
    letters: frozenset[str] = frozenset()
    vanishing: frozenset[str] = frozenset()
    integer_variables: frozenset[str] = frozenset()
    flow: Unknowns | None = None
    course: str = ""

    def __post_init__(self) -> None:
        self.variables.add(self.variable)

    @property
    def names(self) -> set[str]:
        """The symbols that may occur in an equation."""
        defined_names = {*self.values, *self.variables} - self.functions.keys() - {"d", "e", "i"}
        return defined_names | self.symbols | self.indices | self.letters

    @property
    def introduced(self) -> set[str]:
        """The new variables that substitutions introduce, such as t in ``x = t^2``."""
        return set().union(*(free_symbols(value) for value in self.changed.values()))

    def is_fresh(self, name: str) -> bool:
        """Whether a name is unused and free for a definition.

        The name must be new, begin with a small letter, and not be a usual constant of integration.
        """
        is_defined = name in self.values or name in self.symbols or name == self.variable
        is_defined |= name in self.introduced
        return not is_defined and not is_constant_name(name) and name[:1].islower()

    def define(self, name: str, side: Side) -> None:
        """Define a symbol by a side. Symbols in the side are replaced by definitions."""
        argument = self.functions.get(name)  # a function keeps its own variable: F(u) with u = x^2
        values_before, self.values = (
            self.values,
            {k: v for k, v in self.values.items() if k != argument},
        )
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
        """Replace defined symbols in a side by values. Add the definitions to ``used``."""
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
        for name, operation in side.operations.items():
            if isinstance(operation, Value):
                value = self.values.get(operation.function)
                argument = self.applied[operation.function]
                if value is None or argument in movers(value):
                    raise NotReadError("a value of a function that is not known")
                slope = differentiated_often(value, argument, operation.order)
                value = substituted(slope, {argument: Side(operation.at, {})})
                table[name] = with_own_operations(value, name)
            elif isinstance(operation, Change):
                table[name] = self._changed(name, operation, side.operations)
        for name, operation in side.operations.items():
            if isinstance(operation, Derivative) and operation.partial:
                table[name] = self._partial(operation, table)
        side = without(side, table)
        limits = {
            name: to_the_end(operation, side.operations)
            for name, operation in side.operations.items()
            if isinstance(operation, LimitAt) and symbols_of(operation.of) & side.operations.keys()
        }
        return without(side, limits)

    def _partial(self, derivative: Derivative, inner_values: Mapping[str, Side]) -> Side:
        """The value of a partial derivative. ``inner_values`` has values of inner operations."""
        trees = {name: side.expression for name, side in inner_values.items()}
        of = self.written_out(Side(replaced(derivative.of, trees), {}), {})
        if isinstance(of.expression, Symbol) and of.expression.name != derivative.variable:
            raise NotReadError("a partial derivative of what nothing defines")
        return differentiated_often(of, derivative.variable, 1)

    def _changed(self, name: str, change: Change, operations: Mapping[str, Operation]) -> Side:
        of = Side(change.of, {})
        if symbols_of(change.of) & operations.keys():
            raise NotReadError("an integral between limits")
        functions = {key: self.values[key] for key in self.functions if key in self.values}
        of = substituted(of, functions)
        if change.variable and change.variable not in symbols_of(of.expression):
            of = self.written_out(of, {})
        # Find the variable that runs from a to b: named by the limits, or the only variable of F.
        running = {change.variable} if change.variable else self._running(of)
        if len(running) > 1:
            of = self.written_out(of, {})
            running = self._running(of)
        if len(running) > 1 or of.operations:
            raise NotReadError("a change of several variables")
        if not running:
            return Side(ZERO, {})
        (variable,) = running
        # F may have no value at an end, as at infinity. A limit then replaces the value.
        ends = []
        limits_at_ends: dict[str, Operation] = {}
        for at, (limit, inward) in enumerate(zip(change.limits, (1, -1), strict=True)):
            tree = None if isinstance(limit, int) else replaced(of.expression, {variable: limit})
            if tree is None or not is_finite(tree):
                limits_at_ends[f"{name}_{at}"] = LimitAt(of.expression, variable, limit, inward)
                tree = Symbol(f"{name}_{at}")
            ends.append(tree)
        return Side(Call("add", (ends[1], Call("neg", (ends[0],)))), limits_at_ends)

    def _running(self, side: Side) -> set[str]:
        """The symbols that may run from a to b in ``[F]_a^b``: variables, or undefined symbols."""
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
        """The defined symbols whose values depend on a variable of integration."""
        return {name for name, value in self.values.items() if free_symbols(value) & self.variables}

    @property
    def applied(self) -> dict[str, str]:
        """Map the name of each function to the variable: u to x after u = x^2."""
        table = dict(self.functions)
        table |= dict.fromkeys(self.flow.functions, self.variable) if self.flow else {}
        for name, value in self.values.items():
            if self.flow is not None and name not in table and self.flow.concerns(value):
                table[name] = self.variable  # p = y'
            if name in table:
                continue
            of = free_symbols(value)
            index = name.partition("_")[2]
            if index in of and index in COUNTED:
                table[name] = index  # a_n = x^n is a function of n
            elif not value.operations and len(of) == 1 and of <= self.variables:
                table[name] = next(iter(of))
        return table

    def equation(self, lhs: Side, rhs: Side) -> Equation:
        """Write the two sides of an equation in terms of a common variable.

        Raises:
            NotReadError: the sides have several variables without a relation.

        """
        moving = movers(lhs) | movers(rhs)
        unknown = [self.values[name] for name in moving if name in self.values]
        if (
            len(moving - {self.variable}) == len(_ANY)
            and moving == free_symbols(lhs) | free_symbols(rhs)
            and any(value.has(Integral) for value in unknown)
        ):
            return self._of_any(lhs, rhs, sorted(moving))  # v is known by dv only
        if moving & self.symbols - {self.variable}:
            raise NotReadError("a derivative by a parameter")
        used: dict[str, Side] = {}
        self.variables |= moving
        sides = [
            # Leibniz's rule also before: by u, which is written out as a function of x later.
            self._flat(differentiated(self.written_out(differentiated(self.evaluated(side)), used)))
            for side in (lhs, rhs)
        ]
        names = movers(sides[0]) | movers(sides[1])
        rates: dict[str, Side] = {}
        pending = set(names)
        while pending:
            name = pending.pop()
            rates[name] = self.values.get(name, Side(Symbol(name), {}))
            pending |= movers(rates[name]) - rates.keys()
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
            return self._of_any(lhs, rhs, sorted(running))
        if len(running) > 1:
            raise NotReadError(f"{UNRELATED} {' and '.join(sorted(running))}")
        root = next(iter(running), self.variable)
        narrow |= root in self.introduced
        within = tuple(self._within(root))
        about = frozenset(used), free, within, self.ranges, self.symbols | {self.variable}
        has_integer_variable = root in self.integer_variables and len(rates) <= 1
        return Equation(
            sides[0],
            sides[1],
            root,
            rates,
            narrow,
            *about,
            has_integer_variable=has_integer_variable,
        )

    def _flat(self, side: Side) -> Side:
        """Compute the derivatives of derivatives in a side by the rules of differentiation."""
        done: dict[str, Side] = {}

        def tree_of(node: Expression) -> Expression:
            table = {}
            for name in symbols_of(node) & side.operations.keys():
                operation = side.operations[name]
                if not isinstance(operation, Derivative):
                    raise NotReadError("the derivative of an integral or a limit")
                table[name] = self.slope(tree_of(operation.of), operation.variable)
            return replaced(node, table)

        slopes = {
            name for name, operation in side.operations.items() if isinstance(operation, Derivative)
        }
        for name in slopes:
            operation = side.operations[name]
            if isinstance(operation, Derivative) and symbols_of(operation.of) & slopes:
                done[name] = Side(tree_of(Symbol(name)), {})
        side = without(side, done)
        used = {name for tree in self._trees(side) for name in symbols_of(tree)}
        operations = {
            name: operation
            for name, operation in side.operations.items()
            if not done or name in used
        }
        return Side(side.expression, operations)

    @staticmethod
    def _trees(side: Side) -> Iterator[Expression]:
        yield side.expression
        for operation in side.operations.values():
            if isinstance(operation, Integral):
                yield operation.integrand
            elif isinstance(operation, LimitAt | Derivative):
                yield operation.of

    def slope(self, tree: Expression, by: str) -> Expression:
        """The derivative of a tree by a variable, or by a function u of the variable.

        The definitions must have been inserted into the tree.
        """
        value = self.values.get(by, Side(Symbol(by), {}))
        roots = symbols_of(value.expression) & self.variables or {by}
        if value.operations or len(roots) > 1 or symbols_of(tree) & self.variables - roots:
            raise NotReadError("a derivative by several variables")
        (root,) = roots
        if (symbols_of(tree) - self.names - {root}) & FUNCTION_LETTERS:
            raise NotReadError("the derivative of what nothing defines")
        slope = slope_of(tree, root)
        return slope if by == root else div(slope, slope_of(value.expression, root))

    def _within(self, root: str) -> Iterator[tuple[Side, Range]]:
        """Yield expressions in the symbol ``root``, each with a required range."""
        for name, between in self.ranges.items():
            value = self.changed.get(name) if name != root else Side(Symbol(name), {})
            if value is not None and root in free_symbols(value):
                yield value, between

    @staticmethod
    def _free(sides: list[Side], rates: Mapping[str, Side]) -> frozenset[str]:
        """The free symbols of both sides, except functions of the common variable."""
        all_symbols = frozenset().union(*map(free_symbols, (*sides, *rates.values())))
        dependent_variables = {
            name for name, value in rates.items() if value.expression != Symbol(name)
        }
        return all_symbols - dependent_variables

    def _of_any(self, lhs: Side, rhs: Side, names: list[str]) -> Equation:
        """Replace arbitrary functions u and v in an equation by two fixed functions."""
        table = {name: Side(value, {}) for name, value in zip(names, _ANY, strict=False)}
        sides = [substituted(side, table) for side in (lhs, rhs)]
        return Equation(
            sides[0], sides[1], "t", table, False, frozenset(), self._free(sides, table)
        )


def is_constant_name(name: str) -> bool:
    """Whether a name is customary for a constant of integration."""
    return name.partition("_")[0] in ("C", "c", "K", "k", "constant", "tilde C", "hat C", "bar C")
