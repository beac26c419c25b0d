"""The prefix tokens of problems of any benchmark, for sequence models."""

from __future__ import annotations

from ...rewards.errors import ProblemError
from ...rewards.reading.expression.traversal import symbols_of
from ...rewards.reading.expression.tree import Expression
from ...rewards.reading.latex import ReadError
from ...rewards.reading.problem.differential_equation import (
    read_differential_equation,
    solutions,
)
from ..algebra.formulas import parse
from ..algebra.normal_form import Algebra, UnusableFormulaError
from ..payloads import IntegrationTarget, QuestionTarget
from ..problem import Problem
from .codec.equations import equation_tokens, solution_tokens
from .codec.prefix import PrefixError, Tokens, to_prefix


def prefix(tree: Expression, variable: str = "x") -> Tokens:
    """The tokens of a tree's normal form, for most formulas equal to the published data."""
    return to_prefix(Algebra(variable).node(tree))


def prefix_form(problem: Problem, side: str) -> str:
    r"""The tokens of a problem's integrand, equation or reference, in SymPy's order.

    Random integrals and problems of released files have tokens in the metadata. For other problems
    the LaTeX is brought to normal form: evaluated, with sums and products in order.

    Args:
        problem: an integration problem, or a differential equation.
        side: ``integrand`` or ``antiderivative``; ``equation`` or ``solution``.

    Returns:
        The tokens, separated by spaces.

    Raises:
        PrefixError: the formula has no tokens in the vocabulary.

    >>> shown = {"integrand": r"3\sin(2x)+x", "variable": "x"}
    >>> prefix_form(Problem("p", "integration", "own", "s", shown, shown), "integrand")
    'add x mul INT+ 3 sin mul INT+ 2 x'

    """
    stored = problem.metadata.get(
        "prefix" if side in ("integrand", "equation") else f"{side}_prefix"
    )
    if stored is not None:
        return str(stored)
    if isinstance(problem.target, QuestionTarget):
        return " ".join(_of_equation(problem.target, side))
    target = problem.target_as(IntegrationTarget)
    latex, variable = str(getattr(target, side)), target.variable
    try:
        tokens = prefix(parse(latex, variable), variable)
    except (ReadError, UnusableFormulaError) as error:
        raise PrefixError(f"no prefix form of {latex!r}: {error}") from None
    return " ".join(tokens)


def _of_equation(target: QuestionTarget, side: str) -> Tokens:
    """The tokens of a differential equation, or of its known solution."""
    try:
        equation = read_differential_equation(target.question)
        if side == "equation":
            return equation_tokens(equation)
        (solution,) = solutions(target.answer or "", equation)
        (formula,) = solution.formulas.values()
        return solution_tokens(formula, sorted(symbols_of(formula) - equation.names))
    except (ReadError, ProblemError, UnusableFormulaError, ValueError) as error:
        raise PrefixError(f"no prefix form of {target.question!r}: {error}") from None
