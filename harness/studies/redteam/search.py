"""The search for wrong verdicts: cases are drawn and judged, and wrong verdicts are minimised."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ....rewards import Status, Verdict
from ....rewards.questions import QUESTIONS
from ....rewards.workers.pool import DEFAULT_MEMORY_MB
from ....rewards.workers.verdicts import WorkItem, map_verdicts
from .case import GENERATORS, Case, case_at
from .minimise import minimise

#: The possible faults of a verdict.
ACCEPTED, REFUSED, UNDECIDED, FAILED = "accepted", "refused", "undecided", "failed"
FAULTS = (ACCEPTED, REFUSED, UNDECIDED, FAILED)
BATCH = 256
#: Seconds of wall clock for a case: far more than any case takes, for machines with other load.
DEADLINE = 60.0

Judge = Callable[[Sequence[Case]], list[Verdict]]


@dataclass(frozen=True, slots=True)
class Find:
    """A case that was judged wrongly.

    Attributes:
        generator: the generator of the case.
        seed: the seed of the draw.
        index: the number of the case.
        kind: the kind of fault, an element of `FAULTS`.
        status: the status of the verdict.
        case: the case as drawn.
        minimal: the smallest known case with the same fault.

    >>> case = case_at("mutation", seed=0, index=0)
    >>> Find("mutation", 0, 0, ACCEPTED, "correct", case, case).to_dict()["found"]
    'accepted'

    """

    generator: str
    seed: int
    index: int
    kind: str
    status: str
    case: Case
    minimal: Case

    def to_dict(self) -> dict[str, Any]:
        """The wrongly judged case as a dictionary, for a line of the case file.

        Returns:
            The minimal case, the original case if it differs, and the generator, seed and index
            of the draw.

        """
        origin = {"generator": self.generator, "seed": self.seed, "index": self.index}
        row = self.minimal.to_dict() | {"found": self.kind, "status": self.status} | origin
        return row if self.minimal == self.case else row | {"original": self.case.to_dict()}


@dataclass
class Result:
    """The result of a search.

    Attributes:
        seed: the seed of all draws.
        tries: the number of cases, by generator.
        repeated: for each generator, the number of repeated cases. These are not judged again.
        skipped: for each generator, the number of cases whose integrand the verifier refuses.
        faults: the number of wrongly judged cases, by generator and fault.
        finds: the cases that were judged wrongly, in the order of generator, seed and index.

    >>> Result(seed=0).tries.total()
    0

    """

    seed: int
    tries: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    finds: list[Find] = field(default_factory=list)


def verifier(workers: int | None = None) -> Judge:
    """Make a function that judges cases with the project's verifier."""

    def judge(cases: Sequence[Case]) -> list[Verdict]:
        verdicts: dict[int, Verdict] = {}
        for task in dict.fromkeys(case.task for case in cases):
            indices = [index for index, case in enumerate(cases) if case.task == task]
            items = [_item(cases[index]) for index in indices]
            results = map_verdicts(
                QUESTIONS[task].worker_task, items, workers, DEADLINE, DEFAULT_MEMORY_MB
            )
            verdicts |= zip(indices, results, strict=True)
        return [verdicts[index] for index in range(len(cases))]

    return judge


def _item(case: Case) -> WorkItem:
    options = {"assumptions": dict(case.assumptions)} if case.assumptions else {}
    return case.completion, case.integrand, options


def fault(case: Case, verdict: Verdict) -> str | None:
    """Name the fault of a verdict, an element of `FAULTS`.

    The result is None if the verdict is right.
    """
    if verdict.status in (Status.ERROR, Status.TIMEOUT):
        return FAILED
    if case.wanted == verdict.correct:
        return None
    if not case.wanted:
        return ACCEPTED
    return UNDECIDED if verdict.status is Status.UNDECIDED else REFUSED


def search(
    *,
    tries: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    generators: Sequence[str] = (),
    workers: int | None = None,
    judge: Judge | None = None,
    minimised: int = 3,
    on_progress: Callable[[Result], None] | None = None,
) -> Result:
    """Look for wrong verdicts in generated cases.

    If ``minutes`` is not given, the result does not depend on the number of workers.

    Args:
        tries: the number of cases, which the generators make in turn.
        minutes: the time limit. If ``tries`` is given as well, the search ends at the earlier of
            the two limits.
        seed: the seed of all draws.
        generators: the names of the generators to use (default: all).
        workers: the number of processes of the verifier.
        judge: a function that judges cases instead of the verifier.
        minimised: the number of wrongly judged cases to minimise, for each generator and kind of
            fault.
        on_progress: a function that is called after every batch.

    Returns:
        The result. It has every wrongly judged case, and the number of such cases for each
        generator and kind of fault.

    Raises:
        ValueError: no limit is given, or a generator is unknown.

    >>> search(tries=2, generators=["horner"], workers=1).tries
    Counter({'horner': 2})

    """
    if tries is None and minutes is None:
        raise ValueError("a search needs a number of tries or of minutes")
    names = tuple(generators) or tuple(sorted(GENERATORS))
    if unknown := set(names) - GENERATORS.keys():
        raise ValueError(
            f"no generator {min(unknown)!r}; there are {', '.join(sorted(GENERATORS))}"
        )
    judge = judge or verifier(workers)
    until = None if minutes is None else time.monotonic() + 60 * minutes
    result = Result(seed)
    seen: set[int] = set()
    for start in count(0, BATCH):
        stop = start + BATCH if tries is None else min(start + BATCH, tries)
        if start >= stop or (until is not None and time.monotonic() >= until):
            return result
        # Cases are judged in batches, for all workers. Equal texts of different generators are
        # judged once.
        addresses, cases = [], []
        for n in range(start, stop):
            name, index = names[n % len(names)], n // len(names)
            case = case_at(name, seed, index)
            text = hash((case.integrand, case.completion, tuple(case.assumptions.items())))
            result.tries[name] += 1
            if text in seen:
                result.repeated[name] += 1
                continue
            seen.add(text)
            addresses.append((name, index))
            cases.append(case)
        for address, case, verdict in zip(addresses, cases, judge(cases), strict=True):
            _count(result, address, case, verdict, judge, minimised)
        if on_progress is not None:
            on_progress(result)
    raise AssertionError("the loop ends by its limits")


def _count(
    result: Result,
    address: tuple[str, int],
    case: Case,
    verdict: Verdict,
    judge: Judge,
    minimised: int,
) -> None:
    name, index = address
    if "problem_error" in verdict.evidence.flags:  # the verifier refused the integrand
        result.skipped[name] += 1
        return
    found_fault = fault(case, verdict)
    if found_fault is None:
        return
    result.faults[name, found_fault] += 1
    small = case
    # A case that reaches the deadline would reach it again after every edit.
    if result.faults[name, found_fault] <= minimised and verdict.status is not Status.TIMEOUT:
        small = minimise(case, lambda smaller: fault(smaller, judge([smaller])[0]) == found_fault)
    result.finds.append(
        Find(name, result.seed, index, found_fault, verdict.status.value, case, small)
    )
