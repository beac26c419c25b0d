"""Files replaced whole or not at all, even by a power cut."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import IO

from ..core.errors import UserError


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file whole or not at all: to a temporary name, to disk, then renamed."""
    # A name of its own: where a lock failed to keep another writer out, neither takes the other's.
    temporary = path.with_name(f"{path.name}.{token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file whole or not at all."""
    with replacing(path) as file:
        file.write(data)


def write_output(path: Path, data: bytes) -> None:
    """`write_atomically` to the user's path; raises `UserError` where writing fails."""
    with _output(path):
        write_atomically(path, data)


def check_output(path: Path) -> None:
    """Raise `UserError` where `write_output` could not write, before long work."""
    with _output(path), tempfile.NamedTemporaryFile(dir=path.parent):
        pass


@contextmanager
def _output(path: Path) -> Iterator[None]:
    """Make the folder of a file; raises a `UserError` of a single line on failure."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}") from None


def sync_directory(directory: Path) -> None:
    """Make renames in a directory last through a power cut."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
