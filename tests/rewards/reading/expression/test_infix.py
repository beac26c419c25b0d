"""The reader of infix notations: the common part of the notations."""

from __future__ import annotations

import re
from typing import ClassVar

import pytest

from calculus_harness.rewards.reading.expression.infix import Notation, NotationError
from calculus_harness.rewards.reading.expression.sympy_text import read_sympy
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from tests.rewards.steps import steps


class Letters(Notation):
    """Letters and whole numbers alone: the grammar without any system's names."""

    system = "Letters"
    token: ClassVar = re.compile(
        r"\s*(?:(?P<number>\d+)|(?P<name>[a-z]+)|(?P<sign>[-+*/^!(),\[\]]))"
    )
    most_characters: ClassVar = 10_000
    most_digits: ClassVar = 20
    most_levels: ClassVar = 50
    most_brackets: ClassVar = 50

    def atom(self, name: str) -> Expression:
        return Symbol(name)

    def call(self, name: str, args: tuple[Expression, ...]) -> Expression:
        return Call(name, args)


LETTERS = Letters()
A, B, C = map(Symbol, "abc")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a-b-c", Call("add", (A, Call("neg", (B,)), Call("neg", (C,))))),
        ("a-(b-c)", Call("add", (A, Call("neg", (Call("add", (B, Call("neg", (C,)))),))))),
        ("(a+b)+c", Call("add", (A, B, C))),
        ("a/b/c", Call("div", (Call("div", (A, B)), C))),
        ("a^b^c", Call("pow", (A, Call("pow", (B, C))))),
        ("-a^b", Call("neg", (Call("pow", (A, B)),))),
        ("a^-b", Call("pow", (A, Call("neg", (B,))))),
        ("-a*b", Call("mul", (Call("neg", (A,)), B))),
        ("a!^b", Call("pow", (Call("factorial", (A,)), B))),
        ("f[2](a, b)", Call("f", (Number(2), A, B))),
        ("f (a)", Call("f", (A,))),
        ("[a, b]", Call("list", (A, B))),
        ("f()", Call("f", ())),
    ],
)
def test_the_grammar(text: str, tree: Expression) -> None:
    assert LETTERS.read(text) == tree


@pytest.mark.parametrize("text", ["", "a b", "(a, b)", "a+", "f(a", "a)", "(a]", "1" * 21, "a?"])
def test_anything_else_is_one_kind_of_error(text: str) -> None:
    with pytest.raises(NotationError):
        LETTERS.read(text)


@pytest.mark.parametrize("text", ["(" * 9_000, "-" * 9_000 + "a", "f(" * 3_000, "a^" * 4_000 + "a"])
def test_nesting_is_refused_before_the_text_is_read(text: str) -> None:
    def refuse() -> None:
        with pytest.raises(NotationError, match=r"deep|levels"):
            LETTERS.read(text)

    assert steps(refuse) < 10_000


def test_long_chains_are_one_call() -> None:
    tree = LETTERS.read("+".join("a" * 3_000))
    assert isinstance(tree, Call)
    assert len(tree.args) == 3_000


def test_comparisons_stand_alone_in_brackets() -> None:
    assert read_sympy("Piecewise((x, (x < y) < 1), (y, True))")
    for text in ("Piecewise((x, x < y < 1), (y, True))", "Piecewise((x, x < y == z), (y, True))"):
        with pytest.raises(ValueError, match="one comparison"):
            read_sympy(text)
