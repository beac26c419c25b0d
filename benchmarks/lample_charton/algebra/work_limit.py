"""A limit on SymPy's work that is the same on every machine: a number of function calls.

Functions of SymPy and mpmath count their calls (`counted_sympy`), and the call beyond the limit
raises. In a fresh process (`isolation`) with a fixed hash seed, as in workers of
`rewards.workers.pool`, a formula always takes the same number of calls, up to a few in a thousand.
Long loops without calls are bounded by the fork's processor time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import chain, repeat
from operator import length_hint
from typing import Any, TypeVar

from .counted_sympy import installed, set_tick

Value = TypeVar("Value")


class CallLimitError(BaseException):
    """The limit is exceeded. Not an `Exception`, which SymPy would catch."""


class _Exceeded:
    """Raises at each step, even after Python ignored an error, as in a finaliser."""

    def __iter__(self) -> _Exceeded:
        return self

    def __next__(self) -> None:
        raise CallLimitError


#: The calls left under each limit in force, the innermost last.
_CALLS_LEFT: list[repeat[None]] = []


def call_limited(calls: int, function: Callable[..., Value], *args: Any, **options: Any) -> Value:
    """Call a function with a limit of calls of SymPy's functions.

    Args:
        calls: the limit.
        function: the function.
        args: the arguments.
        options: the keyword arguments.

    Returns:
        The function's result.

    Raises:
        CallLimitError: the limit is exceeded.
        RuntimeError: this process's SymPy does not count calls.

    """
    if not installed() and "sympy" in sys.modules:
        raise RuntimeError("SymPy was imported without counted_sympy.install()")
    calls_left = repeat(None, calls)
    previous = set_tick(chain(calls_left, _Exceeded()).__next__)
    _CALLS_LEFT.append(calls_left)
    try:
        return function(*args, **options)
    finally:
        _CALLS_LEFT.pop()
        set_tick(previous)


def require_calls(number: int) -> None:
    """Give up now if the limit does not allow ``number`` more calls.

    Args:
        number: a lower bound of the further calls.

    Raises:
        CallLimitError: the limit in force would be exceeded.

    """
    if _CALLS_LEFT and number > length_hint(_CALLS_LEFT[-1]):
        raise CallLimitError
