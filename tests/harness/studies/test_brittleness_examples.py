"""Tables 1, 3, 5 and 7: single answers of a run with their errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from calculus_harness.benchmarks.brittleness.sums import sums
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import load
from calculus_harness.harness import sweep
from calculus_harness.harness.report.sections import Section
from calculus_harness.harness.studies.brittleness.answers import answers_of
from calculus_harness.harness.studies.brittleness.examples import (
    table_1,
    table_3,
    table_5,
    table_7,
)

PROMPT = '+++\ntask = "integration"\n+++\n{{ integrand }}'


def reference(problem: Problem) -> str:
    return str(getattr(problem.target, "antiderivative", ""))


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Mapping[int, Section]:
    """A model that is right on powers and on the first sine, and wrong elsewhere."""
    powers = load("brittleness/powers", limit=6)
    sines = load("brittleness/primitive_sin", limit=2)
    lines = load("brittleness/primitive_x", limit=1)
    totals = sums(powers, 0, terms=2, pool="exp", count=2)
    right = {integrand_of(problem): reference(problem) for problem in (*powers, sines[0])}
    folder = tmp_path_factory.mktemp("run")
    (folder / "own.jinja").write_text(PROMPT)

    def answer(messages: Any, seed: int) -> str:
        text = str(messages[0]["content"]).strip()
        return rf"I think \boxed{{{right.get(text, 'x + x')}}}"

    problems = [*powers, *sines, *lines, *totals]
    prompt = folder / "own.jinja"
    run = sweep([answer], ["brittleness"], problems=problems, prompt=prompt, out=folder / "run")
    (source,) = answers_of([run])
    builders = {1: table_1, 3: table_3, 5: table_5, 7: table_7}
    return {number: table(source) for number, table in builders.items()}


def integrand_of(problem: Problem) -> str:
    return str(getattr(problem.inputs, "integrand", ""))


def test_a_solved_problem_stands_above_one_of_its_test_that_is_failed(
    tables: Mapping[int, Section],
) -> None:
    rows = tables[3].rows
    assert [row[0] for row in rows] == ["primitive_sin", ""]
    assert [row[3] for row in rows] == ["yes", "no"]
    assert rows[0][4] == "0"
    assert rows[1][2] == "2*x"
    assert "sin" in rows[1][4]


def test_raw_answers_stand_beside_simplified_ones(tables: Mapping[int, Section]) -> None:
    problem, raw, simplified, derivative = tables[5].rows[0]
    assert problem.endswith("*x")
    assert raw == r"I think \boxed{x + x}"
    assert (simplified, derivative) == ("2*x", "2")


def test_sums_stand_below_their_solved_terms(tables: Mapping[int, Section]) -> None:
    rows = tables[7].rows
    assert [row[3] for row in rows] == ["yes", "yes", "no"] * 2
    assert all(row[4] != "0" for row in rows if row[3] == "no")


def test_each_deficiency_has_an_example_or_says_that_it_was_not_run(
    tables: Mapping[int, Section],
) -> None:
    names = [row[0] for row in tables[1].rows if row[0]]
    assert names == ["robustness", "compositionality"]  # nothing out of distribution was asked
