"""Unsimplified problems are counted below every table, and apart on demand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks.problem import Problem
from calculus_harness.harness import summarise, sweep
from calculus_harness.harness.report.summary import remarks
from calculus_harness.harness.stats.compare import labels_of

TARGET = {"integrand": "2x", "variable": "x", "antiderivative": "x^2"}


def problem(name: str, outcome: str | None) -> Problem:
    about: Any = {"simplify": outcome} if outcome else {}
    inputs = {"integrand": "2x", "variable": "x"}
    return Problem(name, "integration", "bee", "subst_poly", inputs, TARGET, metadata=about)


@pytest.mark.parametrize("outcomes", [("simplified", "timeout", "unproven"), ("simplified", None)])
def test_a_table_says_how_many_are_not_simplified(
    tmp_path: Path, outcomes: tuple[str | None, ...]
) -> None:
    problems = [problem(f"p{at}", outcome) for at, outcome in enumerate(outcomes)]

    def answer(messages: Any, seed: int) -> str:
        return r"\boxed{x^2}"

    run = sweep([answer], ["bee"], problems=problems, out=tmp_path / "run")
    lines = [line for line in remarks(summarise(run)) if "not simplified" in line]
    if "timeout" in outcomes:
        assert lines == [
            "bee/subst_poly: 2 of 3 problems stand as composed, not simplified (1 timeout, "
            "1 unproven); compare --breakdown simplify counts them apart."
        ]
    else:
        assert lines == []
    labels = [labels_of(item, "simplify") for item in problems]
    assert labels == [(outcome,) if outcome else () for outcome in outcomes]
