"""Accuracy by properties of expressions, and the importance of properties."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from calculus_harness.benchmarks.registry import load
from calculus_harness.harness import sweep
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.studies.hint import properties

PROBLEMS = load("hint/SS", limit=200)


def right_where_shallow(tmp_path: Path) -> Any:
    """A run of a model with right answers up to a tree depth of 5."""
    answers = {
        getattr(problem.inputs, "expression", ""): (
            rf"\boxed{{{problem.metadata['result']}}}"
            if int(str(problem.metadata["depth"])) <= 5
            else r"\boxed{99999}"
        )
        for problem in PROBLEMS
    }
    prompt = tmp_path / "own.jinja"
    prompt.write_text('+++\ntask = "arithmetic"\n+++\n{{ expression }}')

    def answer(messages: Any, seed: int) -> str:
        return answers[str(messages[0]["content"]).strip()]

    return sweep([answer], ["hint"], problems=PROBLEMS, prompt=prompt, out=tmp_path / "run")


def test_what_decides_is_the_most_important(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the extra 'images'")
    run = right_where_shallow(tmp_path)
    rows = properties.answered(run, next(iter(run.models)))
    assert len(rows) == len(PROBLEMS)
    shares = properties.importance(rows)
    assert max(shares, key=lambda name: shares[name][0]) == "depth"
    assert sum(share for share, _ in shares.values()) == pytest.approx(1)
    (by_depth,) = [view for view in properties.figure_a5("m", rows) if "by depth" in view.title]
    cells = {row[0]: row[2] for row in by_depth.rows}
    assert cells["3 to 4"].startswith("100.0")
    assert cells["7 to 8"].startswith("0.0")
    done = CliRunner().invoke(
        cli, ["hint", "accuracy", str(run.path), "--out", str(tmp_path / "out")]
    )
    assert done.exit_code == 0, done.output
    names = {path.stem for path in (tmp_path / "out").glob("*.svg")}
    assert names == {"figure_a6", *(f"figure_a5_{of}" for of in properties.PROPERTIES)}


def test_too_few_answers_have_no_importance() -> None:
    pytest.importorskip("sklearn", reason="needs the extra 'images'")
    row = properties.AnsweredExpression((1.0,) * 5, {}, 1.0)
    with pytest.raises(UserError, match="right and wrong"):
        properties.importance([row] * 50)
