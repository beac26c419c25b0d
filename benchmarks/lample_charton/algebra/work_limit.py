"""A limit on SymPy's work that is the same on every machine: a number of function calls.

Calls of Python functions are counted through `sys.settrace`, whose hook runs in the same thread and
may raise. In a fresh process (`isolation`) with a fixed hash seed, as the workers of
`rewards.workers.pool` have, the same formula takes the same number of calls; what a call costs does
not matter. Long loops inside C make no calls: the pool's deadline is for those.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

Value = TypeVar("Value")


class OutOfWorkError(BaseException):
    """Not an `Exception`, which SymPy might take for a failure of its own and go on."""


def bounded(calls: int, function: Callable[..., Value], *args: Any, **options: Any) -> Value:
    """What the function returns, or `OutOfWorkError` after so many calls of Python functions."""
    left = calls

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            sys.settrace(None)
            raise OutOfWorkError

    before = sys.gettrace()
    sys.settrace(count)
    try:
        return function(*args, **options)
    finally:
        sys.settrace(before)
