"""A limit on SymPy's work that is the same on every machine: a number of function calls.

Calls of Python functions are counted by `sys.settrace`, whose hook runs in the same thread and may
raise. In a fresh process (`isolation`) with a fixed hash seed, as in workers of
`rewards.workers.pool`, the same formula takes the same number of calls. Long loops in C make no
calls; the pool's deadline bounds them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

Value = TypeVar("Value")


class CallLimitError(BaseException):
    """The limit is exceeded. Not an `Exception`, because SymPy would catch that and continue."""


def call_limited(calls: int, function: Callable[..., Value], *args: Any, **options: Any) -> Value:
    """Call a function that may make at most this many calls of Python functions.

    Args:
        calls: the limit.
        function: the function.
        args: its arguments.
        options: its keyword arguments.

    Returns:
        The function's result.

    Raises:
        CallLimitError: if it makes more calls.

    """
    left = calls

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            sys.settrace(None)
            raise CallLimitError

    before = sys.gettrace()
    sys.settrace(count)
    try:
        return function(*args, **options)
    finally:
        sys.settrace(before)
