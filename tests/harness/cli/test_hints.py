"""Hints can be typed, and impossible commands are refused before any request."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from calculus_harness import Run, UserError, verify_antiderivative, verify_many
from calculus_harness.harness.core.program import program
from calculus_harness.rewards.errors import MissingExtraError, install
from tests.harness.conftest import Command

ROOT = Path(__file__).parents[3]


@pytest.fixture
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "latex2sympy2_extended", None)


@pytest.mark.usefixtures("without_the_extra")
def test_a_method_without_its_extra_is_refused_before_anything_is_asked(
    cli: Command, tmp_path: Path
) -> None:
    sweep = ["sweep", "--model", "solver/sympy", "--benchmark", "drills", "--limit", "1"]
    assert cli(*sweep, "--out", "run").returncode == 0
    commands = [
        ["verify", "--integrand", "2x", "--answer", "x^2"],
        [*sweep, "--out", "other"],
        ["score", "run"],
    ]
    for words in commands:
        done = cli(*words, "--method", "published")
        assert done.returncode == 2
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: method 'published' needs latex2sympy2_extended")
        assert "of the extra 'published': " in line
        assert line.endswith("[published]'")
    assert not (tmp_path / "other").exists()
    assert len(Run(tmp_path / "run").policies) == 1  # no torn set of verdicts
    assert cli("report", "run", "--format", "csv").stderr == ""


@pytest.mark.usefixtures("without_the_extra")
def test_the_same_from_python() -> None:
    for judge in (verify_antiderivative, verify_many):
        with pytest.raises(MissingExtraError, match="of the extra 'published'"):
            judge(["x^2"] if judge is verify_many else "x^2", "2x", method="published")  # type: ignore[operator]
    assert issubclass(MissingExtraError, ImportError)
    assert issubclass(MissingExtraError, UserError)


def test_a_folder_is_made_and_what_cannot_be_written_is_said_before_the_table(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--model", "solver/sympy", "--benchmark", "drills", "--limit", "1", "--out", "run"]
    assert cli("sweep", *words, "--save-config", "new/sweep.toml").returncode == 0
    assert cli("report", "run", "--out", "other/new/page.html").returncode == 0
    answer = ["verify", "--integrand", "2x", "--answer", "x^2"]
    assert cli(*answer, "--certificate", "third/why.json").returncode == 0
    for name in ("new/sweep.toml", "other/new/page.html", "third/why.json"):
        assert (tmp_path / name).is_file()
    for option, name in (("--out", "new/sweep.toml/page.html"), ("--figures", "new/sweep.toml/x")):
        done = cli("report", "run", option, name)
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"error: cannot write {name}")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = cli("report", "run", "--figures", "figures")
    assert (done.returncode, done.stdout) == (2, "")
    assert "figures need the extra 'plots'" in done.stderr


def test_help_names_the_command_as_it_was_called(
    cli: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for called in ("/usr/bin/calculus-harness", "../clone/run.py"):
        monkeypatch.setattr(sys, "argv", [called])
        for _ in range(2):
            assert f"\n  {program()} view runs/mini q001\n" in cli("view", "--help").stdout
        assert f"`{program()} runs FOLDER`" in cli("runs", "nowhere").stderr


@pytest.mark.parametrize(
    ("called", "expected"),
    [
        ("run.py", "python run.py"),
        ("../clone/run.py", "python ../clone/run.py"),
        ("/usr/bin/calculus-harness", "calculus-harness"),
        ("/somewhere/harness/__main__.py", "python -m calculus_harness.harness"),
        ("/usr/bin/pytest", "python run.py"),
    ],
)
def test_hints_name_the_command_as_it_was_called(
    monkeypatch: pytest.MonkeyPatch, called: str, expected: str
) -> None:
    monkeypatch.setattr(sys, "argv", [called])
    assert program() == expected


def test_the_hint_of_a_sweep_can_be_typed(process: Command) -> None:
    words = ["--model", "solver/sympy", "--benchmark", "drills", "--limit", "1", "--out", "run"]
    done = process("sweep", *words)
    assert f"a page to open: python {ROOT / 'run.py'} report run" in done.stderr


def test_no_hint_takes_an_extra_from_an_index() -> None:
    """The package is on no index: `install` names the checkout or the wheel."""
    for folder in ("harness", "prompts", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            assert "pip install 'calculus-harness[" not in path.read_text(encoding="utf-8"), path


def test_a_checkout_is_installed_from_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert install("openai") == "pip install --editable '.[openai]'"
    monkeypatch.chdir("/")
    assert install("openai") == f"pip install --editable '{ROOT}[openai]'"
