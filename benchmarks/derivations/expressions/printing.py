"""Expressions as LaTeX and as plain text in SymPy's forms, as in Meadows et al."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ....rewards.reading.expression.sympy_text import SAME
from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Expression, Number, Symbol
from .terms import CACHED

#: SymPy's names of the functions with rules.
_CLASSES = SAME | {name: name.capitalize() for name in ("pow", "derivative", "integral")}


@lru_cache(CACHED)
def as_sympy(term: Expression) -> Any:
    """SymPy's expression, evaluated by SymPy."""
    import sympy

    if isinstance(term, Number):
        return sympy.Rational(term.numerator, term.denominator)
    if isinstance(term, Symbol):
        return sympy.Symbol(term.name)
    if not term.args:
        return sympy.E
    name = _CLASSES.get(term.function)
    build = getattr(sympy, name) if name else sympy.Function(term.function)
    return build(*map(as_sympy, term.args))


@lru_cache(CACHED)
def latex(term: Expression) -> str:
    """The LaTeX of an expression."""
    import sympy

    return str(sympy.latex(as_sympy(term)))


@lru_cache(CACHED)
def plain(term: Expression) -> str:
    """An expression as plain text, for the text searches of the released code."""
    return str(as_sympy(term))


def longest(term: Expression) -> int:
    """An upper bound of the length of the LaTeX: brackets take at most 26 characters per node."""
    nodes = nodes_of(term)
    return sum(26 + 9 * len(node.args) if node.args else len(latex(node)) for node in nodes)
