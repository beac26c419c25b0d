"""Verify values (definite integrals, constants) and expressions.

Closed forms are enclosed in balls (complex intervals). The precision rises until the balls are
disjoint or agree to `VALUE_BITS`. Hence 1/2004! differs from 1/2006!, although both are 0.0 as
floats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final, Protocol, TypeVar, Unpack

from ..arguments import check_text
from ..errors import ProblemError
from ..numeric.ball_arithmetic.balls import UnusableError, precision
from ..numeric.ball_arithmetic.compare import VALUE_BITS, compare
from ..numeric.ball_arithmetic.compiler import compile_tape
from ..numeric.ball_arithmetic.evaluation import evaluate
from ..numeric.ball_arithmetic.jets import ZERO
from ..numeric.ball_arithmetic.magnitude import DIGITS_PER_BIT
from ..numeric.outcome import Budget, DecisionPolicy, Outcome, show
from ..numeric.quadrature.closed_form import hides_a_part
from ..numeric.sampling.integrand import Integrand, sole_variable
from ..numeric.sampling.pool import draw
from ..proof.curves import points_of, proved_on
from ..proof.equality import equality
from ..proof.ranks import ball_of
from ..reading.expression.build import ONE, add, div, mul, neg
from ..reading.expression.traversal import needs_worker, substitute, substitute_all, symbols_of
from ..reading.expression.tree import Call, Expression, Number, Symbol
from ..reading.latex import ReadError, Reading, read
from ..reading.latex.tokens.roles import IS_VALUE
from ..reading.problem.conditions import Bounds
from ..verdict import Status, Verdict, Witness
from .answers import (
    AnswerKeywords,
    AnswerOptions,
    ExtractedAnswer,
    NeedsWorkerError,
    find_answer,
    judged,
    read_answer,
    verify_in_worker,
    with_strangers,
)
from .decision.decide import decide

#: Principal branches count where two functions are compared.
PRINCIPAL: Final = DecisionPolicy(strict_domain=True)
#: Most values differ at the first precision, or agree to `VALUE_BITS` at the third; the last is for
#: those with terms that cancel.
_PRECISIONS = (128, 512, 2048, 4096)
#: What these symbols mean where the problem has no parameter of that name.
_CONSTANTS = {
    "G": Call("catalan"),
    "C": Call("euler_gamma"),
    "gamma_E": Call("euler_gamma"),
    "gamma_EM": Call("euler_gamma"),
    "phi": Call("div", (Call("add", (Number(1), Call("sqrt", (Number(5),)))), Number(2))),
}


def verify_value(
    completion: str,
    target: str,
    *,
    relative_tolerance: float | None = None,
    **options: Unpack[AnswerKeywords],
) -> Verdict:
    r"""Verify that the final answer of a completion is a given number.

    Args:
        completion: the model's output.
        target: LaTeX of a constant.
        relative_tolerance: the largest relative error of an accepted answer, for problems that ask
            for a decimal. By default answer and target must be equal as closed forms.
        options: ``strict``, ``stop``, ``truncated``, ``accept``, ``undecided_reward`` and
            ``deadline``, as for `verify_antiderivative`.

    Returns:
        A `Verdict`.

    Raises:
        ProblemError: the target is unreadable, or not a constant.

    Example:
        >>> verify_value(r"$\boxed{\frac{\pi}{4}}$", r"\arctan 1").correct
        True

    """
    expected = read_stated(target, ())
    if symbols_of(expected):
        raise ProblemError(f"the target {target!r} is not a constant")
    chosen = AnswerOptions(**options)
    answer = find_answer(completion, chosen, asks="value")
    read_answer(answer, (IS_VALUE,))
    decide = partial(compare_values, expected=expected, relative_tolerance=relative_tolerance)
    further = {"relative_tolerance": relative_tolerance}
    return _verdict(answer, decide, expected, (), "value", target, **further)


def verify_equivalent(
    completion: str,
    target: str,
    *,
    variable: str | None = None,
    up_to_constant: bool = False,
    assumptions: Mapping[str, str] | None = None,
    **options: Unpack[AnswerKeywords],
) -> Verdict:
    r"""Verify that the final answer of a completion equals an expression as a function.

    Args:
        completion: the model's output.
        target: LaTeX of the expression. The answer is compared with the target on the real domain
            of the target.
        variable: the variable of answer and target. All other symbols are parameters. None means
            the only symbol of the target, or else x, as for `verify_antiderivative`.
        up_to_constant: whether derivatives are compared, so that answer and target may differ by a
            constant.
        assumptions: assumptions on parameters, as in `verify_antiderivative`. By default,
            parameters are positive.
        options: ``strict``, ``stop``, ``truncated``, ``accept``, ``undecided_reward`` and
            ``deadline``, as for `verify_antiderivative`.

    Returns:
        A `Verdict`.

    Raises:
        ProblemError: the target is unreadable, or ``up_to_constant`` needs a variable and the
            target has several candidates.

    Example:
        >>> verify_equivalent(r"$\boxed{1 - \cos^2 x}$", r"\sin^2 x").correct
        True

    """
    expected = read_stated(target, (variable or "x",))
    if variable is None:
        try:
            variable = sole_variable(symbols_of(expected))
        except ProblemError:
            if up_to_constant:  # the variable of the derivatives is unclear
                raise
            variable = "x"
    problem = Integrand(
        expected, variable, dict(assumptions or {}), target, differentiate=up_to_constant
    )
    chosen = AnswerOptions(assumptions=assumptions, **options)
    answer = find_answer(completion, chosen)
    read_answer(answer, problem.symbols)
    symbols, order, budget = problem.symbols, int(up_to_constant), Budget()

    def decided(expression: Expression) -> Outcome:
        if order == 0 and (strange := with_strangers(expression, symbols)) is not None:
            return strange
        try:
            text = str(answer.text)
            return decide(expression, problem, PRINCIPAL, text, order=order, budget=budget)
        except UnusableError as error:
            return Outcome(Status.UNDECIDED, detail=str(error))

    further = {"variable": variable, "up_to_constant": up_to_constant}
    return _verdict(answer, decided, expected, symbols, "equivalent", target, **further)


def _verdict(
    answer: ExtractedAnswer,
    decide: Callable[[Expression], Outcome],
    expected: Expression,
    symbols: Sequence[str],
    task: str,
    target: str,
    **further: Any,
) -> Verdict:
    """The verdict for the best reading of an answer.

    If the evaluation may run long, a worker computes the verdict.
    """
    if answer.status is not None:
        return answer.verdict(answer.status)
    try:
        outcome, reading = judged(answer, decide, symbols, slow=needs_worker(expected))
    except NeedsWorkerError:
        return verify_in_worker(task, target, answer, **further)
    if answer.options.accept == "proof" and outcome.status is Status.CORRECT:
        proof = equality(reading.expression, expected)
        outcome = replace(outcome, proof="identity", rules=proof.rules) if proof else outcome
    return answer.verdict(outcome.status, outcome, reading)


#: Bits of the balls at points of a curve.
_CURVE_BITS = 256
#: The assumptions that leave a variable half of the line, with the sign of the half.
HALVES: Final = {"positive": 1, "negative": -1}


def check_variable(name: str, assumptions: Mapping[str, str]) -> None:
    """Check that a variable takes real values, so that it can be a variable of differentiation.

    Raises:
        ProblemError: the variable takes whole numbers only.

    """
    assumption = assumptions.get(name, "real")
    if assumption != "real" and assumption not in HALVES:
        raise ProblemError(f"{name} is the variable of derivatives, and cannot be {assumption}")


def half_line(assumption: str) -> Bounds:
    """The lower and the upper bound of a variable that has an assumption.

    For the assumption ``positive``, the lower bound is 0. For ``negative``, the upper bound is 0.
    All other bounds are None.
    """
    sign, zero = HALVES.get(assumption, 0), Number(0)
    return zero if sign > 0 else None, zero if sign < 0 else None


def on_interval(
    tree: Expression, name: str, lower: Expression | None, upper: Expression | None
) -> Expression:
    """Replace a bounded variable by an expression in an unbounded variable of the same name.

    x becomes a + e^x, b - e^x or (a + b e^x)/(1 + e^x), where a and b are the bounds.
    """
    exponential = Call("exp", (Symbol(name),))
    if lower is None:
        assert upper is not None
        mapped = add(upper, neg(exponential))
    elif upper is None:
        mapped = add(lower, exponential)
    else:
        mapped = div(add(lower, mul(upper, exponential)), add(ONE, exponential))
    return substitute(tree, name, mapped)


def equal_on_curve(
    answer: Expression,
    expected: Expression,
    curve: tuple[Expression, str, str],
    assumptions: Mapping[str, str],
) -> Outcome:
    """Decide whether two expressions have the same values on a curve.

    Points of the curve refute. A proof needs an equation of the curve that is solved for y or x.

    Args:
        answer: an expression in two variables and parameters.
        expected: the expression to compare with.
        curve: the function G of the curve G(x, y) = 0, and the names of x and y.
        assumptions: assumptions on the parameters, and on x and y if positive or negative.

    """
    relation, x, y = curve
    names = symbols_of(relation) | symbols_of(answer) | symbols_of(expected)
    values = draw(sorted(names - {x, y}), assumptions, str(relation))
    signs = {name: HALVES[assumptions[name]] for name in (x, y) if assumptions.get(name) in HALVES}
    digits: list[float] = []
    for point in points_of(relation, x, y, values, signs):
        with precision(_CURVE_BITS):
            answer_value, expected_value = (evaluate(tree, point) for tree in (answer, expected))
            agreement = compare(answer_value, expected_value, enough=_CURVE_BITS // 3)
        if agreement.same is False:
            at = ", ".join(f"{name} = {show(ball)}" for name, ball in point.items())
            witness = Witness(at, expected=show(expected_value), got=show(answer_value))
            return Outcome(Status.INCORRECT, points=1, witness=witness, proof="witness")
        if agreement.same:
            digits.append(agreement.bits * DIGITS_PER_BIT)
    rules = proved_on(answer, expected, relation, (x, y), assumptions)
    if rules is not None:
        shown = round(min(digits), 1) if digits else 0.0
        return Outcome(Status.CORRECT, len(digits), shown, proof="identity", rules=rules)
    return Outcome(Status.UNDECIDED, len(digits), detail="equality on the curve is not proved")


def same_function(
    answer: Expression,
    target: Integrand,
    bounds: Bounds,
    text: str,
    budget: Budget,
    policy: DecisionPolicy = PRINCIPAL,
) -> Outcome:
    """Decide whether an answer is the target function, at least between the variable's bounds.

    Args:
        answer: the answer.
        target: the function.
        bounds: the lower and the upper bound of the variable. None means no such bound.
        text: the text of the answer.
        budget: the remaining work.
        policy: the rules of acceptance.

    """
    options: dict[str, Any] = {"order": 0, "budget": budget, "as_identity": True}
    try:
        outcome = decide(answer, target, policy, text, **options)
        if outcome.status is not Status.INCORRECT or bounds == (None, None):
            return outcome
        x, names = target.variable, set(target.symbols)
        tree, moved = (on_interval(side, x, *bounds) for side in (target.expression, answer))
        within = Integrand(tree, x, target.assumptions, f"within {bounds} {tree}", names=names)
        return decide(moved, within, policy, text, **options)
    except UnusableError as error:
        return Outcome(Status.UNDECIDED, detail=str(error))


class Target(Protocol):
    """The target of a comparison: the value requested by a reading of a problem."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The problem's symbols, apart from bound variables."""

    def judge(self, expression: Expression) -> Outcome:
        """Judge a closed form."""

    def judge_divergence(self, infinity: int) -> Outcome:
        """Judge the answer "diverges" (``infinity`` is 0), or an infinity (1 or -1)."""

    def questions(self, text: str) -> Iterator[Callable[[Expression], Outcome]]:
        """Yield the judges for the readings of a text as a question of the same kind.

        The question has the conditions of the problem, and no further parameters.
        """


