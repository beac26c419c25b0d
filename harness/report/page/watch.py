"""The page of growing runs, served on loopback and rendered again on request."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from pathlib import Path

from ...core.errors import UserError
from ...store.run import Run
from ..sources import Sources
from .loopback import LoopbackServer, PageAnswer
from .page import render_page

#: Seconds for which a page is kept at least, and the share of the time that making it may take, so
#: that a sweep on the same machine is hardly slower.
PAUSE, BUSY = 2.0, 0.2


class LivePage:
    """The latest page of runs.

    Args:
        runs: the run directories.
        open_sources: a function that opens the runs for a page.
        pause: the least number of seconds between two versions of a page.
        list_of_runs: the address of the list of all runs, if any.
        lock: a lock held during the making of a page. Pages with the same lock are made one after
            another.

    """

    def __init__(
        self,
        runs: Sequence[Path],
        open_sources: Callable[[], Sources],
        pause: float = PAUSE,
        list_of_runs: str = "",
        lock: threading.Lock | None = None,
    ) -> None:
        self._paths, self._open, self._pause = runs, open_sources, pause
        self._list = list_of_runs
        self._version, self._page, self._due = "", b"", 0.0
        self._lock = lock or threading.Lock()

    def version(self) -> str:
        """The version of the current page. If the run cannot be read, the version stays the
        same.
        """
        if time.monotonic() < self._due:
            return self._version
        try:
            return state_of(self._paths)
        except (UserError, OSError):  # moved, or a shard is just being sealed
            return self._version

    def page(self) -> bytes:
        """The page, made again for grown runs.

        Returns:
            The page.

        Raises:
            UserError: the runs are unreadable, without an earlier page.

        """
        if self._page and self.version() == self._version:
            return self._page
        with self._lock:
            version = self.version()
            if self._page and version == self._version:  # made while this thread was waiting
                return self._page
            started = time.monotonic()
            try:
                page = render_page(self._open(), version, self._list)
                self._version, self._page = version, page.encode("utf-8", "replace")
            except (UserError, OSError):
                if not self._page:
                    raise
            ended = time.monotonic()
            self._due = ended + max(self._pause, (ended - started) / BUSY)
            return self._page


class Watch(LoopbackServer):
    """A server for the latest page of runs.

    Args:
        runs: the existing run directories.
        open_sources: a function that opens the runs for a page.
        port: the port; 0 for any free port.
        pause: the least number of seconds between two versions of a page.

    Raises:
        UserError: the port is not free, or a run cannot be read.

    """

    def __init__(
        self,
        runs: Sequence[Path],
        open_sources: Callable[[], Sources],
        port: int = 0,
        pause: float = PAUSE,
    ) -> None:
        self._live = LivePage(runs, open_sources, pause)
        self._live.page()
        super().__init__(self.answer, port)

    def answer(self, path: str, query: str) -> PageAnswer:
        """The response to a request: the page, or the version of the page."""
        if path == "/version":
            return PageAnswer(self._live.version().encode(), "text/plain")
        if path != "/":
            return PageAnswer.refusal(HTTPStatus.NOT_FOUND, "there is only /")
        return PageAnswer(self._live.page())


def state_of(runs: Sequence[Path]) -> str:
    """A hash of the runs' states.

    Args:
        runs: the run directories.

    Returns:
        16 hexadecimal digits.

    Raises:
        RunError: a directory is not a run, or is damaged.

    """
    states: list[object] = []
    for run in map(Run, runs):  # anew, as a manifest is read once
        logs = [run.completions, *(run.verdicts(name) for name in run.policies)]
        states += [run.manifest, *(log.state() for log in logs)]
    return hashlib.sha256(repr(states).encode()).hexdigest()[:16]
