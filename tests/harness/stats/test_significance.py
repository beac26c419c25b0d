"""Intervals, tests and power for paired differences: exact cases, and calibration by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from calculus_harness.harness.stats import significance
from calculus_harness.harness.stats.intervals import Ratio, mean_interval
from calculus_harness.harness.stats.significance import (
    clusters_needed,
    detectable,
    holm,
    samples_needed,
    sign_flip,
)
from tests.examples import examples


def enumerated(differences: list[float]) -> float:
    """The sign-flip p value by definition."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(s >= observed - 1e-9 for s in sums) / len(sums)


# --- sign flips --------------------------------------------------------------------------------


@given(st.lists(st.integers(-8, 8).map(lambda i: i / 8), min_size=1, max_size=9))
@examples(60)
def test_every_exact_way_agrees_with_the_definition(differences: list[float]) -> None:
    expected = enumerated(differences)
    result = sign_flip(differences, range(len(differences)))
    assert result.exact
    assert result.p == pytest.approx(expected)
    sizes = np.abs([d for d in differences if d])
    if len(sizes) and abs(sum(differences)) > 0:
        lattice = significance._lattice(sizes)
        assert lattice is not None
        assert significance._convolved(lattice, abs(sum(differences))) == pytest.approx(expected)


def test_with_one_sample_a_problem_it_is_mcnemars_exact_test() -> None:
    differences = [1.0] * 19 + [-1.0] * 7 + [0.0] * 300
    result = sign_flip(differences, range(len(differences)))
    assert result.exact
    assert result.p == pytest.approx(2 * binom.cdf(7, 26, 0.5))


def test_darwins_maize() -> None:
    """Fisher's own example (The Design of Experiments, section 21): p = 1726 / 2^15."""
    eighths = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    result = sign_flip([d / 100 for d in eighths], range(15))
    assert result.p == pytest.approx(1726 / 2**15, abs=1e-9)


def test_whole_clusters_are_flipped() -> None:
    differences = [0.5, 0.5, 0.5, 0.25, 0.25, 0.25]
    assert sign_flip(differences, range(6)).p == 2 / 64
    assert sign_flip(differences, [0, 0, 0, 1, 1, 1]).p == 2 / 4
    assert sign_flip([0.5, -0.5, 0.1], [0, 0, 1]).p == 1  # a cluster that cancels says nothing


def test_no_difference_is_no_evidence() -> None:
    assert sign_flip([0.0] * 10, range(10)).p == 1
    assert sign_flip([0.3, -0.3], range(2)).p == 1


def test_random_patterns_approximate_the_exact_distribution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = np.random.default_rng(3)
    differences = generator.normal(0.25, 1, size=16).tolist()
    exact = sign_flip(differences, range(16))
    monkeypatch.setattr(significance, "ENUMERATED", 3)
    random = sign_flip(differences, range(16))
    assert (exact.exact, random.exact) == (True, False)
    assert random.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p / significance.FLIPS))
    assert random == sign_flip(differences, range(16))
    assert random != sign_flip(differences, range(16), seed=1)
    far = sign_flip([1 + d / 1e7 for d in differences] * 3, range(48))
    assert far.p >= 1 / (significance.FLIPS + 1) > 0 or far.exact


def test_the_test_keeps_its_level() -> None:
    """Both sides draw from the same problems: p <= 0.05 in at most 5 % of experiments."""
    generator = np.random.default_rng(5)
    rejected, experiments = 0, 800
    for experiment in range(experiments):
        chance = generator.beta(0.5, 0.5, size=40)
        first, second = generator.binomial(4, chance, size=(2, 40)) / 4
        rejected += sign_flip(second - first, range(40), seed=experiment).p <= 0.05
    assert 0.02 <= rejected / experiments <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / experiments)


def test_averaged_children_do_not_break_the_level() -> None:
    """An answer to an easy original, three to the perturbations: the sides differ in noise."""
    generator = np.random.default_rng(6)
    rejected, experiments = 0, 800
    for experiment in range(experiments):
        chance = generator.beta(3, 0.5, size=30)
        difference = generator.binomial(3, chance) / 3 - generator.binomial(1, chance)
        rejected += sign_flip(difference, range(30), seed=experiment).p <= 0.05
    assert rejected / experiments <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / experiments)


# --- Holm --------------------------------------------------------------------------------------


def test_holm_against_values_of_rs_p_adjust() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_monotone_and_between_no_adjustment_and_bonferroni(ps: list[float]) -> None:
    adjusted = holm(ps)
    for (p, a), (q, b) in itertools.combinations(zip(ps, adjusted, strict=True), 2):
        assert (a <= b) if p < q else (a >= b or p == q)
    for p, a in zip(ps, adjusted, strict=True):
        assert p <= a <= min(1.0, p * len(ps)) + 1e-12


# --- intervals ---------------------------------------------------------------------------------


