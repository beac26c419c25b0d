"""Verify a model's answer to an indefinite integral, from text to verdict.

Extraction, reading and decision have their own packages. Functions whose evaluation may run long
inside C (polylogarithms, elliptic integrals, ...) run in a worker that can be killed. The remaining
work has deterministic budgets and runs in the calling process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flint import acb, arb

from ..arguments import (
    Acceptance,
    Method,
    check_method,
    check_switches,
    check_text,
)
from ..errors import ProblemError, UserError
from ..numeric.ball_arithmetic.balls import UnusableError
from ..numeric.ball_arithmetic.evaluation import evaluate
from ..numeric.outcome import Budget, DecisionPolicy, Outcome
from ..numeric.sampling.integrand import Integrand, as_latex, prepare_readings
from ..reading.expression.build import mul
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import needs_worker, substitute
from ..reading.expression.tree import Expression, Symbol
from ..reading.latex import Reading
from ..reading.problem.conditions import Bounds
from ..reading.problem.differential_equation import read_differential_equation
from ..reading.problem.integral import initial_value_problem
from ..reading.problem.question.integral import has_integral_sign
from ..verdict import Status, Verdict, Witness
from ..workers.deadline import Deadline
from .answers import (
    AnswerOptions,
    ExtractedAnswer,
    NeedsWorkerError,
    best,
    find_answer,
    read_answer,
    require_worker,
    verify_in_worker,
    with_others,
)
from .baselines.calls import deadline_for, verify_published, verify_welleck
from .decision.decide import decide
from .differential_equation import verify_differential_equation
from .options import with_option
from .values import check_variable, half_line, on_interval

if TYPE_CHECKING:
    import sympy


def verify_antiderivative(
    completion: str,
    integrand: str | sympy.Expr,
    *,
    variable: str | None = None,
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    strict_domain: bool = False,
    require_continuous: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    accept: Acceptance = "agreement",
    undecided_reward: float = 0.0,
    deadline: float | Deadline | None = None,
    method: Method = "balls",
) -> Verdict:
    r"""Verify that the final answer of a completion is an antiderivative of an integrand.

    Args:
        completion: the model's output, or only an answer in LaTeX. Any text is safe.
        integrand: f as LaTeX (with or without ``\int`` and ``dx``) or as a SymPy expression. The
            text may also state F' = f ("F'(x) = 2x, find F"), and a value of F. Then
            `verify_differential_equation` judges the answer. If the text lists options, "(A) x^2
            (B) 2x (C) 1", the label of an option is an answer, too.
        variable: the variable of integration. None means the variable of the differential. Without
            a differential, the variable is the only symbol of f. If f has no symbol, the variable
            is x. It is also x if f has x and all other symbols are customary letters for parameters
            (``ax+b``). In all other cases a `ProblemError` names the candidates.
        assumptions: maps names of parameters to one of
            `rewards.numeric.sampling.pool.ASSUMPTIONS`: ``positive`` (the default),
            ``negative``, ``real``, ``integer`` (a positive integer), ``signed integer``, ``even``,
            ``odd``.
        strict: whether the answer must be in a box. If so, a completion without a box has no
            answer. See `rewards.reading.extraction`.
        strict_domain: whether F' = f must hold with principal branches on the whole real domain. By
            default, F' may differ from f in the signs of the integrand's radicals.
        require_continuous: whether to refuse an F that jumps at a point where f is continuous.
        stop: the prompt's stop strings. Text after the first stop string is ignored.
        truncated: whether the token limit cut the completion off.
        accept: ``agreement`` accepts answers that are proved right or agree at all points.
            ``proof`` accepts only proved answers. Answers that only agree are then undecided.
        undecided_reward: the reward of an undecided answer.
        deadline: the limit of a worker process, in seconds of processor time. Without a worker
            process, an answer has no deadline. The default is 10 seconds, but 30 for the
            method ``published`` and 1 for ``welleck``.
        method: ``balls`` is ball arithmetic. ``published`` is AntiderivBench's evaluator, and needs
            the extra ``published``. ``welleck`` is the scorer of "Symbolic Brittleness in Sequence
            Models" (`rewards.verify.baselines.welleck`).

    Returns:
        A `Verdict`: the status, the reward, and the evidence.

    Raises:
        ProblemError: the integrand is unreadable, or the variable is wrong.
        PoolError: a worker is needed and cannot be started.
        ArgumentTypeError: the completion is not a text, or a switch is not a `bool`.
        UnknownNameError: ``method`` or ``accept`` is not among the choices.
        UserError: ``accept="proof"`` is combined with a published evaluator.
        MissingExtraError: the extra of ``method="published"`` is not installed.

    Example:
        >>> verdict = verify_antiderivative(r"So $\boxed{\sin(x^2) + C}$.", r"2x\cos(x^2)")
        >>> verdict.status, verdict.reward
        (<Status.CORRECT: 'correct'>, 1.0)

    """
    check_method(method)
    check_text("completion", completion)
    check_switches(strict_domain=strict_domain, require_continuous=require_continuous)
    if accept == "proof" and method != "balls":
        raise UserError(f"the method {method!r} proves nothing: leave out accept='proof'")
    allowed = deadline if isinstance(deadline, Deadline) else deadline_for(method, deadline)
    options = AnswerOptions(strict, stop, truncated, accept, undecided_reward, allowed, assumptions)
    try:
        problems = prepare_readings(integrand, variable, assumptions)
    except ProblemError:
        equation = _equation(integrand) if method == "balls" and variable is None else None
        if equation is None:
            raise
        return verify_differential_equation(
            completion, equation, deadline=allowed, **options.keywords()
        )
    completion = with_option(completion, integrand, options)
    problem = problems[0]
    check_variable(problem.variable, problem.assumptions)
    if method == "welleck":
        chosen = {**options.keywords(), "variable": problem.variable}
        seconds = Deadline.of(allowed).left
        return verify_welleck(completion, as_latex(integrand), chosen, seconds)
    answer = find_answer(completion, options, method=method, symbols=problem.symbols)
    if answer.text is not None and method == "published":
        return verify_published(answer, problem, Deadline.of(allowed).left)
    policy = DecisionPolicy(strict_domain, require_continuous)
    try:
        # H of H(x - 2) may be a parameter or Heaviside's function, in the answer, too
        read_answer(answer, [s for s in problem.symbols if all(s in p.symbols for p in problems)])
        if answer.status is not None:
            return answer.verdict(answer.status)
        budget = Budget()  # one for all readings
        if len(problems) == 1:
            outcome, reading = _judge(answer, problem, policy, budget)
            flags = problem.flags
        else:
            # Such a problem is refuted only if the answer fits none of its readings.
            answer.readings = tuple(answer.readings)
            judged = (
                (*_judge(answer, problem, policy, budget), problem.flags) for problem in problems
            )
            outcome, reading, flags = best(judged)
    except NeedsWorkerError:
        return verify_in_worker(
            "verify",
            as_latex(integrand),
            answer,
            variable=variable,
            strict_domain=strict_domain,
            require_continuous=require_continuous,
        )
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A fault of ours, met by one text in a million, must not cost a run; it is counted.
        detail = f"{type(error).__name__}: {error}"
        return answer.verdict(Status.ERROR, detail=detail, flags=("internal_error",))
    return answer.verdict(
        outcome.status,
        outcome,
        reading,
        flags=flags,
    )


def _equation(question: str | sympy.Expr) -> str | None:
    """A question such as "F'(x) = 2x, find F", for the reader of differential equations, or None.

    Without conditions, an antiderivative of f is a solution of F' = f. A question that states a
    value of F has fewer solutions.
    """
    with suppress(ProblemError):
        if isinstance(question, str):
            equation = initial_value_problem(question)
            if equation is None and not has_integral_sign(question):
                equation = question
            if equation is not None:
                read_differential_equation(equation)
                return equation
    return None


def _judge(
    answer: ExtractedAnswer, problem: Integrand, policy: DecisionPolicy, budget: Budget
) -> tuple[Outcome, Reading]:
    """Judge all readings of an answer. Return the outcome of the best reading, and the reading.

    A correct outcome becomes incorrect if the text also states a wrong answer (`with_others`).
    """
    outcome, reading = best(_outcomes(answer, problem, policy, budget))
    judge = partial(_outcomes, problem=problem, policy=policy, budget=budget)
    symbols, f = problem.symbols, problem.expression

    def questions(text: str) -> Iterator[Callable[[Expression], Outcome]]:
        # A substitution changes the variable, and bounds that are stated are not the link's own.
        with suppress(ProblemError):
            readings = prepare_readings(text, None, problem.assumptions)
            if any(stated.expression == f for stated in readings):
                return  # the question itself
            for stated in readings:
                if stated.variable == problem.variable and not problem.ranges:
                    require_worker(stated.needs_worker)
                    key = f"{stated.key}|{answer.text}"
                    yield partial(decide, integrand=stated, policy=policy, key=key, budget=budget)

    return with_others(
        answer, outcome, reading, judge, symbols, allowed=f, questions=questions
    ), reading


#: Decisions that are remembered for each integrand: those of a group of usual size.
REMEMBERED = 64


def _outcomes(
    answer: ExtractedAnswer, problem: Integrand, policy: DecisionPolicy, budget: Budget
) -> Iterator[tuple[Outcome, Reading]]:
    for reading in answer.readings:
        require_worker(problem.needs_worker or needs_worker(reading.expression))
        # A group of rollouts often has the same answer many times, each in another text. Its text
        # and the names of what was read the second way identify a reading, unless the response
        # defines symbols.
        case = answer.text, reading.ambiguities, policy
        decided = problem.decided
        outcome = None if answer.definitions else decided.get(case)
        if outcome is None:
            key = f"{problem.key}|{answer.text}"
            try:
                outcome = decide(reading.expression, problem, policy, key, budget=budget)
                if outcome.status in _DECIDED:
                    outcome = _in_stated_range(outcome, reading, problem, policy, key, budget)
            except UnusableError as error:
                outcome = Outcome(Status.UNDECIDED, detail=str(error))
            if outcome.status in _DECIDED and not answer.definitions:
                if len(decided) >= REMEMBERED:
                    del decided[next(iter(decided))]
                decided[case] = outcome
        yield outcome, reading


def _in_stated_range(
    outcome: Outcome,
    reading: Reading,
    problem: Integrand,
    policy: DecisionPolicy,
    key: str,
    budget: Budget,
) -> Outcome:
    """The outcome of an answer if the problem states bounds of the variable.

    A refutation at a point between the bounds stands, and so does a proof for the whole line.
    Otherwise the answer F is judged anew between the bounds, as F(e^t) if the variable is positive:
    arcsin(1/x) is an antiderivative of 1/(x sqrt(x^2 - 1)) for negative x only.
    """
    x = problem.variable
    implied = half_line(problem.assumptions.get(x, ""))
    ranges = problem.ranges or ((implied,) if implied != (None, None) else ())
    if not ranges:
        return outcome
    witness_point = re.search(rf"(?<!\w){re.escape(x)} = (\S+?)(?:,|$)", str(outcome.witness or ""))
    is_inside = witness_point and any(_lies_between(witness_point[1], bounds) for bounds in ranges)
    if outcome.status is Status.INCORRECT and is_inside:
        return outcome
    if outcome.status is Status.CORRECT and not outcome.flags:
        return outcome
    for bounds in ranges:
        on_line = on_interval(Symbol(x), x, *bounds)
        trees = (reading.expression, problem.expression)
        answer, f = (substitute(tree, x, on_line) for tree in trees)
        integrand = mul(f, differentiate(on_line, x))
        require_worker(needs_worker(answer) or needs_worker(integrand))
        assumptions = {
            name: assumption for name, assumption in problem.assumptions.items() if name != x
        }
        names, stated = {*problem.symbols}, f"{problem.key}|{bounds}"
        restricted = Integrand(integrand, x, assumptions, stated, names=names)
        outcome = decide(answer, restricted, policy, f"{key}|{bounds}", budget=budget)
        witness = outcome.witness and _witness_of(outcome.witness, x, on_line)
        outcome = replace(outcome, witness=witness, flags=(*outcome.flags, "stated_bounds"))
        if outcome.status is not Status.CORRECT:
            break
    return outcome


def _lies_between(coordinate: str, bounds: Bounds) -> bool:
    """Whether a number lies between two bounds. Bounds with parameters are not known."""
    with suppress(ValueError):
        values = [None if bound is None else evaluate(bound).real for bound in bounds]
        lower, upper = values
        at = arb(coordinate)
        return bool((lower is None or lower < at) and (upper is None or at < upper))
    return False


def _witness_of(witness: Witness, x: str, on_line: Expression) -> Witness | None:
    """Convert a witness (a refuting point) for t to a witness for x, an expression in t.

    A value at t is the value at x times dx/dt. At a jump, the values are not derivatives and stay
    the same. The result is None if the values are complex, or if x depends on parameters.
    """
    witness_point = re.search(rf"(?<!\w){re.escape(x)}=(\[[^\]]*\]|\S+)", witness.point)
    if witness_point is None:
        return None
    try:
        t = {x: acb(arb(witness_point[1]))}
        at, slope = (evaluate(tree, t).real for tree in (on_line, differentiate(on_line, x)))
        slope = arb(1) if witness.point.endswith("just above") else slope
        values = (witness.expected, witness.got, witness.difference)
        expected, got, difference = ((arb(v) / slope).str(15) if v else "" for v in values)
    except ValueError:  # also `UnusableError`
        return None
    point = witness.point.replace(witness_point[0], f"{x}={at.str(15)}")
    return Witness(point, expected, got, difference)


#: What does not depend on the work that is left.
_DECIDED = (Status.CORRECT, Status.INCORRECT)
