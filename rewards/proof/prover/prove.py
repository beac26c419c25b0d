"""A proof that F' = f: both sides are equal elements of a differential field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...reading.expression.traversal import all_nodes, fold, is_written_with
from ...reading.expression.tree import Expression, Symbol
from ...reading.functions import names
from ...reading.functions.record import LOGARITHM
from .field import Field
from .quotients import NotProvedError, Poly, Quotient
from .rules import constants
from .tower import Signs, Tower, attempted

#: Most cases of signs.
MAX_CASES = 24


@dataclass(frozen=True, slots=True)
class Case:
    """A proof of F' = f in a differential field, where both are defined, for some signs.

    Attributes:
        conditions: the signs that expressions have.
        field: the differential field.
        terms: elements whose sum is F without its constants of integration.
        integrand: f.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> answer, integrand = (read(text)[0].expression for text in ("x^2", "2x"))
    >>> len(prove(answer, integrand, "x", {}).cases[0].terms)
    1

    """

    conditions: Signs
    field: Field
    terms: tuple[Quotient, ...]
    integrand: Quotient


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that F' = f at all points where both are defined, except at isolated points.

    The exceptions are zeros of conditions, and breakpoints of functions such as ``|x|``.

    Attributes:
        rules: the functions and the rewriting rules that were used.
        cases: cases of signs. Together they cover all real points at which f is real.

    >>> Proof(rules=("cos",), cases=()).rules
    ('cos',)

    """

    rules: tuple[str, ...]
    cases: tuple[Case, ...]

    def free(self) -> None:
        """Break cycles of references. No certificate can be made afterwards."""
        for case in self.cases:
            case.field.free()


def prove(
    answer: Expression,
    integrand: Expression,
    variable: str,
    assumptions: Mapping[str, str],
    *,
    real_parts: bool = True,
    real_roots: bool = True,
) -> Proof | None:
    r"""Try to prove that ``answer`` is an antiderivative of ``integrand``.

    Args:
        answer: F.
        integrand: f.
        variable: the variable, which is real.
        assumptions: assumptions on the parameters. A parameter without an assumption is real.
        real_parts: whether to ignore points at which a radical or logarithm of f is not real.
        real_roots: whether odd roots of negative numbers are real. If not, they are principal.

    Returns:
        The proof, or None if no proof was found. In this case the answer may be right or wrong.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> answer, integrand = (read(text)[0].expression for text in (r"\sin(x)^2", r"\sin(2x)"))
    >>> prove(answer, integrand, "x", {}) is not None
    True

    """
    search = ProofSearch(answer, integrand, variable, assumptions, real_parts, real_roots)
    return search.whole or search.in_cases


@dataclass
class ProofSearch:
    """The search for a proof, first without cases of signs, then with cases (see `prove`).

    Each search runs when the result is first read; the search with cases takes long.
    """

    answer: Expression
    integrand: Expression
    variable: str
    assumptions: Mapping[str, str]
    real_parts: bool = True
    real_roots: bool = True
    units: list[Any] = field(default_factory=list)

    @cached_property
    def _first(self) -> tuple[Tower, Case | None]:
        return self._attempt()

    @property
    def whole(self) -> Proof | None:
        """The proof without cases of signs, if this proof was found."""
        tower, case = self._first
        return Proof(tuple(sorted(tower.rules)), (case,)) if case else None

    @property
    def is_splittable(self) -> bool:
        """Whether no proof without cases was found, and a proof by cases of signs may exist."""
        return self._first[0].splittable and not self._first[1]

    @cached_property
    def in_cases(self) -> Proof | None:
        """The proof by cases of signs, or None if no proof was found."""
        rules, proved = set[str](), list[Case]()
        waiting: list[Signs] = [()] if self.is_splittable else []
        for _ in range(MAX_CASES):
            if not waiting:
                break
            signs = waiting.pop()
            tower, case = self._attempt(split=True, case=signs)
            # What was requested beyond ``signs`` was positive; these are the other cases.
            new = tuple(condition for condition in tower.signs if condition not in signs)
            waiting += [(*signs, *new[:i], (tree, -sign)) for i, (tree, sign) in enumerate(new)]
            if case is not None:
                proved.append(case)
                rules |= tower.rules
            elif not tower.nowhere:
                return None
        return None if waiting or not proved else Proof(tuple(sorted(rules)), tuple(proved))

    def _attempt(self, **state: Any) -> tuple[Tower, Case | None]:
        """Try to prove F' = f. The results are the last tower, and the proved case."""
        state |= {"variable": self.variable, "assumptions": self.assumptions, "units": self.units}
        return attempted(self._equal, principal_roots=not self.real_roots, **state)

    def _equal(self, tower: Tower) -> Case:
        base = tower.field
        if self.real_parts and not tower.split and _is_for_positive(self.integrand, self.variable):
            x = tower.symbol(self.variable)
            base.positive |= x.support
            tower.conditions.append((x.num, Symbol(self.variable), 1))
        base.real_parts = self.real_parts
        f = tower.value(self.integrand)
        base.real_parts = False
        terms = [
            tower.value(term)
            for term in (self.answer.args if self.answer.function == "add" else (self.answer,))
            if type(term) is not Symbol or term.name == self.variable  # else a constant
        ]
        if tower.is_coarse:
            raise NotProvedError("another tower will have finer units")
        total = -f
        for term in terms:
            total = total.add(base.derivative(term), lowest=False)
        if not _vanishes(tower, total):
            raise NotProvedError("a difference that is not zero")
        return Case(tower.signs, base, tuple(terms), f)


_PARTIAL = names(lambda function: function.branch == LOGARITHM) | {"sqrt", "pow", "root"}


def _is_for_positive(integrand: Expression, variable: str) -> bool:
    """Whether a part of the integrand, such as sqrt(x) or ln(x), is real for x > 0 only."""
    x = Symbol(variable)
    for node in all_nodes(integrand):
        if node.function in _PARTIAL and node.args[0] == x:
            ratio = fold(node.args[1]) if node.function in ("pow", "root") else Fraction(1, 2)
            if ratio and (1 / ratio if node.function == "root" else ratio).denominator % 2 == 0:
                # Where there are cases, that part may apply for x > 0 only.
                return not is_written_with(integrand, "piecewise")
    return False


def _vanishes(tower: Tower, total: Quotient) -> bool:
    base = tower.field
    if total.is_zero():
        return True
    den = base.reduce(_without_content(total.den))
    short = base.reduce(_without_content(total.num), powers=False)
    num = base.reduce(_without_content(short))
    if den.is_zero() or num.is_zero():
        return not den.is_zero()
    tower.rules.add("constants")
    return constants.vanishes(base, num, den)


def _without_content(poly: Poly) -> Poly:
    """The polynomial divided by the monomial factor, a high power of which makes a test slow."""
    content = poly.term_content()
    return poly if poly.is_zero() or content.is_one() else poly / content
