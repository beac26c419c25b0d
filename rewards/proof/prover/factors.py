"""Factors of polynomials modulo the relations of a field.

Letters: r is a generator with the relation ``r^q = u``, such as a root, or a sine (``s^2 = 1 -
c^2``). A polynomial modulo the relations may have factors that are not factors of the polynomial.
The module finds such factors of a polynomial p by five identities, which hold in every ring.

- If u divides the terms of p without r, then ``p = r p'``.
- A radicand ``a + b r`` with ``r^2 = u`` has the norm ``a^2 - b^2 u``. If the norm divides p, then
  the radicand divides p. For example, ``1 - x`` is ``(1 - r)(1 + r)`` for ``r^2 = x``.
- If ``u = c h + w`` for a number c and a generator h, then h is ``(r^q - w)/c``, so that p becomes
  a polynomial in r.
- If ``p = a + b r`` with ``r^2 = u`` and a square ``d^2 = a^2 - b^2 u``, then
  ``p = (a + d + b r)^2 / (2 (a + d))``. Where a + d is a square, this denests roots of p.
- If the product of ``p = a + b r`` and its conjugate ``a - b r`` is a number, a fixed order chooses
  p or the conjugate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from flint import fmpq
from flint.utils.flint_exceptions import DomainError

from .field import Field, Generator
from .quotients import UNIT, NotProvedError, Poly, TooLargeError, is_factored_quickly, product

#: A number, and polynomials with exponents.
Factors = tuple[fmpq, list[tuple[Poly, fmpq]]]
#: Polynomials with more terms have no factors, and those of a higher degree are not divided. Of
#: 4649 answers in tests/rewards/cases the longest polynomial has 62 terms, and no proof of every
#: second answer changes with the degree 20. FLINT factors 200 terms of degree 20 in 2 ms.
MAX_FACTOR_TERMS, MAX_DEGREE = 200, 1000
#: How often a root is denested (``(x + r)^8`` needs three times), and how often r is split off.
#: These answers need 1 and 12 times, and no proof changes with half or twice as many. A test of
#: nested roots needs the depth 2.
MAX_DEPTH, MAX_ROUNDS = 4, 32


def factored(field: Field, poly: Poly, *, depth: int = MAX_DEPTH) -> Factors:
    """Factor a polynomial into a number and powers of monic polynomials.

    Raises:
        TooLargeError: the polynomial has too many terms.

    """
    if len(poly) > MAX_FACTOR_TERMS:
        raise TooLargeError("a polynomial that is too large to be factored")
    divides = poly.total_degree() <= MAX_DEGREE
    roots, powers = _roots(field) if divides else [], Powers()
    for r in roots:
        poly, times = _without(poly, r)
        # Where a root is positive, its radicand has been a factor before there was the root.
        base, unit = (r.args[0].num, r.unit) if r.kind == "root" else (r.element.num, UNIT)
        powers.multiply(base, unit * times)
    for factor, conjugate, norm in _nested(field) if divides else ():
        cofactor, remainder = divmod(poly, norm)
        while remainder.is_zero():
            poly = cofactor * factor.leading_coefficient() * conjugate.leading_coefficient()
            for p in (factor, conjugate):
                powers.multiply(p / p.leading_coefficient(), UNIT)
            cofactor, remainder = divmod(poly, norm)
    # Not factored, x^2000 - 1 is another polynomial than its factors, and proves less.
    expanded = _in_roots(field, poly, roots)
    quick = is_factored_quickly(expanded)
    number, irreducible = expanded.factor() if quick else (UNIT, [(expanded, 1)])
    for factor, times in irreducible:
        base, e = field.reduce(factor, powers=False), int(times)
        square = _square(field, base) if depth and divides else None
        if square is not None:
            for part, k in square:
                c, parts = factored(field, part, depth=depth - 1)
                number *= c ** (k * e)
                for inner, exponent in parts:
                    powers.multiply(inner, exponent * k * e)
            continue
        lead = base.leading_coefficient()
        base, number = base / lead, number * lead**e
        chosen = _conjugate(field, base)
        if chosen is not None:
            base, norm = chosen
            lead, e = norm.leading_coefficient(), -e
            number /= lead**e
            powers.multiply(norm / lead, fmpq(-e))
        powers.multiply(base, fmpq(e))
    return number, [(base, exponent) for base, exponent in powers if exponent]


class Powers(list[tuple[Poly, fmpq]]):
    """A product of powers with distinct bases."""

    def multiply(self, base: Poly, exponent: fmpq) -> None:
        """Multiply by a power."""
        for at, (earlier, times) in enumerate(self):
            if earlier == base:
                self[at] = base, times + exponent
                return
        if exponent and not base.is_one():
            self.append((base, exponent))


def _u(g: Generator) -> Poly:
    return g.element.num**g.order - g.relation


def _without(poly: Poly, g: Generator) -> tuple[Poly, int]:
    """Divide a polynomial by r as often as possible; return the quotient and the number of times.

    If this number may be large, the result is the polynomial itself and 0.
    """
    r, u = g.element.num, _u(g)
    content = int(poly.term_content().degrees()[r.degrees().index(1)])
    rest, name = poly / r**content, str(r)
    for times in range(MAX_ROUNDS):
        constant = rest.subs({name: 0})
        cofactor, remainder = divmod(constant, u)
        if not remainder.is_zero():
            return rest, content + times
        rest = (rest - constant) / r + cofactor * r ** (g.order - 1)
    return poly, 0


def _known(field: Field) -> list[Poly]:
    """The numerators of the arguments of all roots and logarithms in the field."""
    return [g.args[0].num for g in field.generators if g.kind in ("root", "ln")]


def _nested(field: Field) -> Iterator[tuple[Poly, Poly, Poly]]:
    """Yield each polynomial of `_known` with a square root, its conjugate, and its norm."""
    for poly in _known(field) if len(field.related) > 1 else ():
        for _, conjugate in conjugates(field, poly):
            with suppress(NotProvedError):  # the product is too large
                norm = field.reduce(product(poly, conjugate), powers=False)
                if not norm.is_constant():
                    yield poly, conjugate, norm


def _in_roots(field: Field, poly: Poly, roots: list[Generator]) -> Poly:
    """Replace a generator h by ``(r^q - w)/c`` for each root r (third way of the module).

    If r does not occur in the polynomial, r replaces nothing.
    """
    images, degrees = list(field.ring.gens()), poly.degrees()
    for r in roots:
        u = _u(r)
        slopes = [u.derivative(at) if degree == 1 else u for at, degree in enumerate(u.degrees())]
        at = next((at for at, slope in enumerate(slopes) if slope.is_constant()), None)
        if at is not None and len(images[at]) == 1 and degrees[field.size - 1 - r.index]:
            h, c = images[at], slopes[at].leading_coefficient()
            images[at] = (r.element.num**r.order - (u - c * h)) / c
    if len(poly) * max(map(len, images)) ** min(poly.total_degree(), 12) > 16 * MAX_FACTOR_TERMS:
        return poly
    return poly.compose(*images)


def _square(field: Field, poly: Poly) -> list[tuple[Poly, int]] | None:
    """Factor a polynomial a + b r into powers of two polynomials (fourth way of the module).

    If this is not possible, the result is None.
    """
    for _, conjugate in conjugates(field, poly):
        with suppress(NotProvedError, DomainError):
            root = field.reduce(product(poly, conjugate), powers=False).sqrt()
            for d in (root, -root):
                half = (poly + conjugate) / 2 + d
                if _is_square(field, half):
                    return [(half + (poly - conjugate) / 2, 2), (2 * half, -1)]
    return None


def _is_square(field: Field, poly: Poly) -> bool:
    """Whether a polynomial is a number times a square."""
    if poly.is_zero():
        return False
    for g in _roots(field):
        poly, times = _without(poly, g)
        if times % 2:
            return False
    return is_factored_quickly(poly) and all(e % 2 == 0 for _, e in poly.factor_squarefree()[1])


def _roots(field: Field) -> list[Generator]:
    return [g for g in field.related if g.order > 1 and not _u(g).is_constant()]


def _conjugate(field: Field, poly: Poly) -> tuple[Poly, Poly] | None:
    """The conjugate ``a - b r`` that replaces ``a + b r``, and the product of the two.

    Here r is a square root. The product must be a number or a polynomial of `_known`. Then the
    polynomial can be written in terms of its conjugate. For example, ``sqrt(x^2 + 1) - x`` is
    ``1/(sqrt(x^2 + 1) + x)``. A fixed order selects either the polynomial or its conjugate. Both
    therefore lead to the same factor. The result is None if the order selects ``poly`` itself, or
    if the product has another form.
    """
    for _, conjugate in conjugates(field, poly):
        conjugate = conjugate / conjugate.leading_coefficient()
        if list(poly.coeffs()) < list(conjugate.coeffs()):
            with suppress(NotProvedError):  # the product is too large
                norm = field.reduce(product(poly, conjugate), powers=False)
                monic = norm / norm.leading_coefficient() if norm else norm
                if monic.is_one() or any(known in (monic, -monic) for known in _known(field)):
                    return conjugate, norm
    return None


def conjugates(field: Field, poly: Poly) -> Iterator[tuple[Generator, Poly]]:
    """Yield r and the conjugate ``a - b r`` for each square root r in a polynomial ``a + b r``."""
    degrees = poly.degrees()
    for generator in field.related:
        index = field.size - 1 - generator.index
        if generator.order == 2 and generator.kind != "i" and degrees[index] == 1:
            yield generator, poly - 2 * field.variables[generator.index] * poly.derivative(index)
