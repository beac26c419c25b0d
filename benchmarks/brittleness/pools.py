"""Which problems of a validation set the experiments begin with (Welleck et al., sections 3 and 4).

Two filters, each in the two readings of the paper (`benchmarks.brittleness.integrals.VARIANTS`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...rewards.expression.sympy_bridge import to_sympy
from ...rewards.expression.tree import Call, Expression
from ..expressions import walk
from ..lample_charton.codec.prefix import to_prefix
from ..problem import Problem
from .integrals import Integral

_HYPERBOLIC = frozenset({"sinh", "cosh", "tanh", "asinh", "acosh", "atanh"})
#: Functions whose problems are dropped, in the integrand or the antiderivative.
DROPPED = {
    "code": _HYPERBOLIC | {"i", "asin", "acos", "atan"},
    "paper": _HYPERBOLIC,
}
#: The longest problem that validation sums are made of.
LONGEST = 20


def eligible(problems: Sequence[Problem], variant: str = "code") -> list[Problem]:
    """Those without functions that SymPy's `simplify` is weak at.

    Our verifier is not; the filter is for problems like the paper's.
    """
    return [
        problem
        for problem in problems
        if not any(
            isinstance(node, Call) and node.function in DROPPED[variant]
            for tree in _trees(problem)
            for node in walk(tree)
        )
    ]


def short(
    problems: Sequence[Problem], variant: str = "code", longest: int = LONGEST
) -> list[Problem]:
    """Those at most ``longest`` long, so that their sums are no longer than training problems.

    Long in characters of SymPy's string (code), or in prefix tokens (paper).
    """
    return [problem for problem in problems if _length(problem, variant) <= longest]


def _trees(problem: Problem) -> list[Expression]:
    integral = Integral.of(problem)
    known = integral.antiderivative
    return [integral.integrand] if known is None else [integral.integrand, known]


def _length(problem: Problem, variant: str) -> int:
    f = Integral.of(problem).integrand
    return len(str(to_sympy(f)) if variant == "code" else to_prefix(f))
