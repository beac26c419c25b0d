"""Workers on a Ray cluster, instead of workers on the local machine.

While a cluster is in use (`use_cluster`), all pools of the process run on the cluster. The pools
may verify, compute rewards, solve or generate. Every node has one actor with a `WorkerPool`. Limits
and the handling of bad items are therefore the same as for local workers. Processes of a Ray job
(reward workers of a trainer) share the actors.

If an actor or a node dies, only time is lost. Other actors get the unfinished items. If the node of
a dead actor is still alive, the node gets a new actor.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import importlib
import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..errors import require_extra
from .errors import PoolError
from .pool import Pool, WorkerPool, make_pool, pools_from
from .ray_connection import NAMESPACE, connect, line_of, our_version
from .worker import Call, PendingResults, Results

#: Most items of a chunk, and how many chunks an actor has for each of its workers: so that the next
#: chunk is there when one ends.
CHUNK, CHUNKS_PER_WORKER = 256, 2
#: Actors that try a chunk before the call fails: so many failures are no fault of one node.
MAX_TRIES = 5
#: Seconds for the first actors to start, and for waiting chunks while no node has workers.
START_SECONDS, PATIENCE_SECONDS = 120.0, 60.0
#: Seconds between two looks at the nodes, where workers are missing and where none are.
LOOK_SECONDS, JOIN_SECONDS = 1.0, 10.0


class NodeWorkers:
    """The workers of a node, as a Ray actor."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pools: dict[str, WorkerPool] = {}

    async def about(self) -> tuple[str, int]:
        return our_version(), self._size

    async def run(self, tasks: Mapping[str, str], memory_mb: int, call: Call) -> Results:
        key = json.dumps([sorted(tasks.items()), memory_mb])
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools[key] = WorkerPool(self._size, memory_mb, tasks=tasks)
        limits = {"deadline": call.deadline, "wall_clock": call.wall_clock}
        return await pool.amap(call.task, call.items, **limits, **call.options)


@dataclass(eq=False, slots=True)
class _Chunk:
    """Some items of a call, from the item ``start`` on, for the pool of the given settings."""

    pending: PendingResults
    settings: tuple[Mapping[str, str], int]
    start: int
    items: list[list[Any]]
    tries: int = 0


@dataclass(eq=False, slots=True)
class _Node:
    """The actor of a node, and the number of the actor's unfinished chunks."""

    actor: Any
    size: int
    busy: int = 0


