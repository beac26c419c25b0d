"""An engine: a model in a separate process on a node, as a Ray actor."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import Any

from ....rewards.workers.ray_connection import our_version
from ...core.asynchronous import stream
from ..base import Model

#: A method for a block of requests: `Model.complete` or `Model.score`.
Method = Callable[[AsyncIterator[Any]], AsyncGenerator[Any, None]]


class Engine:
    """The methods of the actor. ``folder`` is where relative paths of the model start."""

    def __init__(self, model: Model, folder: str) -> None:
        with contextlib.suppress(OSError):  # not on this node: paths may be absolute
            os.chdir(folder)
        self._model = model

    async def about(self) -> str:
        return our_version()

    async def answer(self, method: str, block: Sequence[Any]) -> list[Any]:
        ask: Method = getattr(self._model, method)
        return [result async for result in ask(stream(block))]

    async def close(self) -> None:
        await self._model.close()
