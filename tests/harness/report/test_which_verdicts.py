"""The pairs of problems and the verdicts of a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness.rewards.verdict import VERSION
from tests.harness.conftest import Command


def swept(cli: Command, out: str, *words: str) -> None:
    model = "python/answers.py:answer"
    done = cli("sweep", "--model", model, "--benchmark", "drills/monomials", "--out", out, *words)
    assert done.returncode == 0, done.stderr


@pytest.fixture(autouse=True)
def answers(tmp_path: Path) -> None:
    (tmp_path / "answers.py").write_text(
        "def answer(messages, seed):\n    return r'\\boxed{x^2}'\n"
    )


def test_tables_name_their_verdicts_where_a_run_has_several(cli: Command) -> None:
    swept(cli, "one", "--limit", "6")
    swept(cli, "two", "--limit", "6")
    output = cli("report", "one").stdout + cli("compare", "one", "two").stdout
    assert "verdicts" not in output
    scored = cli("score", "one", "--strict").stdout
    assert f"verdicts balls-{VERSION}-strict" in scored.replace("\n", " ")
    policies = {
        f"balls-{VERSION}-strict": ["report", "one"],
        f"balls-{VERSION}": ["compare", "one", "two"],
    }
    for policy, words in policies.items():
        titles = [line for line in cli(*words).stdout.splitlines() if "verdicts" in line]
        assert titles
        assert all(f"verdicts {policy}" in line for line in titles), titles
        table = ["--format", "markdown"] if "report" in words else ["--markdown"]
        assert policy in cli(*words, *table).stdout


def test_a_comparison_says_how_many_problems_pair_and_why(cli: Command) -> None:
    swept(cli, "one", "--limit", "30")
    swept(cli, "two", "--limit", "12")
    first = cli("compare", "one", "two").stdout.splitlines()[1]
    assert first == "12 of the 30 and 12 problems of one and two pair: the limits are 30 and 12."
    swept(cli, "three", "--limit", "12", "--seed", "5")
    first = cli("compare", "one", "three").stdout.splitlines()[1]
    assert first.endswith("pair: the seeds are 0 and 5; the limits are 30 and 12.")
    swept(cli, "four", "--limit", "30")
    first = cli("compare", "one", "four").stdout.splitlines()[1]
    assert first == "All 30 problems of one and four pair."
