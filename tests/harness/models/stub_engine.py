"""A model that runs as engines on a cluster, and dies when it is told to."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from calculus_harness.harness.core.requests import Completion, Request
from calculus_harness.harness.models.base import Model, operational
from calculus_harness.harness.models.placement import Placement


@dataclass(frozen=True, kw_only=True)
class StubEngine(Model):
    """Says the seed, its process and its GPUs. ``deadly`` is a seed that kills the process.

    With ``once``, a file that is made then, only the first process dies of it. With ``roll``, a
    folder, answers wait until so many processes as there should be ``engines`` are in it.
    """

    gpus: int = operational(1)
    engines: int = operational(0)
    deadly: int = operational(-1)
    once: str = operational("")
    roll: str = operational("")

    @property
    def placement(self) -> Placement:
        return Placement(gpus=self.gpus, engines=self.engines or None, at_once=4)

    def _all_there(self) -> None:
        (Path(self.roll) / str(os.getpid())).touch()
        while len(list(Path(self.roll).iterdir())) < self.engines:
            time.sleep(0.02)

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for request in requests:
            if request.seed == self.deadly:
                self._die()
            if self.roll:
                await asyncio.to_thread(self._all_there)
            gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "")
            for sample in request.samples:
                yield Completion.to(request, f"{request.seed} {os.getpid()} {gpus}", sample=sample)

    def _die(self) -> None:
        if self.once:
            try:
                Path(self.once).touch(exist_ok=False)
            except FileExistsError:
                return
        os.kill(os.getpid(), signal.SIGKILL)
