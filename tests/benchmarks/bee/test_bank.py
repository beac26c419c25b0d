"""The bank of integrals: right, varied, without duplicates, the same for all."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import Problem, load
from calculus_harness.benchmarks.bee.bank import BeeEntry, entries, problems
from calculus_harness.benchmarks.fingerprint import duplicates
from calculus_harness.rewards import Verdict, verify_antiderivative
from calculus_harness.rewards.reading.latex import read, to_latex

ALL = [entry for partition in ("qualifier", "competition") for entry in entries(partition)]


@pytest.fixture(scope="module")
def proofs() -> dict[str, Verdict]:
    return {e.id: verify_antiderivative(e.antiderivative, e.integrand) for e in ALL}


def test_sizes_and_ids() -> None:
    assert len(entries("qualifier")) >= 177
    assert len(entries("competition")) >= 66
    assert len({entry.id for entry in ALL}) == len(ALL)
    assert {entry.partition for entry in entries("qualifier")} == {"qualifier"}
    assert {entry.partition for entry in entries("competition")} == {"competition"}


def test_every_reference_is_proven(proofs: dict[str, Verdict]) -> None:
    assert {name: str(v.evidence) for name, v in proofs.items() if not v.correct} == {}


def test_every_reference_holds_on_the_whole_domain_or_says_so(proofs: dict[str, Verdict]) -> None:
    partly = {
        name: proofs[name].evidence.coverage
        for name in proofs
        if proofs[name].correct and proofs[name].evidence.coverage != 1
    }
    assert partly == {}


@pytest.mark.parametrize("wrong", [r"+\frac{x}{1000}", r"+\ln(1+x^2)", r"\cdot 1.001"])
def test_every_broken_reference_is_refuted(wrong: str) -> None:
    for entry in ALL:
        broken = rf"\left({entry.antiderivative}\right){wrong}"
        verdict = verify_antiderivative(broken, entry.integrand)
        assert verdict.status == "incorrect", (entry.id, verdict)
        assert verdict.evidence.witness is not None


def test_no_near_duplicates() -> None:
    result = duplicates([*problems("qualifier"), *problems("competition")])
    assert result.matches == []
    assert result.unreadable == []
    assert result.compared == len(ALL)


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)
def test_each_row_is_in_order(entry: BeeEntry) -> None:
    assert entry.tags
    (reading,) = read(entry.integrand, symbols=["x"])
    (again,) = read(entry.normalised, symbols=["x"])
    assert to_latex(again.expression) == to_latex(reading.expression) == entry.normalised
    assert Problem.from_dict(entry.problem().to_dict()) == entry.problem()


def test_the_same_for_every_seed_and_nested_by_limit() -> None:
    everything = load("bee")
    assert len(everything) == len(ALL)
    assert load("bee", seed=7) == everything
    small, large = load("bee", limit=10, seed=3), load("bee", limit=40, seed=3)
    assert small == load("bee", limit=10, seed=3)
    assert {p.id for p in small} < {p.id for p in large}
    assert len([p for p in small if p.subset == "competition"]) == 5


def test_several_dozen_are_hard_for_sympy() -> None:
    solved_by_sympy = [entry.sympy_solves_in_10s for entry in ALL]
    assert solved_by_sympy.count(False) >= 36
    assert solved_by_sympy.count(None) == 0
