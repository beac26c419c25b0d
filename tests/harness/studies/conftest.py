"""A run on integrals whose answers a test writes down."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.harness.conftest import Command

#: After each answer a line follows that begins with a stop string of the prompt.
MODEL = """
ANSWERS = {answers!r}

def answer(messages, seed):
    return ANSWERS[messages[-1]["content"]] + {after!r}
"""
PROMPT = """+++
task = "integration"
description = "The integrand alone."
stop = ["Question:"]
+++
{% call user() %}{{ integrand }}{% endcall %}
"""


@pytest.fixture
def answered(cli: Command, tmp_path: Path) -> Callable[[Mapping[str, str], str], Path]:
    """A function from answers by integrand, and the line after each answer, to a run."""

    def ask(answers: Mapping[str, str], behind: str) -> Path:
        (tmp_path / "asked.py").write_text(MODEL.format(answers=answers, after=behind))
        (tmp_path / "bare.jinja").write_text(PROMPT)
        rows = ({"integrand": integrand, "id": str(n)} for n, integrand in enumerate(answers))
        (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        words = ["--model", "python/asked.py:answer", "--benchmark", "./own.jsonl"]
        done = cli("sweep", *words, "--prompt", "./bare.jinja", "--out", "run")
        assert done.returncode == 0, done.stderr
        return tmp_path / "run"

    return ask
