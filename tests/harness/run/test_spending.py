"""Counts during a model's answers, without a server: tokens, refusals, equal samples."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from calculus_harness.harness.run.budget import RequestBudget, Spent
from calculus_harness.harness.run.duplicates import DuplicateSamples


def completion(problem: str = "p", text: str = "x", **tokens: Any) -> Any:
    fields = dict.fromkeys(("prompt_tokens", "completion_tokens", "reasoning_tokens"))
    return SimpleNamespace(problem=problem, text=text, extra={}, **(fields | tokens))


def test_tokens_that_a_server_does_not_count_are_none() -> None:
    spent = Spent(None)
    spent.add(completion())
    spent.add(completion(prompt_tokens=5, completion_tokens=7, reasoning_tokens=2))
    assert (spent.rows, spent.prompt, spent.completion, spent.reasoning) == (2, 5, 7, 2)
    assert spent.tokens == 12
    assert spent.cached == 0
    assert spent.dollars == 0


@pytest.mark.parametrize(
    ("admitted", "refused", "goes_on", "exhausted"),
    [(3, False, False, False), (3, True, True, False), (0, True, False, True)],
)
def test_a_budget_is_exhausted_when_all_are_refused(
    admitted: int, refused: bool, goes_on: bool, exhausted: bool
) -> None:
    budget = RequestBudget.__new__(RequestBudget)
    budget.exhausted, budget.under_way = False, admitted
    budget._admitted, budget._refused = admitted, refused
    assert budget.goes_on() is goes_on
    assert budget.exhausted is exhausted
    budget._admitted = 1  # and in the next round none is refused
    assert not budget.goes_on()
    assert budget.exhausted is exhausted
    budget._refused = True  # and in the next round all are
    assert not budget.goes_on()
    assert budget.exhausted


def test_equal_samples_of_most_problems_are_warned_of() -> None:
    samples = DuplicateSamples()
    for problem in "abcd":
        samples.add(completion(problem, "one"))
    assert not samples.warning()  # one sample says nothing
    for problem, text in [("a", "one"), ("b", "one"), ("c", "one"), ("d", "another")]:
        samples.add(completion(problem, text))
    assert samples.warning().startswith("on 3 of 4 problems")
    samples.add(completion("a", "another"))
    samples.add(completion("a", "one"))
    assert not samples.warning()
