"""What a program runs on: versions of packages, and the commit of a checkout."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = (
    "calculus-harness",
    "sympy",
    "python-flint",
    "numpy",
    "scipy",
    "jinja2",
    "vllm",
    "openai",
    "transformers",
    "torch",
    "datasets",
)


@cache
def environment() -> dict[str, Any]:
    """Versions of Python, the system and packages, and the commit where this is a checkout."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": packages,
        "git": _git(),
    }


def _git() -> dict[str, Any] | None:
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None

    def ask(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
        return done.stdout.strip()

    try:
        commit = ask("rev-parse", "HEAD")
        changed = bool(ask("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "changed": changed}


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
