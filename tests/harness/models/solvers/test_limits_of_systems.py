"""Limits by computer algebra systems: values, infinities, and no value."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import FinishReason
from calculus_harness.harness.models import create
from calculus_harness.rewards import verify_limit
from tests.harness.models.solvers.test_solvers import answers

#: Limits, and the systems that find them (SymPy 1.13, Maxima 5.46, FriCAS 1.3.8).
LIMITS = {
    "value": (r"\lim_{x\to0}\frac{1-\cos x}{x^2}", {"sympy", "maxima", "fricas"}),
    "left": (r"\lim_{x\to0^-}\frac1x", {"sympy", "maxima", "fricas"}),
    "right": (r"\lim_{x\to0^+}x^x", {"sympy", "maxima", "fricas"}),
    "infinity": (r"\lim_{x\to\infty}\left(1+\frac2x\right)^x", {"sympy", "maxima", "fricas"}),
    "sides differ": (r"\lim_{x\to0}\frac1x", {"sympy", "maxima", "fricas"}),
    "parameter": (r"\lim_{x\to0}\frac{\sin ax}{x}", {"sympy", "maxima", "fricas"}),
    "point": (r"\lim_{x\to a}\frac{x^3-a^3}{x-a}", {"sympy", "maxima", "fricas"}),
}


def _problem(limit: str, name: str) -> Problem:
    inputs = {"question": limit, "request": "Find the limit."}
    return Problem(name, "limit", "toy", "s", inputs, {"question": limit})


@pytest.mark.slow
@pytest.mark.parametrize("system", ["sympy", "maxima", "fricas"])
def test_limits_are_in_a_box_and_right(system: str) -> None:
    try:
        model = create(f"solver/{system}", {})
    except ModelError as error:
        pytest.skip(str(error))
    texts = answers(model, *(_problem(limit, name) for name, (limit, _) in LIMITS.items()))
    for name, (limit, solved) in LIMITS.items():
        assert texts[name].finish_reason is FinishReason.STOP
        assert verify_limit(texts[name].text, limit).correct == (system in solved), texts[name]


def test_an_unreadable_limit_is_an_error_of_that_problem() -> None:
    completion = answers(create("solver/sympy", {}), _problem(r"\lim x", "p"))["p"]
    assert completion.finish_reason is FinishReason.ERROR
    assert "no subscript" in completion.detail
