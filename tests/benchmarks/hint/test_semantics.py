from __future__ import annotations

import ast
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.hint.semantics import (
    LIMIT,
    NUMBERS,
    PRECEDENCE,
    Expression,
    GrammarError,
    apply,
    infix,
    parse,
)
from tests.benchmarks.hint import independent

#: Prefix expressions as nested tuples.
trees = st.recursive(
    st.sampled_from(list(NUMBERS)),
    lambda subtree: st.tuples(st.sampled_from(list(PRECEDENCE)), subtree, subtree),
    max_leaves=21,
)


def flat(tree: object) -> str:
    return tree if isinstance(tree, str) else "".join(map(flat, tree))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(3+2)*8", 40),
        ("5-3-5*2", 0),
        ("2/(5*4)", 1),  # the paper's figure 2
        ("0", 0),
        ("9/3/2", 2),
        ("8-3-2", 3),
        ("8-(3-2)", 7),
        ("2*3+4", 10),
        ("7/2", 4),
        ("0/5", 0),
        ("5/0", None),
        ("0*(5/0)", None),
        ("(7)", 7),
        ("x+y", 23),
        ("3a8-5", 3),
        ("3a(8-5)", 3),
        ("2b3*4", 2),
        ("2c3", 3),
        ("2d3", 3),
        ("0d0", None),
        ("0d5", 0),
        ("1+2c3*2", 7),
        ("9a1b4", 4),
    ],
)
def test_values(text: str, value: int | None) -> None:
    assert parse(text).value == value == independent.value(text)


def test_heads_and_values_are_those_of_the_release() -> None:
    """The example printed by the released notebook."""
    read = parse("(6+4)/(3-1)")
    assert read.head == (2, 2, 5, 2, 2, -1, 8, 8, 5, 8, 8)
    assert read.values == (-1, 6, 10, 4, -1, 5, -1, 3, 2, 1, -1)
    assert (read.depth, read.largest, read.dependency, read.operators) == (3, 10, 3, "+/-")
    assert parse(list("6*(5-2)")) == parse("6*(5-2)")
    assert parse("6*(5-2)").head == (1, -1, 4, 4, 1, 4, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "position 0: the end where a number"),
        ("12", "position 1: '2' where an operator"),
        ("3+", "position 2: the end"),
        ("+3", "position 0: '+'"),
        ("(3", "'(' is never closed"),
        ("3)", "')' without '('"),
        ("()", "position 1: ')'"),
        ("3 + 4", "unknown symbol ' '"),
        ("3×4", "unknown symbol '×'"),
        ("2(3)", "position 1: '('"),
        ("3--4", "position 2: '-'"),
    ],
)
def test_what_is_no_expression(text: str, message: str) -> None:
    with pytest.raises(GrammarError, match=None) as caught:
        parse(text)
    assert message in str(caught.value)


def test_long_texts_take_linear_time_and_values_stay_small() -> None:
    assert parse("(" * 100_000 + "1" + ")" * 100_000).value == 1
    assert parse("9" + "*9" * 100_000).value is None  # beyond the limit long before the end
    assert apply("*", LIMIT, 1) == LIMIT
    assert apply("+", LIMIT, 1) is None


@given(trees)
def test_the_infix_text_has_the_tree_of_the_prefix_one(tree: object) -> None:
    text = infix(flat(tree))
    assert prefix_of(parse(text)) == flat(tree)


@given(trees)
def test_no_pair_of_parentheses_is_needless(tree: object) -> None:
    text = infix(flat(tree))
    for start in (i for i, symbol in enumerate(text) if symbol == "("):
        end, level = start, 1
        while level:
            end += 1
            level += {"(": 1, ")": -1}.get(text[end], 0)
        without = text[:start] + text[start + 1 : end] + text[end + 1 :]
        assert prefix_of(parse(without)) != flat(tree)


@given(trees)
def test_each_value_is_its_operator_applied_to_its_children(tree: object) -> None:
    read = parse(infix(flat(tree)))
    for i, symbol in enumerate(read.text):
        if symbol in PRECEDENCE:
            left, right = children(read, i)
            assert left < i < right
            assert read.values[i] == apply(symbol, read.values[left], read.values[right])
        if symbol == "(":
            assert read.values[i] == -1
            assert read.head[i] > i


def children(read: Expression, parent: int) -> list[int]:
    return [i for i, head in enumerate(read.head) if head == parent and read.text[i] not in "()"]


def prefix_of(read: Expression, node: int | None = None) -> str:
    node = read.root if node is None else node
    return read.text[node] + "".join(prefix_of(read, child) for child in children(read, node))


@pytest.mark.slow
def test_values_agree_with_pythons_parser_on_100000_expressions() -> None:
    rng = random.Random(1)
    undefined = 0
    for _ in range(100_000):
        text = independent.random_text(rng, rng.randrange(21), "0123456789", "+-*/")
        expected = by_python(ast.parse(text, mode="eval").body)
        if expected is not None and expected > LIMIT:
            continue
        assert parse(text).value == expected, text
        undefined += expected is None
    assert 10_000 < undefined < 50_000


def by_python(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant):
        return int(node.value)  # type: ignore[arg-type]
    assert isinstance(node, ast.BinOp)
    left, right = by_python(node.left), by_python(node.right)
    if left is None or right is None:
        return None
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return (left - right) * (left > right)
        case ast.Mult():
            return left * right
    return None if right == 0 else math.ceil(Fraction(left, right))


@pytest.mark.slow
def test_values_agree_with_recursive_descent_with_all_concepts() -> None:
    rng = random.Random(2)
    for _ in range(20_000):
        text = independent.random_text(rng, rng.randrange(13), "".join(NUMBERS), "+-*/abcd")
        assert parse(text).value == independent.value(text), text
