"""The reward server as a deployment of Ray Serve: replicas on the nodes of a cluster.

Every replica is a `RewardServer` with workers of its own, and any replica can answer any request.
Ray Serve distributes requests, checks the replicas' health, and replaces replicas that die or have
no workers. Every node has a listening proxy, so that a trainer asks its own node.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import UserError, install, require_extra
from ...workers.errors import PoolError
from ...workers.ray_connection import connect, line_of, our_version
from ..scoring import FAULT, Rollout, ascore
from .service import Incoming, RewardServer

if TYPE_CHECKING:
    from starlette.requests import Request

NAME = "calculus-harness-rewards"
#: The largest number of concurrent requests of a replica; further requests wait at the proxies.
ONGOING = 128
#: Seconds between two health checks of a replica, and the time limit of a check.
HEALTH_SECONDS, HEALTH_TIMEOUT = 10.0, 60.0


class Replica:
    """A reward server that runs as a deployment of Ray Serve."""

    def __init__(self, server: RewardServer, version: str) -> None:
        if version != our_version():
            raise RuntimeError(
                f"a node has another version ({our_version()}) than here ({version})"
            )
        self._server = server

    async def __call__(self, request: Request) -> Any:
        from starlette.responses import JSONResponse, Response

        path, method = request.url.path.rstrip("/"), request.method
        if method == "GET" and path in ("/health", "/live", "/ready"):
            ready = path != "/ready" or self._server.ready
            return JSONResponse(self._server.health(), status_code=200 if ready else 503)
        if path not in ("/score", "/get_reward", "/verify", "/seed_session", "/metrics"):
            return JSONResponse({"error": f"there is no {path}"}, status_code=404)
        if not self._server.admits(request.headers.get("authorization", "")):
            return JSONResponse({"error": "a token is needed"}, status_code=401)
        if path == "/metrics" and method == "GET":  # of this replica, of which there are several
            page, content_type = self._server.metrics.text()
            return Response(page, media_type=content_type)
        if method != "POST":
            return JSONResponse({"error": "POST, please"}, status_code=405)
        if path == "/seed_session":
            return JSONResponse({})
        reply = await self._server.reply(
            Incoming(
                path,
                request.stream(),
                request.headers.get("content-encoding", ""),
                detail=request.query_params.get("detail", "") not in ("", "0"),
            )
        )
        return JSONResponse(reply.body, status_code=reply.status, headers=reply.headers)

    async def check_health(self) -> None:
        """Raise a `RuntimeError` if no worker starts. Ray Serve then replaces the replica."""
        (score,) = await ascore([Rollout("", "1")], self._server.function.rubric)
        if score.status == FAULT:
            raise RuntimeError(f"no workers: {score.verdict.evidence.detail}")


@contextmanager
def deployed(
    server: RewardServer,
    host: str,
    port: int,
    *,
    address: str | None = None,
    replicas: int | None = None,
) -> Iterator[int]:
    """Serve on a cluster until the context is left.

    Args:
        server: the server that every replica copies. The server's rubric states the number of
            workers of each replica. By default, this is the smallest number of CPUs that a node
            has.
        host: the address on which every node's proxy listens.
        port: the port of the proxies.
        address: the address of the cluster, as for `use_cluster`.
        replicas: the number of replicas; by default as many as the CPUs allow.

    Yields:
        The number of replicas.

    Raises:
        MissingExtraError: the extra ``ray`` is not installed.
        UserError: the cluster does not exist, or has too few CPUs.

    """
    require_extra("a cluster", "ray", "ray")
    ray: Any = importlib.import_module("ray")
    try:
        serve: Any = importlib.import_module("ray.serve")
    except ImportError:
        raise UserError(f"serving on a cluster needs ray[serve]: {install('ray')}") from None
    owner = not ray.is_initialized()
    if owner:
        try:
            connect(ray, address)
        except PoolError as error:
            raise UserError(str(error)) from None
    try:
        cpus = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
        workers = server.function.rubric.workers or min(filter(None, cpus), default=1)
        room = sum(node // workers for node in cpus)
        count = replicas or room
        if not 0 < count <= room:
            raise UserError(
                f"{count or 'no'} replicas of {workers} workers do not fit: the cluster has "
                f"{sum(cpus)} CPUs, room for {room}"
            )
        free = int(ray.available_resources().get("CPU", 0))
        if free < count * workers:
            raise UserError(
                f"{count} replicas of {workers} workers need {count * workers} CPUs, and {free} of "
                f"the cluster's {sum(cpus)} are free"
            )
        deployment = serve.deployment(Replica).options(
            name="replica",
            num_replicas=count,
            max_ongoing_requests=ONGOING,
            health_check_period_s=HEALTH_SECONDS,
            health_check_timeout_s=HEALTH_TIMEOUT,
            graceful_shutdown_timeout_s=server.limits.shutdown_seconds,
            ray_actor_options={"num_cpus": workers},
        )
        function = server.function
        rubric = replace(function.rubric, workers=workers)
        copy = RewardServer(replace(function, rubric=rubric), server.limits, server.token)
        try:
            serve.start(http_options={"host": host, "port": port}, proxy_location="EveryNode")
            serve.run(deployment.bind(copy, our_version()), name=NAME, route_prefix="/")
        except (RuntimeError, ray.exceptions.RayError) as error:
            serve.shutdown()
            raise UserError(f"the replicas do not start: {line_of(error)}") from None
        try:
            yield count
        finally:
            serve.shutdown()
    finally:
        if owner:
            ray.shutdown()
