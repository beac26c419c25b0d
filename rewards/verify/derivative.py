r"""Verify derivatives against the function itself; no reference answer is needed.

The judge computes the derivative by the rules of differentiation. The answer has to be the same
function: the prover proves the identity, or the values of answer and derivative agree at sample
points. If the question asks for the derivative at a point, the answer has to be the same number in
closed form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..arguments import Acceptance
from ..numeric.ball_arithmetic.balls import UnusableError
from ..numeric.outcome import Budget, DecisionPolicy, Outcome
from ..numeric.sampling.integrand import Integrand, assumption_items
from ..proof.curves import vanishes_on
from ..proof.inverse_functions import read_derivative_of_inverse, slope_of_inverse
from ..reading.expression.build import add, neg
from ..reading.expression.traversal import needs_worker, substitute, symbols_of
from ..reading.expression.tree import Expression
from ..reading.latex.tokens.roles import IS_VALUE
from ..reading.problem.derivative import DerivativeQuestion, read_derivative
from ..verdict import Status, Verdict
from ..workers.deadline import Deadline
from ..workers.pool import DEFAULT_DEADLINE
from .answers import (
    AnswerOptions,
    NeedsWorkerError,
    find_answer,
    judged,
    read_answer,
    verify_in_worker,
    with_strangers,
)
from .values import (
    agreement_on_curve,
    check_variable,
    equality,
    half_line,
    proved_value,
    same_function,
)

#: Principal branches count, as for `rewards.verify_equivalent`: two functions are compared.
_POLICY = DecisionPolicy(strict_domain=True)
#: Bits of the balls at points of a curve, and points at which an answer has to agree.
_BITS, _CURVE_POINTS = 256, 4


def verify_derivative(
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
    r"""Verify that the final answer of a completion is the derivative that a question asks for.

    Args:
        completion: the model's output.
        problem: the question in LaTeX. It is an operator before a formula (``\frac{d}{dx} x^2``),
            or an equation followed by the derivative. The equation may be explicit (``f(x) = e^x,
            f''(0)``), implicit (``x^2+y^2=1, \frac{dy}{dx}``) or a curve with a parameter (``x=t^2,
            y=t^3, \frac{dy}{dx}``). A question may also ask for the derivative of an inverse
            function at a value (``(f^{-1})'(4)``).
        assumptions: assumptions on parameters, as in `verify_antiderivative`. By default,
            parameters are positive.
        strict: whether the answer must be in a box.
        stop: the prompt's stop strings. Text after the first stop string is ignored.
        truncated: whether the token limit cut the completion off.
        accept: ``agreement`` accepts answers that are proved right or agree at all points.
            ``proof`` accepts only proved answers. Answers that only agree are then undecided.
        undecided_reward: the reward of an undecided answer.
        deadline: seconds of processor time after which a worker process is stopped. An answer that
            needs no worker process has no deadline.

    Returns:
        A `Verdict`. ``evidence.proof`` is ``identity`` or ``agreement``.

    Raises:
        ProblemError: the question is unreadable, or the derivative does not exist at the point.

    Example:
        >>> verdict = verify_derivative(r"so $\boxed{2x\cos(x^2)}$", r"\frac{d}{dx}\sin(x^2)")
        >>> verdict.correct, verdict.evidence.proof
        (True, 'identity')

    """
    options = AnswerOptions(
        strict, stop, truncated, accept, undecided_reward, deadline, assumptions
    )
    question = _prepared(problem, assumption_items(assumptions))
    answer = find_answer(completion, options, symbols=question.names)
    read_answer(answer, question.names)
    if answer.status is not None:
        return answer.verdict(answer.status)
    budget = Budget()

    def decided(expression: Expression) -> Outcome:
        return question.judge(expression, str(answer.text), budget)

    try:
        outcome, reading = judged(answer, decided, question.names, slow=question.needs_worker)
    except NeedsWorkerError:
        return verify_in_worker("derivative", problem, answer)
    return answer.verdict(outcome.status, outcome, reading)


@lru_cache(maxsize=4096)
def _prepared(problem: str, assumptions: tuple[tuple[str, str], ...]) -> _DerivativeJudge:
    inverse = read_derivative_of_inverse(problem)
    if inverse is not None:
        question = DerivativeQuestion(slope_of_inverse(*inverse), inverse[1], {})
    else:
        question = read_derivative(problem)
    return _DerivativeJudge(question, dict(assumptions))


class _DerivativeJudge:
    """The derivative that a question asks for, ready to be compared with answers."""

    def __init__(self, question: DerivativeQuestion, assumptions: Mapping[str, str]) -> None:
        self.question = question
        tree = question.derivative
        for name, value in question.point:
            tree = substitute(tree, name, value)
        self.expected = tree
        self.is_value = not symbols_of(tree)
        self.needs_worker = needs_worker(tree)
        assumed = dict.fromkeys(question.definitions, "real")
        assumed |= {question.function: "real"} if question.function else {}
        assumed |= dict(question.kinds) | dict(assumptions)
        names = symbols_of(tree) | symbols_of(question.derivative) | {question.variable}
        names |= set(question.definitions)
        if question.curve is not None:
            names |= symbols_of(question.curve)
        self.names = (*sorted(names), IS_VALUE)
        variable = question.variable
        check_variable(variable, assumed)
        stated = question.bounds != (None, None)
        self.bounds = question.bounds if stated else half_line(assumed.get(variable, ""))
        self.integrand = Integrand(tree, variable, assumed, str(tree), names=symbols_of(tree))

    def judge(self, answer: Expression, text: str, budget: Budget) -> Outcome:
        """Judge whether an expression is the derivative that the question asks for."""
        question = self.question
        for name, formula in question.definitions.items():
            if name in symbols_of(answer):
                answer = substitute(answer, name, formula)
        for name, value in question.point:
            answer = substitute(answer, name, value)
        names = {*symbols_of(self.expected), *self.names}
        if (strange := with_strangers(answer, names)) is not None:
            return strange
        if self.is_value:
            return proved_value(answer, self.expected)
        if question.curve is not None and not question.point:
            return self._on_curve(answer)
        try:
            return same_function(answer, self.integrand, self.bounds, _POLICY, text, budget)
        except UnusableError as error:
            return Outcome(Status.UNDECIDED, detail=str(error))

    def _on_curve(self, answer: Expression) -> Outcome:
        """Judge whether an expression equals an implicit derivative at points of its curve."""
        curve, expected = self.question.curve, self.expected
        assert curve is not None
        difference = add(answer, neg(expected))
        proof = equality(answer, expected)
        if proof is not None or vanishes_on(difference, curve):
            rules = proof.rules if proof else ("relation of the curve",)
            return Outcome(Status.CORRECT, proof="identity", rules=rules)
        x, y = self.question.variable, self.question.function
        return agreement_on_curve(answer, expected, (curve, x, y), self.integrand.assumptions)
