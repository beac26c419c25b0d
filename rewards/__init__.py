r"""The verifier of calculus answers: trusted inside a training loop.

>>> from calculus_harness.rewards import verify_antiderivative
>>> verify_antiderivative(r"so it is $\boxed{\sin(x^2) + C}$", r"2x\cos(x^2)").correct
True
"""

from importlib.util import find_spec

if __name__ == "rewards" and find_spec("calculus_harness"):  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from .antiderivative import verify_antiderivative
from .arithmetic import verify_integer
from .batch import averify_many, verify_many
from .certificates.make import certify
from .errors import NoCertificateError, ProblemError, UserError
from .labels import verify_label
from .values import verify_equivalent, verify_value
from .verdict import Evidence, Status, Verdict, Witness

__all__ = [
    "Evidence",
    "NoCertificateError",
    "ProblemError",
    "Status",
    "UserError",
    "Verdict",
    "Witness",
    "averify_many",
    "certify",
    "verify_antiderivative",
    "verify_equivalent",
    "verify_integer",
    "verify_label",
    "verify_many",
    "verify_value",
]
