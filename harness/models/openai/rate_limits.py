"""Rate limits of a server, and a concurrency that adapts to the server's load.

The number of requests under way follows "additive increase, multiplicative decrease" (Chiu and
Jain, 1989), as the window of Data Center TCP does (Alizadeh and others, 2010): an overload reduces
the window by half of the recent share of rejected requests, once for all requests in flight; each
response adds 1 / window. Rejection of everything halves the window each time; failure of every
tenth request at any load hardly reduces the window.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

#: The weight of a request in the average share of rejected requests: as in Data Center TCP.
SHARE_WEIGHT = 1 / 16


class RateLimit:
    """Spreads costs evenly over time: at most ``per_minute``, without bursts (0: no limit)."""

    def __init__(self, per_minute: float) -> None:
        self._seconds = 60 / per_minute if per_minute else 0.0
        self._next_start = 0.0

    def schedule(self, cost: float, now: float) -> float:
        """Return the earliest start of a request with a given cost, after all earlier ones."""
        if not self._seconds:
            return now
        start = max(self._next_start, now)
        self._next_start = start + cost * self._seconds
        return start

    def adjust(self, cost: float) -> None:
        """Add the difference between a real and an estimated cost."""
        self._next_start += cost * self._seconds


class AdaptiveLimiter:
    """Admits requests: at most ``concurrency`` at once, and within the limits per minute.

    Call `acquire` before a request, `release` after it, and in between `succeeded` or `overloaded`.
    A request's tokens are estimated first and corrected after success.
    """

    def __init__(
        self, concurrency: int, requests_per_minute: float = 0, tokens_per_minute: float = 0
    ) -> None:
        self.concurrency = concurrency
        self.limit = float(concurrency)
        self.active = 0
        #: The time of the latest response, and the number of responses.
        self.last_success, self.successes = float("-inf"), 0
        self._requests = RateLimit(requests_per_minute)
        self._tokens = RateLimit(tokens_per_minute)
        self._decreased = self._resume = float("-inf")
        self._share = 1.0  # of requests that are turned away; before any is known, all may be
        self._turned_away = float("inf")  # when a request was last told to wait
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self, tokens: float) -> float:
        """Wait until a request may start; returns the time on the monotonic clock."""
        if self.active < int(self.limit) and not self._waiting:
            self.active += 1
        else:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn  # `release` counts it as active
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.release()
                raise
        try:
            now = time.monotonic()
            start = max(self._requests.schedule(1, now), self._tokens.schedule(tokens, now))
            while (start := max(start, self._resume)) > now:
                await asyncio.sleep(start - now)
                now = time.monotonic()
        except asyncio.CancelledError:
            self.release()
            raise
        return now

    def release(self) -> None:
        """A request has ended, successful or not."""
        self.active -= 1
        while self._waiting and self.active < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self.active += 1
                turn.set_result(None)

    def succeeded(self, more_tokens: float = 0) -> None:
        """Record a response, with the number of tokens beyond the estimate."""
        self.last_success = time.monotonic()
        self.successes += 1
        self._share -= SHARE_WEIGHT * self._share
        self.limit = min(self.concurrency, self.limit + 1 / self.limit)
        if more_tokens:
            self._tokens.adjust(more_tokens)

    def overloaded(self, started: float, wait: float | None = None) -> None:
        """Record a rejection of a request with the time of its start, and the requested pause.

        The pause applies to the request alone. If a request that started after a rejection is
        rejected, too, without a response in between, the pause applies to all requests.
        """
        now = time.monotonic()
        self._share += SHARE_WEIGHT * (1 - self._share)
        if started >= self._decreased:
            self._decreased = now
            self.limit = max(1.0, self.limit * (1 - self._share / 2))
        if wait is not None:
            if started >= self._turned_away >= self.last_success:
                self._resume = max(self._resume, now + wait)
            self._turned_away = now


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the server's requested pause in seconds (RFC 9110, 10.2.3: seconds or a date)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            return min(max(0.0, float(value) * unit), 1e9)
        except ValueError:
            pass
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
