"""Judges closed forms of sums and products."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from ...errors import ProblemError
from ...numeric.ball_arithmetic.balls import UnusableError
from ...numeric.ball_arithmetic.evaluation import evaluate
from ...numeric.ball_arithmetic.jets import ZERO as ZERO_BALL
from ...numeric.outcome import Outcome
from ...numeric.quadrature.closed_form import SURPLUS, encoded_digits
from ...numeric.quadrature.work import QuadratureError
from ...numeric.sampling.cases import distinguishes_cases, unseen_cases
from ...numeric.sampling.parameters import admits
from ...numeric.summation.agreement import agreement_at
from ...numeric.summation.choices import (
    ParameterPoint,
    conventions,
    largest_constant,
    lists_terms,
    point_at,
)
from ...numeric.summation.finite import at
from ...proof.sums.convergence import DIGITS, judge_divergence, values_or_divergence
from ...proof.sums.telescoping import prove_sum
from ...reading.expression.build import ONE, ZERO, add, div, mul, neg
from ...reading.expression.traversal import fold, substitute
from ...reading.expression.tree import Call, Expression
from ...reading.problem.conditions import may_be_zero
from ...reading.problem.sums import SumProblem, has_product, read_product, read_sum
from ...verdict import Status
from ..answers import with_strangers
from ..values import with_constants

#: Digits for answers that need more than the first `DIGITS`.
MORE_DIGITS: Final = (120, 240)
#: Numbers of an answer up to which agreement at whole numbers counts: these lie beyond twice the
#: largest, and a sum up to 600 takes 10 ms.
MAX_CONSTANT: Final = 300


@dataclass(frozen=True)
class SumJudge:
    """A sum, with methods that judge answers.

    Attributes:
        problem: the sum.
        text: the text of the answer.

    """

    problem: SumProblem
    text: str = ""

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.problem.parameters

    def by_conventions(self) -> Iterator[SumJudge]:
        """Yield the sum in each convention for its range, the usual convention first."""
        for problem in conventions(self.problem):
            yield replace(self, problem=problem)

    def questions(self, text: str) -> Iterator[Callable[[Expression], Outcome]]:
        """Yield the judges for the readings of a text as a sum over the same parameters."""
        with suppress(ProblemError):
            for stated in read_product(text) if has_product(text) else read_sum(text):
                conditions = stated.conditions.also(self.problem.conditions)
                judge = replace(self, problem=stated._replace(conditions=conditions))
                if {*judge.parameters} <= {*self.parameters}:
                    yield judge.judge

    def judge_divergence(self, infinity: int) -> Outcome:
        """Judge the answer "diverges" (``infinity`` is 0), or an infinity (1 or -1)."""
        return judge_divergence(self.problem, infinity)

    def judge(self, expression: Expression) -> Outcome:
        """Judge a closed form, also for the value 0 of a parameter of the term that may be 0."""
        problem, outcome = self.problem, self.equals(expression)
        names = may_be_zero(problem.conditions.comparisons)
        for name in names if outcome.status is Status.CORRECT else ():
            term, factor = (
                substitute(expression_of_n, name, ZERO)
                for expression_of_n in (problem.term, problem.factor)
            )
            at_zero = replace(self, problem=problem._replace(term=term, factor=factor))
            outcome_at_zero = at_zero.equals(substitute(expression, name, ZERO))
            if (
                outcome_at_zero.status is Status.INCORRECT
                and name not in at_zero.problem.parameters
            ):
                return Outcome(Status.UNDECIDED, detail=f"right for {name} other than 0 only")
        return outcome

    def equals(self, answer: Expression) -> Outcome:
        """Judge whether a closed form equals the sum."""
        answer = with_constants(answer, self.problem.parameters)
        if (strange := with_strangers(answer, self.problem.parameters)) is not None:
            return strange
        needed = encoded_digits(answer) + SURPLUS
        # at whole numbers the values differ, so that no number can be fitted to their digits
        symbolic = bool(self.problem.parameters) and not self.problem.is_infinite
        if needed > MORE_DIGITS[-1] and not symbolic:
            return Outcome(Status.UNDECIDED, detail="too long to tell from a fitted number")
        digits = next((d for d in (DIGITS, *MORE_DIGITS) if needed <= d), DIGITS)
        largest = largest_constant(answer, MAX_CONSTANT)
        try:
            largest_kept = min(largest, MAX_CONSTANT)
            chosen = values_or_divergence(self.problem, digits, largest_kept, self.text)
            outcome = agreement_at(answer, chosen, digits, 0.0 if symbolic else needed)
        except QuadratureError as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        if outcome.status is Status.INCORRECT:
            return outcome
        if lists_terms(self.problem, answer):
            return Outcome(Status.NOT_CLOSED_FORM, detail="the terms of the sum, not added")
        if not self.problem.parameters:
            if outcome.status is not Status.CORRECT or outcome.proof == "enclosure":
                return outcome
            if self._hides_limit(answer, digits):
                detail = "the last term has no effect on the digits that were compared"
                return Outcome(Status.UNDECIDED, points=len(chosen), detail=detail)
            return replace(outcome, proof="enclosure")
        if not self.problem.is_infinite:
            rules = prove_sum(self.problem, answer)
            if rules is not None:
                points, agreed = len(chosen), outcome.digits
                return Outcome(Status.CORRECT, points, agreed, proof="telescoping", rules=rules)
            if outcome.status is Status.CORRECT and largest > MAX_CONSTANT:
                detail = f"agrees at {len(chosen)} points, and has numbers above {MAX_CONSTANT}"
                return Outcome(Status.UNDECIDED, points=len(chosen), detail=detail)
        return self._in_all_cases(answer, outcome, chosen, digits)

    def _in_all_cases(
        self, answer: Expression, outcome: Outcome, chosen: Sequence[ParameterPoint], digits: int
    ) -> Outcome:
        """Compare an answer that agrees in further cases of its own functions.

        A case that is seen only where the sum diverges may begin where the sum converges.
        """
        problem, may_begin_before = self.problem, False
        if outcome.status is not Status.CORRECT:
            return outcome
        whole = {name: chosen[0].values[name] for name in problem.whole_parameters}
        assumptions = dict(problem.assumptions) | dict.fromkeys(whole, "integer")
        drawn = [tuple((n, float(value)) for n, value in sorted(p.values.items())) for p in chosen]
        try:
            for draw in unseen_cases(problem.parameters, assumptions, [answer], drawn):
                values = {name: Fraction(value) for name, value in draw} | whole
                if not admits(problem.conditions.comparisons, values):
                    continue
                point = point_at(problem, tuple(sorted(values.items())), digits)
                if point.sum.diverges:
                    with suppress(QuadratureError):
                        at(answer, values)
                        may_begin_before = distinguishes_cases(answer, in_logarithms=False)
                    continue
                in_case = agreement_at(answer, [point], digits, 0.0)
                # Without points, the answer has no value in this case.
                if in_case.status is not Status.CORRECT and in_case.points:
                    return in_case
        except (QuadratureError, UnusableError) as error:
            return Outcome(Status.UNDECIDED, points=len(chosen), detail=str(error))
        if may_begin_before:
            detail = f"agrees at {len(chosen)} points, and may have other cases elsewhere"
            return Outcome(Status.UNDECIDED, points=len(chosen), detail=detail)
        return outcome

    def _hides_limit(self, answer: Expression, digits: int) -> bool:
        """Whether an answer agrees with a finite sum that has one term more, too.

        The answer e to the sum of 1/n! from 0 to 500 is wrong, although 1135 digits agree.
        """
        problem = self.problem
        if isinstance(problem.upper, int):
            return False
        next_index = add(problem.upper, ONE)
        longer = problem._replace(upper=next_index)
        try:
            further_term = evaluate(substitute(problem.term, problem.counter, next_index))
            if further_term.contains(ZERO_BALL):
                return False
            chosen = values_or_divergence(longer, digits, MAX_CONSTANT, self.text)
            return agreement_at(answer, chosen, digits, 0.0).status is Status.CORRECT
        except (QuadratureError, UnusableError):
            return False


@dataclass(frozen=True)
class ProductJudge(SumJudge):
    r"""A product of the terms of ``problem``.

    The logarithm of a product of positive terms is the sum of the logarithms of the terms.
    """

    @property
    def logarithms(self) -> SumJudge:
        """The sum of the logarithms of the terms."""
        term = Call("ln", (self.problem.term,))
        problem = self.problem._replace(term=term, factor=ONE, outside=ZERO)
        return SumJudge(problem, self.text)

    def by_conventions(self) -> Iterator[SumJudge]:
        """Yield the product: no other convention is read."""
        yield self

    def judge_divergence(self, infinity: int) -> Outcome:
        """Judge an infinity (``infinity`` is 1), or the answer "diverges" (0)."""
        if self.problem.factor != ONE or self.problem.outside != ZERO or infinity < 0:
            return Outcome(Status.UNDECIDED, detail="a multiple of a product that diverges")
        outcome = self.logarithms.judge_divergence(1)
        if outcome.status is Status.INCORRECT and infinity == 0:
            # a product that tends to 0 is said to diverge, too
            return Outcome(Status.UNDECIDED, detail="the product does not tend to infinity")
        return outcome

    def equals(self, answer: Expression) -> Outcome:
        """Judge whether a closed form equals the product."""
        problem = self.problem
        if (strange := with_strangers(answer, problem.parameters)) is not None:
            return strange
        rules = prove_sum(problem, answer, join=mul)
        if rules is not None:
            return Outcome(Status.CORRECT, proof="telescoping", rules=rules)
        if lists_terms(problem, answer, "mul"):
            return Outcome(Status.NOT_CLOSED_FORM, detail="the factors, not multiplied")
        product = div(add(answer, neg(problem.outside)), problem.factor)
        if fold(product) == 0:
            return self.logarithms.judge_divergence(-1)
        return self.logarithms.equals(Call("ln", (product,)))
