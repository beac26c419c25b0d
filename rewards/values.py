"""Other kinds of mathematical target: a value (a definite integral, a constant), an expression.

Values are compared as closed forms, in balls of rising precision: proven different, or equal to
`EQUAL_BITS` bits. Floats are never equal by luck: 1/2004! is not 1/2006!.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from .answers import Answer, NeedsWorkerError, best, find_answer, read_answer, require_worker
from .decision.balls import Tape, UnusableError, compile_tape, precision
from .decision.decide import Outcome, Policy, decide, log2, show
from .decision.integrand import Integrand, ProblemError
from .decision.jets import ZERO, Ball
from .expression.traversal import needs_worker, symbols_of
from .expression.tree import Expression
from .latex import ReadError, Reading, read
from .verdict import Status, Verdict, Witness

#: Two closed forms are equal if they agree to so many bits (300 decimal digits), relative to the
#: larger of them or, where that is zero, to the largest term that cancels.
EQUAL_BITS = 1000
_PRECISIONS = (128, 512, 2048, 4096)


def verify_value(
    completion: str,
    target: str,
    *,
    relative_tolerance: float | None = None,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    undecided_reward: float = 0.0,
    deadline: float = 10.0,
) -> Verdict:
    """Whether the final answer is the number ``target`` (LaTeX of a constant).

    ``relative_tolerance`` accepts an answer that is provably that near to the target, for problems
    that ask for a decimal approximation; other arguments as in `verify_antiderivative`. Raises
    `ProblemError` for a target that is no constant.
    """
    expected = _target(target, ())
    if symbols_of(expected):
        raise ProblemError(f"the target {target!r} is not a constant")
    answer = find_answer(completion, strict=strict, stop=stop, truncated=truncated)
    read_answer(answer, ())
    if answer.status is not None:
        return answer.verdict(answer.status)
    try:
        outcome, reading = best(_values(answer, expected, relative_tolerance))
    except NeedsWorkerError:
        from .batch import verify_in_worker

        return verify_in_worker(
            "value",
            completion,
            target,
            answer,
            deadline=deadline,
            relative_tolerance=relative_tolerance,
            strict=strict,
            stop=stop,
            truncated=truncated,
            undecided_reward=undecided_reward,
        )
    return answer.verdict(outcome.status, outcome, reading, undecided_reward=undecided_reward)


def verify_equivalent(
    completion: str,
    target: str,
    *,
    variable: str = "x",
    up_to_constant: bool = False,
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    undecided_reward: float = 0.0,
    deadline: float = 10.0,
) -> Verdict:
    """Whether the final answer is the same function as ``target`` (LaTeX) on the target's domain.

    ``up_to_constant`` compares derivatives in ``variable``: are both antiderivatives of the same
    function? Symbols are parameters, positive unless ``assumptions`` say otherwise; other arguments
    as in `verify_antiderivative`. Raises `ProblemError` for an unreadable target.
    """
    expected = _target(target, (variable,))
    problem = Integrand(
        expected, variable, dict(assumptions or {}), target, differentiate=up_to_constant
    )
    answer = find_answer(completion, strict=strict, stop=stop, truncated=truncated)
    read_answer(answer, problem.symbols)
    if answer.status is not None:
        return answer.verdict(answer.status)
    try:
        outcome, reading = best(_comparisons(answer, problem))
    except NeedsWorkerError:
        from .batch import verify_in_worker

        return verify_in_worker(
            "equivalent",
            completion,
            target,
            answer,
            deadline=deadline,
            variable=variable,
            up_to_constant=up_to_constant,
            assumptions=assumptions,
            strict=strict,
            stop=stop,
            truncated=truncated,
            undecided_reward=undecided_reward,
        )
    return answer.verdict(outcome.status, outcome, reading, undecided_reward=undecided_reward)


def _values(
    answer: Answer, expected: Expression, relative_tolerance: float | None
) -> Iterator[tuple[Outcome, Reading]]:
    for reading in answer.readings:
        require_worker(needs_worker(expected) or needs_worker(reading.expression))
        yield compare_values(reading.expression, expected, relative_tolerance), reading


def _comparisons(answer: Answer, problem: Integrand) -> Iterator[tuple[Outcome, Reading]]:
    order = int(problem.differentiate)
    for reading in answer.readings:
        require_worker(problem.needs_worker or needs_worker(reading.expression))
        extra = sorted(symbols_of(reading.expression) - set(problem.symbols))
        if extra and order == 0:
            detail = f"symbols that the target lacks: {', '.join(extra)}"
            yield Outcome(Status.INCORRECT, detail=detail), reading
            continue
        try:
            policy = Policy(strict_domain=True)
            yield (
                decide(reading.expression, problem, policy, f"{answer.text}", order=order),
                reading,
            )
        except UnusableError as error:
            yield Outcome(Status.UNDECIDED, detail=str(error)), reading


def compare_values(
    answer: Expression, expected: Expression, relative_tolerance: float | None = None
) -> Outcome:
    """Whether two constant expressions are equal, by balls of rising precision."""
    if symbols_of(answer):
        return Outcome(Status.INCORRECT, detail="the answer is not a constant")
    try:
        tapes = compile_tape(answer, "x"), compile_tape(expected, "x")
    except UnusableError as error:
        return Outcome(Status.UNDECIDED, detail=str(error))
    for bits in _PRECISIONS:
        with precision(bits):
            got, value = (_value(tape) for tape in tapes)
            difference = got - value
            if not difference.is_finite():
                continue
            gap = log2(difference.abs_upper())
            if relative_tolerance is not None:
                if difference.abs_upper() <= relative_tolerance * value.abs_lower():
                    return Outcome(Status.CORRECT, points=1, digits=round(bits * 0.30103, 1))
                if difference.abs_lower() <= relative_tolerance * value.abs_upper():
                    continue
            if not difference.contains(ZERO):
                witness = Witness("", expected=show(value), got=show(got))
                return Outcome(Status.INCORRECT, points=1, witness=witness)
            scale = log2(value.abs_lower()) if not value.contains(ZERO) else 0.0
            agreed = min(scale - gap, float(bits))
            if agreed >= EQUAL_BITS:
                return Outcome(Status.CORRECT, points=1, digits=round(agreed * 0.30103, 1))
    return Outcome(Status.UNDECIDED, detail="neither equal nor different at the highest precision")


def _value(tape: Tape) -> Ball:
    return tape.run(ZERO, {}, derivative=False)[tape.root][0]


@lru_cache(maxsize=1024)
def _target(text: str, symbols: tuple[str, ...]) -> Expression:
    try:
        return read(text, symbols=symbols)[0].expression
    except ReadError as error:
        raise ProblemError(f"unreadable target {text!r}: {error}") from None
