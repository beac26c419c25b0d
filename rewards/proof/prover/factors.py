"""Factors of polynomials modulo the relations of a field.

Letters: r is a generator with ``r^q = u``, such as a root, or a sine (``s^2 = 1 - c^2``). The
conjugate of ``a + b r`` with ``r^2 = u`` is ``a - b r``; the norm is the product. Five identities
find factors of a polynomial p modulo the relations.

- If u divides the terms of p without r, then ``p = r p'``.
- If the norm of a radicand divides p, then the radicand divides p. For example, ``1 - x`` is ``(1 -
  r)(1 + r)`` for ``r^2 = x``.
- If ``u = c h + w`` for a number c and a generator h, then h is ``(r^q - w)/c``, so that p becomes
  a polynomial in r.
- If the norm of ``p = a + b r`` is a square d^2, then ``p = (a + d + b r)^2 / (2 (a + d))``. Where
  a + d is a square, this denests roots of p.
- If the norm of p is a number or a radicand, a fixed order chooses p or the conjugate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from flint import fmpq
from flint.utils.flint_exceptions import DomainError

from .field import Field, Generator
from .quotients import UNIT, NotProvedError, Poly, is_factored_quickly, product

#: A number, and polynomials with exponents.
Factors = tuple[fmpq, list[tuple[Poly, fmpq]]]
#: A square root r, the conjugate a - b r of a polynomial a + b r, and the norm.
Norm = tuple[Generator, Poly, Poly]
#: Polynomials with more terms have no factors, and those of a higher degree are not divided. The
#: longest in tests/rewards/cases has 62 terms. FLINT factors 200 terms of degree 20 in 2 ms.
MAX_FACTOR_TERMS, MAX_DEGREE = 200, 1000
#: How often a root is denested (``(x + r)^8`` needs three times), and how often r is split off.
#: Answers in tests/rewards/cases need 1 and 12 times; a test of nested roots needs the depth 2.
MAX_DEPTH, MAX_ROUNDS = 4, 32


def factored(field: Field, poly: Poly, *, depth: int = MAX_DEPTH) -> Factors:
    """Factor a polynomial into a number and powers of monic polynomials."""
    if len(poly) > MAX_FACTOR_TERMS:
        raise NotProvedError("a polynomial that is too large to be factored")
    divides = poly.total_degree() <= MAX_DEGREE
    powers: dict[str, tuple[Poly, fmpq]] = {}

    def multiply(base: Poly, exponent: fmpq) -> None:
        powers[str(base)] = base, exponent + powers.get(str(base), (base, 0))[1]

    for r in field.related if divides else ():
        if r.order > 1 and not r.power.is_constant():
            poly, times = _without(poly, r)
            # Where a root is positive, its radicand has been a factor before there was the root.
            base, order = field.radicand(r)
            multiply(base.num, fmpq(times, order))
    arguments = _arguments(field) if divides and len(field.related) > 1 else []
    for factor, (_, conjugate, norm) in [(p, n) for p in arguments for n in norms(field, p)]:
        while not norm.is_constant():
            cofactor, remainder = divmod(poly, norm)
            if not remainder.is_zero():
                break
            poly = cofactor
            for p in (factor, conjugate):
                poly *= (lead := p.leading_coefficient())
                multiply(p / lead, UNIT)
    # Not factored, x^2000 - 1 is another polynomial than its factors, and proves less.
    expanded = _in_roots(field, poly) if divides else poly
    quick = is_factored_quickly(expanded)
    number, irreducible = expanded.factor() if quick else (UNIT, [(expanded, 1)])
    for factor, times in irreducible:
        base, e = field.reduce(factor, powers=False), int(times)
        of_base = list(norms(field, base)) if divides else []
        squares = _square(base, of_base) if depth else []
        for b, k in squares or _conjugate(field, base, of_base):
            c = b.leading_coefficient()
            c, new = factored(field, b, depth=depth - 1) if squares else (c, [(b / c, UNIT)])
            number *= c ** (k * e)
            for inner_base, exponent in new:
                multiply(inner_base, exponent * k * e)
    return number, [(base, e) for base, e in powers.values() if e and not base.is_one()]


def _arguments(field: Field) -> list[Poly]:
    """The numerators of the arguments of all roots and logarithms in the field."""
    return [g.args[0].num for g in field.generators if g.function in ("root", "ln")]


def _without(poly: Poly, g: Generator) -> tuple[Poly, int]:
    """Split off powers of r, and count them. With more than `MAX_ROUNDS`, split off none."""
    r, u = g.element.num, g.power
    content = int(poly.term_content().degrees()[g.at])
    quotient = poly / r**content if content else poly
    for times in range(MAX_ROUNDS):
        constant = quotient.subs({str(r): 0}) if quotient.degrees()[g.at] else quotient
        cofactor, remainder = divmod(constant, u)
        if not remainder.is_zero():
            return quotient, content + times
        quotient = (quotient - constant) / r + cofactor * r ** (g.order - 1)
    return poly, 0


def _in_roots(field: Field, poly: Poly) -> Poly:
    """Replace a generator h by ``(r^q - w)/c`` for each root r that occurs (third identity)."""
    variables, present = field.ring.variables, list(poly.degrees())
    images = list(variables)
    for r in reversed(field.related):
        u = r.power
        degrees = u.degrees() if r.order > 1 and present[r.at] else ()
        linear = (at for at, degree in enumerate(degrees) if degree == 1)
        at = next((at for at in linear if u.derivative(at).is_constant()), None)
        if at is not None and images[at] is variables[at]:
            c, present[at] = u.derivative(at).leading_coefficient(), 1
            images[at] = (images[r.at] ** r.order - (u - c * variables[at])) / c
    if len(poly) * max(map(len, images)) ** min(poly.total_degree(), 12) > 16 * MAX_FACTOR_TERMS:
        return poly
    return poly if images == list(variables) else poly.compose(*images)


def norms(field: Field, poly: Poly) -> Iterator[Norm]:
    """Yield each square root r of a polynomial ``a + b r``, with the conjugate and the norm."""
    degrees = poly.degrees()
    for r in field.related:
        if r.order == 2 and r.function != "i" and degrees[r.at] == 1:
            conjugate = poly - 2 * r.element.num * poly.derivative(r.at)
            with suppress(NotProvedError):  # the product is too large
                yield r, conjugate, field.reduce(product(poly, conjugate), powers=False)


def _square(poly: Poly, of_poly: list[Norm]) -> list[tuple[Poly, int]]:
    """Powers of two polynomials whose product is a + b r, if there are any (fourth identity)."""
    for _, conjugate, norm in of_poly:
        with suppress(NotProvedError, DomainError):
            root = norm.sqrt()
            for d in (root, -root):
                half = (poly + conjugate) / 2 + d
                if not half or not is_factored_quickly(half):
                    continue
                if all(e % 2 == 0 for _, e in half.factor_squarefree()[1]):
                    return [(half + (poly - conjugate) / 2, 2), (2 * half, -1)]
    return []


def _conjugate(field: Field, poly: Poly, of_poly: list[Norm]) -> list[tuple[Poly, int]]:
    """Powers with the product ``poly``: of the polynomial, or of a norm and the conjugate.

    For example, ``1/(sqrt(x^2 + 1) + x)`` replaces ``sqrt(x^2 + 1) - x`` (last identity).
    """
    monic = poly / poly.leading_coefficient()
    for _, conjugate, norm in of_poly:
        monic_conjugate = conjugate / conjugate.leading_coefficient()
        if norm and list(monic.coeffs()) < list(monic_conjugate.coeffs()):
            unit = norm / norm.leading_coefficient()
            if unit.is_one() or any(argument in (unit, -unit) for argument in _arguments(field)):
                return [(norm, 1), (conjugate, -1)]
    return [(poly, 1)]
