"""The variants of the generator as subsets for models."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import load, subsets
from calculus_harness.benchmarks.derivations.examples import example
from calculus_harness.benchmarks.derivations.options import VARIANTS
from calculus_harness.benchmarks.derivations.sequences import sequence


@pytest.mark.parametrize("variant", ["paper", "original"])
def test_a_variants_problems_are_those_of_its_generator(variant: str) -> None:
    static = load(f"derivations/{variant}_step3", limit=4)
    for number in (0, 1):
        drawn = example(3, 0, number, VARIANTS[variant])
        assert static[2 * number].inputs.sequence == sequence(drawn, 1)
        assert static[2 * number + 1].inputs.sequence == sequence(drawn, 0)
    assert {problem.metadata["options"] for problem in static} == {variant}
    for name in ("vr", "ee", "ar"):
        twins = load(f"derivations/{variant}_step3_{name}", limit=4)
        assert [twin.pair_parent for twin in twins] == [problem.id for problem in static]


def test_each_subset_has_its_variants_and_the_default_is_asked_alone() -> None:
    names = subsets("derivations")
    plain = [name for name in names if name.startswith("step")]
    for variant in ("paper", "original"):
        assert [name for name in names if name.startswith(variant)] == [
            f"{variant}_{name}" for name in plain
        ]
    assert {problem.subset for problem in load("derivations", limit=15)} <= set(plain)
    ids = [
        p.id
        for name in ("", "paper_", "original_")
        for p in load(f"derivations/{name}step2", limit=4)
    ]
    assert len(set(ids)) == len(ids)
    fewer = load("derivations/original_step4_minus2", limit=2)
    assert fewer[0].parents[0].id == "original-step2-s0-0"
