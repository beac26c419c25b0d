"""Reduce each failure to a smaller formula that the model still fails, and find a solved neighbour.

The method is delta debugging on trees. A reduction replaces a node by 1 or by one of the node's
arguments. Other reductions leave out an argument of a sum or product, or make a number smaller. In
each round, the model is asked the one-step reductions of all failures together. The smallest
failing reduction of each failure is then reduced further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ....benchmarks.problem import Problem
from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ...report.search.records import Minimal
from .formulas import NoProblemError, NormalForms, read, size, text
from .mutants import refusal, unusable
from .mutations import at, replaced
from .oracle import Oracle

#: The largest numbers of rounds, and of reductions of a formula in a round.
ROUNDS, MAX_REDUCTIONS = 20, 48

Make = Callable[[Expression, str], Problem]


def measure(tree: Expression) -> tuple[int, int, str]:
    """A key that sorts formulas by the number of nodes, the bits of numbers, and the text."""
    bits = sum(
        node.numerator.bit_length() + node.denominator.bit_length() + (node.numerator < 0)
        for node in nodes_of(tree)
        if isinstance(node, Number)
    )
    return size(tree), bits, text(tree)


def reductions(tree: Expression) -> list[Expression]:
    """The distinct formulas that one reduction makes from a formula, sorted by size.

    If the formula contains x, each result contains x.

    >>> [text(smaller) for smaller in reductions(read("5*x + 7"))]
    ['5*x', 'x + 7', '5*x + 1', '2*x + 7', '5*x + 2', '5*x + 3', '5*x - 1', '7 - x']

    """
    forms = NormalForms()
    reduced: dict[str, Expression] = {}
    largest = measure(tree)
    for candidate in _candidates(tree):
        try:
            smaller = forms.of(candidate)
        except NoProblemError:
            continue
        words = text(smaller)
        keeps_x = _varies(smaller) or not _varies(tree)
        if keeps_x and measure(smaller) < largest and not refusal(smaller, words):
            reduced.setdefault(words, smaller)
    return sorted(reduced.values(), key=measure)


def _varies(tree: Expression) -> bool:
    return any(isinstance(node, Symbol) for node in nodes_of(tree))


def _candidates(tree: Expression) -> Iterator[Expression]:
    for position in _positions(tree):
        node = at(tree, position)
        if isinstance(node, Number):
            for value in _smaller_numbers(node):
                yield replaced(tree, position, value)
        if not isinstance(node, Call) or not node.args:
            continue
        for arg in node.args:
            yield replaced(tree, position, arg)
        if node.function in ("add", "mul") and len(node.args) > 2:
            for left_out in range(len(node.args)):
                remaining = node.args[:left_out] + node.args[left_out + 1 :]
                yield replaced(tree, position, Call(node.function, remaining))
        # The constant 1 in place of the whole formula is no problem.
        if position:
            yield replaced(tree, position, Number(1))


def _positions(tree: Expression, position: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield position
    if isinstance(tree, Call):
        for index, arg in enumerate(tree.args):
            yield from _positions(arg, (*position, index))


def _smaller_numbers(number: Number) -> Iterator[Number]:
    p, q = number.numerator, number.denominator
    if q != 1:
        yield Number(p)
        yield Number(1 if p > 0 else -1, q)
    values = {1, 2, -1, p // 2 if p > 0 else -(-p // 2), abs(p), p // 10 if p > 0 else -(-p // 10)}
    for value in sorted(values - {p, 0}):
        yield Number(value)


@dataclass(slots=True)
class _Course:
    """The state of the reduction of one failed problem."""

    start: Problem
    problem: Problem
    tree: Expression
    steps: int = 0
    solved: Problem | None = None
    done: bool = False
    candidates: list[Problem] = field(default_factory=list)


def minimise(failures: Sequence[Problem], oracle: Oracle, make: Make) -> list[Minimal]:
    """Minimise failures, and find the nearest solved neighbour of each.

    Args:
        failures: problems that the model fails. The metadata of each has its ``formula``.
        oracle: the object that asks the model.
        make: a function that makes a problem. Its arguments are a formula and the parent's text.

    Returns:
        A `Minimal` for each failure.

    Raises:
        LimitReached: answers are missing because of a limit.
        RunError: answers are missing for another reason.

    """
    courses = [
        _Course(failure, failure, read(str(failure.metadata["formula"]))) for failure in failures
    ]
    for _ in range(ROUNDS):
        open_ones = [course for course in courses if not course.done]
        if not open_ones:
            break
        # The reductions of all failures are asked together: a round costs a single sweep.
        by_id: dict[str, Problem] = {}
        for course in open_ones:
            smaller = [tree for tree in reductions(course.tree) if not unusable(tree)][
                :MAX_REDUCTIONS
            ]
            problems = [make(tree, text(course.tree)) for tree in smaller]
            course.candidates = [by_id.setdefault(problem.id, problem) for problem in problems]
        failing = {problem.id for problem in oracle.failures(list(by_id.values()))[0]}
        for course in open_ones:
            _advance(course, failing, oracle)
    return [_minimal(course) for course in courses]


def _advance(course: _Course, failing: set[str], oracle: Oracle) -> None:
    """Reduce a failed problem further, to its smallest candidate that fails.

    If no candidate fails, the nearest solved candidate is stored.
    """
    smallest = next((candidate for candidate in course.candidates if candidate.id in failing), None)
    if smallest is None:
        solved = [candidate for candidate in course.candidates if oracle.solves(candidate)]
        course.solved = solved[-1] if solved else None  # the largest differs least
        course.done = True
        return
    course.problem, course.steps = smallest, course.steps + 1
    course.tree = read(str(smallest.metadata["formula"]))


def _minimal(course: _Course) -> Minimal:
    solved = course.solved
    return Minimal(
        found=course.start.id,
        problem=course.problem.id,
        text=str(course.problem.metadata["formula"]),
        neighbour=solved.id if solved else "",
        neighbour_text=str(solved.metadata["formula"]) if solved else "",
        steps=course.steps,
    )
