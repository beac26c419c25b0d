"""SymPy's functions for the operations of `question.OPERATIONS`.

The module imports SymPy, and only workers import the module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import sympy

from ....rewards.reading.expression.infix import LIST
from ....rewards.reading.expression.sympy_bridge import to_sympy
from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Call, Expression, Symbol
from ....rewards.reading.problem.derivatives import DERIVATIVE, VALUE_AT
from .question import SolverQuestion

#: Values that are no numbers.
_UNDEFINED: Final = (sympy.nan, sympy.zoo, sympy.AccumBounds)


def answer(question: SolverQuestion) -> tuple[str, str]:
    """SymPy's answer in LaTeX, and a remark."""
    tree = question.spelled_with(_OPERATIONS)
    try:
        value = _evaluated(tree, question.domains)
    except ValueError as error:
        if "does not exist" not in str(error):
            raise
        return question.undefined, str(error)
    if question.functions:
        return _solutions(value, question), ""
    # An infinite addend beside finite ones is no value, although SymPy returns one.
    partly = value.is_Add and any(term.is_infinite for term in value.args)
    if partly or value.has(*_UNDEFINED):
        return question.undefined, f"SymPy returns {value}"
    return sympy.latex(value), ""


def _evaluated(node: Expression, domains: Mapping[str, str]) -> Any:
    """The value of a formula, with SymPy for the operations."""
    if not any(_is_operation(inner) for inner in nodes_of(node)):
        return to_sympy(node, domains)
    arguments = [_evaluated(argument, domains) for argument in node.args]
    if isinstance(node, Call) and _is_operation(node):
        return _OPERATIONS[node.function](*arguments)
    held = [Symbol(f"held_{number}") for number in range(len(arguments))]
    written = to_sympy(Call(str(getattr(node, "function", "")), tuple(held)), {})
    values = zip((sympy.Symbol(str(symbol.name)) for symbol in held), arguments, strict=True)
    return written.subs(list(values), simultaneous=True)


def _is_operation(node: Expression) -> bool:
    return isinstance(node, Call) and node.function in _OPERATIONS


def _solutions(solved: Any, question: SolverQuestion) -> str:
    """Solutions in LaTeX: all functions of a system together, or alternatives for a function."""
    x = sympy.Symbol(question.variable)
    plain = [(sympy.Function(name)(x), sympy.Symbol(name)) for name in question.functions]
    sets = solved if isinstance(solved, list) else [solved]
    if len(question.functions) > 1 and not isinstance(sets[0], list):
        sets = [sets]
    letters = {
        symbol: sympy.Symbol(f"{question.constant}_{str(symbol)[1:]}")
        for symbol in sympy.Tuple(*sympy.flatten(sets)).free_symbols
        if str(symbol)[:1] == "C" and str(symbol)[1:].isdigit()
    }
    texts = []
    for solution in sets:
        equations = solution if isinstance(solution, list) else [solution]
        written = [equation.subs(plain).xreplace(letters) for equation in equations]
        texts.append(r",\ ".join(sympy.latex(equation) for equation in written))
    return r"\text{ or }".join(texts)


# --- operations ---


def _function(y: Any, x: Any) -> Any:
    return sympy.Function(str(y))(x)


def _integral(f: Any, x: Any) -> Any:
    return sympy.integrate(f, x)


def _limit(f: Any, x: Any, point: Any, side: str) -> Any:
    return sympy.limit(f, x, point, "+" if point.is_infinite and side == "+-" else side)


def _sum(f: Any, x: Any, lower: Any, upper: Any, factor: Any = 1, addend: Any = 0) -> Any:
    return factor * sympy.summation(f, (x, lower, upper)) + addend


def _expansion(f: Any, x: Any, centre: Any, degree: Any) -> Any:
    """The Taylor polynomial in the distance from the centre."""
    return sympy.series(f.subs(x, x + centre), x, 0, int(degree) + 1).removeO()


def _ode(equations: Any, y: Any, x: Any, conditions: Mapping[Any, Any] | None = None) -> Any:
    functions = [_function(name, x) for name in y] if isinstance(y, list) else _function(y, x)
    return sympy.dsolve(equations, functions, ics=conditions or None)


def _slope_at(y: Any, x: Any, order: int, point: Any) -> Any:
    return _function(y, x).diff(x, order).subs(x, point)


def _initial(equation: Any, y: Any, x: Any, point: Any, values: Sequence[Any], *_: Any) -> Any:
    conditions = {_slope_at(y, x, order, point): value for order, value in enumerate(values)}
    return _ode(equation, y, x, conditions)


def _boundary(equation: Any, y: Any, x: Any, *ends: Any) -> Any:
    points, values = ends[::2], ends[1::2]
    pairs = zip(points, values, strict=True)
    return _ode(equation, y, x, {_slope_at(y, x, 0, at): value for at, value in pairs})


def _initial_system(
    equations: Any, functions: Sequence[Any], x: Any, point: Any, values: Sequence[Any]
) -> Any:
    starts = {_slope_at(y, x, 0, point): v for y, v in zip(functions, values, strict=True)}
    return _ode(equations, functions, x, starts)


_OPERATIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "integral": _integral,
    "definite_integral": lambda f, x, a, b: sympy.integrate(f, (x, a, b)),
    "principal_value": lambda f, x, a, b: sympy.Integral(f, (x, a, b)).principal_value(),
    "limit": partial(_limit, side="+-"),
    "limit_right": partial(_limit, side="+"),
    "limit_left": partial(_limit, side="-"),
    "sum": _sum,
    "infinite_sum": _sum,
    "sum_over_integers": _sum,
    "polynomial": lambda f, x, a, n: _expansion(f, x, a, n).subs(x, x - a),
    "coefficient": lambda f, x, a, n: _expansion(f, x, a, n).coeff(x, int(n)),
    DERIVATIVE: sympy.diff,
    VALUE_AT: lambda f, x, value: f.subs(x, value),
    "ode": _ode,
    "ode_initial": _initial,
    "ode_boundary": _boundary,
    "ode_system": _ode,
    "ode_system_initial": _initial_system,
    "equation": partial(sympy.Eq, evaluate=False),
    "unknown": _function,
    "slope": lambda y, x, order: _function(y, x).diff(x, order),
    "plus_infinity": lambda: sympy.oo,
    "minus_infinity": lambda: -sympy.oo,
    LIST: lambda *members: [*members],
}
