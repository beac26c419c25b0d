"""Signs of real elements.

A sign follows from coefficients and exponents, or from other signs. The sign of a constant is
computed. Otherwise the present case (`tower`) assumes a sign.
"""

from __future__ import annotations

from flint import acb

from ....numeric.ball_arithmetic.balls import precision
from ....numeric.ball_arithmetic.compiler import compile_tape
from ....reading.expression.traversal import needs_worker, symbols_of
from ....reading.expression.tree import Expression
from ..factors import norms
from ..quotients import MAX_DIVIDED_DEGREE, NotProvedError, Poly, Quotient
from ..tower import Tower

#: Most signs that one case fixes, and bits with which the sign of a constant is computed.
MAX_CONDITIONS, SIGN_BITS = 5, 256
#: Most terms of a polynomial whose norm is computed, and how often a norm of a norm is. Without a
#: bound, the search has taken minutes; no proof of the tests' corpora needs it more than once.
MAX_TERMS, MAX_NORMS = 32, 2


def sign(t: Tower, poly: Poly) -> int | None:
    """The sign of a polynomial, or None if the polynomial is zero or its sign is unknown."""
    base = t.field
    if poly.is_zero():
        return None
    content = poly.term_content()
    if content.total_degree() > 1 and base.is_real(Quotient(content)):
        poly = poly / poly.context().term(exp_vec=tuple(d // 2 * 2 for d in content.degrees()))
    if (implied := _known_sign(t, poly)) is not None:
        return implied
    for assumed, _, chosen in t.conditions:
        if t.split and poly.total_degree() <= MAX_DIVIDED_DEGREE:
            cofactor, remainder = divmod(poly, assumed)
            if remainder.is_zero():
                cofactor_sign = sign(t, cofactor)
                return None if cofactor_sign is None else cofactor_sign * chosen
    t.splittable = True
    lead = poly.leading_coefficient()
    if not t.split or not base.is_real(Quotient(poly)):
        return None
    monic = poly / lead
    tree = base.tree(Quotient(monic))
    if symbols_of(tree):
        if len(t.conditions) >= MAX_CONDITIONS:
            raise NotProvedError("too many signs")
        chosen = next((s for assumed, s in t.case if assumed == tree), 1)
        t.conditions.append((monic, tree, chosen))
    else:
        chosen = _constant_sign(tree)
    return chosen if lead > 0 else -chosen


def _known_sign(t: Tower, poly: Poly, depth: int = MAX_NORMS) -> int | None:
    """The sign of a polynomial, if known without a new assumption."""
    base = t.field
    is_positive = base.is_nonnegative if t.split else base.is_positive
    for s, candidate in ((1, poly), (-1, -poly)):
        if is_positive(Quotient(candidate)):
            return s
        for assumed, _, chosen in t.conditions:
            least = assumed * chosen
            if candidate == least or base.is_positive(Quotient(candidate - least)):
                return s
    if not (t.split and depth and len(poly) <= MAX_TERMS and base.is_real(Quotient(poly))):
        return None
    for r, conjugate, norm in norms(base, poly):  # the sign of a + b r from a^2 - b^2 r^2
        base.spend(Quotient(norm))
        larger = None if norm.is_zero() else _known_sign(t, norm, depth - 1)
        if larger == 1:
            return _known_sign(t, poly + conjugate, depth - 1)
        if larger == -1 and base.positive >> r.index & 1:
            return _known_sign(t, (poly - conjugate) / r.element.num, depth - 1)
    return None


def known_sign(t: Tower, element: Quotient) -> int | None:
    """The sign of a nonzero real element, if known without a new assumption."""
    num_sign, den_sign = _known_sign(t, element.num), _known_sign(t, element.den)
    return num_sign * den_sign if num_sign and den_sign else None


def require_sign(t: Tower, element: Quotient) -> int:
    """Find the sign of an element, for a proof that cannot continue without this sign."""
    element = t.field.normal(element)
    if any(generator.function in ("floor", "ceil") for generator in t.field.used(element)):
        raise NotProvedError("what may be zero on an interval")
    num_sign, den_sign = sign(t, element.num), sign(t, element.den)
    if num_sign and den_sign:
        return num_sign * den_sign
    raise NotProvedError("a sign that is not known")


def require_positive(t: Tower, chosen: int, element: Quotient) -> None:
    """Abandon the assumed signs if a part of the integrand must be positive and is negative."""
    if chosen < 0 and t.field.real_parts and not t.field.is_constant(element):
        t.nowhere = True
        raise NotProvedError("no real value under these signs")


def take_for_real(t: Tower, element: Quotient) -> None:
    """Record that a part ``g a`` or ``a/g`` of f is real. If a is real, then g is real, too."""
    support = t.field.support(element) & t.field.unreal
    for g in t.field.used(element) if support else ():
        cofactors = (element / g.element, element * g.element)
        if g.element.support == support and any(map(t.field.is_real, cofactors)):
            t.field.unreal &= ~support


def _constant_sign(tree: Expression) -> int:
    """The sign of a real constant, from an interval of its values that excludes zero."""
    if needs_worker(tree):
        raise NotProvedError("a constant that may take long")
    with precision(SIGN_BITS):
        tape = compile_tape(tree, "x")
        value = tape.run(acb(0), {}, derivative=False)[tape.root][0].real
    if value.contains(0):
        raise NotProvedError("a constant whose sign cannot be told")
    return 1 if value > 0 else -1
