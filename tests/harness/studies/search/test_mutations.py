"""Invariants of every mutation of every formula, and the rules on single formulas."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.harness.studies.search.formulas import (
    NoProblemError,
    NormalForms,
    depth,
    prefix,
    read,
    size,
    structure,
    terms,
    text,
)
from calculus_harness.harness.studies.search.mutants import (
    LARGEST,
    LONGEST,
    mutants,
    refusal,
    unusable,
)
from calculus_harness.harness.studies.search.mutations import (
    Rules,
    at,
    draw_position,
    mutate,
    simple_operation,
)
from calculus_harness.harness.studies.search.settings import preset_names, search_settings
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from tests.examples import examples

SEEDS = sorted({seed for name in preset_names() for seed in search_settings(name).seeds})


def grown(seed: str, draws: int, steps: int, rules: Rules | None = None) -> Expression:
    """Some mutations of a seed."""
    tree = read(seed)
    for step in range(steps):
        try:
            mutant = NormalForms().of(
                mutate(tree, HashedRandom("grown", draws, step), rules or Rules())[0]
            )
        except NoProblemError:
            continue
        if not refusal(mutant, text(mutant)):
            tree = mutant
    return tree


formulas = st.builds(grown, st.sampled_from(SEEDS), st.integers(0, 10**6), st.integers(0, 5))
rules = st.builds(
    Rules,
    kinds=st.sampled_from(("all", "constants")),
    low=st.integers(-1000, -1),
    high=st.integers(1, 1000),
    variant=st.sampled_from(("code", "paper")),
)


def leaves(tree: Expression) -> list[Expression]:
    if isinstance(tree, Call) and tree.args:
        return [leaf for arg in tree.args for leaf in leaves(arg)]
    return [tree]


@examples(80)
@given(formulas, rules, st.integers(0, 10**6))
def test_a_mutant_differs_at_one_place_only(tree: Expression, rules: Rules, seed: int) -> None:
    try:
        mutant, name = mutate(tree, HashedRandom("m", seed), rules)
    except NoProblemError:
        return
    to_leaf = rules.kinds == "constants" and rules.variant == "paper"
    position = draw_position(tree, HashedRandom("m", seed), to_leaf=to_leaf)
    assert bool(position) == (depth(tree) > 1)  # the root only of a leaf
    node, mutated = tree, mutant
    for index in position:
        assert isinstance(node, Call)
        assert isinstance(mutated, Call)
        assert node.function == mutated.function
        assert node.args[:index] == mutated.args[:index]
        assert node.args[index + 1 :] == mutated.args[index + 1 :]
        node, mutated = node.args[index], mutated.args[index]
    changed = isinstance(node, Call) and bool(node.args)
    assert name == "none" or name.startswith("part" if changed else "leaf")
    if name == "none":
        assert mutant == tree
        assert isinstance(node, Call)
        assert node.function in ("sin", "cos", "tan")
    if name.endswith("constant"):
        low, high = (rules.low, rules.high)
        if changed and rules.variant == "code":
            low, high = 0, 1000
        assert isinstance(mutated, Number)
        assert low <= mutated.numerator < high
    if name == "part: symbol":
        assert mutated == Symbol("x")
    if name == "part: operation":
        assert isinstance(mutated, Call)
        assert mutated.function in ("add", "mul", "pow")
        assert mutated.function != getattr(node, "function", "")
    if name == "part: argument":
        assert isinstance(node, Call)
        # A power has no room for a third part (`test_a_power_of_many_parts`).
        assert size(mutated) > size(node) or (node.function == "pow" and mutated == node)
    if rules.kinds == "constants":
        assert name in ("none", "leaf: constant", "part: constant")
        assert len(leaves(mutant)) <= len(leaves(tree))
        if rules.variant == "paper":
            assert name == "leaf: constant"


@examples(60)
@given(formulas)
def test_texts_are_read_back_and_measured_as_sympys(tree: Expression) -> None:
    words = text(tree)
    assert read(words) == tree
    theirs = sympy.sympify(words)
    assert abs(len(str(theirs)) - len(words)) <= 12  # SymPy may write a root otherwise
    assert structure(tree) == tree
    assert (
        terms(tree)
        == 1 + sum(len(node.args) - 1 for node in sympy.preorder_traversal(theirs) if node.is_Add)
        or "sqrt" in words
    )


def test_lengths_are_mostly_sympys() -> None:
    drawn, _ = mutants([read(seed) for seed in SEEDS], 200, Rules(), ("lengths",))
    off = [abs(len(str(sympy.sympify(mutant.text))) - len(mutant.text)) for mutant in drawn]
    assert sum(difference <= 1 for difference in off) >= 0.97 * len(off)


def test_measures_are_those_of_the_paper() -> None:
    tree = read("2*x**42 + 2*x**3 + 2*x**2 + 1")
    assert (terms(tree), depth(tree), size(tree)) == (4, 4, 17)
    preorder = list(sympy.preorder_traversal(sympy.sympify("2*x**42 + 2*x**3 + 2*x**2 + 1")))
    assert len(preorder) == size(tree)


def test_powers_of_negative_numbers_are_read_as_python_does() -> None:
    shapes = {
        text(NormalForms().of(simple_operation(HashedRandom("o", n), Rules(low=-6, high=-5))))
        for n in range(60)
    }
    assert shapes == {"-6*x", "-6*x**2", "-6/x", "-6/x**2", "-6**x", "-6**(x**2)"}
    assert read("-6**x") == read("-(6**x)") != read("(-6)**x")


@pytest.mark.parametrize(
    ("args", "rules", "exponent"),
    [
        (3, Rules(), 2),
        (3, Rules(variant="paper"), None),
        (4, Rules(), None),
    ],
)
def test_a_power_of_many_parts(args: int, rules: Rules, exponent: int | None) -> None:
    """The code drops the third part silently; with four parts an error escapes."""
    tree = Call("exp", (Call("add", (Symbol("x"), *map(Number, range(2, args + 1)))),))
    exponents: set[int | None] = set()
    for seed in range(200):
        try:
            mutant, name = mutate(tree, HashedRandom("p", seed), rules)
        except NoProblemError:
            exponents.add(None)
            continue
        node = at(mutant, (0,)) if name == "part: operation" else None
        if isinstance(node, Call) and node.function == "pow":
            exponents.add(len(node.args))
    assert exponents == {exponent}


@examples(25)
@given(st.lists(st.sampled_from(SEEDS), min_size=1, max_size=4), st.integers(0, 999), rules)
def test_mutants_are_valid_problems(seeds: list[str], seed: int, rules: Rules) -> None:
    drawn, refused = mutants([read(item) for item in seeds], 20, rules, (seed,))
    assert len(drawn) + sum(refused.values()) == max(1, 20 // len(seeds)) * len(seeds)
    for item in drawn:
        assert len(item.text) < LONGEST
        assert all(
            abs(leaf.numerator) < LARGEST
            for leaf in leaves(item.tree)
            if isinstance(leaf, Number) and leaf.denominator == 1
        )
        assert not unusable(item.tree)
        assert prefix(item.tree)
    again, _ = mutants([read(item) for item in seeds], 20, rules, (seed,))
    assert again == drawn


def test_what_is_refused() -> None:
    assert refusal(read("10000000*x"), "10000000*x") == "a number of 10000000 or more"
    assert not refusal(read("9999999*x"), "9999999*x")
    assert refusal(read("x"), "x" * 100) == "100 characters or more"


@pytest.mark.slow
def test_the_published_simplifier() -> None:
    """SymPy's `simplify`: the same for any number of workers, and formulas stay the same."""
    seeds = [read(seed) for seed in ("x + 1", "x**2 + x + 1")]
    drawn, _ = mutants(seeds, 12, Rules(), ("sympy",), "sympy")
    again, _ = mutants(seeds, 12, Rules(), ("sympy",), "sympy")
    assert [item.text for item in again] == [item.text for item in drawn]
    ours, _ = mutants(seeds, 12, Rules(), ("sympy",))
    assert len(drawn) >= 10
    pairs = {(item.parent, item.mutation): item.text for item in ours}
    for item in drawn:
        counterpart = pairs.get((item.parent, item.mutation))
        assert counterpart is None or isinstance(sympy.sympify(counterpart), sympy.Expr)
