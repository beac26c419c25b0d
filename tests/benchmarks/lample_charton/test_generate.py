from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from calculus_harness.benchmarks.lample_charton.codec.released import read
from calculus_harness.harness.cli.main import cli


def generate(*options: str) -> str:
    result = CliRunner().invoke(cli, ["generate", "lample-charton", *options])
    assert result.exit_code == 0, result.output
    return result.output


def test_any_number_of_workers_writes_the_same_file(tmp_path: Path) -> None:
    single, double, pairs = tmp_path / "one.jsonl", tmp_path / "two.jsonl", tmp_path / "pairs"
    common = ("--method", "bwd", "--count", "40", "--seed", "3", "--max-operators", "4")
    generate(*common, "--workers", "1", "--out", str(single))
    generate(*common, "--workers", "2", "--out", str(double), "--pairs", str(pairs))
    assert single.read_bytes() == double.read_bytes()
    rows = [json.loads(line) for line in single.read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == 40
    assert [" ".join(line.integrand) for line in read(pairs)] == [
        row["metadata"]["prefix"] for row in rows
    ]


@pytest.mark.parametrize(
    "options", [(), ("--method", "sideways"), ("--method", "bwd", "--operators", "0")]
)
def test_bad_options(options: tuple[str, ...], tmp_path: Path) -> None:
    out = str(tmp_path / "x.jsonl")
    result = CliRunner().invoke(cli, ["generate", "lample-charton", *options, "--out", out])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
