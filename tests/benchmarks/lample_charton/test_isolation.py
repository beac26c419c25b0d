from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[3]


def run(script: str) -> str:
    """Output of a script with an import of `isolation`."""
    head = "from calculus_harness.benchmarks.lample_charton.algebra import isolation\n"
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(script)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


def test_a_copy_leaves_nothing_behind() -> None:
    script = """
    seen = []
    def note(word):
        seen.append(word)
        return {"seen": seen}
    print(isolation.run_in_fork(note, "a"), isolation.run_in_fork(note, "b"), seen)
    """
    assert run(script) == "{'seen': ['a']} {'seen': ['b']} []"


def test_a_copy_that_is_lost() -> None:
    script = """
    import os, signal
    def hungry():
        raise MemoryError
    def killed():
        os.kill(os.getpid(), signal.SIGKILL)
    def endless():
        while True:
            pass
    for function in (hungry, killed, endless):
        try:
            isolation.run_in_fork(function, processor_seconds=1)
        except isolation.ForkError as error:
            print(error)
    """
    assert run(script).splitlines() == ["out of memory", "ended with -9", "ended with -9"]


def test_a_fault_of_ours_is_not_hidden() -> None:
    script = """
    def wrong():
        return {}["missing"]
    try:
        isolation.run_in_fork(wrong)
    except RuntimeError as error:
        print(str(error).splitlines()[-1])
    """
    assert run(script) == "KeyError: 'missing'"


def test_a_long_value_does_not_block() -> None:
    assert run("print(len(isolation.run_in_fork(lambda: 'x' * 1_000_000)))") == "1000000"
