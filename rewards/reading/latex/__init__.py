"""Reads calculus LaTeX (and plain text and Unicode) into expression trees, and prints them.

A lexer of one regular expression and a Pratt parser; nothing is ever evaluated, and time is linear
in the size of the text, which is bounded by `Limits`.
"""

from .ambiguities import AMBIGUITIES, Ambiguity
from .errors import AlternativesError, NotClosedFormError, ReadError, TooBigError
from .limits import DEFAULT_LIMITS, Limits
from .printer import to_latex
from .readings import Reading, read, readings

__all__ = [
    "AMBIGUITIES",
    "DEFAULT_LIMITS",
    "AlternativesError",
    "Ambiguity",
    "Limits",
    "NotClosedFormError",
    "ReadError",
    "Reading",
    "TooBigError",
    "read",
    "readings",
    "to_latex",
]
