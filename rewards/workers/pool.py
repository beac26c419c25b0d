"""Isolated workers that can be killed, with deadlines and memory limits for items.

Each worker is a separate interpreter (`rewards.workers.child`) that imports the verifier's package
and nothing of the user's program. A dispatcher thread owns the workers and talks to them over
sockets. A pool therefore works the same everywhere: in any thread, an asyncio loop, Ray actors,
daemonic processes, notebooks, scripts without a ``__main__`` guard, and processes with a CUDA
context (nothing is forked without an exec). The pool installs no signal handlers: if an item
exceeds its deadline, the worker's process is killed and replaced.

Guarantees:

- Deadlines are per item and in processor time; the time to start or to import does not count. The
  result of an item therefore does not depend on other programs on the machine. The wall clock only
  protects against an item that waits and against a machine that is suspended. An item that the wall
  clock cuts off is tried again when the pool has nothing else to do. After the second try the item
  is given up (`WorkerCutOff`).
- Memory is limited per worker, in addition to the memory of the loaded code.
- Items are sent in small chunks, and every item has a separate result. When a worker dies, the
  item at fault is known, and the remaining items of the chunk go to other workers. Items that wait
  behind a slow item are taken back.
- A worker that has served other items may crash or lack memory. The item is then tried once more in
  a fresh worker. Only a failure in a fresh worker counts against the item.
- Workers end with the process (or dispatcher thread) that started them, even if that process is
  killed.
- After a fork, the child process starts new workers and does not use the parent's.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import math
import os
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeAlias

from ..questions import QUESTIONS
from .child import in_worker
from .dispatcher import Dispatcher
from .errors import PoolError, WorkerError
from .worker import Call, ItemBatch, Results

#: The tasks of workers: name -> function of this package.
TASKS: Mapping[str, str] = {
    **{
        question.worker_task: f".worker_tasks:{question.worker_task}"
        for question in QUESTIONS.values()
    },
    "certify": ".worker_tasks:certify",
    "solution": ".worker_tasks:solution",
    "published": ".worker_tasks:published",
    "timed": ".worker_tasks:timed",
    "welleck": ".baselines.welleck:judge",
}

#: Seconds of processor time for an item, and megabytes for a worker, where the caller does not say.
DEFAULT_DEADLINE = 10.0
DEFAULT_MEMORY_MB = 1024
#: Seconds of wall clock for an item, for each second of its deadline. With a load of 17 on two
#: cores, at which a tenth of the wall clock is worked, items still have half of their deadline.
WALL_CLOCK_FACTOR = 8.0


def usable_cores() -> int:
    """The number of cores available to the process.

    The number respects the processor affinity and the container's quota. If a launcher (torchrun,
    accelerate) runs several processes on the machine, each process gets an equal share of the
    cores.
    """
    if hasattr(os, "sched_getaffinity"):
        cores: float = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    with contextlib.suppress(OSError, ValueError):
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        if quota != "max":
            cores = min(cores, math.ceil(int(quota) / int(period)))
    with contextlib.suppress(ValueError):
        cores /= max(1, int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
    return max(1, int(cores))


class Pool(ABC):
    """Workers for tasks, on the local machine (`WorkerPool`) or elsewhere."""

    _tasks: Mapping[str, str]
    memory_mb: int

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of workers."""

    @abstractmethod
    def _submit(self, call: Call) -> Future[Results]:
        """Begin a call with one or more items."""

    @abstractmethod
    def close(self) -> None:
        """End the workers; waiting calls fail with `PoolError`."""

    def call(self, task: str, *args: Any, deadline: float, **options: Any) -> Any:
        """Run a task on an item.

        Args:
            task: the name of a task.
            args: the arguments, as plain JSON data.
            deadline: the limit of the worker process, in seconds of processor time.
            options: ``wall_clock`` as for `submit`, and the keyword arguments of the task, as plain
                JSON data.

        Returns:
            The task's result, as plain JSON data.

        Raises:
            WorkerError: the task was not finished.
            PoolError: the pool cannot work.

        """
        result = self.map(task, [args], deadline=deadline, **options)[0]
        if isinstance(result, WorkerError):
            raise result
        return result

    def map(
        self, task: str, items: Iterable[Sequence[Any]], *, deadline: float, **options: Any
    ) -> Results:
        """Run a task on many items, on all workers. An item is a sequence of arguments.

        Returns:
            The results in order. The result of an unfinished item is a `WorkerError`.

        """
        future = self.submit(task, items, deadline=deadline, **options)
        try:
            return future.result()
        except BaseException:  # such as Ctrl-C: drop the items that nobody waits for
            future.cancel()
            raise

    async def amap(
        self, task: str, items: Iterable[Sequence[Any]], *, deadline: float, **options: Any
    ) -> Results:
        """Run `map` without blocking the event loop of asyncio.

        If the call is cancelled, its waiting items are dropped.
        """
        return await asyncio.wrap_future(self.submit(task, items, deadline=deadline, **options))

    def submit(
        self,
        task: str,
        items: Iterable[Sequence[Any]],
        *,
        deadline: float,
        wall_clock: float | None = None,
        **options: Any,
    ) -> Future[Results]:
        """Begin `map` without waiting for its end. Return a future of the list of results.

        If ``wall_clock`` is None, an item may take `WALL_CLOCK_FACTOR` times its deadline on the
        wall clock.
        """
        if task not in self._tasks:
            raise ValueError(f"no task {task!r}; there are {', '.join(sorted(self._tasks))}")
        if not deadline > 0:
            raise ValueError(f"the deadline must be positive, not {deadline}")
        if wall_clock is None:
            wall_clock = WALL_CLOCK_FACTOR * deadline
        if in_worker():
            raise PoolError("a worker does not start workers of its own")
        call = Call(task, [list(item) for item in items], deadline, wall_clock, options)
        if call.items:
            return self._submit(call)
        none: Future[Results] = Future()
        none.set_result([])
        return none

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class WorkerPool(Pool):
    """Workers that start when first needed. The workers end with `close`, or with the process.

    A pool can be pickled. The copy starts new workers.

    Args:
        size: number of workers, by default `usable_cores`.
        memory_mb: megabytes of memory that each worker may take in addition to the loaded code.
        tasks: the functions of tasks, by name. A function is written as ``.module:function`` in
            this package, or as ``/a/file.py:function``.
        niceness: the difference between the workers' niceness and the niceness of the parent.

    Example:
        >>> with WorkerPool(1) as pool:
        ...     pool.call("integer", "It is 42.", 42, {}, deadline=10)[0]
        'correct'

    """

    def __init__(
        self,
        size: int | None = None,
        memory_mb: int = DEFAULT_MEMORY_MB,
        *,
        tasks: Mapping[str, str] = TASKS,
        niceness: int = 0,
    ) -> None:
        if size is not None and size < 1:
            raise ValueError(f"a pool needs at least one worker, not {size}")
        if memory_mb < 1:
            raise ValueError(f"memory_mb must be positive, not {memory_mb}")
        self._size = size if size is not None else usable_cores()
        self.memory_mb = memory_mb
        self._tasks = dict(tasks)
        self._niceness = niceness
        self._closed = False
        self._lock = threading.Lock()
        self._dispatcher: Dispatcher | None = None
        _POOLS.add(self)

    @property
    def size(self) -> int:
        return self._size

    def _submit(self, call: Call) -> Future[Results]:
        batch = ItemBatch(call)
        with self._lock:
            if self._closed:
                raise PoolError("the pool is closed")
            if self._dispatcher is None or self._dispatcher.dead is not None:
                self._dispatcher = Dispatcher(
                    self.size, self.memory_mb, self._tasks, self._niceness
                )
                # The thread must not keep a forgotten pool alive.
                weakref.finalize(self, self._dispatcher.stop)
            self._dispatcher.submit(batch)
        return batch.future

    def close(self) -> None:
        """End the workers; waiting calls fail with `PoolError`."""
        with self._lock:
            self._closed = True
            dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.stop(wait=True)

    def __reduce__(self) -> tuple[Any, ...]:
        rebuild = partial(WorkerPool, tasks=self._tasks, niceness=self._niceness)
        return rebuild, (self.size, self.memory_mb)

    def _after_fork(self) -> None:
        self._lock = threading.Lock()  # the other thread that may have held it is not here
        dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.abandon()


