r"""Reads a problem as people write it: wrappers, integral signs, limits, differentials, parameters.

One reader serves antiderivatives, definite integrals, solution steps and problem files. What comes
out is an `IntegralProblem`: trees, with every reading that the notation allows.
"""

from .conditions import Conditions, is_sign
from .integral import IntegralProblem, Limit, limit_of, read_integral
from .layout import IntegralLayout, integral_layout, limits_of

__all__ = [
    "Conditions",
    "IntegralLayout",
    "IntegralProblem",
    "Limit",
    "integral_layout",
    "is_sign",
    "limit_of",
    "limits_of",
    "read_integral",
]
