"""Baselines of `run.py train hint` as models with a number as the answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from ....benchmarks.hint.images import problem_pictures
from ....benchmarks.hint.pools import ExpressionPoolError
from ....benchmarks.payloads import ArithmeticInputs
from ....rewards.errors import UserError
from ...core.errors import ModelError
from ...core.requests import Completion, Request
from ..base import Capability, operational
from ..transformers.shared import BatchModel, device_of, import_module, load_error
from .sizes import Sizes, answer, source_tokens


@dataclass(frozen=True, kw_only=True)
class Seq2Seq(BatchModel):
    r"""A baseline for HINT, from a directory ``NAME-sSEED`` of `run.py train hint`.

    The network reads the problem's expression, or pictures of the symbols (from the folder
    ``pictures``, by default our drawings), and answers ``\boxed{NUMBER}``, decoded greedily; prompt
    and sampling are ignored. Without a number the answer is empty.
    """

    pictures: str = ""
    batch_size: int = operational(256)

    example: ClassVar[str] = (
        "run.py sweep --model seq2seq/runs/hint/lstm-attention-s0 --benchmark hint"
    )

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise ValueError("batch-size must be positive")
        sizes = self.sizes
        if self.pictures and sizes.inputs != "pictures":
            raise ValueError("pictures: this model reads symbols")

    @property
    def _folder(self) -> Path:
        return Path(self.name_in_spec) / "model"

    @cached_property
    def sizes(self) -> Sizes:
        try:
            return msgspec.json.decode((self._folder / "config.json").read_bytes(), type=Sizes)
        except (OSError, msgspec.MsgspecError) as error:
            raise ModelError(f"model {self.spec}: there is no baseline there: {error}") from None

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities | {Capability.PICTURES}

    @cached_property
    def _loaded(self) -> Any:
        feature = "seq2seq"
        safetensors, torch = (import_module(n, feature) for n in ("safetensors.torch", "torch"))
        networks = import_module(f"{__package__}.networks", feature)
        network = networks.make(self.sizes)
        try:
            network.load_state_dict(safetensors.load_file(self._folder / "model.safetensors"))
        except Exception as error:  # a missing or torn file, weights of another size
            raise load_error(self.spec, error) from None
        return networks, network.to(device_of(self.device, torch)).eval()

    def _answer(self, requests: Sequence[Request]) -> list[Completion]:
        start = time.perf_counter()
        networks, network = self._loaded
        done: list[Completion] = []
        # Unreadable problems fail alone, and the readable problems of the batch go on.
        readable, tokens, symbols = [], [], []
        pictures = problem_pictures(self.pictures) if self.sizes.inputs == "pictures" else None
        for request in requests:
            try:
                read = source_tokens(request.problem.inputs_as(ArithmeticInputs).expression)
                symbols += pictures.symbols(request.problem) if pictures else []
            except (KeyError, ExpressionPoolError, UserError) as error:
                reason = f"this model cannot read {error}"
                done += Completion.failures(request, reason)
                continue
            readable.append(request)
            tokens.append(read)
        if not readable:
            return done
        # One forward pass for all readable problems; the time is shared equally.
        device = next(network.parameters()).device
        windows = networks.windows_of(symbols, device) if pictures else None
        written = network.answers(networks.padded(tokens, device), windows)
        latency = (time.perf_counter() - start) / len(readable)
        for request, row in zip(readable, written, strict=True):
            number = answer(row)
            done.append(
                Completion.to(request, rf"\boxed{{{number}}}" if number else "", latency=latency)
            )
        return done
