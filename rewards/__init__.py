r"""The verifier of calculus answers: trusted inside a training loop.

>>> from rewards import verify_antiderivative
>>> verify_antiderivative(r"so it is $\boxed{\sin(x^2) + C}$", r"2x\cos(x^2)").correct
True
"""

from .antiderivative import ProblemError, verify_antiderivative
from .arithmetic import verify_integer
from .labels import verify_label
from .values import verify_equivalent, verify_value
from .verdict import Evidence, Status, Verdict, Witness
from .workers import averify_many, verify_many

__all__ = [
    "Evidence",
    "ProblemError",
    "Status",
    "Verdict",
    "Witness",
    "averify_many",
    "verify_antiderivative",
    "verify_equivalent",
    "verify_integer",
    "verify_label",
    "verify_many",
    "verify_value",
]
