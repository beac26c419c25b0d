"""The calculus course: banks of questions that are judged without a reference, and generators.

Each question has a module here and a data file of its name; `bank` reads the files.
"""

from . import derivatives, limits  # noqa: F401  # importing a module declares its subsets
