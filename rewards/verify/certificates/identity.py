"""Proofs of F' = f as data, for the exact checker `rewards.verify.certificates.check`."""

from __future__ import annotations

from typing import Any

from ...proof.prover import Case, Proof
from ...proof.prover.field import Field, Generator
from ...proof.prover.quotients import NotProvedError, Poly, Quotient, gcd
from ...proof.prover.rules import constants
from ...reading.latex import to_latex

#: Most terms of the common denominator, which the checker multiplies term by term.
MAX_DENOMINATOR = 400


def certificate(proof: Proof) -> dict[str, Any]:
    """Convert a proof to a certificate that can be written as JSON.

    A polynomial is a list of terms ``[coefficient, [[generator, exponent], ...]]``. A fraction is a
    pair of polynomials. A generator is a symbol or a function in the proof, and has a number.
    Derivatives that the proof does not need are left out.

    Raises:
        NotProvedError: the certificate would be too large for the checker, which has no fast
            polynomials.

    """
    cases = [_case(case) for case in proof.cases]
    return {"kind": "identity", "version": 1, "rules": list(proof.rules), "cases": cases}


def _case(case: Case) -> dict[str, Any]:
    base = case.field
    needed = _needed(base, case.terms)
    slopes = {g.index: base.slope(g) for g in needed}
    summands = [(-case.integrand.num, case.integrand.den)]
    for term in case.terms:
        summands += _derivative(base, term, slopes)
    # The numerator of F' - f over the least common denominator has to be a sum of relations.
    denominator = base.ring.one.num
    for _, den in summands:
        denominator = denominator * (den / gcd(denominator, den))
    if len(denominator) > MAX_DENOMINATOR:
        raise NotProvedError("the common denominator is too large")
    total = base.ring.zero.num
    for num, den in summands:
        total = total + num * (denominator / den)
    cofactors, remainder = _cofactors(base, total)
    return {
        "conditions": [[to_latex(tree), sign] for tree, sign in case.conditions],
        "generators": [_generator(base, g, slopes.get(g.index)) for g in base.generators],
        "terms": [_fraction(base, term) for term in case.terms],
        "integrand": _fraction(base, case.integrand),
        "denominator": _rows(base, denominator),
        "cofactors": [_rows(base, cofactor) for cofactor in cofactors],
        "remainder": _rows(base, remainder),
    }


def _needed(base: Field, terms: tuple[Quotient, ...]) -> list[Generator]:
    """The symbols and functions that have to be differentiated to differentiate ``terms``."""
    needed: dict[int, Generator] = {}
    waiting = [g for term in terms for g in base.used(term)]
    while waiting:
        generator = waiting.pop()
        if generator.index not in needed:
            needed[generator.index] = generator
            for arg in generator.args:
                waiting += base.used(arg) if isinstance(arg, Quotient) else []
            if generator.relation is not None:
                waiting += base.used(Quotient(generator.relation))
    return [needed[i] for i in sorted(needed)]


def _derivative(
    base: Field, term: Quotient, slopes: dict[int, Quotient]
) -> list[tuple[Poly, Poly]]:
    """The fractions whose sum is the derivative of a term, in the order in which they are added."""
    summands = []
    for g in base.used(term):
        at = g.at
        upper, lower = term.num.derivative(at), term.den.derivative(at)
        slope, den = slopes[g.index], term.den
        if not lower.is_zero():
            upper, den = upper * term.den - term.num * lower, den * den
        if not (upper.is_zero() or slope.is_zero()):
            summands.append((upper * slope.num, den * slope.den))
    return summands


def _cofactors(base: Field, total: Poly) -> tuple[list[Poly], Poly]:
    """Divide a polynomial by relations, which are polynomials whose value is zero.

    The result is the list of the quotients (cofactors) and the remainder. The coefficients of the
    remainder are numbers that are proved to be zero. The remainder is therefore zero, although this
    does not follow from the relations.

    Raises:
        NotProvedError: the remainder is not proved to be zero.

    """
    related = [g for g in base.generators if g.relation is not None]
    cofactors = [base.ring.zero.num] * len(related)

    def divide(poly: Poly, least: int) -> Poly:
        """Divide a polynomial by the relations g^n = .. with n >= ``least``, for generators g.

        The polynomial's monomial factor is set aside during the division. The result is the
        remainder.
        """
        content = base.ring.one.num if poly.is_zero() else poly.term_content()
        remainder = poly / content
        for at in reversed(range(len(related))):
            if related[at].order >= least:
                cofactor, remainder = divmod(remainder, related[at].relation)
                cofactors[at] += cofactor * content
        return remainder * content

    remainder = divide(divide(total, 2), 1)
    if not (remainder.is_zero() or constants.vanishes(base, remainder, base.ring.one.num)):
        raise NotProvedError("the remainder modulo the relations is not zero")
    return cofactors, remainder


def _generator(base: Field, g: Generator, slope: Quotient | None) -> dict[str, Any]:
    variable = g.function == "symbol" and g.slope_rule is not None
    args = [arg for arg in g.args if isinstance(arg, Quotient)]
    return {
        "function": "variable" if variable else g.function,
        "meaning": to_latex(base.written(g)),
        "args": [_fraction(base, arg) for arg in args],
        "unit": f"1/{g.order}" if "root" in g.function else "1",
        "partner": g.partner.index if g.partner else None,
        "derivative": None if slope is None else _fraction(base, slope),
    }


def _fraction(base: Field, element: Quotient) -> list[Any]:
    return [_rows(base, element.num), _rows(base, element.den)]


def _rows(base: Field, poly: Poly) -> list[Any]:
    return [
        [
            str(c),
            [[base.ring.size - 1 - at, int(e)] for at, e in reversed([*enumerate(powers)]) if e],
        ]
        for powers, c in poly.terms()
    ]
