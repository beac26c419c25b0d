"""Computer algebra systems asked for derivatives, power series and differential equations."""

from __future__ import annotations

import re

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import FinishReason
from calculus_harness.harness.models import create
from calculus_harness.harness.models.solvers.fricas import FRICAS
from calculus_harness.harness.models.solvers.infix import Dialect
from calculus_harness.harness.models.solvers.maxima import MAXIMA
from calculus_harness.harness.models.solvers.question import OPERATIONS, SolverQuestion
from calculus_harness.harness.models.solvers.sympy_operations import answer
from calculus_harness.rewards.questions import COURSE
from calculus_harness.rewards.reading.expression.infix import NotationError
from calculus_harness.rewards.reading.expression.traversal import nodes_of
from calculus_harness.rewards.reading.expression.tree import Call
from tests.harness.models.solvers.test_solvers import answers

ALL = {"sympy", "maxima", "fricas"}
#: Questions, and the systems that answer them (SymPy 1.14, Maxima 5.46, FriCAS 1.3.8).
QUESTIONS = {
    "derivative": [
        (r"\frac{d}{dx}\left(x^3 \sin x\right)", ALL),
        (r"f(x) = e^{-x^2},\ f'(1)", ALL),
        (r"x^2 + y^2 = 25,\ \frac{d^2y}{dx^2}", ALL),
        (r"x = t^2,\ y = t^3,\ \frac{d^2y}{dx^2}", ALL),
        (r"\left.\frac{d}{dx}\sqrt{1+x^3}\right|_{x=2}", ALL),
    ],
    "sum": [
        (r"Taylor polynomial of degree 3 about $x=1$ of $\ln x$", ALL),
        (r"Coefficient of $x^5$ in the Maclaurin series of $e^x\cos x$", ALL),
        (r"\frac12\sum_{n=1}^{\infty} \frac{1}{n^2}", {"sympy", "maxima"}),
    ],
    "differential_equation": [
        ("y' = 2xy", ALL),
        (r"y' = -\frac{x}{y}", ALL),
        (r"y'' + 9y = 0,\ y(0) = 2,\ y'(0) = 3", ALL),
        (r"y'' + y = 0,\ y(0) = 0,\ y\left(\frac{\pi}{2}\right) = 1", {"sympy", "maxima"}),
        ("y''' - y' = 0", ALL),
        (r"x' = 2x+y,\ y' = x+2y", ALL),
        (r"x' = y,\ y' = -x,\ x(0) = 1,\ y(0) = 0", {"sympy", "maxima"}),
        (r"L\frac{di}{dt} + Ri = E,\ i(0) = 0", ALL),
    ],
}


def _problem(task: str, question: str, name: str) -> Problem:
    return Problem(
        name, task, "toy", "s", {"question": question, "request": "Find."}, {"question": question}
    )


@pytest.mark.slow
@pytest.mark.parametrize("task", QUESTIONS)
@pytest.mark.parametrize("system", sorted(ALL))
def test_answers_are_in_a_box_and_right(system: str, task: str) -> None:
    try:
        model = create(f"solver/{system}", {})
    except ModelError as error:
        pytest.skip(str(error))
    rows = {f"{task}-{number}": row for number, row in enumerate(QUESTIONS[task])}
    completions = answers(
        model, *(_problem(task, question, name) for name, (question, _) in rows.items())
    )
    for name, (question, solved) in rows.items():
        assert completions[name].finish_reason is FinishReason.STOP
        correct = COURSE[task].verify(completions[name].text, question).correct
        assert correct == (system in solved), (question, completions[name])


def test_a_system_differentiates_by_itself() -> None:
    question = SolverQuestion.of("derivative", r"f(x) = x^2e^x,\ f''(0)", None, {})
    names = [node.function for node in nodes_of(question.tree) if isinstance(node, Call)]
    assert names.count("derivative") == 2
    assert names[0] == "value_at"
    assert answer(question)[0] == "2"


def test_a_condition_on_a_derivative_at_the_end_is_no_boundary_value() -> None:
    with pytest.raises(NotationError, match="conditions of this form"):
        SolverQuestion.of("differential_equation", "y'' + y = 0, y(0) = 0, y'(1) = 1", None, {})


def test_the_constant_of_integration_is_no_letter_of_the_question() -> None:
    question = SolverQuestion.of("differential_equation", "y' = C y", None, {})
    assert question.constant == "K"
    assert answer(question)[0] == "y = K_{1} e^{C x}"


def test_a_system_without_an_operation_gives_no_answer() -> None:
    question = SolverQuestion.of(
        "differential_equation", r"y'' + y = 0, y(0) = 0, y(1) = 1", None, {}
    )
    with pytest.raises(NotationError, match="no operation 'ode_boundary'"):
        question.spelled_with(FRICAS.operations)
    assert question.spelled_with(MAXIMA.operations) == question.tree


@pytest.mark.parametrize("dialect", [MAXIMA, FRICAS], ids=lambda dialect: dialect.system)
def test_templates_use_the_arguments_that_operations_have(dialect: Dialect) -> None:
    for name, template in dialect.operations.items():
        count = len(OPERATIONS[name].split())
        used = {int(field) for field in re.findall(r"\{(\d)\}", template)}
        assert used <= set(range(count)), name
