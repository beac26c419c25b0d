"""The progress of a sweep: on a terminal, in a file, in a notebook."""

from __future__ import annotations

import io
import itertools
import logging
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import cast

import pytest
from rich.console import Console

from calculus_harness.harness import Policy, score, sweep
from calculus_harness.harness.core.prices import Price
from calculus_harness.harness.core.requests import Completion, FinishReason
from calculus_harness.harness.models import Model
from calculus_harness.harness.models.python_function import LocalFunction
from calculus_harness.harness.run import progress as module
from calculus_harness.harness.run.progress import (
    Bar,
    Lines,
    Meter,
    Silent,
    forward_model_logs,
    or_by_default,
)
from calculus_harness.harness.stats.intervals import interval
from calculus_harness.rewards.verdict import Status, Verdict


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
    counts = judged(capsys.readouterr().err)
    assert counts[0][1] == 12  # what the run holds already
    assert counts[-1] == (0, 18)
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
    """The name of IPython's shell in a notebook."""


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    ipython = ModuleType("IPython")
    ipython.get_ipython = ZMQInteractiveShell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)


def test_a_script_is_told_in_lines_and_silent_only_if_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with or_by_default(None) as progress:
        assert type(progress) is Lines
    sweep([right], ["drills"], limit=2, out=tmp_path / "run")
    first, *_, end = capsys.readouterr().err.splitlines()
    assert first.startswith("asking python/right: 0 of 2 answers")
    assert end.startswith("done: 0 of 2 judged are correct")
    sweep([right], ["drills"], limit=2, out=tmp_path / "silent", progress=Silent())
    assert capsys.readouterr().err == ""


def completion(model: Model, problem: str, tokens: int = 100) -> Completion:
    return Completion(
        model=model.hash,
        problem=problem,
        request="r",
        sample=0,
        stage="answer",
        seed=0,
        text="x",
        finish_reason=FinishReason.STOP,
        prompt_tokens=10,
        completion_tokens=tokens,
    )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_one_line_says_how_far_how_fast_how_good_and_how_dear(clock: list[float]) -> None:
    model = LocalFunction.of(right)
    meter = Meter()
    meter.restored({(model.hash, "p0"): (1, 1), ("another model", "p0"): (9, 0)})
    meter.begin(model, 6, 1, Price(prompt=0.0, completion=1e4))
    clock[0] += 4
    for number in range(1, 4):
        answer = completion(model, f"p{number}")
        meter.answered(answer)
        status = Status.CORRECT if number < 3 else Status.INCORRECT
        meter.judged(Verdict(status, float(number < 3)), answer)
    for reason in ("500", "500", "429"):
        meter.repeated(reason)
    assert (meter.done, meter.total) == (4, 6)
    low, high = interval([1, 1, 1, 0], range(4))
    assert meter.rest() == (
        f"3 of 13 judged are correct, pass@1 75.0 [{100 * low:.1f}, {100 * high:.1f}], "
        "3 sent again (500 x 2, 429 x 1), 75 tokens/s, $3.00"
    )


def test_lines_come_also_while_nothing_is_answered_and_less_and_less_often(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    model, lines = LocalFunction.of(right), Lines(5)
    lines.begin(model, 1000, 0)
    capsys.readouterr()
    at = []
    for _ in range(600):
        clock[0] += 1
        lines.repeated("500")
        if capsys.readouterr().err:
            at.append(clock[0] - 1000)
    pauses = [b - a for a, b in itertools.pairwise(at)]
    assert at[0] == 5
    assert pauses == sorted(pauses)
    assert pauses[-1] == 60


@pytest.mark.usefixtures("notebook")
def test_a_notebook_shows_a_bar_or_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = Silent()
    with or_by_default(own) as progress:
        assert progress is own
    monkeypatch.setattr(module, "find_spec", lambda name: object())
    with or_by_default(None) as progress:
        assert isinstance(progress, Bar)
        assert not progress._bar.live.console.stderr  # there rich draws no live bar
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    sweep([right], ["drills"], limit=2, out=tmp_path / "run")
    assert judged(capsys.readouterr().err)[-1] == (0, 2)


def test_requests_without_an_answer_move_the_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """Unanswered requests are not stored, but the progress must not seem to stand still."""
    lost = cast("Completion", None)
    model = LocalFunction.of(right)
    lines = Lines(interval=0.0)
    lines.begin(model, 3, 1)
    lines.unanswered(lost)
    printed = capsys.readouterr().err.splitlines()
    assert printed[1].startswith(f"asking {model.label}: 1 of 3 answers:")
    assert printed[1].endswith("1 request without an answer")
    file = io.StringIO()
    bar = Bar()
    bar._bar.live.console = Console(file=file, force_terminal=True, width=200)
    with bar:
        bar.begin(model, 3, 1)
        bar.unanswered(lost)
    assert "1 request without an answer" in file.getvalue()


def test_the_numbers_of_a_bar_are_computed_twice_a_second(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    bar, computed = Bar(), list[float]()

    def slow_text() -> str:
        computed.append(clock[0])
        return ""

    monkeypatch.setattr(bar._meter, "rest", slow_text)
    for _ in range(100):
        clock[0] += 0.125
        bar.repeated("500")
    assert {b - a for a, b in itertools.pairwise(computed)} == {0.5}


def test_logs_of_models_are_shown_during_a_run_and_not_later() -> None:
    class Recorder(Silent):
        def notice(self, text: str) -> None:
            notices.append(text)

    notices: list[str] = []
    models = logging.getLogger("calculus_harness.harness.models")
    loggers = models, models.getChild("repeated")
    settings = [([*logger.handlers], logger.level, logger.propagate) for logger in loggers]
    with forward_model_logs(Recorder()):
        models.warning("slow")
    models.warning("slower")
    assert notices == ["slow"]
    assert [([*logger.handlers], logger.level, logger.propagate) for logger in loggers] == settings