def test_the_interval_is_seeded_and_resamples_whole_clusters() -> None:
    differences = [0.5, -0.25, 0.0, 1.0] * 10
    alone = mean_interval(differences, range(40))
    assert alone == mean_interval(differences, range(40))
    assert alone != mean_interval(differences, range(40), seed=1)
    low, high = mean_interval(sorted(differences), [i // 10 for i in range(40)])
    assert high - low > 1.5 * (alone[1] - alone[0])


def test_where_all_clusters_agree_the_interval_is_not_a_point() -> None:
    upper = 1 - 0.025 ** (1 / 20)  # Clopper-Pearson's for none of 20
    assert mean_interval([0.0] * 20, range(20)) == pytest.approx((-upper, upper))
    assert mean_interval([1.0] * 20, range(20)) == pytest.approx((1 - 2 * upper, 1.0))
    assert mean_interval([0.5], ["a"]) == (-1, 1)
    same = (1 - upper) * 0.1  # up to rounding
    assert mean_interval([0.1] * 20, range(20)) == pytest.approx((same - upper, same + upper))
    with pytest.raises(ValueError, match="nothing"):
        Ratio.of([0.0], [0.0], [0])


@given(st.lists(st.integers(-4, 4).map(lambda i: i / 4), min_size=2, max_size=40))
@examples(60)
def test_p_of_an_interval_is_the_level_at_which_it_excludes_zero(differences: list[float]) -> None:
    ratio = Ratio.of(differences, [1.0] * len(differences), range(len(differences)))
    for alpha in (0.2, 0.05, 0.05 / 7):
        low, high = ratio.interval(alpha)
        if ratio.p < alpha:
            assert low > 0 or high < 0
        elif ratio.p > 1.2 * alpha:
            assert low <= 0 <= high


@pytest.mark.parametrize(("clusters", "size"), [(10, 1), (30, 3)])
def test_the_interval_covers_the_truth(clusters: int, size: int) -> None:
    """Simulated: originals and perturbations, differences of -0.2 on average, n = 4."""
    generator = np.random.default_rng(clusters)
    covered, trials = 0, 400
    labels = np.repeat(np.arange(clusters), size)
    for trial in range(trials):
        easy = np.repeat(generator.beta(2, 1, size=clusters), size)
        first = generator.binomial(4, easy) / 4
        second = generator.binomial(4, 0.7 * easy) / 4  # a mean of 2/3 falls by 0.2
        low, high = mean_interval(second - first, labels.tolist(), seed=trial, resamples=600)
        covered += low <= -0.2 <= high
    assert 0.92 <= covered / trials <= 0.98


# --- power -------------------------------------------------------------------------------------


def test_the_power_formula_against_simulation() -> None:
    """The sign-flip test finds the "detectable" difference four times in five.

    The differences are of two proportions of 8 samples, with a computed variance.
    """
    generator = np.random.default_rng(11)
    clusters, n, chance = 50, 8, 0.5
    delta = 0.05
    for _ in range(50):  # the variance depends a little on the difference itself
        variance = (chance * (1 - chance) + (chance + delta) * (1 - chance - delta)) / n
        delta = detectable(variance, clusters)
    rejected, trials = 0, 500
    for trial in range(trials):
        first = generator.binomial(n, chance, size=clusters) / n
        second = generator.binomial(n, chance + delta, size=clusters) / n
        rejected += sign_flip(second - first, range(clusters), seed=trial).p <= 0.05
    assert rejected / trials == pytest.approx(0.8, abs=0.055)


def test_what_is_needed_is_the_least_that_suffices() -> None:
    needed = clusters_needed(0.2, 0.05)
    assert detectable(0.2, needed) <= 0.05 < detectable(0.2, needed - 1)
    # Without Student's correction: (1.96 + 0.84)^2 s^2 / d^2
    assert needed == pytest.approx(7.849 * 0.2 / 0.05**2, rel=0.01)
    samples = samples_needed(lambda n: 0.01 + 0.3 / n, 100, 0.05, 1)
    assert samples is not None
    assert detectable(0.01 + 0.3 / samples, 100) <= 0.05
    assert detectable(0.01 + 0.3 / (samples - 1), 100) > 0.05
    assert samples_needed(lambda n: 0.2 + 0.3 / n, 100, 0.05, 1) is None
    assert detectable(0.1, 1) == math.inf
    with pytest.raises(ValueError, match="needs more than"):
        clusters_needed(0.2, 1e-7)


@pytest.mark.parametrize("count", [8, 12])
def test_the_interval_with_coverage_1_minus_p_ends_at_zero(count: int) -> None:
    values = list(np.random.default_rng(1).normal(0.8 / math.sqrt(count), 1, count))
    ratio = Ratio.of(values, [1.0] * count, list(range(count)))
    low, high = ratio.interval(ratio.p)
    assert 0 < ratio.p < 0.2
    assert min(abs(low), abs(high)) < 0.002 * (high - low)
