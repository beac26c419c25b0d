"""Errors of workers and of their pool.

* WorkerError               an item was not finished; the other items go on
  x WorkerTimeout           the item took too much processor time
  x WorkerCutOff            the wall clock ended the item; the item may not be the cause
  x WorkerMemory            the item needed too much memory
  x WorkerCrash             the item's worker died
  x TaskError               the item's task raised an exception
* PoolError                 the pool itself cannot work
"""

from __future__ import annotations

from typing import Any


class WorkerError(RuntimeError):
    """An item could not be finished. The other items of the batch go on.

    ``seconds`` is the processor time spent on the item.
    """

    seconds: float = 0.0


class WorkerTimeout(WorkerError):  # noqa: N818
    """The item took more processor time than the limit. The machine's load is not the cause."""


class WorkerCutOff(WorkerError):  # noqa: N818
    """The wall clock ended the item twice, before half of its processor-time limit was used.

    Either the machine is busy or suspended, or the item waits for something. In the first case, any
    other item could have been cut off as well.
    """


class WorkerMemory(WorkerError):  # noqa: N818
    """The item needed more memory than a worker may take."""


class WorkerCrash(WorkerError):  # noqa: N818
    """The item's worker died."""


class TaskError(WorkerError):
    """The task raised an exception of class ``kind`` at ``where`` (file and line)."""

    def __init__(self, kind: str, message: str, where: str) -> None:
        super().__init__(f"{kind} at {where}: {message}")
        self.kind = kind
        self.message = message
        self.where = where

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskError, (self.kind, self.message, self.where)


class PoolError(RuntimeError):
    """The pool itself cannot work: the pool was closed, or its workers do not start."""
