"""The work of a verdict is bounded, whatever powers, constants and functions an answer has."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from flint import ctx

from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.errors import ProblemError
from calculus_harness.rewards.numeric.ball_arithmetic.balls import Tape
from calculus_harness.rewards.numeric.outcome import BUDGET
from calculus_harness.rewards.reading.expression.derivative import differentiate
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from calculus_harness.rewards.reading.latex import to_latex

#: Another convention has a budget of its own; points are chosen, and f evaluated there, beside it.
LIMIT = 4 * BUDGET


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], int]:
    """The work units of a verdict, counted where expressions are evaluated."""
    spent, run = 0, Tape.run

    def counted(self: Tape, *args: Any, **options: Any) -> Any:
        nonlocal spent
        until = options.get("until")
        spent += self.work(ctx.prec, until)
        return run(self, *args, **options)

    def measured(answer: str, integrand: str) -> int:
        nonlocal spent
        spent = 0
        with suppress(ProblemError):
            assert verify_antiderivative(answer, integrand, variable="x").status != "error"
        return spent

    monkeypatch.setattr(Tape, "run", counted)
    return measured


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        # f has 26,000 bits beside the outer zeros of the sine, which are isolated as sharply.
        (
            r"(x+2)^{9999999/5000}+\cos x\operatorname{sgn}(\sin x)",
            r"\frac{(x+2)^{10004999/5000}}{10004999/5000}+|\sin x|",
        ),
        (r"2x+\cos x\operatorname{sgn}(\sin x)", r"x^2+|\sin x|"),
    ],
)
def test_the_search_for_steps_is_charged(
    work: Callable[[str, str], int], integrand: str, answer: str
) -> None:
    assert work(answer, integrand) < LIMIT


def draw(source: random.Random, depth: int) -> Expression:
    """An expression with high powers."""
    x = Symbol("x")
    if depth == 0 or source.random() < 0.15:
        return source.choice([x, Call("add", (x, Number(source.choice([-2, -1, 1, 3]))))])
    inner, u = draw(source, depth - 1), source.random()
    if u < 0.4:
        return Call(source.choice(["add", "mul", "div"]), (inner, draw(source, depth - 1)))
    if u < 0.6:
        return Call(source.choice(["ln", "atan", "sqrt", "exp", "abs", "sin"]), (inner,))
    power = source.choice([-60, -3, 2, 3, 5, 20, 60, 1000, 4001, 9_999_999])
    return Call("pow", (inner, Number(power, source.choice([1, 1, 1, 2, 3, 5000]))))


@pytest.mark.slow
def test_high_powers_take_no_more(work: Callable[[str, str], int]) -> None:
    for seed in range(2000):
        expression = draw(random.Random(seed), 4)
        answer, integrand = to_latex(expression), to_latex(differentiate(expression))
        assert work(answer, integrand) < LIMIT, (seed, answer)
