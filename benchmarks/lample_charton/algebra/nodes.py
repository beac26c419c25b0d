"""The order of arguments in SymPy, and the number of tokens, of expressions in normal form."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from flint import fmpq

from ....rewards.expression.tree import Expression, Number, Symbol

#: SymPy's class of each function, for the order of arguments (`sympy.core.basic`).
_CLASSES: Final = {
    "pi": "Pi",
    "e": "Exp1",
    "pow": "Pow",
    "mul": "Mul",
    "add": "Add",
    "ln": "log",
    "abs": "Abs",
    "sgn": "sign",
}
_CLASS_ORDER: Final = (
    "Zero One Half NegativeOne Integer Rational Exp1 Pi Symbol Pow Mul Add Abs"
).split()
_RANKS: Final = {name: rank for rank, name in enumerate(_CLASS_ORDER)}
_NUMBERS: Final = {(0, 1): "Zero", (1, 1): "One", (1, 2): "Half", (-1, 1): "NegativeOne"}
HALF: Final = Number(1, 2)
#: The expressions of which sizes are kept.
_CACHED: Final = 1 << 16


def value(node: Expression) -> Any:
    """The exact `fmpq` of a number; None for anything else."""
    return fmpq(node.numerator, node.denominator) if isinstance(node, Number) else None


def sort_key(node: Expression, of_args: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Orders arguments as SymPy: by class, by the number of arguments, by the arguments."""
    if isinstance(node, Number):
        p, q = node.numerator, node.denominator
        name = _NUMBERS.get((p, q)) or ("Integer" if q == 1 else "Rational")
        return (_RANKS[name], "", 2, p, q)
    if isinstance(node, Symbol):
        return (_RANKS["Symbol"], "", 1, node.name)
    name = _CLASSES.get(node.function, node.function)
    rank = _RANKS.get(name, len(_CLASS_ORDER))
    label = name if rank == len(_CLASS_ORDER) else ""
    return (rank, label, len(node.args), *of_args)


@lru_cache(_CACHED)
def size(node: Expression) -> int:
    """The number of tokens in prefix form."""
    if isinstance(node, Number):
        digits = len(str(abs(node.numerator)))
        return 1 + digits + (0 if node.denominator == 1 else 2 + len(str(node.denominator)))
    total = sum(map(size, node.args))
    if node.function in ("add", "mul"):
        return total + len(node.args) - 1
    if node.function == "pow" and node.args[1] == HALF:
        return 1 + size(node.args[0])
    return 1 + total
