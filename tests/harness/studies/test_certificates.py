"""Certificates of a run: stored beside the verdicts, checked again, forgeries detected."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.harness.conftest import Command

ANSWERS = {
    "2x": r"\boxed{x^2+C}",
    r"\cos x": r"\boxed{\sin(x)+C}",
    r"\sqrt{\csc x-\sin x}": r"\boxed{2\sqrt{\sin x}}",
    "3x^2": r"\boxed{x^4}",
    "|x|": r"\boxed{\frac{x|x|}{2}+\operatorname{sgn}x}",
    "4x": "I do not know.",
}


@pytest.fixture
def scored(answered: Callable[[Mapping[str, str], str], Path]) -> Path:
    # A wrong line after a stop string of the prompt, which the verdict does not see.
    return answered(ANSWERS, "\nQuestion: \\boxed{x^9}")


def shard(run: Path) -> Path:
    (policy,) = (run / "certificates").iterdir()
    return policy / "00000.jsonl"


def test_certificates_of_a_run_hold(cli: Command, scored: Path) -> None:
    assert "missing    4" in cli("check", "run").stdout
    assert cli("score", "run", "--certificates").returncode == 0
    content = shard(scored).read_bytes()
    checked = cli("check", "run")
    assert checked.returncode == 0
    for words in (
        "correct    3, 2 proved (66.7%), 1 agreed (33.3%)",
        "incorrect  2, 2 witnessed (100.0%)",
        "certificates: 3 valid, 0 not valid",
        "none       1: no certificate: not refuted by a real point (the answer jumps",
    ):
        assert words in checked.stdout
    assert cli("score", "run", "--certificates").returncode == 0
    assert shard(scored).read_bytes() == content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[0].update(key=rows[1]["key"]), "another integrand"),
        (lambda rows: rows[2].update(certificate=rows[0]["certificate"]), "no incorrect answer"),
        (lambda rows: rows[0].update(key="gone"), "no such verdict"),
        (lambda rows: rows[0]["certificate"].update(cases=[]), "identity with cases"),
    ],
)
def test_forged_certificates_of_a_run_are_seen(
    cli: Command, scored: Path, change: Callable[[Any], None], message: str
) -> None:
    cli("score", "run", "--certificates")
    rows = [json.loads(line) for line in shard(scored).read_text().splitlines()]
    change(rows)
    shard(scored).write_text("".join(json.dumps(row) + "\n" for row in rows))
    checked = cli("check", "run")
    assert checked.returncode == 1
    assert message in checked.stdout


def test_what_has_no_certificates_is_an_error(cli: Command, scored: Path) -> None:
    done = cli("score", "run", "--certificates", "--method", "welleck")
    assert (done.returncode, "our own verifier" in done.stderr) == (2, True)
    assert not (scored / "certificates").exists()
    assert len(list((scored / "verdicts").iterdir())) == 1
    assert cli("check", "run", "--policy", "balls-0").returncode == 2
    assert cli("check", ".").returncode == 2
