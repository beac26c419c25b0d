"""Questions to computer algebra systems, as trees.

A question is a formula with calls of `OPERATIONS` for the system: an integral, a limit, a
derivative, a solution of differential equations. Each system spells its operations
(`Dialect.operations` of programs, `sympy_operations` for SymPy); other operations have no answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ....rewards.numeric.quadrature import prepare_definite
from ....rewards.proof.limit_questions import limit_readings
from ....rewards.reading.expression.build import ZERO, add, mul
from ....rewards.reading.expression.infix import LIST, NotationError
from ....rewards.reading.expression.traversal import nodes_of, substitute, symbols_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ....rewards.reading.latex import read
from ....rewards.reading.problem.derivative import read_derivative
from ....rewards.reading.problem.derivatives import DERIVATIVE, VALUE_AT
from ....rewards.reading.problem.differential_equation import (
    DifferentialEquation,
    read_differential_equation,
)
from ....rewards.reading.problem.integral import Limit
from ....rewards.reading.problem.power_series import asks_of_series, read_series
from ....rewards.reading.problem.sums import read_sum

#: Operations and their arguments; f is a formula, x its variable. The equations of a differential
#: equation are ``equation``, their functions ``unknown`` and the functions' derivatives ``slope``.
OPERATIONS: Final[Mapping[str, str]] = {
    "integral": "f x",
    "definite_integral": "f x lower upper",
    "principal_value": "f x lower upper",
    "limit": "f x point",
    "limit_right": "f x point",
    "limit_left": "f x point",
    "sum": "f x lower upper",
    "infinite_sum": "f x lower upper factor addend",
    "sum_over_integers": "f x lower upper",
    "polynomial": "f x centre degree",
    "coefficient": "f x centre degree",
    DERIVATIVE: "f x",
    VALUE_AT: "f x value",
    "ode_1": "equation y x",
    "ode_2": "equation y x",
    "ode": "equation y x",
    "ode_initial_1": "equation y x point values value",
    "ode_initial_2": "equation y x point values value slope",
    "ode_initial": "equation y x point values value...",
    "ode_boundary": "equation y x point value point value",
    "ode_system": "equations functions x",
    "ode_system_initial": "equations functions x point values",
    "ode_laplace": "equations functions x values",
    "equation": "left right",
    "unknown": "y x",
    "slope": "y x order",
    "plus_infinity": "",
    "minus_infinity": "",
}
#: The answer to a divergent integral or sum, and to a limit that does not exist.
DIVERGES: Final = r"\text{diverges}"
NO_LIMIT: Final = r"\text{does not exist}"
#: Letters for constants of integration, of which the first without a use in the question is taken.
_CONSTANTS: Final = "CKAB"


@dataclass(frozen=True)
class SolverQuestion:
    """A question to a system.

    Attributes:
        tree: The formula with operations.
        variable: The variable of the operations.
        domains: The domain of each symbol, by the name of SymPy's assumption (``positive``).
        undefined: The answer for a non-existing value; empty without such an answer.
        functions: The unknown functions of differential equations.
        constant: The letter of the constants of integration.
        alternatives: Further operations for the same value, for systems without the first.

    """

    tree: Expression
    variable: str
    domains: Mapping[str, str]
    undefined: str = ""
    functions: tuple[str, ...] = ()
    constant: str = ""
    alternatives: tuple[Expression, ...] = ()

    @classmethod
    def of(
        cls, task: str, text: str, variable: str | None, assumptions: Mapping[str, str]
    ) -> SolverQuestion:
        """Read a problem.

        Args:
            task: The task of the problem.
            text: The judged text.
            variable: The variable of an antiderivative; else None.
            assumptions: assumptions on parameters, positive by default.

        Raises:
            ReadError: The integrand cannot be read.
            ProblemError: Another problem cannot be read.
            NotationError: Systems have no operation for the question.

        """
        if task == "integration" and variable is not None:
            tree = read(text, symbols=[variable])[0].expression
            return _question("integral", (tree, Symbol(variable)), assumptions)
        return _READERS[task](text, assumptions)

    @property
    def names(self) -> dict[str, str]:
        """Names for the symbols without meaning in any system."""
        trees = (self.tree, *self.alternatives)
        parameters = sorted(set().union(*map(symbols_of, trees)) - {self.variable})
        return {self.variable: "x"} | {name: f"p{at}" for at, name in enumerate(parameters, 1)}

    @property
    def is_principal_value(self) -> bool:
        """Cauchy's principal value is asked for."""
        return isinstance(self.tree, Call) and self.tree.function == "principal_value"

    def spelled_with(self, operations: Collection[str]) -> Expression:
        """The question in the first way whose operations a system has.

        Raises:
            NotationError: The system lacks an operation of each.

        """
        lacking = ""
        for tree in (self.tree, *self.alternatives):
            used = {node.function for node in nodes_of(tree) if isinstance(node, Call)}
            missing = used & OPERATIONS.keys() - {*operations}
            if not missing:
                return tree
            lacking = lacking or min(missing)
        raise NotationError(f"no operation {lacking!r}")


