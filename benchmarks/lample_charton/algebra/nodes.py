"""Nodes of formulas in normal form. Equal nodes are shared; arguments are in SymPy's order."""

from __future__ import annotations

from typing import Any, Final

from flint import fmpq

from ..codec.prefix import folded, integer_tokens

#: SymPy's class of each kind of node, for the order of arguments (`sympy.core.basic`).
_CLASSES: Final = {
    "symbol": "Symbol",
    "pi": "Pi",
    "e": "Exp1",
    "pow": "Pow",
    "mul": "Mul",
    "add": "Add",
    "ln": "log",
    "abs": "Abs",
    "sgn": "sign",
}
_CLASS_ORDER: Final = (
    "Zero One Half NegativeOne Integer Rational Exp1 Pi Symbol Pow Mul Add Abs"
).split()
_RANKS: Final = {name: rank for rank, name in enumerate(_CLASS_ORDER)}
_NUMBERS: Final = {fmpq(0): "Zero", fmpq(1): "One", fmpq(1, 2): "Half", fmpq(-1): "NegativeOne"}
_TOKENS: Final = {"pi": "pi", "e": "E", "sgn": "sign"}


class Node:
    """A number, a symbol, or a function of other nodes; made by an `Algebra`, which shares them.

    ``kind`` is ``number``, ``symbol``, or a function of `rewards.expression.tree.FUNCTIONS`. Two
    nodes of one algebra are equal only if they are the same object. ``key`` orders arguments as
    SymPy does: by class, then by the number of arguments, then by the arguments.
    """

    __slots__ = ("args", "key", "kind", "name", "size", "value", "varies")

    def __init__(
        self,
        kind: str,
        args: tuple[Node, ...] = (),
        *,
        value: Any = None,
        name: str = "",
        varies: bool = False,
    ) -> None:
        self.kind, self.args, self.name = kind, args, name
        #: Of a number, an exact `fmpq`; else None.
        self.value: Any = value
        #: Whether the variable occurs.
        self.varies = varies
        self.key = self._key()
        #: Number of tokens in prefix form.
        self.size = self._size()

    def __repr__(self) -> str:
        return " ".join(prefix_of(self))

    def _key(self) -> tuple[Any, ...]:
        if self.kind == "number":
            name = _NUMBERS.get(self.value) or ("Integer" if self.value.q == 1 else "Rational")
            return (_RANKS[name], "", 2, int(self.value.p), int(self.value.q))
        name = _CLASSES.get(self.kind, self.kind)
        rank = _RANKS.get(name, len(_CLASS_ORDER))
        label = name if rank == len(_CLASS_ORDER) else ""
        if self.kind == "symbol":
            return (rank, label, 1, self.name)
        return (rank, label, len(self.args), *(arg.key for arg in self.args))

    def _size(self) -> int:
        if self.kind == "number":
            digits = len(str(self.value.p).lstrip("-"))
            return 1 + digits + (0 if self.value.q == 1 else 2 + len(str(self.value.q)))
        if self.kind in ("add", "mul"):
            return sum(arg.size for arg in self.args) + len(self.args) - 1
        if self.kind == "pow" and self.args[1].value == HALF:
            return 1 + self.args[0].size
        return 1 + sum(arg.size for arg in self.args)


HALF: Final = fmpq(1, 2)


def prefix_of(node: Node) -> list[str]:
    """The tokens of a node, as in the published data, which is in SymPy's form."""
    if node.kind == "number":
        p, q = int(node.value.p), int(node.value.q)
        return integer_tokens(p) if q == 1 else ["div", *integer_tokens(p), *integer_tokens(q)]
    if node.kind == "symbol":
        return [node.name]
    if node.kind in ("add", "mul"):
        return folded(node.kind, [prefix_of(arg) for arg in node.args])
    if node.kind == "pow" and node.args[1].value == HALF:
        return ["sqrt", *prefix_of(node.args[0])]
    tokens = [_TOKENS.get(node.kind, node.kind)]
    for arg in node.args:
        tokens += prefix_of(arg)
    return tokens
