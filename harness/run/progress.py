"""Progress on stderr: a live bar on a terminal, else a line now and then."""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol, Self

from ...rewards.verdict import Verdict
from ..core.requests import Completion


class Progress(Protocol):
    """Receives the events of a sweep."""

    def begin(self, label: str, total: int, stored: int) -> None:
        """A model is asked for ``total`` samples, of which ``stored`` are stored already."""

    def answered(self, completion: Completion) -> None:
        """A completion was stored."""

    def judged(self, verdict: Verdict) -> None:
        """A verdict was stored."""

    def notice(self, text: str) -> None:
        """A warning for the user."""

    def status(self, text: str) -> None:
        """What a model is waiting for."""


class Silent:
    """Shows nothing."""

    def begin(self, label: str, total: int, stored: int) -> None: ...

    def answered(self, completion: Completion) -> None: ...

    def judged(self, verdict: Verdict) -> None: ...

    def notice(self, text: str) -> None: ...

    def status(self, text: str) -> None: ...


class Lines:
    """A line on stderr whenever a tenth is done and at least ``interval`` seconds have passed."""

    def __init__(self, interval: float = 5.0) -> None:
        self._interval = interval
        self._last = 0.0
        self._label, self._total, self._done = "", 0, 0
        self._verdicts: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def begin(self, label: str, total: int, stored: int) -> None:
        self._label, self._total, self._done = label, total, stored
        self._say("asking")

    def answered(self, completion: Completion) -> None:
        self._done += 1
        if self._done == self._total or time.monotonic() - self._last >= self._interval:
            self._say("asking")

    def judged(self, verdict: Verdict) -> None:
        self._verdicts[verdict.status] += 1
        if time.monotonic() - self._last >= self._interval:
            self._say("scoring")

    def notice(self, text: str) -> None:
        print(f"warning: {text}", file=sys.stderr, flush=True)

    def status(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def _say(self, stage: str) -> None:
        self._last = time.monotonic()
        correct, judged = self._verdicts["correct"], self._verdicts.total()
        # `score` asks no model.
        asked = f" {self._label}: {self._done} of {self._total} answers," if self._label else ":"
        print(
            f"{stage}{asked} {correct} of {judged} judged are correct", file=sys.stderr, flush=True
        )


class Bar:
    """A live bar on a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._verdicts: Counter[str] = Counter()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[verdicts]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task("", visible=False, verdicts="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def begin(self, label: str, total: int, stored: int) -> None:
        self._task = self._bar.add_task(label, total=total, completed=stored, verdicts="")

    def answered(self, completion: Completion) -> None:
        self._bar.advance(self._task)

    def judged(self, verdict: Verdict) -> None:
        self._verdicts[verdict.status] += 1
        correct, judged = self._verdicts["correct"], self._verdicts.total()
        self._bar.update(self._task, verdicts=f"[green]{correct}[/] of {judged} judged correct")

    def notice(self, text: str) -> None:
        self._bar.console.print(f"warning: {text}", markup=False, highlight=False)

    def status(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)


class _ProgressHandler(logging.Handler):
    """Shows log records as progress: information as a status, warnings and errors as a notice."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(logging.INFO)
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        show = self._progress.notice if record.levelno > logging.INFO else self._progress.status
        show(record.getMessage())


@contextmanager
def forward_model_logs(progress: Progress) -> Iterator[None]:
    """Show what models log as progress; with `Silent` the logs stay as they are."""
    if type(progress) is Silent:
        yield
        return
    logger = logging.getLogger("calculus_harness.harness.models")
    before = logger.level, logger.propagate
    handler = _ProgressHandler(progress)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before[0])
        logger.propagate = before[1]


def for_stderr() -> Bar | Lines:
    """A bar where stderr is a terminal, else lines."""
    return Bar() if sys.stderr.isatty() else Lines()
