"""From a completion to a readable answer: what every kind of verification begins and ends with."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from .decision.decide import Outcome
from .extraction import extract
from .latex import AlternativesError, NotClosedFormError, ReadError, Reading, readings, to_latex
from .verdict import Evidence, Status, Verdict
from .workers.pool import in_worker


@dataclass(slots=True)
class Answer:
    """A completion's final answer: readable (``readings``), or a failure (``status``)."""

    text: str | None
    source: str
    notes: tuple[str, ...]
    alternatives: tuple[str, ...] = ()
    method: str = "balls"
    readings: Iterable[Reading] = ()
    status: Status | None = None
    detail: str = ""
    offset: int | None = None
    started: float = field(default_factory=time.perf_counter)

    @property
    def evidence(self) -> Evidence:
        """What is known before anything was decided."""
        seconds = time.perf_counter() - self.started
        return Evidence(self.method, flags=self.notes, extracted_by=self.source, seconds=seconds)

    def verdict(
        self,
        status: Status,
        outcome: Outcome | None = None,
        reading: Reading | None = None,
        *,
        detail: str = "",
        flags: tuple[str, ...] = (),
        undecided_reward: float = 0.0,
    ) -> Verdict:
        """The verdict, with the evidence of an outcome and the reading that it holds for."""
        outcome = outcome or Outcome(status, detail=detail or self.detail)
        customs = reading.conventions if reading else ()
        evidence = Evidence(
            method=self.method,
            reading=to_latex(reading.expression) if reading and customs else "",
            points=outcome.points,
            digits=outcome.digits,
            coverage=outcome.coverage,
            witness=outcome.witness,
            flags=(*self.notes, *outcome.flags, *customs, *flags),
            detail=outcome.detail,
            offset=self.offset,
            extracted_by=self.source,
            seconds=time.perf_counter() - self.started,
            proof=outcome.proof,
            rules=outcome.rules,
        )
        reward = 1.0 if status is Status.CORRECT else 0.0
        if status is Status.UNDECIDED:
            reward = undecided_reward
        return Verdict(status, reward, self.text, evidence)


class NeedsWorkerError(Exception):
    """What is to be evaluated may run long inside C, where only killing the process ends it."""


def require_worker(slow: bool) -> None:
    """Raise `NeedsWorkerError` if something slow is about to run where it cannot be killed."""
    if slow and not in_worker():
        raise NeedsWorkerError


def find_answer(
    completion: str, *, strict: bool, stop: Sequence[str], truncated: bool, method: str = "balls"
) -> Answer:
    """Extract the final answer; `read_answer` makes it readable."""
    started = time.perf_counter()
    found = extract(completion, strict=strict, stop=stop, truncated=truncated)
    status = Status.NO_ANSWER if found.answer is None else None
    return Answer(
        found.answer,
        found.source,
        found.notes,
        found.alternatives,
        method=method,
        status=status,
        started=started,
    )


def read_answer(answer: Answer, symbols: Collection[str]) -> Answer:
    """Read an extracted answer's LaTeX, or say as a status why it cannot be read.

    Only the first reading is made now; the others when they are asked for.
    """
    if answer.text is None:
        return answer
    try:
        further = readings(answer.text, symbols=symbols)
        answer.readings = chain((next(further),), further)
    except ReadError as error:
        answer.detail, answer.offset = str(error), error.offset
        if isinstance(error, NotClosedFormError):
            answer.status = Status.NOT_CLOSED_FORM
        elif isinstance(error, AlternativesError):
            answer.status = Status.INCORRECT
        else:
            answer.status = Status.UNPARSEABLE
    return answer


def best(judged: Iterable[tuple[Outcome, Reading]]) -> tuple[Outcome, Reading]:
    """The first reading that is correct, else an undecided one, else the likeliest.

    An undecided reading outweighs a wrong one: it might have been what was meant.
    """
    seen: list[tuple[Outcome, Reading]] = []
    for pair in judged:
        if pair[0].status is Status.CORRECT:
            return pair
        seen.append(pair)
    return min(seen, key=lambda pair: pair[0].status is not Status.UNDECIDED)
