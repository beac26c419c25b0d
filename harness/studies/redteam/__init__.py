"""A standing search for wrong verdicts.

Generators make cases whose label is certain by construction or checked in mpmath; the search runs
the verifier over them and writes down, as small as they get, wrong answers that were accepted,
right ones that were refused or undecided, and failures.
"""

from . import numeric, rewrites, slips, templates  # the last three register generators
from .case import GENERATORS, Case, Formulas, case_at
from .minimise import label_holds, minimise, size
from .search import KINDS, Find, Judge, Result, fault, search, verifier

__all__ = [
    "GENERATORS",
    "KINDS",
    "Case",
    "Find",
    "Formulas",
    "Judge",
    "Result",
    "case_at",
    "fault",
    "label_holds",
    "minimise",
    "numeric",
    "rewrites",
    "search",
    "size",
    "slips",
    "templates",
    "verifier",
]
