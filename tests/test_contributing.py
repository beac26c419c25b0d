"""The worked examples of CONTRIBUTING.md, in a copy of the repository.

A block with a title is a file to write, or, as a diff, lines to replace in a file. A block of the
console has commands, each followed by expected lines of output.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^### (.+)$", re.MULTILINE)
FOLDERS = ("harness", "prompts", "benchmarks", "rewards", "calculus_harness")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages with every example applied."""
    checkout = tmp_path_factory.mktemp("copy")
    for folder in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, checkout / folder, symlinks=True, ignore=ignored)
    shutil.copy(ROOT / "run.py", checkout)
    for language, title, body in BLOCK.findall(TEXT):
        if language == "diff":
            patch(checkout / title, body)
        elif title:
            assert not (checkout / title).exists()
            (checkout / title).write_text(body, encoding="utf-8")
    return checkout


def patch(path: Path, diff: str) -> None:
    """Replace lines as in the diff."""
    lines = diff.splitlines()
    old = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    new = "\n".join(line[1:] for line in lines if not line.startswith("-"))
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path} has other lines now than CONTRIBUTING.md shows"
    path.write_text(text.replace(old, new), encoding="utf-8")


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every command with expected output."""
    for language, _, body in BLOCK.findall(TEXT):
        if language == "console":
            for block in body.split("$ ")[1:]:
                command, *expected = block.strip().split("\n")
                yield command, expected


def test_every_kind_of_extension_is_shown() -> None:
    extensions = TEXT.partition("## Extensions")[2]
    assert HEADING.findall(extensions) == [
        "A prompt",
        "A benchmark",
        "A function",
        "A task",
        "A model kind",
        "A metric",
        "A reward component",
        "A report section",
    ]


def test_each_is_one_file_and_one_line() -> None:
    for body in HEADING.split(TEXT.partition("## Extensions")[2])[2::2]:
        added = [
            line
            for code, _, diff in BLOCK.findall(body)
            if code == "diff"
            for line in diff.splitlines()
            if line.startswith("+")
        ]
        assert len(added) <= 1
        assert 1 <= len([code for code, title, _ in BLOCK.findall(body) if title]) - len(added) <= 2


@pytest.mark.slow
def test_the_commands_do_what_the_document_says(copy: Path) -> None:
    environment = os.environ | {"PATH": f"{copy}:{os.environ['PATH']}", "PYTHONPATH": str(copy)}
    (copy / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (copy / "python").chmod(0o755)
    for command, expected in commands():
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=copy,
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        for line in expected:
            assert line in done.stdout, f"{command}\n{done.stdout}"
