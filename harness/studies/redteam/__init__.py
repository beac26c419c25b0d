"""A standing search for wrong verdicts.

Generators make cases whose label is certain by construction or checked in mpmath; the search runs
the verifier over them and writes down, as small as they get, wrong answers that were accepted,
right ones that were refused or undecided, and failures.
"""

from . import rewrites, slips, templates  # registers their generators
from .case import GENERATORS, Case, Formulas, case_at
from .minimise import label_holds, minimise
from .search import KINDS, Find, Result, fault, search, verifier

__all__ = [
    "GENERATORS",
    "KINDS",
    "Case",
    "Find",
    "Formulas",
    "Result",
    "case_at",
    "fault",
    "label_holds",
    "minimise",
    "rewrites",
    "search",
    "slips",
    "templates",
    "verifier",
]
