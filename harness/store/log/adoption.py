"""Shards of several processes, each with a separate log, move into a common log.

A large run is scored by several processes at once (`harness.run.lanes`), while a log has a single
writer. Each process therefore appends to a log in a folder of the common log, and the shards move
after the end of the process.
"""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path

from ...core.errors import RunError
from ...core.exclusive import LockedError, exclusive
from ..atomic import sync_directory
from .reader import LogReader

#: The folder of such logs, and seconds that an orphan of a killed command is given to end before it
#: is said to be in the way.
FOLDER, PATIENCE = "lanes", 10.0


def adopt(directory: Path) -> int:
    """Move the shards of the logs in ``lanes/`` of a log, whose writers have ended, into the log.

    A shard is moved by name alone: a kill leaves the shard at either place. The next process that
    opens the log checks the rows and drops a torn last line.

    Args:
        directory: the log, without other writers.

    Returns:
        The number of moved shards.

    Raises:
        RunError: a left-over process of a killed command is still writing.

    """
    moved = 0
    for lane in sorted((directory / FOLDER).glob("[0-9]*")):
        # A lane of a killed command ends by itself within seconds, as its parent is gone.
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with exclusive(lane):
                    moved += _moved(lane, directory)
                break
            except LockedError:
                if time.monotonic() > end:
                    message = f"{lane} is being written by another process; wait for it to end"
                    raise RunError(message) from None
                time.sleep(0.1)
        shutil.rmtree(lane)
    with suppress(OSError):
        (directory / FOLDER).rmdir()
    if moved:
        sync_directory(directory)
    return moved


def _moved(lane: Path, directory: Path) -> int:
    following = max(LogReader(directory, ()).shards(), default=-1) + 1
    shards = LogReader(lane, ()).shards()
    for number, shard in enumerate(shards, following):
        names = [path.name for path in lane.glob(f"{shard:05}.*") if path.suffix != ".tmp"]
        # A shard that a kill has left in both forms is whole where it is sealed. Rows come last:
        # what is derived of rows that are not there is never read.
        rows = sorted(name for name in names if ".jsonl" in name)[-1:]
        for name in [name for name in names if ".jsonl" not in name] + rows:
            (lane / name).rename(directory / f"{number:05}{name[5:]}")
    return len(shards)
