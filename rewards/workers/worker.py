"""A worker process, as seen from the parent: the channel, the current request, the exit.

The other side is `rewards.workers.child`.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from .child import HEADER, MARK
from .errors import WorkerCrash, WorkerError, WorkerMemory, WorkerTimeout

#: Seconds for a worker to start, or to import a task.
START_LIMIT = 120.0
#: After so many seconds on one item, the rest of its chunk is given to other workers.
STALL = 0.1
#: Most bytes of a chunk of items.
CHUNK_BYTES = 1 << 20
#: A longer reply, or results that together are longer, are a malfunction.
MAX_REPLY = 64 << 20
#: Parts of the messages of processes that run out of memory.
_OUT_OF_MEMORY = (
    "allocate memory",
    "memoryerror",
    "bad_alloc",
    "out of memory",
    "unable to allocate",
)

Result: TypeAlias = Any


Results: TypeAlias = list[Result | WorkerError]


@dataclass(frozen=True, slots=True)
class Call:
    """A task for several items, the limits of each item, and the task's keyword arguments."""

    task: str
    items: list[list[Any]]
    deadline: float
    wall_clock: float
    options: Mapping[str, Any]


class PendingResults:
    """The results of a call so far; the future has all results."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.results: Results = [None] * len(call.items)
        self.left = len(call.items)
        self.future: Future[Results] = Future()

    def finish(self, start: int, results: Sequence[Result | WorkerError]) -> None:
        """Take in the results of successive items."""
        self.results[start : start + len(results)] = results
        self.left -= len(results)
        if not self.left and self.future.set_running_or_notify_cancel():
            self.future.set_result(self.results)

    def fail(self, error: Exception) -> None:
        if not self.future.done() and self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


class ItemBatch(PendingResults):
    """The items of a call, the results, and the indices of the waiting items.

    ``cut_off`` has the processor time of each item ended by the wall clock.
    """

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self._options = json.dumps(call.options)
        self.waiting = deque(range(len(call.items)))
        self.retried: set[int] = set()
        self.cut_off: dict[int, float] = {}

    def fail(self, error: Exception) -> None:
        self.waiting.clear()
        super().fail(error)

    def request(self, chunk: int) -> tuple[list[int], bytes]:
        """Take up to ``chunk`` waiting items; return their indices and the request for a worker."""
        indices: list[int] = []
        bodies: list[str] = []
        size = 0
        while self.waiting and len(indices) < chunk and size < CHUNK_BYTES:
            index = self.waiting.popleft()
            bodies.append(json.dumps(self.call.items[index]))
            indices.append(index)
            size += len(bodies[-1])
        return indices, self._frame(bodies)

    def single(self, index: int) -> tuple[list[int], bytes]:
        return [index], self._frame([json.dumps(self.call.items[index])])

    def _frame(self, bodies: list[str]) -> bytes:
        body = (
            f'{{"task":{json.dumps(self.call.task)},"deadline":{self.call.deadline!r},'
            f'"options":{self._options},"items":[{",".join(bodies)}]}}'
        ).encode()
        return len(body).to_bytes(HEADER) + body


class Worker:
    """A worker process, as seen from the parent: the process, the channel, the current items."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        ours, theirs = socket.socketpair()
        self.results = _unnamed_file()
        try:
            script = str(Path(__file__).with_name("child.py"))
            own = {"parent": os.getpid(), "path": _import_path(), "results": self.results}
            settings = {**settings, **own}
            self.process = subprocess.Popen(
                [sys.executable, "-P", script, json.dumps(settings)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[self.results],
                env=_environment(),
            )
        except BaseException:
            ours.close()
            os.close(self.results)
            raise
        finally:
            theirs.close()
        assert self.process.stderr is not None
        self.stderr = self.process.stderr
        os.set_blocking(self.stderr.fileno(), False)
        ours.setblocking(False)
        self.channel = ours
        self.inbox = bytearray()
        self.results_read = 0
        self.outbox: deque[memoryview] = deque()
        self.noise = bytearray()
        self.ready = False
        self.loaded: set[str] = set()
        self.served = 0
        self.batch: ItemBatch | None = None
        self.chunk: list[int] = []
        self.position = 0
        self.running = False
        self.since = time.monotonic()
        self.worked = 0.0
        self.dropped = False

    @property
    def idle(self) -> bool:
        return self.ready and self.batch is None

    @property
    def expires(self) -> float:
        """The time of the worker's kill. The time is infinite while the worker is idle."""
        if self.idle:
            return math.inf
        if self.batch is not None and self.running:
            return self.since + self.batch.call.wall_clock
        return self.since + START_LIMIT

    @property
    def work(self) -> float:
        """The processor time of the current item so far, in seconds.

        The result is 0 if the system does not report processor time.
        """
        return max(0.0, processor_time_of(self.process.pid) - self.worked)

    @property
    def stalls(self) -> float:
        """The time when the items after the current item are taken back from the worker."""
        blocking = self.running and self.position + 1 < len(self.chunk)
        return self.since + STALL if blocking else math.inf

    @property
    def current(self) -> int | None:
        """The index of the current item in the batch."""
        return self.chunk[self.position] if self.position < len(self.chunk) else None

    def assign(self, batch: ItemBatch, chunk: list[int], request: bytes) -> None:
        self.batch, self.chunk, self.position, self.dropped = batch, chunk, 0, False
        self.running = batch.call.task in self.loaded
        self.since = time.monotonic()
        self.worked = processor_time_of(self.process.pid)
        # The child, which is idle, writes where this descriptor stands, too.
        os.ftruncate(self.results, os.lseek(self.results, 0, os.SEEK_SET))
        self.results_read = 0
        self.outbox.append(memoryview(request))
        self.flush()

    def take_back(self) -> list[int]:
        """Take the items after the current item back, and tell the worker to skip them."""
        keep = self.position + 1
        taken_back, self.chunk = self.chunk[keep:], self.chunk[:keep]
        self.dropped = True
        self.outbox.append(memoryview((2).to_bytes(HEADER) + b"{}"))
        self.flush()
        return taken_back

    def flush(self) -> None:
        """Send as much as the socket accepts.

        Errors are ignored here. If the worker is gone, the next read detects the loss.
        """
        with contextlib.suppress(BlockingIOError, OSError):
            while self.outbox:
                unsent = self.outbox[0][self.channel.send(self.outbox[0]) :]
                if unsent:
                    self.outbox[0] = unsent
                else:
                    self.outbox.popleft()

    def replies(self) -> Iterator[list[Any]]:
        """The replies and results so far, in order.

        If the worker is gone, an `EOFError` is raised after the last reply or result.
        """
        gone = False
        try:
            while received := self.channel.recv(1 << 18):
                self.inbox += received
            gone = True
        except BlockingIOError:
            pass
        except OSError:
            gone = True
        start = 0
        while len(self.inbox) - start >= HEADER:
            size = int.from_bytes(self.inbox[start : start + HEADER])
            if size > MAX_REPLY:
                raise EOFError("the reply is too long")
            if len(self.inbox) - start - HEADER < size:
                break
            start += HEADER + size
            reply = json.loads(self.inbox[start - size : start])
            if reply[0] != "started":
                yield from self._new_results()
            yield reply
        del self.inbox[:start]
        yield from self._new_results()
        if gone:
            raise EOFError

    def _new_results(self) -> Iterator[list[Any]]:
        size = os.fstat(self.results).st_size - self.results_read
        if size > MAX_REPLY:
            raise EOFError("the results are too long")
        lines = os.pread(self.results, size, self.results_read) if size else b""
        complete = lines.rfind(b"\n") + 1  # it may be writing another
        self.results_read += complete
        for line in lines[:complete].splitlines():
            yield json.loads(line)

    def listen(self) -> bool:
        """Read the worker's stderr and keep the end. Return whether stderr is still open."""
        with contextlib.suppress(BlockingIOError):
            while received := os.read(self.stderr.fileno(), 1 << 16):
                self.noise += received
                del self.noise[: -(1 << 14)]
            return False
        return True

    def autopsy(self) -> WorkerError:
        """Make an error for the end of a worker not killed by the pool."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1.0)
        self.listen()
        message = self.noise.decode(errors="replace").strip()
        code = self.process.returncode
        try:
            how = signal.Signals(-code).name if code and code < 0 else f"exit status {code}"
        except ValueError:
            how = f"signal {-code}"
        if code in (-signal.SIGPROF, -signal.SIGXCPU):
            limit = f" of {self.batch.call.deadline:g} s" if self.batch is not None else ""
            return WorkerTimeout(f"the limit{limit} on processor time was reached")
        low = any(text in message.lower() for text in _OUT_OF_MEMORY)
        if low or code == -signal.SIGKILL:  # not by us: the system ran out of memory
            return WorkerMemory(f"the worker ran out of memory ({how})")
        return WorkerCrash(f"the worker died ({how}){': ' if message else ''}{message[:500]}")

    def kill(self) -> None:
        self.close()
        self.process.kill()

    def close(self) -> None:
        """Close the parent's ends of the channel, of stderr and of the result file."""
        self.channel.close()
        self.stderr.close()
        os.close(self.results)


def processor_time_of(pid: int) -> float:
    """The processor time of a child process, in seconds."""
    try:
        # The number of the clock of another process, as Linux makes it (clock_getcpuclockid).
        return time.clock_gettime(~pid << 3 | 2) if sys.platform == "linux" else 0.0
    except OSError:
        return 0.0  # it is gone


def _unnamed_file() -> int:
    """Open a file without a name, in memory if supported by the system. Return the descriptor."""
    if sys.platform == "linux":
        return os.memfd_create("results")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _import_path() -> list[str]:
    return [entry for entry in sys.path if Path(entry).is_absolute()]


def _environment() -> dict[str, str]:
    """The environment variables of a worker: the parent's variables with some changes.

    The hash seed is fixed, numeric libraries use one thread, and options for interactive use are
    removed.
    """
    dropped = {MARK, "PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONPROFILEIMPORTTIME", "PYTHONVERBOSE"}
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MALLOC_ARENA_MAX")
    return environment | dict.fromkeys(threads, "1") | {"PYTHONHASHSEED": "0"}
