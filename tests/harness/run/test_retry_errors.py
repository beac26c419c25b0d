"""`--retry-errors`: only samples stored as errors are asked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness import harness
from calculus_harness.harness import Policy, Run
from calculus_harness.harness.core.errors import UserError
from tests.harness.conftest import Command

#: Fails for every third seed as long as the file `broken` exists, and notes what it was asked.
MODEL = r"""
from pathlib import Path

HERE = Path(__file__).parent

def answer(messages, seed):
    with (HERE / "asked").open("a") as file:
        file.write(f"{seed} {messages[-1]['content'][:5]}\n")
    if (HERE / "broken").exists() and seed % 3 == 0:
        raise ValueError("out of order")
    return r"\boxed{x^2}"
"""


@pytest.fixture
def flaky(tmp_path: Path) -> str:
    (tmp_path / "flaky.py").write_text(MODEL)
    (tmp_path / "broken").touch()
    return f"python/{tmp_path / 'flaky.py'}:answer"


def asked_lines(tmp_path: Path) -> list[str]:
    lines = (tmp_path / "asked").read_text().splitlines()
    (tmp_path / "asked").unlink()
    return lines


def test_only_errors_are_asked_again(flaky: str, bench: str, tmp_path: Path, cli: Command) -> None:
    words = ["sweep", "--model", flaky, "--benchmark", bench, "-n", "2", "--out", "run"]
    assert cli(*words).returncode == 0
    harness.score(tmp_path / "run", policy=Policy(strict=True))
    stored = list(Run(tmp_path / "run").completions.rows())
    failed = {row["key"] for row in stored if row["finish_reason"] == "error"}
    assert 0 < len(failed) < len(stored) == len(asked_lines(tmp_path))
    cli(*words)
    assert not (tmp_path / "asked").exists()  # errors are final unless asked for
    (tmp_path / "broken").unlink()
    again = cli(*words, "--retry-errors")
    assert again.returncode == 0
    assert f"{len(failed)} samples stored as errors" in again.stderr
    assert len(asked_lines(tmp_path)) == len(failed)
    run = Run(tmp_path / "run")
    rows = list(run.completions.rows())
    assert {row["key"] for row in rows} == {row["key"] for row in stored}
    assert len(rows) == len(stored)
    assert [row for row in rows if row["key"] not in failed] == [
        row for row in stored if row["key"] not in failed
    ]
    assert all(row["finish_reason"] == "stop" for row in rows)
    keys = [row["key"] for row in run.verdicts(Policy().name).rows()]
    assert sorted(keys) == sorted({row["key"] for row in rows})
    strict = {row["key"] for row in run.verdicts(Policy(strict=True).name).rows()}
    assert strict == {row["key"] for row in stored} - failed  # `score` makes the rest


def test_all_stages_of_a_failed_sample_are_asked_again(
    flaky: str, bench: str, tmp_path: Path
) -> None:
    settings = {"prompt": "two-stage", "limit": 6, "samples": 2, "out": tmp_path / "run"}
    run = harness.sweep([flaky], [bench], **settings)
    rows = list(run.completions.rows())
    failed = {(r["problem"], r["sample"]) for r in rows if r["finish_reason"] == "error"}
    assert failed
    asked_lines(tmp_path)
    (tmp_path / "broken").unlink()
    run = harness.sweep([flaky], [bench], **settings, retry_errors=True)
    assert len(asked_lines(tmp_path)) == 2 * len(failed)
    rows = list(run.completions.rows())
    assert len(rows) == 2 * 12
    assert len({(r["problem"], r["sample"], r["stage"]) for r in rows}) == len(rows)


def test_other_models_and_other_settings_keep_their_errors(
    flaky: str, model: str, bench: str, tmp_path: Path
) -> None:
    harness.sweep([flaky, model], [bench], limit=6, samples=3, out=tmp_path / "run")
    rows = list(Run(tmp_path / "run").completions.rows())
    harness.sweep([model], [bench], limit=6, samples=3, out=tmp_path / "run", retry_errors=True)
    assert list(Run(tmp_path / "run").completions.rows()) == rows
    with pytest.raises(UserError, match="made by another configuration"):
        harness.sweep([flaky], [bench], seed=1, out=tmp_path / "run", retry_errors=True)
    assert list(Run(tmp_path / "run").completions.rows()) == rows


def test_it_is_no_setting(flaky: str, bench: str, tmp_path: Path, cli: Command) -> None:
    (tmp_path / "settings.toml").write_text(
        f"model = {json.dumps([flaky])}\nbenchmark = {json.dumps([bench])}\nretry-errors = true\n"
    )
    done = cli("sweep", "--config", "settings.toml")
    assert done.returncode == 2
    assert "--retry-errors on the command line" in done.stderr
