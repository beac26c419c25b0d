"""Counting: exact small cases, properties, and the coverage of the intervals."""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect_right
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.payloads import (
    ArithmeticTarget,
    LabelTarget,
    OtherInputs,
)
from calculus_harness.harness.stats.intervals import (
    clopper_pearson,
    interval,
    mean_interval,
)
from calculus_harness.harness.stats.metrics.fail_at_k import fail_at_k, none_at_k
from calculus_harness.harness.stats.metrics.labels import Labels, classification
from calculus_harness.harness.stats.metrics.majority_at_k import majority_at_k
from calculus_harness.harness.stats.metrics.pass_at_k import pass_at_k
from calculus_harness.harness.stats.metrics.pass_hat_k import all_at_k
from calculus_harness.harness.stats.metrics.proved import proved
from calculus_harness.harness.stats.metrics.usage import usage
from calculus_harness.harness.stats.tallies import Group, Tally, estimate, ks_up_to
from calculus_harness.harness.store.counts import (
    bin_start,
    count_completions,
    count_verdicts,
    histogram,
)


def counts(largest: int = 60) -> st.SearchStrategy[tuple[int, int, int]]:
    """(n, c, k) with c, k <= n."""
    return st.integers(1, largest).flatmap(
        lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
    )


@given(counts())
def test_pass_at_k_is_the_combinatorial_formula(case: tuple[int, int, int]) -> None:
    n, c, k = case
    exact = 1 - Fraction(math.comb(n - c, k), math.comb(n, k))
    assert pass_at_k(n, c, k) == pytest.approx(float(exact), abs=1e-12)


def test_pass_at_k_is_the_share_of_subsets_that_hold_a_correct_sample() -> None:
    for n, c, k in itertools.product(range(1, 7), range(7), range(1, 7)):
        if c <= n and k <= n:
            samples = [True] * c + [False] * (n - c)
            subsets = list(itertools.combinations(samples, k))
            share = sum(map(any, subsets)) / len(subsets)
            assert pass_at_k(n, c, k) == pytest.approx(share)


@given(counts())
def test_pass_at_k_rises_with_correct_samples_and_with_k(case: tuple[int, int, int]) -> None:
    n, c, k = case
    value = pass_at_k(n, c, k)
    assert 0 <= value <= 1
    assert pass_at_k(n, c, 1) == pytest.approx(c / n)
    if c < n:
        assert pass_at_k(n, c + 1, k) >= value
    if k < n:
        assert pass_at_k(n, c, k + 1) >= value - 1e-12


def test_pass_at_k_is_unbiased() -> None:
    p, n, k = 0.2, 6, 3
    weights = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    mean = sum(w * pass_at_k(n, c, k) for c, w in enumerate(weights))
    assert mean == pytest.approx(1 - (1 - p) ** k)


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, 1, 4), (3, 1, 0), (0, 0, 1), (3, -1, 1)])
def test_pass_at_k_refuses_what_it_cannot_estimate(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="pass@k needs"):
        pass_at_k(n, c, k)


def test_intervals_against_published_values() -> None:
    # Brown, Cai and DasGupta's formulas; values as of R's binom package.
    assert clopper_pearson(8, 10) == pytest.approx((0.4439045, 0.9747893), abs=1e-6)
    assert clopper_pearson(0, 10) == pytest.approx((0, 0.3084971), abs=1e-6)
    assert clopper_pearson(10, 10) == pytest.approx((0.6915029, 1), abs=1e-6)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_hold_the_estimate(case: tuple[int, int]) -> None:
    successes, trials = case
    low, high = clopper_pearson(*case)
    assert 0 <= low <= successes / trials + 1e-12
    assert successes / trials - 1e-12 <= high <= 1


