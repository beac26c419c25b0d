"""The calculus course: banks of questions that are judged without a reference, and generators.

Each question has a module here and a data file of its name; `bank` reads the files.
"""

from . import (  # noqa: F401  # importing a module declares its subsets
    derivatives,
    differential_equations,
    from_constants,
    limits,
    sums,
)
