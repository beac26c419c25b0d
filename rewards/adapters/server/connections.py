"""The connections of a server: accepted up to a limit, closed when idle.

aiohttp keeps connections without a request forever, and asyncio logs a traceback for every
connection that cannot be accepted. Here a connection is parked: aiohttp gets the connection only
when the head of the first request has arrived. To park a connection costs 30 µs, and aiohttp's work
for a connection costs 700 µs. A connection without a head or without a request is closed after some
seconds. At the limit, a new connection replaces the connection that has been idle longest, so that
idle connections cannot block new connections.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress

log = logging.getLogger(__name__)

#: The number of connections that the system holds until they are accepted.
BACKLOG = 1024
#: The end of a head, and the size in bytes beyond which aiohttp refuses a head.
HEAD_ENDS, HEAD_BYTES = (b"\r\n\r\n", b"\n\n"), 16_384
#: Seconds between two checks of partially arrived heads.
LOOK_AT_PARTS = 0.05
#: Errors of accepting when the process or the system has no more files or memory.
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Connections:
    """Accepts connections to listening sockets, up to a limit.

    Args:
        limit: the largest number of open connections.
        idle_seconds: the time after which a connection without a request is closed.
        tls: the TLS context for HTTPS.

    """

    def __init__(
        self,
        *,
        limit: int,
        idle_seconds: float,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._limit, self._tls = limit, tls
        self._idle_seconds = idle_seconds
        #: Idle connections, the longest idle first, with the time since when; sockets are parked.
        self._idle: dict[asyncio.BaseTransport | socket.socket, float] = {}
        self._parts: set[socket.socket] = set()
        self._busy: set[asyncio.BaseTransport] = set()
        self._arriving: set[asyncio.Task[None]] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._told = 0.0

    def __len__(self) -> int:
        return len(self._idle) + len(self._busy) + len(self._arriving)

    def listen(
        self, sockets: list[socket.socket], protocol: Callable[[], asyncio.Protocol]
    ) -> None:
        """Begin to accept connections. ``protocol`` makes the asyncio protocol of a connection."""
        self._protocol = protocol
        for listener in sockets:
            listener.setblocking(False)
            self._tasks.append(asyncio.create_task(self._accept(listener)))
        self._tasks.append(asyncio.create_task(self._end_idle()))
        self._tasks.append(asyncio.create_task(self._look_at_parts()))

    def began(self, transport: asyncio.BaseTransport | None) -> None:
        """Record that the head of a request has arrived on a connection."""
        if transport is not None and self._idle.pop(transport, None) is not None:
            self._busy.add(transport)

    def ended(self, transport: asyncio.BaseTransport | None) -> None:
        """Record that a reply was sent on a connection."""
        if transport in self._busy:
            self._busy.discard(transport)
            self._idle[transport] = time.monotonic()

    async def close(self) -> None:
        """Stop accepting connections, and close idle connections."""
        for task in (*self._tasks, *self._arriving):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._arriving, return_exceptions=True)
        for idle in list(self._idle):
            self._end(idle)

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError as error:
                if error.errno not in _FULL:
                    continue  # the client has gone already
                self._make_room(f"no connection can be accepted: {error.strerror}")
                await asyncio.sleep(0.05)
                continue
            if len(self) >= self._limit and not self._make_room("too many connections"):
                connection.close()
                continue
            connection.setblocking(False)
            self._idle[connection] = time.monotonic()
            loop.add_reader(connection, self._look, connection)

    def _look(self, connection: socket.socket) -> None:
        """Handle data on a connection that aiohttp does not have yet.

        If the head of the request is complete, aiohttp takes over.
        """
        asyncio.get_running_loop().remove_reader(connection)
        self._parts.discard(connection)
        try:
            data = connection.recv(HEAD_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            data = b"?"
        except OSError:
            data = b""
        if not data:  # the client has gone
            self._end(connection)
        elif self._tls or len(data) == HEAD_BYTES or any(end in data for end in HEAD_ENDS):
            self._idle.pop(connection, None)
            task = asyncio.create_task(self._arrive(connection))
            self._arriving.add(task)
            task.add_done_callback(self._arriving.discard)
        else:  # a reader would be called again and again for this part
            self._parts.add(connection)

    async def _look_at_parts(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AT_PARTS)
            for connection in list(self._parts):
                self._look(connection)

    async def _arrive(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            transport, _ = await loop.connect_accepted_socket(
                self._protocol,
                connection,
                ssl=self._tls,
                ssl_handshake_timeout=self._idle_seconds if self._tls else None,
            )
        except (OSError, ssl.SSLError):
            connection.close()
        else:
            self._idle[transport] = time.monotonic()

    def _make_room(self, why: str) -> bool:
        """Close the connection that is idle longest. If none is idle, return False."""
        now = time.monotonic()
        if now - self._told > 60.0:  # a line a minute, whatever comes
            self._told = now
            log.warning("%s (%d open); the longest idle ones are closed", why, len(self))
        oldest = next(iter(self._idle), None)
        if oldest is None:
            return False
        self._end(oldest)
        return True

    def _end(self, idle: asyncio.BaseTransport | socket.socket) -> None:
        self._idle.pop(idle, None)
        if isinstance(idle, socket.socket):
            self._parts.discard(idle)
            asyncio.get_running_loop().remove_reader(idle)
            idle.close()
            return
        with suppress(Exception):
            idle.abort()  # type: ignore[attr-defined]

    async def _end_idle(self) -> None:
        while True:
            await asyncio.sleep(min(1.0, self._idle_seconds / 4))
            now = time.monotonic()
            for idle, since in list(self._idle.items()):
                if not isinstance(idle, socket.socket) and idle.is_closing():
                    del self._idle[idle]
                elif now - since > self._idle_seconds:
                    self._end(idle)
            self._busy = {transport for transport in self._busy if not transport.is_closing()}


def listening(host: str, port: int) -> list[socket.socket]:
    """Open sockets that listen on the addresses of a host. An unusable address raises `OSError`."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in dict.fromkeys(addresses):
            if port == 0 and sockets:
                break  # any free port is that of one address
            sockets.append(socket.create_server(address[:2], family=family, backlog=BACKLOG))
    except OSError:
        for listener in sockets:
            listener.close()
        raise
    return sockets
