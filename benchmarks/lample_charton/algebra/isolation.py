"""Running a function in a fork of the process, for independent calls.

SymPy keeps tables and caches that `clear_cache` does not clear, and the number of function calls of
an attempt depends on them. Each attempt therefore runs in a fork of a worker without other tasks.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import traceback
from collections.abc import Callable
from typing import Any

#: Seconds of wall clock after which a fork ends itself, in case its worker was killed.
MAX_SECONDS = 2000
#: Exit codes of a fork that ran out of memory, and of a fork whose function raised an error.
OUT_OF_MEMORY, FAILED = 3, 4


class ForkError(RuntimeError):
    """The fork ended without a result: it was killed, or ran out of memory."""


def run_in_fork(function: Callable[..., Any], *args: Any, processor_seconds: int = 60) -> Any:
    """Call a function in a fork.

    Only for workers of `rewards.workers.pool`, which have no threads: a fork would lose threads.

    Args:
        function: the function, which returns JSON data.
        args: the arguments.
        processor_seconds: the limit of processor time, after which the fork is killed.

    Returns:
        The function's result.

    Raises:
        ForkError: the fork was killed or ran out of memory.
        RuntimeError: the function raised an error; the message is the traceback.

    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds))
        _run_child(writing, function, args)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == FAILED:
        raise RuntimeError(text)
    if code:
        raise ForkError("out of memory" if code == OUT_OF_MEMORY else f"ended with {code}")
    return json.loads(text)


def _run_child(writing: int, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Call the function in the fork, and end the fork."""
    code = FAILED
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(MAX_SECONDS)
        with os.fdopen(writing, "w") as pipe:
            try:
                json.dump(function(*args), pipe)
                code = 0
            except MemoryError:
                code = OUT_OF_MEMORY
            except Exception:
                pipe.write(traceback.format_exc())
    finally:
        os._exit(code)


def load_sympy() -> None:
    """Trigger SymPy's imports and tables of the first use, to be shared by forks."""
    import sympy
    from sympy.core.cache import clear_cache
    from sympy.integrals.meijerint import meijerint_indefinite

    x = sympy.Symbol("x", nonzero=True)
    for formula in (x * sympy.sin(x), x * sympy.log(x), sympy.sqrt(1 + x**2)):
        sympy.integrate(formula, x, risch=True).doit()
        sympy.simplify(formula.diff(x))
    meijerint_indefinite(sympy.sin(x), x)
    clear_cache()
