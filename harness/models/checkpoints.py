"""Identities of weights behind a path or a hub's name: other weights are another model."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..core.errors import ModelError, install

#: Suffixes of weight files: of large ones only some blocks are read, evenly spread.
WEIGHTS = frozenset({".safetensors", ".bin", ".pt", ".pth", ".gguf", ".ckpt", ".msgpack", ".h5"})
BLOCKS, BLOCK = 256, 4096


def directory_hash(directory: Path) -> str:
    """Return 16 hexadecimal digits that change with any file of a model's directory.

    For large weight files the digits cover the size and 256 blocks of 4 KiB: two checkpoints of a
    training run differ nearly everywhere except in the headers.
    """
    total = hashlib.sha256()
    paths = (path for path in directory.rglob("*") if path.is_file())
    for path in sorted(path.relative_to(directory) for path in paths):
        if not any(component.startswith(".") for component in path.parts):
            total.update(f"{path.as_posix()}\0{file_hash(directory / path)}\n".encode())
    return total.hexdigest()[:16]


def file_hash(path: Path) -> str:
    """Return a hexadecimal hash of a file's content; see `directory_hash` for large weights."""
    with path.open("rb") as file:
        size = path.stat().st_size
        if path.suffix not in WEIGHTS or size <= BLOCKS * BLOCK:
            return hashlib.file_digest(file, "sha256").hexdigest()
        hashed = hashlib.sha256(str(size).encode())
        for block in range(BLOCKS):
            file.seek(block * (size - BLOCK) // (BLOCKS - 1))
            hashed.update(file.read(BLOCK))
        return hashed.hexdigest()


def hub_commit(repository: str, revision: str = "") -> str:
    """Return the commit of a revision of a hub's repository; offline, the cached commit.

    Raises:
        ModelError: The repository is unknown, or the extra for hub access is not installed.

    """
    if re.fullmatch("[0-9a-f]{40}", revision):
        return revision
    try:
        from huggingface_hub import HfApi, try_to_load_from_cache
    except ImportError:
        raise ModelError(
            f"{repository} is no directory, and the hub cannot be asked for it: "
            f"it needs the extra 'vllm' or 'train', as in {install('train')}"
        ) from None
    try:
        sha = HfApi().model_info(repository, revision=revision or None, timeout=30).sha
        if sha:
            return str(sha)
    except Exception as error:  # offline, unknown, gated: the cache may still have it
        reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    else:
        reason = "the hub names no commit"
    try:
        cached = try_to_load_from_cache(repository, "config.json", revision=revision or None)
    except ValueError:  # not a valid name of a repository
        cached = None
    if isinstance(cached, str):
        return Path(cached).parent.name
    raise ModelError(
        f"{repository} is neither a directory nor a model known to the hub or its cache ({reason})"
    )
