"""Log-probabilities of given texts, by servers that echo what they are given (teacher forcing).

vLLM's server also tells its tokens: prompt and text are sent as tokens, made apart, so that the
text follows the prompt as an answer would. Other servers are sent both as one text, and its tokens
must begin where the text does.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ..base import Continuation, Scored
from .protocol import RefusedError, UnavailableError, unreadable

if TYPE_CHECKING:
    from .client import Server

Parsed = TypeVar("Parsed")

#: Prompts whose tokens are remembered: many texts may share one.
PROMPTS = 256


@dataclass(frozen=True, slots=True)
class Echo:
    """What a server sends back: the pieces of a text and the log-probability of each."""

    text: str
    tokens: tuple[str, ...]
    logprobs: tuple[float | None, ...]
    #: Where each piece begins, as the server counts.
    offsets: tuple[int, ...]


class Scorer:
    """Scores texts, one at a time, at a server that is being asked."""

    def __init__(self, server: Server) -> None:
        self.server, self.model = server, server.model
        self._prompts: dict[Rendered, asyncio.Task[list[int]]] = {}

    async def score(self, item: Continuation) -> Scored:
        """The log-probabilities of a text's tokens, as they follow the prompt's."""
        if self.model.server == "vllm":
            return await self._by_tokens(item)
        return await self._by_text(item)

    async def _by_text(self, item: Continuation) -> Scored:
        if item.prompt.messages:
            raise ModelError(
                f"model {self.model.spec}: what follows a chat can be scored by servers of vLLM "
                "only (-M server=vllm), elsewhere what follows a text (--prompt completion)"
            )
        if not item.text:
            return Scored(item.key, ())
        before = item.prompt.text
        # One more token is asked for and passed over: to some servers, none at all means no limit.
        body = self.model.echoing(before + item.text, new=1)
        found = await self._demand("/completions", body, len(before + item.text) / 4, read_echo)
        logprobs = following(found, before, item.text)
        if logprobs is None:
            raise self._deaf()
        if not logprobs:
            merged = "the server's tokenizer merges its beginning with the end of the prompt"
            return Scored(item.key, (), detail=merged)
        return Scored(item.key, logprobs)

    async def _by_tokens(self, item: Continuation) -> Scored:
        text: list[int] = []
        if item.text:
            text = await self._tokenise({"prompt": item.text, "add_special_tokens": False})
        if self.model.end_token >= 0:
            text.append(self.model.end_token)
        if not text:
            return Scored(item.key, ())
        prompt = await self._tokens_of(item.prompt)
        body = self.model.echoing(prompt + text, new=0)
        found = await self._demand("/completions", body, len(prompt) + len(text), read_echo)
        if len(found.logprobs) != len(prompt) + len(text):
            raise self._deaf()
        logprobs = tuple(float(value or 0) for value in found.logprobs[len(prompt) :])
        return Scored(item.key, logprobs, ended=self.model.end_token >= 0)

    def _deaf(self) -> ModelError:
        return ModelError(f"model {self.model.spec}: the server does not echo what it is given")

    async def _tokens_of(self, prompt: Rendered) -> list[int]:
        """A prompt's tokens; many texts may share it."""
        if prompt not in self._prompts:
            while len(self._prompts) >= PROMPTS:
                del self._prompts[next(iter(self._prompts))]
            asking = self._tokenise(self.model.tokenised(prompt))
            self._prompts[prompt] = asyncio.create_task(asking)
        return await self._prompts[prompt]

    async def _tokenise(self, body: dict[str, Any]) -> list[int]:
        root = self.model.url.removesuffix("/v1")
        path = f"{root}/tokenize"
        return await self._demand(path, {"model": self.model.name} | body, 0, _read_tokens)

    async def _demand(
        self, path: str, body: dict[str, Any], tokens: float, parse: Callable[[bytes], Parsed]
    ) -> Parsed:
        """Like `Server.post`, where nothing but an answer will do."""
        try:
            found, _, _ = await self.server.post(path, body, tokens, parse)
        except (RefusedError, UnavailableError) as error:
            raise ModelError(f"model {self.model.spec}: {error}") from None
        self.server.pace.answered()
        return found


def read_echo(content: bytes) -> Echo:
    """An echo from the bytes of a response. Raises `UnavailableError` where it is none."""
    try:
        choice = json.loads(content)["choices"][0]
        found = choice["logprobs"]
        values = found["token_logprobs"]
        logprobs = tuple(None if value is None else float(value) for value in values)
        if None in logprobs[1:]:
            raise ValueError("a token has no log-probability")
        tokens, offsets = found.get("tokens") or (), found.get("text_offset") or ()
        return Echo(
            str(choice.get("text", "")), tuple(map(str, tokens)), logprobs, tuple(map(int, offsets))
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable(error) from None


def _read_tokens(content: bytes) -> list[int]:
    try:
        return [int(token) for token in json.loads(content)["tokens"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise unreadable(error) from None


def following(echo: Echo, before: str, text: str) -> tuple[float, ...] | None:
    """The log-probabilities of those tokens that make up ``text``, which follows ``before``.

    None where these texts are not what was echoed; nothing where no token begins between them.
    """
    starts = _starts(echo, before + text)
    if starts is None:
        return None
    # Pieces without any text, such as the mark of a beginning, belong to neither.
    begun = [
        (start, logprob)
        for start, token, logprob in zip(starts, echo.tokens, echo.logprobs, strict=True)
        if token
    ]
    first, end = len(before), len(before) + len(text)
    if first not in (start for start, _ in begun):
        return ()
    return tuple(logprob or 0.0 for start, logprob in begun if first <= start < end)


def _starts(echo: Echo, whole: str) -> Sequence[int] | None:
    """Where the tokens begin in what was sent; below zero before it.

    By their lengths, if they spell it, whatever is before and after. Tokens of some bytes of a
    character do not: then by what the server says.
    """
    if len(echo.tokens) != len(echo.logprobs):
        return None
    place = "".join(echo.tokens).find(whole)
    if place >= 0:
        return list(accumulate(map(len, echo.tokens[:-1]), initial=-place))
    place = echo.text.find(whole)
    if place >= 0 and len(echo.offsets) == len(echo.tokens):
        return [offset - place for offset in echo.offsets]
    return None
