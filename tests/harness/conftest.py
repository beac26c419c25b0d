"""A small deterministic model, and a way to call the command line as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from calculus_harness.harness.cli.main import cli as commands

ROOT = Path(__file__).parents[2]

#: Answers depend on the seed only. With ASKED in the environment it notes every request there;
#: SHARD makes the shards of the run's logs so small that they are sealed all the time.
MODEL = r"""
import asyncio, os, random

from calculus_harness.harness.store.log import appending

appending.SHARD_BYTES = int(os.environ.get("SHARD", appending.SHARD_BYTES))

async def answer(messages, seed):
    chance = random.Random(seed)
    if "ASKED" in os.environ:
        with open(os.environ["ASKED"], "a") as file:
            file.write(f"{seed}\n")
    await asyncio.sleep(chance.uniform(0, float(os.environ.get("SLOW", "0"))))
    return chance.choice([
        "So it is $\\boxed{(x-1)e^x + C}$.", r"\boxed{x^2}", r"\boxed{\frac{}", "I do not know.",
        r"\boxed{\int f\,dx}", "é ∫ \u2028 \\boxed{\\sin x}", "",
    ])
"""

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def model(tmp_path: Path) -> str:
    """The spec of the deterministic model."""
    path = tmp_path / "model.py"
    path.write_text(MODEL, encoding="utf-8")
    return f"python/{path}:answer"


@pytest.fixture
def bench(tmp_path: Path) -> str:
    """The spec of a benchmark: 24 problems in the subsets `easy` and `hard`."""
    path = tmp_path / "bench.jsonl"
    rows = [
        {"integrand": f"{n} x e^x", "id": f"{subset}{n}", "subset": subset}
        for subset in ("easy", "hard")
        for n in range(1, 13)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command line in an empty directory and return output and status.

    The command runs in the test's process, but with environment variables in a new process.
    """

    def call(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        words = list(map(str, arguments))
        if environment:
            return run_process(*words, cwd=tmp_path, environment=environment)
        with monkeypatch.context() as changed, warnings.catch_warnings():
            changed.chdir(tmp_path)
            changed.setattr(warnings, "formatwarning", warnings.formatwarning)
            changed.setattr(warnings, "showwarning", _print_warning)
            warnings.simplefilter("default")
            result = CliRunner().invoke(commands, words, prog_name="run.py")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return subprocess.CompletedProcess(words, result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def process(tmp_path: Path) -> Command:
    """Run the command line in a new process, in an empty directory."""

    def call(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_process(*map(str, arguments), cwd=tmp_path, environment=environment)

    return call


def run_process(
    *words: str, cwd: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "run.py"), *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | environment,
    )


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    """The effect of `warnings` outside pytest, which collects warnings."""
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


def run_with_kills(
    command: list[str], log: Path, kills: Iterable[int], environment: dict[str, str], cwd: Path
) -> None:
    """Run a command to the end after SIGKILLs, each after a number of requests noted in a file."""
    log.touch()
    for kill in kills:
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
        )
        while len(set(log.read_text().splitlines())) < kill and process.poll() is None:
            time.sleep(0.005)
        process.kill()
        process.wait()
    subprocess.run(command, env=environment, check=True, capture_output=True, cwd=cwd)
