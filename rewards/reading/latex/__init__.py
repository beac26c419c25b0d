"""Reads calculus LaTeX (and plain text and Unicode) into expression trees, and prints them.

The reader has a lexer (a single regular expression) and a Pratt parser. The reader never evaluates
text. The reader's time is linear in the size of the text, and `Limits` bounds the size.
"""

from .ambiguities import AMBIGUITIES, Ambiguity
from .errors import AlternativesError, NotClosedFormError, ReadError, TooBigError
from .limits import DEFAULT_LIMITS, Limits
from .printer import to_latex
from .readings import Reading, read, readings, signed_infinity

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
    "signed_infinity",
    "to_latex",
]
