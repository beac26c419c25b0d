"""Pairs of problems and systems; neither clusters, children nor luck mislead."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.payloads import IntegrationInputs, IntegrationTarget
from calculus_harness.harness.stats.intervals import Clusters, Ratio
from calculus_harness.harness.stats.metrics.pass_at_k import pass_at_k
from calculus_harness.harness.stats.paired import comparison, power
from calculus_harness.harness.stats.paired.comparison import contrast, pass_twice, with_family
from calculus_harness.harness.stats.paired.power import design, sampling_variance
from calculus_harness.harness.stats.pairing import Pair, Pairs, pair_parents, pair_problems
from calculus_harness.harness.stats.tallies import Tally
from tests.examples import examples


def tally(name: str, n: int, c: int, cluster: str | None = None, unknown: int = 0) -> Tally:
    return Tally(name, cluster or name, n, c, unknown)


def pairs_of(n: int, first: list[int], second: list[int]) -> list[Pair]:
    return [
        Pair(f"p{i}", f"p{i}", (tally(f"p{i}", n, a),), (tally(f"q{i}", n, b),))
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    ]


def transfer(pairs: list[Pair], k: int, seed: int = 0) -> comparison.Transfer | None:
    both = Pairs(pairs)
    lost = comparison.losses(both.first, both.second, both.clusters, k, seed)
    return lost and lost.transfer()


def problem(name: str, subset: str, pair: str | None = None, how: str | None = None) -> Problem:
    return Problem(
        id=name,
        task="integration",
        benchmark="bee",
        subset=subset,
        inputs=IntegrationInputs("x", "x"),
        target=IntegrationTarget("x", "x"),
        pair_parent=pair,
        perturbation=how,
    )


# --- pairing -----------------------------------------------------------------------------------


def test_systems_are_paired_by_the_problems_that_both_were_asked() -> None:
    first = {name: tally(name, 2, 1) for name in "abc"}
    second = {name: tally(name, 2, 2) for name in "bcd"}
    assert [pair.unit for pair in pair_problems(first, second)] == ["b", "c"]


def test_children_of_one_parent_are_averaged_first() -> None:
    problems = {
        p.id: p
        for p in [
            problem("a", "s"),
            problem("b", "s"),
            *(problem(f"a{i}", "hard", "a", "hard") for i in range(3)),
            problem("b1", "hard", "b", "hard"),
            problem("z1", "hard", "z", "hard"),
            problem("b2", "mixed", "b", "one"),
            problem("b3", "mixed", "b", "two"),
        ]
    }
    tallies = {name: tally(name, 4, 4 if name == "a" else 0) for name in problems}
    grouped = pair_parents(tallies, problems)
    assert set(grouped) == {"bee/hard", "bee/mixed: one", "bee/mixed: two"}
    pairs, alone = grouped["bee/hard"]
    assert alone == 1  # the parent of z1 was not asked
    assert [(p.unit, len(p.second)) for p in pairs] == [("a", 3), ("b", 1)]
    row = contrast("bee/hard", ("s", "hard"), pairs, [1])
    assert row.pairs == 2
    assert row.differences[0].value == -0.5  # not -0.75: a counts once


def test_k_is_no_larger_than_the_smaller_number_of_samples() -> None:
    pairs = [Pair("p", "p", (tally("p", 8, 3),), (tally("q", 4, 1),))]
    row = contrast("s", ("a", "b"), pairs, [1, 4, 8])
    assert [d.k for d in row.differences] == [1, 4]
    assert row.samples_per_problem == (8, 4)


def test_undecided_samples_bound_the_difference() -> None:
    pairs = [Pair("p", "p", (tally("p", 4, 2, unknown=1),), (tally("q", 4, 1, unknown=2),))]
    (difference,) = contrast("s", ("a", "b"), pairs, [1]).differences
    assert difference.value == -0.25
    assert difference.bounds == (-0.5, 0.25)


def test_the_children_of_a_parent_are_averaged_before_they_are_compared() -> None:
    children = (tally("q0", 4, 1), tally("q1", 4, 4), tally("q2", 4, 1))
    pairs = [
        Pair("p", "p", (tally("p", 4, 2),), children),
        Pair("r", "r", (tally("r", 4, 1),), (tally("s", 4, 4),)),
    ]
    (difference,) = contrast("s", ("a", "b"), pairs, [1]).differences
    assert difference.first == pytest.approx((0.5 + 0.25) / 2)
    assert difference.second == pytest.approx(((0.25 + 1 + 0.25) / 3 + 1) / 2)


def test_the_family_is_every_row_at_the_primary_k() -> None:
    strong = pairs_of(4, [4] * 12, [0] * 11 + [4])
    weak = pairs_of(4, [2, 1, 3, 2] * 3, [1, 1, 2, 3] * 3)
    rows = [
        contrast(name, ("a", "b"), pairs, [1, 4]) for name, pairs in (("s", strong), ("w", weak))
    ]
    adjusted = with_family(rows, [strong, weak], 1, 0.05)
    ps = [row.differences[0].p for row in rows]
    assert [row.differences[0].adjusted for row in adjusted] == comparison.holm(ps)
    assert [row.differences[1].adjusted for row in adjusted] == [None, None]
    planned = adjusted[0].differences[0].design
    assert planned is not None
    assert planned.alpha == pytest.approx(0.025)  # Holm's first step, for two


def test_breakdowns_need_enough_pairs() -> None:
    pairs = pairs_of(2, [2] * 8, [1] * 8)
    row = contrast("s", ("a", "b"), pairs, [1])
    labels = {pair.unit: ["parts", "odd"] if i < 5 else ["odd"] for i, pair in enumerate(pairs)}
    labels["p7"] = ["rare"]
    lines = comparison.break_down(row, pairs, labels, 1)
    assert [(line.group, line.pairs) for line in lines] == [("s · odd", 7), ("s · parts", 5)]


# --- regression to the mean --------------------------------------------------------------------


def test_solving_twice_is_counted_over_all_disjoint_sets() -> None:
    for n, c, k in itertools.product(range(2, 8), range(8), range(1, 4)):
        if c > n or 2 * k > n:
            continue
        good = set(range(c))
        both = [
            bool(good & set(chosen)) and bool(good & set(retest))
            for chosen in itertools.combinations(range(n), k)
            for retest in itertools.combinations(sorted(set(range(n)) - set(chosen)), k)
        ]
        assert pass_twice(n, c, k) == pytest.approx(sum(both) / len(both))


@pytest.mark.slow
def test_luck_is_not_mistaken_for_brittleness() -> None:
    """The perturbation changes nothing: losses are as frequent in either direction."""
    generator = np.random.default_rng(2)
    excesses, shares = [], []
    covered, trials = 0, 60
    for trial in range(trials):
        chance = generator.beta(0.6, 0.9, size=120)
        first, second = generator.binomial(8, chance, size=(2, 120)).tolist()
        measured = transfer(pairs_of(8, first, second), 1, seed=trial)
        assert measured is not None
        assert measured.excess is not None
        assert measured.interval is not None
        shares.append(measured.share)
        excesses.append(measured.excess)
        covered += measured.interval[0] <= 0 <= measured.interval[1]
    assert np.mean(shares) > 0.3  # what would be called brittleness without a control
    assert abs(np.mean(excesses)) < 0.01
    assert covered / trials > 0.88


def test_real_brittleness_is_found_in_its_size() -> None:
    """The perturbation halves every chance: half of the solved problems are lost beyond luck."""
    generator = np.random.default_rng(4)
    chance = generator.beta(2, 1, size=4000)
    first = generator.binomial(4, chance).tolist()
    second = generator.binomial(4, chance / 2).tolist()
    measured = transfer(pairs_of(4, first, second), 1)
    assert measured is not None
    # E[p (1 - p/2)] / E[p] = 1 - (1/2) E[p^2] / E[p], with E[p] = 2/3 and E[p^2] = 1/2
    assert measured.share == pytest.approx(1 - 0.5 * 0.75, abs=0.02)
    assert measured.control == pytest.approx(1 - 0.75, abs=0.02)
    back = transfer(pairs_of(4, second, first), 1)
    assert back is not None
    assert back.excess == pytest.approx(0.75 / 2 - 0.75, abs=0.03)  # the way back gets easier


def test_without_a_second_half_there_is_no_control() -> None:
    measured = transfer(pairs_of(1, [1, 1, 0], [0, 1, 1]), 1)
    assert measured == comparison.Transfer(0.5, None, None, None)
    assert transfer(pairs_of(1, [0, 0], [1, 1]), 1) is None


# --- power -------------------------------------------------------------------------------------


@given(
    st.integers(1, 3).flatmap(lambda k: st.tuples(st.just(k), st.integers(2 * k, 9))),
    st.floats(0.05, 0.95),
    st.integers(1, 12),
)
@examples(60)
def test_the_sampling_variance_is_unbiased(case: tuple[int, int], p: float, samples: int) -> None:
    k, n = case
    at = max(k, samples)

    def mean(values: list[float], size: int) -> float:
        weights = [math.comb(size, c) * p**c * (1 - p) ** (size - c) for c in range(size + 1)]
        return math.fsum(w * v for w, v in zip(weights, values, strict=True))

    passes = [pass_at_k(at, c, k) for c in range(at + 1)]
    truth = mean([v * v for v in passes], at) - mean(passes, at) ** 2
    assert mean([sampling_variance(n, c, k, at) for c in range(n + 1)], n) == pytest.approx(
        truth, abs=1e-9
    )


def test_the_variance_of_pass_at_1_falls_as_one_over_n() -> None:
    assert sampling_variance(8, 3, 1, 8) == pytest.approx(3 * 5 / (8 * 7) / 8)
    assert sampling_variance(8, 3, 1, 32) == pytest.approx(3 * 5 / (8 * 7) / 32)


def test_the_design_foresees_what_more_samples_do() -> None:
    """From 4 samples a problem, the design predicts the results of 32 samples."""
    generator = np.random.default_rng(8)
    easy = generator.beta(1, 1, size=6000)
    hard = np.clip(easy - generator.beta(1, 6, size=6000), 0, 1)

    def spread(n: int) -> float:
        first, second = (generator.binomial(n, p).tolist() for p in (easy, hard))
        planned = design(pairs_of(n, first, second), 1, 0.02)
        assert planned is not None
        return planned.detectable

    first, second = (generator.binomial(4, p).tolist() for p in (easy, hard))
    few = design(pairs_of(4, first, second), 1, 0.02)
    assert few is not None
    assert few.sampling is not None
    own = few.variance - few.sampling
    assert few.sampling > own  # with few samples, luck is most of it
    target = power.detectable(own + few.sampling * 4 / 32, few.clusters)
    assert spread(32) == pytest.approx(target, rel=0.1)
    again = design(pairs_of(4, first, second), 1, target)
    assert again is not None
    assert again.samples_needed == pytest.approx(32, rel=0.15)


def test_no_design_without_variation() -> None:
    assert design(pairs_of(4, [2, 2], [1, 1]), 1, 0.05) is None
    assert design(pairs_of(4, [2], [1]), 1, 0.05) is None
    single = design(pairs_of(1, [1, 0, 1, 1], [0, 1, 1, 0]), 1, 0.05)
    assert single is not None
    assert (single.sampling, single.samples_needed) == (None, None)


def test_clusters_are_the_unit_of_the_design() -> None:
    lone = pairs_of(2, [2, 1, 0, 1, 2, 2], [0, 1, 0, 1, 1, 0])
    tripled = [Pair(f"{p.unit}{i}", p.cluster, p.first, p.second) for p in lone for i in range(3)]
    single, triple = design(lone, 1, 0.1), design(tripled, 1, 0.1)
    assert single is not None
    assert triple is not None
    assert triple.detectable == pytest.approx(single.detectable)  # copies tell nothing new


def test_statements_never_contradict_the_interval_beside_them() -> None:
    """An interval of a family excludes 0 exactly where the adjusted p is below 0.05."""
    chance = random.Random(3)
    seen = Counter[bool]()
    for _ in range(25):
        contrasts, pairs = [], []
        for line in range(4):
            shift, clusters = chance.choice((0, 0.15, 0.3, 0.5)), chance.choice((5, 9, 18, 40))
            these = [
                Pair(
                    str(i),
                    str(i),
                    (tally(f"p{i}", 2, chance.choice((0, 1, 2))),),
                    (tally(f"q{i}", 2, 2 if chance.random() < 0.4 + shift else 0),),
                )
                for i in range(clusters)
            ]
            pairs.append(these)
            contrasts.append(contrast(str(line), ("a", "b"), these, [1, 2]))
        for row in with_family(contrasts, pairs, 1, 0.05):
            for difference in row.differences:
                low, high = difference.interval
                p = difference.p if difference.adjusted is None else difference.adjusted
                assert (low > 0 or high < 0) == (p < 0.05) == difference.stands
                assert low <= difference.value <= high
                seen[difference.stands] += 1
    assert min(seen.values()) > 20


@pytest.mark.parametrize(
    ("p", "adjusted", "interval", "stands"),
    [
        (0.01, None, (0.1, 0.3), True),
        (0.01, 0.02, (-0.3, -0.1), True),
        (0.01, 0.2, (0.1, 0.3), False),
        (0.2, None, (0.1, 0.3), False),
        (0.01, None, (-0.1, 0.3), False),
    ],
)
def test_a_difference_stands_by_p_and_by_interval(
    p: float, adjusted: float | None, interval: tuple[float, float], stands: bool
) -> None:
    (difference,) = contrast("s", ("a", "b"), pairs_of(2, [2] * 8, [1] * 8), [1]).differences
    assert replace(difference, p=p, adjusted=adjusted, interval=interval).stands is stands


def test_intervals_widen_with_the_family() -> None:
    these = [
        Pair(str(i), str(i), (tally(f"p{i}", 4, i % 2),), (tally(f"q{i}", 4, 2 + i % 3),))
        for i in range(30)
    ]
    alone = contrast("x", ("a", "b"), these, [1])
    (single,) = with_family([alone], [these], 1, 0.05)
    many = with_family([alone] * 6, [these] * 6, 1, 0.05)
    widths = [high - low for low, high in (row.differences[0].interval for row in (single, *many))]
    assert widths[1] > 1.2 * widths[0]
    assert widths[6] == pytest.approx(widths[0])  # Holm's last step is at the level itself


def test_ratios_that_are_drawn_together_are_as_if_each_were_drawn_alone() -> None:
    chance = np.random.default_rng(5)
    clusters = Clusters.of([i // 2 for i in range(60)])

    def ratios() -> list[Ratio]:
        return [Ratio.of(values, [1.0] * 60, clusters) for values in columns]

    columns = [list(chance.normal(size=60)) for _ in range(3)] + [[0.5] * 60]  # the last is alike
    together, alone = ratios(), ratios()
    Ratio.draw(together)
    for first, second in zip(together, alone, strict=True):
        assert first.interval() == pytest.approx(second.interval(), abs=1e-12)
        assert first.p == pytest.approx(second.p, abs=1e-12)
