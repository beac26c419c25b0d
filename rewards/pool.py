"""Isolated, killable workers: deadlines, memory limits, and one bad item costs only itself.

Each worker is a separate interpreter (`rewards._child`) that imports this package and nothing of
the program that uses it. A dispatcher thread owns them all and speaks with them over sockets, so
that a pool works the same from the main thread, from other threads, from an asyncio loop, in Ray
actors, daemonic processes, notebooks, scripts without a ``__main__`` guard, and processes that hold
a CUDA context (nothing is forked without an exec). No signal handler or alarm is involved: an item
that outlives its deadline is ended by killing its process, and another takes its place.

What a pool promises:

- Deadlines are per item, on the wall clock, and do not count the time to start or import.
- Memory is limited per worker, beyond what the loaded code takes.
- Items are handed out in small chunks; a reply comes per item, so that when a worker dies the one
  at fault is known and the others go elsewhere. Items that wait behind a slow one are taken back.
- A crash or lack of memory is only charged to an item that causes it in a worker that had done
  nothing before; otherwise it is tried once more in such a worker.
- Workers die with the process (or dispatcher thread) that started them, whatever it dies of.
- After a fork, the child process starts its own workers and leaves its parent's alone.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from ._child import HEADER, MARK, in_worker

__all__ = [
    "PoolError",
    "TaskError",
    "WorkerCrash",
    "WorkerError",
    "WorkerMemory",
    "WorkerPool",
    "WorkerTimeout",
    "in_worker",
    "usable_cores",
]

#: What workers may be asked to do: name -> function of this package.
TASKS: Mapping[str, str] = {
    "verify": "._tasks:verify",
    "value": "._tasks:value",
    "equivalent": "._tasks:equivalent",
    "label": "._tasks:label",
    "integer": "._tasks:integer",
    "published": "._tasks:published",
    "welleck": ".published_welleck:judge",
}

DEFAULT_MEMORY_MB = 1024
#: Seconds for a worker to start, or to import a task.
START_LIMIT = 120.0
#: Workers that fail to start, one after another, before the pool gives up.
START_ATTEMPTS = 3
#: Most items in a chunk, and most bytes of them.
CHUNK_ITEMS = 32
CHUNK_BYTES = 1 << 20
#: After so many seconds on one item, those behind it in the chunk are given to other workers.
STALL = 0.1
#: A reply longer than this is a malfunction.
MAX_REPLY = 64 << 20

Result: TypeAlias = Any


class WorkerError(RuntimeError):
    """An item that could not be finished; the batch that it was part of goes on."""


class WorkerTimeout(WorkerError):  # noqa: N818
    """The item's deadline passed; its worker was killed."""


class WorkerMemory(WorkerError):  # noqa: N818
    """The item needed more memory than a worker may take."""


class WorkerCrash(WorkerError):  # noqa: N818
    """The item brought its worker down."""


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


