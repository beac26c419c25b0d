"""What a model is: something that turns a stream of requests into a stream of completions."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar

from harness.requests import Completion, Request, digest


def operational(default: Any, **metadata: Any) -> Any:
    """A dataclass field for a setting that cannot change what a model says (concurrency, say)."""
    return field(default=default, metadata={"operational": True} | metadata)


@dataclass(frozen=True, kw_only=True)
class Model(ABC):
    """One way to reach a model. A subclass is a frozen dataclass whose fields are its options.

    ``spec`` is the name that it was asked for by, as in ``solver/sympy``. All other fields can be
    set with ``-M key=value`` (underscores as hyphens); those that are not `operational` are part of
    the model's identity, with whatever `fingerprint` adds.
    """

    spec: str

    #: A command line that works, for `run.py ls models`.
    example: ClassVar[str] = ""

    @abstractmethod
    def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        """Answer every request once, in any order, each as soon as it is finished.

        Requests are drawn as fast as the model can take them and no faster. When the consumer
        closes the stream early, whatever was started for it is ended.
        """

    def fingerprint(self) -> dict[str, Any]:
        """What else identifies this model: a library's version, the hash of a file."""
        return {}

    @property
    def config(self) -> dict[str, Any]:
        """All that could change what the model says."""
        options = {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if not item.metadata.get("operational")
        }
        return options | self.fingerprint()

    @property
    def hash(self) -> str:
        return digest(self.config)

    @property
    def label(self) -> str:
        """The spec, with the options that are not at their defaults."""
        changed = [
            f"{item.name.replace('_', '-')}={getattr(self, item.name)}"
            for item in fields(self)
            if item.name != "spec"
            and not item.metadata.get("operational")
            and item.default is not MISSING
            and getattr(self, item.name) != item.default
        ]
        return f"{self.spec} ({', '.join(changed)})" if changed else self.spec


async def ask_each(
    requests: AsyncIterator[Request],
    ask: Callable[[Request], Awaitable[Completion]],
    concurrency: int,
) -> AsyncGenerator[Completion, None]:
    """`Model.complete` for models that answer one request at a time, ``concurrency`` at once."""
    running: set[asyncio.Future[Completion]] = set()
    # Drawn in a task of its own: the next request may wait for a completion that is yielded here.
    drawing: asyncio.Future[Request | None] | None = None
    drained = False
    try:
        while True:
            if drawing is None and not drained and len(running) < concurrency:
                drawing = asyncio.ensure_future(_draw(requests))
            waiting: set[asyncio.Future[Any]] = set(running)
            if drawing is not None:
                waiting.add(drawing)
            if not waiting:
                return
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if drawing is not None and drawing in done:
                request, drawing = drawing.result(), None
                if request is None:
                    drained = True
                else:
                    running.add(asyncio.ensure_future(ask(request)))
            for task in [task for task in running if task in done]:
                running.remove(task)
                yield task.result()
    finally:
        unfinished: list[asyncio.Future[Any]] = [*running]
        if drawing is not None:
            unfinished.append(drawing)
        for future in unfinished:
            future.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)


async def _draw(requests: AsyncIterator[Request]) -> Request | None:
    return await anext(requests, None)
