"""What is shown of a sweep's progress: on a terminal, in a file, in a notebook."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

import pytest
from rich.console import Console

from calculus_harness.harness import Policy, score, sweep
from calculus_harness.harness.run import progress as module
from calculus_harness.harness.run.progress import Bar, Lines, Silent, or_by_default

if TYPE_CHECKING:
    from calculus_harness.harness.core.requests import Completion


def right(messages: object, seed: int) -> str:
    return r"\boxed{x}"


def judged(text: str) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in re.findall(r"(\d+) of (\d+) judged are correct", text)]


def test_the_last_line_has_all_verdicts_also_after_a_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    sweep([right], ["drills"], limit=6, samples=2, out=out, progress=Lines())
    assert judged(capsys.readouterr().err)[-1] == (0, 12)
    sweep([right], ["drills"], limit=6, samples=3, out=out, progress=Lines())
    shown = judged(capsys.readouterr().err)
    assert shown[0][1] == 12  # what the run holds already
    assert shown[-1] == (0, 18)
    sweep([right], ["drills"], limit=6, samples=3, out=out, progress=Lines())
    assert judged(capsys.readouterr().err)[-1] == (0, 18)
    score(out, policy=Policy(strict=True), progress=Lines())
    assert judged(capsys.readouterr().err)[-1] == (0, 18)


def test_a_bar_has_all_verdicts_at_the_end(tmp_path: Path) -> None:
    out, file = tmp_path / "run", io.StringIO()
    sweep([right], ["drills"], limit=6, out=out)
    bar = Bar()
    bar._bar.live.console = Console(file=file, force_terminal=True, width=200)
    with bar:
        sweep([right], ["drills"], limit=6, samples=2, out=out, progress=bar)
    assert judged(file.getvalue())[-1] == (0, 12)


class ZMQInteractiveShell:
    """What IPython's shell is called in a notebook."""


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    ipython = ModuleType("IPython")
    ipython.get_ipython = ZMQInteractiveShell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)


def test_elsewhere_a_call_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with or_by_default(None) as shown:
        assert type(shown) is Silent
    sweep([right], ["drills"], limit=2, out=tmp_path / "run")
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("notebook")
def test_a_notebook_shows_a_bar_or_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = Silent()
    with or_by_default(own) as shown:
        assert shown is own
    monkeypatch.setattr(module, "find_spec", lambda name: object())
    with or_by_default(None) as shown:
        assert isinstance(shown, Bar)
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    sweep([right], ["drills"], limit=2, out=tmp_path / "run")
    assert judged(capsys.readouterr().err)[-1] == (0, 2)


def test_requests_without_an_answer_move_the_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is stored of them, but a machine that stands still must not look like one at work."""
    nothing = cast("Completion", None)
    lines = Lines(interval=0.0)
    lines.begin("solver/maxima", 3, 1)
    lines.unanswered(nothing)
    lines.answered(nothing)
    shown = capsys.readouterr().err.splitlines()
    assert shown[1].startswith(
        "asking solver/maxima: 1 of 3 answers, 1 requests without one: 0 of 0"
    )
    assert shown[2].startswith("asking solver/maxima: 2 of 3 answers, 1 requests without one:")
    file = io.StringIO()
    bar = Bar()
    bar._bar.live.console = Console(file=file, force_terminal=True, width=200)
    with bar:
        bar.begin("solver/maxima", 3, 1)
        bar.unanswered(nothing)
    assert "1 without an answer" in file.getvalue()
