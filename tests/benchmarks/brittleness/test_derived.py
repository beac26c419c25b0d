"""Neighbours and sums of solved problems, with their parents, and the filters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks import Problem, load
from calculus_harness.benchmarks.brittleness import (
    NEIGHBOURS,
    DerivationError,
    neighbours,
    sums,
)
from calculus_harness.benchmarks.brittleness.filters import eligible, short
from calculus_harness.benchmarks.brittleness.sums import collect
from calculus_harness.benchmarks.lample_charton import to_prefix
from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.reading.expression.build import add, mul, neg, number, power
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from calculus_harness.rewards.reading.latex import read


def problem(integrand: str, antiderivative: str | None, id_: str, **fields: object) -> Problem:
    inputs = {"integrand": integrand, "variable": str(fields.pop("variable", "x"))}
    target = inputs | ({"antiderivative": antiderivative} if antiderivative else {})
    values: dict[str, object] = {"benchmark": "mine", "subset": "set", **fields}
    return Problem(id=id_, task="integration", inputs=inputs, target=target, **values)  # type: ignore[arg-type]


SOLVED = [
    problem(r"2x", "x^2", "a"),
    problem(r"\cos x", r"\sin x", "b"),
    problem(r"\frac{3}{x} + x", r"3\ln x + \frac{x^2}{2}", "c"),
    problem(r"\frac{e^{3x}}{7}", r"\frac{e^{3x}}{21}", "d"),
]


def numbers(problems: Sequence[Problem]) -> set[object]:
    return {derived.metadata["k"] for derived in problems}


def proven(derived: Problem) -> bool:
    target = derived.target
    return verify_antiderivative(
        target.antiderivative, target.integrand, variable=target.variable
    ).correct


@pytest.mark.parametrize("family", NEIGHBOURS)
def test_neighbours_are_proven_and_know_their_parents(family: str) -> None:
    derived = neighbours(family, SOLVED, 4)
    by_id = {parent.id: parent for parent in SOLVED}
    assert {child.pair_parent for child in derived} == set(by_id)
    assert len({child.id for child in derived}) == len(derived)
    for child in derived:
        assert proven(child)
        assert [(p.id, p.role) for p in child.parents] == [(child.pair_parent, "f")]
        assert child.name == f"brittleness/{family}"
        assert child.perturbation == family
    assert neighbours(family, SOLVED, 4) == derived
    assert (
        neighbours(family, list(reversed(SOLVED)), 4) == derived
    )  # whatever order they were solved in


def test_factors_of_the_code_are_shared_and_of_the_paper_are_not() -> None:
    code = neighbours("times_k", SOLVED, 0)
    assert len(code) == 40
    factors = {
        parent.id: numbers([c for c in code if c.pair_parent == parent.id]) for parent in SOLVED
    }
    assert len({frozenset(ks) for ks in factors.values()}) == 1  # type: ignore[arg-type]
    assert len(factors["a"]) == 10
    many = [k for seed in range(20) for k in numbers(neighbours("times_k", SOLVED[:1], seed))]
    assert min(many) >= 2  # type: ignore[type-var]
    assert max(many) == 99  # type: ignore[type-var]
    paper = neighbours("times_k", SOLVED, 0, variant="paper")
    own = {frozenset(numbers([c for c in paper if c.pair_parent == p.id])) for p in SOLVED}
    assert len(own) == len(SOLVED)
    assert numbers(neighbours("over_k", SOLVED, 0)) == factors["a"]  # the same for f/k and k f


@pytest.mark.slow
def test_n1_takes_a_hundred_problems_and_n2_all_of_them() -> None:
    many = [problem(f"{n}x", rf"\frac{{{n}x^2}}{{2}}", f"p{n}") for n in range(1, 131)]
    scaled = neighbours("over_k", many, 0)
    assert len(scaled) == 1000
    assert len({child.pair_parent for child in scaled}) == 100
    assert len(neighbours("plus_ln", many, 0)) == 130
    assert neighbours("plus_ln", many, 0, limit=7) == neighbours("plus_ln", many, 0)[:7]
    # One more solved problem moves few of the others.
    without = {child.pair_parent for child in neighbours("over_k", many[1:], 0)}
    assert len({child.pair_parent for child in scaled} - without) <= 1


def test_another_variable_and_parameters_are_kept() -> None:
    seed = problem(r"a\cos(at)", r"\sin(at)", "t", variable="t", assumptions={"a": "positive"})
    (child,) = neighbours("plus_exp", [seed], 0)
    assert child.target.variable == "t"
    assert child.target.integrand == r"a \cos\left(a t\right) + e^{t}"
    assert child.assumptions == {"a": "positive"}
    assert proven(child)


def test_without_a_reference_there_is_none() -> None:
    seeds = [SOLVED[0], problem("x", None, "n")]
    for derived in (*neighbours("times_k", seeds, 0), *sums(seeds, 0, terms=2)):
        of_unknown = any(parent.id == "n" for parent in derived.parents)
        assert (derived.target.reference is not None) is not of_unknown


def test_what_cannot_be_proven_is_left_out() -> None:
    wrong, right = problem("x", "x^3", "wrong"), SOLVED[0]
    assert [child.pair_parent for child in neighbours("plus_exp", [wrong, right], 0)] == ["a"]
    assert {child.pair_parent for child in neighbours("over_k", [wrong, right], 0)} == {"a"}
    derived = sums([wrong, right], 0, terms=2)
    assert {tuple(parent.id for parent in child.parents) for child in derived} == {("a", "a")}


@pytest.mark.parametrize("terms", [1, 2, 3, 4])
def test_sums_are_proven_and_distinct(terms: int) -> None:
    derived = sums(SOLVED, 2, terms=terms, count=50)
    assert len(derived) == min(50, len(SOLVED) ** terms)
    assert len({child.id for child in derived}) == len(derived)
    for child in derived:
        assert proven(child)
        assert len(child.parents) == terms
        assert [parent.role for parent in child.parents] == [f"f{i + 1}" for i in range(terms)]
        assert child.pair_parent == child.parents[0].id
        assert child.name == f"brittleness/valid_sum{terms}"
    assert sums(SOLVED, 2, terms=terms, count=50) == derived
    fewer = sums(SOLVED, 2, terms=terms, count=3)
    assert fewer == derived[: len(fewer)]


def test_a_tuple_may_hold_a_problem_twice_and_like_terms_are_combined() -> None:
    every = {tuple(p.id for p in child.parents): child for child in sums(SOLVED, 0, terms=2)}
    assert len(every) == 16  # ordered pairs, with repetition
    assert every["a", "a"].target.integrand == "4 x"
    assert every["a", "c"].target.integrand == r"3 x + \frac{3}{x}"
    assert every["a", "b"].id != every["b", "a"].id


def test_large_pools_are_drawn_from() -> None:
    many = [problem(f"{n}x", rf"\frac{{{n}x^2}}{{2}}", f"p{n}") for n in range(1, 201)]
    derived = sums(many, 0, terms=4, count=40)
    assert len({child.id for child in derived}) == 40
    assert len({parent.id for child in derived for parent in child.parents}) > 60


def test_sums_that_vanish_are_no_problems() -> None:
    both = [problem("x", r"\frac{x^2}{2}", "plus"), problem("-x", r"-\frac{x^2}{2}", "minus")]
    assert {child.id for child in sums(both, 0, terms=2)} == {"plus+plus", "minus+minus"}


def test_nothing_solved_is_no_problem() -> None:
    for family in NEIGHBOURS:
        assert neighbours(family, [], 0) == []
    assert sums([], 0, terms=2) == []


def test_one_name_for_two_problems_is_refused() -> None:
    namesake = problem("x", r"\frac{x^2}{2}", "a", subset="other")
    with pytest.raises(DerivationError, match="mine/set and mine/other"):
        neighbours("plus_exp", [*SOLVED, namesake], 0)


def test_bad_seeds_are_named() -> None:
    with pytest.raises(DerivationError, match="bad"):
        neighbours("plus_exp", [problem(r"\foo", None, "bad")], 0)
    with pytest.raises(DerivationError, match="unknown variant 'text'"):
        neighbours("over_k", SOLVED, 0, variant="text")


def test_the_bee_bank_as_seeds() -> None:
    bank = load("bee", limit=12)
    for derived in (*neighbours("plus_exp", bank, 0), *sums(bank, 0, terms=3, count=8)):
        assert derived.target.reference is None or proven(derived)


# --- like terms ---

X = Symbol("x")
ATOMS: list[Expression] = [
    X,
    power(X, Number(2)),
    Call("sin", (X,)),
    Call("ln", (mul(number(3), X),)),
    number(1),
]
COEFFICIENTS = st.fractions(min_value=-5, max_value=5, max_denominator=6)
TERMS = st.tuples(COEFFICIENTS, st.integers(0, len(ATOMS) - 1), st.booleans())


def value(tree: Expression, x: float) -> float:
    if isinstance(tree, Number):
        return tree.numerator / tree.denominator
    if isinstance(tree, Symbol):
        return x
    args = [value(arg, x) for arg in tree.args]
    operations = {
        "add": math.fsum,
        "mul": math.prod,
        "neg": lambda a: -a[0],
        "div": lambda a: a[0] / a[1],
        "pow": lambda a: a[0] ** a[1],
        "sin": lambda a: math.sin(*a),
        "ln": lambda a: math.log(*a),
    }
    return float(operations[tree.function](args))  # type: ignore[operator]


@given(st.lists(TERMS, min_size=1, max_size=8))
def test_collecting_keeps_the_value_and_leaves_no_like_terms(
    terms: list[tuple[Fraction, int, bool]],
) -> None:
    trees = [
        (neg if flipped else lambda tree: tree)(mul(number(c), ATOMS[at]))
        for c, at, flipped in terms
    ]
    result = collect(*trees)
    for x in (0.7, 2.3):
        assert value(result, x) == pytest.approx(math.fsum(value(t, x) for t in trees), abs=1e-9)
    addends = result.args if isinstance(result, Call) and result.function == "add" else (result,)
    assert len(addends) <= len({at for _, at, _ in terms})
    assert collect(add(*trees)) == result


# --- filters ---


def test_the_filters_of_validation_problems() -> None:
    problems = [
        problem("2x", "x^2", "plain"),
        problem(r"\frac{1}{1+x^2}", r"\arctan x", "arctan"),
        problem(r"\cosh x", r"\sinh x", "cosh"),
        problem(r"\frac{1}{\sqrt{x^2+1}}", r"\operatorname{arsinh} x", "arsinh"),
    ]
    assert [p.id for p in eligible(problems)] == ["plain"]
    assert [p.id for p in eligible(problems, "paper")] == ["plain", "arctan"]


def test_short_is_by_characters_of_sympys_text() -> None:
    twenty, longer = (
        problem(r"x^2 + x + \cos 10x", None, "l20"),
        problem(r"x^2 + x + \cos 100x", None, "l21"),
    )
    from calculus_harness.rewards.reading.expression.sympy_bridge import to_sympy

    lengths = [
        len(str(to_sympy(read(p.target.integrand, symbols=["x"])[0].expression)))
        for p in (twenty, longer)
    ]
    assert lengths == [20, 21]
    assert short([twenty, longer]) == [twenty]


def test_short_is_by_prefix_tokens_in_the_paper() -> None:
    tokens = to_prefix(read("x + 123", symbols=["x"])[0].expression)
    assert tokens == ("add", "x", "INT+", "1", "2", "3")
    six = problem("x + 123", None, "six")
    assert short([six], "paper", 6) == [six]
    assert short([six], "paper", 5) == []
