"""Differential equations as prefix tokens: the data of ODE1 and ODE2, the prompt, and answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.calculus_course.from_constants import ode1, ode2
from calculus_harness.benchmarks.lample_charton.codec.equations import (
    equation_tokens,
    equation_tree,
    solution_tokens,
    solution_tree,
)
from calculus_harness.benchmarks.lample_charton.codec.prefix import PrefixError
from calculus_harness.benchmarks.lample_charton.codec.released import read as read_pairs
from calculus_harness.benchmarks.lample_charton.codec.vocabulary import decode, encode
from calculus_harness.benchmarks.lample_charton.prefix_forms import prefix_form
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.harness.core.policy import Policy
from calculus_harness.harness.core.requests import Completion, FinishReason, problem_key
from calculus_harness.harness.run.scoring.grading import grade
from calculus_harness.prompts import load as load_prompt
from calculus_harness.rewards import verify_differential_equation
from calculus_harness.rewards.reading.latex import read, to_latex
from calculus_harness.rewards.reading.problem.differential_equation import (
    read_differential_equation,
)
from calculus_harness.rewards.verdict import Verdict

PREFIX = Policy(answer_format="prefix")


def _question(tokens: list[str]) -> str:
    """An equation in LaTeX from tokens."""
    text = to_latex(equation_tree(tokens))
    for symbol, primes in (("Q_{1}", "y'"), ("Q_{2}", "y''")):
        text = text.replace(f"{symbol}^", rf"\left({primes}\right)^").replace(symbol, primes)
    return f"{text} = 0"


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("index", range(6))
def test_tokens_say_the_same_equation_and_the_same_solution(order: int, index: int) -> None:
    problem = (ode1 if order == 1 else ode2)(11, index)
    equation = prefix_form(problem, "equation").split()
    solution = prefix_form(problem, "solution").split()
    assert decode(encode(equation)) == tuple(equation)
    assert ("Y''" in equation) == (order == 2)
    assert ("a9" in solution) == (order == 2)
    solution_latex = to_latex(solution_tree(solution))
    assert verify_differential_equation(rf"\boxed{{{solution_latex}}}", _question(equation)).correct
    assert verify_differential_equation(
        rf"\boxed{{{solution_latex}}}", problem.target.judged
    ).correct


@pytest.mark.parametrize("question", ["y''' = y", "y' = y, y(0) = 1", "x' = y, y' = x", "y' = ky"])
def test_equations_outside_the_vocabulary_have_no_tokens(question: str) -> None:
    with pytest.raises(PrefixError):
        equation_tokens(read_differential_equation(question))


def test_solutions_have_two_constants_at_most() -> None:
    tree = read("C_1x^2+C_2x+C_3")[0].expression
    with pytest.raises(PrefixError, match="more than 2 constants"):
        solution_tokens(tree, ["C_1", "C_2", "C_3"])


@pytest.mark.parametrize("tokens", ["add Y x", "Y' Y", "add Y'", "sin Y'''", "", "f x"])
def test_tokens_that_are_no_equation_are_refused(tokens: str) -> None:
    with pytest.raises(PrefixError):
        equation_tree(tokens.split())


def _graded(text: str, question: str) -> Verdict:
    inputs = {"question": question, "request": "Solve."}
    problem = Problem("p", "differential_equation", "own", "s", inputs, {"question": question})
    key = problem_key(problem)
    completion = Completion("m", key, "r", 0, "answer", 1, text, finish_reason=FinishReason.STOP)
    return asyncio.run(grade([(problem, completion)], PREFIX, {}))[0]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("mul a8 exp pow x INT+ 2", "correct"),
        ("<s> mul a9 exp pow x INT+ 2 <s>", "correct"),
        ("exp pow x INT+ 2", "incorrect"),
        ("mul a8 exp x", "incorrect"),
        ("mul a8 exp pow x", "unparseable"),
        ("mul a8 exp Y", "unparseable"),
        ("", "no_answer"),
    ],
)
def test_answers_in_tokens_are_judged_by_the_equation(text: str, status: str) -> None:
    assert _graded(text, "y' = 2xy").status == status


def test_the_prompt_is_the_equation() -> None:
    problem = Problem(
        "p", "differential_equation", "own", "s", {"question": "y'' = y"}, {"question": "y'' = y"}
    )
    assert load_prompt("prefix-ode").render(problem).text == "add Y'' mul INT- 1 Y"


def test_a_released_line_of_an_equation_is_its_problem(tmp_path: Path) -> None:
    path = tmp_path / "ode1.test"
    line = "3|sub Y' mul INT+ 2 Y\tmul a8 exp mul INT+ 2 x"
    path.write_text(f"{line}\n7|sub Y' cos x\tsin x\n", encoding="utf-8")
    pairs = list(read_pairs(path))
    assert str(pairs[0]) == line
    assert pairs[1].integrand == ("cos", "x")
    equation, integral = load(f"lample_charton/{path}")
    assert (equation.task, integral.task) == ("differential_equation", "integration")
    assert load_prompt("prefix-ode").render(equation).text == "sub Y' mul INT+ 2 Y"
    answer = rf"\boxed{{{equation.target.answer}}}"
    assert verify_differential_equation(answer, equation.target.judged).correct
