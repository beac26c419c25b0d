"""Payloads: written rows equal read rows, and a verdict has all data at hand."""

from __future__ import annotations

from typing import Any

import pytest

from calculus_harness.benchmarks.payloads import (
    DerivationInputs,
    IntegrationTarget,
    LabelTarget,
    OtherInputs,
)
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.rewards.errors import UserError

INPUTS = {"integrand": "2 x", "variable": "x"}


def row(task: str, inputs: dict[str, Any], target: dict[str, Any]) -> dict[str, Any]:
    return {"id": "p", "task": task, "benchmark": "b", "subset": "s"} | {
        "inputs": inputs,
        "target": target,
    }


@pytest.mark.parametrize(
    ("task", "inputs", "target", "content"),
    [
        # The hashes are from before payloads, when inputs and targets were dictionaries.
        (
            "integration",
            INPUTS | {"hint": [1, None]},
            INPUTS | {"antiderivative": None},
            "6cce6ba3",
        ),
        (
            "integration",
            {"text": "?"},
            INPUTS | {"antiderivative": "x^2", "difficulty": 3},
            "5192e5ef",
        ),
        (
            "definite_integral",
            {"integral": "I"},
            {"integral": "I", "decimal": "0.5"},
            "d689b1d1",
        ),
        ("derivation_step", {"sequence": "a"}, {"label": 1}, "af1fba38"),
        ("arithmetic", {"expression": "1/0"}, {"value": 1, "ordinary": None}, "6ba0bf4f"),
    ],
)
def test_a_stored_problem_keeps_its_entries_and_its_hash(
    task: str, inputs: dict[str, Any], target: dict[str, Any], content: str
) -> None:
    problem = Problem.from_dict(row(task, inputs, target))
    stored = problem.to_dict()
    assert (stored["inputs"], stored["target"]) == (inputs, target)
    assert problem.content_hash.startswith(content)


def test_inputs_of_another_prompt_are_kept_apart() -> None:
    problem = Problem.from_dict(row("integration", {"text": "?"}, INPUTS))
    assert problem.inputs == OtherInputs(extra={"text": "?"})
    with pytest.raises(UserError, match="has no DerivationInputs, but OtherInputs"):
        problem.inputs_as(DerivationInputs)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"variable": "x"}, "p: target: integrand is missing"),
        ({"integrand": 2, "variable": "x"}, "p: target: integrand must be a text, not 2"),
        ([], r"p: target must be a table, not \[\]"),
        (LabelTarget(1), "p: target must be a table, not LabelTarget"),
    ],
)
def test_a_target_that_no_verdict_can_depend_on_is_refused(target: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Problem("p", "integration", "b", "s", INPUTS, target)  # type: ignore[arg-type]


def test_the_reference_of_a_target() -> None:
    target = IntegrationTarget("2 x", "x", steps="x x")
    assert (target.reference, target.judged, target.integrated_over) == (None, "2 x", "x")
    assert target.with_reference("x^2") == IntegrationTarget("2 x", "x", "x^2", "x x")
    assert (LabelTarget(0).reference, LabelTarget(0).judged) == (None, 0)
