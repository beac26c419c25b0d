"""The smallest form of a failure that still fails, with a solved problem next to it.

Delta debugging on trees: a part is replaced by one of its arguments, an argument of a sum or
product is left out, a number is made smaller. All one-step reductions of all failures are asked
together; of those that still fail the smallest goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ....benchmarks.problem import Problem
from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ...report.search.records import Minimal
from .formulas import NormalForms, UnusableError, read, size, text
from .mutants import refusal, unusable
from .mutations import at, replaced
from .oracle import Oracle

#: Most rounds, and most reductions of a formula that are asked in each.
ROUNDS, MOST = 20, 48

Make = Callable[[Expression, str], Problem]


def measure(tree: Expression) -> tuple[int, int, str]:
    """How large a formula is: nodes, then bits of its numbers, then its text."""
    bits = sum(
        node.numerator.bit_length() + node.denominator.bit_length() + (node.numerator < 0)
        for node in nodes_of(tree)
        if isinstance(node, Number)
    )
    return size(tree), bits, text(tree)


def reductions(tree: Expression) -> list[Expression]:
    """Formulas that are one step smaller, smallest first, each once; with x, if the formula has it.

    >>> [text(smaller) for smaller in reductions(read("5*x + 7"))]
    ['5*x', 'x + 7', '5*x + 1', '2*x + 7', '5*x + 2', '5*x + 3', '5*x - 1', '7 - x']

    """
    forms = NormalForms()
    reduced: dict[str, Expression] = {}
    largest = measure(tree)
    for candidate in _candidates(tree):
        try:
            smaller = forms.of(candidate)
        except UnusableError:
            continue
        words = text(smaller)
        kept = _varies(smaller) or not _varies(tree)
        if kept and measure(smaller) < largest and not refusal(smaller, words):
            reduced.setdefault(words, smaller)
    return sorted(reduced.values(), key=measure)


def _varies(tree: Expression) -> bool:
    return any(isinstance(node, Symbol) for node in nodes_of(tree))


def _candidates(tree: Expression) -> Iterator[Expression]:
    for place in _places(tree):
        node = at(tree, place)
        if isinstance(node, Number):
            for value in _smaller_numbers(node):
                yield replaced(tree, place, value)
        if not isinstance(node, Call) or not node.args:
            continue
        for arg in node.args:
            yield replaced(tree, place, arg)
        if node.function in ("add", "mul") and len(node.args) > 2:
            for left_out in range(len(node.args)):
                rest = node.args[:left_out] + node.args[left_out + 1 :]
                yield replaced(tree, place, Call(node.function, rest))
        if place:
            yield replaced(tree, place, Number(1))


def _places(tree: Expression, place: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield place
    if isinstance(tree, Call):
        for index, arg in enumerate(tree.args):
            yield from _places(arg, (*place, index))


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
    """How far a failure is made smaller."""

    start: Problem
    problem: Problem
    tree: Expression
    steps: int = 0
    solved: Problem | None = None
    done: bool = False
    candidates: list[Problem] = field(default_factory=list)


def minimise(failures: Sequence[Problem], oracle: Oracle, make: Make) -> list[Minimal]:
    """The smallest failures that are found, each with its nearest solved neighbour.

    Args:
        failures: problems that fail, with their ``formula`` as metadata.
        oracle: who is asked.
        make: makes a problem of a formula, and of the text of what it was made from.

    Returns:
        One for each failure.

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
        asked: dict[str, Problem] = {}
        for course in open_ones:
            smaller = [tree for tree in reductions(course.tree) if not unusable(tree)][:MOST]
            made = [make(tree, text(course.tree)) for tree in smaller]
            course.candidates = [asked.setdefault(one.id, one) for one in made]
        failing = {one.id for one in oracle.failures(list(asked.values()))[0]}
        for course in open_ones:
            _advance(course, failing, oracle)
    return [_minimal(course) for course in courses]


def _advance(course: _Course, failing: set[str], oracle: Oracle) -> None:
    """Go on from the smallest that fails; what is solved nearest to it is kept."""
    smallest = next((candidate for candidate in course.candidates if candidate.id in failing), None)
    if smallest is None:
        solved = [one for one in course.candidates if oracle.solves(one)]
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
