"""Products of powers in the usual notation: fractions, roots and signs, for LaTeX.

Prefix tokens have sums, products and powers only. Nothing is evaluated here, and factors keep their
order in the numerator and in the denominator.
"""

from __future__ import annotations

from fractions import Fraction

from ....rewards.expression.build import ONE, fraction, rational_power
from ....rewards.expression.tree import Call, Expression, Number


def readable(tree: Expression) -> Expression:
    """``tree`` with negative powers as denominators, fractional ones as roots, numbers first."""
    if not isinstance(tree, Call):
        return tree
    args = tuple(map(readable, tree.args))
    if tree.function == "pow" and isinstance(args[1], Number):
        return rational_power(args[0], Fraction(args[1].numerator, args[1].denominator))
    if tree.function != "mul":
        return Call(tree.function, args)
    coefficient = Fraction(1)
    above: list[Expression] = []
    below: list[Expression] = []
    for arg in args:
        if isinstance(arg, Number):
            coefficient *= Fraction(arg.numerator, arg.denominator)
        elif arg.function == "div" and arg.args[0] == ONE:
            below.append(arg.args[1])
        else:
            above.append(arg)
    return fraction(coefficient, above, below)
