"""Derivatives in texts: quotients of differentials, primes, dots and subscripts."""

from .formulas import (
    DERIVATIVE,
    EXPONENT,
    LONGEST,
    VALUE_AT,
    Jet,
    Jets,
    arguments_at,
    normal,
    read_tree,
    with_symbols,
)
from .operators import LETTER, Operator, name_of, operand, operators

__all__ = [
    "DERIVATIVE",
    "EXPONENT",
    "LETTER",
    "LONGEST",
    "VALUE_AT",
    "Jet",
    "Jets",
    "Operator",
    "arguments_at",
    "name_of",
    "normal",
    "operand",
    "operators",
    "read_tree",
    "with_symbols",
]
