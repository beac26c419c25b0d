"""Shared by the kinds that run `transformers`: the optional imports, the device, batches."""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, TypeVar

from ...core.errors import ModelError, install, reason_of
from ..placement import Placement

T = TypeVar("T")


def import_module(name: str, kind: str) -> Any:
    """Import a module of the extra ``train``; raises `ModelError` if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ModelError(
            f"models of the kind {kind} need the extra 'train': {install('train')}"
        ) from None


def device_of(option: str, torch: Any) -> str:
    """Return the device of an option: by default the GPU, if there is one."""
    return option or ("cuda" if torch.cuda.is_available() else "cpu")


def batch_placement(device: str, batch_size: int) -> Placement:
    """What engines of such a kind need of a cluster: a GPU each, where it has some."""
    gpus = 0 if device == "cpu" else 1
    return Placement(gpus=gpus, without_gpu=not device, at_once=batch_size, block=batch_size)


def load_error(spec: str, error: Exception) -> ModelError:
    """Return the error for a model that cannot be loaded, with the reason in one line."""
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
