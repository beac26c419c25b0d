"""Log-probabilities of given texts (teacher forcing), by servers with an echo of the prompt.

With vLLM's server prompt and text are tokenized separately and sent as tokens, as a completion
follows the prompt. Other servers get prompt and text as a single string; the tokens must have a
boundary at the beginning of the text.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ..base import Continuation, Scored
from .errors import RefusedError, UnavailableError, unreadable
from .session import OnlineModel, ServerSession

T = TypeVar("T")

#: The number of prompts with cached tokens; many texts may share a prompt.
CACHED_PROMPTS = 256


@dataclass(frozen=True, slots=True)
class Echo:
    """A server's echo: the tokens of a text, as strings, with log-probabilities."""

    text: str
    tokens: tuple[str, ...]
    logprobs: tuple[float | None, ...]
    #: The character offset of each token, by the server's count.
    offsets: tuple[int, ...]


class EchoScorer:
    """Scores texts at a server; the server's ``end_token`` (an id, or -1) follows each text."""

    def __init__(self, session: ServerSession[OnlineModel], end_token: int) -> None:
        self.session, self.model, self.end_token = session, session.model, end_token
        self._prompts: dict[Rendered, asyncio.Task[list[int]]] = {}

    async def score(self, item: Continuation) -> Scored:
        """Return the log-probabilities of a text's tokens after the prompt."""
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
        prefix = item.prompt.text
        # The one new token is ignored: some servers take a limit of 0 for no limit.
        body = self.model.echo_body(prefix + item.text, max_tokens=1)
        echo = await self._post("/completions", body, len(prefix + item.text) / 4, parse_echo)
        logprobs = text_logprobs(echo, prefix, item.text)
        if logprobs is None:
            raise self._no_echo()
        if not logprobs:
            merged = "the server's tokenizer merges its beginning with the end of the prompt"
            return Scored(item.key, (), detail=merged)
        return Scored(item.key, logprobs)

    async def _by_tokens(self, item: Continuation) -> Scored:
        text: list[int] = []
        if item.text:
            text = await self._tokenize({"prompt": item.text, "add_special_tokens": False})
        if self.end_token >= 0:
            text.append(self.end_token)
        if not text:
            return Scored(item.key, ())
        # Prompt and text are tokenized apart, as a completion follows a prompt.
        prompt = await self._prompt_tokens(item.prompt)
        body = self.model.echo_body(prompt + text, max_tokens=0)
        echo = await self._post("/completions", body, len(prompt) + len(text), parse_echo)
        if len(echo.logprobs) != len(prompt) + len(text):
            raise self._no_echo()
        logprobs = tuple(float(value or 0) for value in echo.logprobs[len(prompt) :])
        return Scored(item.key, logprobs, ended=self.end_token >= 0)

    def _no_echo(self) -> ModelError:
        return ModelError(f"model {self.model.spec}: the server does not echo what it is given")

    async def _prompt_tokens(self, prompt: Rendered) -> list[int]:
        if prompt not in self._prompts:
            while len(self._prompts) >= CACHED_PROMPTS:
                del self._prompts[next(iter(self._prompts))]
            tokens = self._tokenize(self.model.tokenize_body(prompt))
            self._prompts[prompt] = asyncio.create_task(tokens)
        return await self._prompts[prompt]

    async def _tokenize(self, body: dict[str, Any]) -> list[int]:
        root = self.model.url.removesuffix("/v1")
        body = {"model": self.model.name} | body
        return await self._post(f"{root}/tokenize", body, 0, _parse_tokens)

    async def _post(
        self, path: str, body: dict[str, Any], tokens: float, parse: Callable[[bytes], T]
    ) -> T:
        """`Session.post`, where a failure stops the scoring."""
        try:
            result, _, _ = await self.session.post(path, body, tokens, parse)
        except (RefusedError, UnavailableError) as error:
            raise ModelError(f"model {self.model.spec}: {error}") from None
        self.session.limiter.succeeded()
        return result


def parse_echo(content: bytes) -> Echo:
    """Parse the body of a response; raises `UnavailableError` without an echo."""
    try:
        choice = json.loads(content)["choices"][0]
        details = choice["logprobs"]
        values = details["token_logprobs"]
        logprobs = tuple(None if value is None else float(value) for value in values)
        if None in logprobs[1:]:
            raise ValueError("a token has no log-probability")
        tokens, offsets = details.get("tokens") or (), details.get("text_offset") or ()
        return Echo(
            str(choice.get("text", "")), tuple(map(str, tokens)), logprobs, tuple(map(int, offsets))
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable(error) from None


def _parse_tokens(content: bytes) -> list[int]:
    try:
        return [int(token) for token in json.loads(content)["tokens"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise unreadable(error) from None


def text_logprobs(echo: Echo, prefix: str, text: str) -> tuple[float, ...] | None:
    """Return the log-probabilities of the tokens of ``text`` after ``prefix``.

    Returns None for an echo of another text; empty if no token begins at ``text``.
    """
    starts = _token_starts(echo, prefix + text)
    if starts is None:
        return None
    # Tokens without text, such as a beginning-of-text token, belong to neither part.
    tokens = [
        (start, logprob)
        for start, token, logprob in zip(starts, echo.tokens, echo.logprobs, strict=True)
        if token
    ]
    start_of_text, end = len(prefix), len(prefix) + len(text)
    if start_of_text not in (start for start, _ in tokens):
        return ()
    return tuple(logprob or 0.0 for start, logprob in tokens if start_of_text <= start < end)


def _token_starts(echo: Echo, text: str) -> Sequence[int] | None:
    """Return the offset of each token in ``text``; negative for tokens of the prefix.

    Computed from the lengths of tokens if the tokens spell ``text``, else (a token is a part of a
    character) from the server's offsets.
    """
    if len(echo.tokens) != len(echo.logprobs):
        return None
    offset_of_text = "".join(echo.tokens).find(text)
    if offset_of_text >= 0:
        return list(accumulate(map(len, echo.tokens[:-1]), initial=-offset_of_text))
    offset_of_text = echo.text.find(text)
    if offset_of_text >= 0 and len(echo.offsets) == len(echo.tokens):
        return [offset - offset_of_text for offset in echo.offsets]
    return None
