"""Formulas for calls of functions: derivatives and definitions.

The records in `rewards.reading.functions` state the formulas with names for the arguments. This
module replaces the names by the arguments of a call.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..functions import RECORDS
from .build import ONE, add, div, mul, neg
from .sympy_text import read_sympy
from .tree import Call, Expression, Number, Symbol

#: A formula in SymPy's notation, read once.
template = cache(read_sympy)


def slope_of(call: Call) -> tuple[int, Expression] | None:
    """Differentiate a call with respect to an argument. Return the argument's index and the
    derivative.

    The result is None if the function's record has no derivative.

    >>> slope_of(Call("expint", (Number(2), Symbol("x"))))[0]
    1
    """
    if call.function == "hypgeom":
        return _slope_of_hypergeometric(call)
    arguments = _given(call)
    formula = RECORDS[call.function].derivative
    if arguments is None or not formula:
        return None
    return list(arguments).index("u"), _filled(template(formula), arguments, call.args)


def _slope_of_hypergeometric(call: Call) -> tuple[int, Expression] | None:
    """Differentiate a hypergeometric function with respect to the argument (DLMF 16.3.1).

    The derivative is a factor times the function whose parameters are all greater by 1. The factor
    is the product of the old upper parameters divided by the product of the old lower parameters.
    """
    upper_count = call.args[0]
    if not isinstance(upper_count, Number):
        return None
    split = 2 + upper_count.numerator
    upper, lower, argument = call.args[2:split], call.args[split:-1], call.args[-1]
    raised = (add(parameter, ONE) for parameter in (*upper, *lower))
    derivative = Call("hypgeom", (*call.args[:2], *raised, argument))
    return len(call.args) - 1, mul(div(mul(*upper), mul(*lower)), derivative)


def definition_of(call: Call) -> Expression | None:
    """A formula equal to the call, in other functions.

    The result is None if the function's record has no definition.
    """
    return filled(RECORDS[call.function].definition, call)


def filled(formula: str, call: Call) -> Expression | None:
    """Put the arguments of a call into a formula with the names of the function's record.

    Another symbol in the formula stands for a function of the same arguments. The result is None if
    the formula is empty, or if the call and the record have different numbers of arguments.
    """
    arguments = _given(call) if formula else None
    return None if arguments is None else _filled(template(formula), arguments, call.args)


def _given(call: Call) -> dict[str, Expression] | None:
    """Map the argument names in the function's record to the arguments of a call.

    The result is None if the call and the record have different numbers of arguments.
    """
    arguments = RECORDS[call.function].arguments.split()
    return (
        dict(zip(arguments, call.args, strict=True)) if len(arguments) == len(call.args) else None
    )


def with_arguments(formula: str, arguments: Mapping[str, Expression]) -> Expression:
    """Put arguments into a formula in SymPy's notation. Each symbol must be in ``arguments``."""
    return _filled(template(formula), arguments, ())


def _filled(
    formula: Expression, arguments: Mapping[str, Expression], all_arguments: tuple[Expression, ...]
) -> Expression:
    if isinstance(formula, Symbol):
        return arguments.get(formula.name) or Call(formula.name, all_arguments)
    if isinstance(formula, Number) or not formula.args:
        return formula
    args = tuple(_filled(arg, arguments, all_arguments) for arg in formula.args)
    return neg(args[0]) if formula.function == "neg" else Call(formula.function, args)
