"""Verdicts from workers: their form as JSON, and the verdicts of unfinished items.

Every failure of a worker becomes a verdict, so that no batch is lost:

============================  ==========  ==================
what happened                 status      flag
============================  ==========  ==================
too much processor time       timeout     ``processor_time``
the wall clock ended it       timeout     ``wall_clock``
too much memory was needed    error       ``memory_limit``
the worker crashed            error       ``worker_crash``
the problem itself is bad     error       ``problem_error``
a fault of the verifier       error       ``internal_error``
============================  ==========  ==================

The verifier bounds its work by counts, so that processor time should never run out. If processor
time runs out, the flag shows that the counts are at fault. If the wall clock ended an item, the
item may not be the cause (`rewards.workers.errors`). No reward may rest on such a verdict;
`has_no_opinion` finds such verdicts.

Some failures are not caused by an item. These failures raise an exception: a `PoolError` if workers
do not start, and an `ImportError` if an extra is missing. Scores of 0 instead would silently spoil
a training run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, TypeAlias

from ..verdict import Evidence, Status, Verdict, Witness
from .child import in_worker, resolve
from .deadline import Deadline
from .dispatcher import PACKAGE
from .errors import (
    TaskError,
    WorkerCrash,
    WorkerCutOff,
    WorkerError,
    WorkerMemory,
    WorkerTimeout,
)
from .pool import TASKS, shared_pool

#: The request for one verdict: the completion, the target, the verifier's options.
WorkItem: TypeAlias = tuple[str, Any, dict[str, Any]]

_FLAGS = {
    WorkerMemory: "memory_limit",
    WorkerCrash: "worker_crash",
    WorkerTimeout: "processor_time",
    WorkerCutOff: "wall_clock",
}

# Field by field: `Verdict.to_dict` costs as much as some verdicts.
_FIELDS = tuple(field.name for field in fields(Evidence))
_field_values = attrgetter(*_FIELDS)
_WITNESS_AT = _FIELDS.index("witness")
_TUPLES_AT = (_FIELDS.index("flags"), _FIELDS.index("rules"))


def pack(verdict: Verdict) -> list[Any]:
    """Convert a verdict to a list for JSON."""
    values = list(_field_values(verdict.evidence))
    witness = verdict.evidence.witness
    values[_WITNESS_AT] = witness and [getattr(witness, name) for name in witness.__slots__]
    return [verdict.status, verdict.reward, verdict.answer, *values]


def unpack(packed: list[Any]) -> Verdict:
    """Convert a list made by `pack` back to a verdict."""
    status, reward, answer, *values = packed
    if values[_WITNESS_AT] is not None:
        values[_WITNESS_AT] = Witness(*values[_WITNESS_AT])
    for at in _TUPLES_AT:
        values[at] = tuple(values[at])
    return Verdict(Status(status), reward, answer, Evidence(*values))


def has_no_opinion(verdict: Verdict) -> bool:
    """Whether an answer was left unjudged because the wall clock ended the worker."""
    return verdict.status is Status.TIMEOUT and _FLAGS[WorkerCutOff] in verdict.evidence.flags


def call_task(
    task: str,
    *arguments: Any,
    deadline: float | Deadline,
    wall_clock: float | None = None,
) -> Any:
    """Run a task, and return the task's result.

    The task runs in a worker. Inside a worker, the task runs in the same process.

    Args:
        task: a name in `rewards.workers.pool.TASKS`.
        arguments: the task's arguments, as plain JSON data.
        deadline: seconds of processor time, or the `Deadline` of the whole call. Inside a worker,
            the argument is ignored, and the deadline of the worker's current item applies.
        wall_clock: as for `Pool.submit`.

    Raises:
        WorkerError: the task was not finished.
        ImportError: a package required by the task is not installed.

    """
    if in_worker():
        return resolve(TASKS[task], PACKAGE)(*arguments)
    try:
        if not isinstance(deadline, Deadline):
            return shared_pool().call(task, *arguments, deadline=deadline, wall_clock=wall_clock)
        return _part_of_call(task, arguments, deadline)
    except TaskError as error:
        _raise_missing_package(error)
        raise


def _part_of_call(task: str, arguments: Sequence[Any], deadline: Deadline) -> Any:
    """Run a task of a call in the remaining time of the call."""
    if not deadline.left:
        raise WorkerTimeout("the processor time of the whole call is spent")
    try:
        result, seconds = shared_pool().call("timed", task, *arguments, deadline=deadline.left)
    except WorkerTimeout:
        deadline.spend(deadline.left)
        raise
    deadline.spend(seconds)
    return result


def verdict_of(result: Any, answer: str | None = None, evidence: Evidence | None = None) -> Verdict:
    """Unpack a task's verdict, or make a verdict from the `WorkerError` of an unfinished item.

    ``answer`` and ``evidence`` are already known, and go into the verdict of an unfinished item.
    Without ``evidence``, the verdict's ``seconds`` are the worker's time.
    """
    if not isinstance(result, WorkerError):
        return unpack(result)
    _raise_missing_package(result)
    evidence = evidence or Evidence(seconds=result.seconds)
    flag, detail = _FLAGS.get(type(result), "internal_error"), str(result)
    late = isinstance(result, WorkerTimeout | WorkerCutOff)
    if isinstance(result, TaskError) and result.kind == "ProblemError":
        flag, detail = "problem_error", result.message
    evidence = replace(evidence, detail=detail, flags=(*evidence.flags, flag))
    return Verdict(Status.TIMEOUT if late else Status.ERROR, 0.0, answer, evidence)


def _raise_missing_package(error: WorkerError) -> None:
    if isinstance(error, TaskError) and error.kind == "MissingReaderError":
        raise ImportError(error.message) from None


def map_verdicts(
    task: str, items: Sequence[WorkItem], workers: int | None, deadline: float, memory_mb: int
) -> list[Verdict]:
    """Judge many items in workers. The verdicts have the order of the items.

    Args:
        task: a name in `rewards.workers.pool.TASKS`.
        items: the completion, the target and the options of each item.
        workers: the number of workers. None means a worker on each core.
        deadline: seconds of processor time for each item.
        memory_mb: the memory limit of a worker in megabytes, in addition to the loaded code.

    """
    results = shared_pool(workers, memory_mb).map(task, items, deadline=deadline)
    return [verdict_of(result) for result in results]


async def amap_verdicts(
    task: str, items: Sequence[WorkItem], workers: int | None, deadline: float, memory_mb: int
) -> list[Verdict]:
    """Judge many items as `map_verdicts` does, without blocking the event loop of asyncio."""
    results = await shared_pool(workers, memory_mb).amap(task, items, deadline=deadline)
    return [verdict_of(result) for result in results]
