"""The base class of models: a stream of requests in, a stream of completions out."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ...prompts.rendering import Rendered
from ..core.errors import ModelError
from ..core.prices import Price
from ..core.requests import Completion, Request, digest
from .placement import Placement

RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")


def operational(default: Any, **metadata: Any) -> Any:
    """A dataclass field for a setting that does not change completions, as concurrency.

    Args:
        default: the default.
        metadata: the metadata of the field.

    Returns:
        The field.

    >>> @dataclass(frozen=True, kw_only=True)
    ... class Settings:
    ...     concurrency: int = operational(8)
    >>> Settings().concurrency
    8

    """
    return field(default=default, metadata={"operational": True} | metadata)


class Capability(StrEnum):
    """A feature of some kinds of model. A sweep checks the needed features before its first
    request.

    >>> str(Capability.TOP_K)
    'top-k'
    """

    CHAT = "chat prompts"
    PICTURES = "pictures in prompts"
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
    """A text to score: the log-probability after a prompt is computed.

    Attributes:
        key: The caller's key of the result.
        prompt: The prompt, which precedes the text.
        text: The text to score.

    >>> from calculus_harness.prompts import Rendered
    >>> Continuation("p1", Rendered(text="int 2x dx ="), " x^2").text
    ' x^2'

    """

    key: str
    prompt: Rendered
    text: str


@dataclass(frozen=True, slots=True)
class Scored:
    """The log-probability of a `Continuation`, in nats.

    Attributes:
        key: The key of the continuation.
        token_logprobs: The log-probability of each token; empty for a text that cannot be scored.
        ended: Whether the last token is an end-of-text token.
        detail: Why the text cannot be scored.

    >>> Scored("p1", (-0.5, -0.25)).logprob
    -0.75

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
    """A model. A subclass is a frozen dataclass with the options of ``-M key=value`` as fields.

    An option's name has hyphens where the field's has underscores. The model's identity (`config`,
    `hash`) consists of the fields that are not `operational`, and of `fingerprint`.

    Attributes:
        spec: the name on the command line, as in ``solver/sympy``.

    >>> from calculus_harness.harness.models import create
    >>> create("solver/sympy").time_limit
    10.0

    """

    spec: str

    #: An example command, shown by `run.py ls models`.
    example: ClassVar[str] = ""
    #: The name of a field that collects options without a field of their own, as sorted pairs of
    #: strings, for a program; empty for none.
    passes_on: ClassVar[str] = ""

    @abstractmethod
    def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        """Yield a completion for each sample of each request, in order of completion.

        Requests are drawn only as fast as the model can take them. Closing the stream early ends
        all work on drawn requests.

        Args:
            requests: the requests.

        Yields:
            The completions.

        Raises:
            ModelError: No request can be answered (a wrong key, a server that is down).

        """

    @property
    def name_in_spec(self) -> str:
        """The spec without the kind: a name at a server or on a hub, or a path."""
        return self.spec.partition("/")[2]

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The model's features beyond plain sampling."""
        return frozenset({Capability.CHAT, Capability.TEXT})

    @property
    def deterministic(self) -> bool:
        """Whether every answer to a problem is the same: the model is asked once, whatever -n."""
        return False

    def hint(self, lacking: Collection[Capability]) -> str:
        """Return advice on missing features, as the end of a message: "; ...".

        Args:
            lacking: the features that a sweep needs and the model lacks.

        Returns:
            The end of the message; empty without advice.

        """
        return ""

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        """Yield the log-probabilities of given texts (teacher forcing), in any order.

        Args:
            texts: the texts.

        Yields:
            The log-probabilities.

        Raises:
            ModelError: The model lacks `Capability.SCORING`, or no text can be scored.

        """
        raise ModelError(f"{self.spec} has no {Capability.SCORING}")
        yield  # makes it a generator, as in subclasses

    @property
    def placement(self) -> Placement | None:
        """The needs of engines on a cluster; None for models without engines, as APIs."""
        return None

    def one_engine(self, *, spread: bool) -> Model:
        """Return the model as a single engine on a cluster.

        Args:
            spread: whether the engine has GPUs of several nodes.

        Returns:
            The model.

        """
        return replace(self)

    async def screened(
        self, answers: AsyncIterator[list[Completion]]
    ) -> AsyncGenerator[Completion, None]:
        """Yield the completions of answers; a kind may hold completions back while all have failed.

        Args:
            answers: the completions of each request.

        Yields:
            The completions.

        """
        async for completions in answers:
            for completion in completions:
                yield completion

    async def close(self) -> None:  # noqa: B027 (most kinds have nothing to close)
        """Release all state between calls of `complete` and `score` (weights, servers)."""

    def count_tokens(self, prompt: Rendered) -> int | None:
        """Return a prompt's number of tokens; None if only the model's server has the tokenizer.

        Args:
            prompt: the prompt.

        Returns:
            The number of tokens.

        """
        return None

    def price(self) -> Price | None:
        """Return the price of tokens, if the kind knows the price; a user's file of prices has
        precedence.

        Returns:
            The price; None by default.

        """
        return None

    def with_state(self, directory: Path) -> Model:
        """Return the model with a directory for state that survives a restart.

        Args:
            directory: the model's directory in the run.

        Returns:
            The model.

        """
        return self

    def fingerprint(self) -> dict[str, Any]:
        """Return further identifying properties: a library's version, a file's hash.

        Returns:
            The properties, as JSON values, to be hashed with the options.

        """
        return {}

    @property
    def config(self) -> dict[str, Any]:
        """All properties with a possible effect on the model's completions, as JSON values."""
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
        """The spec, and the options with values other than the defaults."""
        changed = [f"{name}={value}" for name, value in self._changed()]
        return f"{self.spec} ({', '.join(changed)})" if changed else self.spec

    def _changed(self) -> list[tuple[str, Any]]:
        """The identifying options with values other than the defaults, by command-line name."""
        return [
            (item.name.replace("_", "-"), getattr(self, item.name))
            for item in fields(self)
            if item.name != "spec"
            and not item.metadata.get("operational")
            and item.default is not MISSING
            and getattr(self, item.name) != item.default
        ]


