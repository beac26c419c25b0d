"""Augmented problems: generated as in the paper, proven, equal on every machine."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import pytest

from calculus_harness.benchmarks import Problem, load
from calculus_harness.benchmarks.algebra.formulas import parse
from calculus_harness.benchmarks.bee.augmented import (
    AugmentationError,
    Parents,
    PerturbedProblems,
    built_in,
)
from calculus_harness.benchmarks.bee.bank import entries
from calculus_harness.benchmarks.bee.decisions import decisions
from calculus_harness.benchmarks.bee.perturbations import PERTURBATIONS
from calculus_harness.benchmarks.bee.simplify import simplify_all
from calculus_harness.benchmarks.fingerprint import overlap
from calculus_harness.benchmarks.recorded_decisions import cache_file
from calculus_harness.benchmarks.registry import resolve
from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.reading.expression.traversal import substitute, symbols_of
from calculus_harness.rewards.reading.latex import read, to_latex

pytestmark = pytest.mark.slow

CACHE = "bee-decisions.jsonl"
PAPERS = ("lin_comb", "subst_poly", "subst_hard")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No decision comes from, or goes to, the user's cache."""
    monkeypatch.setenv("CALCULUS_HARNESS_CACHE", str(tmp_path))
    decisions.cache_clear()
    yield tmp_path  # type: ignore[misc]
    decisions.cache_clear()


def solved_problem(name: str, subset: str, f: str, big_f: str) -> Problem:
    inputs = {"integrand": f, "variable": "x"}
    return Problem(name, "integration", "b", subset, inputs, {**inputs, "antiderivative": big_f})


def small_bank() -> list[Problem]:
    """Simple problems, which SymPy simplifies at once."""
    return [
        solved_problem("c1", "competition", r"\cos x", r"\sin x"),
        solved_problem("c2", "competition", r"\frac{1}{1+x^2}", r"\arctan x"),
        solved_problem("q1", "qualifier", "e^x", "e^x"),
        solved_problem("q2", "qualifier", "x^2", r"\frac{x^3}{3}"),
        solved_problem("q3", "qualifier", r"\ln x", r"x\ln x-x"),
        solved_problem("q4", "qualifier", r"x e^x", r"(x-1)e^x"),
        solved_problem("q5", "qualifier", r"\sqrt x", r"\frac23x^{3/2}"),
        solved_problem("q6", "qualifier", r"\frac1x", r"\ln|x|"),
    ]


# --- what the package holds ---


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_all_decisions_of_seed_0_are_in_the_package(name: str, own_cache: Path) -> None:
    problems = load(f"bee/{name}")
    assert len(problems) == resolve(f"bee/{name}")[0].size()
    assert not list(own_cache.iterdir()), "a decision was missing and has been made again"
    assert len({problem.id for problem in problems}) == len(problems)
    if name in PAPERS:
        assert len(problems) == 3 * len(entries("competition"))
    assert load("bee", limit=8) == load("bee", limit=8)
    assert name not in {problem.subset for problem in load("bee", limit=8)}


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_every_reference_is_proven_and_every_formula_reads_back(name: str) -> None:
    for problem in load(f"bee/{name}"):
        integrand = problem.target.integrand
        (reading,) = read(integrand, symbols=["x"])
        assert to_latex(reading.expression) == integrand
        verdict = verify_antiderivative(problem.target.antiderivative, integrand)
        assert verdict.correct, (problem.id, verdict)
        broken = rf"{problem.target.antiderivative}+\frac{{x}}{{7}}"
        assert not verify_antiderivative(broken, integrand).correct
        coverage = verdict.evidence.coverage  # None where the domain is a sliver
        if coverage is not None and coverage < 1:
            # Both are estimates, and from other points if the verifier has changed in between.
            assert problem.metadata["coverage"] == pytest.approx(coverage, abs=0.2)


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_none_is_a_problem_of_the_bank(name: str) -> None:
    result = overlap(load("bee"), load(f"bee/{name}"))
    assert result.matches == []
    assert result.unreadable == []


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_parents_and_pairing(name: str) -> None:
    originals = {problem.id: problem for problem in load("bee")}
    for problem in load(f"bee/{name}"):
        original, *partners = problem.parents
        assert (original.role, problem.pair_parent) == ("f", original.id)
        assert {parent.role for parent in partners} <= {"g"}
        assert all(originals[parent.id].subset == "qualifier" for parent in partners)
        if not PERTURBATIONS[name].of_all:
            assert originals[original.id].subset == "competition"
        assert problem.perturbation == name