def _question(
    operation: str,
    arguments: Sequence[Expression],
    assumptions: Mapping[str, str],
    domain: str = "",
    undefined: str = "",
) -> SolverQuestion:
    """The question of a single operation, with the variable as the second argument."""
    return _of_tree(Call(operation, tuple(arguments)), arguments[1], assumptions, domain, undefined)


def _of_tree(
    tree: Expression,
    variable: Expression,
    assumptions: Mapping[str, str],
    domain: str = "",
    undefined: str = "",
) -> SolverQuestion:
    name = str(variable.name) if isinstance(variable, Symbol) else ""
    domains = {symbol: assumptions.get(symbol, "positive") for symbol in symbols_of(tree) - {name}}
    return SolverQuestion(tree, name, domains | ({name: domain} if domain else {}), undefined)


def _point(limit: Limit) -> Expression:
    if isinstance(limit, int):
        return Call("plus_infinity" if limit > 0 else "minus_infinity")
    return limit


def _definite(text: str, assumptions: Mapping[str, str]) -> SolverQuestion:
    integral = prepare_definite(text, assumptions)
    return _question(
        "principal_value" if integral.principal_value else "definite_integral",
        (
            integral.integrand.expression,
            Symbol(integral.integrand.variable),
            _point(integral.lower),
            _point(integral.upper),
        ),
        assumptions,
        "real",
        DIVERGES,
    )


def _limit(text: str, assumptions: Mapping[str, str]) -> SolverQuestion:
    sought = limit_readings(text, assumptions)[0]
    operation = {1: "limit_right", -1: "limit_left", 0: "limit"}[sought.side]
    arguments = (sought.expression, Symbol(sought.variable), _point(sought.at))
    return _question(operation, arguments, dict(sought.all_assumptions), "real", NO_LIMIT)


def _sum(text: str, assumptions: Mapping[str, str]) -> SolverQuestion:
    if asks_of_series(text):
        return _series(text, assumptions)
    total = read_sum(text)[0]
    stated = total.assumptions
    stated |= assumptions
    lower, upper = _point(total.lower), _point(total.upper)
    arguments: tuple[Expression, ...] = (total.term, Symbol(total.counter), lower, upper)
    if isinstance(total.upper, int) and not isinstance(total.lower, int):
        # FriCAS takes the limit of a whole partial sum, whose value need not be a formula.
        arguments = (*arguments, total.factor, total.outside)
        return _question("infinite_sum", arguments, stated, "integer", DIVERGES)
    operation = "sum_over_integers" if isinstance(total.lower, int) else "sum"
    tree = add(mul(total.factor, Call(operation, arguments)), total.outside)
    return _of_tree(tree, Symbol(total.counter), stated, "integer", DIVERGES)


def _series(text: str, assumptions: Mapping[str, str]) -> SolverQuestion:
    series = read_series(text)
    if series.wanted not in ("polynomial", "coefficient"):
        raise NotationError(f"systems are not asked for a {series.wanted}")
    if not isinstance(series.degree, Number):
        raise NotationError("systems are not asked for a coefficient of a symbolic order")
    arguments = (series.function, Symbol(series.variable), series.centre, series.degree)
    return _question(series.wanted, arguments, assumptions)


def _derivative(text: str, assumptions: Mapping[str, str]) -> SolverQuestion:
    derivative = read_derivative(text, written=True)
    tree = derivative.derivative
    for name, value in derivative.point:
        tree = Call(VALUE_AT, (tree, Symbol(name), value))
    # Variables of several functions, and the function of a curve, take all real values.
    bound = [node.args[1] for node in nodes_of(tree) if _binds(node)]
    stated = {name: "real" for variable in bound for name in symbols_of(variable)}
    stated |= {**dict(derivative.assumptions), **assumptions}
    return _of_tree(tree, Symbol(derivative.variable), stated, "real")


def _binds(node: Expression) -> bool:
    return isinstance(node, Call) and node.function in (DERIVATIVE, VALUE_AT)


# --- differential equations ---


