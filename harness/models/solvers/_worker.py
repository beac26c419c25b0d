"""Runs in a worker of a solver's pool: one problem, in a child process of its own.

The child has a clock of processor time, which a busy machine does not advance: at its end the
kernel kills the child, whatever that is in the middle of. The worker only waits. A reply is a
dictionary: ``outcome`` (``answer``, ``time``, ``memory``, ``failure``), ``seconds`` of processor
time, ``text``, and ``detail`` or ``said``, which explain.
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
from functools import partial
from pathlib import Path
from typing import Any

Reply = dict[str, Any]

PR_SET_PDEATHSIG = 1
#: Most bytes that a program may write to a file: one that asks the same thing forever fills a disk.
MAX_OUTPUT = 16 << 20
#: Exit status of a forked child that ran out of memory.
OUT_OF_MEMORY = 77
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def sympy_integrate(
    integrand: str, variable: str, assumptions: dict[str, str], seconds: float
) -> Reply:
    """What SymPy says of a LaTeX integrand, as LaTeX; an unevaluated integral as it stands.

    An exception out of `sympy.integrate` is its way to give up: no text, and a detail.
    """
    import sympy  # before the fork: the import is no part of the problem

    from ....rewards.expression.sympy_bridge import to_sympy
    from ....rewards.expression.traversal import symbols_of
    from ....rewards.latex import read

    tree = read(integrand, symbols=[variable])[0].expression
    kinds = {name: assumptions.get(name, "positive") for name in symbols_of(tree) - {variable}}

    def work() -> tuple[str, str]:
        answer = sympy.integrate(to_sympy(tree, kinds), sympy.Symbol(variable))
        return sympy.latex(answer), ""

    worker = os.getpid()
    inlet, outlet = os.pipe()
    child = os.fork()
    if not child:
        os.close(inlet)
        _be_child(work, outlet, worker, seconds)
    os.close(outlet)
    with os.fdopen(inlet, encoding="utf-8") as stream:
        said = stream.read()
    _, status, usage = os.wait4(child, 0)
    text, _, detail = said.partition("\0")
    return _reply(os.waitstatus_to_exitcode(status), usage, text=text, detail=detail)


def _be_child(work: Any, outlet: int, worker: int, seconds: float) -> None:
    """Do it, say it, and end; nothing of the worker's may run here."""
    status = 1
    try:
        _limit(seconds, worker)
        try:
            text, detail = work()
        except MemoryError:
            raise
        except Exception as error:
            text, detail = "", f"SymPy raised {type(error).__name__}: {error}"
        with os.fdopen(outlet, "w", encoding="utf-8") as stream:
            stream.write(f"{text}\0{detail[:500]}")
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        os._exit(status)


def run_program(command: list[str], script: str, folder: str, seconds: float) -> Reply:
    """Run a program on a script in an empty folder; it puts its answer into the file ``answer``.

    The script is its standard input and the file ``script``. ``said`` is the end of what it
    printed. The folder is also its home, so that nobody's start-up files are read.
    """
    with tempfile.TemporaryDirectory(dir=folder) as home:
        place = Path(home)
        place.joinpath("script").write_text(script, encoding="utf-8")
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "LANG": "C"}
        with place.joinpath("script").open("rb") as stdin, place.joinpath("said").open("wb") as out:
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
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.returncode = os.waitstatus_to_exitcode(status)
        text, said = _contents(place / "answer"), _contents(place / "said")
        return _reply(process.returncode, usage, text=text, said=said[-4000:])


def _contents(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return ""


def _limit(seconds: float, worker: int) -> None:
    """In the child: start the clock, end with the worker. (Memory is limited as the worker's is.)

    The timer outlives an exec, and the signal is left at its default, which ends the process.
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
    elif status < 0:
        outcome = "failure"
        texts["detail"] = f"ended by {signal.Signals(-status).name}"
    return {"outcome": outcome, "seconds": seconds, "text": "", "detail": "", "said": ""} | texts