def test_the_papers_recipes_to_the_letter() -> None:
    originals = {p.id: parse(p.target.antiderivative) for p in load("bee")}
    for problem in load("bee/lin_comb"):
        a, b = problem.metadata["coefficients"]  # type: ignore[misc]
        assert {a, b} <= {*range(-9, 0), *range(1, 10)}
        f, g = (to_latex(originals[parent.id]) for parent in problem.parents)
        combined = rf"{a}\left({f}\right)+{b}\left({g}\right)".replace("+-", "-")
        assert verify_antiderivative(combined, problem.target.integrand).correct
    for problem in load("bee/subst_poly"):
        cubic = parse(str(problem.metadata["substituted"]))
        composed = substitute(originals[problem.parents[0].id], "x", cubic)
        assert verify_antiderivative(to_latex(composed), problem.target.integrand).correct
    partners = [p.parents[1].id for p in load("bee/lin_comb")]
    for _, three in groupby(enumerate(partners), key=lambda pair: pair[0] // 3):
        assert len({partner for _, partner in three}) == 3
    assert len(set(partners)) > 100


def test_parameters_are_symbols() -> None:
    for problem in load("bee/parametric"):
        names = symbols_of(parse(problem.target.integrand))
        assert {"x"} < names <= {"x", "a", "b", "c", "k", "m", "n"}


# --- making new ones ---


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_the_same_seed_and_another(name: str, own_cache: Path) -> None:
    parents = Parents.of(small_bank())
    problems = list(PerturbedProblems(PERTURBATIONS[name], parents, seed=11).problems(2))
    recorded = cache_file(CACHE).read_text(encoding="utf-8") if problems else ""
    assert list(PerturbedProblems(PERTURBATIONS[name], parents, seed=11).problems(2)) == problems
    decisions.cache_clear()  # another process, with the cache ...
    assert list(PerturbedProblems(PERTURBATIONS[name], parents, seed=11).problems(2)) == problems
    if problems:
        assert cache_file(CACHE).read_text(encoding="utf-8") == recorded
        for path in own_cache.iterdir():
            path.unlink()
    decisions.cache_clear()  # ... and without
    assert list(PerturbedProblems(PERTURBATIONS[name], parents, seed=11).problems(2)) == problems
    assert (
        PerturbedProblems(PERTURBATIONS[name], parents, seed=11).at(1) == problems[1]
        if len(problems) > 1
        else True
    )
    if name not in ("twins", "inverse_subst", "parametric"):
        quick = PerturbedProblems(PERTURBATIONS[name], parents, seed=12, cpu_limit=0.001)
        problems_of_another_seed = list(quick.problems(2))
        assert [p.target for p in problems_of_another_seed] != [p.target for p in problems]


@pytest.mark.parametrize("name", ["lin_comb", "subst_hard", "parametric", "parts"])
def test_difficulty(name: str) -> None:
    parents = Parents.of(small_bank())
    (plain,) = PerturbedProblems(PERTURBATIONS[name], parents, seed=2).problems(1)
    (hard,) = PerturbedProblems(PERTURBATIONS[name], parents, seed=2, difficulty=2).problems(1)
    assert hard.id != plain.id
    integrand, reference = hard.target.integrand, hard.target.antiderivative
    assert verify_antiderivative(reference, integrand).correct
    if name != "parametric":
        assert len(hard.parents) == len(plain.parents) + 1


def test_a_timeout_is_a_recorded_decision(own_cache: Path) -> None:
    parents = Parents.of(small_bank())
    generator = PerturbedProblems(PERTURBATIONS["subst_poly"], parents, seed=1, cpu_limit=0.001)
    (problem,) = generator.problems(1)
    assert problem.metadata["simplify"] == "timeout"
    row = json.loads(cache_file(CACHE).read_text(encoding="utf-8").splitlines()[0])
    assert row["outcome"] == "timeout"
    assert "integrand" not in row
    # With time enough, the decision stands.
    assert PerturbedProblems(PERTURBATIONS["subst_poly"], parents, seed=1).at(0) == problem


def test_simplify() -> None:
    done, slow, wrong = simplify_all([r"\sin^2 x+\cos^2 x", "x", r"\operatorname{arcsec}(1/0)"])
    assert done == ("1", "simplified")
    assert slow == ("x", "simplified")
    assert wrong == (None, "error")
    assert simplify_all([]) == []


def test_nothing_to_make_problems_of() -> None:
    bare = Problem(
        "a",
        "integration",
        "b",
        "s",
        {"integrand": "x", "variable": "x"},
        {"integrand": "x", "variable": "x"},
    )
    with pytest.raises(AugmentationError, match="no problems with a reference"):
        Parents.of([bare])


def test_an_integrand_that_is_real_nowhere_is_drawn_again() -> None:
    nowhere = solved_problem("g", "qualifier", r"\ln(-1-x^2)", "x")  # wrong, and real nowhere
    good = solved_problem("h", "qualifier", "x", r"\frac{x^2}{2}")
    f = solved_problem("f", "competition", r"\cos x", r"\sin x")
    problems = list(
        PerturbedProblems(PERTURBATIONS["lin_comb"], Parents.of([f, nowhere, good])).problems()
    )
    assert [problem.parents[1].id for problem in problems] == ["h", "h", "h"]


def test_the_built_in_bank_is_what_is_loaded() -> None:
    assert len(built_in().competition) == len(entries("competition"))
    with pytest.raises(IndexError):
        PerturbedProblems(PERTURBATIONS["parts"], built_in()).at(10**6)
