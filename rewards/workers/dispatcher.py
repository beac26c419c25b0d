"""The thread of a pool, which assigns items to workers, enforces limits and replaces workers."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from .errors import (
    PoolError,
    TaskError,
    WorkerCrash,
    WorkerCutOff,
    WorkerError,
    WorkerMemory,
    WorkerTimeout,
)
from .worker import ItemBatch, Worker

#: Workers that fail to start, one after another, before the pool gives up.
START_ATTEMPTS = 3
#: Most items in a chunk.
CHUNK_ITEMS = 32


assert __package__ is not None
#: The package of the verifier, which workers import by its location.
PACKAGE = __package__.rpartition(".")[0]


def _roots() -> dict[str, str]:
    """Map the name of each package for workers to the package's folder.

    Workers import the verifier's package, and also calculus_harness if the verifier is a part of
    calculus_harness.
    """
    parent = PACKAGE.rpartition(".")[0]
    names = [parent, PACKAGE] if parent == "calculus_harness" else [PACKAGE]
    return {name: str(Path(sys.modules[name].__path__[0]).absolute()) for name in names}


class Dispatcher:
    """A thread that owns the workers of a pool and gives the items of batches to the workers."""

    def __init__(
        self, size: int, memory_mb: int, tasks: Mapping[str, str], niceness: int = 0
    ) -> None:
        _check_platform()
        self._size = size
        self._settings = {
            "package": PACKAGE,
            "roots": _roots(),
            "memory_mb": memory_mb,
            "niceness": niceness,
            "tasks": dict(tasks),
        }
        self._inbox: deque[ItemBatch] = deque()
        self._batches: deque[ItemBatch] = deque()
        self._retries: deque[tuple[ItemBatch, int]] = deque()
        #: Items that the wall clock cut off, and the latest time of their second try.
        self._cut_off: deque[tuple[ItemBatch, int, float]] = deque()
        self._workers: list[Worker] = []
        self._dying: list[subprocess.Popen[bytes]] = []
        self._failed_starts = 0
        self._stopping = False
        self.dead: PoolError | None = None
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._selector.register(self._wake_out, selectors.EVENT_READ, self._woken)
        # Workers die with the thread that started them: the thread must live as long as the pool.
        self._thread = threading.Thread(target=self._run, name="rewards-workers", daemon=True)
        self._thread.start()

    # Called from other threads.

    def submit(self, batch: ItemBatch) -> None:
        self._inbox.append(batch)
        batch.future.add_done_callback(lambda future: self._wake() if future.cancelled() else None)
        self._wake()
        if self.dead is not None:
            batch.fail(self.dead)

    def stop(self, wait: bool = False) -> None:
        """End the thread and the workers.

        No lock is taken, because the garbage collector may call this method.
        """
        self._stopping = True
        self._wake()
        if wait and threading.current_thread() is not self._thread:
            self._thread.join(5.0)

    def abandon(self) -> None:
        """Close the copies of the parent's sockets and files, in a forked child process."""
        for worker in self._workers:
            worker.close()
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
        """The longest time in seconds to wait for a message of a worker.

        The result is None without a limit.
        """
        times = [min(worker.expires, worker.stalls) for worker in self._workers]
        moment = min(times, default=math.inf)
        if self._cut_off and any(worker.idle for worker in self._workers):
            moment = min(moment, self._cut_off[0][2])
        if self._dying:
            moment = min(moment, time.monotonic() + 0.05)
        return None if moment == math.inf else max(0.0, moment - time.monotonic())

    def _assign(self) -> None:
        idle = [worker for worker in self._workers if worker.idle]
        self._assign_retries(idle)
        self._assign_cut_off(idle)
        # Batches take turns, so a short one does not wait for a long one.
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

    def _assign_retries(self, idle: list[Worker]) -> None:
        """Retry the items of dead workers in workers that have served no item yet."""
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

    def _assign_cut_off(self, idle: list[Worker]) -> None:
        """Retry the items cut off by the wall clock, once the pool has nothing else to do."""
        while self._cut_off and self._cut_off[0][0].future.done():
            self._cut_off.popleft()
        if not (idle and self._cut_off):
            return
        batch, index, latest = self._cut_off[0]
        at_work = any(worker.batch is not None for worker in self._workers)
        if time.monotonic() >= latest or not (at_work or self._waiting() or self._retries):
            self._cut_off.popleft()
            self._give(idle.pop(), batch, *batch.single(index))

    def _give(self, worker: Worker, batch: ItemBatch, indices: list[int], request: bytes) -> None:
        worker.assign(batch, indices, request)
        self._watch(worker)

    def _waiting(self) -> int:
        return sum(len(batch.waiting) for batch in self._batches)

    def _grow(self) -> None:
        """Start workers for the waiting items, up to the pool's size."""
        starting = sum(not worker.ready for worker in self._workers)
        missing = len(self._retries) + len(self._cut_off) + self._waiting() - starting
        for _ in range(min(missing, self._size - len(self._workers))):
            try:
                worker = Worker(self._settings)
            except OSError as error:
                if not self._workers:
                    raise PoolError(f"no worker can be started: {error}") from error
                return  # no more processes or memory: go on with the existing workers
            self._workers.append(worker)
            self._watch(worker)
            self._selector.register(
                worker.stderr, selectors.EVENT_READ, partial(self._listen, worker)
            )

    def _watch(self, worker: Worker) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if worker.outbox else 0)
        registered = self._selector.get_map().get(worker.channel)
        if registered is None:
            self._selector.register(worker.channel, events, partial(self._serve, worker))
        elif registered.events != events:
            self._selector.modify(worker.channel, events, registered.data)

    def _listen(self, worker: Worker) -> None:
        if worker in self._workers and not worker.listen():
            self._selector.unregister(worker.stderr)

    def _serve(self, worker: Worker) -> None:
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
            self._lost(worker, WorkerCrash(f"the worker's reply is invalid: {error}"))

    def _reply(self, worker: Worker, message_type: str, *body: Any) -> None:
        since, worker.since = worker.since, time.monotonic()
        batch = worker.batch
        if message_type == "ready":
            worker.ready = True
            self._failed_starts = 0
            return
        if batch is None:
            raise ValueError(f"{message_type!r} out of turn")
        if message_type == "started":
            worker.running = True
            worker.loaded.add(batch.call.task)
        elif message_type == "unloadable":
            batch.fail(PoolError(f"workers cannot load the task {batch.call.task!r}: {body[0]}"))
        elif message_type == "done":
            # Items behind a slow one were taken back; the worker may have received that message
            # before it began the item that it was to keep.
            batch.waiting.extendleft(reversed(worker.chunk[worker.position :]))
            worker.batch, worker.chunk, worker.running = None, [], False
            if body[0]:
                self._discard(worker)
        elif message_type == "memory":
            worker.since = since  # when its item began
            self._lost(worker, WorkerMemory("the worker's memory limit was reached"))
        else:
            ended, worked, seconds, *message = body
            worker.since, worker.worked = min(worker.since, ended), worked
            if message_type == "value":
                result = message[0]
            elif message_type == "failed":
                result = TaskError(*message)
                result.seconds = seconds
            else:
                raise ValueError(f"unknown reply {message_type!r}")
            current = worker.current
            worker.position += 1
            worker.served += 1
            worker.noise.clear()
            if current is not None:  # else it was taken back too late, and is computed twice
                batch.finish(current, [result])

    def _lost(self, worker: Worker, why: WorkerError | None) -> None:
        """Discard a worker that has died or exceeded a limit.

        The item at fault fails or is tried again. The worker's other unfinished items go back to
        the queue.
        """
        seconds, work = time.monotonic() - worker.since, worker.work
        error = why or worker.autopsy()
        error.seconds = seconds
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
        if isinstance(error, WorkerCutOff) and current not in batch.cut_off:
            batch.cut_off[current] = work
            self._cut_off.append((batch, current, time.monotonic() + batch.call.wall_clock))
            return
        suspect = isinstance(error, WorkerMemory | WorkerCrash) and worker.served
        if suspect and current not in batch.retried:
            batch.retried.add(current)
            self._retries.append((batch, current))
        else:
            batch.finish(current, [error])

    def _discard(self, worker: Worker) -> None:
        self._workers.remove(worker)
        for channel in (worker.channel, worker.stderr):
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(channel)
        worker.kill()
        if worker.process.poll() is None:
            self._dying.append(worker.process)

    def _police(self) -> None:
        """Kill workers over their limit, take back items that wait too long, and reap dead
        processes.
        """
        now = time.monotonic()
        for worker in list(self._workers):
            cancelled = worker.batch is not None and worker.batch.future.cancelled()
            if cancelled or min(worker.expires, worker.stalls) <= now:
                self._serve(worker)  # it may have gone on meanwhile
            if worker not in self._workers:
                continue
            if worker.expires <= now:
                self._lost(worker, _over_time(worker))
            elif worker.batch is not None and (
                worker.stalls <= now or (worker.batch.future.cancelled() and not worker.dropped)
            ):
                worker.batch.waiting.extendleft(reversed(worker.take_back()))
                self._watch(worker)
        self._dying = [process for process in self._dying if process.poll() is None]


def _over_time(worker: Worker) -> WorkerError:
    """Make the error of an item stopped by the wall clock.

    The item had two tries. The error is `WorkerTimeout` if the two tries together used at least
    half of the item's limit of processor time. More time would hardly have helped. Otherwise the
    error is `WorkerCutOff`. An endless item gets `WorkerCutOff` only if the machine gives the
    worker less than a sixteenth of a core.
    """
    batch, current = worker.batch, worker.current
    if batch is None or current is None:
        return WorkerTimeout("start")
    work = worker.work + batch.cut_off.get(current, 0.0)
    if work >= batch.call.deadline / 2:
        return WorkerTimeout(f"no result after {work:.3g} s of processor time")
    return WorkerCutOff(
        f"no result within {batch.call.wall_clock:g} s, and {work:.3g} s of processor time"
    )


def _check_platform() -> None:
    if os.name != "posix":
        raise PoolError("workers need a POSIX system (Linux, macOS)")
    if not sys.executable or getattr(sys, "frozen", False):
        raise PoolError("workers need a Python interpreter: sys.executable does not name one")
