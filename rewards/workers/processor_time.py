"""A limit on processor time for code of a worker, which may use signals."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class ProcessorTimeError(BaseException):
    """The time is up. Not an `Exception`: SymPy catches every `Exception` and continues."""


def _stop(signum: int, frame: FrameType | None) -> None:
    raise ProcessorTimeError


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Raise `ProcessorTimeError` in a block that takes longer; only in a process's main thread.

    Processor time does not depend on other programs. Code in C is interrupted when it returns.
    """
    former_handler = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former_handler)
