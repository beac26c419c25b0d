"""Workers on a Ray cluster, in place of those of this machine.

While a cluster is in use (`use_cluster`), the pools of this process run on it: of the verifier and
the rewards, of solvers, of generators. Every node has one actor with a `WorkerPool`, so that limits
of time and memory, and what becomes of a bad item, are the same as here. Processes of one Ray job
(reward workers of a trainer) share these actors.

An actor or node that dies costs nothing but time: its chunks go to others, and where the node is
alive, it gets a new actor.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..errors import require_extra
from ..verdict import version_of
from .errors import PoolError, WorkerError
from .pool import Pool, WorkerPool, make_pool, pools_from
from .worker import Result

#: Most items of a chunk, and how many chunks an actor has for each of its workers: while one is
#: under way, the next is there already.
CHUNK, CHUNKS_PER_WORKER = 64, 2
#: A chunk is tried by so many actors; then something else is wrong than a node.
MAX_TRIES = 5
#: Seconds for an actor to start on a node, and between two looks at what the cluster has.
START_SECONDS, LOOK_SECONDS = 120.0, 1.0
#: Seconds for a connection with the head node.
REACH_SECONDS = 10.0
NAMESPACE = "calculus-harness"


def our_version() -> str:
    """The versions of the package, of its verifier and of Python: those of all nodes must agree."""
    try:
        package = version(NAMESPACE)
    except PackageNotFoundError:
        package = "not installed"
    python = ".".join(map(str, sys.version_info[:2]))
    return f"{package}, verifier {version_of('balls')}, Python {python}"


class NodeWorkers:
    """The workers of a node, as a Ray actor."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pools: dict[str, WorkerPool] = {}

    async def about(self) -> str:
        return our_version()

    async def run(
        self,
        tasks: Mapping[str, str],
        memory_mb: int,
        task: str,
        items: list[list[Any]],
        deadline: float,
        options: Mapping[str, Any],
    ) -> list[Result | WorkerError]:
        key = json.dumps([sorted(tasks.items()), memory_mb])
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools[key] = WorkerPool(self._size, memory_mb, tasks=tasks)
        return await pool.amap(task, items, deadline=deadline, **options)


@dataclass(eq=False, slots=True)
class _Call:
    """The items of one call, and what is known of them."""

    arguments: tuple[Mapping[str, str], int, str]
    deadline: float
    options: Mapping[str, Any]
    results: list[Result | WorkerError]
    left: int
    future: Future[list[Result | WorkerError]] = field(default_factory=Future)

    def finish(self, start: int, results: Sequence[Result | WorkerError]) -> None:
        self.results[start : start + len(results)] = results
        self.left -= len(results)
        if not self.left and self.future.set_running_or_notify_cancel():
            self.future.set_result(self.results)

    def fail(self, error: PoolError) -> None:
        if not self.future.done() and self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


@dataclass(eq=False, slots=True)
class _Chunk:
    call: _Call
    start: int
    items: list[list[Any]]
    tries: int = 0


@dataclass(eq=False, slots=True)
class _Node:
    """A node's actor, and how many chunks it has."""

    actor: Any
    size: int
    busy: int = 0


