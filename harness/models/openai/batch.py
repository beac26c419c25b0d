"""OpenAI's Batch API: `openai-batch/NAME`. Submit, leave, come back within a day, collect.

What is with the server is written down in the run's own directory before and after every step, one
set of files for each batch:

    0001.json          its ids at the server and its status (`Record`)
    0001.jsonl         the requests, as they are uploaded
    0001.output.jsonl  what the server said, once it is there; and 0001.errors.jsonl

so that a process that is killed at any moment is followed by one that goes on. Where it died while
a batch was being made, the server is asked whether that was done: every batch bears a token.
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
from ...store.jsonl_log import write_atomically
from ..base import Capability, operational
from .client import HOPELESS, QUIET, waiting
from .http import make_client, understood
from .protocol import OpenAIProtocol, RefusedError, UnavailableError, completions, rest, understand

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_log = logging.getLogger(__name__)

#: Seconds that one call of the API, and that one download, may take.
CALL, DOWNLOAD = 600.0, 7200.0
#: How often a call of the API that fails is made again.
RETRIES = 8
TOKEN = "calculus_harness"
OVER = ("completed", "failed", "expired", "cancelled")

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class OpenAIBatch(OpenAIProtocol):
    """A model behind the Batch API: half the price, and the answers come within a day.

    The sweep waits for the batches and asks after them every ``poll`` seconds; stop it whenever you
    like, the same command goes on (``wait=false`` only submits, or collects what is ready). A batch
    has at most ``requests-per-batch`` requests and ``megabytes-per-batch``. Requests that a batch
    did not answer (it expired, or was cancelled) are submitted again, up to ``retries`` times.
    """

    poll: float = operational(60.0)
    wait: bool = operational(True)
    requests_per_batch: int = operational(50_000)
    megabytes_per_batch: float = operational(190.0)
    retries: int = operational(3)
    state: str = operational("")  # by default within the run

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

    def at(self, state: Path) -> OpenAIBatch:
        return self if self.state else replace(self, state=str(state))

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        if not self.state:
            raise ModelError(
                f"model {self.spec}: -M state=DIR says where to note what is submitted"
            )
        wanted = {_name(request): request async for request in requests}
        client = make_client(self)
        try:
            async for completion in _Desk(self, client, wanted).work():
                yield completion
        finally:
            await client.close()


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one batch. Its status is the server's, or one of ours.

    ``new``: not all of it is submitted; ``creating``: it may be; ``done``: all of it was used.
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


class _Desk:
    """Everything about one sweep's batches."""

    def __init__(self, model: OpenAIBatch, client: AsyncOpenAI, wanted: dict[str, Request]) -> None:
        self.model, self.client, self.wanted = model, client, wanted
        self.directory = Path(model.state)
        self.tries: Counter[str] = Counter()
        self.answered = self.refused = 0
        self.full = False  # the account's queue: no more until a batch is over
        self.said: dict[int, str] = {}  # what the user was told last of each batch
        self.why = "no reason given"  # the latest reason why a request was not answered

    async def work(self) -> AsyncGenerator[Completion, None]:
        """All the completions that are wanted, as batches come back."""
        self.directory.mkdir(parents=True, exist_ok=True)
        records = self._records()
        open_ = {record.number: record for record in records if record.status != "done"}
        names = {number: self._names(record) for number, record in open_.items()}
        for found in names.values():
            self.tries.update(found)
        over: list[Record] = []
        number = max((record.number for record in records), default=0)
        while True:
            for record in list(open_.values()):
                open_[record.number] = record = await self._advance(record)
                if record.status in OVER:
                    for completion in self._collected(record):
                        yield completion
                    over.append(open_.pop(record.number))
                    self.full = record.status == "failed"
            under_way = set().union(*(names[number] for number in open_))
            loose = [name for name in self.wanted if name not in under_way]
            for name in [name for name in loose if self.tries[name] > self.model.retries]:
                loose.remove(name)
                detail = f"not answered in {self.tries[name]} batches ({self.why})"
                request = self.wanted.pop(name)
                for completion in Completion.failures(request, detail, FinishReason.UNREACHABLE):
                    yield completion
            if loose and not (self.full and open_):
                for path, batch in self._split(loose):
                    number += 1
                    names[number] = set(batch)
                    self.tries.update(batch.keys())
                    open_[number] = await self._advance(self._written(number, path, batch))
            if not self.wanted:
                break
            if not self.model.wait:
                raise ModelError(
                    f"model {self.model.spec}: {len(self.wanted)} requests are with the server, in "
                    f"{len(open_)} batches; the same command collects them when they are answered"
                )
            await asyncio.sleep(self.model.poll)
        # Whoever draws from here has stored everything by now.
        for record in over:
            self._note(replace(record, status="done"))
            for file in self._files(record):
                file.unlink(missing_ok=True)

    # --- what is written down ------------------------------------------------------------------

    def _records(self) -> list[Record]:
        records = []
        for path in sorted(self.directory.glob("[0-9]*.json")):
            try:
                records.append(Record(**json.loads(path.read_bytes())))
            except (OSError, ValueError, TypeError) as error:
                raise ModelError(f"{path} is damaged ({error}); restore it") from None
        return records

    def _note(self, record: Record) -> Record:
        data = json.dumps(asdict(record), indent=2).encode() + b"\n"
        write_atomically(self.directory / f"{record.number:04}.json", data)
        return record

    def _files(self, record: Record) -> tuple[Path, Path, Path]:
        """The requests, the answers and the errors of a batch."""
        stem = f"{record.number:04}"
        names = (f"{stem}.jsonl", f"{stem}.output.jsonl", f"{stem}.errors.jsonl")
        return tuple(self.directory / name for name in names)  # type: ignore[return-value]

    def _names(self, record: Record) -> set[str]:
        """The requests of a batch that may still be wanted."""
        return {_split_id(row["custom_id"])[0] for row in _rows(self._files(record)[0])}

    def _split(self, names: list[str]) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Requests in parts that are no larger than a batch may be, by the path that they go to."""
        most = int(self.model.megabytes_per_batch * 1e6)
        parts: dict[str, tuple[dict[str, bytes], int]] = {}
        for name in names:
            request = self.wanted[name]
            path = self.model.path(request.prompt)
            row = {
                "custom_id": f"{name}:{request.seed}",
                "method": "POST",
                "url": f"/v1{path}",
                "body": self.model.body(request),
            }
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            part, size = parts.get(path, ({}, 0))
            if part and (len(part) >= self.model.requests_per_batch or size + len(line) > most):
                yield path, part
                part, size = {}, 0
            part[name] = line
            parts[path] = part, size + len(line)
        for path, (part, _) in parts.items():
            yield path, part

    def _written(self, number: int, path: str, batch: dict[str, bytes]) -> Record:
        record = Record(number, uuid.uuid4().hex, path, len(batch))
        write_atomically(self._files(record)[0], b"".join(batch.values()))
        return self._note(record)

    # --- what the server is asked --------------------------------------------------------------

    async def _advance(self, record: Record) -> Record:
        """A batch as it is now; it is submitted if it was not, and fetched if it is over."""
        if record.status in ("new", "uploaded", "creating"):
            record = await self._submitted(record)
        if record.status not in OVER:
            batch = await self._patiently(lambda: self.client.batches.retrieve(record.batch))
            record = replace(
                record,
                status=batch.status,
                output=batch.output_file_id or "",
                errors=batch.error_file_id or "",
            )
            self._say(record, batch.request_counts)
            if record.status == "failed":
                self._refuse(record, batch)
            if record.status in OVER:
                await self._fetch(record)
            self._note(record)
        return record

    def _say(self, record: Record, counts: Any) -> None:
        """How far a batch is, if that is not what was said last."""
        done, total = (counts.completed + counts.failed, counts.total) if counts else (0, 0)
        text = (
            f"{self.model.spec}: batch {record.number} ({record.batch}) is "
            f"{record.status.replace('_', ' ')}, {done} of {total or record.requests} requests done"
        )
        if self.said.get(record.number) != text:
            self.said[record.number] = text
            _log.info("%s", text)

    async def _submitted(self, record: Record) -> Record:
        """A batch that the server has: what is not done yet is done, and nothing twice."""
        if record.status == "new":
            record = self._note(replace(record, file=await self._upload(record), status="uploaded"))
        attempts = 0
        while True:
            if record.status == "creating":  # when this, or an earlier process, was interrupted
                found = await self._adopted(record)
                if found is not None:
                    return self._note(found)
            record = self._note(replace(record, status="creating"))
            try:
                return self._note(await self._created(record))
            except UnavailableError as fault:
                attempts += 1
                if attempts > RETRIES:
                    raise self._fatal(fault) from None
                await self._pause(attempts, fault)

    def _refuse(self, record: Record, batch: Any) -> None:
        """A batch that was not taken: wait if the queue is full, stop if it is wrong."""
        errors = (batch.errors and batch.errors.data) or []
        self.why = "; ".join(f"{error.message}" for error in errors[:3])[:300] or self.why
        if not any("limit" in (error.code or "") for error in errors):
            self._note(replace(record, status="done"))
            raise ModelError(f"model {self.model.spec}: the server refused a batch: {self.why}")

    async def _upload(self, record: Record) -> str:
        path = self._files(record)[0]

        async def upload() -> Any:
            with path.open("rb") as file:
                name = f"calculus-{record.token}.jsonl"
                return await self.client.files.create(file=(name, file), purpose="batch")

        return str((await self._patiently(upload)).id)

    async def _created(self, record: Record) -> Record:
        """Make the batch. Not tried again here: it might be made twice."""
        try:
            async with asyncio.timeout(CALL):
                batch = await self.client.batches.create(
                    input_file_id=record.file,
                    endpoint=f"/v1{record.path}",  # type: ignore[arg-type, unused-ignore]
                    completion_window="24h",
                    metadata={TOKEN: record.token},
                )
        except Exception as error:
            fault = understood(self.model, error)
            if isinstance(fault, UnavailableError):
                raise fault from None
            self._note(replace(record, status="uploaded"))  # it was not made
            raise self._fatal(fault) from error
        return replace(record, batch=batch.id, status=batch.status)

    async def _adopted(self, record: Record) -> Record | None:
        """The batch that bears the record's token, if the server has it."""

        async def find() -> Record | None:
            async for batch in self.client.batches.list(limit=100):
                if (batch.metadata or {}).get(TOKEN) == record.token:
                    return replace(record, batch=batch.id, status="in_progress")
            return None

        return await self._patiently(find)

    async def _fetch(self, record: Record) -> None:
        """Download what a batch has brought."""
        _, output, errors = self._files(record)
        for file, path in ((record.output, output), (record.errors, errors)):
            if not file or path.exists():
                continue
            temporary = path.with_suffix(".tmp")

            async def download(file: str = file, temporary: Path = temporary) -> None:
                content = self.client.files.with_streaming_response.content(file)
                async with content as response:
                    await response.stream_to_file(temporary)

            await self._patiently(download, DOWNLOAD)
            temporary.replace(path)

    async def _patiently(self, call: Callable[[], Awaitable[T]], limit: float = CALL) -> T:
        """What a call gives that may be made twice; it is, when the server fails."""
        attempts = 0
        while True:
            try:
                async with asyncio.timeout(limit):
                    return await call()
            except Exception as error:
                fault = understood(self.model, error)
                attempts += 1
                if not isinstance(fault, UnavailableError) or attempts > RETRIES:
                    raise self._fatal(fault) from error
            await self._pause(attempts, fault)

    async def _pause(self, attempts: int, fault: UnavailableError) -> None:
        pause = min(60, self.model.poll, 2**attempts / 2) * random.uniform(0.5, 1)
        pause = max(fault.wait or 0, pause)
        if pause >= QUIET:
            _log.warning("%s", waiting(self.model, fault, pause))
        await asyncio.sleep(pause)

    def _fatal(self, fault: Exception) -> Exception:
        if isinstance(fault, UnavailableError | RefusedError):
            remark = "; nothing is lost, and the same command goes on"
            return ModelError(f"model {self.model.spec}: {fault}{remark}")
        return fault

    # --- what came back ------------------------------------------------------------------------

    def _collected(self, record: Record) -> Iterator[Completion]:
        """The completions that a batch brought; what it did not answer stays wanted."""
        _, output, errors = self._files(record)
        for path in (output, errors):
            for row in _rows(path):
                yield from self._completions(row)

    def _completions(self, row: Any) -> Iterator[Completion]:
        name, seed = _split_id(row["custom_id"])
        request = self.wanted.get(name)
        if request is None:
            return
        request = replace(request, seed=seed)  # the one that it was asked with
        try:
            answer = understand(self._payload(row))
        except UnavailableError as fault:
            self.why = str(fault)
            return
        except RefusedError as refusal:
            self.refused += refusal.reason is FinishReason.ERROR
            if not self.answered and self.refused >= HOPELESS:
                raise ModelError(
                    f"model {self.model.spec}: the first {HOPELESS} requests all failed: {refusal}"
                ) from None
            del self.wanted[name]
            yield from Completion.failures(request, str(refusal), refusal.reason)
            return
        self.answered += 1
        del self.wanted[name]
        found = completions(request, answer, self.model.name)
        yield from found
        if len(found) < request.count:
            more = rest(request, len(found))
            self.wanted[_name(more)] = more

    def _payload(self, row: Any) -> Any:
        """The body of the response in a row of a batch's output."""
        response = row.get("response") or {}
        status, body = response.get("status_code"), response.get("body")
        if status == 200:
            return body
        if not status:
            raise UnavailableError(str(row.get("error")))
        raise self.model.trouble(status, {}, json.dumps(body).encode())


def _name(request: Request) -> str:
    """What a request is called in a model's batches."""
    return f"{request.hash}:{request.stage}:{request.sample}:{request.count}"


def _split_id(identifier: str) -> tuple[str, int]:
    """A request's name, and the seed that it was submitted with."""
    name, _, seed = identifier.rpartition(":")
    return name, int(seed)


def _rows(path: Path) -> Iterator[Any]:
    """The rows of a file that may not be there; lines that are none are passed over."""
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
