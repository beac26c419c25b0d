"""Progress on stderr: a live bar on a terminal, else a line now and then."""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from types import TracebackType
from typing import Protocol, Self

from ...rewards.verdict import Verdict
from ..core.requests import Completion


class Progress(Protocol):
    """Receives the events of a sweep."""

    def begin(self, label: str, total: int, stored: int) -> None:
        """A model is asked for ``total`` samples, of which ``stored`` are stored already."""

    def restored(self, statuses: Mapping[str, int]) -> None:
        """The run holds so many verdicts of each status already."""

    def answered(self, completion: Completion) -> None:
        """A completion was stored."""

    def unanswered(self, completion: Completion) -> None:
        """A request got no answer now; a later sweep asks it again."""

    def judged(self, verdict: Verdict) -> None:
        """A verdict was stored."""

    def notice(self, text: str) -> None:
        """A warning for the user."""

    def status(self, text: str) -> None:
        """What a model is waiting for."""

    def finish(self) -> None:
        """All answers are judged."""


class Silent:
    """Shows nothing."""

    def begin(self, label: str, total: int, stored: int) -> None: ...

    def restored(self, statuses: Mapping[str, int]) -> None: ...

    def answered(self, completion: Completion) -> None: ...

    def unanswered(self, completion: Completion) -> None: ...

    def judged(self, verdict: Verdict) -> None: ...

    def notice(self, text: str) -> None: ...

    def status(self, text: str) -> None: ...

    def finish(self) -> None: ...


class Lines:
    """A line on stderr whenever a tenth is done and at least ``interval`` seconds have passed."""

    def __init__(self, interval: float = 5.0) -> None:
        self._interval = interval
        self._last = 0.0
        self._label, self._total, self._done, self._unanswered = "", 0, 0, 0
        self._verdicts: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def begin(self, label: str, total: int, stored: int) -> None:
        self._label, self._total, self._done, self._unanswered = label, total, stored, 0
        self._say("asking")

    def restored(self, statuses: Mapping[str, int]) -> None:
        self._verdicts = Counter(statuses)

    def answered(self, completion: Completion) -> None:
        self._done += 1
        self._asked()

    def unanswered(self, completion: Completion) -> None:
        self._unanswered += 1
        self._asked()

    def _asked(self) -> None:
        ended = self._done + self._unanswered == self._total
        if ended or time.monotonic() - self._last >= self._interval:
            self._say("asking")

    def judged(self, verdict: Verdict) -> None:
        self._verdicts[verdict.status] += 1
        if time.monotonic() - self._last >= self._interval:
            self._say("scoring")

    def notice(self, text: str) -> None:
        print(f"warning: {text}", file=sys.stderr, flush=True)

    def status(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def finish(self) -> None:
        self._label = ""
        self._say("done")

    def _say(self, stage: str) -> None:
        self._last = time.monotonic()
        # `score` asks no model.
        asked = f" {self._label}: {self._done} of {self._total} answers" if self._label else ""
        if self._label and self._unanswered:
            asked += f", {self._unanswered} requests without one"
        self.status(f"{stage}{asked}: {_judged(self._verdicts)}")


def _judged(verdicts: Counter[str]) -> str:
    """How many answers of the run are judged, of all its models."""
    return f"{verdicts['correct']} of {verdicts.total()} judged are correct"


class Bar:
    """A live bar on a terminal, or in a notebook."""

    def __init__(self, *, notebook: bool = False) -> None:
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
            TextColumn("{task.fields[unanswered]}{task.fields[verdicts]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=not notebook),
        )
        self._task = self._bar.add_task("", visible=False, verdicts="", unanswered="")
        self._unanswered = 0

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
        shown = _judged(self._verdicts) if self._verdicts else ""
        self._unanswered = 0
        self._task = self._bar.add_task(
            label, total=total, completed=stored, verdicts=shown, unanswered=""
        )

    def restored(self, statuses: Mapping[str, int]) -> None:
        self._verdicts = Counter(statuses)

    def answered(self, completion: Completion) -> None:
        self._bar.advance(self._task)

    def unanswered(self, completion: Completion) -> None:
        self._unanswered += 1
        self._bar.update(self._task, unanswered=f"{self._unanswered} without an answer, ")

    def judged(self, verdict: Verdict) -> None:
        self._verdicts[verdict.status] += 1
        self._bar.update(self._task, verdicts=_judged(self._verdicts))

    def notice(self, text: str) -> None:
        self._bar.console.print(f"warning: {text}", markup=False, highlight=False)

    def status(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)

    def finish(self) -> None: ...


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


@contextmanager
def or_by_default(progress: Progress | None) -> Iterator[Progress]:
    """A caller's progress; without any, a bar in a notebook, and elsewhere nothing."""
    if progress is not None:
        yield progress
    elif not _in_notebook():
        yield Silent()
    elif find_spec("ipywidgets") is None:  # what rich draws a live bar with
        yield Lines()
    else:
        with Bar(notebook=True) as bar:
            yield bar


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def for_stderr() -> Bar | Lines:
    """A bar where stderr is a terminal, else lines."""
    return Bar() if sys.stderr.isatty() else Lines()
