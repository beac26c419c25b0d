from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from scipy.stats import chi2

from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.benchmarks.lample_charton.codec.prefix import operator_count, to_prefix
from calculus_harness.benchmarks.lample_charton.codec.vocabulary import OPERATORS
from calculus_harness.benchmarks.lample_charton.sampling import (
    ELEMENTARY,
    PAPER,
    PUBLISHED,
    WEIGHTS,
    Grammar,
    counts,
    sample_prefix,
    sample_shape,
    sample_tree,
)
from calculus_harness.rewards.reading.expression.traversal import nodes_of
from calculus_harness.rewards.reading.expression.tree import Number, Symbol


def shapes(operators: int) -> Iterator[tuple[int, ...]]:
    """Every unary-binary tree with a number of operators, as arities in prefix order."""
    if operators == 0:
        yield (0,)
        return
    for child in shapes(operators - 1):
        yield (1, *child)
    for size in range(operators):
        for left_shape in shapes(size):
            for right_shape in shapes(operators - 1 - size):
                yield (2, *left_shape, *right_shape)


def test_the_recurrences_check_values() -> None:
    table = counts()
    assert [table(1, n) for n in range(7)] == [1, 2, 6, 22, 90, 394, 1806]
    assert table(1, 15) == 3_937_603_038
    assert [table(0, n) for n in range(1, 5)] == [0, 0, 0, 0]
    assert counts(3, 1, 1)(4, 0) == 3**4


def test_the_recurrence_by_its_definition() -> None:
    leaves, unary, binary = 2, 3, 5
    table = counts(leaves, unary, binary)
    for e in range(1, 6):
        for n in range(1, 6):
            assert table(e, n) == (
                leaves * table(e - 1, n) + unary * table(e, n - 1) + binary * table(e + 1, n - 1)
            )


def test_elementary_expressions_have_few_operators() -> None:
    drawn = [
        token
        for index in range(200)
        for token in sample_prefix(HashedRandom("elementary", index), 8, ELEMENTARY)
    ]
    operators = {token for token in drawn if token in OPERATORS}
    assert operators == {"add", "mul", "pow2", "pow3", "ln", "exp", "sin", "cos"}
    assert set(drawn) - operators == {"x", "INT+", *"123456789"}


@pytest.mark.parametrize("operators", range(6))
def test_there_are_as_many_shapes_as_counted(operators: int) -> None:
    every = list(shapes(operators))
    assert len(set(every)) == len(every) == counts()(1, operators)


@pytest.mark.parametrize("operators", [1, 2, 3, 4])
def test_shapes_are_uniform(operators: int) -> None:
    every = list(shapes(operators))
    rng = HashedRandom("uniform", operators)
    number = 60 * len(every)
    met = Counter(sample_shape(rng, operators, counts()) for _ in range(number))
    assert set(met) == set(every)
    assert goodness(met, dict.fromkeys(every, 1 / len(every)), number) < chi2.ppf(
        0.999, len(every) - 1
    )


def test_the_chi_square_test_sees_a_biased_sampler() -> None:
    every = list(shapes(3))
    rng = HashedRandom("biased")

    def naive(operators: int) -> tuple[int, ...]:
        if not operators:
            return (0,)
        if rng.below(2):
            return (1, *naive(operators - 1))
        share = rng.below(operators)
        return (2, *naive(share), *naive(operators - 1 - share))

    met = Counter(naive(3) for _ in range(1320))
    expected = dict.fromkeys(every, 1 / len(every))
    assert goodness(met, expected, 1320) > chi2.ppf(0.999, len(every) - 1)


def test_the_papers_variant_makes_expressions_uniform() -> None:
    grammar = Grammar(
        weights={"add": 1, "mul": 1, "sin": 1}, variable_weight=1, max_integer=1, shape=None
    )
    assert (
        grammar.counts(1, 1) == 1 * 2 + 2 * 2 * 2
    )  # sin of a leaf, two leaves added or multiplied
    rng = HashedRandom("paper")
    met = Counter(sample_prefix(rng, 1, grammar) for _ in range(1000))
    assert goodness(met, dict.fromkeys(met, 0.1), 1000) < chi2.ppf(0.999, 9)
    assert len(met) == 10
    assert PAPER.counts(1, 1) == 6 * 19 + 36 * 4


def goodness(met: Counter[tuple[object, ...]], shares: dict[object, float], number: int) -> float:
    return sum((met[key] - number * p) ** 2 / (number * p) for key, p in shares.items())


def test_operators_have_their_weights_within_their_arity() -> None:
    rng = HashedRandom("weights")
    met = Counter(
        token for _ in range(600) for token in sample_prefix(rng, 10) if token in OPERATORS
    )
    assert set(met) == set(WEIGHTS)
    for arity in (1, 2):
        names = [name for name in WEIGHTS if OPERATORS[name] == arity]
        total, weight = sum(met[name] for name in names), sum(WEIGHTS[name] for name in names)
        statistic = sum(
            (met[name] - total * WEIGHTS[name] / weight) ** 2 / (total * WEIGHTS[name] / weight)
            for name in names
        )
        assert statistic < chi2.ppf(0.999, len(names) - 1)


def test_leaves() -> None:
    rng = HashedRandom("leaves")
    leaves = [
        node
        for _ in range(300)
        for node in nodes_of(sample_tree(rng, 8, Grammar(weights={"add": 1})))
        if isinstance(node, Symbol | Number)
    ]
    variables = sum(isinstance(leaf, Symbol) for leaf in leaves)
    assert abs(variables / len(leaves) - 0.75) < 0.03
    numbers = Counter(leaf.numerator for leaf in leaves if isinstance(leaf, Number))
    assert set(numbers) == {1, 2, 3, 4, 5}
    assert goodness(numbers, dict.fromkeys(range(1, 6), 0.2), sum(numbers.values())) < 18.5


@pytest.mark.parametrize("operators", [0, 1, 7, 20, 35])
def test_exactly_so_many_operators(operators: int) -> None:
    tokens = sample_prefix(HashedRandom("exact", operators), operators)
    assert operator_count(tokens) == operators
    assert sample_tree(HashedRandom("exact", operators), operators) == sample_tree(
        HashedRandom("exact", operators), operators, PUBLISHED
    )
    assert to_prefix(sample_tree(HashedRandom("exact", operators), operators))


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="-1 operators"):
        sample_tree(HashedRandom(), -1)
    with pytest.raises(ValueError, match="no operator 'sine'"):
        Grammar(weights={"sine": 1})
