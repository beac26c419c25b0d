"""What a model is: something that turns a stream of requests into a stream of completions."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ...prompts.rendering import Rendered
from ..core.errors import ModelError
from ..core.requests import Completion, Request, digest

Question = TypeVar("Question")
Answer = TypeVar("Answer")


def operational(default: Any, **metadata: Any) -> Any:
    """A dataclass field for a setting that cannot change what a model says (concurrency, say)."""
    return field(default=default, metadata={"operational": True} | metadata)


class Capability(StrEnum):
    """What not every kind of model can do; a sweep that needs it says so before it asks."""

    CHAT = "chat prompts"
    TEXT = "text prompts (no chat)"
    TOP_K = "top-k"
    MIN_P = "min-p"
    SEED = "seeds"
    GROUPED = "several samples in one request"
    BEAMS = "beam search"
    LOGPROBS = "log-probabilities of a completion"
    SCORING = "log-probabilities of a given text"


@dataclass(frozen=True, slots=True)
class Continuation:
    """A text whose probability after a prompt is asked for, under a key of the asker's."""

    key: str
    prompt: Rendered
    text: str


@dataclass(frozen=True, slots=True)
class Scored:
    """The log-probability of a continuation, in nats, token by token and summed.

    The end of the text counts where ``ended`` says so: its token is then the last. A text that
    cannot be scored has no log-probabilities, and ``detail`` says why.
    """

    key: str
    token_logprobs: tuple[float, ...]
    ended: bool = False
    detail: str = ""

    @property
    def logprob(self) -> float:
        return sum(self.token_logprobs)


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
    #: The field, if any, that takes the options that are no fields, as sorted pairs of strings: for
    #: what a kind passes on to something that it starts.
    passes_on: ClassVar[str] = ""

    @abstractmethod
    def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        """Answer every sample of every request once, in any order, each as soon as it is finished.

        Requests are drawn as fast as the model can take them and no faster. When the consumer
        closes the stream early, whatever was started for it is ended.
        """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can do beyond sampling an answer to a chat or a text."""
        return frozenset({Capability.CHAT, Capability.TEXT})

    def hint(self, lacking: Collection[Capability]) -> str:
        """How this model might be set up to do what it lacks: "; ..." to end a message with."""
        return ""

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        """The log-probabilities of given texts (teacher forcing), in any order."""
        raise ModelError(f"{self.spec} has no {Capability.SCORING}")
        yield  # a generator, like those of the models that can

    async def close(self) -> None:  # noqa: B027 (most kinds have nothing to end)
        """End what `complete` and `score` have started and left for their next call."""

    def count_tokens(self, prompt: Rendered) -> int | None:
        """How many tokens a prompt is for this model, where that can be told without asking it."""
        return None

    def at(self, state: Path) -> Model:
        """The same model, which may keep under ``state`` what it needs to go on after a restart."""
        return self

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
        changed = [f"{name}={value}" for name, value in self._changed()]
        return f"{self.spec} ({', '.join(changed)})" if changed else self.spec

    def _changed(self) -> list[tuple[str, Any]]:
        """The options, as the command line names them, that make this model what it is."""
        return [
            (item.name.replace("_", "-"), getattr(self, item.name))
            for item in fields(self)
            if item.name != "spec"
            and not item.metadata.get("operational")
            and item.default is not MISSING
            and getattr(self, item.name) != item.default
        ]


async def ask_each(
    requests: AsyncIterator[Question],
    ask: Callable[[Question], Awaitable[Answer]],
    concurrency: int,
) -> AsyncGenerator[Answer, None]:
    """`Model.complete` for models that answer one request at a time, ``concurrency`` at once.

    The next request may wait for a completion that is yielded here. Where asking or drawing fails,
    nothing more is asked; what is under way is finished and yielded, so that no answer is lost, and
    then the first error is raised. Answers wait for the consumer, and the askers for them.
    """
    # So many askers live as long as the stream: a task for each request would cost more.
    answers: asyncio.Queue[Answer | None] = asyncio.Queue(concurrency)
    turn = asyncio.Lock()
    errors: list[Exception] = []
    drawing: asyncio.Task[None] | None = None
    drained = False

    async def draw() -> Question | None:
        nonlocal drawing, drained
        async with turn:
            if drained or errors:
                return None
            drawing = asyncio.current_task()
            try:
                request = await anext(requests, None)
            finally:
                drawing = None
            drained = request is None
        return request

    async def work() -> None:
        try:
            while (request := await draw()) is not None:
                await answers.put(await ask(request))
        except Exception as error:
            errors.append(error)
            if drawing is not None:
                drawing.cancel()  # it may wait for the answer that will not come

    async def work_all() -> None:
        await asyncio.gather(*(work() for _ in range(concurrency)), return_exceptions=True)
        await answers.put(None)

    working = asyncio.create_task(work_all())
    try:
        while (answer := await answers.get()) is not None:
            yield answer
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    if errors:
        raise errors[0]
