"""Right and wrong answers to questions of a course. The labels are checked in mpmath.

A case is a problem of the benchmark ``course`` with its answer, or with a wrong answer. A wrong
answer is the right answer after a slip. The slip is another sign or factor, a missing term or
constant of integration, or a decimal in place of an exact number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import mpmath

from .....benchmarks.calculus_course.equations import Solved, solved
from .....benchmarks.hashed_random import HashedRandom
from .....benchmarks.payloads import QuestionTarget
from .....benchmarks.problem import Problem
from .....benchmarks.registry import resolve
from .....benchmarks.subset import Subset
from .....rewards.errors import ProblemError
from .....rewards.questions import COURSE
from .....rewards.reading.expression.build import mul, number
from .....rewards.reading.expression.derivative import differentiate
from .....rewards.reading.expression.traversal import nodes_of, substitute, symbols_of
from .....rewards.reading.expression.tree import Call, Expression, Number
from .....rewards.reading.latex import ReadError, read, to_latex
from .....rewards.reading.problem.derivatives import Jet
from ..case import Case, DiscardedError, generator
from ..numeric import NoValueError, value
from ..slips import slips

_VOICES = (r"\boxed{<F>}", r"So the answer is $\boxed{<F>}$.", r"$$\boxed{<F>}$$ This was checked.")
#: Members of an endless subset that are drawn from, for each seed of a million.
_MEMBERS, _SEEDS = 200, 1_000_000
#: Points at which a wrong answer has to be seen, and the difference that shows it: decimals of 12
#: digits differ by 10^{-13}, formulas of this size lose ten of 40 digits.
_STARTS = (Fraction(31, 97), Fraction(83, 97), Fraction(141, 97), Fraction(-47, 97), Fraction(5, 2))
_SEEN = 1e-20
#: Digits of a decimal in place of an exact number.
_DIGITS = (3, 5, 8, 12)


@cache
def _subsets(task: str) -> tuple[Subset, ...]:
    return tuple(subset for subset in resolve("course/all") if subset.task == task)


def _problem(task: str, rng: HashedRandom) -> Problem:
    subset = rng.choice(_subsets(task))
    seed = rng.below(_SEEDS) if subset.endless or "_" in subset.name else 0
    return subset.problem(seed, rng.below(min(subset.size(), _MEMBERS)))


def course_case(task: str, rng: HashedRandom) -> Case:
    """Make a case with a problem of the course and an answer, which is right or wrong.

    ``task`` is the name of the kind of question.

    Raises:
        DiscardedError: no answer is known, or the changed answer is not certainly wrong.

    """
    problem = _problem(task, rng)
    target = problem.target_as(QuestionTarget)
    voice = rng.choice(_VOICES)
    assumptions = dict(problem.assumptions)
    if target.answer is None:
        raise DiscardedError("no answer is known")
    if rng.below(5) == 0:
        text = voice.replace("<F>", target.answer)
        return Case(target.question, text, True, "the answer", assumptions, task=task)
    judged = _solution(target) if task == "differential_equation" else _formula(target, task)
    slip, wrong = judged.slip(rng)
    text = voice.replace("<F>", wrong)
    return Case(target.question, text, False, slip, assumptions, task=task)


def _decimals(tree: Expression, rng: HashedRandom) -> Iterator[tuple[str, Expression]]:
    """Yield copies of the tree. In each copy, a decimal replaces one exact number.

    The decimal is close to the exact number, which is a fraction, a root or another constant.
    """
    for node in nodes_of(tree):
        exact = isinstance(node, Number) and node.denominator not in (1, 2, 4, 5, 8, 10)
        if exact or (isinstance(node, Call) and not symbols_of(node) and node.args):
            try:
                near = round(Fraction(str(value(node, {}))), rng.choice(_DIGITS))
            except (NoValueError, ValueError):
                continue
            yield "a decimal", _replaced(tree, node, number(near))


def _replaced(tree: Expression, old: Expression, new: Expression) -> Expression:
    if tree == old:
        return new
    if not isinstance(tree, Call):
        return tree
    return Call(tree.function, tuple(_replaced(arg, old, new) for arg in tree.args))


def _apart(lhs: Expression, rhs: Expression, point: Mapping[str, Fraction]) -> bool:
    """Whether the values of two formulas at a point are different.

    The values are compared at two precisions, and must differ at both. A rounding error becomes
    smaller at the higher precision. A real difference does not.
    """
    differences = []
    for digits in (40, 80):
        with mpmath.workdps(digits):
            a, b = value(lhs, point), value(rhs, point)
            differences.append(abs(a - b) / (1 + abs(a) + abs(b)))
    return bool(min(differences) > _SEEN)


@dataclass(frozen=True, slots=True)
class _Formula:
    """A right answer to a question whose right answers all equal one formula."""

    tree: Expression

    def slip(self, rng: HashedRandom) -> tuple[str, str]:
        changes = [
            *slips(self.tree),
            ("a factor", mul(number(rng.integer(2, 9)), self.tree)),
            *_decimals(self.tree, rng),
        ]
        change, wrong = rng.choice(changes)
        # A slip counts only if the values differ at a point.
        names = sorted(symbols_of(self.tree) | symbols_of(wrong))
        for start in _STARTS:
            point = {name: start + Fraction(at, 7) for at, name in enumerate(names)}
            try:
                if _apart(self.tree, wrong, point):
                    return change, to_latex(wrong)
            except NoValueError:
                continue
        raise DiscardedError("the slip changed nothing that can be seen")


def _formula(target: QuestionTarget, task: str) -> _Formula:
    # On a curve another formula may have the same values; a limit may be infinite.
    try:
        tree = read(str(target.answer))[0].expression
    except ReadError as error:
        raise DiscardedError(str(error)) from None
    if task == "derivative" and "y" in symbols_of(tree) and "=" in target.question:
        raise DiscardedError("an implicit function has other formulas of its derivative")
    return _Formula(tree)


@dataclass(frozen=True, slots=True)
class _Solution:
    """A right answer that solves a differential equation. Other solutions may be right as well."""

    made: Solved

    def slip(self, rng: HashedRandom) -> tuple[str, str]:
        item = self.made
        formulas = dict(item.answers[0].formulas)
        if len(item.answers) > 1 and item.ode.asks_all:
            lost = Solved(item.ode, item.equations, item.conditions, item.answers[:1])
            return "a lost solution", lost.answer
        if not formulas:
            raise DiscardedError("an implicit solution")
        function = rng.choice(sorted(formulas))
        tree = formulas[function]
        constants = sorted(symbols_of(tree) - item.ode.names)
        changes = [*slips(tree), *_decimals(tree, rng)]
        changes += [("a factor", mul(number(rng.integer(2, 9)), tree))]
        changes += [("another order", differentiate(tree, item.ode.variable))]
        changes += [("a lost constant", substitute(tree, name, number(1))) for name in constants]
        changes += [("a lost constant", substitute(tree, name, number(0))) for name in constants]
        change_name, wrong = rng.choice(changes)
        formulas[function] = wrong
        free = set().union(*map(symbols_of, formulas.values())) - item.ode.names
        needed = max(item.ode.order - len(item.conditions), 0)
        if len(free) >= needed and not self._fails(formulas):
            raise DiscardedError("the slip made another solution")
        text = r",\ ".join(f"{name} = {to_latex(formula)}" for name, formula in formulas.items())
        return change_name, text

    def _fails(self, formulas: Mapping[str, Expression]) -> bool:
        """Whether the formulas violate an equation or a condition of the question.

        The test compares values that mpmath computes.
        """
        item, x = self.made, self.made.ode.variable
        slopes: dict[tuple[str, int], Expression] = {}

        def slope(jet: Jet) -> Expression:
            key = jet.function, jet.order
            if key not in slopes:
                derivative = formulas[jet.function]
                for _ in range(jet.order):
                    derivative = differentiate(derivative, x)
                slopes[key] = derivative
            return slopes[key]

        pairs: list[Sequence[Expression]] = []
        for sides in item.equations:
            written = list(sides)
            for name, jet in item.ode.jets.items():
                if not jet.at:
                    written = [substitute(side, name, slope(jet)) for side in written]
            for name, tree in formulas.items():
                written = [substitute(side, name, tree) for side in written]
            pairs.append(written)
        pairs += [
            (substitute(slope(jet), x, jet.at[0]), at_place) for jet, at_place in item.conditions
        ]
        names = sorted(set().union(*(symbols_of(side) for pair in pairs for side in pair)))
        seen = False
        starts = (*_STARTS, *(Fraction(n, 89) for n in (13, 57, 101, 171, 203, 260, 301)))
        # Constants lie on either side of the variable: a radical has its sign on one side only.
        for start, step in product(starts, (Fraction(1, 5), Fraction(-7, 3), Fraction(7, 3))):
            point = {name: start + at * step for at, name in enumerate(names)}
            try:
                if not any(_apart(left, right, point) for left, right in pairs):
                    return False  # on a part of the line it holds, where a radical has its sign
            except NoValueError:
                continue
            seen = True
        return seen


def _solution(target: QuestionTarget) -> _Solution:
    try:
        item = solved(target.question, str(target.answer))
    except (ProblemError, ReadError) as error:
        raise DiscardedError(str(error)) from None
    if item is None:
        raise DiscardedError("conditions of another form than a value")
    return _Solution(item)


def _register(task: str) -> None:
    def make(rng: HashedRandom) -> Case:
        try:
            return course_case(task, rng)
        except ValueError as error:  # a slip that has no formula, a function without a derivative
            raise DiscardedError(str(error)) from None

    make.__name__ = task
    generator(make)


for _task in COURSE:
    _register(_task)
