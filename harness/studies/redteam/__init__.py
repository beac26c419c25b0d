"""A standing search for wrong verdicts.

Generators make cases whose label is certain by construction or checked in mpmath; the search runs
the verifier over them and writes down, as small as they get, wrong answers that were accepted,
right ones that were refused or undecided, and failures.
"""

from . import (  # noqa: F401  # importing them registers generators
    branches,
    course,
    definite,
    limits,
    questions,
    rewrites,
    slips,
    templates,
)
from .case import GENERATORS, Case, case_at
from .search import KINDS, Find, Judge, Result, search

__all__ = ["GENERATORS", "KINDS", "Case", "Find", "Judge", "Result", "case_at", "search"]
