r"""Verify sums against the sum itself; no reference answer is needed.

A finite sum with a symbolic limit is proved by telescoping, and compared at many whole numbers. An
infinite one is enclosed (`rewards.numeric.summation`), and the answer has to be a closed form that
agrees with it to more digits than it could encode. Questions about power series are judged by
`rewards.verify.series`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Final

from flint import acb, fmpq

from ..arguments import ACCEPTANCES, Acceptance, check_choice
from ..numeric.ball_arithmetic.balls import precision
from ..numeric.ball_arithmetic.jets import Ball
from ..numeric.outcome import Outcome, show
from ..numeric.quadrature.closed_form import SURPLUS, agreement, encoded_digits, hides_a_part
from ..numeric.quadrature.work import QuadratureError, work_limit
from ..numeric.sampling.integrand import assumption_items
from ..numeric.summation.choices import Point, choices, ends, value_at, whole_parameters
from ..numeric.summation.finite import at, exact
from ..proof.telescoping import identical, telescopes
from ..reading.expression.build import add, div, neg, number
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import (
    fold,
    is_constant,
    is_written_with,
    needs_worker,
    nodes_of,
    substitute,
    symbols_of,
)
from ..reading.expression.tree import Expression, Number
from ..reading.latex import Reading
from ..reading.latex.parser import IS_VALUE
from ..reading.problem.sums import SumProblem, read_sum
from ..verdict import Status, Verdict, Witness
from ..workers.deadline import Deadline
from ..workers.pool import DEFAULT_DEADLINE
from .answers import (
    ExtractedAnswer,
    NeedsWorkerError,
    best,
    find_answer,
    read_answer,
    require_worker,
    verify_in_worker,
    with_others,
)
from .divergence import stated_divergence
from .values import with_constants

#: Digits to which sums are computed at first, and for answers that need more.
DIGITS, MORE_DIGITS = 60, (120, 240)
#: Operations of one call (`numeric.quadrature.work`): the most that a sum of the bank takes is
#: 60,000, in 0.1 s.
ONE_CALL: Final = 2_000_000
#: Numbers of an answer up to which agreement at whole numbers counts: these lie beyond twice the
#: largest, and a sum up to 600 takes 10 ms.
MAX_CONSTANT: Final = 300
#: Draws of the parameters of an infinite sum.
DRAWS: Final = 4
_UNEVALUATED: Final = re.compile(
    r"\\sum(?![A-Za-z])|[∑]|\\ldots|\\cdots|\\dots(?![A-Za-z])|\.\.\.|…"
)


def verify_sum(
    completion: str,
    problem: str,
    *,
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    accept: Acceptance = "agreement",
    undecided_reward: float = 0.0,
    deadline: float | Deadline = DEFAULT_DEADLINE,
) -> Verdict:
    r"""Verify that the final answer of a completion is the value of a sum, or what is asked of one.

    An unevaluated sum is no answer, nor is the list of its terms, nor a decimal. Of a divergent sum
    "diverges" is the answer, or the infinity that its partial sums tend to.

    Args:
        completion: the model's output.
        problem: LaTeX with one sum sign (``\sum_{n=1}^{\infty} \frac{1}{n^2}``), or a question
            about a power series in words (`rewards.reading.problem.power_series`).
        assumptions: kinds of parameters, as in `verify_antiderivative`; positive by default, and
            whole numbers in limits.
        strict: require a box.
        stop: the prompt's stop strings. Text after the first of them is ignored.
        truncated: the completion was cut off by the token limit.
        accept: ``proof`` accepts only what is proved: by telescoping, by an enclosure of a sum
            without parameters, by exact coefficients. What is only agreed is undecided then.
        undecided_reward: the reward of an undecided answer.
        deadline: seconds of processor time, for an item that has to run in a worker.

    Returns:
        A `Verdict`. ``evidence.proof`` is ``telescoping``, ``enclosure``, ``divergence``, ``exact``
        or ``agreement``; ``evidence.digits`` says to how many digits the answer agrees, and
        ``evidence.points`` at how many choices of the parameters.

    Raises:
        ProblemError: the question is unreadable, or a term of the sum is not defined.

    Example:
        >>> verdict = verify_sum(r"$\boxed{\frac{\pi^2}{6}}$", r"\sum_{n=1}^\infty \frac{1}{n^2}")
        >>> verdict.correct, verdict.evidence.proof
        (True, 'enclosure')

    """
    check_choice("accept", accept, ACCEPTANCES)
    kinds = assumption_items(assumptions)
    problems = _read(problem)
    answer = find_answer(completion, strict=strict, stop=stop, truncated=truncated)
    infinity = stated_divergence(completion, answer, strict, stop, truncated)
    if answer.text is not None and infinity is None and _UNEVALUATED.search(answer.text):
        return answer.verdict(Status.NOT_CLOSED_FORM, detail="a sum that is not evaluated")
    names = sorted({name for each in problems for name in each.parameters})
    read_answer(answer, (*names, IS_VALUE))
    if answer.status is not None and infinity is None:
        return answer.verdict(answer.status)
    answer.readings = tuple(answer.readings)  # for each reading of the problem
    try:
        with work_limit(ONE_CALL):
            outcome, reading = best(_judged(answer, infinity, problems, kinds))
    except NeedsWorkerError:
        return verify_in_worker(
            "sum",
            completion,
            problem,
            answer,
            deadline=deadline,
            assumptions=assumptions,
            strict=strict,
            stop=stop,
            truncated=truncated,
            accept=accept,
            undecided_reward=undecided_reward,
        )
    return answer.verdict(
        outcome.status, outcome, reading, accept=accept, undecided_reward=undecided_reward
    )


@lru_cache(maxsize=4096)
def _read(problem: str) -> tuple[SumProblem, ...]:
    return read_sum(problem)


def _judged(
    answer: ExtractedAnswer,
    infinity: int | None,
    problems: Sequence[SumProblem],
    kinds: tuple[tuple[str, str], ...],
) -> Iterator[tuple[Outcome, Reading | None]]:
    """The outcome for each reading of the problem."""
    for problem in problems:
        asked = Asked(problem, kinds)
        require_worker(needs_worker(problem.term))
        if infinity is not None:
            yield asked.judge_divergence(infinity), None
            continue
        judge = partial(_outcomes, asked=asked)
        outcome, reading = best(judge(answer))
        yield with_others(answer, outcome, reading, judge, problem.parameters), reading


def _outcomes(answer: ExtractedAnswer, asked: Asked) -> Iterator[tuple[Outcome, Reading]]:
    for reading in answer.readings:
        require_worker(needs_worker(reading.expression))
        yield asked.judge(reading.expression, str(answer.text)), reading


@dataclass(frozen=True)
class Asked:
    """A sum with kinds of its parameters, ready to be compared with answers."""

    problem: SumProblem
    kinds: tuple[tuple[str, str], ...]

    @property
    def is_infinite(self) -> bool:
        """Whether a limit is infinite."""
        return isinstance(self.problem.lower, int) or isinstance(self.problem.upper, int)

    @property
    def assumptions(self) -> dict[str, str]:
        """Kinds of parameters: symbols in limits are whole numbers."""
        stated = dict(self.problem.conditions.kinds) | dict(self.kinds)
        return dict.fromkeys(whole_parameters(self.problem), "integer") | stated

    def judge_divergence(self, infinity: int) -> Outcome:
        """Whether "diverges" (0), or plus or minus infinity, is right."""
        if not self.is_infinite:
            return Outcome(Status.INCORRECT, detail="a finite sum does not diverge")
        try:
            points = self._points(DIGITS, 0)
        except QuadratureError as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        if not all(point.sum.diverges for point in points):
            return Outcome(Status.INCORRECT, detail="the sum converges")
        factor = exact(self.problem.factor, {})
        if factor is None and infinity:
            return Outcome(Status.UNDECIDED, detail="the sign of the factor is not decided")
        sign = points[0].sum.sign * (-1 if factor is not None and factor < 0 else 1)
        if infinity and infinity != sign:
            return Outcome(Status.INCORRECT, detail="the sum does not tend to that infinity")
        proof = "" if self.problem.parameters else "divergence"
        return Outcome(Status.CORRECT, points=len(points), proof=proof)

    def judge(self, answer: Expression, text: str) -> Outcome:
        """Whether a closed form is the value of the sum."""
        answer = with_constants(answer, self.problem.parameters)
        extra = sorted(symbols_of(answer) - set(self.problem.parameters))
        if extra:
            detail = f"symbols that the problem lacks: {', '.join(extra)}"
            return Outcome(Status.INCORRECT, detail=detail)
        needed = encoded_digits(answer) + SURPLUS
        if needed > MORE_DIGITS[-1]:
            return Outcome(Status.UNDECIDED, detail="too long to tell from a fitted number")
        digits = next(d for d in (DIGITS, *MORE_DIGITS) if needed <= d)
        largest = _largest_constant(answer)
        try:
            points = self._points(digits, min(largest, MAX_CONSTANT))
            outcome = self._compare(answer, points, digits, needed)
        except QuadratureError as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        if outcome.status is Status.INCORRECT:
            return outcome
        if self._lists_terms(answer):
            return Outcome(Status.NOT_CLOSED_FORM, detail="the terms of the sum, not added")
        if not self.problem.parameters:
            if outcome.status is Status.CORRECT:
                outcome = replace(outcome, proof="enclosure")
            return outcome
        if not self.is_infinite:
            rules = self._telescoping(answer)
            if rules is not None:
                status, digits_ = Status.CORRECT, outcome.digits
                return Outcome(status, len(points), digits_, proof="telescoping", rules=rules)
            if outcome.status is Status.CORRECT and largest > MAX_CONSTANT:
                detail = f"agrees at {len(points)} points, and has numbers above {MAX_CONSTANT}"
                return Outcome(Status.UNDECIDED, points=len(points), detail=detail)
        return outcome

    # -- comparison at points -------------------------------------------------------------------

    def _points(self, digits: int, largest: int) -> list[Point]:
        """The values of the sum, factor and addend included, for choices of the parameters."""
        if not self.problem.parameters:
            return [Point({}, value_at(self.problem, (), digits))]
        points: list[Point] = []
        failure: QuadratureError | None = None
        converging = 0
        for values in choices(self.problem, self.assumptions, largest):
            try:
                point = Point(values, value_at(self.problem, tuple(sorted(values.items())), digits))
            except QuadratureError as error:
                failure = failure or error
                continue
            points.append(point)
            converging += not point.sum.diverges
            if self.is_infinite and converging == DRAWS:
                break
        if len(points) < 2:
            raise failure or QuadratureError("the sum has no values for its parameters")
        if converging:  # where it converges for some parameters only, those are meant
            points = [point for point in points if not point.sum.diverges]
        return points

    def _compare(
        self, answer: Expression, points: Sequence[Point], digits: int, needed: float
    ) -> Outcome:
        """The outcome of the comparison at all points."""
        bits, fewest = 128 + 4 * digits, float(digits)
        if points[0].sum.diverges:
            return Outcome(Status.INCORRECT, detail="the sum diverges")
        got: list[Ball] = []
        for point in points:
            with precision(bits):
                try:
                    value = at(answer, point.values)
                except QuadratureError:
                    if self.problem.parameters and not self.is_infinite:
                        continue  # (r^n - 1)/(r - 1) has no value for r = 1
                    raise
            same, agreed = agreement(value, point.sum, bits)
            if same is False:
                return _refuted(point, value, len(points))
            fewest = min(fewest, agreed)
            got.append(value)
        if not got or 2 * len(got) < len(points):
            return Outcome(Status.UNDECIDED, detail="the answer has no values")
        if fewest < needed and self.is_infinite:
            detail = f"agrees to {fewest:.0f} digits, but {needed:.0f} are needed"
            return Outcome(Status.UNDECIDED, points=len(got), detail=detail)
        middle = points[len(got) // 2]
        values = {name: acb(fmpq(v.numerator, v.denominator)) for name, v in middle.values.items()}
        if hides_a_part(answer, got[len(got) // 2], values, bits, fewest):
            detail = f"a part of it has no effect on the {fewest:.0f} digits that were compared"
            return Outcome(Status.UNDECIDED, points=len(got), detail=detail)
        return Outcome(Status.CORRECT, points=len(got), digits=round(fewest, 1), proof="agreement")

    # -- proofs and echoes ----------------------------------------------------------------------

    def _telescoping(self, answer: Expression) -> tuple[str, ...] | None:
        """A proof by telescoping in the symbol of the upper limit, which the term lacks."""
        problem = self.problem
        upper, lower = problem.upper, problem.lower
        if isinstance(upper, int) or isinstance(lower, int):
            return None
        inner = answer if problem.outside == Number(0) else add(answer, neg(problem.outside))
        inner = inner if problem.factor == Number(1) else div(inner, problem.factor)
        kinds = {name: k for name, k in self.assumptions.items() if k in ("positive", "real")}
        for variable in sorted(symbols_of(upper) - symbols_of(lower)):
            if variable in symbols_of(problem.term) | symbols_of(lower):
                continue
            rules = telescopes(inner, problem.term, problem.counter, upper, variable, kinds)
            if rules is None:
                continue
            base = self._base(inner, variable, upper, lower, kinds)
            if base is not None:
                return tuple(sorted({*rules, *base}))
        return None

    def _base(
        self,
        answer: Expression,
        variable: str,
        upper: Expression,
        lower: Expression,
        kinds: Mapping[str, str],
    ) -> tuple[str, ...] | None:
        """The rules of a proof that the closed form is right for one value of the variable."""
        problem = self.problem
        shift = substitute(upper, variable, Number(0))
        start, slope = fold(shift), fold(differentiate(upper, variable))
        if slope == 1:
            first = add(lower, neg(shift))
            value = substitute(problem.term, problem.counter, lower)
            folded = fold(first)
            whole = first if folded is None else number(folded)
            return identical(substitute(answer, variable, whole), value, kinds)
        low = fold(lower)
        if start is None or slope is None or low is None:
            return None
        n = max(0, -((start - low) // slope))
        top = int(start + slope * n)
        terms = [
            substitute(problem.term, problem.counter, Number(k)) for k in range(int(low), top + 1)
        ]
        value = add(*terms) if terms else Number(0)
        return identical(substitute(answer, variable, Number(int(n))), value, kinds)

    def _lists_terms(self, answer: Expression) -> bool:
        """Whether the answer is the list of the terms, joined by plus signs."""
        problem = self.problem
        if self.is_infinite or answer.function != "add" or problem.parameters:
            return False
        low, high = ends(problem, {})
        listed = _addends(answer)
        if len(listed) < 3 or len(listed) != high - low + 1:
            return False
        with precision(128), suppress(QuadratureError):
            terms = [at(problem.term, {problem.counter: Fraction(k)}) for k in range(low, high + 1)]
            waiting = [at(part, {}) for part in listed]
            for term in terms:
                same = next((v for v in waiting if (v - term).contains(0)), None)
                if same is None:
                    return False
                waiting.remove(same)
            return True
        return False


def _addends(node: Expression) -> list[Expression]:
    if node.function != "add":
        return [node]
    return [part for arg in node.args for part in _addends(arg)]


def _largest_constant(answer: Expression) -> int:
    """The largest number that a part of an answer without symbols is, rounded up."""
    largest = 0
    for node in nodes_of(answer):
        if is_constant(node):
            value = fold(node)
            if value is None and is_written_with(node, "factorial", "binomial", "gamma", "pow"):
                value = exact(node, {}) or Fraction(10**9)
            if value is not None:
                largest = max(
                    largest, abs(value.numerator) // value.denominator + 1, value.denominator
                )
    return largest


def _refuted(point: Point, value: Ball, count: int) -> Outcome:
    where = ", ".join(f"{name} = {v}" for name, v in point.values.items())
    witness = Witness(where, expected=show(acb(point.sum.ball)), got=show(value))
    return Outcome(Status.INCORRECT, points=count, witness=witness)
