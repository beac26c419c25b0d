r"""Verify derivatives against the function itself; no reference answer is needed.

The judge computes the derivative by the rules of differentiation. The answer has to be the same
function: the prover proves the identity, or the values of answer and derivative agree at sample
points. If the question asks for the derivative at a point, the answer has to be the same number in
closed form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Unpack

from ..arguments import check_text
from ..errors import ProblemError
from ..numeric.outcome import Budget, Outcome
from ..numeric.sampling.integrand import Integrand, assumption_items
from ..proof.curves import vanishes_on
from ..proof.equality import equality
from ..proof.inverse_functions import read_derivative_of_inverse, slope_of_inverse
from ..proof.prover.normal import normal_forms
from ..proof.ranks import ball_of
from ..proof.sums.telescoping import identical
from ..reading.expression.build import ZERO, add, neg
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import (
    all_nodes,
    is_written_with,
    needs_worker,
    size,
    substitute,
    substitute_all,
    symbols_of,
)
from ..reading.expression.tree import Expression, Number, Symbol
from ..reading.extraction.judge import Asks
from ..reading.latex.tokens.roles import IS_VALUE
from ..reading.problem.derivative import DerivativeQuestion, read_derivative
from ..reading.problem.derivatives import DERIVATIVE, LARGEST, VALUE_AT, operand, operators
from ..reading.problem.derivatives.answer import with_named_answer
from ..reading.problem.derivatives.general_order import GeneralOrder, general_order
from ..reading.problem.layout import opening
from ..verdict import Status, Verdict
from .answers import (
    AnswerKeywords,
    AnswerOptions,
    NeedsWorkerError,
    find_answer,
    judged,
    read_answer,
    verify_in_worker,
    with_strangers,
)
from .options import with_option
from .values import (
    check_variable,
    equal_on_curve,
    half_line,
    proved_value,
    same_function,
)

#: Orders above the least one up to which a formula in the order is compared.
_FURTHER_ORDERS = 5
_BRACKET = re.compile(r"(?:\\left|\\[bB]igg?l?)?\s*[(\[]")
_TIMES = re.compile(r"\\(?:cdot|times)(?![A-Za-z])|[*·×]")


def verify_derivative(
    completion: str,
    problem: str,
    *,
    assumptions: Mapping[str, str] | None = None,
    **options: Unpack[AnswerKeywords],
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
        options: ``strict``, ``stop``, ``truncated``, ``accept``, ``undecided_reward`` and
            ``deadline``, as for `verify_antiderivative`.

    Returns:
        A `Verdict`. ``evidence.proof`` is ``identity`` or ``agreement``.

    Raises:
        ProblemError: the question is unreadable, or the derivative does not exist at the point.

    Example:
        >>> verdict = verify_derivative(r"so $\boxed{2x\cos(x^2)}$", r"\frac{d}{dx}\sin(x^2)")
        >>> verdict.correct, verdict.evidence.proof
        (True, 'identity')

    """
    chosen = AnswerOptions(assumptions=assumptions, **options)
    question = _prepared(problem, assumption_items(assumptions))
    check_text("completion", completion)
    completion = with_option(completion, problem, chosen)
    named = with_named_answer(completion, problem, question.names, question.general)
    answer = find_answer(named, chosen, symbols=question.answer_names, asks=question.asks)
    read_answer(answer, question.names)
    if answer.status is not None:
        return answer.verdict(answer.status)
    budget = Budget()

    def decided(expression: Expression) -> Outcome:
        return question.judge(expression, str(answer.text), budget)

    def questions(text: str) -> Iterator[Callable[[Expression], Outcome]]:
        for link in question.questions(text):
            yield partial(link.judge, text=str(answer.text), budget=budget)

    slow = question.needs_worker
    try:
        outcome, reading = judged(answer, decided, question.names, slow=slow, questions=questions)
    except NeedsWorkerError:
        return verify_in_worker("derivative", problem, answer)
    return answer.verdict(outcome.status, outcome, reading)


