"""Progress on stderr: a live line on a terminal, elsewhere a new line from time to time."""

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
from ..core.prices import Price
from ..core.requests import Completion
from ..core.wording import counted
from ..models import Model
from ..stats.intervals import interval
from .budget import Spent

#: Of each problem, by the hash of a model and the problem's key: verdicts, and correct ones.
Judged = Mapping[tuple[str, str], tuple[int, int]]


class Progress(Protocol):
    """Receives the events of a sweep."""

    def begin(self, model: Model, total: int, stored: int, price: Price | None = None) -> None:
        """A model is asked for ``total`` samples, with ``stored`` samples stored already."""

    def restored(self, judged: Judged) -> None:
        """Take the numbers of verdicts in the run for each problem."""

    def answered(self, completion: Completion) -> None:
        """A completion was stored."""

    def unanswered(self, completion: Completion) -> None:
        """A request failed for now; a later sweep repeats the request."""

    def repeated(self, reason: str) -> None:
        """A request is sent again."""

    def judged(self, verdict: Verdict, completion: Completion) -> None:
        """A verdict on a completion was stored."""

    def notice(self, text: str) -> None:
        """A warning for the user."""

    def status(self, text: str) -> None:
        """A text with the reason of a model's wait."""

    def finish(self) -> None:
        """All answers are judged."""


class Silent:
    """Shows nothing."""

    def begin(self, model: Model, total: int, stored: int, price: Price | None = None) -> None: ...

    def restored(self, judged: Judged) -> None: ...

    def answered(self, completion: Completion) -> None: ...

    def unanswered(self, completion: Completion) -> None: ...

    def repeated(self, reason: str) -> None: ...

    def judged(self, verdict: Verdict, completion: Completion) -> None: ...

    def notice(self, text: str) -> None: ...

    def status(self, text: str) -> None: ...

    def finish(self) -> None: ...


class Meter:
    """The numbers of a sweep in a line: answers, repeated requests, speed, pass@1, cost."""

    def __init__(self) -> None:
        self.label, self.total, self.done, self.unanswered = "", 0, 0, 0
        self._model = ""
        self._spent = Spent(None)
        self._begun = time.monotonic()
        self._repeated: Counter[str] = Counter()
        self._problems: dict[tuple[str, str], list[int]] = {}

    def begin(self, model: Model, total: int, stored: int, price: Price | None) -> None:
        self.label, self._model, self.total, self.done = model.label, model.hash, total, stored
        self._spent, self._begun, self.unanswered = Spent(price), time.monotonic(), 0
        self._repeated.clear()

    def restored(self, judged: Judged) -> None:
        self._problems = {key: list(numbers) for key, numbers in judged.items()}

    def answered(self, completion: Completion) -> None:
        self.done += 1
        self._spent.add(completion)

    def repeated(self, reason: str) -> None:
        self._repeated[reason] += 1

    def judged(self, verdict: Verdict, completion: Completion) -> None:
        numbers = self._problems.setdefault((completion.model, completion.problem), [0, 0])
        numbers[0] += 1
        numbers[1] += verdict.correct

    def rest(self) -> str:
        """The text after the number of answers."""
        every = [sum(column) for column in zip(*self._problems.values(), strict=True)] or [0, 0]
        notes = [f"{every[1]} of {every[0]} judged are correct"]
        own = [
            numbers[1] / numbers[0]
            for (model, _), numbers in self._problems.items()
            if model == self._model and self.label
        ]
        if own:
            low, high = interval(own, range(len(own)))
            rate = 100 * sum(own) / len(own)
            notes.append(f"pass@1 {rate:.1f} [{100 * low:.1f}, {100 * high:.1f}]")
        if self.unanswered and self.label:
            notes.append(f"{counted(self.unanswered, 'request')} without an answer")
        if self._repeated:
            reasons = ", ".join(f"{why} x {n}" for why, n in self._repeated.most_common(3))
            notes.append(f"{self._repeated.total()} sent again ({reasons})")
        if self._spent.completion and self.label:
            seconds = max(1e-3, time.monotonic() - self._begun)
            notes.append(f"{self._spent.completion / seconds:,.0f} tokens/s")
        if self._spent.price is not None and self.label:
            notes.append(f"${self._spent.dollars:.2f}")
        return ", ".join(notes)


