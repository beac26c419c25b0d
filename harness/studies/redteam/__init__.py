"""A search for wrong verdicts of the verifier. The search can be repeated with new seeds.

Generators make cases: a question, an answer, and the label right or wrong. The label is certain by
construction, or it is checked in mpmath. The search runs the verifier over the cases. It minimises
and records the faults. A fault is an accepted wrong answer, a refused or undecided right answer, or
a failure of the verifier.
"""

from . import (  # noqa: F401  # importing them registers generators
    branches,
    definite,
    questions,
    rewrites,
    slips,
    templates,
)
from .case import GENERATORS, Case, case_at
from .search import FAULTS, Find, Judge, Result, search

__all__ = ["FAULTS", "GENERATORS", "Case", "Find", "Judge", "Result", "case_at", "search"]
