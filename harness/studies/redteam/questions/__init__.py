"""Generators of cases for the course's questions, which the verifier judges without a reference."""

from . import limits, stated, sums  # noqa: F401  # importing a module registers its generators
