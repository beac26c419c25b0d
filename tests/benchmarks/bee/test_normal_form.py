"""The deterministic simplifier of the subsets ``*_normal``."""

from __future__ import annotations

import re

import pytest

from calculus_harness.benchmarks.algebra.formulas import parse
from calculus_harness.benchmarks.bee.augmented import PerturbedProblems, built_in
from calculus_harness.benchmarks.bee.decisions import decisions
from calculus_harness.benchmarks.bee.normal_form import shortest_form
from calculus_harness.benchmarks.bee.perturbations import PERTURBATIONS
from calculus_harness.benchmarks.payloads import IntegrationTarget
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import load
from calculus_harness.rewards import verify_equivalent

NAMES = ("lin_comb", "subst_poly", "subst_hard")


@pytest.mark.parametrize(
    ("integrand", "expected"),
    [
        (r"\frac{x^2-1}{x-1}", "x + 1"),
        (r"\frac{\cos^2 x-1}{\cos x-1}", r"\cos\left(x\right) + 1"),
        (r"\sqrt{x}\cdot\sqrt{x}+1", "x + 1"),
        (r"\frac{e^{2x}-1}{e^x+1}", "e^{x} - 1"),
        (r"-\sin x+\sin x+x\cos x", r"x \cos\left(x\right)"),
    ],
)
def test_shorter_forms(integrand: str, expected: str) -> None:
    assert shortest_form(parse(integrand)) == (expected, "simplified")


@pytest.mark.parametrize("integrand", [r"(x+1)^{100}", r"\sin(x^3+x+1)", r"\sqrt{\tan x}", "x"])
def test_what_has_no_shorter_form_stays(integrand: str) -> None:
    assert shortest_form(parse(integrand)) == (None, "unchanged")


def test_a_form_is_the_same_function_and_needs_no_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    import sympy

    monkeypatch.setattr(sympy, "simplify", pytest.fail)
    text = r"\frac{(-6x^2-8x)\ln(2x^3+4x^2+6)}{(1+(-2x^3-4x^2-6)^2)^{3/2}}"
    form, reason = shortest_form(parse(text))
    assert reason == "simplified"
    assert form is not None
    assert verify_equivalent(form, text).correct


@pytest.mark.parametrize("name", NAMES)
def test_the_draws_are_those_of_the_papers_subset(name: str) -> None:
    """Only the simplifier differs. The recorded decisions hold the draws of both."""
    of = {decision_name: [] for decision_name in (name, f"{name}_normal")}  # type: ignore[var-annotated]
    for key in decisions().shipped:
        if key[0] in of and key[1:3] == (0, 1):
            (decision,) = decisions().find(key)[:1]
            of[key[0]].append((decision.variation_id, decision.attempt, decision.integrand_hash))
    ours, second = map(sorted, of.values())
    assert ours == second
    assert len(ours) == 315


def test_another_machine_makes_the_same_decisions() -> None:
    """The decisions of the package equal newly made decisions."""
    generator = PerturbedProblems(PERTURBATIONS["subst_hard_normal"], built_in())
    for index in (0, 33, 150):
        f, variation = generator.variation(index)
        recorded = generator._recorded(f, variation)
        drawn = generator._draw(f, variation)
        assert recorded is not None
        assert drawn is not None
        assert generator._decide([drawn]) == [recorded[1]]


@pytest.mark.parametrize("name", NAMES)
def test_composed_problems_are_the_same_draws_without_a_simplifier(name: str) -> None:
    """A problem of subst_hard is left out: the verifier proves only the simplified form."""
    simplified = {problem.id: problem for problem in load(f"bee/{name}")}
    composed = load(f"bee/{name}_composed")
    assert len(composed) == len(simplified) - (name == "subst_hard")
    for draw in composed:
        counterpart = simplified[draw.id.replace("_composed", "")]
        assert draw.parents == counterpart.parents
        assert reference(draw) == reference(counterpart)
        assert draw.metadata["simplify"] == "kept"
        if counterpart.metadata["simplify"] != "simplified":  # it stands as composed there, too
            assert draw.inputs == counterpart.inputs


def reference(problem: Problem) -> str | None:
    return problem.target_as(IntegrationTarget).antiderivative


@pytest.mark.parametrize("name", ["lin_comb", "subst_poly", "subst_hard"])
def test_parents_without_trigonometric_functions(name: str) -> None:
    """The subsets with the paper's retention: no trigonometric function remains."""
    problems = load(f"bee/{name}_without_trig")
    parents = {
        parent.id: parent for pool in ("competition", "qualifier") for parent in load(f"bee/{pool}")
    }
    assert len(problems) == 177
    for problem in problems:
        assert problem.metadata["simplify"] == "kept"
        for relative in (problem, *(parents[parent.id] for parent in problem.parents)):
            assert not re.search(r"\\(arc)?(sin|cos|tan|cot|sec|csc)\b", relative.target.integrand)
