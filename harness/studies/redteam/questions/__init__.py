"""Generators of cases for the questions of the course, which are judged without a reference."""

from . import limits, stated, sums  # noqa: F401  # importing a module registers its generators
