"""LaTeX formulas of banks and generators as expression trees."""

from __future__ import annotations

from ..rewards.expression.tree import Expression
from ..rewards.latex import read


def parse(latex: str, variable: str = "x") -> Expression:
    """The tree of a LaTeX formula in its likeliest reading."""
    return read(latex, symbols=[variable])[0].expression
