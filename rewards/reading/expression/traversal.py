"""Properties of expression trees: terms, symbols, exact constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache

from ..functions import names
from ..functions.record import WORKER
from .tree import Call, Expression, Number, Symbol

#: Exact powers in exponents are folded up to this many bits.
MAX_FOLD_BITS = 4096
#: All functions but these are bounded in time at every argument and precision used here (measured:
#: elementary ones, the gamma function, erf); these belong in a killable worker.
SLOW = names(lambda function: function.cost == WORKER)
#: What may have several terms; see `additive_terms`.
_WITH_TERMS = frozenset(("add", "neg", "mul", "div"))


def nodes_of(expression: Expression) -> Iterator[Expression]:
    """All nodes of ``expression``, parents first, from left to right."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        if node.args:
            stack += node.args[::-1]


def is_deeper(tree: Expression, levels: int) -> bool:
    """Whether a tree has more than ``levels`` levels, too many for a safe recursion."""
    level = [tree]
    while level and levels:
        level, levels = [arg for node in level for arg in node.args], levels - 1
    return bool(level)


def all_nodes(expression: Expression) -> list[Expression]:
    """All nodes of ``expression``, level by level. Faster than `nodes_of`."""
    nodes = [expression]
    for node in nodes:
        nodes += node.args
    return nodes


def size(expression: Expression) -> int:
    """The number of nodes of ``expression``."""
    return len(all_nodes(expression))


def symbols_of(expression: Expression) -> set[str]:
    """Names of the free symbols of ``expression``."""
    nodes, names = [expression], set[str]()
    for node in nodes:
        if type(node) is Symbol:
            names.add(node.name)
        else:
            nodes += node.args
    return names


def substitute(node: Expression, name: str, value: Expression) -> Expression:
    """Replace the symbol ``name`` in a tree by ``value``."""
    if type(node) is Symbol:
        return value if node.name == name else node
    if type(node) is Call and node.args:
        return Call(node.function, tuple(substitute(arg, name, value) for arg in node.args))
    return node


def substitute_all(tree: Expression, values: Iterable[tuple[str, Expression]]) -> Expression:
    """Replace symbols in a tree by values, one symbol after another."""
    for name, value in values:
        tree = substitute(tree, name, value)
    return tree


def is_written_with(expression: Expression, *functions: str) -> bool:
    """Whether one of the given functions and named constants occurs in ``expression``."""
    return any(node.function in functions for node in all_nodes(expression))


def is_constant(expression: Expression, variable: str | None = None) -> bool:
    """Whether ``expression`` is free of the variable.

    If no variable is given, the expression must be free of all symbols.
    """
    nodes = [expression]  # a loop of its own: this is asked of every part of a tree
    for node in nodes:
        if type(node) is Symbol and variable in (None, node.name):
            return False
        nodes += node.args
    return True


def degree(tree: Expression, name: str) -> int | None:
    """The degree of an expression in the symbol ``name``. None if it is not a polynomial.

    The degree is too high if the leading terms cancel.
    """
    if is_constant(tree, name):
        return 0
    if isinstance(tree, Symbol):
        return 1
    orders = [order for arg in tree.args if (order := degree(arg, name)) is not None]
    if len(orders) < len(tree.args):
        return None
    match tree.function:
        case "add" | "neg":
            return max(orders)
        case "mul":
            return sum(orders)
        case "div" if not orders[1]:
            return orders[0]
        case "pow" if (exponent := fold(tree.args[1])) is not None and exponent.denominator == 1:
            return orders[0] * int(exponent) if exponent >= 0 else None
    return None


def needs_worker(expression: Expression) -> bool:
    """Whether the expression has a function that may be slow to evaluate and cannot be interrupted.

    Such a function runs in C. To stop the function early, the caller must end the process.
    """
    return not SLOW.isdisjoint([node.function for node in all_nodes(expression)])


