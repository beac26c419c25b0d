"""Normal forms: an expression is converted to an element of a differential field and back.

Where a function has no rule, or a budget is spent, nothing is returned. The variable is real, and
so are parameters without an assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from ...reading.expression.build import power, product
from ...reading.expression.tree import Call, Expression, Number
from .field import Field
from .quotients import NotProvedError, Poly, Quotient, is_factored_quickly
from .tower import attempted

#: Polynomials are factored up to this number of terms, and this total degree. Of 4649 answers in
#: tests/rewards/cases the longest has 14 terms. FLINT factors a product with such bounds in 2 ms.
MAX_TERMS, MAX_DEGREE = 60, 60


def normal_forms(
    expression: Expression, variable: str, assumptions: Mapping[str, str]
) -> list[Expression]:
    """An expression as a quotient of expanded polynomials in exponentials, sines, roots, ...

    If the polynomials are small, a second form has factored polynomials.
    """
    with suppress(NotProvedError):
        field, value = element(expression, variable, assumptions)
        trees = [field.tree(value)]
        if is_small(value):
            trees.append(Call("div", (_factored(field, value.num), _factored(field, value.den))))
        return trees
    return []


def element(
    expression: Expression, variable: str, assumptions: Mapping[str, str] | None = None
) -> tuple[Field, Quotient]:
    """A differential field, and an expression's value in the field.

    Raises:
        NotProvedError: the field has no such value.

    """
    state = {"variable": variable, "assumptions": assumptions or {}}
    tower, value = attempted(lambda t: t.field.normal(t.value(expression)), **state)
    if value is None:
        raise NotProvedError("no element of a field")
    return tower.field, value


def is_small(value: Quotient) -> bool:
    """Whether the numerator and the denominator are factored quickly."""
    return all(
        len(p) == 1
        or (len(p) <= MAX_TERMS and p.total_degree() <= MAX_DEGREE and is_factored_quickly(p))
        for p in (value.num, value.den)
    )


def _factored(field: Field, poly: Poly) -> Expression:
    number, factors = (0, []) if poly.is_zero() else poly.factor()
    powers = [power(field.tree(Quotient(factor)), Number(int(e))) for factor, e in factors]
    return product([field.tree(field.ring.one * number), *powers])
