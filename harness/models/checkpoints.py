"""Which weights a path or a hub's name stands for, so that other weights are another model."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..core.errors import ModelError

#: Files of weights are too large to be read whole: so many blocks of each, evenly spread, are.
WEIGHTS = frozenset({".safetensors", ".bin", ".pt", ".pth", ".gguf", ".ckpt", ".msgpack", ".h5"})
BLOCKS, BLOCK = 256, 4096


def directory_hash(directory: Path) -> str:
    """16 hexadecimal digits that change with any file of a model's directory.

    Of a file of weights they cover its size and 256 blocks of 4 KiB. Two checkpoints of one
    training run have headers and sizes in common and differ nearly everywhere else.
    """
    total = hashlib.sha256()
    paths = (path for path in directory.rglob("*") if path.is_file())
    for path in sorted(path.relative_to(directory) for path in paths):
        if not any(part.startswith(".") for part in path.parts):
            total.update(f"{path.as_posix()}\0{_file_hash(directory / path)}\n".encode())
    return total.hexdigest()[:16]


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        size = path.stat().st_size
        if path.suffix not in WEIGHTS or size <= BLOCKS * BLOCK:
            return hashlib.file_digest(file, "sha256").hexdigest()
        found = hashlib.sha256(str(size).encode())
        for block in range(BLOCKS):
            file.seek(block * (size - BLOCK) // (BLOCKS - 1))
            found.update(file.read(BLOCK))
        return found.hexdigest()


def hub_commit(repository: str, revision: str = "") -> str:
    """The commit that a revision of a hub's repository is now; offline, when it was downloaded."""
    if re.fullmatch("[0-9a-f]{40}", revision):
        return revision
    try:
        from huggingface_hub import HfApi, try_to_load_from_cache
    except ImportError:
        raise ModelError(
            f"{repository} is no directory, and the hub cannot be asked for it: "
            "it needs the extra 'vllm' or 'train', as in pip install 'calculus-harness[train]'"
        ) from None
    try:
        sha = HfApi().model_info(repository, revision=revision or None, timeout=30).sha
        if sha:
            return str(sha)
    except Exception as error:  # offline, unknown, gated: whatever it is, the cache may still know
        reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    else:
        reason = "the hub names no commit"
    try:
        cached = try_to_load_from_cache(repository, "config.json", revision=revision or None)
    except ValueError:  # not a name that a repository can have
        cached = None
    if isinstance(cached, str):
        return Path(cached).parent.name
    raise ModelError(
        f"{repository} is neither a directory nor a model known to the hub or its cache ({reason})"
    )
