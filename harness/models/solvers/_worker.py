"""The tasks of a solver's worker pool: each task solves a problem in a child process.

The child has a timer of processor time, independent of other load on the machine; when the timer
expires, the kernel kills the child. A waiting child is ended as well, by a watch on processor time,
which a working program uses even on the busiest machine. A reply is a dictionary: ``outcome``
(``answer``, ``time``, ``memory``, ``failure``; ``machine``: a fault of the machine, not of the
system), ``seconds`` of processor time, the answer's ``text``, and ``detail`` or the program's
``output``.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ....rewards.reading.expression.infix import NotationError
from ....rewards.workers.worker import processor_time_of
from .question import SolverQuestion
from .sympy_operations import answer

Reply = dict[str, Any]

PR_SET_PDEATHSIG = 1
#: The largest file that a program may write, in bytes; endless prompts would fill a disk.
MAX_OUTPUT = 16 << 20
#: A program counts as waiting if its processor time is less than `LEAST_SHARE` in two successive
#: spans of `IDLE_SECONDS`: a hundredth of the share 0.1 that a process has of two cores under a
#: load of 17.
IDLE_SECONDS, LEAST_SHARE = 30.0, 0.001
#: Exit status of a forked child that ran out of memory, and of one that could not read a file: an
#: installation that is being replaced gives no answers, and is no system that knows none.
OUT_OF_MEMORY, MACHINE_FAULT = 77, 78
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def sympy_question(
    task: str, text: str, variable: str | None, assumptions: dict[str, str], seconds: float
) -> Reply:
    """Ask SymPy a question in LaTeX; returns LaTeX, also for unevaluated integrals.

    An exception of SymPy means no answer: the reply has a detail and no text.

    Args:
        task: The task of the problem.
        text: What is judged.
        variable: The variable of an antiderivative.
        assumptions: Assumptions on parameters.
        seconds: Of processor time.

    """
    try:
        question = SolverQuestion.of(task, text, variable, assumptions)
    except NotationError as error:
        return {"outcome": "answer", "seconds": 0.0, "text": "", "detail": str(error), "output": ""}
    return _in_child(partial(answer, question), seconds)


def _in_child(work: Callable[[], tuple[str, str]], seconds: float) -> Reply:
    """The reply of the child process that does the work."""
    worker = os.getpid()
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        os.close(read_end)
        _run_child(work, write_end, worker, seconds)
    os.close(write_end)
    with os.fdopen(read_end, encoding="utf-8") as stream:
        output = stream.read()
    _, status, usage = os.wait4(child, 0)
    text, _, detail = output.partition("\0")
    return _reply(os.waitstatus_to_exitcode(status), usage, text=text, detail=detail)


def _run_child(work: Any, write_end: int, worker: int, seconds: float) -> None:
    """Do the work, write the result, and exit without running any of the worker's code."""
    status = 1
    try:
        _limit(seconds, worker)
        try:
            text, detail = work()
            status = 0
        except MemoryError:
            raise
        except Exception as error:
            text, detail = "", f"SymPy raised {type(error).__name__}: {error}"
            status = MACHINE_FAULT if isinstance(error, OSError | ImportError) else 0
        with os.fdopen(write_end, "w", encoding="utf-8") as stream:
            stream.write(f"{text}\0{detail[:500]}")
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        os._exit(status)


def run_program(command: list[str], script: str, folder: str, seconds: float) -> Reply:
    """Run a program on a script in an empty folder; the answer is in the file ``answer``.

    The script is both standard input and the file ``script``. The folder is also the home folder,
    without start-up files. The folder is made in ``folder``, if present on the machine.
    """
    with tempfile.TemporaryDirectory(dir=folder if Path(folder).is_dir() else None) as home:
        directory = Path(home)
        (directory / "script").write_text(script, encoding="utf-8")
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "LANG": "C"}
        with (directory / "script").open("rb") as stdin, (directory / "output").open("wb") as out:
            process = subprocess.Popen(
                command,
                cwd=home,
                env=environment,
                stdin=stdin,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=partial(_limit, seconds, os.getpid()),
            )
        try:
            with _watch(process.pid) as waits:
                _, status, usage = os.wait4(process.pid, 0)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.returncode = os.waitstatus_to_exitcode(status)
        text, output = _contents(directory / "answer"), _contents(directory / "output")
        if waits.is_set():
            detail = f"no work in {2 * IDLE_SECONDS:g} s: the program waits for something"
            seconds = round(usage.ru_utime + usage.ru_stime, 3)
            return {"outcome": "failure", "seconds": seconds, "detail": detail}
        return _reply(process.returncode, usage, text=text, output=output[-4000:])


@contextlib.contextmanager
def _watch(pid: int) -> Iterator[threading.Event]:
    """End a child that uses no processor time, and set the event."""
    ended, waits = threading.Event(), threading.Event()

    def look() -> None:
        previous, idle = processor_time_of(pid), 0
        while idle < 2:
            if ended.wait(IDLE_SECONDS):
                return
            now = processor_time_of(pid)
            idle = idle + 1 if now - previous < IDLE_SECONDS * LEAST_SHARE else 0
            previous = now
        waits.set()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    watch = threading.Thread(target=look, daemon=True)
    if sys.platform == "linux":  # elsewhere no process is told the time of another
        watch.start()
    try:
        yield waits
    finally:
        ended.set()


def _contents(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return ""


def _limit(seconds: float, worker: int) -> None:
    """In the child: start the timer, and end with the worker. (The worker's memory limit holds.)

    The timer survives an exec; the signal's default action ends the process.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    limit = MAX_OUTPUT if hard == resource.RLIM_INFINITY else min(hard, MAX_OUTPUT)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != worker:
            os._exit(1)


def _reply(status: int, usage: resource.struct_rusage, **texts: str) -> Reply:
    seconds = round(usage.ru_utime + usage.ru_stime, 3)
    outcome = "answer"
    if status == -signal.SIGPROF:
        outcome = "time"
    elif status in (OUT_OF_MEMORY, -signal.SIGKILL):
        outcome = "memory"
    elif status == MACHINE_FAULT:
        outcome = "machine"
    elif status < 0:
        outcome = "failure"
        texts["detail"] = f"ended by {signal.Signals(-status).name}"
    return {"outcome": outcome, "seconds": seconds, "text": "", "detail": "", "output": ""} | texts
