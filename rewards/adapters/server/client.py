"""A client of the reward server that repeats refused requests (extra `serve`).

    async with RewardClient("http://rewards:8000", token="...") as client:
        scores = await client.score([{"completion": text, "integrand": "2x"}, ...])

Items are sent in batches, several at a time. If the server is full, stopping or unreachable, the
batch is repeated with growing pauses, by the library stamina.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import msgspec

from ...errors import UserError, install

if TYPE_CHECKING:
    import aiohttp

#: Seconds before the first repetition, and at most before a later one; each with a random part.
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0


class RewardServerError(RuntimeError):
    """The server refuses a request for ever, or for longer than the client's patience."""


class _AskLaterError(RuntimeError):
    """The server has no room at the moment, or does not answer."""


class RewardClient:
    """A client of a reward server, and an async context manager.

    Args:
        address: the server's address, as ``http://127.0.0.1:8000``.
        token: the server's token.
        batch: the number of completions in a request.
        parallel: the number of concurrent requests.
        patience: the time in seconds for which a refused batch is repeated. After this time, a
            `RewardServerError` is raised.
        timeout: seconds to wait for the answer to a request.

    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        batch: int = 128,
        parallel: int = 8,
        patience: float = 600.0,
        timeout: float = 300.0,
    ) -> None:
        if batch < 1 or parallel < 1:
            raise ValueError("a request has at least one completion, and there is one at a time")
        self.address = address.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._batch, self._patience, self._timeout = batch, patience, timeout
        self._places = asyncio.Semaphore(parallel)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        try:
            import aiohttp
        except ImportError:
            raise UserError(f"the client needs aiohttp: {install('serve')}") from None
        self._session = aiohttp.ClientSession(
            headers=self._headers, timeout=aiohttp.ClientTimeout(total=self._timeout)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def score(self, items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Get the scores of items from the server, in order.

        Args:
            items: items in the server's plain format (`shapes`).

        Returns:
            A dictionary for each item, with ``reward``, ``status``, ``answer``, ``components`` and
            ``detail``.

        Raises:
            RewardServerError: the server refuses the items, or cannot be reached for too long.

        """
        batches = [items[at : at + self._batch] for at in range(0, len(items), self._batch)]
        scores_of_batches = await asyncio.gather(*map(self._scored, batches))
        return [score for scores in scores_of_batches for score in scores]

    async def _scored(self, items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        import stamina

        body = msgspec.json.encode({"items": items})
        try:
            async for attempt in stamina.retry_context(
                on=_AskLaterError,
                attempts=None,
                timeout=self._patience,
                wait_initial=FIRST_PAUSE,
                wait_max=LONGEST_PAUSE,
            ):
                with attempt:
                    async with self._places:
                        return await self._asked(body)
        except _AskLaterError as error:
            raise RewardServerError(str(error)) from None
        raise AssertionError("not reached")

    async def _asked(self, body: bytes) -> list[dict[str, Any]]:
        import aiohttp

        assert self._session is not None, "use the client as a context manager"
        try:
            async with self._session.post(f"{self.address}/score", data=body) as response:
                answer = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _AskLaterError(f"{self.address} does not answer: {error}") from error
        if response.status in (408, 429, 502, 503, 504):
            raise _AskLaterError(f"{self.address} has no room: {answer[:200]!r}")
        if response.status != 200:
            raise RewardServerError(f"{self.address} refuses ({response.status}): {answer[:200]!r}")
        scores: list[dict[str, Any]] = msgspec.json.decode(answer)["scores"]
        return scores
