"""Mutations of formulas, as the paper's text describes them and as its released code does them.

A node is drawn, and replaced by a constant, by the variable, by the result of a simple operation,
or it gets another operation or one more argument. What comes out is not evaluated yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ....benchmarks.hashed_random import HashedRandom
from ....rewards.reading.expression.tree import Call, Expression, Number
from .formulas import TRIGONOMETRIC, UnusableError, X, depth

Variant = Literal["code", "paper"]
Kinds = Literal["all", "constants"]

#: Of the released code: the constants that replace a compound part, whatever the bounds are.
CODE_CONSTANTS = (0, 1000)
_OPERATORS = ("add", "mul", "pow")


@dataclass(frozen=True, slots=True)
class Rules:
    """Which mutations there are.

    Attributes:
        kinds: ``all``, or only those to ``constants``.
        low: the least constant.
        high: the constants are below this.
        variant: the released ``code``, which made the published archives, or the ``paper``'s text.
            The text draws all constants between the same bounds, changes leaves only where all
            mutations are to constants, and does not leave sines, cosines and tangents alone.

    """

    kinds: Kinds = "all"
    low: int = -1000
    high: int = 1000
    variant: Variant = "code"


def mutate(tree: Expression, rng: HashedRandom, rules: Rules) -> tuple[Expression, str]:
    """A mutant of a formula, and the mutation's name.

    Args:
        tree: the formula, in the form of `formulas.structure`.
        rng: what is drawn from.
        rules: which mutations there are.

    Returns:
        The mutant, which may be the formula itself, and what was done.

    Raises:
        UnusableError: the mutation makes no formula, such as a power of four parts.

    >>> from .formulas import read, text
    >>> tree = read("x**2 + sin(3*x)")
    >>> mutant, name = mutate(tree, HashedRandom("example", 4), Rules())
    >>> name, text(mutant)
    ('leaf: symbol', 'sin(3*x) + x**(-985*x)')

    """
    leaves_only = rules.variant == "paper" and rules.kinds == "constants"
    place = draw_place(tree, rng, to_leaf=leaves_only)
    node = at(tree, place)
    if not isinstance(node, Call) or not node.args:
        made, name = _mutate_leaf(rng, rules)
    elif node.function in TRIGONOMETRIC and rules.variant == "code":
        return tree, "none"
    else:
        made, name = _mutate_compound(node, rng, rules)
    return replaced(tree, place, made), name


def draw_place(tree: Expression, rng: HashedRandom, *, to_leaf: bool = False) -> tuple[int, ...]:
    """A random node, as the indices of arguments that lead to it; the root only of a leaf."""
    place: list[int] = []
    left = depth(tree) - 1
    if left and not to_leaf:
        left = rng.integer(1, left)
    node = tree
    while left and isinstance(node, Call) and node.args:
        index = rng.below(len(node.args))
        place.append(index)
        node = node.args[index]
        left -= 1
    return tuple(place)


def at(tree: Expression, place: tuple[int, ...]) -> Expression:
    """The node at a place."""
    for index in place:
        assert isinstance(tree, Call)
        tree = tree.args[index]
    return tree


def replaced(tree: Expression, place: tuple[int, ...], node: Expression) -> Expression:
    """The tree with another node at a place."""
    if not place:
        return node
    assert isinstance(tree, Call)
    first, *rest = place
    inner = replaced(tree.args[first], tuple(rest), node)
    return Call(tree.function, (*tree.args[:first], inner, *tree.args[first + 1 :]))


def _constant(rng: HashedRandom, low: int, high: int) -> Number:
    return Number(low + rng.below(high - low))


def simple_operation(rng: HashedRandom, rules: Rules) -> Expression:
    """k x, k x^2, k/x, k/x^2, or -(5^x), -(5^(x^2)) for k = -5: as Python reads ``-5**x**2``."""
    k = _constant(rng, rules.low, rules.high)
    operator = rng.choice(("mul", "pow", "div"))
    power = Call("pow", (X, Number(2))) if rng.below(2) else X
    if operator == "mul":
        return Call("mul", (k, power))
    if operator == "div":
        return Call("mul", (k, Call("pow", (power, Number(-1)))))
    raised = Call("pow", (Number(abs(k.numerator)), power))
    return Call("mul", (Number(-1), raised)) if k.numerator < 0 else raised


def _mutate_leaf(rng: HashedRandom, rules: Rules) -> tuple[Expression, str]:
    drawn = rng.below(100) if rules.kinds == "all" else 0
    if drawn < 33:
        return _constant(rng, rules.low, rules.high), "leaf: constant"
    if drawn < 66:
        return Call("mul", (_constant(rng, rules.low, rules.high), X)), "leaf: symbol"
    return simple_operation(rng, rules), "leaf: operation"


def _mutate_compound(node: Call, rng: HashedRandom, rules: Rules) -> tuple[Expression, str]:
    drawn = rng.below(4) if rules.kinds == "all" else 0
    if drawn == 0:
        bounds = CODE_CONSTANTS if rules.variant == "code" else (rules.low, rules.high)
        return _constant(rng, *bounds), "part: constant"
    if drawn == 1:
        return X, "part: symbol"
    if drawn == 2:
        return _with_operator(node, rng, rules), "part: operation"
    new = simple_operation(rng, rules)
    if len(node.args) == 1:
        return Call(node.function, (Call("add", (node.args[0], new)),)), "part: argument"
    return _call(node.function, (*node.args, new), rules), "part: argument"


def _with_operator(node: Call, rng: HashedRandom, rules: Rules) -> Expression:
    operator = rng.choice([name for name in _OPERATORS if name != node.function])
    args = node.args if len(node.args) > 1 else (node, node.args[0])
    return _call(operator, args, rules)


def _call(operator: str, args: tuple[Expression, ...], rules: Rules) -> Expression:
    """An operation; in the released code a power of three parts loses the third."""
    if operator == "pow" and len(args) > 2:
        if len(args) > 3 or rules.variant == "paper":
            raise UnusableError("a power of more than two parts")
        args = args[:2]
    return Call(operator, args)
