"""The value of an expression whose symbols all have values."""

from __future__ import annotations

from collections.abc import Mapping

from ...reading.expression.tree import Expression
from .balls import UnusableError
from .compiler import compile_tape
from .jets import ZERO, Ball

#: The name of the variable of an expression without a variable. No symbol has this name.
_NO_VARIABLE = ""


def evaluate(tree: Expression, values: Mapping[str, Ball] | None = None) -> Ball:
    """A ball around the value of an expression, at the working precision.

    Args:
        tree: the expression.
        values: the values of the symbols, or None without symbols.

    Returns:
        The ball, which is not finite if the expression has no value.

    Raises:
        UnusableError: the expression is too large, or a symbol has no value.

    """
    tape = compile_tape(tree, _NO_VARIABLE)
    assigned = values or {}
    if missing := tape.symbols.keys() - assigned.keys() - {_NO_VARIABLE}:
        raise UnusableError(f"{min(missing)} has no value")
    return tape.value(ZERO, assigned)
