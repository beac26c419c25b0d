"""Shared code of the kinds with `transformers`: optional imports, devices, batches."""

from __future__ import annotations

import asyncio
import importlib
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from ...core.errors import ModelError, needing, reason_of
from ...core.requests import Completion, Request
from ..base import Capability, Model, operational
from ..checkpoints import directory_hash
from ..placement import Placement

T = TypeVar("T")


def import_module(name: str, kind: str) -> Any:
    """Import a module of the extra ``train``; raises `ModelError` if not installed."""
    with needing(f"models of the kind {kind} need the extra 'train'", "train", ModelError):
        return importlib.import_module(name)


def device_of(option: str, torch: Any) -> str:
    """Return the device of an option: by default the GPU, if available."""
    return option or ("cuda" if torch.cuda.is_available() else "cpu")


def batch_placement(device: str, batch_size: int) -> Placement:
    """The needs of engines on a cluster: a GPU each, or CPUs without GPUs."""
    gpus = 0 if device == "cpu" else 1
    return Placement(gpus=gpus, without_gpu=not device, at_once=batch_size, block=batch_size)


def load_error(spec: str, error: Exception) -> ModelError:
    """Return the error for an unloadable model, with the reason in a line."""
    return ModelError(f"model {spec} cannot be loaded: {reason_of(error)}")


async def batches(items: AsyncIterator[T], size: int) -> AsyncGenerator[list[T], None]:
    """Yield lists of ``size`` items; the last may be shorter."""
    batch: list[T] = []
    async for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


@dataclass(frozen=True, kw_only=True)
class BatchModel(Model):
    """A model in a directory, with a single answer to every problem, in batches."""

    device: str = operational("")  # "": a GPU if there is one
    batch_size: int = operational(64)

    @property
    @abstractmethod
    def _folder(self) -> Path: ...

    @abstractmethod
    def _answer(self, requests: Sequence[Request]) -> list[Completion]: ...

    @property
    def deterministic(self) -> bool:
        return True

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities | {Capability.SEED}

    def fingerprint(self) -> dict[str, Any]:
        # The path is not part of the identity.
        return {"spec": self.spec.partition("/")[0], "files": self._hash}

    @cached_property
    def _hash(self) -> str:
        return directory_hash(self._folder)

    @property
    def placement(self) -> Placement:
        return batch_placement(self.device, self.batch_size)

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for batch in batches(requests, self.batch_size):
            for completion in await asyncio.to_thread(self._answer, batch):
                yield completion

    async def close(self) -> None:
        self.__dict__.pop("_loaded", None)