def test_whole_clusters_decide_the_width() -> None:
    mixed = [1.0, 0.0, 0.0, 1.0] * 15
    alone = interval(mixed, range(60))
    assert alone == pytest.approx(clopper_pearson(30, 60))  # one answer a problem: the exact one
    # Clusters whose problems are all alike are worth one problem each, others more than one.
    alike = interval(sorted(mixed), [i // 10 for i in range(60)])
    assert alike == clopper_pearson(3, 6)
    low, high = interval(mixed, [i // 10 for i in range(60)])
    assert high - low < 0.6 * (alike[1] - alike[0])
    # One large cluster among small ones is worth less than as many equal ones.
    uneven = interval(mixed, [min(i, 10) for i in range(60)])
    assert uneven[1] - uneven[0] > alone[1] - alone[0]
    assert interval([0.7], ["a"]) == clopper_pearson(0.7, 1)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=1, max_size=30),
)
def test_the_interval_holds_the_mean_and_no_order_matters(cases: list[tuple[float, int]]) -> None:
    values, clusters = [v for v, _ in cases], [c for _, c in cases]
    low, high = interval(values, clusters)
    mean = math.fsum(values) / len(values)
    assert 0 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 1
    back = interval(values[::-1], clusters[::-1])
    assert back == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("clusters", [5, 9, 40])
def test_no_cliff_at_one_and_at_zero(clusters: int) -> None:
    """99.8 [99.5, 100] stood beside 100 [66.4, 100], with nine clusters each."""
    names = [i // 50 for i in range(50 * clusters)]
    values = [1.0] * (50 * clusters)
    widths = []
    for wrong in range(4):
        values[:wrong] = [0.0] * wrong
        low, high = interval(values, names)
        widths.append(high - low)
    at_one = clopper_pearson(clusters, clusters)
    assert interval([1.0] * clusters, range(clusters)) == at_one
    assert all(abs(b - a) < 0.2 * a for a, b in itertools.pairwise(widths))
    assert interval([0.0] * clusters, range(clusters)) == pytest.approx(
        (1 - at_one[1], 1 - at_one[0])
    )


def test_resampling_samples_within_a_problem_would_bias_pass_at_k() -> None:
    """Why the bootstrap leaves samples alone: a resample with repeats has a lower pass@k."""
    generator = np.random.default_rng(0)
    n, c, k = 8, 2, 8
    resampled = [pass_at_k(n, int(generator.binomial(n, c / n)), k) for _ in range(2000)]
    assert pass_at_k(n, c, k) == 1
    assert np.mean(resampled) < 0.93


@pytest.mark.slow
def test_the_intervals_cover_the_truth() -> None:
    """Simulated: problems of different difficulty, in clusters, sampled four times."""
    generator = np.random.default_rng(1)
    truth, covered, trials = 0.5, 0, 300
    for _ in range(trials):
        difficulty = np.repeat(generator.beta(1, 1, size=40), 3)
        correct = generator.binomial(4, difficulty)
        tallies = [Tally(str(i), str(i // 3), 4, int(c), 0) for i, c in enumerate(correct)]
        low, high = estimate(tallies, pass_at_k, 1).interval
        covered += low <= truth <= high
    assert 0.91 <= covered / trials <= 0.985


def test_undecided_samples_bound_the_estimate() -> None:
    tallies = [Tally("a", "a", 4, 1, 2), Tally("b", "b", 4, 0, 0)]
    bounded = estimate(tallies, pass_at_k, 1)
    assert (bounded.value, bounded.low, bounded.high) == (0.125, 0.125, 0.375)


def test_the_k_to_report() -> None:
    assert ks_up_to(1) == [1]
    assert ks_up_to(64) == [1, 4, 16, 64]
    assert ks_up_to(10) == [1, 4, 10]
    assert ks_up_to(10, [16, 2]) == [2]


# --- other counts ------------------------------------------------------------------------------


@given(counts())
def test_all_at_k_is_the_combinatorial_formula(case: tuple[int, int, int]) -> None:
    n, c, k = case
    exact = Fraction(math.comb(c, k), math.comb(n, k))
    assert all_at_k(n, c, k) == pytest.approx(float(exact), abs=1e-12)
    assert all_at_k(n, c, k) <= pass_at_k(n, c, k) + 1e-12


def test_fail_at_k_looks_at_the_best_ranked() -> None:
    ranked = [False, False, True, False]
    assert [fail_at_k(ranked, k) for k in (1, 2, 3, 4, 9)] == [1, 1, 0, 0, 0]
    assert fail_at_k([], 1) == 1
    with pytest.raises(ValueError, match="k >= 1"):
        fail_at_k(ranked, 0)


def test_the_majority_votes_by_answer() -> None:
    answers = ["a", "b", "b", None, "c"]
    right = [True, False, False, False, False]
    assert majority_at_k(answers, right, 5) == 0
    assert majority_at_k(answers, right, 1) == 1 / 5
    assert majority_at_k(["a", "b"], [True, False], 2) == 0.5  # a tie is shared
    assert majority_at_k([None, None], [False, False], 2) == 0
    with pytest.raises(ValueError, match="a verdict on each"):
        majority_at_k(answers, right[:-1], 1)
    # The 10 subsets of 3: {a,b,b'} is lost, {a,b,-} is a tie of two, {a,b,c} of three, {b,b',*} ...
    by_hand = [
        0,
        1 / 2,
        1 / 3,
        1 / 2,
        1 / 3,
        1 / 2,  # with a: bb, b-, bc, b'-, b'c, -c
        0,
        0,
        0,
        0,  # without
    ]
    assert majority_at_k(answers, right, 3) == pytest.approx(sum(by_hand) / 10)


def test_the_majority_of_many_is_sampled_with_a_seed() -> None:
    answers = ["a"] * 20 + ["b"] * 12
    right = [True] * 20 + [False] * 12
    exact = sum(
        math.comb(20, i) * math.comb(12, 8 - i) * (1 if i > 4 else 0.5 if i == 4 else 0)
        for i in range(9)
    ) / math.comb(32, 8)
    sampled = majority_at_k(answers, right, 8)
    assert sampled == pytest.approx(exact, abs=0.03)
    assert sampled == majority_at_k(answers, right, 8)


def test_labels() -> None:
    labels = Labels.of([1, 1, 1, 0, 0, 0], [1, 1, None, 0, 1, 0])
    assert labels.confusion == {1: {1: 2, None: 1}, 0: {0: 2, 1: 1}}
    assert labels.accuracy == pytest.approx(4 / 6)
    assert labels.f1(1) == pytest.approx(2 * 2 / (3 + 3))
    assert labels.f1(0) == pytest.approx(2 * 2 / (2 + 3))
    assert labels.macro_f1 == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert Labels.of([0, 0], [None, None]).macro_f1 == 0
    with pytest.raises(ValueError, match="no samples"):
        Labels.of([], [])


def test_what_answers_take() -> None:
    spent = [
        {"rows": 2, "counted": 2, "completion_tokens": 300, "prompt_tokens": 80, "seconds": 1.0},
        {"rows": 2, "counted": 2, "completion_tokens": 100, "prompt_tokens": 20, "seconds": 3.0},
    ]
    used = usage(spent, solved=1)
    assert (used.tokens_per_problem, used.tokens_per_solved) == (200, 400)
    assert (used.seconds_per_problem, used.seconds_per_solved) == (2, 4)
    partly = usage([spent[0] | {"counted": 1}, spent[1]], solved=0)
    assert partly.tokens_per_problem is None
    assert partly.seconds_per_solved is None


def test_every_sample_that_was_cut_off_is_counted() -> None:
    row = {"model": "m", "problem": "p", "sample": 0, "status": "undecided", "reward": 0.0}
    rows = [row | {"finish_reason": reason} for reason in ("length", "stop", "length")]
    ((_, _, sums),) = count_verdicts(rows)["sums"]
    assert (sums["samples"], sums["truncated"], sums["unknown"]) == (3, 2, 3)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.none() | st.integers(0, 10**6)), max_size=9))
def test_each_completion_is_in_the_bin_of_its_length(rows: list[tuple[int, int | None]]) -> None:
    lengths, tokens = [a for a, _ in rows], [b for _, b in rows if b is not None]
    completions = [
        {"model": "m", "problem": "p", "stage": "answer", "finish_reason": "stop"}
        | {"text": range(length), "completion_tokens": count}
        for length, count in rows
    ]
    sums = [row[-1] for row in count_completions(completions)["sums"]]
    for name, measured in (("characters", lengths), ("tokens", tokens)):
        starts = [bin_start(index) for index in range(200)]
        expected = Counter(bisect_right(starts, value) - 1 for value in measured)
        assert histogram(sums, name) == expected


def test_of_ranked_candidates_the_best_ones_count() -> None:
    tallies = [
        Tally("a", "a", 10, 3, 0, first=0),
        Tally("b", "b", 10, 1, 0, first=7),
        Tally("c", "c", 10, 0, 0, first=10),
        Tally("d", "d", 10, 0, 1, first=10),
    ]
    passes = [estimate(tallies, pass_at_k, k) for k in (1, 7, 8, 10)]
    assert [value.value for value in passes] == [0.25, 0.25, 0.5, 0.5]
    failures = [estimate(tallies, none_at_k, k) for k in (1, 7, 8, 10)]
    assert [value.value for value in failures] == [0.75, 0.75, 0.5, 0.5]
    assert passes[0].high == 0.5
    assert failures[0].low == 0.5
    low, high = passes[0].interval
    assert failures[0].interval == pytest.approx((1 - high, 1 - low))


def group(labels: list[int | None], verdicts: list[dict[str, float]]) -> Group:
    """Four samples of each problem, with labels or without."""
    inputs = OtherInputs()
    return Group(
        model="m",
        subset="b/s",
        planned=len(labels),
        problems=tuple(
            Problem(str(i), "arithmetic", "b", "s", inputs, ArithmeticTarget(1))
            if label is None
            else Problem(str(i), "derivation_step", "b", "s", inputs, LabelTarget(label))
            for i, label in enumerate(labels)
        ),
        tallies=tuple(
            Tally(str(i), str(i), 4, int(sums.get("correct", 0)), 0)
            for i, sums in enumerate(verdicts)
        ),
        verdicts=tuple(verdicts),
        completions=tuple({} for _ in labels),
    )


def test_labels_are_counted_from_verdicts() -> None:
    counted = classification(
        group(
            [1, 0, None],
            [
                {"samples": 4, "correct": 3, "incorrect": 1},
                {"samples": 4, "correct": 2, "incorrect": 1, "no_answer": 1},
                {"samples": 4, "correct": 4},
            ],
        )
    )
    assert counted is not None
    assert counted.accuracy == 5 / 8
    assert counted.f1 == pytest.approx(2 * 3 / (4 + 4))
    assert counted.confusion == {
        "0": {"0": 2, "1": 1, "none": 1},
        "1": {"0": 1, "1": 3, "none": 0},
    }
    assert classification(group([None], [{"samples": 4}])) is None


def test_the_share_that_is_proved_is_of_accepted_integrals() -> None:
    sums = [{"samples": 4, "correct": 3, "proved": 2, "agreed": 1}, {"samples": 4, "correct": 1}]
    assert proved(group([None, 1], sums)) == 2 / 3
    assert proved(group([1], sums[1:])) is None  # labels, and verdicts of older verifiers


def test_proofs_are_counted_from_verdicts() -> None:
    def row(status: str, proof: str | None) -> dict[str, object]:
        evidence = {} if proof is None else {"proof": proof}
        return {
            "key": "m:r:answer:0",
            "model": "m",
            "problem": "p",
            "sample": 0,
            "finish_reason": "stop",
            "reward": 0.0,
            "status": status,
            "evidence": evidence,
        }

    rows = [
        row("correct", "identity"),
        row("correct", "identity"),
        row("correct", "agreement"),
        row("correct", None),
        row("incorrect", "witness"),
        row("undecided", ""),
    ]
    ((_, _, sums),) = count_verdicts(rows)["sums"]
    assert (sums["proved"], sums["agreed"], sums["correct"]) == (2, 1, 4)


def test_the_same_values_give_the_same_interval_in_whatever_order_they_come() -> None:
    values = [round(math.sin(i * i), 3) for i in range(50)]
    clusters = [i // 2 for i in range(50)]
    pairs = list(zip(values, clusters, strict=True))
    expected = mean_interval(values, clusters)
    for seed in range(3):
        random.Random(seed).shuffle(pairs)
        assert mean_interval(*zip(*pairs, strict=True)) == expected  # type: ignore[arg-type]


def test_the_printed_digit_does_not_depend_on_the_seed() -> None:
    values = [(-1.0, 0.0, 0.0, 1.0)[i % 4] for i in range(40)]
    ends = {
        tuple(round(100 * end) for end in mean_interval(values, range(40), s)) for s in range(5)
    }
    assert len(ends) == 1
