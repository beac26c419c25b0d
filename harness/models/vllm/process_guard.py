"""Ends processes when the one that started them is gone, however it went.

A process killed with SIGKILL cannot tidy up, and what it started may hold a GPU for ever. So
another process waits at the end of a pipe that closes with its starter: this file, run by itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

#: Seconds that processes have to end by themselves.
PATIENCE = 10.0


class Guard:
    """Sees to it that the processes that it is told of end with this one, at the latest."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__))],
            stdin=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C and a closed terminal are not for it
            text=True,
        )
        self._known: set[int] = set()

    def watch(self, pids: Iterable[int]) -> None:
        """End these, and what they have started, when this process is gone or `release` is called.

        Where one leads a process group, that is all who are in it.
        """
        import psutil

        assert self._process.stdin is not None
        for pid in set(pids) - self._known:
            # It may be gone, or the guard released, by now.
            with contextlib.suppress(psutil.NoSuchProcess, BrokenPipeError, ValueError):
                self._process.stdin.write(f"{pid} {psutil.Process(pid).create_time()}\n")
                self._process.stdin.flush()
                self._known.add(pid)

    def release(self) -> None:
        """End what is left of them, and wait until it is gone."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()


def end(processes: Iterable[tuple[int, float]]) -> None:
    """End processes, given by number and time of creation, with their descendants and groups.

    SIGTERM first; whoever is still there after `PATIENCE` seconds gets SIGKILL.
    """
    import psutil

    doomed = {found for pid, created in processes for found in _family(pid, created)}
    for ask in (psutil.Process.terminate, psutil.Process.kill):
        for process in doomed:
            with contextlib.suppress(psutil.NoSuchProcess):
                ask(process)
        until = time.monotonic() + PATIENCE
        while any(map(_runs, doomed)) and time.monotonic() < until:
            time.sleep(0.05)


def _family(pid: int, created: float) -> set[psutil.Process]:
    """A process, its descendants, and its group if it leads one or did so until it died."""
    import psutil

    found, leads = set(), True
    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
        process = psutil.Process(pid)
        if process.create_time() != created:
            return set()  # its number was given to another since
        found = {process, *process.children(recursive=True)}
        leads = os.getpgid(pid) == pid
    if leads:
        for process in psutil.process_iter():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.getpgid(process.pid) == pid:
                    found.add(process)
    return found


def _runs(process: psutil.Process) -> bool:
    import psutil

    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def main() -> None:
    """Wait for the end of the starter, and then end what it named, a line each."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    named = [line.split() for line in sys.stdin]
    end((int(pid), float(created)) for pid, created in named)


if __name__ == "__main__":
    main()
