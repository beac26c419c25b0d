"""`verify --certificate` writes the reasons for a verdict, and `check` checks the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.conftest import Command


def verify(cli: Command, integrand: str, answer: str, *options: str) -> tuple[int, str, str]:
    done = cli("verify", "--integrand", integrand, "--answer", answer, *options)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("integrand", "answer", "status", "messages"),
    [
        (
            r"2x\cos(x^2)",
            r"\sin(x^2)+C",
            0,
            ["all real points", "the terms are those of the texts"],
        ),
        (r"|x|", r"\frac{x|x|}{2}", 0, ["x > 0", "x < 0"]),
        (r"e^{-x^2}", r"\frac{\sqrt\pi}{2}\operatorname{erf}(x)", 0, ["the derivatives of erf"]),
        (r"2x\cos(x^2)", r"\cos(x^2)", 1, ["differ at  x = ", "by intervals"]),
        (r"\Gamma(x)", "x", 1, ["differ at  x = ", "as stated  the bounds"]),
    ],
)
def test_what_is_written_is_valid(
    cli: Command, integrand: str, answer: str, status: int, messages: list[str]
) -> None:
    assert verify(cli, integrand, answer, "--certificate", "why.json")[0] == status
    checked = cli("check", "why.json")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("valid\n")
    for words in messages:
        assert words in checked.stdout


def test_a_forged_certificate_is_not_valid(cli: Command, tmp_path: Path) -> None:
    verify(cli, "2x", "x^2", "--certificate", "why.json")
    file = tmp_path / "why.json"
    data = json.loads(file.read_text())
    data["cases"][0]["integrand"][0][0][0] = "3"
    for text in (json.dumps(data), "[]", "{}", "{", '{"kind": "witness"}'):
        file.write_text(text)
        checked = cli("check", "why.json")
        assert checked.returncode == 1
        assert checked.stdout.startswith("not valid: ")
    assert cli("check", "nothing.json").returncode == 2


@pytest.mark.parametrize(
    ("answer", "options", "message"),
    [
        (r"2\sqrt{\sin x}", [], "rests on agreement at"),
        ("nothing", ["--strict"], "no_answer does not rest on a proof"),
        ("x", ["--method", "welleck"], "--method"),
        ("x", ["--certificate", "/dev/null/why.json"], "/dev/null/why.json"),
    ],
)
def test_no_certificate_is_an_error(
    cli: Command, tmp_path: Path, answer: str, options: list[str], message: str
) -> None:
    integrand = r"\sqrt{\csc x-\sin x}"
    status, out, error = verify(cli, integrand, answer, "--certificate", "why.json", *options)
    assert (status, out) == (2, "")
    assert message in error
    assert not (tmp_path / "why.json").exists()


def test_verify_prints_what_an_acceptance_rests_on(cli: Command) -> None:
    assert "proof      identity (rules: " in verify(cli, r"\cos x", r"\sin x")[1]
    assert "proof      agreement at " in verify(cli, r"\sqrt{\csc x-\sin x}", r"2\sqrt{\sin x}")[1]
