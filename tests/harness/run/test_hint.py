"""HINT's presets, asked of a function that computes ordinary arithmetic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.benchmarks.problem import JSON, Problem
from calculus_harness.harness import Policy, Run, score, summarise, sweep
from tests.harness.conftest import Command

ORDINARY = """
import re

def answer(messages, seed):
    expression = re.findall(r"(?:What is|Expression:) ([-+*/()0-9]+)", messages[-1]["content"])[-1]
    try:
        value = int(eval(expression))
    except ZeroDivisionError:
        return "I cannot tell."
    boxed = "boxed" in messages[-1]["content"]
    return rf"It is $\\boxed{{{value}}}$." if boxed else f" {value}."
"""
#: How often ordinary arithmetic gives HINT's answer, of all expressions of a split (docs/hint.md).
AGREE = {"I_distinct": 0.342, "SS": 0.305, "LS": 0.089, "SL": 0.522, "LL": 0.086}


@pytest.mark.parametrize("preset", ["hint", "hint-cot", "hint-explained"])
def test_ordinary_arithmetic_has_the_rows_of_both_scorers(
    cli: Command, tmp_path: Path, preset: str
) -> None:
    model, out = tmp_path / "own.py", tmp_path / "run"
    model.write_text(ORDINARY)
    done = cli(
        "sweep", "--preset", preset, "--model", f"python/{model}:answer", "--out", out, "--json"
    )
    assert done.returncode == 0, done.stderr
    rows = {row["subset"]: row["metrics"] for row in json.loads(done.stdout)["rows"]}
    run = Run(out)
    assert len(run.problems) == 500
    for split, rate in AGREE.items():
        problems = [one for one in run.problems.values() if one.subset == split]
        assert len({one.inputs["expression"] for one in problems}) == 100
        found = rows[f"hint/{split}"]
        targets = [one.target for one in problems]
        assert found["hint_answer"] == sum(t["value"] == t["ordinary"] for t in targets) / 100
        assert found["hint_answer"] == pytest.approx(rate, abs=0.15)
        counted = sum(t["ordinary"] not in (0, None) for t in targets) / 100
        assert found["ordinary_arithmetic"] == counted > 0.7


def test_published_scoring_reads_as_the_notebooks(tmp_path: Path) -> None:
    model = tmp_path / "own.py"
    target: dict[str, JSON] = {"value": 4, "ordinary": 3}
    asked = [Problem("p", "arithmetic", "hint", "s", {"expression": "7/2"}, target)]
    published = Policy(method="published")
    for text, expected in (
        (" 3.9 or\nso", (0, 1)),
        (" 4.", (1, 0)),
        (" 1,234", (0, 0)),
        (r" \boxed{4}", (0, 0)),
    ):
        model.write_text(f"def answer(messages, seed): return {text!r}")
        out = tmp_path / f"run{hash(text)}"
        asking = [f"python/{model}:answer"]
        run = sweep(asking, ["hint"], problems=asked, policy=published, out=out)
        (row,) = summarise(run).rows
        assert (row.numbers["HINT answer"], row.numbers["ordinary arithmetic"]) == expected
    boxed = Policy(method="published", strict=True)
    (row,) = summarise(score(run.path, policy=boxed), boxed.name).rows
    assert row.numbers["HINT answer"] == 1