Question = TypeVar("Question")
SomeTarget = TypeVar("SomeTarget", bound=Target)


def judged_by(
    answer: ExtractedAnswer,
    infinity: int | None,
    questions: Sequence[Question],
    target_of: Callable[[Question], SomeTarget],
) -> Iterator[tuple[Outcome, Reading | None, SomeTarget]]:
    """Yield the outcome of an answer for each reading of a problem that can be judged.

    Args:
        answer: the answer, with readings unless ``infinity`` is given.
        infinity: the divergence that the answer states (`stated_divergence`).
        questions: the readings of the problem.
        target_of: makes the target of a reading. `ProblemError` is raised if no target exists.

    Raises:
        ProblemError: no reading can be judged.

    """
    errors: list[ProblemError] = []
    if len(questions) > 1:
        answer.readings = tuple(answer.readings)  # for each reading of the problem
    for question in questions:
        try:
            target = target_of(question)
        except ProblemError as error:
            errors.append(error)
            continue
        if infinity is not None:
            yield target.judge_divergence(infinity), None, target
        else:
            outcome, reading = judged(
                answer, target.judge, target.parameters, questions=target.questions
            )
            yield outcome, reading, target
    if len(errors) == len(questions):
        raise errors[0]


def with_constants(answer: Expression, parameters: Collection[str]) -> Expression:
    """Replace letters that stand for constants by these constants, such as G by Catalan's constant.

    A letter that names a parameter is not replaced. Kronecker's delta of two parameters is 1 where
    they are equal, and else 0.

    >>> with_constants(Symbol("G"), ())
    Call(function='catalan', args=())
    """
    names = symbols_of(answer) - set(parameters)
    values = {name: _CONSTANTS.get(name) or _kronecker(name, parameters) for name in names}
    return substitute_all(answer, ((name, value) for name, value in values.items() if value))


