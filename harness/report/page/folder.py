"""A folder's runs in a browser: a list that follows sweeps, and a page for each selection."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from ...core.errors import UserError
from ...store.overview import Overview, overview, runs_under
from ..assets import LIST_SCRIPTS, page_script, page_style, script_hash, template
from ..sources import Sources
from .loopback import LoopbackServer, PageAnswer
from .watch import PAUSE, LivePage, state_of

#: Runs in a list: one of them takes about a millisecond to look at, and the list is read every
#: three seconds.
MOST_RUNS = 500
#: Runs on one page: figures have nine colours. Pages that are kept: one has up to 50 MB.
MOST_TOGETHER, MOST_PAGES = 9, 4
#: Bytes of a query; nine names of runs fit.
_LONGEST_QUERY = 8_000


class Folder(LoopbackServer):
    """A server for the runs in a folder.

    A request names runs by paths in the folder, as in the list. The server compares the names with
    the runs in the folder; a path from a request is never opened.

    Args:
        folder: the folder, searched by `store.overview.runs_under`.
        open_sources: a function that opens runs for a page.
        port: the port; 0 for any free port.
        pause: the least number of seconds between two versions of a page.

    Raises:
        UserError: the folder does not exist, or the port is not free.

    """

    def __init__(
        self,
        folder: Path,
        open_sources: Callable[[Sequence[Path]], Sources],
        port: int = 0,
        pause: float = PAUSE,
    ) -> None:
        if not folder.is_dir():
            raise UserError(f"there is no folder {folder}")
        self._folder, self._open, self._pause = folder, open_sources, pause
        self._overviews: dict[str, tuple[str, Overview]] = {}
        self._pages: OrderedDict[tuple[str, ...], LivePage] = OrderedDict()
        self._there: dict[str, Path] = {}
        self._lock, self._making = threading.Lock(), threading.Lock()
        super().__init__(self.answer, port)

    def answer(self, path: str, query: str) -> PageAnswer:
        """The response to a request: the list, the rows of the list, a page of runs, or the version
        of a page.
        """
        if path == "/":
            return PageAnswer(self._list())
        if path == "/runs.json":
            return PageAnswer(json.dumps(self.rows()).encode(), "application/json")
        if path not in ("/page", "/version"):
            return PageAnswer.refusal(HTTPStatus.NOT_FOUND, "there is no such page")
        try:
            live = self._live(query)
            if path == "/version":
                return PageAnswer(live.version().encode(), "text/plain")
            return PageAnswer(live.page())
        except (UserError, OSError) as error:
            return PageAnswer.refusal(HTTPStatus.CONFLICT, str(error))

    def rows(self) -> dict[str, Any]:
        """The list as JSON: a row for each run, the latest run first, and the number of runs
        left out.
        """
        folder_runs = self._look()
        latest = sorted(folder_runs.items(), key=lambda run: _changed(run[1]), reverse=True)
        with self._lock:
            overviews = {name: self._overview(name, path) for name, path in latest[:MOST_RUNS]}
            self._overviews = overviews
        rows = [
            {"name": name} | run_overview.to_dict() for name, (_, run_overview) in overviews.items()
        ]
        rows.sort(key=lambda row: str(row["created"]), reverse=True)
        return {"runs": rows, "left_out": len(folder_runs) - len(overviews)}

    def _look(self) -> dict[str, Path]:
        """The runs in the folder now, by name in the list."""
        paths = runs_under(self._folder)
        self._there = {path.relative_to(self._folder).as_posix(): path for path in paths}
        return self._there

    def _overview(self, name: str, path: Path) -> tuple[str, Overview]:
        """The overview of a run, computed again only if the run has changed."""
        try:
            state = state_of([path])
        except (UserError, OSError):
            state = ""
        cached = self._overviews.get(name)
        return cached if cached and cached[0] == state and state else (state, overview(path))

    def _live(self, query: str) -> LivePage:
        """The page of the runs in a query; the last few pages are kept."""
        names = parse_qs(query[:_LONGEST_QUERY]).get("run", [])
        chosen = tuple(dict.fromkeys(names))
        folder_runs = self._there if set(chosen) <= self._there.keys() else self._look()
        if not chosen or not set(chosen) <= folder_runs.keys():
            raise UserError("there is no such run in this folder")
        if len(chosen) > MOST_TOGETHER:
            raise UserError(f"a page compares {MOST_TOGETHER} runs at most")
        paths = [folder_runs[name] for name in chosen]
        with self._lock:
            live = self._pages.pop(chosen, None)
            if live is None:
                opened = partial(self._open, paths)
                live = LivePage(paths, opened, self._pause, list_of_runs="/", lock=self._making)
            self._pages[chosen] = live
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)
        return live

    def _list(self) -> bytes:
        script = page_script(LIST_SCRIPTS)
        page = template("runs.html.jinja").render(
            title=self._folder.resolve().name,
            most=MOST_TOGETHER,
            style=page_style(),
            script=script,
            script_hash=script_hash(script),
        )
        return page.encode()


def _changed(run: Path) -> float:
    """The time of the last write of a run's settings; 0 for a removed run."""
    try:
        return (run / "manifest.json").stat().st_mtime
    except OSError:
        return 0.0
