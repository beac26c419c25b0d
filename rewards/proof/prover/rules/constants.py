"""Proofs by Calcium that constants are zero, for cases that the field's relations do not show.

Calcium is software for exact numbers (Johansson, *Calcium: computing in exact real and complex
fields*, ISSAC 2021). A constant of which Calcium cannot decide does not count as zero.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from functools import partial

from flint.types._gr import gr_complex_ca_ctx

from ....reading.expression.tree import Expression, Number
from ..field import Field
from ..quotients import Poly, Quotient

#: Generators that Calcium has with the values that they have here.
_OF_CALCIUM = frozenset(("pi", "i", "root", "even root", "exp", "ln", "sin", "cos", "atan"))
_SIGNS = {"add": "+", "mul": "*", "div": "/", "pow": "^"}
#: Most terms and highest degree of a constant, and characters of its text: then Calcium takes less
#: than a second.
MAX_TERMS, MAX_DEGREE, MAX_TEXT = 12, 16, 300


def vanishes(field: Field, num: Poly, den: Poly) -> bool:
    """Whether all coefficients of ``num`` are proved zero, and one of ``den`` nonzero."""
    numbers = 0  # a bit for each generator that is a constant number
    for g in field.generators:
        if g.function != "symbol" and not any(field.support(arg) & ~numbers for arg in g.args):
            numbers |= 1 << g.index
    if not field.support(Quotient(num)) & numbers or len(num) > MAX_TERMS or len(den) > MAX_TERMS:
        return False
    of_num, of_den = (map(partial(is_zero, field), _coefficients(p, numbers)) for p in (num, den))
    return all(of_num) and False in of_den


def is_zero(field: Field, poly: Poly) -> bool | None:
    """Whether a polynomial in constant generators is zero, or None if Calcium cannot decide."""
    if poly.is_constant():
        return bool(poly.is_zero())
    element = Quotient(poly)
    if poly.total_degree() > MAX_DEGREE or not _is_in_calcium(field, element):
        return None
    text = _text(field.tree(element))
    if len(text) > MAX_TEXT:
        return None
    with suppress(ValueError, ArithmeticError):
        return gr_complex_ca_ctx.new()(text).is_zero()  # type: ignore[no-any-return]
    return None


def _coefficients(poly: Poly, numbers: int) -> list[Poly]:
    """The coefficients of a polynomial in the generators without a bit in ``numbers``."""
    ring = poly.context()
    polys: dict[tuple[int, ...], Poly] = defaultdict(lambda: ring.constant(0))
    for powers, c in poly.terms():
        monomial = tuple(e * (~numbers >> ring.nvars() - 1 - at & 1) for at, e in enumerate(powers))
        polys[monomial] += ring.term(c, powers) / ring.term(exp_vec=monomial)
    return list(polys.values())


def _is_in_calcium(field: Field, element: Quotient) -> bool:
    """Whether Calcium has all functions in an element. Calcium has no real odd roots."""
    return all(
        g.function in _OF_CALCIUM and all(_is_in_calcium(field, arg) for arg in g.args)
        for g in field.used(element)
    )


def _text(node: Expression) -> str:
    """Write an expression in Calcium's notation."""
    if type(node) is Number:
        return f"({node.numerator}/{node.denominator})"
    args = [_text(arg) for arg in node.args]
    if node.function in _SIGNS:
        return f"({_SIGNS[node.function].join(args)})"
    name = "log" if node.function == "ln" else node.function
    return f"{name}({args[0]})" if args else name
