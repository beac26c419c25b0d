r"""The verifier of calculus answers, for use inside a training loop.

>>> from calculus_harness.rewards import verify_antiderivative
>>> verify_antiderivative(r"so it is $\boxed{\sin(x^2) + C}$", r"2x\cos(x^2)").correct
True
"""

from importlib.util import find_spec

if __name__ == "rewards" and find_spec("calculus_harness"):  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from . import former_paths
from .adapters.for_datasets import verify_dataset
from .batch import averify_many, verify_many
from .errors import NoCertificateError, ProblemError, UserError
from .verdict import Evidence, Status, Verdict, Witness
from .verify.antiderivative import verify_antiderivative
from .verify.arithmetic import verify_integer
from .verify.certificates.make import certify
from .verify.definite import verify_definite_integral
from .verify.derivative import verify_derivative
from .verify.differential_equation import verify_differential_equation
from .verify.labels import verify_label
from .verify.limit import verify_limit
from .verify.solution_steps import Claim, Judgement, Solution, verify_solution
from .verify.sum import verify_sum
from .verify.values import verify_equivalent, verify_value
from .workers.cluster import join_cluster, use_cluster

former_paths.keep()

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
    "verify_derivative",
    "verify_differential_equation",
    "verify_equivalent",
    "verify_integer",
    "verify_label",
    "verify_limit",
    "verify_many",
    "verify_solution",
    "verify_sum",
    "verify_value",
]
