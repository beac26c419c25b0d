"""The engines of a model on a Ray cluster, with shared requests.

Each engine is a process with the model, in a separate placement group if GPUs are needed. A request
goes to the engine with the fewest requests. Requests of a dead engine go to other engines, and the
engine is replaced. Answers arrive one by one; the process stores each answer at once, and the same
command resumes a stopped sweep.

Ray Data and Ray Serve have engines for language models, too. The former maps whole data sets, and
stores nothing before a block is finished; the latter is an OpenAI server, for the kind ``openai/``.
Neither has our beam searches, scores of given texts and identities.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ....rewards.workers.cluster import cluster_in_use
from ....rewards.workers.ray_connection import line_of, our_version
from ...core.errors import EngineDiedError, ModelError
from ...core.requests import Completion, FinishReason, Request
from ..base import Continuation, Model, Scored, ask_each
from ..placement import EngineGroup, gpus_of, groups
from ..transformers.shared import batches
from .engine import Engine

#: Seconds for the first engine to start (weights are loaded later), and for an engine to end by
#: itself.
START_SECONDS, STOP_SECONDS = 600.0, 30.0
#: The number of engines that may die with a request before it fails (the last engine has only this
#: request), and of attempts to start an engine.
MAX_TRIES = 3
#: The number of successive deaths of engines without an answer that stops the sweep.
MAX_DEATHS = 9


class Answering(Protocol):
    """A model, or the engines of a model."""

    def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]: ...

    def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]: ...

    async def close(self) -> None: ...


def placed(model: Model) -> Answering:
    """The engines of a model on the cluster in use, or the model itself.

    Args:
        model: the model.

    Returns:
        The engines, if there is a cluster and the kind runs on nodes; else the model.

    Raises:
        ModelError: the cluster has too few GPUs.

    >>> from calculus_harness.harness.models import create
    >>> model = create("solver/sympy")
    >>> placed(model) is model
    True

    """
    if cluster_in_use() is None or model.placement is None:
        return model
    return EnginePool(model)


@dataclass(eq=False, slots=True)
class _Slot:
    """A slot of the cluster, with the present engine."""

    group: EngineGroup
    node: str = ""  # where an engine without GPUs is wanted
    resources: Any = None  # its placement group
    actor: Any = None
    ready: bool = False
    busy: int = 0
    reserved: bool = False  # for one request, which may be what kills engines
    failures: int = 0  # to start


class EnginePool:
    """Engines on the cluster in use.

    Args:
        model: the model, of which each node makes a copy.

    Raises:
        ModelError: the cluster has too few GPUs.

    """

    def __init__(self, model: Model) -> None:
        placement = model.placement
        if placement is None:
            raise ModelError(f"model {model.spec} does not run on nodes")
        self._ray: Any = importlib.import_module("ray")
        self._model, self._placement = model, placement
        nodes = [node for node in self._ray.nodes() if node["Alive"] and node["Resources"]]
        placed = groups(model.spec, placement, [gpus_of(node["Resources"]) for node in nodes])
        ids = [str(node["NodeID"]) for node in nodes]
        self._slots = [
            _Slot(group, "" if group.bundles else ids[index % len(ids)])
            for index, group in enumerate(placed)
        ]
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()
        self._why = ""
        self._started = False
        self._deaths = 0  # since the last answer
        self._blamed = 0  # requests that were found to kill engines

    @property
    def size(self) -> int:
        """The number of engines."""
        return len(self._slots)

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        """Yield a completion for each sample of each request; see `Model.complete`."""

        async def answers() -> AsyncGenerator[list[Completion], None]:
            async with aclosing(self._ask("complete", requests)) as blocks:
                async for block, results, error in blocks:
                    if results is None:
                        reason = FinishReason.UNREACHABLE
                        failed = (Completion.failures(request, error, reason) for request in block)
                        yield [completion for completions in failed for completion in completions]
                    else:
                        yield results

        async with aclosing(self._model.screened(answers())) as completions:
            async for completion in completions:
                yield completion

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        """Yield the log-probabilities of given texts; see `Model.score`."""
        async with aclosing(self._ask("score", texts)) as blocks:
            async for _, results, error in blocks:
                if results is None:
                    raise ModelError(error)
                for scored in results:
                    yield scored

    async def close(self) -> None:
        """End the engines and release their resources."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        endings = [slot.actor.close.remote() for slot in self._slots if slot.ready]
        with suppress(Exception):
            await asyncio.wait_for(asyncio.gather(*endings, return_exceptions=True), STOP_SECONDS)
        for slot in self._slots:
            self._discard(slot)
            if slot.resources is not None:
                self._ray.util.remove_placement_group(slot.resources)
                slot.resources = None
        self._started = False
        await self._model.close()

    # --- requests ---

    async def _ask(
        self, method: str, items: AsyncIterator[Any]
    ) -> AsyncGenerator[tuple[list[Any], list[Any] | None, str], None]:
        """Yield blocks of items with results, or with None and the failure of the engines."""
        await self._start()

        async def ask(block: list[Any]) -> tuple[list[Any], list[Any] | None, str]:
            deaths, blamed = 0, self._blamed
            while deaths < MAX_TRIES:
                alone = deaths == MAX_TRIES - 1
                slot = await self._free(alone=alone)
                if blamed != self._blamed:  # it may have died of another
                    deaths, blamed = 0, self._blamed
                actor = slot.actor
                slot.busy += 1
                try:
                    results = await actor.answer.remote(method, block)
                    self._deaths = 0
                    return block, results, ""
                except (self._ray.exceptions.RayActorError, EngineDiedError) as error:
                    deaths += 1
                    self._lost(slot, actor, error)
                except self._ray.exceptions.RayTaskError as error:
                    # Ray's copy of a `ModelError` has the remote traceback as its text.
                    if isinstance(cause := error.cause, ModelError):
                        raise ModelError(str(cause)) from None
                    raise ModelError(f"model {self._model.spec}: {line_of(error)}") from None
                finally:
                    if slot.actor is actor:
                        slot.busy -= 1
                        slot.reserved = slot.reserved and not alone
                    async with self._changed:
                        self._changed.notify_all()
            self._blamed += 1
            return block, None, f"{MAX_TRIES} engines died with this request: {self._why}"

        size, at_once = self._placement.block, self._placement.at_once
        concurrency = max(1, at_once // size) * len(self._slots)
        async with aclosing(ask_each(batches(items, size), ask, concurrency)) as results:
            async for result in results:
                yield result

    async def _free(self, *, alone: bool = False) -> _Slot:
        """Wait for a free engine, and return the engine with the fewest requests.

        With ``alone``, the engine is reserved and has no other requests.
        """
        max_busy = max(1, self._placement.at_once // self._placement.block)
        mine: _Slot | None = None
        async with self._changed:
            while self._deaths < MAX_DEATHS and any(slot.actor for slot in self._slots):
                ready = [slot for slot in self._slots if slot.ready]
                free = [slot for slot in ready if not slot.reserved]
                if mine is not None and not (mine.ready and mine.reserved):
                    mine = None  # it has died meanwhile
                if mine is None and free:
                    least_busy = min(free, key=lambda slot: slot.busy)
                    if not alone and least_busy.busy < max_busy:
                        return least_busy
                    if alone:
                        mine, least_busy.reserved = least_busy, True
                if mine is not None and not mine.busy:
                    return mine
                try:
                    async with asyncio.timeout(None if ready else START_SECONDS):
                        await self._changed.wait()
                except TimeoutError:
                    self._why = f"none started in {START_SECONDS:g} s, as their GPUs are not free"
                    break
        raise ModelError(
            f"model {self._model.spec}: no engine is left: {self._why}; what was answered is "
            "stored, and the same command goes on from there"
        )

    # --- engines ---

    async def _start(self) -> None:
        """Start the engines, and wait for the first."""
        if self._started:
            return
        for slot in self._slots:
            if slot.group.bundles:
                bundles = [{"GPU": gpus} for gpus in slot.group.bundles]
                slot.resources = self._ray.util.placement_group(bundles, slot.group.strategy)
            self._begin(slot)
        self._started = True
        await self._free()

    def _begin(self, slot: _Slot) -> None:
        strategies = self._ray.util.scheduling_strategies
        gpus = 0
        if slot.resources is None:
            strategy = strategies.NodeAffinitySchedulingStrategy(slot.node, soft=True)
        else:
            strategy = strategies.PlacementGroupSchedulingStrategy(
                slot.resources, 0, placement_group_capture_child_tasks=True
            )
            gpus = slot.group.bundles[0] if len(slot.group.bundles) == 1 else 0
        # No CPUs are reserved: the workers that judge and solve need all of them.
        engine = self._ray.remote(Engine).options(
            num_cpus=0,
            num_gpus=gpus,
            scheduling_strategy=strategy,
            max_concurrency=self._placement.at_once + 8,
        )
        model = self._model.one_engine(spread=len(slot.group.bundles) > 1)
        slot.actor = engine.remote(model, str(Path.cwd()))
        task = asyncio.create_task(self._join(slot, slot.actor))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _join(self, slot: _Slot, actor: Any) -> None:
        """Wait for the start of an engine, and make the engine available."""
        try:
            about = await actor.about.remote()
        except Exception as error:
            slot.failures += 1
            self._lost(slot, actor, error)
        else:
            if about == our_version():
                slot.ready, slot.failures = True, 0
            else:
                self._why = f"a node has another version ({about}) than here ({our_version()})"
                self._discard(slot)
        async with self._changed:
            self._changed.notify_all()

    def _lost(self, slot: _Slot, actor: Any, error: Exception) -> None:
        """Replace a dead engine, unless already replaced or unable to start."""
        self._why = line_of(error)
        if slot.actor is not actor:
            return
        self._deaths += slot.ready
        self._discard(slot)
        if slot.failures < MAX_TRIES:
            self._begin(slot)

    def _discard(self, slot: _Slot) -> None:
        if slot.actor is not None:
            with suppress(Exception):
                self._ray.kill(slot.actor)
        slot.actor, slot.ready, slot.busy, slot.reserved = None, False, 0, False
