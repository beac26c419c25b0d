"""The reward server on this machine, over HTTP or HTTPS, by aiohttp.

======================  ========================================================================
``POST /score``         rewards (`shapes`); ``/get_reward`` is another name
``POST /verify``        the reward of a rollout of NeMo Gym; ``/seed_session`` begins a rollout
``GET /live``           200 as long as the process answers
``GET /ready``          200 if the server accepts work now, else 503
``GET /health``         readiness and counts, with 503 while the server stops, else 200
``GET /metrics``        for Prometheus (`metrics`)
======================  ========================================================================

A server with a token asks every request for the token, except ``/live``, ``/ready`` and ``/health``
(`service.RewardServer.admits`).
"""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import logging
import logging.handlers
import signal
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ...errors import UserError, install
from ...workers.pool import WorkerPool, pools_from
from ..scoring import Rollout
from .connections import Connections, listening
from .metrics import Metrics
from .service import Incoming, NoWorkersError, Reply, RewardServer

if TYPE_CHECKING:
    from aiohttp import web

#: The size at which the log of requests is rotated; two old logs are kept.
ACCESS_LOG_BYTES = 32 << 20
#: How much lower the priority of workers is than the server's own. With all cores at work /health
#: took 190 to 250 ms instead of 320 to 390 (99th percentile, in turns, at a load of 13 to 15).
NICENESS = 5
#: Seconds between two measurements of the event loop's lateness, of some 30 µs each.
LOOK = 0.01
ACCESS_LOG_FORMAT = '%t %a "%r" %s %b %Tf'
#: The number of files in addition to connections: of workers, logs and the system.
SPARE_FILES = 256


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a server, the TLS files and the log of requests.

    Attributes:
        host: address to listen on.
        port: port to listen on. 0 means any free port.
        certificate: PEM file of a certificate and its chain, for HTTPS.
        key: PEM file of the certificate's key.
        access_log: file with a line for each request, or ``-`` for stderr. None means no log.

    """

    host: str = "127.0.0.1"
    port: int = 0
    certificate: Path | None = None
    key: Path | None = None
    access_log: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def tls(self) -> ssl.SSLContext | None:
        """The TLS context, or None if there is no certificate. Unusable files raise `UserError`."""
        if self.certificate is None:
            if self.key is not None:
                raise UserError("a key needs its certificate")
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as error:
            raise UserError(f"cannot use the certificate {self.certificate}: {error}") from None
        return context


def application(server: RewardServer, connections: Connections) -> web.Application:
    """Make the aiohttp application of a server.

    The application tells ``connections`` when a request begins and when it ends.
    """
    from aiohttp import web

    open_to_all = {"/live", "/ready", "/health"}

    @web.middleware
    async def admitted(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if request.path in open_to_all or server.admits(request.headers.get("Authorization", "")):
            transport = request.transport
            connections.began(transport)
            try:
                return await handler(request)
            finally:
                connections.ended(transport)
        reply = server.refuse(401, "a token is needed: Authorization: Bearer TOKEN")
        server.metrics.replied(reply.status)
        response = _response(reply)
        response.headers["WWW-Authenticate"] = "Bearer"
        response.force_close()  # the body is not read
        return response

    async def score(request: web.Request) -> web.Response:
        incoming = Incoming(
            request.path.rstrip("/"),
            request.content.iter_any(),
            request.headers.get("Content-Encoding", ""),
            detail=request.query.get("detail", "") not in ("", "0"),
        )
        reply = await server.reply(incoming)
        response = _response(reply)
        if reply.status != 200:
            response.force_close()  # a body that was refused is not read to its end
        return response

    async def seed_session(_: web.Request) -> web.Response:
        return web.json_response({})

    async def live(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def ready(_: web.Request) -> web.Response:
        return web.json_response({"ready": server.ready}, status=200 if server.ready else 503)

    async def health(_: web.Request) -> web.Response:
        return web.json_response(server.health(), status=503 if server.stopping else 200)

    async def metrics(_: web.Request) -> web.Response:
        page, content_type = server.metrics.text()
        return web.Response(body=page, headers={"Content-Type": content_type})

    app = web.Application(middlewares=[admitted])
    for path in ("/score", "/get_reward", "/verify"):
        app.router.add_post(path, score)
    app.router.add_post("/seed_session", seed_session)
    for path, handler in (
        ("/live", live),
        ("/ready", ready),
        ("/health", health),
        ("/metrics", metrics),
    ):
        app.router.add_get(path, handler)
    return app


def _response(reply: Reply) -> web.Response:
    from aiohttp import web

    try:
        body = msgspec.json.encode(reply.body)
    except (UnicodeEncodeError, TypeError):  # half of a surrogate pair, which only an escape says
        return web.json_response(reply.body, status=reply.status, headers=reply.headers)
    return web.Response(
        body=body, status=reply.status, headers=reply.headers, content_type="application/json"
    )


@asynccontextmanager
async def serving(
    server: RewardServer, endpoint: Endpoint, say: Callable[[str], object] = lambda _: None
) -> AsyncIterator[str]:
    """Serve until the context is left. The context yields the server's address.

    When the context is left, requests in progress are finished, and new requests are refused with
    503.
    """
    from aiohttp import web

    tls = endpoint.tls()
    async with AsyncExitStack() as stack:
        connections = Connections(
            limit=_within_files(server.limits.connections, say),
            idle_seconds=server.limits.header_seconds,
            tls=tls,
        )
        server.connections = connections.__len__
        runner = web.AppRunner(
            application(server, connections),
            access_log=_access_log(endpoint.access_log),
            access_log_format=ACCESS_LOG_FORMAT,
            handler_cancellation=True,  # a client that hangs up takes its work along
            shutdown_timeout=server.limits.shutdown_seconds,
            auto_decompress=False,  # `bodies` does so within limits
            keepalive_timeout=server.limits.header_seconds,
        )
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        assert runner.server is not None
        try:
            sockets = listening(endpoint.host, endpoint.port)
        except OSError as error:
            what = error.strerror or error
            raise UserError(f"cannot listen on {endpoint.host}:{endpoint.port}: {what}") from None
        for listener in sockets:
            stack.callback(listener.close)
        connections.listen(sockets, runner.server)
        stack.push_async_callback(connections.close)
        watch = asyncio.create_task(_watch_loop(server.metrics))
        stack.callback(watch.cancel)
        if server.shadow is not None:
            shadow = asyncio.create_task(
                server.shadow.run(
                    server.function.rubric, lambda: not server.waiting, server.metrics.checked
                )
            )
            stack.callback(shadow.cancel)
        host, port = sockets[0].getsockname()[:2]
        host_text = f"[{host}]" if ":" in host else host
        try:
            yield f"http{'s' if tls else ''}://{host_text}:{port}"
        finally:
            server.stopping = True
            for _ in range(round(server.limits.shutdown_seconds / 0.05)):
                if not (server.waiting or server.in_flight):
                    break
                await asyncio.sleep(0.05)


async def _watch_loop(metrics: Metrics) -> None:
    """Periodically record the delay of the event loop.

    The delay that the loop's own work causes is also recorded separately.
    """
    while True:
        due, used = time.monotonic() + LOOK, time.thread_time()
        await asyncio.sleep(LOOK)
        late, worked = time.monotonic() - due, time.thread_time() - used
        # Work beyond the time between two measurements is the loop's own; the remaining delay may
        # be due to other processes.
        metrics.looked(late, own=worked - LOOK)


def _within_files(connections: int, say: Callable[[str], object]) -> int:
    """Reduce a number of connections to what the limit of open files allows."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + SPARE_FILES
    if soft < needed:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(needed, hard), hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft < needed:
        say(f"warning: the limit of open files, {soft}, allows {soft // 2} connections")
        return max(1, soft // 2)
    return connections


def _access_log(where: str | None) -> logging.Logger | None:
    if where is None:
        return None
    access = logging.getLogger(f"{__name__}.access")
    handler: logging.Handler = logging.StreamHandler()
    if where != "-":
        try:
            handler = logging.handlers.RotatingFileHandler(
                where, maxBytes=ACCESS_LOG_BYTES, backupCount=2
            )
        except OSError as error:
            raise UserError(f"cannot write {where}: {error.strerror}") from None
    access.handlers = [handler]
    access.setLevel(logging.INFO)
    access.propagate = False
    return access


async def run(server: RewardServer, endpoint: Endpoint, say: Callable[[str], object]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        server: the server's state.
        endpoint: the address to listen on.
        say: a function that is called with messages about the server's progress.

    Raises:
        UserError: the extra is missing, the workers do not start, or the address cannot be used.

    """
    try:
        import aiohttp  # noqa: F401
        import ijson  # noqa: F401
    except ImportError as error:
        raise UserError(f"serving needs {error.name}: {install('serve')}") from None
    with pools_from(_giving_way):
        await _run(server, endpoint, say)


def _giving_way(size: int | None, memory_mb: int, tasks: Mapping[str, str]) -> WorkerPool:
    """Make a pool of workers whose priority is lower than the server's."""
    return WorkerPool(size, memory_mb, tasks=tasks, niceness=NICENESS)


async def _run(server: RewardServer, endpoint: Endpoint, say: Callable[[str], object]) -> None:
    await make_ready(server)
    # Freeze the loaded objects: the collector's passes then take a third of the time.
    gc.collect()
    gc.freeze()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    async with serving(server, endpoint, say) as address:
        say(f"rewards at {address}/score, health at {address}/health")
        if not endpoint.is_local and server.token is None:
            say(
                f"warning: {endpoint.host} is reached from other machines, and without "
                "--token-file everybody there may use this server"
            )
        await stop.wait()
        for name in (signal.SIGINT, signal.SIGTERM):  # a second one ends at once
            loop.remove_signal_handler(name)
        say("stopping: requests in progress are finished, new ones are refused")
    say(f"{server.scored} completions were scored, {server.refused} requests refused")


async def make_ready(server: RewardServer) -> None:
    """Start the workers by scoring an empty completion, which the metrics do not count.

    If no worker starts, a `UserError` is raised.
    """
    shadow, server.shadow = server.shadow, None
    try:
        await server.score([Rollout("", "1")])
    except NoWorkersError as error:
        raise UserError(str(error)) from None
    # The call was no completion of a client.
    server.shadow, server.scored = shadow, 0
    server.statuses.clear()
    server.__dict__.pop("metrics", None)
    _ = server.metrics
