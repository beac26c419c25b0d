"""Verify a model's answer to an indefinite integral, from text to verdict.

`verify_antiderivative` is the door: extraction, reading and decision have their own modules. What
may run long inside C (polylogarithms, elliptic integrals, ...) goes to a killable worker; the rest
is bounded by deterministic budgets and runs in process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from .answers import Answer, NeedsWorkerError, best, find_answer, read_answer, require_worker
from .decision.balls import UnusableError
from .decision.decide import Outcome, Policy, decide
from .decision.integrand import Integrand, ProblemError, prepare
from .expression.traversal import needs_worker
from .latex import Reading
from .verdict import Status, Verdict

if TYPE_CHECKING:
    import sympy

__all__ = ["ProblemError", "verify_antiderivative"]

#: Seconds; only a backstop, and only for what runs in a worker.
DEADLINE = 10.0


def verify_antiderivative(
    completion: str,
    integrand: str | sympy.Expr,
    *,
    variable: str | None = "x",
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    strict_domain: bool = False,
    require_continuous: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    undecided_reward: float = 0.0,
    deadline: float = DEADLINE,
    method: Literal["balls", "published", "welleck"] = "balls",
) -> Verdict:
    r"""Whether the final answer in ``completion`` is an antiderivative of ``integrand``.

    Args:
        completion: what the model said, or just an answer in LaTeX. Hostile text is fine.
        integrand: f as LaTeX (with or without ``\int`` and ``dx``) or as a SymPy expression.
        variable: the variable of integration; None takes it from the differential or, if f has one
            symbol only, from that.
        assumptions: kind of a parameter by its name: one of
        `rewards.decision.integrand.ASSUMPTIONS`
            (``positive``, which is the default, ``negative``, ``real``, ``integer``, ...).
        strict: the answer must be boxed; see `rewards.extraction`.
        strict_domain: F' = f with principal branches on the whole real domain, no exception for the
            signs of the integrand's own radicals.
        require_continuous: refuse an F that jumps where f is continuous.
        stop: the prompt's stop strings; what follows the first of them is not the answer.
        truncated: the completion ended for lack of tokens.
        undecided_reward: the reward of an undecided answer.
        deadline: seconds of wall clock for an item that has to run in a worker.
        method: ``balls``, or ``published`` for AntiderivBench's evaluator (extra ``published``), or
            ``welleck`` for that of "Symbolic Brittleness" (`rewards.baselines.welleck`).

    Returns:
        A `Verdict` whose evidence says why.

    Raises:
        ProblemError: the problem is bad: unreadable or ambiguous integrand, wrong variable.

    """
    problem = prepare(integrand, variable, assumptions)
    if method == "welleck":
        from .batch import welleck_in_worker

        return welleck_in_worker(
            completion,
            integrand,
            variable=problem.variable,
            assumptions=assumptions,
            strict=strict,
            stop=list(stop),
            truncated=truncated,
        )
    answer = find_answer(completion, strict=strict, stop=stop, truncated=truncated, method=method)
    if answer.text is not None and method == "published":
        from .batch import published_in_worker

        return published_in_worker(answer, problem, deadline)
    policy = Policy(strict_domain, require_continuous)
    try:
        read_answer(answer, problem.symbols)
        if answer.status is not None:
            return answer.verdict(answer.status)
        outcome, reading = best(_outcomes(answer, problem, policy))
        if outcome.status is Status.CORRECT and answer.alternatives:
            outcome = _with_alternatives(answer, outcome, problem, policy)
    except NeedsWorkerError:
        from .batch import verify_in_worker

        return verify_in_worker(
            "verify",
            completion,
            integrand,
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
    answer: Answer, problem: Integrand, policy: Policy
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
    answer: Answer, outcome: Outcome, problem: Integrand, policy: Policy
) -> Outcome:
    """Of "F or G", both must be right: guesses earn nothing."""
    for text in answer.alternatives:
        other = read_answer(Answer(text, answer.source, ()), problem.symbols)
        if other.status is None:
            judged, _ = best(_outcomes(other, problem, policy))
            if judged.status is Status.CORRECT:
                continue
        detail = f"the text also offers {text}, which is not right"
        return Outcome(Status.INCORRECT, points=outcome.points, detail=detail)
    return outcome
