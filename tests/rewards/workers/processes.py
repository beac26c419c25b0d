"""Processes for the tests of the worker pool: a check for life, and scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FILE = Path(__file__).with_name("tasks.py")
NAMES = (
    "double",
    "identify",
    "package",
    "hold",
    "spin",
    "behave",
    "crash_unless_first",
    "distracted",
    "slow_at_first",
)
TASKS = {name: f"{FILE}:{name}" for name in NAMES} | {
    "missing": f"{FILE}:missing",
    "absent": "._no_such_module:function",
}


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def wait_for(condition: Callable[[], object], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def run_script(path: Path, *arguments: str, cwd: Path | None = None) -> Any:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, str(path), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=cwd,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "noise at exit"
    return json.loads(done.stdout.splitlines()[-1])
