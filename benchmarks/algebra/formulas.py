"""LaTeX formulas of banks and generators as expression trees."""

from __future__ import annotations

from ...rewards.reading.expression.tree import Expression
from ...rewards.reading.latex import read


def parse(latex: str, variable: str = "x") -> Expression:
    """The tree of a LaTeX formula in the likeliest reading."""
    return read(latex, symbols=[variable])[0].expression
