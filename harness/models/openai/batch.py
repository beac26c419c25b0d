"""OpenAI's Batch API: `openai-batch/NAME`. Submit batches of requests, collect them within a day.

The state of each batch is written to the run's directory before and after every step:

    0001.json          the ids at the server and the status (`BatchRecord`)
    0001.jsonl         the requests, as uploaded
    0001.output.jsonl  the responses, once complete; and 0001.errors.jsonl

A process may be killed at any time; the next process continues. After a kill during the creation of
a batch, the server's batches are searched for the record's token, and no batch is created twice.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request
from ...core.wording import counted
from ...store.atomic import write_atomically
from ..base import Capability, operational
from .errors import RefusedError, UnavailableError
from .http import classify_error, make_client
from .protocol import OpenAIProtocol
from .responses import completions, parse_payload, remaining
from .session import LOG_INTERVAL, MAX_FIRST_FAILURES, pause_message

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_log = logging.getLogger(__name__)

#: Time limits of a call of the API and of a download, in seconds.
CALL_TIMEOUT, DOWNLOAD_TIMEOUT = 600.0, 7200.0
#: The number of repetitions of a failed call of the API.
RETRIES = 8
#: The field of a batch's metadata that holds a record's token.
TOKEN_FIELD = "calculus_harness"
#: The statuses of batches that have ended.
ENDED = ("completed", "failed", "expired", "cancelled")

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class OpenAIBatch(OpenAIProtocol):
    """A model behind the Batch API: half the price, and responses within a day.

    The sweep waits for its batches and polls them every ``poll`` seconds. The sweep can be stopped
    at any time; the same command continues (``wait=false`` only submits, or collects finished
    batches). A batch has at most ``requests-per-batch`` requests and ``megabytes-per-batch``.
    Requests without a response (the batch expired, or was cancelled) are submitted again, up to
    ``retries`` times.
    """

    poll: float = operational(60.0)
    wait: bool = operational(True)
    requests_per_batch: int = operational(50_000)
    megabytes_per_batch: float = operational(190.0)
    retries: int = operational(3)
    state: str = operational("")  # default: in the run's directory

    example: ClassVar[str] = "run.py sweep --model openai-batch/gpt-5-mini --benchmark bee -n 4"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.poll <= 0 or self.retries < 0:
            raise ValueError("poll must be positive, retries not negative")
        if self.requests_per_batch < 1 or self.megabytes_per_batch <= 0:
            raise ValueError("requests-per-batch and megabytes-per-batch must be positive")

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities - {Capability.SCORING}

    def with_state(self, directory: Path) -> OpenAIBatch:
        return self if self.state else replace(self, state=str(directory))

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        if not self.state:
            raise ModelError(
                f"model {self.spec}: -M state=DIR says where to keep the state of its batches"
            )
        pending = {_request_id(request): request async for request in requests}
        client = make_client(self)
        try:
            async for completion in _BatchSession(self, client, pending).run():
                yield completion
        finally:
            await client.close()


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """The stored state of a batch. The status is the server's, or one of ours:

    ``new``: to be uploaded; ``uploaded``: to be created; ``creating``: perhaps created; ``done``:
    the responses are stored in the run.
    """

    number: int
    token: str
    path: str
    requests: int
    file: str = ""
    batch: str = ""
    status: str = "new"
    output: str = ""
    errors: str = ""


class _BatchSession:
    """The batches of a sweep."""

    def __init__(
        self, model: OpenAIBatch, client: AsyncOpenAI, pending: dict[str, Request]
    ) -> None:
        self.model, self.client, self.pending = model, client, pending
        self.directory = Path(model.state)
        self.submissions: Counter[str] = Counter()
        self.answered = self.refused = 0
        self.queue_full = False  # at the server: submit no more until a batch has ended
        self.logged: dict[int, str] = {}  # the last message about each batch
        self.reason = "no reason given"  # the latest one for a request without a response

    async def run(self) -> AsyncGenerator[Completion, None]:
        """Yield the completions of all pending requests, as batches end."""
        self.directory.mkdir(parents=True, exist_ok=True)
        records = self._records()
        active = {record.number: record for record in records if record.status != "done"}
        names = {number: self._names(record) for number, record in active.items()}
        for batch in names.values():
            self.submissions.update(batch)
        ended: list[BatchRecord] = []
        number = max((record.number for record in records), default=0)
        while True:
            for record in list(active.values()):
                active[record.number] = record = await self._advance(record)
                if record.status in ENDED:
                    for completion in self._collect(record):
                        yield completion
                    ended.append(active.pop(record.number))
                    self.queue_full = record.status == "failed"
            submitted = set().union(*(names[number] for number in active))
            pending = [name for name in self.pending if name not in submitted]
            for name in [name for name in pending if self.submissions[name] > self.model.retries]:
                pending.remove(name)
                detail = f"not answered in {self.submissions[name]} batches ({self.reason})"
                request = self.pending.pop(name)
                for completion in Completion.failures(request, detail, FinishReason.UNREACHABLE):
                    yield completion
            if pending and not (self.queue_full and active):
                for path, lines in self._split(pending):
                    number += 1
                    names[number] = set(lines)
                    self.submissions.update(lines.keys())
                    active[number] = await self._advance(self._write(number, path, lines))
            if not self.pending:
                break
            if not self.model.wait:
                raise ModelError(
                    f"model {self.model.spec}: {counted(len(self.pending), 'request')} with the "
                    f"server, in {counted(len(active), 'batch', 'batches')}; the same command "
                    "collects them when they are answered"
                )
            await asyncio.sleep(self.model.poll)
        # The consumer has stored all completions by now.
        for record in ended:
            self._save(replace(record, status="done"))
            for file in self._files(record):
                file.unlink(missing_ok=True)

    # --- files ---------------------------------------------------------------------------------

    def _records(self) -> list[BatchRecord]:
        records = []
        for path in sorted(self.directory.glob("[0-9]*.json")):
            try:
                records.append(BatchRecord(**json.loads(path.read_bytes())))
            except (OSError, ValueError, TypeError) as error:
                raise ModelError(f"{path} is damaged ({error}); restore it") from None
        return records

    def _save(self, record: BatchRecord) -> BatchRecord:
        data = json.dumps(asdict(record), indent=2).encode() + b"\n"
        write_atomically(self.directory / f"{record.number:04}.json", data)
        return record

    def _files(self, record: BatchRecord) -> tuple[Path, Path, Path]:
        """The files of a batch: requests, responses, errors."""
        stem = f"{record.number:04}"
        names = (f"{stem}.jsonl", f"{stem}.output.jsonl", f"{stem}.errors.jsonl")
        return tuple(self.directory / name for name in names)  # type: ignore[return-value]

    def _names(self, record: BatchRecord) -> set[str]:
        """The ids of a batch's requests."""
        return {_split_id(row["custom_id"])[0] for row in _rows(self._files(record)[0])}

    def _split(self, names: list[str]) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Split requests into batches within the limits; yields path and lines of each batch."""
        max_bytes = int(self.model.megabytes_per_batch * 1e6)
        batches: dict[str, tuple[dict[str, bytes], int]] = {}
        for name in names:
            request = self.pending[name]
            path = self.model.path(request.prompt)
            row = {
                "custom_id": f"{name}:{request.seed}",
                "method": "POST",
                "url": f"/v1{path}",
                "body": self.model.body(request),
            }
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            # A batch has a single path. A full batch is yielded at once, so memory holds one batch
            # per path.
            lines, size = batches.get(path, ({}, 0))
            if lines and (
                len(lines) >= self.model.requests_per_batch or size + len(line) > max_bytes
            ):
                yield path, lines
                lines, size = {}, 0
            lines[name] = line
            batches[path] = lines, size + len(line)
        for path, (lines, _) in batches.items():
            yield path, lines

    def _write(self, number: int, path: str, lines: dict[str, bytes]) -> BatchRecord:
        record = BatchRecord(number, uuid.uuid4().hex, path, len(lines))
        write_atomically(self._files(record)[0], b"".join(lines.values()))
        return self._save(record)

    # --- calls of the API ----------------------------------------------------------------------

    async def _advance(self, record: BatchRecord) -> BatchRecord:
        """Advance a batch by a step: submit, ask for the status, or fetch the responses."""
        if record.status in ("new", "uploaded", "creating"):
            record = await self._submit(record)
        if record.status not in ENDED:
            batch = await self._call(lambda: self.client.batches.retrieve(record.batch))
            record = replace(
                record,
                status=batch.status,
                output=batch.output_file_id or "",
                errors=batch.error_file_id or "",
            )
            self._log_status(record, batch.request_counts)
            if record.status == "failed":
                self._check_refusal(record, batch)
            if record.status in ENDED:
                await self._fetch(record)
            # Saved after every step, for a process that continues after a kill.
            self._save(record)
        return record

    def _log_status(self, record: BatchRecord, counts: Any) -> None:
        """Log the progress of a batch after a change."""
        done, total = (counts.completed + counts.failed, counts.total) if counts else (0, 0)
        text = (
            f"{self.model.spec}: batch {record.number} ({record.batch}) is "
            f"{record.status.replace('_', ' ')}, {done} of {total or record.requests} requests done"
        )
        if self.logged.get(record.number) != text:
            self.logged[record.number] = text
            _log.info("%s", text)

    async def _submit(self, record: BatchRecord) -> BatchRecord:
        """Upload and create a batch, unless done already."""
        if record.status == "new":
            record = self._save(replace(record, file=await self._upload(record), status="uploaded"))
        attempts = 0
        while True:
            if record.status == "creating":  # when this, or an earlier process, was interrupted
                created = await self._find(record)
                if created is not None:
                    return self._save(created)
            record = self._save(replace(record, status="creating"))
            try:
                return self._save(await self._create(record))
            except UnavailableError as error:
                attempts += 1
                if attempts > RETRIES:
                    raise self._fatal(error) from None
                await self._pause(attempts, error)

    def _check_refusal(self, record: BatchRecord, batch: Any) -> None:
        """Raise for a refused batch, unless the queue is full."""
        errors = (batch.errors and batch.errors.data) or []
        self.reason = "; ".join(f"{error.message}" for error in errors[:3])[:300] or self.reason
        if not any("limit" in (error.code or "") for error in errors):
            self._save(replace(record, status="done"))
            raise ModelError(f"model {self.model.spec}: the server refused a batch: {self.reason}")

    async def _upload(self, record: BatchRecord) -> str:
        path = self._files(record)[0]

        async def upload() -> Any:
            with path.open("rb") as file:
                name = f"calculus-{record.token}.jsonl"
                return await self.client.files.create(file=(name, file), purpose="batch")

        return str((await self._call(upload)).id)

    async def _create(self, record: BatchRecord) -> BatchRecord:
        """Create the batch. Not repeated on failure: the batch might be created twice."""
        try:
            async with asyncio.timeout(CALL_TIMEOUT):
                batch = await self.client.batches.create(
                    input_file_id=record.file,
                    endpoint=f"/v1{record.path}",  # type: ignore[arg-type, unused-ignore]
                    completion_window="24h",
                    metadata={TOKEN_FIELD: record.token},
                )
        except Exception as exception:
            error = classify_error(self.model, exception)
            if isinstance(error, UnavailableError):
                raise error from None
            self._save(replace(record, status="uploaded"))  # it was not created
            raise self._fatal(error) from exception
        return replace(record, batch=batch.id, status=batch.status)

    async def _find(self, record: BatchRecord) -> BatchRecord | None:
        """Return the batch with the record's token, if the server has such a batch."""

        async def search() -> BatchRecord | None:
            async for batch in self.client.batches.list(limit=100):
                if (batch.metadata or {}).get(TOKEN_FIELD) == record.token:
                    return replace(record, batch=batch.id, status="in_progress")
            return None

        return await self._call(search)

    async def _fetch(self, record: BatchRecord) -> None:
        """Download the output of a batch."""
        _, output, errors = self._files(record)
        for file, path in ((record.output, output), (record.errors, errors)):
            if not file or path.exists():
                continue
            temporary = path.with_suffix(".tmp")

            async def download(file: str = file, temporary: Path = temporary) -> None:
                content = self.client.files.with_streaming_response.content(file)
                async with content as response:
                    await response.stream_to_file(temporary)

            await self._call(download, DOWNLOAD_TIMEOUT)
            temporary.replace(path)

    async def _call(self, call: Callable[[], Awaitable[T]], seconds: float = CALL_TIMEOUT) -> T:
        """Make an idempotent call of the API, repeated when the server fails."""
        attempts = 0
        while True:
            try:
                async with asyncio.timeout(seconds):
                    return await call()
            except Exception as exception:
                error = classify_error(self.model, exception)
                attempts += 1
                if not isinstance(error, UnavailableError) or attempts > RETRIES:
                    raise self._fatal(error) from exception
            await self._pause(attempts, error)

    async def _pause(self, attempts: int, error: UnavailableError) -> None:
        pause = min(60, self.model.poll, 2**attempts / 2) * random.uniform(0.5, 1)
        pause = max(error.wait or 0, pause)
        if pause >= LOG_INTERVAL:
            _log.warning("%s", pause_message(self.model, error, pause))
        await asyncio.sleep(pause)

    def _fatal(self, error: Exception) -> Exception:
        if isinstance(error, UnavailableError | RefusedError):
            remark = "; nothing is lost, and the same command goes on"
            return ModelError(f"model {self.model.spec}: {error}{remark}")
        return error

    # --- responses -----------------------------------------------------------------------------

    def _collect(self, record: BatchRecord) -> Iterator[Completion]:
        """Yield the completions of a batch; requests without a response stay wanted."""
        _, output, errors = self._files(record)
        for path in (output, errors):
            for row in _rows(path):
                yield from self._completions(row)

    def _completions(self, row: Any) -> Iterator[Completion]:
        name, seed = _split_id(row["custom_id"])
        request = self.pending.get(name)
        if request is None:
            return
        request = replace(request, seed=seed)  # the one that was submitted
        try:
            response = parse_payload(self._payload(row))
        except UnavailableError as error:
            self.reason = str(error)
            return
        except RefusedError as refusal:
            self.refused += refusal.reason is FinishReason.ERROR
            if not self.answered and self.refused >= MAX_FIRST_FAILURES:
                raise ModelError(
                    f"model {self.model.spec}: the first {MAX_FIRST_FAILURES} requests all failed: "
                    f"{refusal}"
                ) from None
            del self.pending[name]
            yield from Completion.failures(request, str(refusal), refusal.reason)
            return
        self.answered += 1
        del self.pending[name]
        results = completions(request, response, self.model.name)
        yield from results
        if len(results) < request.count:
            rest_of_request = remaining(request, len(results))
            self.pending[_request_id(rest_of_request)] = rest_of_request

    def _payload(self, row: Any) -> Any:
        """The body of the response in a row of a batch's output."""
        response = row.get("response") or {}
        status, body = response.get("status_code"), response.get("body")
        if status == 200:
            return body
        if not status:
            raise UnavailableError(str(row.get("error")))
        raise self.model.response_error(status, {}, json.dumps(body).encode())


def _request_id(request: Request) -> str:
    """A request's id in a model's batches."""
    return f"{request.hash}:{request.stage}:{request.sample}:{request.count}"


def _split_id(identifier: str) -> tuple[str, int]:
    """A request's id, and the submitted seed."""
    name, _, seed = identifier.rpartition(":")
    return name, int(seed)


def _rows(path: Path) -> Iterator[Any]:
    """Yield the rows of a file, if the file exists; broken lines are skipped."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                row = json.loads(line)
                _split_id(row["custom_id"])
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
            yield row