def _equations(text: str, assumptions: Mapping[str, str]) -> SolverQuestion:
    ode = read_differential_equation(text)
    x = Symbol(ode.variable)
    functions = tuple(map(Symbol, ode.functions))
    equations = [_written(ode, pair) for pair in ode.equations]
    stated = {**dict(ode.assumptions), **assumptions}
    constant = next((letter for letter in _CONSTANTS if letter not in ode.names), "C")
    spellings = list(_spellings(ode, equations, functions, x, constant))
    if not spellings:
        raise NotationError("systems are not asked for solutions with conditions of this form")
    spelling, *spare = spellings
    parameters = ode.names - {x.name, *ode.functions}
    domains = {name: stated.get(name, "positive") for name in parameters}
    return SolverQuestion(spelling, x.name, domains, "", ode.functions, constant, tuple(spare))


def _written(ode: DifferentialEquation, pair: Sequence[Expression]) -> Expression:
    """An equation with calls for functions and derivatives."""
    x = Symbol(ode.variable)
    sides = []
    for side in pair:
        for function in ode.functions:
            side = substitute(side, function, Call("unknown", (Symbol(function), x)))
        for name, jet in ode.jets.items():
            slope = Call("slope", (Symbol(jet.function), x, Number(jet.order)))
            side = substitute(side, name, slope)
        sides.append(side)
    return Call("equation", tuple(sides))


def _spellings(
    ode: DifferentialEquation,
    equations: Sequence[Expression],
    functions: Sequence[Symbol],
    x: Symbol,
    constant: str,
) -> list[Expression]:
    """The operations for the solution, special cases first."""
    values = _conditions(ode)
    if values is None:
        return []
    # Which problem is posed: all initial values at a point, no conditions, or values at two ends.
    # Systems have different functions for each.
    points = list(dict.fromkeys(at for _, _, at in values))
    orders = [(name, order) for name in ode.functions for order in range(ode.orders[name])]
    is_initial = len(points) == 1 and {(name, order) for name, order, _ in values} == {*orders}
    problem = Call(LIST, tuple(equations)), Call(LIST, tuple(functions)), x
    starts: list[Expression] = []
    spellings: list[Expression] = []
    single = (equations[0], functions[0], x)
    if is_initial:
        starts = [values[name, order, points[0]] for name, order in orders]
        if len(functions) == 1:
            arguments = (*single, points[0], Call(LIST, tuple(starts)), *starts)
            spellings += _by_order("ode_initial", ode.order, arguments)
        else:
            spellings.append(
                Call("ode_system_initial", (*problem, points[0], Call(LIST, tuple(starts))))
            )
    elif not values:
        starts = [Symbol(f"{constant}_{number}") for number in range(1, len(orders) + 1)]
        if len(functions) == 1:
            spellings += _by_order("ode", ode.order, single)
        else:
            spellings.append(Call("ode_system", problem))
    elif ode.order == 2 == len(points) and {(name, order) for name, order, _ in values} == {
        (ode.functions[0], 0)
    }:
        ends = [tree for (_, _, at), value in values.items() for tree in (at, value)]
        spellings.append(Call("ode_boundary", (*single, *ends)))
    # Laplace transforms need values at 0. Free values at 0 are the constants of integration.
    if starts and points in ([], [ZERO]):
        remaining = list(starts)
        by_function = [
            Call(LIST, tuple(remaining.pop(0) for _ in range(ode.orders[name])))
            for name in ode.functions
        ]
        spellings.append(Call("ode_laplace", (*problem, Call(LIST, tuple(by_function)))))
    return spellings


def _by_order(operation: str, order: int, arguments: Sequence[Expression]) -> list[Expression]:
    """The operation for an order, if present, and the operation for all orders."""
    names = (f"{operation}_{order}", operation)
    return [Call(name, tuple(arguments)) for name in names if name in OPERATIONS]


def _conditions(
    ode: DifferentialEquation,
) -> dict[tuple[str, int, Expression], Expression] | None:
    """The values of functions and derivatives at points; None for conditions of another form."""
    values: dict[tuple[str, int, Expression], Expression] = {}
    for left, right in ode.conditions:
        jet = ode.jets.get(left.name) if isinstance(left, Symbol) else None
        if jet is None or not symbols_of(right).isdisjoint(ode.jets):
            return None
        values[jet.function, jet.order, jet.at[0]] = right
    return values


_READERS: Final = {
    "definite_integral": _definite,
    "limit": _limit,
    "sum": _sum,
    "derivative": _derivative,
    "differential_equation": _equations,
}
