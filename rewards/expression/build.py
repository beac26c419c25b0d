"""Constants, and products and quotients of expressions."""

from __future__ import annotations

from math import gcd

from .tree import Call, Expression, Number, Symbol

ZERO, ONE, TWO = Number(0), Number(1), Number(2)
E, IMAGINARY, PI = Call("e"), Call("i"), Call("pi")


def product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Call("mul", tuple(factors))


def ratio(numerator: int, denominator: int) -> Number:
    common = gcd(numerator, denominator)
    if denominator < 0:
        common = -common
    return Number(numerator // common, denominator // common)


def quotient(top: Expression, bottom: Expression) -> Expression:
    """A fraction; of two whole numbers, the exact one."""
    if (
        type(top) is Number
        and type(bottom) is Number
        and top.denominator == 1
        and bottom.denominator == 1
        and bottom.numerator
    ):
        return ratio(top.numerator, bottom.numerator)
    return Call("div", (top, bottom))


def is_constant(node: Expression) -> bool:
    """Whether no symbol occurs in the tree."""
    pending = [node]
    while pending:
        node = pending.pop()
        if type(node) is Symbol:
            return False
        if type(node) is Call:
            pending.extend(node.args)
    return True
