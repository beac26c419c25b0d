"""Mutations of formulas, by the text of Welleck et al. or by their released code.

A mutation changes a random node. Some mutations replace the node by a constant, by the variable or
by the result of a simple operation. Others give the node another operation or an additional
argument. The mutated formula is not evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ....benchmarks.hashed_random import HashedRandom
from ....rewards.reading.expression.tree import Call, Expression, Number
from .formulas import TRIGONOMETRIC, NoProblemError, X, depth

Variant = Literal["code", "paper"]
MutationSet = Literal["all", "constants"]

#: The bounds of the constants that replace a compound node in the released code, which ignores the
#: settings here.
CODE_CONSTANTS = (0, 1000)
_OPERATORS = ("add", "mul", "pow")


@dataclass(frozen=True, slots=True)
class Rules:
    """The set of mutations, and the bounds of constants.

    Attributes:
        kinds: ``all`` for all mutations, or ``constants`` to replace nodes by constants only.
        low: the least constant.
        high: the upper bound of constants, not included.
        variant: ``code`` for the mutations of the code of Welleck et al., or ``paper`` for the
            mutations in their text. The code made the published archives. Unlike the code, the text
            draws all constants between ``low`` and ``high``, and mutates sines, cosines and
            tangents. If ``kinds`` is ``constants``, the text changes leaves only.

    """

    kinds: MutationSet = "all"
    low: int = -1000
    high: int = 1000
    variant: Variant = "code"


def mutate(tree: Expression, rng: HashedRandom, rules: Rules) -> tuple[Expression, str]:
    """Mutate a formula. Return the mutant, and the mutation's name.

    Args:
        tree: the formula, in the form of `formulas.structure`.
        rng: the random numbers.
        rules: the mutations.

    Returns:
        The mutant and the mutation's name. The mutant may equal the formula.

    Raises:
        NoProblemError: the result is not a formula. An example is a power of four arguments.

    >>> from .formulas import read, text
    >>> tree = read("x**2 + sin(3*x)")
    >>> mutant, name = mutate(tree, HashedRandom("example", 4), Rules())
    >>> name, text(mutant)
    ('leaf: symbol', 'sin(3*x) + x**(-985*x)')

    """
    leaves_only = rules.variant == "paper" and rules.kinds == "constants"
    position = draw_position(tree, rng, to_leaf=leaves_only)
    node = at(tree, position)
    if not isinstance(node, Call) or not node.args:
        new_node, name = _mutate_leaf(rng, rules)
    elif node.function in TRIGONOMETRIC and rules.variant == "code":
        return tree, "none"
    else:
        new_node, name = _mutate_compound(node, rng, rules)
    return replaced(tree, position, new_node), name


def draw_position(tree: Expression, rng: HashedRandom, *, to_leaf: bool = False) -> tuple[int, ...]:
    """Draw the position of a random node. A position is a path of argument indices.

    The root is drawn only if it is a leaf.
    """
    position: list[int] = []
    levels = depth(tree) - 1
    if levels and not to_leaf:
        levels = rng.integer(1, levels)
    node = tree
    while levels and isinstance(node, Call) and node.args:
        index = rng.below(len(node.args))
        position.append(index)
        node = node.args[index]
        levels -= 1
    return tuple(position)


def at(tree: Expression, position: tuple[int, ...]) -> Expression:
    """The node at a position, which is a path of argument indices."""
    for index in position:
        assert isinstance(tree, Call)
        tree = tree.args[index]
    return tree


def replaced(tree: Expression, position: tuple[int, ...], node: Expression) -> Expression:
    """Replace the node at a position of a tree by another node."""
    if not position:
        return node
    assert isinstance(tree, Call)
    index, *inner_position = position
    inner = replaced(tree.args[index], tuple(inner_position), node)
    return Call(tree.function, (*tree.args[:index], inner, *tree.args[index + 1 :]))


def _constant(rng: HashedRandom, low: int, high: int) -> Number:
    return Number(low + rng.below(high - low))


def simple_operation(rng: HashedRandom, rules: Rules) -> Expression:
    """Draw one of k x, k x^2, k/x, k/x^2, k^x and k^(x^2), with a random constant k.

    For k = -5, the last two are -(5^x) and -(5^(x^2)), because Python reads ``-5**x`` as -(5^x).
    """
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
    """Make the tree of an operator with arguments.

    The code of Welleck et al. drops the third argument of a power with three arguments. This
    function does the same.

    Raises:
        NoProblemError: a power has more than three arguments, or a power has more than two
            arguments and the variant of ``rules`` is ``paper``.

    """
    if operator == "pow" and len(args) > 2:
        if len(args) > 3 or rules.variant == "paper":
            raise NoProblemError("a power of more than two parts")
        args = args[:2]
    return Call(operator, args)