@lru_cache(maxsize=4096)
def _prepared(
    problem: str, assumptions: tuple[tuple[str, str], ...]
) -> _DerivativeJudge | _GeneralJudge:
    general = general_order(problem)
    if general is not None:
        return _GeneralJudge(read_derivative(general.text), general, dict(assumptions))
    inverse = read_derivative_of_inverse(problem)
    if inverse is not None:
        question = DerivativeQuestion(slope_of_inverse(*inverse), inverse[1], {})
    else:
        question = read_derivative(problem)
        if question.point or not symbols_of(question.derivative):
            _check_point(question, read_derivative(problem, written=True).derivative)
    return _DerivativeJudge(question, dict(assumptions))


def _check_point(question: DerivativeQuestion, written: Expression) -> None:
    """Refuse a point that is not on the curve, or at which a function has no real value.

    Args:
        question: the question.
        written: the derivative in which the derivatives and the values at points remain calls.

    """
    curves = [
        add(question.definitions[name], neg(value))  # y = f(x), with values of x and y
        for name, value in question.point
        if name in question.definitions
    ]
    curves += [] if question.curve is None else [question.curve]
    for curve in curves:
        residual = ball_of(substitute_all(curve, question.point))
        if residual is not None and not residual.contains(0):
            raise ProblemError("the point is not on the curve")
    remaining = [(written, question.point)] * (question.curve is None)
    while remaining:
        node, point = remaining.pop()
        if node.function == VALUE_AT:
            inner, variable, at = node.args
            assert isinstance(variable, Symbol)
            remaining.append((inner, (*point, (variable.name, at))))
        elif node.function == DERIVATIVE and not is_written_with(node.args[0], DERIVATIVE):
            function = substitute_all(node.args[0], point)
            value = None if symbols_of(function) else ball_of(function)
            if value is not None and not value.imag.contains(0):
                raise ProblemError("the function has no real value at the point")
        else:
            remaining += [(argument, point) for argument in node.args]


class _GeneralJudge:
    """The derivatives of all orders of a function, with which a formula in the order is compared.

    A formula A(n, x) is proved by induction: A(n + 1, x) is the derivative of A(n, x), and A is
    right for the least order. A formula that is wrong for two of three higher orders is refuted.
    """

    def __init__(
        self, question: DerivativeQuestion, order: GeneralOrder, assumptions: Mapping[str, str]
    ) -> None:
        at_point = question.variable not in symbols_of(question.derivative) or question.point
        if question.curve is not None or at_point or order.order in assumptions:
            raise ProblemError("a derivative whose order is a letter is not read at a point")
        self.order, self.general, self.variable = order, order.order, question.variable
        self.judges: list[_DerivativeJudge] = []
        for _ in range(order.least + _FURTHER_ORDERS):
            self.judges.append(_DerivativeJudge(question, assumptions))
            slope = _differentiated(question.derivative, question.variable)
            if slope is None:
                raise ProblemError("the derivatives of higher orders are too long")
            question = replace(question, derivative=slope)
        self.needs_worker = self.judges[0].needs_worker
        self.names = (*sorted({order.order, *self.judges[0].names} - {IS_VALUE}),)
        self.answer_names = self.names
        self.asks: Asks = "derivative"

    def questions(self, text: str) -> tuple[_DerivativeJudge, ...]:
        """No link states a derivative of every order."""
        return ()

    def judge(self, answer: Expression, text: str, budget: Budget) -> Outcome:
        """Judge whether an expression is the derivative of every order."""
        n, least, x = self.order.order, self.order.least, self.variable
        answer = substitute_all(answer, self.judges[0].question.definitions.items())
        outcomes = [
            judge.judge(substitute(answer, n, Number(at)), text, budget)
            for at, judge in enumerate(self.judges, 1)
            if at == least or at > least + 2
        ]
        refuting = [reading for reading in outcomes[1:] if reading.status is Status.INCORRECT]
        if len(refuting) > 1:
            return refuting[0]
        following = substitute(answer, n, add(Symbol(n), Number(1)))
        assumed = {**self.judges[0].integrand.assumptions, n: "positive"}
        try:
            rules = identical(differentiate(answer, x), following, assumed)
        except ValueError as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        if rules is None or outcomes[0].status is not Status.CORRECT:
            return Outcome(Status.UNDECIDED, detail="not proved for all orders")
        return replace(outcomes[0], rules=tuple(sorted({*rules, *outcomes[0].rules})))