def additive_terms(expression: Expression, variable: str) -> list[Expression]:
    """The terms of a sum. A sign or a constant before the sum is moved into each term.

    The constant may be a factor or a divisor: ``2(x^2 + t)`` and ``(x^2 + t)/3`` have two terms.
    """
    name, args = expression.function, expression.args
    if name == "add":
        return [term for arg in args for term in additive_terms(arg, variable)]
    if name == "neg":
        terms = additive_terms(args[0], variable)
        # Signs cancel: in x - (x - (x - ..)) the last term would have as many as there are levels.
        return [t.args[0] if t.function == "neg" else Call("neg", (t,)) for t in terms]
    if name in ("mul", "div") and not _WITH_TERMS.isdisjoint([arg.function for arg in args]):
        varying = [at for at, arg in enumerate(args) if not is_constant(arg, variable)]
        if varying == [0] or (name == "mul" and len(varying) == 1):
            at = varying[0]
            terms = additive_terms(args[at], variable)
            if len(terms) > 1:
                return [Call(name, (*args[:at], term, *args[at + 1 :])) for term in terms]
    return [expression]


def written_factors(expression: Expression, variable: str) -> list[Expression]:
    """The distinct factors in a product, quotient or power, without constant factors."""
    nodes = [expression]
    factors: list[Expression] = []
    for node in nodes:
        if node.function in ("mul", "div", "neg"):
            nodes += node.args
        elif node.function == "pow" and fold(node.args[1]) is not None:
            nodes.append(node.args[0])
        elif not is_constant(node, variable):
            factors.append(node)
    return list(dict.fromkeys(factors))


def without_factor(term: Expression, variable: str) -> Expression:
    """A term without sign and constant factors.

    Callers only need the derivative of the result. If the result is a logarithm or an arc tangent,
    all branches have the same derivative, and a caller may use any branch.
    """
    while isinstance(term, Call):
        if term.function == "neg" or (
            term.function == "div" and is_constant(term.args[1], variable)
        ):
            term = term.args[0]
            continue
        if term.function == "mul":
            varying = [arg for arg in term.args if not is_constant(arg, variable)]
            if len(varying) == 1:
                term = varying[0]
                continue
        break
    return term


def fold(expression: Expression) -> Fraction | None:
    """The exact rational value of a small constant expression, such as an exponent.

    The result is None for another expression.
    """
    if type(expression) is Number:
        return _fraction(expression.numerator, expression.denominator)
    if expression.function not in FOLDS:
        return None
    values: list[Fraction] = []
    for argument in expression.args:
        value = fold(argument)
        if value is None:
            return None
        values.append(value)
    return FOLDS[expression.function](values)


def has_indeterminate(tree: Expression) -> bool:
    """Whether a tree has 0^0 or 0/0, in numbers.

    As a power of a number, 0^0 is 1. As an answer, 0^0 is the form of a limit.

    >>> zero = Number(0)
    >>> has_indeterminate(Call("pow", (zero, zero)))
    True
    """
    return any(
        node.function in _INDETERMINATE and fold(node.args[1]) == 0 == fold(node.args[0])
        for node in all_nodes(tree)
    )


_INDETERMINATE = frozenset(("div", "pow"))
#: Exponents are few, and making a fraction takes long.
_fraction = lru_cache(maxsize=1024)(Fraction)


def _fold_power(values: list[Fraction]) -> Fraction | None:
    base, exponent = values
    if exponent.denominator != 1 or (base == 0 and exponent < 0):
        return None
    size = max(abs(base.numerator), base.denominator).bit_length()
    if size * abs(exponent.numerator) > MAX_FOLD_BITS:
        return None
    return Fraction(base ** int(exponent))


def _fold_product(values: list[Fraction]) -> Fraction | None:
    product = Fraction(1)
    for value in values:
        product *= value
    return product


#: Exact values of functions of rational numbers. None means that there is no value.
FOLDS: dict[str, Callable[[list[Fraction]], Fraction | None]] = {
    "add": lambda values: sum(values, Fraction(0)),
    "mul": _fold_product,
    "neg": lambda values: -values[0],
    "div": lambda values: values[0] / values[1] if values[1] else None,
    "pow": _fold_power,
}
