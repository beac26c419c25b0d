"""Easier variants of a problem as training problems, after LADDER (Simonds and Yoshiyama, 2025).

LADDER asks a language model for variants. Here variants are made by rewriting the integrand's tree:
a term of a sum, a product without a factor, the number 1 for another number, f(x) for f(g(x)). A
variant is smaller than the original, or of equal size with smaller numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..rewards import ProblemError
from ..rewards.numeric.sampling.integrand import prepare
from ..rewards.reading.expression.build import ONE, add, div, mul, number, power
from ..rewards.reading.expression.traversal import nodes_of, symbols_of
from ..rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ..rewards.reading.latex import ReadError, to_latex
from .algebra.formulas import parse
from .payloads import IntegrationInputs, IntegrationTarget
from .problem import Parent, Problem


def easier_variants(problem: Problem, depth: int = 2) -> list[Problem]:
    """Easier problems, made from a problem in at most ``depth`` steps.

    Args:
        problem: an integration problem.
        depth: the number of rewriting steps.

    Returns:
        The variants, the easiest first, with their ``difficulty`` in the metadata. Variants have no
        reference, and some have no antiderivative in closed form. The list is empty for an
        unreadable integrand.

    """
    target = problem.target_as(IntegrationTarget)
    variable = target.variable
    try:
        root = parse(target.integrand, variable)
    except ReadError:
        return []
    # Breadth first: a tree has the least number of steps.
    steps: dict[Expression, int] = {}
    latest = [root]
    for step in range(1, depth + 1):
        new: list[Expression] = []
        for tree in latest:
            for easier in _easier(tree, variable):
                if easier != root and easier not in steps and _well_posed(easier, variable):
                    steps[easier] = step
                    new.append(easier)
        latest = new
    # Ties are broken by text, for the same order in every run.
    ordered = sorted(steps, key=lambda tree: (difficulty(tree), to_latex(tree)))
    return [_problem(problem, tree, variable, steps[tree], n) for n, tree in enumerate(ordered)]


def difficulty(tree: Expression) -> int:
    """The number of nodes, numbers of many digits counting more: a rough measure."""
    return sum(
        1 + len(str(abs(node.numerator * node.denominator))) // 2 if isinstance(node, Number) else 1
        for node in nodes_of(tree)
    )


def _easier(tree: Expression, variable: str) -> Iterator[Expression]:
    """The trees after a step of simplification."""
    if not isinstance(tree, Call):
        return
    x = Symbol(variable)
    name, args = tree.function, tree.args
    # Sums lose a term, products a factor, quotients one of the two parts.
    if name == "add":
        yield from args
        if len(args) > 2:
            yield from (add(*args[:i], *args[i + 1 :]) for i in range(len(args)))
    elif name == "mul":
        yield from (mul(*args[:i], *args[i + 1 :]) for i in range(len(args)))
    elif name == "div":
        yield args[0]
        yield div(ONE, args[1])
    # Powers and functions become a square, or a function of x alone.
    elif name in ("pow", "root") and isinstance(args[1], Number):
        if args[1] != number(2):
            yield Call(name, (args[0], number(2)))
        if args[0] != x:
            yield Call(name, (x, args[1]))
    elif len(args) == 1 and name != "neg" and args[0] != x:
        yield Call(name, (x,))
    # The same steps apply inside; coefficients become 1.
    for index, arg in enumerate(args):
        if isinstance(arg, Number) and name not in ("pow", "root") and abs(arg.numerator) != 1:
            yield _rebuilt(name, (*args[:index], ONE, *args[index + 1 :]))
        else:
            for easier in _easier(arg, variable):
                yield _rebuilt(name, (*args[:index], easier, *args[index + 1 :]))


_BUILDERS: dict[str, Callable[..., Expression]] = {"add": add, "mul": mul, "div": div, "pow": power}


def _rebuilt(name: str, args: tuple[Expression, ...]) -> Expression:
    """A call, with 0 and 1 evaluated."""
    return _BUILDERS[name](*args) if name in _BUILDERS else Call(name, args)


def _trivial(node: Expression) -> bool:
    """Whether a node is a function of numbers, or a quotient of equals."""
    if not isinstance(node, Call):
        return False
    if node.function == "div" and node.args[0] == node.args[1]:
        return True
    return node.function not in ("neg", "div") and not symbols_of(node)


def _well_posed(tree: Expression, variable: str) -> bool:
    if variable not in symbols_of(tree) or any(map(_trivial, nodes_of(tree))):
        return False
    try:
        prepare(to_latex(tree), variable, None)
    except (ProblemError, ReadError):
        return False
    return True


def _problem(parent: Problem, tree: Expression, variable: str, step: int, number: int) -> Problem:
    integral = to_latex(tree), variable
    return Problem(
        id=f"{parent.id}~{number}",
        task="integration",
        benchmark=parent.benchmark,
        subset=f"{parent.subset}_relatives",
        inputs=IntegrationInputs(*integral),
        target=IntegrationTarget(*integral),
        assumptions={
            name: assumption
            for name, assumption in parent.assumptions.items()
            if name in symbols_of(tree)
        },
        parents=(Parent(parent.id, "original"),),
        pair_parent=parent.id,
        perturbation="relative",
        metadata={"difficulty": difficulty(tree), "steps": step},
    )
