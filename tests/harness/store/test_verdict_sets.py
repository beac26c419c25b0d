"""The default set of verdicts: a partial set never hides a complete set."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from calculus_harness import harness
from calculus_harness.harness import Policy, Run
from calculus_harness.harness.core.requests import Completion
from calculus_harness.harness.run.progress import Silent
from calculus_harness.harness.stats.verdict_changes import changes, reason
from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.verdict import Verdict
from tests.harness.conftest import Command

DEFAULT, STRICT = Policy(), Policy(strict=True)


class Stopper(Silent):
    """Interrupts after a number of verdicts."""

    def __init__(self, verdicts: int) -> None:
        self.left = verdicts

    def judged(self, verdict: Verdict, completion: Completion) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def interrupted(path: Path, policy: Policy, verdicts: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        harness.score(path, policy=policy, progress=Stopper(verdicts))


@pytest.fixture
def run(tmp_path: Path, model: str, bench: str) -> Run:
    return harness.sweep([model], [bench], limit=6, samples=2, out=tmp_path / "run")


def test_an_interrupted_score_does_not_hide_the_complete_verdicts(run: Run) -> None:
    summary = harness.summarise(run).to_dict()
    interrupted(run.path, STRICT, 5)
    reopened = Run(run.path)
    assert reopened.policies == (DEFAULT.name, STRICT.name)
    with pytest.warns(UserWarning, match=f"there are 5 of 12.*of {DEFAULT.name} .12.*--strict`"):
        assert reopened.policy == DEFAULT.name
    with pytest.warns(UserWarning, match="are newer"):
        assert harness.summarise(reopened).to_dict() == summary
    with pytest.warns(UserWarning, match="are newer"):
        assert len(list(reopened.verdicts().rows())) == 12
    assert harness.score(run.path, policy=STRICT).policy == STRICT.name  # complete now
    assert harness.summarise(Run(run.path)).policy == STRICT.name


def test_every_command_takes_the_complete_verdicts_and_says_so(
    run: Run, cli: Command, tmp_path: Path
) -> None:
    table = cli("report", "run", "--format", "json").stdout
    interrupted(run.path, STRICT, 5)
    commands = (
        ("report", "run", "--format", "json"),
        ("view", "run", "easy1#0"),
        ("export", "run", "--to", "csv", "--out", "rows.csv"),
        ("score", "run", "--method", "balls", "--strict-domain"),
    )
    for command in commands:
        done = cli(*command)
        assert done.returncode == 0, done.stderr
        (warning,) = [line for line in done.stderr.splitlines() if "newer" in line]
        assert warning.startswith("warning: ")
        assert "`python run.py score run --strict` completes them" in warning
        if command[0] == "report":
            assert done.stdout == table
        if command[0] == "export":
            rows = list(csv.DictReader((tmp_path / "rows.csv").open()))
            assert {row["policy"] for row in rows} == {DEFAULT.name}
        if command[0] == "score":
            assert DEFAULT.name in done.stdout


def test_the_most_complete_verdicts_are_taken_where_none_are_complete(run: Run) -> None:
    (shard,) = (run.path / "verdicts" / DEFAULT.name).glob("*.jsonl")
    shard.write_text("".join(shard.read_text().splitlines(keepends=True)[:3]))
    interrupted(run.path, STRICT, 7)
    assert Run(run.path).policy == STRICT.name
    interrupted(run.path, Policy(strict_domain=True), 2)
    with pytest.warns(UserWarning, match=r"there are 2 of 12, .*\(7\)"):
        assert Run(run.path).policy == STRICT.name


def test_runs_are_compared_by_what_is_complete_in_all(run: Run, tmp_path: Path, bench: str) -> None:
    path = tmp_path / "other.py"
    path.write_text("def answer(messages, seed): return 'x'\n")
    second = harness.sweep(
        [f"python/{path}:answer"], [bench], limit=6, samples=2, out=tmp_path / "other"
    )
    harness.score(run.path, policy=STRICT)
    interrupted(second.path, STRICT, 3)
    with pytest.warns(UserWarning, match=r"other: .*15 of 24.*score \S+other --strict"):
        assert harness.compare(Run(run.path), Run(second.path)).policy == DEFAULT.name
    harness.score(second.path, policy=STRICT)
    assert harness.compare(Run(run.path), Run(second.path)).policy == STRICT.name


@pytest.mark.published
def test_the_command_that_completes_them_has_their_deadline(run: Run) -> None:
    pytest.importorskip("latex2sympy2_extended", reason="needs the extra `published`")
    interrupted(run.path, Policy("published", deadline=90), 3)
    with pytest.warns(UserWarning, match="score .* --method published --deadline 90` completes"):
        assert Run(run.path).policy == DEFAULT.name


def test_what_changed_is_about_the_answers_that_both_judged(run: Run) -> None:
    interrupted(run.path, STRICT, 5)
    assert changes(Run(run.path), DEFAULT.name, STRICT.name).judged == 5


def test_the_reason_of_a_proved_verdict_names_its_rules() -> None:
    verdict = verify_antiderivative(
        r"\boxed{\arcsin x + \sqrt{x^2}}", r"\frac{1}{\sqrt{1-x^2}} + \frac{x}{\sqrt{x^2}}"
    )
    assert verdict.evidence.rules
    assert f"proved (rules: {', '.join(verdict.evidence.rules)})" in reason(verdict)
