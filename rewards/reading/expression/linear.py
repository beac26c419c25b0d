"""Splits a tree that is linear in certain symbols into the coefficients of these symbols."""

from __future__ import annotations

from collections.abc import Collection

from .build import ONE, ZERO, add, div, neg
from .traversal import symbols_of
from .tree import Call, Expression, Symbol


class NotLinearError(ValueError):
    """A tree is not linear.

    A symbol is in a denominator, is in a function, or is multiplied by a symbol.
    """


def addends(tree: Expression) -> list[Expression]:
    """The terms of a sum. The terms of a negated sum are negated."""
    if tree.function == "add":
        return [term for arg in tree.args for term in addends(arg)]
    if tree.function == "neg":
        return [neg(term) for term in addends(tree.args[0])]
    return [tree]


def linear(
    node: Expression, names: Collection[str]
) -> tuple[Expression, list[tuple[Expression, str]]]:
    """Split a tree that is linear in the symbols ``names``.

    Returns:
        The constant and a list of pairs. The constant is a tree without the symbols ``names``. A
        pair is a coefficient and a symbol. The tree equals the constant plus the products of all
        pairs.

    Raises:
        NotLinearError: one of the symbols is in a denominator or a function, or is multiplied
            by one of the symbols.

    """
    if symbols_of(node).isdisjoint(names):
        return node, []
    if isinstance(node, Symbol):
        return ZERO, [(ONE, node.name)]
    assert isinstance(node, Call)
    if node.function in ("add", "neg"):
        pairs = [linear(arg, names) for arg in node.args]
        terms = [pair for _, pairs_ in pairs for pair in pairs_]
        if node.function == "neg":
            return Call("neg", (pairs[0][0],)), [(Call("neg", (a,)), b) for a, b in terms]
        return Call("add", tuple(constant for constant, _ in pairs)), terms
    positions = [at for at, arg in enumerate(node.args) if not symbols_of(arg).isdisjoint(names)]
    if (
        node.function not in ("mul", "div")
        or len(positions) > 1
        or (node.function == "div" and positions[0])
    ):
        raise NotLinearError("an integral within a function")
    constant, terms = linear(node.args[positions[0]], names)

    def scaled(tree: Expression) -> Expression:
        args = [*node.args]
        args[positions[0]] = tree
        return Call(node.function, tuple(args))

    return scaled(constant), [(scaled(factor), name) for factor, name in terms]


def root(node: Expression, name: str) -> Expression:
    """The value of the symbol ``name`` for which a tree is zero.

    Raises:
        NotLinearError: the tree is not linear in the symbol.

    """
    constant, terms = linear(node, {name})
    return neg(div(constant, add(*(factor for factor, _ in terms))))