class Cluster:
    """The nodes of a Ray cluster, which share the work of all calls of this process.

    Args:
        address: the address for `ray.init`. The default is the cluster of the current Ray job, or
            the cluster at the address in the variable ``RAY_ADDRESS``. Without either, a local
            cluster is started.
        workers: the number of workers on each node. Each worker takes a CPU. By default the workers
            take all CPUs.

    Raises:
        MissingExtraError: the extra ``ray`` is not installed.
        PoolError: no cluster answers at the address, or the cluster has no free CPU, or a node has
            another version of the package.
        ValueError: ``workers`` is less than 1.

    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"a node needs at least one worker, not {workers}")
        require_extra("a cluster", "ray", "ray")
        ray: Any = importlib.import_module("ray")
        self._ray, self._workers = ray, workers
        self._owner = not ray.is_initialized()
        if self._owner:
            connect(ray, address)
        # One thread, which never waits, has the state, so that there are no locks.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="calculus-harness-cluster", daemon=True
        )
        self._thread.start()
        self._waiting: deque[_Chunk] = deque()
        self._asked: set[_Chunk] = set()
        self._nodes: dict[str, _Node] = {}
        self._starting: dict[str, Future[tuple[str, int]]] = {}
        #: How often in a row a node failed, and when it is tried again.
        self._failed: dict[str, tuple[int, float]] = {}
        self._since = time.monotonic()  # when there last were workers
        self._why = PoolError("no node of the cluster is left")
        self._timer: asyncio.TimerHandle | None = None
        self._started: Future[None] = Future()
        self._closed = False
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
        """Queue chunks of items for the nodes."""
        chunk_list = list(chunks)
        self._post(self._enqueue, chunk_list)
        if self._closed:
            _fail(chunk_list, PoolError("the cluster is closed"))

    def close(self) -> None:
        """Release the actors, and end a local cluster started by the `Cluster`."""
        self._post(self._end)
        self._thread.join()
        self._loop.close()
        if self._owner:
            self._ray.shutdown()

    def _post(self, method: Callable[..., None], *arguments: Any) -> None:
        """Call a method in the event loop's thread, which owns the state."""
        with contextlib.suppress(RuntimeError):  # it is closed
            self._loop.call_soon_threadsafe(method, *arguments)

    def _end(self) -> None:
        _fail([*self._waiting, *self._asked], PoolError("the cluster is closed"))
        self._nodes.clear()
        self._closed = True
        self._loop.stop()

    # --- nodes ---

    def _start(self) -> None:
        """Wait until the first actors have started."""
        self._post(self._look)
        try:
            self._started.result(START_SECONDS)
        except TimeoutError:
            starting = sorted(self._starting)
            if not starting:
                raise self._why from None
            why = f"the CPUs of node {starting[0][:8]} are not free within {START_SECONDS:g} s"
            raise PoolError(why) from None

    def _settle(self, refused: PoolError | None = None) -> None:
        """Tell `_start` whether the first actors started, as soon as this is known."""
        if self._started.done():
            return
        if refused is not None:
            self._started.set_exception(refused)
        elif self._nodes and not self._starting:
            self._started.set_result(None)

    def _look(self) -> None:
        """Start an actor on each node without an actor, and schedule the next check."""
        now = time.monotonic()
        try:
            nodes = self._ray.nodes()
        except Exception as error:  # the head node is busy or gone
            self._why = PoolError(f"the cluster does not answer: {line_of(error)}")
        else:
            alive = (node for node in nodes if node["Alive"])
            self._compare({n["NodeID"]: int(n["Resources"].get("CPU", 0)) for n in alive})
        if self._nodes or self._starting:
            self._since = now
        elif now - self._since > PATIENCE_SECONDS:
            _fail(self._waiting, self._why)
            self._waiting.clear()
        retries = any(again < math.inf for _, again in self._failed.values())
        needs_nodes = retries or (self._waiting and not self._nodes)
        self._look_in(LOOK_SECONDS if needs_nodes else JOIN_SECONDS)

    def _compare(self, cores: Mapping[str, int]) -> None:
        """Give up dead nodes. Start workers on nodes with CPUs but without workers."""
        for node_addresses in (self._nodes, self._failed):
            for key in node_addresses.keys() - cores.keys():
                del node_addresses[key]
        if not any(cores.values()):
            self._settle(PoolError("the cluster has no node with CPUs"))
        now = time.monotonic()
        for key, count in cores.items():
            size = min(count, self._workers or count)
            again = self._failed.get(key, (0, 0.0))[1]
            if size and again <= now and key not in self._nodes and key not in self._starting:
                actor = self._actor(key, size)
                self._starting[key] = actor.about.remote().future()
                self._starting[key].add_done_callback(partial(self._post, self._joined, key, actor))

    def _look_in(self, seconds: float) -> None:
        """Schedule an inspection of the cluster, unless an earlier inspection is scheduled."""
        at = self._loop.time() + seconds
        if self._timer is not None and self._loop.time() < self._timer.when() <= at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._look)

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

    def _joined(self, key: str, actor: Any, about: Future[tuple[str, int]]) -> None:
        self._starting.pop(key, None)
        error = about.exception()
        if error is not None:  # it died meanwhile, or was that of a call which has ended
            self._lost(key, f"no workers on node {key[:8]}: {line_of(error)}", self._lasts(error))
        elif (answer := about.result())[0] != our_version():
            why = (
                f"node {key[:8]} has another version ({answer[0]}) than this process "
                f"({our_version()})"
            )
            self._lost(key, why, lasts=True)
        else:
            self._failed.pop(key, None)
            # The first process of this job has chosen the number of workers.
            self._nodes[key] = _Node(actor, answer[1])
        self._settle()
        self._assign()

    def _lasts(self, error: BaseException) -> bool:
        """Whether a failure is permanent.

        A failure is permanent if the node lacks the package, or if workers fail to start.
        """
        errors = self._ray.exceptions
        lasting = (errors.RayTaskError, errors.RuntimeEnvSetupError)
        return isinstance(error, lasting) or getattr(error, "actor_init_failed", False)

    def _lost(self, key: str, why: str, lasts: bool = False) -> None:
        """Give up the actor of a node, and try the node again after a pause.

        The pause is needed because Ray lists a dead node as alive for a while. Each failure doubles
        the pause, up to a limit. If the failure ``lasts``, the node is not tried again.
        """
        self._why = PoolError(why)
        self._nodes.pop(key, None)
        count = self._failed.get(key, (0, 0.0))[0]
        pause = math.inf if lasts else min(LOOK_SECONDS * 2**count, JOIN_SECONDS)
        self._failed[key] = (count + 1, time.monotonic() + pause)
        if lasts:
            self._settle(self._why)
        else:
            self._look_in(LOOK_SECONDS)

    # --- chunks ---

    def _enqueue(self, chunks: Sequence[_Chunk]) -> None:
        if not (self._waiting or self._nodes or self._starting):
            self._since = time.monotonic()
            self._look_in(0)
        self._waiting.extend(chunks)
        self._assign()

    def _assign(self) -> None:
        """Send waiting chunks of items to the nodes with the fewest chunks per worker."""
        while self._waiting and self._nodes:
            key, node = min(self._nodes.items(), key=lambda item: item[1].busy / item[1].size)
            if node.busy >= CHUNKS_PER_WORKER * node.size:
                return
            chunk = self._waiting.popleft()
            if chunk.pending.future.done():
                continue
            node.busy += 1
            self._asked.add(chunk)
            call = replace(chunk.pending.call, items=chunk.items)
            result = node.actor.run.remote(*chunk.settings, call)
            result.future().add_done_callback(partial(self._post, self._done, chunk, key, node))

    def _done(self, chunk: _Chunk, key: str, node: _Node, result: Future[Any]) -> None:
        error = result.exception()
        node.busy -= 1
        self._asked.discard(chunk)
        if error is None:
            chunk.pending.finish(chunk.start, result.result())
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            chunk.pending.fail(PoolError(line_of(error)))
        else:
            if self._nodes.get(key) is node:
                self._lost(key, f"no node of the cluster is left: {line_of(error)}")
            chunk.tries += 1
            if chunk.tries >= MAX_TRIES:
                why = f"{MAX_TRIES} nodes died with the same items: {line_of(error)}"
                chunk.pending.fail(PoolError(why))
            else:
                self._waiting.appendleft(chunk)
        self._assign()


