"""How fast a server is asked: its rate limits kept, its complaints heeded.

The number of requests under way follows "additive increase, multiplicative decrease" (Chiu and
Jain, 1989), as TCP's window does: a complaint halves it, once for all requests that were under way
when it came; every answer adds its share of one.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class Rate:
    """Spreads a cost evenly over time: never more than ``per_minute``, and no bursts."""

    def __init__(self, per_minute: float) -> None:
        self._seconds = 60 / per_minute if per_minute else 0.0
        self._free = 0.0

    def book(self, cost: float, now: float) -> float:
        """When what costs so much may begin; what is booked later begins after it."""
        if not self._seconds:
            return now
        start = max(self._free, now)
        self._free = start + cost * self._seconds
        return start

    def correct(self, cost: float) -> None:
        """Book what something turned out to have cost more, or less, than was thought."""
        self._free += cost * self._seconds


class Pace:
    """Lets requests go: at most ``concurrency`` at once, and as many a minute as is allowed.

    Tokens are booked as an estimate before a request goes, and corrected by what it used. Call
    `enter` before a request and `leave` after it, with what came of it in between.
    """

    def __init__(
        self, concurrency: int, requests_per_minute: float = 0, tokens_per_minute: float = 0
    ) -> None:
        self.concurrency = concurrency
        self.limit = float(concurrency)
        self.active = 0
        #: When the latest answer came, and how many have come.
        self.latest, self.answers = float("-inf"), 0
        self._requests = Rate(requests_per_minute)
        self._tokens = Rate(tokens_per_minute)
        self._cut = self._resume = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self, tokens: float) -> float:
        """Wait for one's turn; returns when it came, on the monotonic clock."""
        if self.active < int(self.limit) and not self._waiting:
            self.active += 1
        else:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn  # whoever wakes it has counted it as active
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.leave()
                raise
        try:
            now = time.monotonic()
            start = max(self._requests.book(1, now), self._tokens.book(tokens, now))
            while (start := max(start, self._resume)) > now:
                await asyncio.sleep(start - now)
                now = time.monotonic()
        except asyncio.CancelledError:
            self.leave()
            raise
        return now

    def leave(self) -> None:
        """A request is over, whatever came of it."""
        self.active -= 1
        while self._waiting and self.active < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self.active += 1
                turn.set_result(None)

    def answered(self, more_tokens: float = 0) -> None:
        """A request was answered; it used so many more tokens than were booked."""
        self.latest = time.monotonic()
        self.answers += 1
        self.limit = min(self.concurrency, self.limit + 1 / self.limit)
        if more_tokens:
            self._tokens.correct(more_tokens)

    def complained(self, started: float, wait: float | None = None) -> None:
        """The server refused, for now, a request that ``started`` then; it may say how long."""
        now = time.monotonic()
        if started >= self._cut:
            self._cut = now
            self.limit = max(1.0, self.limit / 2)
        if wait is not None:
            self._resume = max(self._resume, now + wait)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds for which a server asks to be left alone: as a number or a date (RFC 9110)."""
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
