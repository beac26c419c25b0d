"""A proof that F' = f: both sides are equal elements of a differential field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from ...reading.expression.traversal import is_written_with
from ...reading.expression.tree import Expression, Symbol
from ...reading.functions import names
from ...reading.functions.record import LOGARITHM
from .field import Field
from .quotients import NotProvedError, Poly, Quotient
from .reading import RADICAL, ArgumentReading, as_power
from .rules import constants
from .rules.signs import leave_out_negative
from .tower import NowhereError, Signs, Tower

#: Most cases of signs.
MAX_CASES = 24


@dataclass(frozen=True, slots=True)
class Case:
    """A proof of F' = f in a differential field, under conditions on signs.

    The identity holds wherever F and f are defined and the expressions in ``conditions`` have the
    signs that are given there.

    Attributes:
        conditions: the signs of expressions.
        field: the differential field.
        terms: elements that add up to F without its constants of integration.
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

    The isolated points are of two kinds. An expression in a condition may be zero there, or a
    function that is not analytic, such as ``|x|``, may have a breakpoint there.

    Attributes:
        rules: the functions and the rewriting rules that were used.
        cases: the cases of signs in which F' = f was proved. Together they cover all real points at
            which f is real.

    >>> Proof(rules=("cos",), cases=()).rules
    ('cos',)

    """

    rules: tuple[str, ...]
    cases: tuple[Case, ...]

    def free(self) -> None:
        """Break cycles of references, so that the memory of the proof is freed.

        No certificate can be made afterwards.
        """
        for case in self.cases:
            case.field.free()


def prove(
    answer: Expression,
    integrand: Expression,
    variable: str,
    kinds: Mapping[str, str],
    *,
    real_parts: bool = True,
    real_roots: bool = True,
) -> Proof | None:
    r"""Try to prove that ``answer`` is an antiderivative of ``integrand``.

    Args:
        answer: F.
        integrand: f.
        variable: the variable, which is real.
        kinds: assumptions on the parameters. A parameter without an assumption is real.
        real_parts: whether to ignore points at which a radical or logarithm of f is not real.
        real_roots: whether odd roots of negative numbers are real. If not, they are principal.

    Returns:
        The proof, or None if no proof was found. In this case the answer may be right or wrong.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> answer, integrand = (read(text)[0].expression for text in (r"\sin(x)^2", r"\sin(2x)"))
    >>> prove(answer, integrand, "x", {}) is not None
    True

    """
    search = ProofSearch(
        answer, integrand, variable, kinds, real_parts=real_parts, real_roots=real_roots
    )
    return search.whole() or search.in_cases()


class ProofSearch:
    """The search for a proof, first without cases of signs, then with cases.

    In a case, certain expressions are positive and others are negative. The search with cases takes
    long. Each of the two searches runs at most once. See `prove` for the arguments.
    """

    def __init__(
        self,
        answer: Expression,
        integrand: Expression,
        variable: str,
        kinds: Mapping[str, str],
        *,
        real_parts: bool = True,
        real_roots: bool = True,
    ) -> None:
        reading = ArgumentReading(answer, integrand, len(kinds))
        self._attempt = partial(
            _attempt, reading, variable, kinds, real_parts, principal_roots=not real_roots
        )

    def whole(self) -> Proof | None:
        """The proof without cases of signs, or None if none was found."""
        return self._whole[0]

    @property
    def is_splittable(self) -> bool:
        """Whether the proof without cases failed, and a proof by cases of signs may succeed."""
        proof, is_splittable = self._whole
        return proof is None and is_splittable

    def in_cases(self) -> Proof | None:
        """The proof by cases of signs. If no proof was found, the result is None.

        Each case assumes a sign for every expression whose sign a rule needs to know.
        """
        return self._in_cases if self.is_splittable else None

    @cached_property
    def _whole(self) -> tuple[Proof | None, bool]:
        tower, case = self._attempt()
        return Proof(tuple(sorted(tower.rules)), (case,)) if case else None, tower.splittable

    @cached_property
    def _in_cases(self) -> Proof | None:
        rules: set[str] = set()
        proved: list[Case] = []
        waiting: list[Signs] = [()]
        for _ in range(MAX_CASES):
            if not waiting:
                break
            signs = waiting.pop()
            tower, case = self._attempt(split=True, case=signs)
            # What was asked for beyond ``signs`` was positive; these are the cases where it is not.
            new = tuple(condition for condition in tower.signs if condition not in signs)
            waiting += [(*signs, *new[:i], (tree, -sign)) for i, (tree, sign) in enumerate(new)]
            if tower.nowhere:
                continue
            if case is None:
                return None
            proved.append(case)
            rules |= tower.rules
        return None if waiting or not proved else Proof(tuple(sorted(rules)), tuple(proved))


def _attempt(
    reading: ArgumentReading,
    variable: str,
    kinds: Mapping[str, str],
    real_parts: bool,
    *,
    principal_roots: bool,
    split: bool = False,
    case: Signs = (),
) -> tuple[Tower, Case | None]:
    """Try to prove F' = f in a case, which assumes signs of expressions.

    The result has two entries: the `Tower` of the attempt, and the `Case` that was proved. The
    second entry is None if the proof fails.
    """
    field = Field(reading.split_size if split else reading.size)
    tower = Tower(field, variable, kinds, split, case, principal_roots=principal_roots)
    try:
        return tower, _equal(tower, reading, real_parts)
    except NowhereError:
        tower.nowhere = True
    except NotProvedError:
        pass
    return tower, None


def _equal(tower: Tower, reading: ArgumentReading, real_parts: bool) -> Case | None:
    base = tower.field
    if real_parts and not tower.split and _is_for_positive(reading, tower.variable):
        leave_out_negative(tower)
    reading.note(tower, real_parts=real_parts)
    tower.real_parts = real_parts
    f = tower.value(reading.integrand)
    tower.real_parts = False
    terms: list[Quotient] = []
    total = -f
    for term in _terms(reading.answer, tower.variable):
        value = tower.value(term)
        slope = base.derivative(value)
        # A sum of fractions takes long: F has mostly one term, whose derivative looks like f.
        total = base.zero if not terms and slope == f else total.add(slope, lowest=False)
        terms.append(value)
    if not _vanishes(tower, total):
        return None
    return Case(tower.signs, base, tuple(terms), f)


_LOGARITHMS = names(lambda function: function.branch == LOGARITHM)


def _is_for_positive(reading: ArgumentReading, variable: str) -> bool:
    """Whether the integrand has a part, such as sqrt(x) or ln(x), that is real for x > 0 only."""
    x = Symbol(variable)
    for node in reading.functions:
        if node.args and node.args[0] == x:
            ratio = as_power(node)[2] if node.function in RADICAL else None
            if node.function in _LOGARITHMS or (ratio and ratio.denominator % 2 == 0):
                # Where there are cases, that part may apply for x > 0 only.
                return not is_written_with(reading.integrand, "piecewise")
    return False


def _vanishes(tower: Tower, total: Quotient) -> bool:
    base = tower.field
    if total.is_zero():
        return True
    den = total.den if total.den.is_one() else base.reduce(_without_content(total.den))
    if den.is_zero():
        return False
    num = base.reduce(_without_content(total.num))
    if num.is_zero():
        return True
    tower.rules.add("constants")
    return constants.vanishes(base, num, den)


def _without_content(poly: Poly) -> Poly:
    """The polynomial divided by its largest monomial factor.

    The factor may be a high power. Without this factor, it is cheaper to test whether the
    polynomial is zero.
    """
    content = poly.term_content()
    return poly if content.is_one() else poly / content


def _terms(answer: Expression, variable: str) -> list[Expression]:
    """The terms of an answer, without terms that are symbols for constants of integration."""
    terms = answer.args if answer.function == "add" else (answer,)
    return [term for term in terms if type(term) is not Symbol or term.name == variable]
