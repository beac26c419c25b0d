"""The main loop of a worker: a separate interpreter that serves tasks over a socket on fd 0.

This file is run as a script (``python -P .../child.py SETTINGS``). Nothing of the user's program is
therefore imported, not even ``__main__``. The package is loaded by path, because a user's module
may have the same name.

Requests and replies are frames: a 4-byte length, then JSON. Frames are not pickled: the worker
reads hostile text with native libraries, and no reply may run code in the parent. A request is
``{"task", "deadline", "options", "items"}``, or ``{}`` to skip the remaining items of a chunk. The
replies are ``["ready"]``, ``["started"]`` (the task is imported, the clock runs), ``["memory"]``
(an item ran out of memory), ``["unloadable", message]`` (the task cannot be imported), and
``["done", retire]`` (``retire`` says whether this worker should be replaced).

Results are written as lines to a shared file. The parent does not have to wake for each result, and
no result is lost when this process ends. The lines are ``["value", ended, worked, seconds, v]`` and
``["failed", ended, worked, seconds, kind, message, where]``. ``ended`` is the monotonic end time
of the item. ``worked`` is the worker's processor time up to the end.

The limit on an item's processor time is a timer of the kernel. The timer's signal ends the worker
even in the middle of a C call, and the load of the machine does not advance the timer.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # not a POSIX system; the pool refuses to start there
    resource = None  # type: ignore[assignment]

HEADER = 4
MARK = "CALCULUS_HARNESS_WORKER"
#: Seconds of processor time beyond an item's deadline: the last resort against a loop in C that
#: outlives the parent, on systems without a parent-death signal.
CPU_GRACE = 5
#: Seconds of an item after which the worker checks for messages; less than
#: `rewards.workers.worker.STALL`.
PATIENCE = 0.05
PR_SET_PDEATHSIG = 1


def in_worker() -> bool:
    """Whether the current process is a worker. A worker must not start workers."""
    return os.environ.get(MARK) == str(os.getpid())


class Channel:
    """Sends and receives frames (a length and JSON) over a stream socket. The calls block.

    If the peer is gone, an ``EOFError`` is raised.
    """

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream

    def send(self, body: bytes) -> None:
        self._stream.sendall(len(body).to_bytes(HEADER) + body)

    def receive(self) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(self._exactly(int.from_bytes(self._exactly(HEADER))))
        return frame

    def waiting(self) -> bool:
        """Whether data can be read."""
        return bool(select.select([self._stream], [], [], 0)[0])

    def _exactly(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            chunk = self._stream.recv(min(size - len(received), 1 << 20))
            if not chunk:
                raise EOFError
            received += chunk
        return bytes(received)


class Memory:
    """Limits the address space of the worker.

    The limit is the address space in use after the code is loaded, plus an allowance.
    """

    def __init__(self, megabytes: int) -> None:
        self._allowance = megabytes << 20
        self._base = 0
        self.enforced = False

    def rebase(self) -> None:
        """Set the limit anew after an import. Imported code does not count against an item."""
        self._base, used = resident(), address_space()
        self.enforced = bool(used) and self._set(used + self._allowance)

    def lift(self) -> None:
        """Remove the limit to report an exceeded limit, or to import code."""
        self._set(resource.RLIM_INFINITY)

    def bloated(self) -> bool:
        """Whether caches have grown so large that another item might reach the limit."""
        return resident() - self._base > self._allowance // 2

    def exceeded(self) -> bool:
        return resident() - self._base > self._allowance

    @staticmethod
    def _set(limit: int) -> bool:
        try:
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            if hard != resource.RLIM_INFINITY:
                limit = hard if limit == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        except (OSError, ValueError):
            return False  # macOS has the limit but does not enforce it
        return True


def address_space() -> int:
    """Bytes of address space in use. On systems without /proc, the result is 0."""
    return _statm(0)


def resident() -> int:
    """Bytes of resident memory. On systems without /proc, the result is the peak so far."""
    return _statm(1) or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _statm(field: int) -> int:
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[field]) * resource.getpagesize()
    except OSError:
        return 0


def limit_processor_time(seconds: float) -> None:
    """Let the kernel end the worker after ``seconds`` more of processor time."""
    allowed = time.process_time() + seconds + CPU_GRACE
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if hard == resource.RLIM_INFINITY or allowed < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (int(allowed) + 1, hard))


def tie_to_parent(parent: int, memory: Memory) -> None:
    """End the worker when the parent ends, even in the middle of a C call that holds the GIL.

    Linux kills the worker at the end of the starting thread. The starting thread is the
    pool's dispatcher, which runs as long as the pool exists. On other systems, a thread of the
    worker watches the parent. The watching thread cannot interrupt some C calls.
    `limit_processor_time` ends such calls.
    """
    tied = False
    if sys.platform == "linux":
        try:
            import ctypes

            tied = ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0
        except (ImportError, OSError, AttributeError):
            pass
    if os.getppid() != parent:
        os._exit(0)  # the parent died before
    if not (tied and memory.enforced):
        threading.Thread(target=_watch, args=(parent, memory), daemon=True).start()


def _watch(parent: int, memory: Memory) -> None:
    while os.getppid() == parent and (memory.enforced or not memory.exceeded()):
        time.sleep(0.25)
    os.kill(os.getpid(), signal.SIGKILL)


def load_file(name: str, path: str, folder: str | None = None) -> None:
    """Import a file as ``name``, regardless of ``sys.path``: a package, if a folder is given."""
    folders = None if folder is None else [folder]
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folders)
    if spec is None or spec.loader is None:
        raise ImportError(f"no module in {path}")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def resolve(target: str, package: str) -> Callable[..., Any]:
    """Import the function ``.module:function`` (in the package) or ``/a/file.py:function``."""
    module_name, _, attribute = target.rpartition(":")
    if module_name.endswith(".py"):
        name = f"_worker_task_{Path(module_name).stem}"
        if name not in sys.modules:
            load_file(name, module_name)
        module = sys.modules[name]
    else:
        module = importlib.import_module(module_name, package)
    function: Callable[..., Any] = getattr(module, attribute)
    return function


class TaskLoop:
    """Runs the parent's tasks until the connection is closed."""

    def __init__(self, channel: Channel, settings: dict[str, Any], memory: Memory) -> None:
        self._channel = channel
        self._results: int = settings["results"]
        self._package: str = settings["package"]
        self._targets: dict[str, str] = settings["tasks"]
        self._memory = memory
        self._functions: dict[str, Callable[..., Any]] = {}

    def run(self) -> None:
        self._settle()
        self._channel.send(b'["ready"]')
        while True:
            request = self._channel.receive()
            if not request:
                continue  # giving up a chunk that was finished meanwhile
            function = self._function(request["task"])
            if function is not None:
                self._chunk(function, request)
            self._channel.send(b'["done",true]' if self._memory.bloated() else b'["done",false]')

    def _function(self, task: str) -> Callable[..., Any] | None:
        if task not in self._functions:
            self._memory.lift()
            try:
                self._functions[task] = resolve(self._targets[task], self._package)
            except Exception as error:
                message = f"{type(error).__name__}: {error}"
                self._channel.send(json.dumps(["unloadable", message]).encode())
                return None
            self._settle()
        self._channel.send(b'["started"]')
        return self._functions[task]

    def _settle(self) -> None:
        # Freeze loaded code for the collector. Expression trees have no cycles, so that collections
        # can be rare (1.8 times faster).
        gc.collect()
        gc.freeze()
        gc.set_threshold(100_000, 20, 50)
        self._memory.rebase()

    def _chunk(self, function: Callable[..., Any], request: dict[str, Any]) -> None:
        options, items = request["options"], request["items"]
        limit_processor_time(request["deadline"] * len(items))
        started, slow = time.monotonic(), False
        for arguments in items:
            signal.setitimer(signal.ITIMER_PROF, request["deadline"])
            reply_kind, body = self._item(function, arguments, options)
            signal.setitimer(signal.ITIMER_PROF, 0)
            now = time.monotonic()
            worked = time.process_time()
            line = b'["%b",%.6f,%.6f,%.9f,%b]\n' % (reply_kind, now, worked, now - started, body)
            while line:
                line = line[os.write(self._results, line) :]
            # The only possible message, after a slow item, is to skip the remaining items.
            slow = slow or now - started > PATIENCE
            if slow and self._channel.waiting():
                self._channel.receive()
                return
            started = now

    def _item(
        self, function: Callable[..., Any], arguments: list[Any], options: Any
    ) -> tuple[bytes, bytes]:
        """Run an item. Return the kind of the result, and the content of the result.

        The content is a JSON list without the brackets.
        """
        try:
            value = json.dumps(function(*arguments, **options))
        except MemoryError:
            self._memory.lift()
            self._channel.send(b'["memory"]')
            os._exit(0)  # its state is unknown; the parent starts another
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(frame.filename).name}:{frame.lineno}"
            failure = json.dumps([type(error).__name__, str(error)[:2000], where])
            return b"failed", failure[1:-1].encode()
        return b"value", value.encode()


def main() -> None:
    """Serve the parent's tasks. ``argv[1]`` has the settings as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which ends the process
    faulthandler.enable()
    stream = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    settings = json.loads(sys.argv[1])
    os.set_inheritable(settings["results"], False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    os.nice(settings["niceness"])
    memory = Memory(settings["memory_mb"])
    memory.rebase()
    tie_to_parent(settings["parent"], memory)
    memory.lift()
    os.environ[MARK] = str(os.getpid())
    # Appended, not prepended: all of the parent's modules can be imported, and the script's
    # directory shadows nothing.
    sys.path += [entry for entry in settings["path"] if entry not in sys.path]
    for name, root in settings["roots"].items():
        load_file(name, str(Path(root, "__init__.py")), root)
    # The stream ends with the parent's death or close.
    with contextlib.suppress(EOFError, OSError):
        TaskLoop(Channel(stream), settings, memory).run()
    os._exit(0)


if __name__ == "__main__":
    main()