def _kronecker(name: str, parameters: Collection[str]) -> Expression | None:
    """Kronecker's delta, if two parameters are the subscript of ``delta_mn`` or ``delta_m,n``."""
    letter, _, index = name.partition("_")
    for first_index in parameters if letter == "delta" and "delta" not in parameters else ():
        second_index = index.removeprefix(first_index).removeprefix(",")
        if index.startswith(first_index) and second_index in parameters:
            equal = Call("eq", (Symbol(first_index), Symbol(second_index)))
            return Call("piecewise", (ONE, equal, Number(0)))
    return None


def compare_values(
    answer: Expression, expected: Expression, relative_tolerance: float | None = None
) -> Outcome:
    """Decide whether two constants are equal, with balls (intervals) of rising precision.

    If ``relative_tolerance`` is given, a relative error up to this bound is accepted.
    """
    if symbols_of(answer):
        return Outcome(Status.INCORRECT, detail="the answer is not a constant")
    try:
        tapes = compile_tape(answer, "x"), compile_tape(expected, "x")
    except UnusableError as error:
        return Outcome(Status.UNDECIDED, detail=str(error))
    for bits in _PRECISIONS:
        with precision(bits):
            got, value = (tape.value(ZERO, {}) for tape in tapes)
            agreement = compare(got, value, enough=VALUE_BITS)
            difference = agreement.difference
            if not difference.is_finite():
                continue
            if relative_tolerance is not None:
                if difference.abs_upper() <= relative_tolerance * value.abs_lower():
                    return Outcome(Status.CORRECT, points=1, digits=round(bits * DIGITS_PER_BIT, 1))
                if difference.abs_lower() <= relative_tolerance * value.abs_upper():
                    continue
            if agreement.same is False:
                witness = Witness("", expected=show(value), got=show(got))
                return Outcome(Status.INCORRECT, points=1, witness=witness)
            if agreement.same:
                digits = (
                    min(agreement.bits, _PRECISIONS[-1]) * DIGITS_PER_BIT
                )  # exact numbers agree to all
                # e^{-e^{e^e}} agrees with 0, and 10^{-1000} shows at the highest precision only
                both = ((answer, got), (expected, value)) if answer != expected else ()
                if any(hides_a_part(side, ball, {}, bits, digits) for side, ball in both):
                    continue
                return Outcome(Status.CORRECT, points=1, digits=round(digits, 1))
    return Outcome(Status.UNDECIDED, detail="neither equal nor different at the highest precision")


def proved_value(answer: Expression, expected: Expression) -> Outcome:
    """Decide whether two constant expressions are equal.

    Disjoint balls (intervals) refute the equality. If the balls overlap, a proof by identities is
    tried. If no proof is found, the outcome only states that the values agree.
    """
    outcome = compare_values(answer, expected)
    if outcome.status is Status.INCORRECT:
        return outcome
    # 0 \ln 0 is 0 in the algebra of the proof, and has no value
    proof = equality(answer, expected) if ball_of(answer) is not None else None
    if proof is not None:
        return replace(
            outcome, status=Status.CORRECT, proof="identity", rules=proof.rules, detail=""
        )
    return replace(outcome, proof="agreement") if outcome.status is Status.CORRECT else outcome


@lru_cache(maxsize=1024)
def read_stated(text: str, symbols: tuple[str, ...], what: str = "target") -> Expression:
    """Read the value with which answers are compared. ``what`` is the name of the text in errors.

    Raises:
        ProblemError: the text is unreadable.

    """
    check_text(what, text)
    try:
        return read(text, symbols=symbols)[0].expression
    except ReadError as error:
        raise ProblemError(f"unreadable {what} {text!r}: {error}") from None
