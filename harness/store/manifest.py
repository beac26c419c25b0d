"""The content of a manifest: a run's settings, each model's questions, and the machine."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from ...prompts import Prompt
from ..core.requests import Sampling

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


@dataclass(frozen=True)
class Identity:
    """The unchangeable settings of a run."""

    benchmarks: tuple[str, ...]
    prompts: Mapping[str, Prompt]  # by task
    sampling: Sampling
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """The manifest's form; the `digest` of the form names runs."""
        return {
            "benchmarks": list(self.benchmarks),
            "prompts": {
                task: {"name": prompt.name, "hash": prompt.hash, "source": prompt.source}
                for task, prompt in sorted(self.prompts.items())
            },
            "sampling": self.sampling.to_dict(),
            "seed": self.seed,
        }


@dataclass(frozen=True)
class ModelPlan:
    """The questions of a sweep to a model: the numbers of samples and problems."""

    model: str
    label: str
    config: Mapping[str, Any]
    samples: int
    problems: int
    limit: int | None = None
    deterministic: bool = False


@cache
def environment() -> dict[str, Any]:
    """Versions of Python, the system and packages, and the commit of a checkout."""
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
