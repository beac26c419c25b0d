r"""The verifier of calculus answers: trusted inside a training loop.

>>> from calculus_harness.rewards import verify_antiderivative
>>> verify_antiderivative(r"so it is $\boxed{\sin(x^2) + C}$", r"2x\cos(x^2)").correct
True
"""

from importlib.util import find_spec

if __name__ == "rewards" and find_spec("calculus_harness"):  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from .adapters.for_datasets import verify_dataset
from .antiderivative import verify_antiderivative
from .arithmetic import verify_integer
from .batch import averify_many, verify_many
from .certificates.make import certify
from .definite import verify_definite_integral
from .errors import NoCertificateError, ProblemError, UserError
from .labels import verify_label
from .steps import Claim, Judgement, Solution, verify_solution
from .values import verify_equivalent, verify_value
from .verdict import Evidence, Status, Verdict, Witness
from .workers.cluster import join_cluster, use_cluster

__all__ = [
    "Claim",
    "Evidence",
    "Judgement",
    "NoCertificateError",
    "ProblemError",
    "Solution",
    "Status",
    "UserError",
    "Verdict",
    "Witness",
    "averify_many",
    "certify",
    "join_cluster",
    "use_cluster",
    "verify_antiderivative",
    "verify_dataset",
    "verify_definite_integral",
    "verify_equivalent",
    "verify_integer",
    "verify_label",
    "verify_many",
    "verify_solution",
    "verify_value",
]
