"""Terminates processes at the end of their starter, even by SIGKILL.

A killed process cannot clean up, and children may keep a GPU. A guard process runs the file and
waits for the end of a pipe, which closes when the guard's parent ends.
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

#: Seconds from SIGTERM to SIGKILL.
GRACE_PERIOD = 10.0


class ProcessGuard:
    """Terminates the watched processes at the end of the process, or on `release`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__))],
            stdin=subprocess.PIPE,
            start_new_session=True,  # not stopped by Ctrl-C or a closed terminal
            text=True,
        )
        self._watched: set[int] = set()

    def watch(self, pids: Iterable[int]) -> None:
        """Watch processes, with descendants and process groups."""
        import psutil

        assert self._process.stdin is not None
        for pid in set(pids) - self._watched:
            # The process may have ended, or the guard been released.
            with contextlib.suppress(psutil.NoSuchProcess, BrokenPipeError, ValueError):
                self._process.stdin.write(f"{pid} {psutil.Process(pid).create_time()}\n")
                self._process.stdin.flush()
                self._watched.add(pid)

    def release(self) -> None:
        """Terminate the watched processes that are still running, and wait for the end."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()


def terminate(processes: Iterable[tuple[int, float]]) -> None:
    """Terminate processes, given by id and time of creation, with descendants and groups.

    SIGTERM first, and SIGKILL after `GRACE_PERIOD` seconds.
    """
    import psutil

    targets = {process for pid, created in processes for process in _family(pid, created)}
    for send_signal in (psutil.Process.terminate, psutil.Process.kill):
        for process in targets:
            with contextlib.suppress(psutil.NoSuchProcess):
                send_signal(process)
        deadline = time.monotonic() + GRACE_PERIOD
        while any(map(_is_running, targets)) and time.monotonic() < deadline:
            time.sleep(0.05)


def _family(pid: int, created: float) -> set[psutil.Process]:
    """Return a process, the descendants, and the members of the process group."""
    import psutil

    family, leads = set(), True
    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
        process = psutil.Process(pid)
        if process.create_time() != created:
            return set()  # the id belongs to another process now
        family = {process, *process.children(recursive=True)}
        leads = os.getpgid(pid) == pid
    if leads:
        for process in psutil.process_iter():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.getpgid(process.pid) == pid:
                    family.add(process)
    return family


def _is_running(process: psutil.Process) -> bool:
    import psutil

    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def main() -> None:
    """Wait for the end of standard input; then terminate the processes in the input's lines."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    lines = [line.split() for line in sys.stdin]
    terminate((int(pid), float(created)) for pid, created in lines)


if __name__ == "__main__":
    main()
