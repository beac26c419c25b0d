"""Verify a model's answer to an indefinite integral, from text to verdict.

Extraction, reading and decision have their own packages. What may run long inside C
(polylogarithms, elliptic integrals, ...) runs in a worker that can be killed; everything else is
bounded by deterministic work budgets and runs in this process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from .answers import (
    ExtractedAnswer,
    NeedsWorkerError,
    best,
    find_answer,
    read_answer,
    require_worker,
    verify_in_worker,
)
from .baselines.calls import verify_published, verify_welleck
from .decision.balls import UnusableError
from .decision.decide import DecisionPolicy, Outcome, decide
from .decision.integrand import Integrand, as_latex, prepare
from .expression.traversal import needs_worker, symbols_of
from .latex import Reading
from .verdict import Status, Verdict
from .workers.pool import DEFAULT_DEADLINE

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
    undecided_reward: float = 0.0,
    deadline: float = DEFAULT_DEADLINE,
    method: Literal["balls", "published", "welleck"] = "balls",
) -> Verdict:
    r"""Verify that the final answer of a completion is an antiderivative of an integrand.

    Args:
        completion: the model's output, or just an answer in LaTeX. Any text is safe.
        integrand: f as LaTeX (with or without ``\int`` and ``dx``) or as a SymPy expression.
        variable: the variable of integration. None takes it from the differential or, if f has one
            symbol only, from that; it is x where f has none, or x and letters that are customary
            for parameters (``ax+b``). Any other choice is a `ProblemError` with the candidates.
        assumptions: maps names of parameters to one of
            `rewards.decision.integrand.ASSUMPTIONS`: ``positive`` (the default), ``negative``,
            ``real``, ``integer``, ``even``, ``odd``.
        strict: require a box; without one there is no answer. See `rewards.extraction`.
        strict_domain: require F' = f with principal branches on the whole real domain. By default
            the signs of the integrand's own radicals may differ.
        require_continuous: refuse an F that jumps where f is continuous.
        stop: the prompt's stop strings. Text after the first of them is ignored.
        truncated: the completion was cut off by the token limit.
        undecided_reward: the reward of an undecided answer.
        deadline: seconds of wall clock, for an item that has to run in a worker.
        method: ``balls`` (ball arithmetic), ``published`` for AntiderivBench's evaluator (extra
            ``published``), or ``welleck`` for the scorer of "Symbolic Brittleness in Sequence
            Models" (`rewards.baselines.welleck`).

    Returns:
        A `Verdict`: the status, the reward, and the evidence for them.

    Raises:
        ProblemError: the integrand is unreadable or ambiguous, or the variable is wrong.
        PoolError: a worker is needed and cannot be started.
        ImportError: ``method="published"`` without its extra.

    Example:
        >>> verdict = verify_antiderivative(r"So $\boxed{\sin(x^2) + C}$.", r"2x\cos(x^2)")
        >>> verdict.status, verdict.reward
        (<Status.CORRECT: 'correct'>, 1.0)

    """
    problem = prepare(integrand, variable, assumptions)
    if method == "welleck":
        options = {
            "variable": problem.variable,
            "assumptions": assumptions,
            "strict": strict,
            "stop": list(stop),
            "truncated": truncated,
        }
        return verify_welleck(completion, as_latex(integrand), options)
    answer = find_answer(completion, strict=strict, stop=stop, truncated=truncated, method=method)
    if answer.text is not None and method == "published":
        return verify_published(answer, problem, deadline)
    policy = DecisionPolicy(strict_domain, require_continuous)
    try:
        read_answer(answer, problem.symbols)
        if answer.status is not None:
            return answer.verdict(answer.status)
        outcome, reading = best(_outcomes(answer, problem, policy))
        if outcome.status is Status.CORRECT and answer.alternatives:
            outcome = _with_alternatives(answer, outcome, problem, policy)
        if outcome.status is Status.CORRECT and answer.steps:
            outcome = _with_steps(answer, outcome, reading, problem, policy)
    except NeedsWorkerError:
        return verify_in_worker(
            "verify",
            completion,
            as_latex(integrand),
            answer,
            deadline=deadline,
            variable=variable,
            assumptions=assumptions,
            strict=strict,
            strict_domain=strict_domain,
            require_continuous=require_continuous,
            stop=stop,
            truncated=truncated,
            undecided_reward=undecided_reward,
        )
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A fault of ours, met by one text in a million, must not cost a run; it is counted.
        detail = f"{type(error).__name__}: {error}"
        return answer.verdict(Status.ERROR, detail=detail, flags=("internal_error",))
    return answer.verdict(outcome.status, outcome, reading, undecided_reward=undecided_reward)


def _outcomes(
    answer: ExtractedAnswer, problem: Integrand, policy: DecisionPolicy
) -> Iterator[tuple[Outcome, Reading]]:
    for reading in answer.readings:
        require_worker(problem.needs_worker or needs_worker(reading.expression))
        try:
            yield (
                decide(reading.expression, problem, policy, f"{problem.key}|{answer.text}"),
                reading,
            )
        except UnusableError as error:
            yield Outcome(Status.UNDECIDED, detail=str(error)), reading


def _with_alternatives(
    answer: ExtractedAnswer, outcome: Outcome, problem: Integrand, policy: DecisionPolicy
) -> Outcome:
    """Of "F or G", both must be right: guesses earn nothing."""
    for text in answer.alternatives:
        other = read_answer(ExtractedAnswer(text, answer.source, ()), problem.symbols)
        if other.status is None:
            judged, _ = best(_outcomes(other, problem, policy))
            if judged.status is Status.CORRECT:
                continue
        detail = f"the text also offers {text}, which is not right"
        return Outcome(Status.INCORRECT, points=outcome.points, detail=detail)
    return outcome


def _with_steps(
    answer: ExtractedAnswer,
    outcome: Outcome,
    reading: Reading,
    problem: Integrand,
    policy: DecisionPolicy,
) -> Outcome:
    """Of ``a = b = F``, none may be a wrong answer: a chain of guesses earns nothing.

    Links that hold an integral or other symbols than the answer are steps, and so is f itself.
    """
    known = {*problem.symbols, *symbols_of(reading.expression), *_CONSTANTS}
    for text in answer.steps:
        step = read_answer(ExtractedAnswer(text, answer.source, ()), problem.symbols)
        if step.status is not None:
            continue
        judged, read_as = best(_outcomes(step, problem, policy))
        if judged.status is not Status.INCORRECT or read_as.expression == problem.expression:
            continue
        if symbols_of(read_as.expression) <= known:
            detail = f"the text also states {text}, which is not right"
            return Outcome(Status.INCORRECT, points=outcome.points, detail=detail)
    return outcome


#: Letters of constants of integration.
_CONSTANTS = frozenset("CcKk")
