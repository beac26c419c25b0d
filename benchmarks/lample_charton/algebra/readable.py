"""Products of powers in the usual notation: fractions, roots and signs, for LaTeX.

Prefix tokens have sums, products and powers only. Nothing is evaluated here, and factors keep their
order in the numerator and in the denominator.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ....rewards.expression.build import fraction
from ....rewards.expression.tree import Call, Expression, Number


def readable(tree: Expression) -> Expression:
    """``tree`` with negative powers as denominators, fractional ones as roots, numbers first."""
    if not isinstance(tree, Call):
        return tree
    if tree.function == "mul":
        return _product(tree.args)
    if tree.function == "pow":
        return _product((tree,)) if _below(tree) else _power(tree)
    return Call(tree.function, tuple(map(readable, tree.args)))


def _product(factors: Sequence[Expression]) -> Expression:
    coefficient = Fraction(1)
    above: list[Expression] = []
    below: list[Expression] = []
    for factor in factors:
        if isinstance(factor, Number):
            coefficient *= Fraction(factor.numerator, factor.denominator)
        elif _below(factor):
            assert isinstance(factor, Call)
            base, exponent = factor.args
            assert isinstance(exponent, Number)
            turned = Number(-exponent.numerator, exponent.denominator)
            below.append(_power(Call("pow", (base, turned))))
        else:
            above.append(readable(factor))
    return fraction(coefficient, above, below)


def _below(factor: Expression) -> bool:
    if not isinstance(factor, Call) or factor.function != "pow":
        return False
    exponent = factor.args[1]
    return isinstance(exponent, Number) and exponent.numerator < 0


def _power(power: Call) -> Expression:
    base, exponent = readable(power.args[0]), power.args[1]
    if isinstance(exponent, Number) and exponent.numerator == 1:
        if exponent.denominator == 1:
            return base
        if exponent.denominator == 2:
            return Call("sqrt", (base,))
        return Call("root", (base, Number(exponent.denominator)))
    return Call("pow", (base, readable(exponent)))
