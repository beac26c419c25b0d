"""Models behind servers with the OpenAI protocol: `openai/NAME`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ...core.errors import ModelError
from ...core.requests import Completion, Request
from ..base import Capability, Continuation, Scored, ask_each, operational
from .probe import probe
from .scoring import EchoScorer
from .session import OnlineModel, open_session


@dataclass(frozen=True, kw_only=True)
class OpenAIModel(OnlineModel):
    """A model behind a server that speaks the OpenAI protocol (chat or completions).

    At most ``concurrency`` requests run at once, fewer while the server is overloaded, and no more
    per minute than ``requests-per-minute`` and ``tokens-per-minute`` (0: no limit). An attempt may
    take ``request-timeout`` seconds. Faults of the network or the server are retried up to
    ``retries`` times, after pauses of ``pause`` seconds, which double as long as the server answers
    nothing; exceeding a rate limit is not a fault. After ``time-limit`` seconds a request is given
    up until the sweep is resumed. A probe request for one token precedes the sweep, which stops if
    the probe has no answer within ``probe`` seconds (0: no probe). ``echo=true`` says that the
    server returns the log-probabilities of a prompt (vLLM always does).
    """

    echo: bool = operational(False)
    end_token: int = operational(-1)  # id of the end-of-text token, to score it too

    example: ClassVar[str] = (
        "run.py sweep --model openai/Qwen3-8B -M base-url=http://127.0.0.1:8000/v1 "
        "-M server=vllm --benchmark bee"
    )

    @cached_property
    def _answered(self) -> list[bool]:
        """Empty until the server has answered a probe."""
        return []

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        first_request = await anext(requests, None)
        if first_request is None:
            return
        async with open_session(self) as session:
            if not self._answered:  # not for later rounds of a budget and later stages
                await probe(session, first_request)
                self._answered.append(True)
            every = _chain(first_request, requests)
            async with aclosing(ask_each(every, session.answer, self.concurrency)) as results:
                async for completions in results:
                    for completion in completions:
                        yield completion
            session.log_repeated()

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities | ({Capability.SCORING} if self.echo else set())

    def hint(self, lacking: Collection[Capability]) -> str:
        hint = super().hint(lacking)
        if hint and Capability.SCORING in lacking:
            hint += ", and others that echo log-probabilities: -M echo=true"
        return hint

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        if Capability.SCORING not in self.capabilities:
            lacking = f"model {self.spec} has no {Capability.SCORING}"
            raise ModelError(lacking + self.hint({Capability.SCORING}))
        async with open_session(self) as session:
            scorer = EchoScorer(session, self.end_token)
            async with aclosing(ask_each(texts, scorer.score, self.concurrency)) as scores:
                async for scored in scores:
                    yield scored


async def _chain(
    first_request: Request, requests: AsyncIterator[Request]
) -> AsyncGenerator[Request, None]:
    yield first_request
    async for request in requests:
        yield request
