"""Invariants of every subset of every benchmark, whoever declared the benchmark."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import prompts
from calculus_harness.benchmarks import Problem, UnknownBenchmarkError, load, names, subsets
from calculus_harness.benchmarks.bee.decisions import decisions
from calculus_harness.benchmarks.payloads import IntegrationTarget
from calculus_harness.benchmarks.registry import resolve
from calculus_harness.benchmarks.subset import Subset, sample_families
from calculus_harness.rewards import verify_antiderivative

SUBSETS = [f"{name}/{subset}" for name in names() for subset in subsets(name)]
SAMPLE = 3


@pytest.fixture(scope="module", params=SUBSETS)
def sample(request: pytest.FixtureRequest) -> list[Problem]:
    return load(request.param, limit=SAMPLE, seed=0)


def test_each_problem_is_whole(sample: list[Problem]) -> None:
    assert len(sample) == SAMPLE
    assert len({problem.id for problem in sample}) == SAMPLE
    for problem in sample:
        (subset,) = resolve(problem.name)
        assert problem.task == subset.task
        assert Problem.from_dict(problem.to_dict()) == problem
        assert pickle.loads(pickle.dumps(problem)) == problem
        assert "antiderivative" not in problem.inputs.to_dict()


def test_each_problem_is_addressable_and_the_same_again(sample: list[Problem]) -> None:
    (subset,) = resolve(sample[0].name)
    assert subset.problems(SAMPLE, 0) == sample
    assert subset.problem(0, 0).content_hash == subset.problem(0, 0).content_hash
    with pytest.raises(IndexError):
        subset.problem(0, -1)
    if not subset.endless:
        with pytest.raises(IndexError):
            subset.problem(0, subset.size())


def test_each_problem_renders_with_every_prompt_of_its_task(sample: list[Problem]) -> None:
    # The prompts of prefix tokens show no formula, and have none for parameters.
    for name in set(prompts.names(sample[0].task)) - {"prefix", "prefix-ode"}:
        template = prompts.load(name)
        if template.pictures is not None and not (find_spec("sklearn") and find_spec("PIL")):
            continue  # it needs the extra 'images'
        for problem in sample:
            text = str(template.render(problem))
            inputs = problem.inputs.to_dict()
            statement = str(inputs.get("integrand") or inputs.get("question") or "")
            assert statement in text
            # An answer may be a part of what is shown, as an antiderivative is of its derivative,
            # but stands nowhere else.
            remaining = text.replace(statement, " ") if statement else text
            assert (problem.target.reference or "no reference") not in remaining


def test_each_reference_is_proven_and_refuted_when_broken(sample: list[Problem]) -> None:
    for problem in sample:
        if isinstance(problem.target, IntegrationTarget) and problem.target.antiderivative:
            f, big_f = problem.target.integrand, problem.target.antiderivative
            x = problem.target.variable
            assert verify_antiderivative(big_f, f, variable=x).correct
            assert not verify_antiderivative(rf"{big_f}+\sin({x})", f, variable=x).correct


def test_the_main_job_is_the_two_partitions() -> None:
    assert {problem.subset for problem in load("bee")} == {"qualifier", "competition"}
    assert {problem.subset for problem in load("bee/all", limit=30)} == set(subsets("bee"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("be", "did you mean 'bee'"),
        ("bee/qualifer", "did you mean 'qualifier'"),
        ("nothing", "known: bee"),
        ("bee/nothing", "known: "),
    ],
)
def test_a_mistyped_name(spec: str, message: str) -> None:
    with pytest.raises(UnknownBenchmarkError, match=message):
        load(spec)


def test_another_seed_is_another_set_with_the_same_originals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALCULUS_HARNESS_CACHE", str(tmp_path))
    decisions.cache_clear()
    try:
        first, second = (load("bee/parametric", limit=20, seed=seed) for seed in (0, 1))
    finally:
        decisions.cache_clear()
    assert {problem.content_hash for problem in first}.isdisjoint(p.content_hash for p in second)


INTEGRAL: Any = {"integrand": "x", "variable": "x"}


def family(number: int, subset: str, parent: str | None = None) -> Problem:
    name = f"{subset}{number}"
    return Problem(name, "integration", "b", subset, INTEGRAL, INTEGRAL, pair_parent=parent)


def subset_of(problems: list[Problem]) -> Subset:
    return Subset(
        name=problems[0].name,
        make=lambda seed, index: problems[index],
        size=lambda: len(problems),
        task="integration",
        source="",
        summary="",
    )


def test_a_limit_keeps_originals_with_what_was_made_from_them() -> None:
    originals = [family(i, "plain") for i in range(50)]
    unrelated = [family(i, "else") for i in range(50)]
    shifted = [family(i, "shifted", f"plain{i}") for i in range(50)]
    again = [family(i, "again", f"shifted{i}") for i in range(0, 50, 2)]
    subsets = [subset_of(problems) for problems in (originals, unrelated, shifted, again)]
    smaller: set[Problem] = set()
    for limit in range(1, 180):
        chosen = sample_families(subsets, limit, seed=3)
        assert len(chosen) == min(limit, 175)
        assert smaller <= set(chosen)  # a larger one only adds
        smaller = set(chosen)
        ids = {problem.id for problem in chosen}
        for problem in chosen:
            if problem.subset == "shifted":
                assert problem.pair_parent in ids
        names = [problem.subset for problem in chosen]
        assert names == sorted(names, key=["plain", "else", "shifted", "again"].index)
        complete = sum(
            f"shifted{problem.id[5:]}" in ids for problem in chosen if problem.subset == "plain"
        )
        assert complete >= names.count("plain") - 1  # at most one family is cut
    assert sample_families(subsets, 20, seed=3) != sample_families(subsets, 20, seed=4)


def test_a_limit_prefers_more_originals_to_more_perturbations_of_each() -> None:
    plain = subset_of([family(i, "plain") for i in range(20)])
    shifted = subset_of([family(i, "shifted", f"plain{i // 10}") for i in range(200)])
    scaled = subset_of([family(i, "scaled", f"plain{i // 5}") for i in range(100)])
    subsets = [plain, shifted, scaled]
    chosen = sample_families(subsets, 30)  # ten originals with a perturbation of each kind
    for subset in ("plain", "shifted", "scaled"):
        assert [problem.subset for problem in chosen].count(subset) == 10
    parents = {problem.pair_parent for problem in chosen if problem.subset == "shifted"}
    assert parents == {problem.id for problem in chosen if problem.subset == "plain"}
    assert len({problem.pair_parent for problem in sample_families([shifted], 20)}) == 20


def test_originals_that_are_not_there_count_as_well() -> None:
    shifted = subset_of([family(i, "shifted", f"plain{i // 3}") for i in range(9)])
    chosen = sample_families([shifted], 3)
    assert len({problem.pair_parent for problem in chosen}) == 3
    again = sample_families([shifted], 6)
    assert set(chosen) < set(again)
