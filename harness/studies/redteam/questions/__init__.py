"""Generators of questions of the calculus course, a module for each kind."""

from . import sums  # noqa: F401  # importing it registers generators
