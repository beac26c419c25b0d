"""Definite integrals: the verifier computes every value, and every problem has a parent."""

import json

import pytest
from flint import acb

from calculus_harness.benchmarks.definite.perturbed import _with_folded_exponentials
from calculus_harness.benchmarks.files.table import ProblemFileError
from calculus_harness.benchmarks.registry import load, resolve
from calculus_harness.harness.tasks import TASKS
from calculus_harness.rewards import verify_definite_integral
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.reading.latex import read

SUBSETS = resolve("definite/all")
PERTURBED = ["scaled", "parameter", "number", "limits", "substituted", "lin_comb"]


def assert_proven(problem):
    answer, integral = problem.target.value, problem.target.integral
    verdict = verify_definite_integral(rf"\boxed{{{answer}}}", integral)
    assert verdict.correct, (problem.id, integral, answer, verdict.evidence.detail)


@pytest.mark.parametrize("subset", SUBSETS, ids=lambda subset: subset.name)
def test_values_are_proven(subset):
    for index in range(0, min(subset.size(), 40), 13):
        assert_proven(subset.problem(1, index))


@pytest.mark.slow
@pytest.mark.parametrize("subset", SUBSETS, ids=lambda subset: subset.name)
def test_every_third_value_is_proven(subset):
    for index in range(0, min(subset.size(), 190), 3):
        assert_proven(subset.problem(0, index))


def test_the_bank_is_large_and_varied():
    bank = load("definite/bank")
    assert len(bank) >= 150
    assert len({problem.target.integral for problem in bank}) == len(bank)
    techniques = {problem.metadata["technique"] for problem in bank}
    assert len(techniques) >= 15
    assert {"residues", "Frullani", "principal value", "divergent"} <= techniques


@pytest.mark.parametrize("name", PERTURBED)
def test_perturbed_problems_name_their_original(name):
    bank = {problem.id for problem in load("definite/bank")}
    problems = load(f"definite/{name}", limit=12)
    assert all(problem.pair_parent in bank for problem in problems)
    assert all(problem.perturbation == name for problem in problems)


def test_the_same_seed_gives_the_same_problems():
    for name in ("families", "disguised", "scaled"):
        problems = load(f"definite/{name}", limit=5, seed=3)
        assert problems == load(f"definite/{name}", limit=5, seed=3)
    assert load("definite/families", limit=5, seed=3) != load("definite/families", limit=5, seed=4)


def rows(tmp_path, *table):
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in table))
    return load(str(path))


def test_a_published_table_is_a_benchmark_and_its_errors_are_named(tmp_path):
    integral = r"\int_0^1 x\,dx"
    good, wrong, decimal, unknown, not_real = rows(
        tmp_path,
        {"problem": integral, "symbolic_answer": r"\frac12", "numerical_answer": 0.5},
        {"problem": integral, "symbolic_answer": r"\frac13", "source": "p. 7"},
        {"problem": integral, "symbolic_answer": r"\frac12", "numerical_answer": "0.51"},
        {"problem": integral},
        {"problem": r"\int_{-1}^1 \ln x\,dx", "symbolic_answer": "-2"},
    )
    check = TASKS["definite_integral"].check
    assert check(good) == ""
    assert "refutes" in check(wrong)
    assert wrong.metadata["source"] == "p. 7"
    assert "not 0.51" in check(decimal)
    assert check(unknown) is None
    assert "not real at x = -0.99" in check(not_real)


def test_a_row_that_is_no_definite_integral_is_named(tmp_path):
    with pytest.raises(ProblemFileError, match=r"line 1: .*no lower and no upper limit"):
        rows(tmp_path, {"problem": r"\int x\,dx", "symbolic_answer": "1"})


@pytest.mark.parametrize(
    "text", [r"\sqrt{e^t}", r"(e^t)^3", r"\ln(e^t)", r"\sin(e^t)", r"\frac{\sqrt{e^t+1}}{t}"]
)
def test_folding_exponentials_changes_no_value(text):
    tree = read(text, symbols=["t"])[0].expression
    tapes = [compile_tape(form, "t") for form in (tree, _with_folded_exponentials(tree))]
    original, folded = (tape.run(acb(0.75), {})[tape.root][0] for tape in tapes)
    assert original.overlaps(folded)
