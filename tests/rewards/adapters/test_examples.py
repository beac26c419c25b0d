"""The examples run, or, for a missing trainer, load as the trainer would load the file."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from calculus_harness.rewards.adapters import for_verl

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"

PACKAGE = "calculus_harness.rewards"


def run(name: str, tmp_path: Path, *arguments: str) -> str:
    copy = tmp_path / name
    copy.write_text((EXAMPLES / name).read_text("utf-8"))
    done = subprocess.run(
        [sys.executable, str(copy), *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_plain(tmp_path: Path) -> None:
    lines = run("reward_plain.py", tmp_path).splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["1.1", "correct"],
        ["0.0", "incorrect"],
        ["0.0", "not_closed_form"],
    ]


def test_openrlhf(tmp_path: Path) -> None:
    probe = (
        "import runpy, sys; f = runpy.run_path(sys.argv[0])['reward_func']; "
        r"print(f([r'Q\boxed{x^2}<|im_end|>'], ['Q'], ['2x'])['rewards'])"
    )
    copy = tmp_path / "my_reward.py"
    text = (EXAMPLES / "reward_openrlhf.py").read_text("utf-8")
    copy.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", probe.replace("sys.argv[0]", repr(str(copy)))],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() == "[1.1]"


@pytest.mark.serve
def test_http(tmp_path: Path) -> None:
    command = [sys.executable, "run.py", "serve-reward", "--port", "0", "--workers", "1"]
    server = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        address = server.stderr.readline().split()[2].removesuffix("/score,")
        assert run("reward_http.py", tmp_path, address) == "1.0 correct x^2 + C\n"
    finally:
        server.kill()
        server.wait(30)


def test_verl_names_what_is_there() -> None:
    text = (EXAMPLES / "reward_verl.sh").read_text("utf-8")
    module = re.search(r"path=pkg://(\S+)", text)
    assert module is not None
    assert module[1] == for_verl.__name__
    assert "name=compute_score" in text
    options = set(re.findall(r"reward_kwargs\.(\w+)=", text))
    assert options <= for_verl._FIELDS


def test_trl_imports_what_is_there() -> None:
    tree = ast.parse((EXAMPLES / "reward_trl.py").read_text("utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert f"{PACKAGE}.adapters.for_trl" in names
