"""A proof that F' = f: both as elements of one differential field, in which they are equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flint import fmpq

from ..expression import Call, Expression
from . import special  # noqa: F401  (registers the rules of functions)
from .elements import Condition, RestartError, Sign, Translator
from .field import MAX_GENERATORS, SMALL, Field, NotProvedError, Quotient, TooManyGeneratorsError

#: Most attempts with finer and finer units of angles, exponents and roots.
MAX_RESTARTS = 8


@dataclass(frozen=True, slots=True)
class Proof:
    """F' = f holds wherever both are defined and ``conditions`` hold: signs of real expressions.

    ``rules`` names the functions and rewriting rules that were used; ``field``, ``terms`` (of F)
    and ``integrand`` are what a certificate is made of.
    """

    rules: tuple[str, ...]
    conditions: tuple[Condition, ...]
    field: Field
    terms: tuple[Quotient, ...]
    integrand: Quotient


def prove(
    answer: Expression,
    integrand: Expression,
    variable: str,
    kinds: Mapping[str, str],
    sign_of: Sign | None = None,
) -> Proof | None:
    """Prove that ``answer`` is an antiderivative of ``integrand``, or say nothing.

    Args:
        answer: F.
        integrand: f.
        variable: the variable.
        kinds: assumptions on the parameters; those without one are merely real.
        sign_of: the sign of a real expression at a point, or None where it is not known. It is
            asked only where the identity cannot be proved without, and not about parameters.

    Returns:
        The proof, or None if none was found, which says nothing.

    """
    for split in (False, True) if sign_of else (False,):
        units: dict[tuple[str, str, str], fmpq] = {}
        size = SMALL
        for _ in range(MAX_RESTARTS):
            translator = Translator(Field(size), variable, kinds, units, sign_of, split)
            try:
                proof = _attempt(translator, answer, integrand)
            except RestartError:
                continue
            except TooManyGeneratorsError:
                if size == MAX_GENERATORS:
                    break
                size = MAX_GENERATORS
                continue
            except NotProvedError:
                proof = None
            if proof is not None:
                return proof
            break
        if not translator.splittable:
            return None
    return None


def _attempt(translator: Translator, answer: Expression, integrand: Expression) -> Proof | None:
    base = translator.field
    f = translator.value(integrand)
    terms, total = [], -f
    for term in _terms(answer):
        value = translator.value(term)
        terms.append(value)
        total = total + base.derivative(value)
    if not _vanishes(base, total):
        return None
    conditions = tuple((base.tree(base.poly(poly)), sign) for poly, sign in translator.conditions)
    return Proof(tuple(sorted(translator.rules)), conditions, base, tuple(terms), f)


def _vanishes(base: Field, total: Quotient) -> bool:
    num = total.num
    if num.is_zero():
        return True
    # A high power as a common factor need not be expanded.
    num = num / num.term_content()
    if base.reduce(total.den).is_zero():
        return False
    return bool(base.reduce(num).is_zero())


def _terms(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Call) and node.function == "add":
        for arg in node.args:
            yield from _terms(arg)
    else:
        yield node