class Cluster:
    """The nodes of a Ray cluster, which share the chunks of all calls of this process.

    Args:
        address: as `ray.init` takes it; None for the cluster of this Ray job or of the variable
            ``RAY_ADDRESS``, or else for a local one, on this machine.

    Raises:
        MissingExtraError: the extra ``ray`` is not installed.
        PoolError: there is no cluster at the address, it has no free CPU, or a node has another
            version of this package.

    """

    def __init__(self, address: str | None = None) -> None:
        require_extra("a cluster", "ray", "ray")
        ray: Any = importlib.import_module("ray")
        self._ray = ray
        self._owner = not ray.is_initialized()
        if self._owner:
            _connect(ray, address)
        # One thread has the state, so that there are no locks.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calculus-harness-cluster")
        self._waiting: deque[_Chunk] = deque()
        self._nodes: dict[str, _Node] = {}
        self._starting: dict[str, Future[str]] = {}
        self._mismatch: PoolError | None = None
        self._failures = 0
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> int:
        """The number of workers."""
        return sum(node.size for node in list(self._nodes.values()))

    def submit(self, chunks: Iterable[_Chunk]) -> None:
        """Let the nodes do some chunks."""
        self._thread.submit(self._enqueue, list(chunks))

    def close(self) -> None:
        """Give the actors up; end the local cluster, if `Cluster` started one."""
        self._thread.submit(self._drop, PoolError("the cluster is closed"))
        self._thread.shutdown()
        if self._owner:
            self._ray.shutdown()

    # --- nodes ---

    def _start(self) -> None:
        """Wait for the first actors."""
        end = time.monotonic() + START_SECONDS
        self._thread.submit(self._look).result()
        while time.monotonic() < end and self._thread.submit(self._is_starting).result():
            wait(list(self._starting.values()), 0.1)
        if self._mismatch is not None:
            raise self._mismatch
        if self._starting:
            key = min(self._starting)
            raise PoolError(f"the CPUs of node {key[:8]} are not free within {START_SECONDS:g} s")
        if not self._nodes:
            raise PoolError("the cluster has no node with CPUs")

    def _is_starting(self) -> bool:
        return bool(self._starting) and self._mismatch is None

    def _look(self) -> None:
        """Start an actor on every node that has none."""
        for node in self._ray.nodes():
            key, cores = node["NodeID"], int(node["Resources"].get("CPU", 0))
            if not (node["Alive"] and cores) or key in self._nodes or key in self._starting:
                continue
            actor = self._actor(key, cores)
            self._starting[key] = actor.about.remote().future()
            self._starting[key].add_done_callback(
                partial(self._post, self._joined, key, _Node(actor, cores))
            )

    def _actor(self, node: str, cores: int) -> Any:
        strategies = self._ray.util.scheduling_strategies
        workers = self._ray.remote(NodeWorkers).options(
            name=f"workers-{node}",
            namespace=NAMESPACE,
            get_if_exists=True,
            num_cpus=cores,
            scheduling_strategy=strategies.NodeAffinitySchedulingStrategy(node, soft=False),
            max_concurrency=1000,
        )
        return workers.remote(cores)

    def _joined(self, key: str, node: _Node, about: Future[str]) -> None:
        self._starting.pop(key, None)
        error = about.exception()
        if error is not None:  # it died meanwhile, or was that of a call which has ended
            self._failures += 1
            self._retry(f"no workers on node {key[:8]}: {_line(error)}")
        elif about.result() != our_version():
            self._mismatch = PoolError(
                f"node {key[:8]} has another version ({about.result()}) than this process "
                f"({our_version()})"
            )
            if not (self._nodes or self._starting):
                self._drop(self._mismatch)
        else:
            self._failures = 0
            self._nodes[key] = node
        self._assign()

    def _retry(self, why: str) -> None:
        """Look again, as the cluster notices the death of a node or an actor a little later."""
        if self._failures <= MAX_TRIES:
            time.sleep(LOOK_SECONDS)
            self._look()
        if not (self._nodes or self._starting):
            self._drop(PoolError(why))

    # --- chunks ---

    def _post(self, method: Callable[..., None], *arguments: Any) -> None:
        """Call a method in the thread that has the state."""
        with contextlib.suppress(RuntimeError):  # it is closed
            self._thread.submit(method, *arguments)

    def _enqueue(self, chunks: Sequence[_Chunk]) -> None:
        self._waiting.extend(chunks)
        if not (self._nodes or self._starting):
            self._look()
            if not self._starting:
                self._drop(PoolError("no node of the cluster is left"))
        self._assign()

    def _assign(self) -> None:
        """Send waiting chunks to the nodes that have the fewest for each of their workers."""
        while self._waiting and self._nodes:
            key, node = min(self._nodes.items(), key=lambda item: item[1].busy / item[1].size)
            if node.busy >= CHUNKS_PER_WORKER * node.size:
                return
            chunk = self._waiting.popleft()
            call = chunk.call
            if call.future.done():
                continue
            node.busy += 1
            result = node.actor.run.remote(
                *call.arguments, chunk.items, call.deadline, dict(call.options)
            )
            result.future().add_done_callback(partial(self._post, self._done, chunk, key, node))

    def _done(self, chunk: _Chunk, key: str, node: _Node, result: Future[Any]) -> None:
        error = result.exception()
        node.busy -= 1
        if error is None:
            chunk.call.finish(chunk.start, result.result())
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            chunk.call.fail(PoolError(_line(error)))
        elif chunk.tries + 1 >= MAX_TRIES:
            chunk.call.fail(
                PoolError(f"{MAX_TRIES} nodes died with the same items: {_line(error)}")
            )
        else:
            chunk.tries += 1
            self._waiting.appendleft(chunk)
            if self._nodes.get(key) is node:
                del self._nodes[key]
                self._retry("no node of the cluster is left")
        self._assign()

    def _drop(self, error: PoolError) -> None:
        for chunk in self._waiting:
            chunk.call.fail(error)
        self._waiting.clear()