def usable_cores() -> int:
    """Cores that this process may use: its affinity, its container's quota, its share of the node.

    Where a launcher (torchrun, accelerate) runs several processes on the machine, each takes an
    equal part.
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


class WorkerPool:
    """Workers that start when first needed; `close`, or the end of the process, ends them.

    ``size`` is the number of workers (by default `usable_cores`), ``memory_mb`` what each may take
    of memory beyond its code, ``tasks`` what they may be asked to do. A pool can be pickled; the
    copy starts workers of its own.
    """

    def __init__(
        self,
        size: int | None = None,
        memory_mb: int = DEFAULT_MEMORY_MB,
        *,
        tasks: Mapping[str, str] = TASKS,
    ) -> None:
        if size is not None and size < 1:
            raise ValueError(f"a pool needs at least one worker, not {size}")
        if memory_mb < 1:
            raise ValueError(f"memory_mb must be positive, not {memory_mb}")
        self.size = size if size is not None else usable_cores()
        self.memory_mb = memory_mb
        self._tasks = dict(tasks)
        self._closed = False
        self._lock = threading.Lock()
        self._dispatcher: _Dispatcher | None = None
        _POOLS.add(self)

    def call(self, task: str, *args: Any, deadline: float, **options: Any) -> Any:
        """Run one task; raises `WorkerError` when it could not be finished.

        Arguments, options and the value are plain JSON data.
        """
        result = self.map(task, [args], deadline=deadline, **options)[0]
        if isinstance(result, WorkerError):
            raise result
        return result

    def map(
        self, task: str, items: Iterable[Sequence[Any]], *, deadline: float, **options: Any
    ) -> list[Result | WorkerError]:
        """Run a task on many items (each a sequence of arguments), in order, on all workers.

        What could not be finished is a `WorkerError` in its place.
        """
        future = self.submit(task, items, deadline=deadline, **options)
        try:
            return future.result()
        except BaseException:  # Ctrl-C, say: do not go on with what nobody waits for
            future.cancel()
            raise

    async def amap(
        self, task: str, items: Iterable[Sequence[Any]], *, deadline: float, **options: Any
    ) -> list[Result | WorkerError]:
        """`map` for asyncio; the loop is never blocked, and cancelling gives up what is waiting."""
        import asyncio

        return await asyncio.wrap_future(self.submit(task, items, deadline=deadline, **options))

    def submit(
        self, task: str, items: Iterable[Sequence[Any]], *, deadline: float, **options: Any
    ) -> Future[list[Result | WorkerError]]:
        """`map` without waiting: a future of its list."""
        if task not in self._tasks:
            raise ValueError(f"no task {task!r}; there are {', '.join(sorted(self._tasks))}")
        if not deadline > 0:
            raise ValueError(f"the deadline must be positive, not {deadline}")
        if in_worker():
            raise PoolError("a worker does not start workers of its own")
        batch = _Batch(task, [list(item) for item in items], deadline, json.dumps(options))
        if not batch.items:
            batch.future.set_result([])
            return batch.future
        with self._lock:
            if self._closed:
                raise PoolError("the pool is closed")
            if self._dispatcher is None or self._dispatcher.dead is not None:
                self._dispatcher = _Dispatcher(self.size, self.memory_mb, self._tasks)
                # The thread must not keep a forgotten pool alive.
                weakref.finalize(self, self._dispatcher.stop)
            self._dispatcher.submit(batch)
        return batch.future

    def close(self) -> None:
        """End the workers; what is still waiting fails with `PoolError`."""
        with self._lock:
            self._closed = True
            dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.stop(wait=True)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.size, self.memory_mb, self._tasks)

    def _after_fork(self) -> None:
        self._lock = threading.Lock()  # the other thread that may have held it is not here
        dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.abandon()


def _rebuild(size: int, memory_mb: int, tasks: Mapping[str, str]) -> WorkerPool:
    return WorkerPool(size, memory_mb, tasks=tasks)


class _Batch:
    """Items of one call, what became of them, and which still wait."""

    def __init__(self, task: str, items: list[list[Any]], deadline: float, options: str) -> None:
        self.task = task
        self.items = items
        self.deadline = deadline
        self.options = options
        self.waiting = deque(range(len(items)))
        self.results: list[Result | WorkerError] = [None] * len(items)
        self.left = len(items)
        self.retried: set[int] = set()
        self.future: Future[list[Result | WorkerError]] = Future()

    def finish(self, index: int, result: Result | WorkerError) -> None:
        self.results[index] = result
        self.left -= 1
        if not self.left and self.future.set_running_or_notify_cancel():
            self.future.set_result(self.results)

    def fail(self, error: Exception) -> None:
        self.waiting.clear()
        if not self.future.done() and self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)

    def request(self, chunk: int) -> tuple[list[int], bytes]:
        """Take up to ``chunk`` waiting items: their indices, and the request for a worker."""
        indices: list[int] = []
        bodies: list[str] = []
        size = 0
        while self.waiting and len(indices) < chunk and size < CHUNK_BYTES:
            index = self.waiting.popleft()
            bodies.append(json.dumps(self.items[index]))
            indices.append(index)
            size += len(bodies[-1])
        return indices, self._frame(bodies)

    def single(self, index: int) -> tuple[list[int], bytes]:
        return [index], self._frame([json.dumps(self.items[index])])

    def _frame(self, bodies: list[str]) -> bytes:
        body = (
            f'{{"task":{json.dumps(self.task)},"deadline":{self.deadline!r},'
            f'"options":{self.options},"items":[{",".join(bodies)}]}}'
        ).encode()
        return len(body).to_bytes(HEADER) + body


class _Worker:
    """The parent's side of one worker: its process, its channel, and what it is at."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        ours, theirs = socket.socketpair()
        try:
            script = str(Path(__file__).with_name("_child.py"))
            settings = {**settings, "parent": os.getpid(), "path": _import_path()}
            self.process = subprocess.Popen(
                [sys.executable, "-P", script, json.dumps(settings)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=_environment(),
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        assert self.process.stderr is not None
        self.stderr = self.process.stderr
        os.set_blocking(self.stderr.fileno(), False)
        ours.setblocking(False)
        self.channel = ours
        self.inbox = bytearray()
        self.outbox: deque[memoryview] = deque()
        self.noise = bytearray()
        self.ready = False
        self.loaded: set[str] = set()
        self.served = 0
        self.batch: _Batch | None = None
        self.chunk: list[int] = []
        self.position = 0
        self.running = False
        self.since = time.monotonic()
        self.dropped = False

    @property
    def idle(self) -> bool:
        return self.ready and self.batch is None

    @property
    def expires(self) -> float:
        """When to kill it (it is waiting for work: never)."""
        if self.idle:
            return math.inf
        limit = self.batch.deadline if self.batch is not None and self.running else START_LIMIT
        return self.since + limit

    @property
    def stalls(self) -> float:
        """When to take back what waits behind its current item."""
        blocking = self.running and self.position + 1 < len(self.chunk)
        return self.since + STALL if blocking else math.inf

    @property
    def current(self) -> int | None:
        """The index of the item that it is at."""
        return self.chunk[self.position] if self.position < len(self.chunk) else None

    def assign(self, batch: _Batch, chunk: list[int], request: bytes) -> None:
        self.batch, self.chunk, self.position, self.dropped = batch, chunk, 0, False
        self.running = batch.task in self.loaded
        self.since = time.monotonic()
        self.outbox.append(memoryview(request))
        self.flush()

    def take_back(self) -> list[int]:
        """The items behind the current one, which the worker is told not to do."""
        keep = self.position + 1
        rest, self.chunk = self.chunk[keep:], self.chunk[:keep]
        self.dropped = True
        self.outbox.append(memoryview((2).to_bytes(HEADER) + b"{}"))
        self.flush()
        return rest

    def flush(self) -> None:
        """Send what the socket takes. (A worker that is gone shows itself when read from.)"""
        with contextlib.suppress(BlockingIOError, OSError):
            while self.outbox:
                rest = self.outbox[0][self.channel.send(self.outbox[0]) :]
                if rest:
                    self.outbox[0] = rest
                else:
                    self.outbox.popleft()

    def replies(self) -> Iterator[list[Any]]:
        """The replies that have arrived; ``EOFError`` after the last when the worker is gone."""
        gone = False
        try:
            while part := self.channel.recv(1 << 18):
                self.inbox += part
            gone = True
        except BlockingIOError:
            pass
        except OSError:
            gone = True
        start = 0
        while len(self.inbox) - start >= HEADER:
            size = int.from_bytes(self.inbox[start : start + HEADER])
            if size > MAX_REPLY:
                raise EOFError("its reply was too long")
            if len(self.inbox) - start - HEADER < size:
                break
            start += HEADER + size
            yield json.loads(self.inbox[start - size : start])
        del self.inbox[:start]
        if gone:
            raise EOFError

    def listen(self) -> bool:
        """Keep the end of what it prints to stderr; false when there will be no more."""
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self.stderr.fileno(), 1 << 16):
                self.noise += part
                del self.noise[: -(1 << 14)]
            return False
        return True

    def autopsy(self) -> WorkerError:
        """Why a worker that was not killed by us is gone."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1.0)
        self.listen()
        said = self.noise.decode(errors="replace").strip()
        code = self.process.returncode
        try:
            how = signal.Signals(-code).name if code and code < 0 else f"exit status {code}"
        except ValueError:
            how = f"signal {-code}"
        if code == -signal.SIGXCPU:
            return WorkerTimeout("the limit on processor time was reached")
        low = any(text in said.lower() for text in _OUT_OF_MEMORY)
        if low or code == -signal.SIGKILL:  # not by us: the system ran out of memory
            return WorkerMemory(f"the worker ran out of memory ({how})")
        return WorkerCrash(f"the worker died ({how}){': ' if said else ''}{said[:500]}")

    def kill(self) -> None:
        self.channel.close()
        self.stderr.close()
        self.process.kill()


_OUT_OF_MEMORY = (
    "allocate memory",
    "memoryerror",
    "bad_alloc",
    "out of memory",
    "unable to allocate",
)


class _Dispatcher:
    """One thread that owns the workers of a pool and hands them the batches' items."""

    def __init__(self, size: int, memory_mb: int, tasks: Mapping[str, str]) -> None:
        _check_platform()
        self._size = size
        self._settings = {
            "package": __package__,
            "root": str(Path(__file__).resolve().parent),
            "memory_mb": memory_mb,
            "tasks": dict(tasks),
        }
        self._inbox: deque[_Batch] = deque()
        self._batches: deque[_Batch] = deque()
        self._retries: deque[tuple[_Batch, int]] = deque()
        self._workers: list[_Worker] = []
        self._dying: list[subprocess.Popen[bytes]] = []
        self._failed_starts = 0
        self._stopping = False
        self.dead: PoolError | None = None
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._selector.register(self._wake_out, selectors.EVENT_READ, self._woken)
        # The thread is what workers are tied to: it must live as long as they may.
        self._thread = threading.Thread(target=self._run, name="rewards-workers", daemon=True)
        self._thread.start()

    # Called from other threads.

    def submit(self, batch: _Batch) -> None:
        self._inbox.append(batch)
        batch.future.add_done_callback(lambda future: self._wake() if future.cancelled() else None)
        self._wake()
        if self.dead is not None:
            batch.fail(self.dead)

    def stop(self, wait: bool = False) -> None:
        """End everything. Takes no lock, because the garbage collector may call it anywhere."""
        self._stopping = True
        self._wake()
        if wait and threading.current_thread() is not self._thread:
            self._thread.join(5.0)

    def abandon(self) -> None:
        """In a forked child: let go of what belongs to the parent, without touching it."""
        for worker in self._workers:
            worker.channel.close()
            worker.stderr.close()
            worker.process.returncode = 0  # not our child: nothing to wait for
        for process in self._dying:
            process.returncode = 0
        self._selector.close()
        self._wake_in.close()
        self._wake_out.close()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            self._wake_in.send(b"\0")

    # The thread.

    def _run(self) -> None:
        error: PoolError | None = None
        try:
            while not self._stopping:
                self._admit()
                self._assign()
                for key, _ in self._selector.select(self._patience()):
                    key.data()
                self._police()
        except PoolError as failure:
            error = failure
        except Exception as failure:
            error = PoolError(f"the dispatcher failed: {type(failure).__name__}: {failure}")
            error.__cause__ = failure
        self._end(error or PoolError("the pool was closed"))

    def _end(self, error: PoolError) -> None:
        self.dead = error
        for worker in list(self._workers):
            self._discard(worker)
        for process in self._dying:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2.0)
        self._selector.close()
        self._wake_in.close()
        self._wake_out.close()
        for batch in {*self._batches, *self._inbox}:
            batch.fail(error)

    def _woken(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._wake_out.recv(4096):
                pass

    def _admit(self) -> None:
        while self._inbox:
            self._batches.append(self._inbox.popleft())
        for batch in [batch for batch in self._batches if batch.future.done()]:
            self._batches.remove(batch)
            batch.waiting.clear()

    def _patience(self) -> float | None:
        """Seconds until something must be done though nobody speaks."""
        times = [min(worker.expires, worker.stalls) for worker in self._workers]
        moment = min(times, default=math.inf)
        if self._dying:
            moment = min(moment, time.monotonic() + 0.05)
        return None if moment == math.inf else max(0.0, moment - time.monotonic())

    def _assign(self) -> None:
        idle = [worker for worker in self._workers if worker.idle]
        self._assign_retries(idle)
        # Batches take turns, so that a long one does not keep a short one waiting.
        chunk = max(1, min(CHUNK_ITEMS, self._waiting() // (4 * self._size)))
        while idle and any(batch.waiting for batch in self._batches):
            batch = self._batches[0]
            self._batches.rotate(-1)
            if not batch.waiting:
                continue
            try:
                indices, request = batch.request(chunk)
            except (TypeError, ValueError, RecursionError) as error:
                batch.fail(TypeError(f"items must be plain JSON data: {error}"))
                continue
            self._give(idle.pop(), batch, indices, request)
        self._grow()

    def _assign_retries(self, idle: list[_Worker]) -> None:
        """Items that were there when a worker broke get one that has done nothing yet."""
        for _ in range(len(self._retries)):
            batch, index = self._retries.popleft()
            if batch.future.done():
                continue
            fresh = next((worker for worker in idle if not worker.served), None)
            if fresh is not None:
                idle.remove(fresh)
                self._give(fresh, batch, *batch.single(index))
                continue
            self._retries.append((batch, index))
            starting = sum(not worker.ready for worker in self._workers)
            if idle and len(self._workers) >= self._size and starting < len(self._retries):
                self._discard(idle.pop())

    def _give(self, worker: _Worker, batch: _Batch, indices: list[int], request: bytes) -> None:
        worker.assign(batch, indices, request)
        self._watch(worker)

    def _waiting(self) -> int:
        return sum(len(batch.waiting) for batch in self._batches)

    def _grow(self) -> None:
        """Start as many workers as there is work for."""
        starting = sum(not worker.ready for worker in self._workers)
        wanted = len(self._retries) + self._waiting() - starting
        for _ in range(min(wanted, self._size - len(self._workers))):
            try:
                worker = _Worker(self._settings)
            except OSError as error:
                if not self._workers:
                    raise PoolError(f"no worker can be started: {error}") from error
                return  # no more processes or memory: make do with those that there are
            self._workers.append(worker)
            self._watch(worker)
            self._selector.register(
                worker.stderr, selectors.EVENT_READ, partial(self._listen, worker)
            )

    def _watch(self, worker: _Worker) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if worker.outbox else 0)
        registered = self._selector.get_map().get(worker.channel)
        if registered is None:
            self._selector.register(worker.channel, events, partial(self._serve, worker))
        elif registered.events != events:
            self._selector.modify(worker.channel, events, registered.data)

    def _listen(self, worker: _Worker) -> None:
        if worker in self._workers and not worker.listen():
            self._selector.unregister(worker.stderr)

    def _serve(self, worker: _Worker) -> None:
        if worker not in self._workers:
            return  # discarded while its event was waiting to be handled
        if worker.outbox:
            worker.flush()
            self._watch(worker)
        try:
            for reply in worker.replies():
                self._reply(worker, *reply)
                if worker not in self._workers:
                    return
        except EOFError:
            self._lost(worker, None)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            self._lost(worker, WorkerCrash(f"the worker's reply made no sense: {error}"))

    def _reply(self, worker: _Worker, kind: str, *rest: Any) -> None:
        worker.since = time.monotonic()
        batch = worker.batch
        if kind == "ready":
            worker.ready = True
            self._failed_starts = 0
            return
        if batch is None:
            raise ValueError(f"{kind!r} out of turn")
        if kind == "started":
            worker.running = True
            worker.loaded.add(batch.task)
        elif kind == "unloadable":
            batch.fail(PoolError(f"workers cannot load the task {batch.task!r}: {rest[0]}"))
        elif kind == "done":
            # What waited behind a slow item was taken back; the worker may have heard of that
            # before it began the item that was meant to stay with it.
            batch.waiting.extendleft(reversed(worker.chunk[worker.position :]))
            worker.batch, worker.chunk, worker.running = None, [], False
            if rest[0]:
                self._discard(worker)
        elif kind == "memory":
            self._lost(worker, WorkerMemory("the worker's memory limit was reached"))
        else:
            if kind == "value":
                result = rest[1]
            elif kind == "failed":
                result = TaskError(*rest[1:])
            else:
                raise ValueError(f"unknown reply {kind!r}")
            current = worker.current
            worker.position += 1
            worker.served += 1
            worker.noise.clear()
            if current is not None:  # else it was taken back a moment too late, and is done twice
                batch.finish(current, result)

    def _lost(self, worker: _Worker, why: WorkerError | None) -> None:
        """A worker is gone or has to go: settle what it was at."""
        error = why or worker.autopsy()
        batch, current = worker.batch, worker.current
        self._discard(worker)
        if not worker.ready or (batch is not None and not worker.running):
            self._failed_starts += 1
            if self._failed_starts >= START_ATTEMPTS:
                raise PoolError(f"workers do not start: {error}")
        if batch is None or batch.future.done():
            return
        if not worker.running:
            batch.waiting.extendleft(reversed(worker.chunk))
            return
        batch.waiting.extendleft(reversed(worker.chunk[worker.position + 1 :]))
        if current is None:
            return
        suspect = isinstance(error, WorkerMemory | WorkerCrash) and worker.served
        if suspect and current not in batch.retried:
            batch.retried.add(current)
            self._retries.append((batch, current))
        else:
            batch.finish(current, error)

    def _discard(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        for channel in (worker.channel, worker.stderr):
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(channel)
        worker.kill()
        if worker.process.poll() is None:
            self._dying.append(worker.process)

    def _police(self) -> None:
        """Kill what is over its time, take back what waits behind slow items, bury the dead."""
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.expires <= now:
                self._serve(worker)  # this thread may have been kept from hearing it in time
            if worker not in self._workers:
                continue
            if worker.expires <= now:
                what = f"no result within {worker.batch.deadline:g} s" if worker.batch else "start"
                self._lost(worker, WorkerTimeout(what))
            elif worker.batch is not None and (
                worker.stalls <= now or (worker.batch.future.cancelled() and not worker.dropped)
            ):
                worker.batch.waiting.extendleft(reversed(worker.take_back()))
                self._watch(worker)
        self._dying = [process for process in self._dying if process.poll() is None]


def _check_platform() -> None:
    if os.name != "posix":
        raise PoolError("workers need a POSIX system (Linux, macOS)")
    if not sys.executable or getattr(sys, "frozen", False):
        raise PoolError("workers need a Python interpreter: sys.executable does not name one")


def _import_path() -> list[str]:
    return [entry for entry in sys.path if Path(entry).is_absolute()]


def _environment() -> dict[str, str]:
    """The parent's, but: reproducible, one thread each, and not asked to stay or to explain."""
    dropped = {MARK, "PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONPROFILEIMPORTTIME", "PYTHONVERBOSE"}
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MALLOC_ARENA_MAX")
    return environment | dict.fromkeys(threads, "1") | {"PYTHONHASHSEED": "0"}


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
