"""The calculus course: banks of questions that are judged without a reference, and generators.

Each question has a module here and a data file of its name; `bank` reads the files.
"""

from . import derivatives, differential_equations, from_constants  # noqa: F401  # importing them declares subsets
