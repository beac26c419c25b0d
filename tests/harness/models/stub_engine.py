"""A model with engines on a cluster that die on request."""

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
    """Answers with the seed, the process and the GPUs. ``deadly`` is a seed that kills the process.

    With ``once``, the name of a file, only the first process dies and writes the file. With
    ``roll``, a folder, answers wait until ``engines`` processes have registered in the folder.
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
