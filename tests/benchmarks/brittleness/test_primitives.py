"""The primitives: coefficients, ranges, counts, and the two readings of the paper."""

from __future__ import annotations

from collections import Counter

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.brittleness.primitives import (
    EXPONENTS,
    INTEGERS,
    PAIRS,
    RANGES,
    TEMPLATES,
    pair,
)
from calculus_harness.benchmarks.registry import resolve
from calculus_harness.rewards import verify_antiderivative


def subset(name: str):  # type: ignore[no-untyped-def]
    (declared,) = resolve(f"brittleness/{name}")
    return declared


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_at_its_corners_is_proven(name: str) -> None:
    for k1, k2 in [(1, 1), (1, 99), (99, 1), (99, 99), (10999, 10000)]:
        target = TEMPLATES[name].problem("t", k1, k2).target
        assert verify_antiderivative(target.antiderivative, target.integrand).correct


@pytest.mark.parametrize(
    ("name", "k1", "k2", "integrand", "antiderivative"),
    [
        ("ln", 1, 1, r"\ln\left(x\right)", r"x \left(\ln\left(x\right) - 1\right)"),
        ("exp", 6, 4, "6 e^{4 x}", r"\frac{3 e^{4 x}}{2}"),
        ("sin", 2, 3, r"2 \sin\left(3 x\right)", r"-\frac{2 \cos\left(3 x\right)}{3}"),
        ("x", 7, 0, "7 x", r"\frac{7 x^{2}}{2}"),
        ("x42", 43, 0, "43 x^{42}", "x^{43}"),
    ],
)
def test_templates_read_as_people_write(
    name: str, k1: int, k2: int, integrand: str, antiderivative: str
) -> None:
    target = TEMPLATES[name].problem("t", k1, k2).target
    assert (target.integrand, target.antiderivative) == (integrand, antiderivative)


def test_the_codes_reading_is_the_default() -> None:
    defaults = {declared.name for declared in resolve("brittleness")}
    assert defaults == {f"brittleness/primitive_{name}" for name in TEMPLATES}
    sizes = {name: subset(f"primitive_{name}").size() for name in TEMPLATES}
    assert sizes == {name: 99 if name in ("x", "x42") else 1000 for name in TEMPLATES}


@pytest.mark.parametrize(("name", "high"), [("primitive_exp", 99), ("primitive_exp_paper", 100)])
def test_pairs_are_distinct_and_within_their_range(name: str, high: int) -> None:
    drawn = [subset(name).problem(5, i).metadata for i in range(400)]
    pairs = [(row["k1"], row["k2"]) for row in drawn]
    assert len(set(pairs)) == len(pairs)
    values = [value for both in pairs for value in both]
    assert min(values) >= 1
    assert max(values) == high  # 800 draws of 1 to high: all but surely the last is there
    assert any(k1 == k2 for k1, k2 in [pair(5, i, 1, 100, 1000) for i in range(1000)])


def test_single_coefficients_are_drawn_without_replacement() -> None:
    drawn = [subset("primitive_x42").problem(3, i).metadata["k1"] for i in range(99)]
    assert len(set(drawn)) == 99
    assert set(drawn) < set(range(1, 101))
    paper = [subset("primitive_x42_paper").problem(3, i).metadata["k1"] for i in range(100)]
    assert set(paper) == set(range(1, 101))


def test_templates_share_their_pairs_and_seeds_do_not() -> None:
    def pairs(name: str, seed: int) -> list[tuple[object, object]]:
        rows = [subset(name).problem(seed, i).metadata for i in range(50)]
        return [(row["k1"], row["k2"]) for row in rows]

    assert pairs("primitive_sin", 0) == pairs("primitive_tan", 0)
    assert len(set(pairs("primitive_sin", 0)) & set(pairs("primitive_sin", 1))) < 10


def test_powers_and_roots() -> None:
    assert len(EXPONENTS) == len(set(EXPONENTS)) == 2000
    assert (EXPONENTS[0], EXPONENTS[999], EXPONENTS[1000], EXPONENTS[-1]) == (1, 1000, 10000, 10999)
    assert subset("powers_paper").problem(0, 0).target.integrand == "1"
    assert subset("powers_paper").size() == 1001
    target = subset("roots").problem(0, 1999).target
    assert target.integrand == r"x^{\frac{1}{10999}}"
    assert target.antiderivative == r"\frac{10999 x^{\frac{11000}{10999}}}{11000}"


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_ranges_of_integers(low: int, high: int) -> None:
    declared = subset(f"integers_{low}")
    assert declared.size() == PAIRS * len(INTEGERS) == 3000
    rows = [declared.problem(0, i) for i in range(30)]
    assert Counter(row.metadata["template"] for row in rows) == dict.fromkeys(
        (template.label for template in INTEGERS), 5
    )
    # A pair is applied to all of the templates.
    pairs = [pair(0, i, low, high, PAIRS) for i in range(5)]
    assert [row.metadata["k1"] for row in rows] == [k1 for k1, _ in pairs for _ in INTEGERS]
    every = [pair(0, i, low, high, PAIRS) for i in range(PAIRS)]
    assert len(set(every)) == PAIRS
    assert all(low <= k < high for both in every for k in both)


def test_a_larger_limit_only_adds() -> None:
    few, many = load("brittleness", limit=20, seed=9), load("brittleness", limit=50, seed=9)
    assert {p.id for p in few} < {p.id for p in many}
