"""Proofs by Calcium that constants are zero, for cases that the field's relations do not show.

Calcium is software for exact numbers (Johansson, *Calcium: computing in exact real and complex
fields*, ISSAC 2021). If Calcium cannot decide, the constant does not count as zero.

Letters: a constant is a polynomial in generators that are numbers, such as ``sqrt(5 + 2 sqrt 6)``.
"""

from __future__ import annotations

from collections import defaultdict

from flint.types._gr import gr_complex_ca_ctx

from ....reading.expression.tree import Expression, Number
from ..field import Field
from ..quotients import MAX_GENERATORS, RING, ZERO, Poly, Quotient

#: Generators that Calcium has with the values that they have here.
_KNOWN = frozenset(("pi", "i", "root", "even root", "exp", "ln", "sin", "cos", "atan"))
_SIGNS = {"add": "+", "mul": "*", "div": "/", "pow": "^"}
#: Most terms and highest degree of a constant, and characters of its text: then Calcium takes less
#: than a second.
MAX_TERMS, MAX_DEGREE, MAX_TEXT = 12, 16, 300


def vanishes(field: Field, num: Poly, den: Poly) -> bool:
    """Whether all coefficients of ``num`` are proved zero, and one of ``den`` is proved nonzero."""
    numbers = 0  # a bit for each generator that is a constant number
    for g in field.generators:
        if g.kind != "symbol" and not any(field.support(arg) & ~numbers for arg in g.args):
            numbers |= 1 << g.index
    if not field.support(Quotient(num)) & numbers or len(num) > MAX_TERMS or len(den) > MAX_TERMS:
        return False
    numerators, denominators = (_coefficients(field, poly, numbers) for poly in (num, den))
    return all(is_zero(field, poly) for poly in numerators) and any(
        is_zero(field, poly) is False for poly in denominators
    )


def is_zero(field: Field, poly: Poly) -> bool | None:
    """Whether a polynomial in constant generators is zero, or None if Calcium cannot decide."""
    if poly.is_constant():
        return bool(poly.is_zero())
    element = Quotient(poly)
    if poly.total_degree() > MAX_DEGREE or not _is_known(field, element):
        return None
    text = _text(field.tree(element))
    if len(text) > MAX_TEXT:
        return None
    try:
        decided: bool | None = gr_complex_ca_ctx.new()(text).is_zero()
    except (ValueError, ArithmeticError):
        return None
    return decided


def _coefficients(field: Field, poly: Poly, numbers: int) -> list[Poly]:
    """The coefficients of a polynomial in the generators without a bit in ``numbers``."""
    polys: dict[tuple[int, ...], Poly] = defaultdict(lambda: ZERO.num)
    for powers, c in poly.terms():
        others = [e * (~numbers >> MAX_GENERATORS - 1 - at & 1) for at, e in enumerate(powers)]
        own = [e - k for e, k in zip(powers, others, strict=True)]
        polys[tuple(others)] += RING.from_dict({tuple(own): c})
    return list(polys.values())


def _is_known(field: Field, element: Quotient) -> bool:
    """Whether Calcium has the functions in an element, also in their arguments, with their values.

    Calcium has principal roots only. Real odd roots have other values.
    """
    return all(
        g.kind in _KNOWN and all(_is_known(field, arg) for arg in g.args)
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
