"""Errors of workers and of their pool.

* WorkerError             an item was not finished; the rest of its batch goes on
  x WorkerTimeout         it took too much processor time
  x WorkerCutOff          the wall clock ended it, which says nothing of it
  x WorkerMemory          it needed too much memory
  x WorkerCrash           its worker died
  x TaskError             its task raised an exception
* PoolError               the pool itself cannot work
"""

from __future__ import annotations

from typing import Any


class WorkerError(RuntimeError):
    """An item that could not be finished; the batch that it was part of goes on.

    ``seconds`` is the time that its worker spent on it.
    """

    seconds: float = 0.0


class WorkerTimeout(WorkerError):  # noqa: N818
    """The item took more processor time than it may, which no load of the machine can cause."""


class WorkerCutOff(WorkerError):  # noqa: N818
    """The wall clock ended the item twice, before it had used half of its processor time.

    The machine is busy or stands still, or the item waits. The item may have been any.
    """


class WorkerMemory(WorkerError):  # noqa: N818
    """The item needed more memory than a worker may take."""


class WorkerCrash(WorkerError):  # noqa: N818
    """The item's worker died."""


class TaskError(WorkerError):
    """The task raised an exception: ``kind`` is the name of its class, ``where`` its file:line."""

    def __init__(self, kind: str, message: str, where: str) -> None:
        super().__init__(f"{kind} at {where}: {message}")
        self.kind = kind
        self.message = message
        self.where = where

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskError, (self.kind, self.message, self.where)


class PoolError(RuntimeError):
    """The pool itself cannot work: it was closed, or its workers do not start."""
