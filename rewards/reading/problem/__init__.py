r"""Reads problems in textbook notation.

The reader serves antiderivatives, definite integrals, solution steps and problem files. The reader
returns an `IntegralProblem`, which holds expression trees. Ambiguous notation has several readings,
and each reading has a tree.
"""

from .conditions import Conditions
from .integral import IntegralProblem, Limit, limit_of, read_integral
from .layout import IntegralLayout, integral_layout, limits_of
from .limit import LimitProblem, read_limit

__all__ = [
    "Conditions",
    "IntegralLayout",
    "IntegralProblem",
    "Limit",
    "LimitProblem",
    "integral_layout",
    "limit_of",
    "limits_of",
    "read_integral",
    "read_limit",
]
