"""Generators of cases with questions of a calculus course, judged without a reference."""

from . import limits, stated, sums  # noqa: F401  # importing a module registers its generators