class ClusterPool(Pool):
    """A pool whose workers are those of a cluster."""

    def __init__(self, cluster: Cluster, memory_mb: int, tasks: Mapping[str, str]) -> None:
        self._cluster, self.memory_mb, self._tasks = cluster, memory_mb, dict(tasks)

    @property
    def size(self) -> int:
        return self._cluster.size

    def _submit(
        self, task: str, items: list[list[Any]], deadline: float, options: Mapping[str, Any]
    ) -> Future[list[Result | WorkerError]]:
        arguments = (self._tasks, self.memory_mb, task)
        call = _Call(arguments, deadline, options, [None] * len(items), len(items))
        size = max(1, min(CHUNK, len(items) // (2 * CHUNKS_PER_WORKER * max(1, self.size))))
        starts = range(0, len(items), size)
        self._cluster.submit(_Chunk(call, at, items[at : at + size]) for at in starts)
        return call.future

    def close(self) -> None:
        """Nothing ends: the cluster keeps its workers."""

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(make_pool, tasks=self._tasks), (None, self.memory_mb)


@contextlib.contextmanager
def use_cluster(address: str | None = None) -> Iterator[Cluster]:
    r"""Run the workers of this process on a Ray cluster.

    What is verified, rewarded, generated or asked of solvers meanwhile, in any thread, runs there.
    Reward workers of a trainer that runs on Ray each call ``use_cluster().__enter__()`` when they
    start; they share the actors.

    Args:
        address: as `ray.init` takes it; None for the cluster of this Ray job or of the variable
            ``RAY_ADDRESS``, or else for a local one, on this machine.

    Yields:
        The cluster.

    Raises:
        MissingExtraError: the extra ``ray`` is not installed.
        PoolError: there is no cluster at the address, it has no free CPU, or a node has another
            version of this package.

    Example:
        >>> from calculus_harness.rewards import verify_many
        >>> with use_cluster():  # doctest: +SKIP
        ...     verdicts = verify_many([r"\boxed{x^2}"], "2x")

    """
    cluster = Cluster(address)
    try:
        with pools_from(lambda _, memory_mb, tasks: ClusterPool(cluster, memory_mb, tasks)):
            yield cluster
    finally:
        cluster.close()


def _connect(ray: Any, address: str | None) -> None:
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is not None:
        settings["address"] = address
    elif "RAY_ADDRESS" not in os.environ:
        # Workers on this machine import the package from where this process does.
        root = str(Path(__file__).resolve().parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        settings |= {
            "include_dashboard": False,
            "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(paths)}},
        }
    where = f"at {address}" if address else "here"
    try:
        _reach(address or os.environ.get("RAY_ADDRESS", ""))
        ray.init(**settings)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        raise PoolError(f"no Ray cluster {where}: {_line(error)}") from None


def _reach(address: str) -> None:
    """Connect to ``host:port``, as Ray itself waits for minutes where nobody listens."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), REACH_SECONDS).close()


def _line(error: BaseException) -> str:
    """The line of a message that says most: of a remote traceback the last, else the first."""
    lines = str(error).strip().splitlines() or [repr(error)]
    return lines[-1 if isinstance(error, Exception) and "Traceback" in str(error) else 0][:300]
