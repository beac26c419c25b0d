"""The Batch API against a local server: every request is submitted and collected once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import harness
from calculus_harness.harness import Run, Sampling
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import create
from calculus_harness.harness.run.progress import Lines

pytest.importorskip("openai", reason="needs the extra 'openai'")
from aiohttp import web

from tests.harness.faulty_server import Body, FaultyServer, payload_for, text_for

pytestmark = pytest.mark.openai
ROOT = Path(__file__).parents[4]
FAST = {"poll": "0.05"}


class BatchServer(FaultyServer):
    """Files and batches. ``fates`` has the outcomes of the next batches, as names of methods.

    A batch is ready after ``patience`` polls. ``submitted`` counts the submissions of each request,
    with equal requests counted together.
    """

    def __init__(self, *fates: str, patience: int = 2, **faults: Any) -> None:
        super().__init__(**faults)
        self.fates, self.patience = list(fates), patience
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Body] = {}
        self.submitted: Counter[str] = Counter()

    def add_routes(self, application: web.Application) -> None:
        router = application.router
        router.add_post("/v1/files", self.upload)
        router.add_get("/v1/files/{id}/content", self.content)
        router.add_post("/v1/batches", self.create)
        router.add_get("/v1/batches", self.list)
        router.add_get("/v1/batches/{id}", self.retrieve)

    async def upload(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        assert form["purpose"] == "batch"
        file: Any = form["file"]
        return web.json_response(self.keep(file.file.read()))

    def keep(self, data: bytes) -> Body:
        name = f"file-{len(self.files)}"
        self.files[name] = data
        return {
            "id": name,
            "object": "file",
            "bytes": len(data),
            "created_at": 1,
            "filename": "f",
            "purpose": "batch",
            "status": "processed",
        }

    async def content(self, request: web.Request) -> web.StreamResponse:
        fault = self._next_fault()
        if fault:
            self.counts[fault] += 1
            return web.Response(status=500)
        return web.Response(body=self.files[request.match_info["id"]])

    async def create(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        rows = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert {row["url"] for row in rows} == {body["endpoint"]}
        assert len({row["custom_id"] for row in rows}) == len(rows)
        self.submitted.update(json.dumps(row["body"], sort_keys=True) for row in rows)
        batch = {
            "id": f"batch-{len(self.batches)}",
            "object": "batch",
            "status": "validating",
            "endpoint": body["endpoint"],
            "completion_window": "24h",
            "created_at": 1,
            "input_file_id": body["input_file_id"],
            "metadata": body["metadata"],
        }
        fate = self.fates.pop(0) if self.fates else "complete"
        self.batches[batch["id"]] = batch | {"_rows": rows, "_fate": fate, "_left": self.patience}
        if fate == "lost":  # it is there, but nobody is told
            self.batches[batch["id"]]["_fate"] = "complete"
            return await self.reset(request, {})
        return web.json_response(batch)

    async def list(self, request: web.Request) -> web.StreamResponse:
        listed = [public_fields(batch) for batch in self.batches.values()]
        return web.json_response({"object": "list", "data": listed[::-1], "has_more": False})

    async def retrieve(self, request: web.Request) -> web.StreamResponse:
        batch = self.batches[request.match_info["id"]]
        if self.script and self.script[0] == "broken":
            return await self.broken(request, {self.script.popleft(): 1})
        if batch["status"] in ("validating", "in_progress"):
            batch["status"] = "in_progress"
            batch["_left"] -= 1
            size, polls = len(batch["_rows"]), self.patience - batch["_left"]
            batch["request_counts"] = {"total": size, "completed": polls // 2, "failed": 0}
            if batch["_left"] < 0:
                batch["request_counts"]["completed"] = size
                getattr(self, f"fate_{batch['_fate']}")(batch)
        return web.json_response(public_fields(batch))

    # --- what may become of a batch --------------------------------------------------------------

    def finish(self, batch: Body, status: str, good: list[Body], bad: list[Body]) -> None:
        batch["status"] = status
        for name, rows in (("output_file_id", good), ("error_file_id", bad)):
            if rows:
                data = "".join(json.dumps(row) + "\n" for row in reversed(rows))  # in any order
                batch[name] = self.keep(data.encode())["id"]

    def fate_complete(self, batch: Body) -> None:
        self.finish(batch, "completed", [answered(row) for row in batch["_rows"]], [])

    def fate_expire(self, batch: Body) -> None:
        """Some requests are answered, some are reported as failed, and some are missing."""
        rows, error = batch["_rows"], {"code": "batch_expired", "message": "too late"}
        bad = [
            {"custom_id": row["custom_id"], "response": None, "error": error} for row in rows[1::3]
        ]
        self.finish(batch, "expired", [answered(row) for row in rows[::3]], bad)

    def fate_cancel(self, batch: Body) -> None:
        self.finish(batch, "cancelled", [], [])

    def fate_mix(self, batch: Body) -> None:
        """Right answers, too long a prompt, a failure of the server, and rubbish."""
        good, bad = [], []
        for number, row in enumerate(batch["_rows"]):
            if number % 4 == 0:
                error = {"message": "maximum context length is 10 tokens", "code": "x"}
                bad.append(answered(row, 400, {"error": error}))
            elif number % 4 == 1:
                bad.append(answered(row, 500, {"error": {"message": "oh"}}))
            elif number % 4 == 2:
                good.append(answered(row, 200, {"choices": [{}]}))
            else:
                good.append(answered(row))
        self.finish(batch, "completed", [*good, {"custom_id": "who"}, {}], bad)

    def fate_halve(self, batch: Body) -> None:
        """Half of the choices."""
        good = []
        for row in batch["_rows"]:
            payload = payload_for(row["body"])
            del payload["choices"][(len(payload["choices"]) + 1) // 2 :]
            good.append(answered(row, 200, payload))
        self.finish(batch, "completed", good, [])

    def fate_full(self, batch: Body) -> None:
        error = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
        batch |= {"status": "failed", "errors": {"object": "list", "data": [error]}}

    def fate_refuse(self, batch: Body) -> None:
        error = {"code": "model_not_found", "message": "The provided model is not supported"}
        batch |= {"status": "failed", "errors": {"object": "list", "data": [error]}}


def public_fields(batch: Body) -> Body:
    return {name: value for name, value in batch.items() if not name.startswith("_")}


def answered(row: Body, status: int = 200, body: Body | None = None) -> Body:
    response = {"status_code": status, "request_id": "r", "body": body or payload_for(row["body"])}
    return {"id": "r", "custom_id": row["custom_id"], "response": response, "error": None}


def sweep(server: BatchServer, out: Path, bench: str, **arguments: Any) -> Run:
    options = {"base-url": server.url} | FAST | arguments.pop("options", {})
    arguments = {"limit": 6, "samples": 2} | arguments
    return harness.sweep(["openai-batch/m"], [bench], model_option=options, out=out, **arguments)


def check(run: Run, server: BatchServer, count: int) -> None:
    """Every sample is stored once, with the answer for its own seed."""
    rows = list(run.completions.rows())
    assert len({(row["problem"], row["sample"]) for row in rows}) == len(rows) == count
    bodies = {body["seed"]: body for body in map(json.loads, server.submitted)}
    for row in rows:
        if row["finish_reason"] == "stop":
            texts = [text_for(bodies[row["seed"]], index) for index in range(4)]
            assert row["text"] in texts


def state(run: Run) -> list[str]:
    return sorted(path.name for path in run.path.glob("state/*/*"))


def test_one_batch_is_submitted_and_collected(tmp_path: Path, bench: str) -> None:
    with BatchServer() as server:
        run = sweep(server, tmp_path / "run", bench)
        check(run, server, 12)
        assert set(server.submitted.values()) == {1}
        assert len(server.batches) == 1
        assert state(run) == ["0001.json"], "what was used takes no room"
        run = sweep(server, tmp_path / "run", bench, samples=4)
        check(run, server, 24)
        assert set(server.submitted.values()) == {1}
        assert state(run) == ["0001.json", "0002.json"]


def test_what_a_batch_waits_for_is_said_when_it_changes(
    tmp_path: Path, bench: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with BatchServer(patience=4) as server:
        sweep(server, tmp_path / "run", bench, progress=Lines())
    lines = [line for line in capsys.readouterr().err.splitlines() if "(batch-" in line]
    assert lines == [
        f"openai-batch/m: batch 1 (batch-0) is {state}, {done} of 12 requests done"
        for state, done in (
            ("in progress", 0),
            ("in progress", 1),
            ("in progress", 2),
            ("completed", 12),
        )
    ]


@pytest.mark.parametrize("limit", [{"requests-per-batch": "5"}, {"megabytes-per-batch": "0.0015"}])
def test_batches_keep_to_the_limits(tmp_path: Path, bench: str, limit: dict[str, str]) -> None:
    with BatchServer() as server:
        run = sweep(server, tmp_path / "run", bench, options=limit)
        check(run, server, 12)
        assert len(server.batches) >= 3
        assert all(len(batch["_rows"]) <= 5 for batch in server.batches.values())
        assert set(server.submitted.values()) == {1}


@pytest.mark.parametrize("fate", ["expire", "cancel"])
def test_what_a_batch_did_not_answer_is_submitted_again(
    tmp_path: Path, bench: str, fate: str
) -> None:
    with BatchServer(fate, fate) as server:
        run = sweep(server, tmp_path / "run", bench)
        check(run, server, 12)
        assert len(server.batches) == 3
        assert max(server.submitted.values()) == 3
    with BatchServer(*["cancel"] * 9) as server:
        run = sweep(server, tmp_path / "never", bench, options={"retries": "2"})
        assert len(server.batches) == 3
        check(run, server, 0)
        assert len((run.path / "failures.jsonl").read_text().splitlines()) == 12
        server.fates = []
        check(sweep(server, tmp_path / "never", bench), server, 12)


def test_every_row_is_an_answer_a_reason_or_asked_again(tmp_path: Path, bench: str) -> None:
    with BatchServer("mix", "complete") as server:
        run = sweep(server, tmp_path / "run", bench)
        check(run, server, 12)
        reasons = Counter(row["finish_reason"] for row in run.completions.rows())
        assert reasons == {"stop": 9, "error": 3}
        assert sorted(server.submitted.values()) == [1] * 6 + [2] * 6


def test_missing_choices_of_a_group_are_asked_for_with_a_seed_of_their_own(
    tmp_path: Path, bench: str
) -> None:
    with BatchServer("halve", "halve") as server:
        run = sweep(server, tmp_path / "run", bench, samples=4, sampling=Sampling(grouped=True))
        check(run, server, 24)
        sizes = {body.get("n", 1) for body in map(json.loads, server.submitted)}
        assert sizes == {4, 2, 1}
        assert set(server.submitted.values()) == {1}


def test_a_full_queue_is_waited_for_and_a_wrong_batch_stops_the_sweep(
    tmp_path: Path, bench: str
) -> None:
    with BatchServer("complete", "full") as server:
        run = sweep(server, tmp_path / "run", bench, options={"requests-per-batch": "6"})
        check(run, server, 12)
    with BatchServer("refuse") as server:
        with pytest.raises(ModelError, match="refused a batch: The provided model"):
            sweep(server, tmp_path / "wrong", bench)
        run = sweep(server, tmp_path / "wrong", bench)
        check(run, server, 12)


def test_a_server_that_fails_now_and_then_gets_nothing_twice(tmp_path: Path, bench: str) -> None:
    with BatchServer("lost", script=("broken",) * 3) as server:
        run = sweep(server, tmp_path / "run", bench, options={"requests-per-batch": "6"})
        check(run, server, 12)
        assert set(server.submitted.values()) == {1}
        assert len(server.batches) == 2


def test_leave_and_come_back(tmp_path: Path, bench: str) -> None:
    with BatchServer(patience=4) as server:
        for _ in range(3):
            with pytest.raises(ModelError, match="12 requests with the server, in 1 batch;"):
                sweep(server, tmp_path / "run", bench, options={"wait": "false"})
        run = sweep(server, tmp_path / "run", bench)
        check(run, server, 12)
        assert set(server.submitted.values()) == {1}


@pytest.mark.slow
def test_kills_at_any_moment_submit_nothing_twice(tmp_path: Path, bench: str) -> None:
    out = tmp_path / "run"
    with BatchServer("complete", "expire", "lost", patience=12) as server:
        command = [
            sys.executable,
            str(ROOT / "run.py"),
            *(
                f"sweep --model openai-batch/m --benchmark {bench} -n 4 --out {out} -M poll=0.1 "
                f"-M base-url={server.url} -M requests-per-batch=40"
            ).split(),
        ]
        for step in range(6):  # at each step of the first batches, and some time later
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            seen = progress(server)
            deadline = time.monotonic() + 10
            while (
                time.monotonic() < deadline and process.poll() is None and progress(server) <= seen
            ):
                time.sleep(0.002)
            time.sleep(0.03 * step)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        run = Run(out)
        check(run, server, 96)
        assert harness.summarise(run).missing == 0
        again = Counter(server.submitted.values())
        expired = len(server.batches["batch-1"]["_rows"])
        assert again[1] >= 96 - expired
        assert set(again) <= {1, 2}, "only what had expired was submitted again"
        assert again[2] == expired - len(server.batches["batch-1"]["_rows"][::3])


def progress(server: BatchServer) -> int:
    polls = sum(server.patience - batch["_left"] for batch in server.batches.values())
    return len(server.files) + len(server.batches) + polls


def test_it_needs_a_place_for_its_notes() -> None:
    import asyncio

    async def ask() -> None:
        async def none() -> Any:
            return
            yield

        async for _ in create("openai-batch/m").complete(none()):
            pass

    with pytest.raises(ModelError, match="-M state=DIR"):
        asyncio.run(ask())
