"""Limits the processor time of code in a worker. A signal stops the code at the limit."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class ProcessorTimeError(BaseException):
    """The time is up.

    The class is not an `Exception`, because SymPy catches every `Exception` and goes on.
    """


def _stop(signum: int, frame: FrameType | None) -> None:
    raise ProcessorTimeError


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Raise `ProcessorTimeError` if a block takes longer than ``seconds`` of processor time.

    The limit works only in the main thread of a process. Processor time does not depend on other
    programs. A call in C is not interrupted before the call returns.
    """
    former_handler = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former_handler)
