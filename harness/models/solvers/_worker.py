"""The tasks of a solver's worker pool: each task solves one problem in a child process.

The child has a timer of processor time, which other load on the machine does not advance; when the
timer expires, the kernel kills the child. A waiting child is ended as well, by a watch on its
processor time, which a working program uses on the busiest machine. A reply is a dictionary:
``outcome`` (``answer``, ``time``, ``memory``, ``failure``), ``seconds`` of processor time, the
answer's ``text``, and ``detail`` or the program's ``output``.
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

from ....rewards.numeric.quadrature import prepare_definite
from ....rewards.numeric.summation.choices import whole_parameters
from ....rewards.proof.limit_questions import limit_readings
from ....rewards.reading.expression.sympy_bridge import to_sympy
from ....rewards.reading.expression.traversal import symbols_of
from ....rewards.reading.latex import read
from ....rewards.reading.problem.power_series import asks_of_series, read_series
from ....rewards.reading.problem.sums import read_sum
from ....rewards.workers.worker import processor_time_of

Reply = dict[str, Any]

PR_SET_PDEATHSIG = 1
#: The largest file that a program may write, in bytes; endless prompts would fill a disk.
MAX_OUTPUT = 16 << 20
#: A program counts as waiting if its processor time is less than `LEAST_SHARE` in two successive
#: spans of `IDLE_SECONDS`: a hundredth of the share 0.1 that a process has of two cores under a
#: load of 17.
IDLE_SECONDS, LEAST_SHARE = 30.0, 0.001
#: Exit status of a forked child that ran out of memory.
OUT_OF_MEMORY = 77
#: The answer where there is no limit.
NO_LIMIT = r"\text{does not exist}"
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def sympy_integrate(
    integrand: str, variable: str | None, assumptions: dict[str, str], seconds: float
) -> Reply:
    """Run `sympy.integrate` on a LaTeX integrand; returns LaTeX, also for unevaluated integrals.

    Without a variable the text is a definite integral. An exception of `sympy.integrate` means no
    answer: the reply has a detail and no text.
    """
    import sympy  # before the fork: its time does not count

    if variable is None:
        prepare_definite(integrand, assumptions)  # an unreadable problem is an error
    else:
        tree = read(integrand, symbols=[variable])[0].expression
        parameter_kinds = {
            name: assumptions.get(name, "positive") for name in symbols_of(tree) - {variable}
        }

    def work() -> tuple[str, str]:
        if variable is None:
            value = _definite(integrand, assumptions)
            partly = value.is_Add and any(term.is_infinite for term in value.args)
            if partly or value.has(sympy.nan, sympy.zoo, sympy.AccumBounds):
                return r"\text{diverges}", f"SymPy returns {value}"
            return sympy.latex(value), ""
        answer = sympy.integrate(to_sympy(tree, parameter_kinds), sympy.Symbol(variable))
        return sympy.latex(answer), ""

    return _in_child(work, seconds)


def sympy_question(
    task: str, text: str, variable: str | None, assumptions: dict[str, str], seconds: float
) -> Reply:
    """Run the function of SymPy for a task on a problem in LaTeX; returns LaTeX.

    Args:
        task: ``limit`` or ``sum``; everything else is an integral.
        text: the problem.
        variable: that of an antiderivative.
        assumptions: kinds of parameters.
        seconds: of processor time.

    """
    if task == "sum":
        _ = read_series(text) if asks_of_series(text) else read_sum(text)  # or an error
        return _in_child(partial(sympy_sum, text, assumptions), seconds)
    if task != "limit":
        return sympy_integrate(text, variable, assumptions, seconds)
    import sympy

    question = limit_readings(text, assumptions)[0]

    def work() -> tuple[str, str]:
        kinds = dict(question.all_kinds)
        x = sympy.Symbol(question.variable, real=True)
        expression = to_sympy(question.expression, kinds).subs(sympy.Symbol(x.name), x)
        at = question.at
        point = at * sympy.oo if isinstance(at, int) else to_sympy(at, kinds)
        side = {1: "+", -1: "-", 0: "+" if isinstance(at, int) else "+-"}[question.side]
        try:
            value = sympy.limit(expression, x, point, side)
        except ValueError as error:
            if "does not exist" not in str(error):
                raise
            return NO_LIMIT, str(error)
        if value.has(sympy.nan, sympy.zoo, sympy.AccumBounds):
            return NO_LIMIT, f"SymPy returns {value}"
        return sympy.latex(value), ""

    return _in_child(work, seconds)


def sympy_sum(text: str, assumptions: dict[str, str]) -> tuple[str, str]:
    """SymPy's value of a sum, or its Taylor polynomial or coefficient, with a remark.

    Args:
        text: the question.
        assumptions: kinds of parameters.

    """
    import sympy

    if asks_of_series(text):
        series = read_series(text)
        if series.wanted not in ("polynomial", "coefficient"):
            return "", f"SymPy is not asked for a {series.wanted}"
        kinds = dict.fromkeys(symbols_of(series.function) - {series.variable}, "positive")
        x = sympy.Symbol(series.variable)
        centre, degree = to_sympy(series.centre, kinds), to_sympy(series.degree, kinds)
        shifted = to_sympy(series.function, kinds).subs(x, x + centre)
        expansion = sympy.series(shifted, x, 0, int(degree) + 1).removeO()
        if series.wanted == "coefficient":
            return sympy.latex(expansion.coeff(x, int(degree))), ""
        return sympy.latex(expansion.subs(x, x - centre)), ""
    asked = read_sum(text)[0]
    kinds = dict.fromkeys(asked.parameters, "positive")
    kinds |= dict.fromkeys(whole_parameters(asked), "integer") | dict(asked.conditions.kinds)
    kinds |= assumptions
    n = sympy.Symbol(asked.counter, integer=True)
    term = to_sympy(asked.term, kinds).subs(sympy.Symbol(asked.counter), n)
    lower, upper = (
        limit * sympy.oo if isinstance(limit, int) else to_sympy(limit, kinds)
        for limit in (asked.lower, asked.upper)
    )
    factor, outside = (to_sympy(tree, kinds) for tree in (asked.factor, asked.outside))
    value = factor * sympy.summation(term, (n, lower, upper)) + outside
    if value.has(sympy.nan, sympy.zoo, sympy.AccumBounds):
        return r"\text{diverges}", f"SymPy returns {value}"
    return sympy.latex(value), ""


def _in_child(work: Callable[[], tuple[str, str]], seconds: float) -> Reply:
    """The reply of a child that does the work."""
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


def _definite(text: str, assumptions: dict[str, str]) -> Any:
    """SymPy's value of a definite integral.

    The value is ``nan`` for divergence in both directions, and bounds for an oscillating integral;
    an infinity may have an imaginary part.
    """
    import sympy

    integral = prepare_definite(text, assumptions)
    parameter_kinds = {name: assumptions.get(name, "positive") for name in integral.parameters}
    lower, upper = (
        limit * sympy.oo if isinstance(limit, int) else to_sympy(limit, parameter_kinds)
        for limit in (integral.lower, integral.upper)
    )
    x = sympy.Symbol(integral.integrand.variable, real=True)
    integrand = to_sympy(integral.integrand.expression, parameter_kinds).subs(
        sympy.Symbol(x.name), x
    )
    if integral.principal_value:
        return sympy.Integral(integrand, (x, lower, upper)).principal_value()
    return sympy.integrate(integrand, (x, lower, upper))


def _run_child(work: Any, write_end: int, worker: int, seconds: float) -> None:
    """Do the work, write the result, and exit without running any of the worker's code."""
    status = 1
    try:
        _limit(seconds, worker)
        try:
            text, detail = work()
        except MemoryError:
            raise
        except Exception as error:
            text, detail = "", f"SymPy raised {type(error).__name__}: {error}"
        with os.fdopen(write_end, "w", encoding="utf-8") as stream:
            stream.write(f"{text}\0{detail[:500]}")
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        os._exit(status)


def run_program(command: list[str], script: str, folder: str, seconds: float) -> Reply:
    """Run a program on a script in an empty folder; the answer is in the file ``answer``.

    The script is both standard input and the file ``script``. The folder is also the home folder,
    so that no start-up files are read. The folder is made in ``folder``, if that exists on this
    machine.
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
    """End a child that uses no processor time; the event is set in this case."""
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
    elif status < 0:
        outcome = "failure"
        texts["detail"] = f"ended by {signal.Signals(-status).name}"
    return {"outcome": outcome, "seconds": seconds, "text": "", "detail": "", "output": ""} | texts