def _fail(chunks: Iterable[_Chunk], error: PoolError) -> None:
    for chunk in chunks:
        chunk.pending.fail(error)


class ClusterPool(Pool):
    """A pool whose workers run on a cluster."""

    def __init__(self, cluster: Cluster, memory_mb: int, tasks: Mapping[str, str]) -> None:
        self._cluster, self.memory_mb, self._tasks = cluster, memory_mb, dict(tasks)

    @property
    def size(self) -> int:
        return self._cluster.size

    def _submit(self, call: Call) -> Future[Results]:
        pending, items = PendingResults(call), call.items
        settings = (self._tasks, self.memory_mb)
        size = max(1, min(CHUNK, len(items) // (2 * max(1, self.size))))
        starts = range(0, len(items), size)
        self._cluster.submit(_Chunk(pending, settings, at, items[at : at + size]) for at in starts)
        return pending.future

    def close(self) -> None:
        """Do nothing: the cluster keeps its workers."""

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(make_pool, tasks=self._tasks), (None, self.memory_mb)


_IN_USE: list[Cluster] = []


@contextlib.contextmanager
def use_cluster(address: str | None = None, *, workers: int | None = None) -> Iterator[Cluster]:
    r"""Run the workers of the current process on a Ray cluster.

    Within the ``with`` block, the cluster runs verification, rewards, generation and calls of
    solvers. The cluster applies to all threads.

    Args:
        address: the address for `ray.init`. The default is the cluster of the current Ray job, or
            the cluster at the address in the variable ``RAY_ADDRESS``. Without either, a local
            cluster is started.
        workers: the number of workers on each node. Each worker takes a CPU. By default the workers
            take all CPUs.

    Yields:
        The cluster.

    Raises:
        MissingExtraError: the extra ``ray`` is not installed.
        PoolError: no cluster answers at the address, or the cluster has no free CPU, or a node has
            another version of the package.
        ValueError: ``workers`` is less than 1.

    Example:
        >>> from calculus_harness.rewards import verify_many
        >>> with use_cluster():  # doctest: +SKIP
        ...     verdicts = verify_many([r"\boxed{x^2}"], "2x")

    """
    cluster = Cluster(address, workers)
    _IN_USE.append(cluster)
    try:
        with pools_from(lambda _, memory_mb, tasks: ClusterPool(cluster, memory_mb, tasks)):
            yield cluster
    finally:
        _IN_USE.remove(cluster)
        cluster.close()


#: The context that `join_cluster` entered.
_JOINED = contextlib.ExitStack()
atexit.register(_JOINED.close)


def join_cluster(address: str | None = None, *, workers: int | None = None) -> Cluster:
    """Use a Ray cluster until the process ends.

    The function is for the reward workers of a trainer that runs on Ray. The processes of a Ray job
    share the actors. The first process sets the number of workers.

    Args:
        address: as for `use_cluster`.
        workers: as for `use_cluster`. The CPUs must not be in use by the trainer.

    Returns:
        The cluster. If this process already uses a cluster, the result is that cluster.

    Raises:
        MissingExtraError: the extra ``ray`` is not installed.
        PoolError: no cluster answers at the address, or the cluster has no free CPU, or a node has
            another version of the package.
        ValueError: ``workers`` is less than 1.

    Example:
        >>> from calculus_harness.rewards.adapters.for_verl import acompute_score
        >>> cluster = join_cluster(workers=8)  # doctest: +SKIP

    """
    return cluster_in_use() or _JOINED.enter_context(use_cluster(address, workers=workers))


def cluster_in_use() -> Cluster | None:
    """The cluster of the innermost `use_cluster` block of the process.

    Outside such a block, the result is None.
    """
    return _IN_USE[-1] if _IN_USE else None
