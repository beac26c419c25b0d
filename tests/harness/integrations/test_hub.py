"""Data sets pushed by the hub's own client to a local server with the hub's protocol."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from calculus_harness import harness
from tests.harness.conftest import Command

pytestmark = pytest.mark.data


class Hub:
    """Takes repositories and commits; ``files`` are the files of the latest commit."""

    def __init__(self) -> None:
        self.created: list[dict[str, Any]] = []
        self.commits: list[str] = []
        self.files: dict[str, bytes] = {}
        self.tokens: set[str] = set()
        self.refusal = 0
        self._ready = threading.Event()

    def __enter__(self) -> Hub:
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application(client_max_size=1 << 28)
        application.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        path, body = request.path, await request.read()
        self.tokens.add(request.headers.get("Authorization", ""))
        if self.refusal:
            return web.json_response({"error": "not yours"}, status=self.refusal)
        if path == "/api/repos/create":
            self.created.append(json.loads(body))
            return web.json_response({"url": f"{self.url}/datasets/me/set", "id": "me/set"})
        if path.endswith("/preupload/main"):
            names = [file["path"] for file in json.loads(body)["files"]]
            return web.json_response(
                {
                    "files": [
                        {"path": n, "uploadMode": "regular", "shouldIgnore": False} for n in names
                    ]
                }
            )
        if path.endswith("/commit/main"):
            for line in map(json.loads, body.decode().splitlines()):
                if line["key"] == "header":
                    self.commits.append(line["value"]["summary"])
                if line["key"] == "file":
                    value = line["value"]
                    self.files[value["path"]] = base64.b64decode(value["content"])
            return web.json_response(
                {
                    "commitUrl": f"{self.url}/datasets/me/set/commit/1",
                    "commitOid": "1",
                    "pullRequestUrl": None,
                }
            )
        if path == "/api/validate-yaml":
            return web.json_response({"errors": [], "warnings": []})
        return web.json_response({"id": "me/set", "sha": "0", "siblings": []})


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub() as hub:
        yield hub


def rows_of(content: bytes) -> list[dict[str, Any]]:
    import pandas

    rows: list[dict[str, Any]] = pandas.read_parquet(io.BytesIO(content)).to_dict("records")
    return rows


def environment(hub: Hub) -> dict[str, str]:
    return {
        "HF_ENDPOINT": hub.url,
        "HF_TOKEN": "hf_secret",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_OFFLINE": "0",  # it is 1 in `.ci/run`; this hub is here
    }


@pytest.mark.slow
def test_a_run_is_pushed_with_its_results(
    hub: Hub, model: str, bench: str, tmp_path: Path, process: Command
) -> None:
    run = harness.sweep([model], [bench], limit=6, samples=2, out=tmp_path / "mini")
    done = process("push", "mini", "me/mini", "--private", **environment(hub))
    assert done.returncode == 0, done.stderr
    assert f"pushed to {hub.url}/datasets/me/mini" in done.stderr
    (created,) = hub.created
    assert (created["name"], created["type"]) == ("mini", "dataset")
    assert created.get("visibility") == "private" or created.get("private") is True  # by version
    assert hub.commits == ["Samples of mini"]
    assert hub.tokens == {"Bearer hf_secret"}
    rows = rows_of(hub.files["samples.parquet"])
    stored = {row["key"]: row["status"] for row in run.verdicts().rows()}
    assert {row["key"]: row["status"] for row in rows} == stored
    card = hub.files["README.md"].decode()
    assert "path: samples.parquet" in card
    assert "pass@1" in card
    assert f'"{run.policy}"' in card
    assert "bench/easy" in card


@pytest.mark.slow
def test_generated_problems_are_pushed(hub: Hub, tmp_path: Path, process: Command) -> None:
    result = process("generate", "drills", "--limit", "5", "--out", "made.jsonl")
    assert result.returncode == 0, result.stderr
    done = process("push", "made.jsonl", "me/made", **environment(hub))
    assert done.returncode == 0, done.stderr
    rows = rows_of(hub.files["problems.parquet"])
    written = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [row["id"] for row in written]
    assert json.loads(rows[0]["inputs"]) == written[0]["inputs"]
    assert "| drills/" in hub.files["README.md"].decode()


def test_what_the_hub_refuses_is_one_line(
    hub: Hub, model: str, bench: str, tmp_path: Path, process: Command
) -> None:
    harness.sweep([model], [bench], limit=1, out=tmp_path / "mini")
    hub.refusal = 403
    done = process("push", "mini", "me/mini", **environment(hub))
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: the hub does not take me/mini: 403")
    assert "hf_secret" not in done.stderr


def test_a_wrong_name_is_refused_before_anything(
    model: str, bench: str, tmp_path: Path, cli: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    harness.sweep([model], [bench], limit=1, out=tmp_path / "mini")
    done = cli("push", "mini", "mini")
    assert done.returncode == 2
    assert "OWNER/NAME, not 'mini'" in done.stderr
    assert cli("push", "nowhere", "me/mini").returncode == 2
