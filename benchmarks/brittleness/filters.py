"""Filters that select the validation problems of the experiments (Welleck et al., sections 3, 4).

Each filter has two variants (`benchmarks.brittleness.integrals.VARIANTS`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...rewards.reading.expression.sympy_bridge import to_sympy
from ...rewards.reading.expression.traversal import nodes_of
from ...rewards.reading.expression.tree import Call, Expression
from ..lample_charton.codec.prefix import to_prefix
from ..problem import Problem
from .integrals import IntegralTerm

_HYPERBOLIC = frozenset({"sinh", "cosh", "tanh", "asinh", "acosh", "atanh"})
#: Functions whose problems are dropped, in the integrand or the antiderivative.
DROPPED = {
    "code": _HYPERBOLIC | {"i", "asin", "acos", "atan"},
    "paper": _HYPERBOLIC,
}
#: The greatest length of problems in validation sums.
LONGEST = 20


def eligible(problems: Sequence[Problem], variant: str = "code") -> list[Problem]:
    """The problems without the functions on which SymPy's `simplify` often fails.

    Our verifier handles the excluded functions; the filter reproduces the paper's selection.
    """
    return [
        problem
        for problem in problems
        if not any(
            isinstance(node, Call) and node.function in DROPPED[variant]
            for tree in _trees(problem)
            for node in nodes_of(tree)
        )
    ]


def short(
    problems: Sequence[Problem], variant: str = "code", longest: int = LONGEST
) -> list[Problem]:
    """The problems of length at most ``longest``, whose sums are no longer than training problems.

    Length is counted in characters of SymPy's string (code) or in prefix tokens (paper).
    """
    return [problem for problem in problems if _length(problem, variant) <= longest]


def _trees(problem: Problem) -> list[Expression]:
    integral = IntegralTerm.of(problem)
    sides = integral.integrand, integral.antiderivative
    return [side for side in sides if side is not None]


def _length(problem: Problem, variant: str) -> int:
    f = IntegralTerm.of(problem).integrand
    return len(str(to_sympy(f)) if variant == "code" else to_prefix(f))