async def ask_each(
    requests: AsyncIterator[RequestT],
    ask: Callable[[RequestT], Awaitable[ResultT]],
    concurrency: int,
) -> AsyncGenerator[ResultT, None]:
    """Run a coroutine function on each request, ``concurrency`` at once: a helper for `complete`.

    Drawing the next request may wait for a result that is yielded here. A slow consumer holds the
    workers back. When ``ask`` or the stream of requests raises, no further request is drawn,
    running requests are finished and their results yielded, and then the first error is raised.

    Args:
        requests: The requests.
        ask: Answers a request.
        concurrency: The largest number of running requests.

    Returns:
        A stream of the results, in order of completion.

    Raises:
        Exception: the first exception of ``ask`` or of the stream of requests.

    >>> import asyncio
    >>> from calculus_harness.harness.core.asynchronous import stream
    >>> async def double(number: int) -> int:
    ...     return 2 * number
    >>> async def collect() -> list[int]:
    ...     return [result async for result in ask_each(stream([1, 2, 3]), double, 2)]
    >>> sorted(asyncio.run(collect()))
    [2, 4, 6]

    """
    # A fixed number of workers: a task for each request would cost more.
    results: asyncio.Queue[ResultT | None] = asyncio.Queue(concurrency)
    lock = asyncio.Lock()
    errors: list[Exception] = []
    drawing: asyncio.Task[None] | None = None
    exhausted = False

    async def draw() -> RequestT | None:
        nonlocal drawing, exhausted
        async with lock:
            if exhausted or errors:
                return None
            drawing = asyncio.current_task()
            try:
                request = await anext(requests, None)
            finally:
                drawing = None
            exhausted = request is None
        return request

    async def work() -> None:
        try:
            while (request := await draw()) is not None:
                await results.put(await ask(request))
        except Exception as error:
            errors.append(error)
            if drawing is not None:
                drawing.cancel()  # it may wait for the result of the request that failed

    async def work_all() -> None:
        await asyncio.gather(*(work() for _ in range(concurrency)), return_exceptions=True)
        await results.put(None)

    workers = asyncio.create_task(work_all())
    try:
        while (result := await results.get()) is not None:
            yield result
    finally:
        workers.cancel()
        await asyncio.gather(workers, return_exceptions=True)
    if errors:
        raise errors[0]
