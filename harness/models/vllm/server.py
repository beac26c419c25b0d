"""vLLM as a server of its own: `vllm-server/NAME` starts it, asks it and stops it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ...core.errors import ModelError
from ...core.requests import Completion, Request
from ..base import Continuation, Scored, operational
from ..openai.client import OpenAIModel
from .options import VllmModel
from .process_guard import Guard

Answered = TypeVar("Answered")

#: Seconds between two looks at a server that is starting, and between two remarks about it.
LOOK, REMARK = 0.25, 30.0
#: Characters of a dead server's log that are shown.
TAIL = 1500

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class VllmServer(VllmModel):
    """A model behind vLLM's own server, which is started for the sweep and stopped after it.

    For what only the server has, such as data parallel engines with a front end each
    (``-M data-parallel-size=8 -M api-server-count=4``). It listens on a free port of this machine,
    and is stopped on every way out, a kill of the sweep included. It has ``startup_timeout``
    seconds to load the model. It is asked like any server that speaks the OpenAI protocol,
    ``concurrency`` requests at once.
    """

    concurrency: int = operational(256)
    startup_timeout: float = operational(3600.0)
    request_timeout: float = operational(86_400.0)

    example: ClassVar[str] = (
        "run.py sweep --model vllm-server/Qwen/Qwen3-8B -M data-parallel-size=8 "
        "-M reasoning-parser=qwen3 --benchmark bee -n 4"
    )

    def __post_init__(self) -> None:
        if self.concurrency < 1 or min(self.startup_timeout, self.request_timeout) <= 0:
            raise ValueError("concurrency, startup-timeout and request-timeout must be positive")
        super().__post_init__()

    def parser(self) -> Any:
        from vllm.entrypoints.launchers.cli_args import make_arg_parser
        from vllm.utils.argparse_utils import FlexibleArgumentParser

        return make_arg_parser(FlexibleArgumentParser())

    def _ours(self) -> Iterator[str]:
        yield from super()._ours()
        if "generation-config" not in dict(self.engine):
            # Otherwise the model's own generation_config.json would set what a request leaves out.
            yield "--generation-config=vllm"
        if self.chat_template:
            yield f"--chat-template={Path(self.chat_template).resolve()}"
        if self.reasoning_parser:
            yield f"--reasoning-parser={self.reasoning_parser}"
        if self.lora:
            yield f"--lora-modules=adapter={Path(self.lora).resolve()}"

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        server = await self._server.started()
        async with aclosing(server.while_alive(server.client.complete(requests))) as answers:
            async for completion in answers:
                yield completion

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        server = await self._server.started()
        client = replace(server.client, concurrency=1) if self.scores_singly else server.client
        async with aclosing(server.while_alive(client.score(texts))) as scores:
            async for scored in scores:
                yield scored

    async def close(self) -> None:
        await self._server.stop()

    @cached_property
    def _server(self) -> _Lifecycle:
        return _Lifecycle(self)


class _Lifecycle:
    """Starts a model's server once, and stops it on every way out."""

    def __init__(self, model: VllmServer) -> None:
        self._model = model
        self._server: _Server | None = None
        self._starting: asyncio.Task[None] | None = None

    async def started(self) -> _Server:
        if self._server is None or self._starting is None:
            self._server = _Server(self._model)
            self._starting = asyncio.create_task(self._server.answers())
        try:
            await asyncio.shield(self._starting)
        except BaseException:
            await self.stop()
            raise
        return self._server

    async def stop(self) -> None:
        server, starting = self._server, self._starting
        self._server = self._starting = None
        if starting is not None:
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
        if server is not None:
            await asyncio.to_thread(server.stop)


class _Server:
    """A server process, from its start on."""

    def __init__(self, model: VllmServer) -> None:
        self.model = model
        name = f"harness-{secrets.token_hex(4)}"  # so that it is known for ours
        self.address = f"http://127.0.0.1:{_free_port()}"
        self.client = OpenAIModel(
            spec=f"openai/{'adapter' if model.lora else name}",
            base_url=f"{self.address}/v1",
            api_key_env="",
            server="vllm",
            chat_template_kwargs=json.dumps(model.template_arguments),
            concurrency=model.concurrency,
            request_timeout=model.request_timeout,
            time_limit=2 * model.request_timeout,
        )
        self._name = name
        self._begun = time.monotonic()
        self._log = tempfile.NamedTemporaryFile(  # noqa: SIM115 (it is read as long as the server)
            "w+", prefix="vllm-server-", suffix=".log", errors="replace", delete=False
        )
        command = [
            *(sys.executable, "-m", "vllm.entrypoints.openai.api_server", *model.arguments),
            *("--host=127.0.0.1", f"--port={self.address.rpartition(':')[2]}"),
            f"--served-model-name={name}",
        ]
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        environment.pop("VLLM_API_KEY", None)
        self._guard = Guard()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,  # Ctrl-C is for us, who stop it
        )
        self._guard.watch([self._process.pid])

    @property
    def _dead(self) -> bool:
        return self._process.poll() is not None

    def _post_mortem(self, what: str) -> ModelError:
        text = Path(self._log.name).read_text(encoding="utf-8", errors="replace").rstrip()
        return ModelError(
            f"model {self.model.spec}: {what}; its log, {self._log.name}, ends:\n{text[-TAIL:]}"
        )

    async def answers(self) -> None:
        """Wait until it can be asked."""
        remark = self._begun + REMARK
        while not await asyncio.to_thread(self._is_up):
            now = time.monotonic()
            if self._dead:
                raise self._post_mortem(f"vLLM's server did not start ({self._ended})")
            if now > self._begun + self.model.startup_timeout:
                raise self._post_mortem(f"not up after {self.model.startup_timeout:g} s")
            if now > remark:
                remark = now + REMARK
                _log.warning("%s: loading for %.0f s", self.model.spec, now - self._begun)
            await asyncio.sleep(LOOK)

    def _is_up(self) -> bool:
        """Whether the server at the port is up, and is this one."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.address}/health", timeout=10):
                pass
            with opener.open(f"{self.address}/v1/models", timeout=10) as answer:
                return self._name in {model["id"] for model in json.load(answer)["data"]}
        except (OSError, ValueError, KeyError):
            return False

    @property
    def _ended(self) -> str:
        status = self._process.returncode
        return f"killed by signal {-status}" if status < 0 else f"exit status {status}"

    async def while_alive(
        self, answers: AsyncGenerator[Answered, None]
    ) -> AsyncGenerator[Answered, None]:
        """The answers, up to the server's death, which is an error."""
        drawing: asyncio.Future[Answered] | None = None
        try:
            while True:
                drawing = drawing or asyncio.ensure_future(anext(answers))
                done, _ = await asyncio.wait({drawing}, timeout=1.0)
                if done:
                    found, drawing = drawing, None
                    try:
                        answer = found.result()
                    except StopAsyncIteration:
                        return
                    except ModelError as error:
                        if self._dead:
                            raise self._died() from error
                        raise
                    yield answer
                elif self._dead:
                    raise self._died()
        finally:
            if drawing is not None:
                drawing.cancel()
                await asyncio.gather(drawing, return_exceptions=True)
            await answers.aclose()

    def _died(self) -> ModelError:
        what = f"vLLM's server died ({self._ended}); what was answered is stored, and the same "
        return self._post_mortem(what + "command goes on")

    def stop(self) -> None:
        """Stop it, and whatever it has started, and forget its log unless it died by itself."""
        died = self._dead
        self._guard.release()
        self._process.wait()
        self._log.close()
        if not died:
            Path(self._log.name).unlink(missing_ok=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