#: Makes pools of a size, memory and tasks: on this machine, or as `pools_from` sets.
Maker: TypeAlias = Callable[[int | None, int, Mapping[str, str]], Pool]


def _here(size: int | None, memory_mb: int, tasks: Mapping[str, str]) -> Pool:
    return WorkerPool(size, memory_mb, tasks=tasks)


_MAKERS: list[Maker] = [_here]
#: The pools of `shared_pool`.
_SHARED: dict[tuple[Maker, int | None, int, tuple[tuple[str, str], ...]], Pool] = {}


def make_pool(
    size: int | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    *,
    tasks: Mapping[str, str] = TASKS,
) -> Pool:
    """Make a new pool. The workers run on the cluster if a cluster is in use, else on the local
    machine.

    For a pool on a cluster, the cluster determines the size.
    """
    return _MAKERS[-1](size, memory_mb, tasks)


def shared_pool(
    size: int | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    *,
    tasks: Mapping[str, str] = TASKS,
) -> Pool:
    """The pool of this process with these settings. The first call with new settings makes the
    pool.
    """
    key = (_MAKERS[-1], size, memory_mb, tuple(tasks.items()))
    if key not in _SHARED:
        # No lock, which a fork might leave held: `setdefault` is atomic, and an unused pool free.
        _SHARED.setdefault(key, make_pool(size, memory_mb, tasks=tasks))
    return _SHARED[key]


@contextlib.contextmanager
def pools_from(maker: Maker) -> Iterator[None]:
    """Let ``maker`` make all new pools of workers within the block, shared pools included."""
    _MAKERS.append(maker)
    try:
        yield
    finally:
        _MAKERS.remove(maker)
        for key in [key for key in _SHARED if key[0] is maker]:
            del _SHARED[key]


_POOLS: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


def _close_all() -> None:
    for pool in list(_POOLS):
        pool.close()


def _after_fork_in_child() -> None:
    for pool in list(_POOLS):
        pool._after_fork()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
