"""vLLM's own server, started and stopped with the sweep: `vllm-server/NAME`."""

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
from .process_guard import ProcessGuard

T = TypeVar("T")

#: Seconds between checks of a starting server, and between messages about it.
POLL_INTERVAL, LOG_INTERVAL = 0.25, 30.0
#: The number of characters shown of a crashed server's log.
LOG_TAIL = 1500

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class VllmServer(VllmModel):
    """A model behind vLLM's own server, which runs as long as the sweep.

    For features of the server alone, such as data parallel engines with several front ends (``-M
    data-parallel-size=8 -M api-server-count=4``). The server listens on a free port of this machine
    and stops with the sweep, even after a kill. Loading the model may take ``startup_timeout``
    seconds. The server gets ``concurrency`` requests at once, in the OpenAI protocol.
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

    def _own_arguments(self) -> Iterator[str]:
        yield from super()._own_arguments()
        if "generation-config" not in dict(self.engine):
            # By default the model's generation_config.json would set parameters that requests leave
            # out.
            yield "--generation-config=vllm"
        if self.chat_template:
            yield f"--chat-template={Path(self.chat_template).resolve()}"
        if self.reasoning_parser:
            yield f"--reasoning-parser={self.reasoning_parser}"
        if self.lora:
            yield f"--lora-modules=adapter={Path(self.lora).resolve()}"

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        server = await self._server.started()
        async with aclosing(server.while_alive(server.client.complete(requests))) as completions:
            async for completion in completions:
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
    def _server(self) -> _ServerLifecycle:
        return _ServerLifecycle(self)


class _ServerLifecycle:
    """Starts a model's server once, and stops the server."""

    def __init__(self, model: VllmServer) -> None:
        self._model = model
        self._server: _ServerProcess | None = None
        self._starting: asyncio.Task[None] | None = None

    async def started(self) -> _ServerProcess:
        if self._server is None or self._starting is None:
            self._server = _ServerProcess(self._model)
            self._starting = asyncio.create_task(self._server.wait_until_up())
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


class _ServerProcess:
    """A running server process."""

    def __init__(self, model: VllmServer) -> None:
        self.model = model
        name = f"harness-{secrets.token_hex(4)}"  # tells this server from another at the port
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
            probe=0.0,  # it is asked when it says that it is ready
        )
        self._name = name
        self._started_at = time.monotonic()
        self._log = tempfile.NamedTemporaryFile(  # noqa: SIM115 (open as long as the server)
            "w+", prefix="vllm-server-", suffix=".log", errors="replace", delete=False
        )
        command = [
            *(sys.executable, "-m", "vllm.entrypoints.openai.api_server", *model.arguments),
            *("--host=127.0.0.1", f"--port={self.address.rpartition(':')[2]}"),
            f"--served-model-name={name}",
        ]
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        environment.pop("VLLM_API_KEY", None)
        self._guard = ProcessGuard()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,  # Ctrl-C stops the sweep, which stops the server
        )
        self._guard.watch([self._process.pid])

    @property
    def _exited(self) -> bool:
        return self._process.poll() is not None

    def _error_with_log(self, problem: str) -> ModelError:
        text = Path(self._log.name).read_text(encoding="utf-8", errors="replace").rstrip()
        return ModelError(
            f"model {self.model.spec}: {problem}; its log, {self._log.name}, ends:\n"
            f"{text[-LOG_TAIL:]}"
        )

    async def wait_until_up(self) -> None:
        """Wait until the server takes requests.

        Raises:
            ModelError: The server ended, or was not up in time.

        """
        next_log = self._started_at + LOG_INTERVAL
        while not await asyncio.to_thread(self._is_up):
            now = time.monotonic()
            if self._exited:
                raise self._error_with_log(f"vLLM's server did not start ({self._exit_status})")
            if now > self._started_at + self.model.startup_timeout:
                raise self._error_with_log(f"not up after {self.model.startup_timeout:g} s")
            if now > next_log:
                next_log = now + LOG_INTERVAL
                _log.warning("%s: loading for %.0f s", self.model.spec, now - self._started_at)
            await asyncio.sleep(POLL_INTERVAL)

    def _is_up(self) -> bool:
        """Whether a server at the port is up, and is a child of the process."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.address}/health", timeout=10):
                pass
            with opener.open(f"{self.address}/v1/models", timeout=10) as response:
                return self._name in {model["id"] for model in json.load(response)["data"]}
        except (OSError, ValueError, KeyError):
            return False

    @property
    def _exit_status(self) -> str:
        status = self._process.returncode
        return f"killed by signal {-status}" if status < 0 else f"exit status {status}"

    async def while_alive(self, results: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
        """Yield results; raises `ModelError` as soon as the server process ends."""
        drawing: asyncio.Future[T] | None = None
        try:
            while True:
                drawing = drawing or asyncio.ensure_future(anext(results))
                # A dead server may leave requests without any error: look at the process every
                # second.
                done, _ = await asyncio.wait({drawing}, timeout=1.0)
                if done:
                    finished, drawing = drawing, None
                    try:
                        result = finished.result()
                    except StopAsyncIteration:
                        return
                    except ModelError as error:
                        if self._exited:
                            raise self._crash() from error
                        raise
                    yield result
                elif self._exited:
                    raise self._crash()
        finally:
            if drawing is not None:
                drawing.cancel()
                await asyncio.gather(drawing, return_exceptions=True)
            await results.aclose()

    def _crash(self) -> ModelError:
        problem = (
            f"vLLM's server died ({self._exit_status}); what was answered is stored, and the same "
        )
        return self._error_with_log(problem + "command goes on")

    def stop(self) -> None:
        """Stop the server and its processes; the log of a crashed server is kept."""
        crashed = self._exited
        self._guard.release()
        self._process.wait()
        self._log.close()
        if not crashed:
            Path(self._log.name).unlink(missing_ok=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
