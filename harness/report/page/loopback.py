"""A server for this machine alone that only reads: what it answers is made by a function."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from ...core.errors import UserError

HOST = "127.0.0.1"
#: A page of another site may reach this address by a name of its own (DNS rebinding), not by these.
_NAMES = ("127.0.0.1", "localhost")
#: Requests that are answered at the same time: a browser opens six connections to a host.
_REQUESTS = 24
#: Seconds after which a connection that says nothing is closed.
_SILENCE = 30


@dataclass(frozen=True)
class Answer:
    """The answer to a request."""

    body: bytes
    kind: str = "text/html"
    status: HTTPStatus = HTTPStatus.OK

    @classmethod
    def refusal(cls, status: HTTPStatus, words: str) -> Answer:
        """A status with a line of text."""
        return cls(words.encode("utf-8", "replace"), "text/plain", status)


class LoopbackServer:
    """A server on loopback that answers GET alone.

    Args:
        answer: the answer to a path and its query; it is called from several threads.
        port: 0 for any free one.

    Raises:
        UserError: the port is not free.

    """

    def __init__(self, answer: Callable[[str, str], Answer], port: int = 0) -> None:
        slots = threading.BoundedSemaphore(_REQUESTS)

        class Handler(BaseHTTPRequestHandler):
            timeout = _SILENCE

            def do_GET(self) -> None:
                if not slots.acquire(blocking=False):
                    busy = Answer.refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests")
                    return _send(self, busy)
                try:
                    _send(self, _forbidden(self) or answer(*urlsplit(self.path)[2:4]))
                finally:
                    slots.release()

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed: the terminal shows the address alone."""

        try:
            self._server = ThreadingHTTPServer((HOST, port), Handler)
        except OSError as error:
            raise UserError(f"cannot listen on {HOST}:{port}: {error.strerror}") from None

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{HOST}:{self._server.server_address[1]}/"

    def run(self) -> None:
        """Serve until `close`, or an interrupt."""
        try:
            self._server.serve_forever(poll_interval=0.1)
        finally:
            self._server.server_close()

    def close(self) -> None:
        """End `run`, from another thread."""
        self._server.shutdown()


def _forbidden(request: BaseHTTPRequestHandler) -> Answer | None:
    """The refusal of a request that another machine, or a page of another site, has made."""
    host = request.headers.get("Host", "")
    name = host.rpartition(":")[0] or host
    foreign = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
    embedded = foreign and request.headers.get("Sec-Fetch-Mode") != "navigate"
    if name in _NAMES and not embedded:
        return None
    return Answer.refusal(HTTPStatus.FORBIDDEN, "this server is for this machine only")


def _send(request: BaseHTTPRequestHandler, answer: Answer) -> None:
    request.send_response(answer.status)
    request.send_header("Content-Type", f"{answer.kind}; charset=utf-8")
    request.send_header("Content-Length", str(len(answer.body)))
    request.send_header("Cache-Control", "no-store")
    request.send_header("X-Content-Type-Options", "nosniff")
    request.send_header("X-Frame-Options", "DENY")
    request.end_headers()
    request.wfile.write(answer.body)
