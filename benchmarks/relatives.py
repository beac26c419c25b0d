"""Easier relatives of a problem, to learn it from: after LADDER (Simonds and Yoshiyama, 2025).

There a language model invents the variants; here they follow from the integrand's tree, so that
they are the same for everyone: a term of a sum, a product or quotient without one of its parts,
plain numbers instead of others, a function of x instead of one of g(x). All are smaller than what
they were made of, or as small with smaller numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..rewards import ProblemError
from ..rewards.decision.integrand import prepare
from ..rewards.expression.tree import Call, Expression, Number, Symbol
from ..rewards.latex import ReadError, to_latex
from .expressions import ONE, add, div, mul, number, parse, power, symbols, walk
from .problem import Parent, Problem


def relatives(problem: Problem, depth: int = 2) -> list[Problem]:
    """Easier problems made of this one in at most ``depth`` steps, the easiest first.

    Each has its ``difficulty``, the size of its tree, in the metadata. None has a reference:
    whoever needs problems that can be solved has to solve them.
    """
    variable = str(problem.target["variable"])
    try:
        root = parse(str(problem.target["integrand"]), variable)
    except ReadError:
        return []
    found: dict[Expression, int] = {}
    latest = [root]
    for step in range(1, depth + 1):
        grown: list[Expression] = []
        for tree in latest:
            for easier in _steps(tree, variable):
                if easier != root and easier not in found and _well_posed(easier, variable):
                    found[easier] = step
                    grown.append(easier)
        latest = grown
    ordered = sorted(found, key=lambda tree: (difficulty(tree), to_latex(tree)))
    return [_problem(problem, tree, variable, found[tree], n) for n, tree in enumerate(ordered)]


def difficulty(tree: Expression) -> int:
    """The number of nodes, larger numbers counting more: a rough order, not a measure."""
    return sum(
        1 + len(str(abs(node.numerator * node.denominator))) // 2 if isinstance(node, Number) else 1
        for node in walk(tree)
    )


def _steps(tree: Expression, variable: str) -> Iterator[Expression]:
    """Everything that is one step easier."""
    if not isinstance(tree, Call):
        return
    x = Symbol(variable)
    name, args = tree.function, tree.args
    if name == "add":
        yield from args
        if len(args) > 2:
            yield from (add(*args[:i], *args[i + 1 :]) for i in range(len(args)))
    elif name == "mul":
        yield from (mul(*args[:i], *args[i + 1 :]) for i in range(len(args)))
    elif name == "div":
        yield args[0]
        yield div(ONE, args[1])
    elif name in ("pow", "root") and isinstance(args[1], Number):
        if args[1] != number(2):
            yield Call(name, (args[0], number(2)))
        if args[0] != x:
            yield Call(name, (x, args[1]))
    elif len(args) == 1 and name != "neg" and args[0] != x:
        yield Call(name, (x,))
    for place, arg in enumerate(args):
        if isinstance(arg, Number) and name not in ("pow", "root") and abs(arg.numerator) != 1:
            yield _rebuilt(name, (*args[:place], ONE, *args[place + 1 :]))
        else:
            for easier in _steps(arg, variable):
                yield _rebuilt(name, (*args[:place], easier, *args[place + 1 :]))


_BUILDERS: dict[str, Callable[..., Expression]] = {"add": add, "mul": mul, "div": div, "pow": power}


def _rebuilt(name: str, args: tuple[Expression, ...]) -> Expression:
    """A call with the arithmetic of 0 and 1 done, where there is any."""
    return _BUILDERS[name](*args) if name in _BUILDERS else Call(name, args)


def _idle(node: Expression) -> bool:
    """A function of a number, or a quotient of equals: nobody would ask for it."""
    if not isinstance(node, Call):
        return False
    if node.function == "div" and node.args[0] == node.args[1]:
        return True
    return node.function not in ("neg", "div") and not symbols(node)


def _well_posed(tree: Expression, variable: str) -> bool:
    if variable not in symbols(tree) or any(map(_idle, walk(tree))):
        return False
    try:
        prepare(to_latex(tree), variable, None)
    except (ProblemError, ReadError):
        return False
    return True


def _problem(parent: Problem, tree: Expression, variable: str, step: int, place: int) -> Problem:
    inputs = {"integrand": to_latex(tree), "variable": variable}
    return Problem(
        id=f"{parent.id}~{place}",
        task="integration",
        benchmark=parent.benchmark,
        subset=f"{parent.subset}_relatives",
        inputs=dict(inputs),
        target=dict(inputs),
        assumptions={
            name: kind for name, kind in parent.assumptions.items() if name in symbols(tree)
        },
        parents=(Parent(parent.id, "original"),),
        pair_parent=parent.id,
        perturbation="relative",
        metadata={"difficulty": difficulty(tree), "steps": step},
    )
