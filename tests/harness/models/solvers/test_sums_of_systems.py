"""Computer algebra systems asked for sums: closed forms, divergence, and power series."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import FinishReason
from calculus_harness.harness.models import create
from calculus_harness.harness.models.solvers.question import SolverQuestion
from calculus_harness.rewards import verify_sum
from calculus_harness.rewards.reading.expression.infix import NotationError
from tests.harness.models.solvers.test_solvers import answers

#: Sums that SymPy 1.14 finds.
SUMS = {
    "finite": r"\sum_{k=1}^{n} k^2",
    "factor": r"\frac{1}{n}\sum_{k=1}^{n} k",
    "infinite": r"\sum_{n=1}^{\infty} \frac{1}{n^2}",
    "divergent": r"\sum_{n=1}^{\infty} \frac{1}{n}",
    "polynomial": r"Taylor polynomial of degree 3 about $x=1$ of $\ln x$",
    "coefficient": r"Coefficient of $x^5$ in the Maclaurin series of $e^x\cos x$",
}
RADIUS = r"Radius of convergence of $\sum_{n=1}^{\infty} \frac{x^n}{n}$"


def _problem(question: str, name: str) -> Problem:
    inputs = {"question": question, "request": "Find the sum."}
    return Problem(name, "sum", "toy", "s", inputs, {"question": question})


@pytest.mark.slow
def test_sums_are_in_a_box_and_right() -> None:
    completions = answers(
        create("solver/sympy", {}), *(_problem(q, name) for name, q in SUMS.items())
    )
    for name, question in SUMS.items():
        assert completions[name].finish_reason is FinishReason.STOP
        assert verify_sum(completions[name].text, question).correct, completions[name]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["maxima", "fricas"])
def test_programs_find_a_finite_sum(system: str) -> None:
    try:
        model = create(f"solver/{system}", {})
    except ModelError as error:
        pytest.skip(str(error))
    completion = answers(model, _problem(SUMS["finite"], "p"))["p"]
    assert verify_sum(completion.text, SUMS["finite"]).correct, completion


def test_questions_that_systems_are_not_asked_have_no_answer() -> None:
    completion = answers(create("solver/sympy", {}), _problem(RADIUS, "p"))["p"]
    assert not completion.text
    assert "not asked for a radius" in completion.detail
    with pytest.raises(NotationError):
        SolverQuestion.of("sum", RADIUS, None, {})


def test_an_unreadable_sum_is_an_error_of_that_problem() -> None:
    completion = answers(create("solver/sympy", {}), _problem(r"\sum x", "p"))["p"]
    assert completion.finish_reason is FinishReason.ERROR
    assert "range of the index" in completion.detail