class Lines:
    """A line on stderr at the first event after ``interval`` seconds; the interval grows."""

    #: Seconds between two lines at most; every pause is half as long again as the one before.
    LONGEST = 60.0

    def __init__(self, interval: float = 5.0) -> None:
        self._interval = interval
        self._last = 0.0
        self._meter = Meter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def begin(self, model: Model, total: int, stored: int, price: Price | None = None) -> None:
        self._meter.begin(model, total, stored, price)
        self._say("asking")

    def restored(self, judged: Judged) -> None:
        self._meter.restored(judged)

    def answered(self, completion: Completion) -> None:
        self._meter.answered(completion)
        self._announce()

    def unanswered(self, completion: Completion) -> None:
        self._meter.unanswered += 1
        self._announce()

    def _announce(self) -> None:
        ended = self._meter.done + self._meter.unanswered == self._meter.total
        self._say("asking", only_if_due=not ended)

    def repeated(self, reason: str) -> None:
        self._meter.repeated(reason)
        self._say("asking", only_if_due=True)

    def judged(self, verdict: Verdict, completion: Completion) -> None:
        self._meter.judged(verdict, completion)
        self._say("scoring", only_if_due=True)

    def notice(self, text: str) -> None:
        print(f"warning: {text}", file=sys.stderr, flush=True)

    def status(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def finish(self) -> None:
        self._meter.label = ""
        self._say("done")

    def _say(self, stage: str, only_if_due: bool = False) -> None:
        now = time.monotonic()
        if only_if_due:
            if now - self._last < self._interval:
                return
            self._interval = min(max(self.LONGEST, self._interval), 1.5 * self._interval)
        self._last = now
        meter = self._meter  # `score` asks no model
        counts = f" {meter.label}: {meter.done} of {meter.total} answers" if meter.label else ""
        self.status(f"{stage}{counts}: {meter.rest()}")


class Bar:
    """A live line on a terminal or in a notebook; the lines of finished models stay above."""

    #: Seconds between two computations of the numbers behind the count.
    EVERY = 0.5

    def __init__(self, *, notebook: bool = False) -> None:
        from rich.console import Console
        from rich.progress import (
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )
        from rich.table import Column

        self._meter = Meter()
        self._last = 0.0
        rest_column = Column(no_wrap=True, overflow="ellipsis", ratio=1)
        self._bar = Progress(
            TextColumn("{task.description}"),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rest]}", table_column=rest_column, markup=False),
            TimeRemainingColumn(),
            console=Console(stderr=not notebook),
            expand=True,
        )
        self._task = self._bar.add_task("", visible=False, rest="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._show(now=True)
        self._bar.stop()

    def begin(self, model: Model, total: int, stored: int, price: Price | None = None) -> None:
        self._show(now=True)
        self._meter.begin(model, total, stored, price)
        rest_text = self._meter.rest()
        self._task = self._bar.add_task(model.label, total=total, completed=stored, rest=rest_text)

    def restored(self, judged: Judged) -> None:
        self._meter.restored(judged)

    def answered(self, completion: Completion) -> None:
        self._meter.answered(completion)
        self._bar.advance(self._task)
        self._show()

    def unanswered(self, completion: Completion) -> None:
        self._meter.unanswered += 1
        self._bar.advance(self._task)
        self._show()

    def repeated(self, reason: str) -> None:
        self._meter.repeated(reason)
        self._show()

    def judged(self, verdict: Verdict, completion: Completion) -> None:
        self._meter.judged(verdict, completion)
        self._show()

    def notice(self, text: str) -> None:
        self._bar.console.print(f"warning: {text}", markup=False, highlight=False)

    def status(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)

    def finish(self) -> None:
        self._show(now=True)

    def _show(self, now: bool = False) -> None:
        if now or time.monotonic() - self._last >= self.EVERY:
            self._last = time.monotonic()
            self._bar.update(self._task, rest=self._meter.rest())


class _ProgressHandler(logging.Handler):
    """Shows log records as progress: information as a status, warnings and errors as notices."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(logging.INFO)
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        show = self._progress.notice if record.levelno > logging.INFO else self._progress.status
        show(record.getMessage())


class _RepeatedHandler(logging.Handler):
    """Counts repeated requests; the message of a record is the reason."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(logging.DEBUG)
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        self._progress.repeated(record.getMessage())


@contextmanager
def forward_model_logs(progress: Progress) -> Iterator[None]:
    """Show the log records of models as progress; with `Silent` the logs are not changed.

    The program's own logging handlers stay in use, but do not receive records of repeated requests.
    """
    if type(progress) is Silent:
        yield
        return
    models_logger = logging.getLogger("calculus_harness.harness.models")
    repeated = logging.getLogger(f"{models_logger.name}.repeated")
    handlers = {models_logger: _ProgressHandler(progress), repeated: _RepeatedHandler(progress)}
    # The state of the loggers is restored: a caller may use logging for other purposes.
    saved_states = [(logger, logger.level, logger.propagate) for logger in handlers]
    for logger, handler in handlers.items():
        logger.addHandler(handler)
        logger.setLevel(handler.level)
    repeated.propagate = False
    try:
        yield
    finally:
        for logger, level, propagate in saved_states:
            logger.removeHandler(handlers[logger])
            logger.setLevel(level)
            logger.propagate = propagate


@contextmanager
def or_by_default(progress: Progress | None) -> Iterator[Progress]:
    """The progress of the caller; by default a live line if possible, else lines."""
    if progress is not None:
        yield progress
    elif not _in_notebook():
        with for_stderr() as reporter:
            yield reporter
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
