"""Limits of a server: rates, overloads, requested pauses, and dead servers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness import harness
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models.openai.rate_limits import (
    AdaptiveLimiter,
    RateLimit,
    retry_after,
)
from calculus_harness.harness.run.progress import Bar, Lines

pytest.importorskip("openai", reason="needs the extra 'openai'")
from tests.harness.faulty_server import Body, FaultyServer, payload_for
from tests.harness.models.openai.test_openai import sweep

pytestmark = pytest.mark.openai


def test_retry_after_is_seconds_or_a_date() -> None:
    assert retry_after({"retry-after": "3"}) == 3
    assert retry_after({"retry-after-ms": "250", "retry-after": "3"}) == 0.25
    soon = retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=90))})
    assert soon is not None
    assert 85 < soon <= 90
    assert retry_after({"retry-after": format_datetime(datetime.now(UTC) - timedelta(days=9))}) == 0
    for nonsense in ("", "soon", "nan", "-5", "99:99", "Wed, 99 Foo 2000 00:00:00 GMT"):
        assert retry_after({"retry-after": nonsense}) in (None, 0)


@given(st.floats(1, 1e4), st.lists(st.tuples(st.floats(0, 50), st.floats(0, 9)), max_size=50))
def test_no_minute_has_more_than_its_rate(rate: float, requests: list[tuple[float, float]]) -> None:
    """In any minute, the begun cost stays within the rate and one item."""
    limiter, now, begun = RateLimit(rate), 0.0, []
    for cost, wait in requests:
        now += wait
        begun.append((limiter.schedule(cost, now), cost))
    for start, _ in begun:
        in_the_minute = [cost for time, cost in begun if start <= time < start + 60]
        assert sum(in_the_minute) - (in_the_minute[-1] if in_the_minute else 0) <= rate * (1 + 1e-6)


def test_an_overload_halves_the_limit_once_and_responses_restore_it() -> None:
    async def conduct() -> None:
        limiter = AdaptiveLimiter(16)
        started = [await limiter.acquire(0) for _ in range(16)]
        late = asyncio.create_task(limiter.acquire(0))
        await asyncio.sleep(0)
        for start in started:  # all were under way when the server was overloaded: halved once
            limiter.overloaded(start)
        assert limiter.limit == 8
        for _ in range(8):
            limiter.release()
        await asyncio.sleep(0)
        assert not late.done(), "8 are still under way"
        limiter.release()
        limiter.overloaded(await late)
        assert limiter.limit == 4
        for _ in range(1000):
            limiter.succeeded()
        assert limiter.limit == 16

    asyncio.run(conduct())


def test_a_turn_that_is_given_up_is_not_lost() -> None:
    async def conduct() -> None:
        limiter = AdaptiveLimiter(1)
        await limiter.acquire(0)
        waiting = [asyncio.create_task(limiter.acquire(0)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limiter.release()
        waiting[1].cancel()  # just as it was given its turn
        await asyncio.wait_for(waiting[2], 5)
        assert limiter.active == 1

    asyncio.run(conduct())


def test_a_sweep_that_waits_says_why(
    tmp_path: Path, bench: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(seconds: float) -> list[str]:
        monkeypatch.setattr("calculus_harness.harness.models.openai.session.LOG_INTERVAL", seconds)
        caplog.clear()
        with FaultyServer(script=("too_many",) * 3) as server:
            sweep(server, tmp_path / f"run{seconds}", bench, model_option={"concurrency": "1"})
        return [record.getMessage() for record in caplog.records if "waiting" in record.message]

    assert waits(60) == []
    assert all("openai/m: waiting for the server: 429" in text for text in waits(0))
    assert len(waits(0.001)) == 3


@pytest.mark.parametrize("progress_class", [Lines, Bar])
def test_a_server_that_asks_to_wait_long_is_named_at_once(
    progress_class: type[Lines | Bar],
    tmp_path: Path,
    bench: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from aiohttp import web

    monkeypatch.setattr("calculus_harness.harness.models.openai.session.LOG_INTERVAL", 0.9)

    def respond(body: Body) -> Any:
        if len(server.asked) > 3:
            return payload_for(body)
        return web.Response(status=429, headers={"Retry-After": "1"})

    with FaultyServer() as server, progress_class() as progress:
        server.respond = respond
        options = {"concurrency": "3"}
        sweep(server, tmp_path / "run", bench, model_option=options, progress=progress)
    output = " ".join(capsys.readouterr().err.split())
    assert output.count("warning: model openai/m: waiting for the server: 429") == 1
    assert "it asks to wait for 1 s" in output
    assert logging.getLogger("calculus_harness.harness.models").handlers == []


def test_the_server_is_left_alone_for_as_long_as_it_asks(tmp_path: Path, bench: str) -> None:
    with FaultyServer(script=("too_many_until",)) as server:
        server.until = 2
        start = time.monotonic()
        run = sweep(server, tmp_path / "run", bench, model_option={"concurrency": "1"})
        assert time.monotonic() - start > 1
        assert harness.summarise(run).missing == 0
    with FaultyServer(delay=0.05) as server:
        sweep(server, tmp_path / "slow", bench, model_option={"concurrency": "3"}, samples=6)
        assert server.most == 3
    with FaultyServer() as server:
        start = time.monotonic()
        sweep(server, tmp_path / "rate", bench, model_option={"requests-per-minute": "600"})
        assert time.monotonic() - start >= 1.1


def test_a_wait_longer_than_the_limit_stops_the_sweep(tmp_path: Path, bench: str) -> None:
    from aiohttp import web

    with FaultyServer() as server:
        server.respond = lambda body: web.Response(status=429, headers={"Retry-After": "86400"})
        with pytest.raises(ModelError, match="it asks to wait for 86400 s"):
            sweep(server, tmp_path / "run", bench)


def test_one_request_s_pause_does_not_stop_the_others(tmp_path: Path, bench: str) -> None:
    """A long prompt over its share of tokens waits alone; other prompts are answered meanwhile."""
    from aiohttp import web

    turned_away: list[float] = []
    answered: list[float] = []

    def respond(body: Body) -> Any:
        if not turned_away:
            turned_away.append(time.monotonic())
            return web.Response(status=429, headers={"Retry-After": "3"})
        answered.append(time.monotonic())
        return payload_for(body)

    with FaultyServer() as server:
        server.respond = respond
        options = {"concurrency": "4", "probe": "0"}
        run = sweep(server, tmp_path / "run", bench, model_option=options)
    assert harness.summarise(run).missing == 0
    early = [at for at in answered if at - turned_away[0] < 2]
    assert len(early) == len(answered) - 1


def test_a_limit_of_the_account_stops_all(tmp_path: Path, bench: str) -> None:
    from aiohttp import web

    begun = time.monotonic()

    def respond(body: Body) -> Any:
        if time.monotonic() - begun < 2:
            return web.Response(status=429, headers={"Retry-After": "2"})
        return payload_for(body)

    with FaultyServer() as server:
        server.respond = respond
        options = {"concurrency": "4", "probe": "0"}
        run = sweep(server, tmp_path / "run", bench, model_option=options)
        # Four under way at first, then at most one for each until the pause is everybody's.
        assert len(server.asked) - 12 <= 8
    assert harness.summarise(run).missing == 0


def test_an_engine_that_is_dead_is_known_after_one_round(tmp_path: Path, bench: str) -> None:
    from aiohttp import web

    with FaultyServer() as server:
        server.respond = lambda body: web.Response(status=500, text="the engine is dead")
        with pytest.raises(ModelError, match="the first 16 requests all failed"):
            sweep(
                server, tmp_path / "run", bench, limit=24, samples=10, model_option={"retries": "8"}
            )
        # With pauses of 0.5 s and twice as long each time, 9 attempts are 2 minutes, and 4 are 4 s.
        assert max(Counter(body.get("seed") for body in server.asked).values()) == 4
