"""Values of definite integrals to many digits, and whether the integrals converge at all.

If the integrand f is bounded on the range, python-flint's rigorous integration encloses the value.
Integrals with singular ends or infinite ranges are enclosed if possible. Otherwise the double
exponential formula gives the value, and Gauss-Legendre quadrature has to confirm the value to 25
digits. The variable of this quadrature is the logarithm of the distance from an end. If f
oscillates towards infinity, the value is extrapolated from integrals over periods.
"""

from ...reading.problem import Limit
from .line import OutsideDomainError
from .problem import DefiniteIntegral, definite_readings, prepare_definite
from .value import IntegralValue, evaluate
from .work import QuadratureError

__all__ = [
    "DefiniteIntegral",
    "IntegralValue",
    "Limit",
    "OutsideDomainError",
    "QuadratureError",
    "definite_readings",
    "evaluate",
    "prepare_definite",
]
