"""A function in a copy of this process, so that it leaves nothing behind and finds nothing changed.

SymPy keeps tables and caches that `clear_cache` does not clear, and what an attempt costs depends
on them. Each attempt therefore runs in a fork of a worker that does nothing but fork.
"""

from __future__ import annotations

import json
import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

#: Seconds of wall clock after which a copy ends itself, should its worker have been killed.
LONGEST = 200
#: How a copy ends that ran out of memory, and one in which there was a fault of ours.
OUT_OF_MEMORY, FAULT = 3, 4


class EndedError(RuntimeError):
    """The copy ended without a value: it was killed, or ran out of memory."""


def isolated(function: Callable[..., Any], *args: Any) -> Any:
    """What the function returns (JSON data), computed in a fork; `EndedError` if it is lost.

    Only for workers of `rewards.workers.pool`, which have no threads that a fork would cut off.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _serve(writing, function, args)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == FAULT:
        raise RuntimeError(text)
    if code:
        raise EndedError("out of memory" if code == OUT_OF_MEMORY else f"ended with {code}")
    return json.loads(text)


def _serve(writing: int, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """The copy's life; it does not come back."""
    code = FAULT
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LONGEST)
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
    """What SymPy imports and tabulates at first use: done once, and not in every copy."""
    import sympy
    from sympy.core.cache import clear_cache
    from sympy.integrals.meijerint import meijerint_indefinite

    x = sympy.Symbol("x", nonzero=True)
    for formula in (x * sympy.sin(x), x * sympy.log(x), sympy.sqrt(1 + x**2)):
        sympy.integrate(formula, x, risch=True).doit()
        sympy.simplify(formula.diff(x))
    meijerint_indefinite(sympy.sin(x), x)
    clear_cache()
