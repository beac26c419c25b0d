"""A read-only server for the local machine; a function makes the responses."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from ...core.errors import UserError

HOST = "127.0.0.1"
#: A page of another site may reach this address by a name of its own (DNS rebinding), not by these.
_NAMES = ("127.0.0.1", "localhost")
#: Connections at the same time, each of which has a thread; more are closed at once. A browser
#: opens six to a host, one for each request.
MOST_CONNECTIONS = 64
#: Seconds after which a connection that says nothing, or takes nothing, is closed.
_SILENCE = 30


@dataclass(frozen=True)
class PageAnswer:
    """The response to a request."""

    body: bytes
    kind: str = "text/html"
    status: HTTPStatus = HTTPStatus.OK

    @classmethod
    def refusal(cls, status: HTTPStatus, words: str) -> PageAnswer:
        """A status with a line of text."""
        return cls(words.encode("utf-8", "replace"), "text/plain", status)


class LoopbackServer:
    """A server on the loopback interface that answers only GET requests.

    Args:
        answer: a function that makes the response to a path and a query; several threads call the
            function.
        port: the port; 0 for any free port.

    Raises:
        UserError: the port is not free.

    """

    def __init__(self, answer: Callable[[str, str], PageAnswer], port: int = 0) -> None:
        class Handler(BaseHTTPRequestHandler):
            timeout = _SILENCE

            def do_GET(self) -> None:
                _send(self, _forbidden(self) or answer(*urlsplit(self.path)[2:4]))

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing: the terminal shows the address alone."""

        try:
            self._server = _BoundedServer((HOST, port), Handler)
        except OSError as error:
            raise UserError(f"cannot listen on {HOST}:{port}: {error.strerror}") from None

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{HOST}:{self._server.server_address[1]}/"

    def run(self) -> None:
        """Serve until `close` is called or the process is interrupted."""
        try:
            self._server.serve_forever(poll_interval=0.1)
        finally:
            self._server.server_close()

    def close(self) -> None:
        """End `run`, from any thread."""
        self._server.shutdown()


class _BoundedServer(ThreadingHTTPServer):
    """A server with a thread for each of at most `MOST_CONNECTIONS` connections."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error of a client with a closed connection."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


def _forbidden(request: BaseHTTPRequestHandler) -> PageAnswer | None:
    """The refusal of a request from another machine or from another site's page; else None."""
    host = request.headers.get("Host", "")
    name = host.rpartition(":")[0] or host
    foreign = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
    embedded = foreign and request.headers.get("Sec-Fetch-Mode") != "navigate"
    if name in _NAMES and not embedded:
        return None
    return PageAnswer.refusal(HTTPStatus.FORBIDDEN, "this server is for this machine only")


def _send(request: BaseHTTPRequestHandler, answer: PageAnswer) -> None:
    request.send_response(answer.status)
    request.send_header("Content-Type", f"{answer.kind}; charset=utf-8")
    request.send_header("Content-Length", str(len(answer.body)))
    request.send_header("Cache-Control", "no-store")
    request.send_header("X-Content-Type-Options", "nosniff")
    request.send_header("X-Frame-Options", "DENY")
    request.end_headers()
    request.wfile.write(answer.body)
