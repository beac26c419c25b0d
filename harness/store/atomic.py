"""Files that are replaced whole or not at all, even by a power cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file whole or not at all: to a temporary name, to disk, then renamed."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(path.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file whole or not at all."""
    with replacing(path) as file:
        file.write(data)


def _sync_directory(directory: Path) -> None:
    """Make renames in a directory last through a power cut."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
