"""The page of runs that grow: a server on loopback that only reads, and makes the page anew."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ...core.errors import UserError
from ...store.run import Run
from ..sources import Sources
from .page import render_page

HOST = "127.0.0.1"
#: Seconds between two looks at the runs, and the share of the time that making pages may take, so
#: that a sweep on the same machine is hardly slower.
PAUSE, BUSY = 2.0, 0.2
#: A page of another site may reach this address by a name of its own (DNS rebinding), not by these.
_NAMES = ("127.0.0.1", "localhost")


class Watch:
    """The latest page of runs, and a server for it.

    Args:
        runs: the run directories, each of which must exist.
        open_sources: opens the runs for a page.
        port: 0 for any free one.
        pause: seconds between two looks at the runs.

    Raises:
        UserError: the port is not free.

    """

    def __init__(
        self,
        runs: Sequence[Path],
        open_sources: Callable[[], Sources],
        port: int = 0,
        pause: float = PAUSE,
    ) -> None:
        self._paths, self._open, self._pause = runs, open_sources, pause
        self.version, self.page = "", b""
        self._end = threading.Event()
        self.update()
        watch = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                watch.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed: the terminal shows the address alone."""

        try:
            self._server = ThreadingHTTPServer((HOST, port), Handler)
        except OSError as error:
            raise UserError(f"cannot listen on {HOST}:{port}: {error.strerror}") from None

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._server.server_address[1]}/"

    def run(self) -> None:
        """Serve until `close`, or an interrupt."""
        threading.Thread(target=self._follow, daemon=True).start()
        try:
            self._server.serve_forever(poll_interval=0.1)
        finally:
            self._end.set()
            self._server.server_close()

    def close(self) -> None:
        """End `run`, from another thread."""
        self._end.set()
        self._server.shutdown()

    def update(self) -> None:
        """Make the page anew if the runs have grown."""
        version = self._state()
        if version == self.version:
            return
        page = render_page(self._open(), version)
        self.version, self.page = version, page.encode("utf-8", "replace")

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer a request: the page, or its version."""
        host = request.headers.get("Host", "")
        name = host.rpartition(":")[0] or host
        kind, body = "text/html", self.page
        status = HTTPStatus.OK
        if name not in _NAMES:
            status, body = HTTPStatus.FORBIDDEN, b"this server is for this machine only"
        elif request.path == "/version":
            kind, body = "text/plain", self.version.encode()
        elif request.path != "/":
            status, body = HTTPStatus.NOT_FOUND, b"there is only /"
        request.send_response(status)
        request.send_header("Content-Type", f"{kind}; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.send_header("Cache-Control", "no-store")
        request.send_header("X-Content-Type-Options", "nosniff")
        request.end_headers()
        request.wfile.write(body)

    def _follow(self) -> None:
        pause = self._pause
        while not self._end.wait(pause):
            started = time.monotonic()
            with suppress(UserError, OSError):  # cannot be read now: moved, or a shard was sealed
                self.update()
            pause = max(self._pause, (time.monotonic() - started) / BUSY)

    def _state(self) -> str:
        """What tells two states of the runs apart."""
        parts: list[object] = []
        for run in map(Run, self._paths):  # anew, as a manifest is read once
            logs = [run.completions, *(run.verdicts(name) for name in run.policies)]
            parts += [run.manifest, *(log.state() for log in logs)]
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
