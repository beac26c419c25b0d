"""A single process at a time in a directory, also on file systems without working locks.

On some network disks `flock` succeeds for everybody. Therefore the process with the lock also
writes its identity into a file, with a number that increments every second. A process that finds
such a record is refused if the writer lives: on the same machine the process is looked up, on
another machine the number changes. The record of a killed process does not change.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

import filelock

#: Seconds between two changes of a writer's record, and seconds to wait for a change.
BEAT, PATIENCE = 1.0, 3.5


class LockedError(Exception):
    """Another process has the directory."""


@contextmanager
def exclusive(directory: Path) -> Iterator[None]:
    """Hold a directory, or raise `LockedError`."""
    lock = filelock.FileLock(directory / ".lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise LockedError(str(directory)) from None
    record = directory / ".writer"
    try:
        if _alive(record):
            raise LockedError(str(directory))
        with _recorded(record):
            yield
    finally:
        lock.release()


@contextmanager
def _recorded(record: Path) -> Iterator[None]:
    me = {"place": _process_namespace(), "process": os.getpid(), "token": token_hex(8)}
    ended = threading.Event()

    def beat() -> None:
        count = 0
        while not ended.wait(BEAT):
            count += 1
            with suppress(OSError), record.open("r+") as file:  # never made again once it is gone
                file.write(json.dumps(me | {"beat": count}))

    record.write_text(json.dumps(me | {"beat": 0}))
    thread = threading.Thread(target=beat, name="run-lock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        record.unlink(missing_ok=True)


def _alive(record: Path) -> bool:
    """Whether the writer of a record lives."""
    record_text = _text(record)
    if record_text is None:
        return False
    try:
        writer = json.loads(record_text)
        on_this_machine, process = writer["place"] == _process_namespace(), int(writer["process"])
    except (ValueError, KeyError, TypeError):
        on_this_machine, process = False, 0
    if on_this_machine and process != os.getpid():
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # of another user, alive
            pass
    # The process number may belong to another process by now; only a living writer changes the
    # record.
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(BEAT / 4)
        if _text(record) not in (record_text, None):
            return True
    return False


def _text(record: Path) -> str | None:
    try:
        return record.read_text(errors="replace")
    except OSError:
        return None


def _process_namespace() -> str:
    """The machine and the namespace of process numbers, separate for each container."""
    space = ""
    with suppress(OSError):
        space = str(Path("/proc/self/ns/pid").readlink())
    return f"{socket.gethostname()} {space}".strip()