def _differentiated(tree: Expression, variable: str) -> Expression | None:
    """The shortest form of a derivative. The result is None for one that is too long."""
    try:
        slope = differentiate(tree, variable)
    except ValueError:
        return None
    forms = normal_forms(slope, variable, {}) if size(slope) <= LARGEST else []
    return min((form for form in (slope, *forms) if size(form) <= LARGEST), key=size, default=None)


def _may_break(node: Expression) -> bool:
    """Whether a node is the sign of a constant that is not proved to differ from 0."""
    if node.function != "sgn":
        return False
    ball = None if symbols_of(node) else ball_of(node.args[0])
    if ball is not None and ball.is_finite() and not ball.contains(0):
        return False
    return not symbols_of(node) or equality(node.args[0], ZERO) is not None


class _DerivativeJudge:
    """The derivative that a question asks for, ready to be compared with answers."""

    general = ""  # the order is a number

    def __init__(self, question: DerivativeQuestion, assumptions: Mapping[str, str]) -> None:
        self.question = question
        self.expected = tree = substitute_all(question.derivative, question.point)
        if any(map(_may_break, all_nodes(tree))):
            raise ProblemError("the derivative at a kink of the function is not judged")
        self.is_value = not symbols_of(tree)
        self.needs_worker = needs_worker(tree)
        assumed = dict.fromkeys(question.definitions, "real")
        assumed |= {question.function: "real"} if question.function else {}
        assumed |= dict(question.assumptions) | dict(assumptions)
        names = symbols_of(tree) | symbols_of(question.derivative) | {question.variable}
        names |= set(question.definitions)
        if question.curve is not None:
            names |= symbols_of(question.curve)
        self.names = (*sorted(names), IS_VALUE)
        at_point = bool(question.point) or self.is_value
        self.asks: Asks = "derivative at a point" if at_point else "derivative"
        self.answer_names = (*sorted(symbols_of(tree)),) if at_point else self.names
        variable = question.variable
        check_variable(variable, assumed)
        stated = question.bounds != (None, None)
        self.bounds = question.bounds if stated else half_line(assumed.get(variable, ""))
        self.integrand = Integrand(tree, variable, assumed, str(tree), names=symbols_of(tree))

    def judge(self, answer: Expression, text: str, budget: Budget) -> Outcome:
        """Judge whether an expression is the derivative that the question asks for."""
        question = self.question
        at = dict(question.point)
        fixed = {*at, *question.definitions} if at else set()
        if symbols_of(answer) & fixed - set().union(*map(symbols_of, at.values())):
            return Outcome(Status.UNDECIDED, detail="the answer is not evaluated at the point")
        answer = substitute_all(answer, (*question.definitions.items(), *question.point))
        names = {*symbols_of(self.expected), *self.names}
        if (strange := with_strangers(answer, names)) is not None:
            return strange
        if self.is_value:
            return proved_value(answer, self.expected)
        if question.curve is not None and not question.point:
            return self._on_curve(answer)
        return same_function(answer, self.integrand, self.bounds, text, budget)

    def questions(self, text: str) -> Iterator[_DerivativeJudge]:
        r"""Yield the derivative that a link states, as in ``2\frac{d}{dx} x^3``.

        Sums and products behind the operator have further readings (``\frac{d}{dx} (x+1)(x+2)``),
        and are steps of a rule.
        """
        quotients = operators(text)
        inner, remainder = operand(text[quotients[0].end :]) if len(quotients) == 1 else ("", "")
        bracket = _BRACKET.match(inner)
        is_product = bracket and opening(inner, len(inner.rstrip()) - 1) != bracket.end() - 1
        if not inner or remainder.strip() or is_product or _TIMES.search(inner):
            return
        assumptions = {**dict(self.question.assumptions), **self.integrand.assumptions}
        with suppress(ProblemError):
            stated = replace(read_derivative(text), bounds=self.question.bounds)
            names = {*self.integrand.symbols, self.question.variable}
            if not self.question.point and symbols_of(stated.derivative) <= names:
                yield _DerivativeJudge(stated, assumptions)

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
        return equal_on_curve(answer, expected, (curve, x, y), self.integrand.assumptions)
