"""Whether two links (sides) of a chain of equalities have a pair of equal readings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from ....numeric.ball_arithmetic.domain import uniform
from ....reading.expression.build import ONE, ZERO, mul
from ....reading.expression.linear import NotLinearError, linear
from ....reading.expression.traversal import fold, symbols_of
from ....reading.expression.tree import Expression, Symbol
from ..extents import NotReadError
from ..operations import Derivative, Differential, Integral, LimitAt, Series, Side, Value
from ..result import Judgement, Kind
from ..scope import Equation, Scope, is_constant_name
from ..substitution import free_symbols
from ..text.statements import Link
from .course.claims import Claimed
from .course.constants import RENAMED, renamed
from .course.flows import Flow
from .course.limits import infinite, with_logarithms, with_proved_limits
from .course.remainders import is_factored, is_multiple, leaves_out_a_remainder, up_to_remainder
from .course.roots import both_signs
from .equality import Finding, compare
from .finite_sums import at_number, spelt, upper_letters
from .kinds import kind_of
from .unknowns import solve
from .work import Work

#: Pairs of readings of two sides that are compared.
PAIRS = 4

#: A letter that a formula holds for any value of.
_PARAMETER = re.compile(r"[abdk-s](?:_\w+)?|alpha|beta|lambda|mu|omega")
_DECIMAL = re.compile(r"\d\.\d")
#: A number to some decimals, and what may follow it.
_NUMBER = re.compile(
    r"[-+]?(?:\d+(?:\.(?P<decimals>\d+))?|\.(?P<more>\d+))"
    r"(?:\s*\\(?:[lc]?dots|ldots)|\.{3}|\s*\\[,;:! ]|\s*\.)*"
)
FAULTS = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
UNKNOWN = "unknown constants"
_COEFFICIENT = re.compile(r"[A-EHK-QT-Z](?:_\w+)?")
#: Letters that stand for an integral or a function, where nothing says what for.
FUNCTIONS = frozenset("IJFGySR")


#: Between which numbers lie those in place of the letter to which a sum runs. Equality at the
#: numbers is evidence and no proof, as equality at points is. They are chosen by the text, so that
#: no text has a term that vanishes at all of them.
NUMBERS = ((3, 6), (6, 12), (12, 24), (24, 48))


@dataclass(frozen=True, slots=True)
class Read:
    """A link of a chain (a side of an equation), and the link's readings, the likeliest first."""

    link: Link
    sides: Sequence[Side]


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement on a claim, with the definitions used and the two sides compared."""

    finding: Finding
    claim_kind: Kind
    used: frozenset[str]
    pair: tuple[Side, Side] | None = None
    anti: bool = False  # it is of antiderivatives
    earns: bool = True  # it may bring the problem nearer


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges equations under the definitions in ``scope``, and solves equations for constants."""

    scope: Scope
    assumptions: Mapping[str, str]
    work: Work
    flow: Flow | None = None

    def judge(self, lhs: Read, rhs: Read, lead: str, anti: bool) -> Judged:
        """Judge the claim that two links (sides of an equation) are equal.

        A link may have several readings. The claim is right if one pair of readings agrees, and
        wrong if all pairs differ.

        Args:
            lhs: the left link.
            rhs: the right link.
            lead: the words before the statement.
            anti: whether the links so far are antiderivatives. Equality up to a constant then
                suffices.

        """
        best = Judged(Finding(Judgement.UNCHECKED, detail="not read"), "algebra", frozenset())
        texts = lhs.link.latex, rhs.link.latex
        if self.scope.course:
            reads = [(read.link.latex, read.sides) for read in (lhs, rhs)]
            judgement = infinite(reads[0], reads[1], self.scope, self.assumptions, self.work)
            if judgement is not None:
                detail = "an infinite value" if judgement is Judgement.UNCHECKED else ""
                return Judged(Finding(judgement, 1, detail=detail), "limit", frozenset())
        for pair in islice(product(lhs.sides, rhs.sides), PAIRS):
            anti = anti or any(map(self._is_anti, pair))
            claim_kind = kind_of(*pair, self.scope, lead) if best.pair is None else best.claim_kind
            finding, used = self._compare(*pair, "|".join(texts), anti)
            rounded = any(map(_DECIMAL.search, texts))
            if finding.judgement is Judgement.INCORRECT and self.scope.course:
                finding = self._unless_sloppy(finding, *pair)
            if finding.judgement is Judgement.INCORRECT and rounded:
                finding = _rounded(finding, "" if _DECIMAL.search(texts[0]) else texts[1])
            # What might be a rounded value cannot cost what it would earn.
            earns = not rounded and finding.detail != UNKNOWN and not finding.loose
            earns &= not any(side.has(Series) for side in pair) or bool(self.scope.course)
            earns &= not (used | _names(*pair)) & self.scope.assumed
            judged = Judged(finding, claim_kind, used, pair, earns=earns)
            if finding.judgement is Judgement.CORRECT:
                best = judged
                break
            if best.pair is None or finding.judgement is Judgement.UNCHECKED:
                best = judged
        return replace(best, anti=True) if anti else best

    def _unless_sloppy(self, finding: Finding, lhs: Side, rhs: Side) -> Finding:
        """The finding, or ``unchecked`` if `_sloppy` finds another meaning of the equation."""
        try:
            detail = self._sloppy(lhs, rhs)
        except (NotReadError, NotLinearError):
            return finding
        return Finding(Judgement.UNCHECKED, detail=detail) if detail else finding

    def _sloppy(self, lhs: Side, rhs: Side) -> str:
        """Why a wrong equation may be meant in another way: ``x + 2 = 4`` may be solved for x.

        Other reasons are a missing limit sign, or a missing remainder of a series. The result is
        empty if no reason is found.
        """
        scope = self.scope
        sides = [lhs, rhs]
        if not any(side.has(Derivative) for side in sides):
            sides = [scope.written_out(scope.evaluated(side), {}) for side in sides]
            moving = {
                *scope.variables,
                *scope.integer_variables,
                *scope.introduced,
                *scope.moving(),
            }
            varies = [bool(free_symbols(side) & moving) for side in sides]
            if varies[0] != varies[1] and scope.course in ("limit", "sum"):
                return "a limit sign may be missing"
            has_parameter = [bool(free_symbols(side) & scope.symbols) for side in sides]
            if (
                scope.course == "differential_equation"
                and not any(varies)
                and has_parameter[0] != has_parameter[1]
            ):
                return "a parameter may be determined"
        is_explicit = self.flow is None or not self.flow.concerns(lhs, rhs)
        if is_explicit and any(side.expression == ZERO for side in sides):
            return "an equation that may be solved"
        if leaves_out_a_remainder(lhs, rhs, scope, self.work):
            return "the remainder of a series may be missing"
        return ""

    def unread(
        self, lhs: Read, rhs: Read, lead: str, sides: Callable[[Link], list[Side]]
    ) -> Judged | None:
        r"""Judge an equation whose sides are no single formulas, or return None.

        Such sides have omitted terms (``x + O(x^3)``), the sign ``\pm``, or a sum with a letter
        as the number of terms (``1 + 2 + \dots + n``). An equation with such a sum is judged
        for several numbers n. ``lead`` is the text before the equation, and ``sides`` reads a
        side.
        """
        if self.scope.course:
            texts = [(read.link.latex, list(read.sides)) for read in (lhs, rhs)]
            finding = up_to_remainder(texts[0], texts[1], self.scope, self.work, sides)
            if finding is not None:
                return Judged(finding, "identity", frozenset(), earns=False)
            judgement = both_signs(lhs.link.latex, rhs.link.latex)
            if judgement is not None:
                return Judged(Finding(judgement, 1), "arithmetic", frozenset(), earns=False)
        latex = [spelt(read.link.latex) for read in (lhs, rhs)]
        letters = {letter for side in latex for letter in upper_letters(side)}
        counted = self.scope.symbols | self.scope.integer_variables if self.scope.course else set()
        if len(letters) != 1 or letters & (self.scope.names - counted):
            return None
        judged: Judged | None = None
        (letter,) = letters
        for least, end in NUMBERS:
            value = least + int((end - least) * uniform("|".join(latex), least))
            lhs_at_number, rhs_at_number = (
                _at_number(side, letter, value, sides) for side in latex
            )
            judged = self.judge(lhs_at_number, rhs_at_number, lead, False)
            if judged.finding.judgement is not Judgement.CORRECT:
                break
        # What no text says of a number cannot bring the problem nearer.
        claim_kind: Kind = (
            "sum" if self.scope.course else judged.claim_kind if judged else "arithmetic"
        )
        return judged and replace(judged, pair=None, earns=False, claim_kind=claim_kind)

    def partial_sum(
        self, text: str, rhs: Read, letter: str, sides: Callable[[Link], list[Side]]
    ) -> Finding | None:
        r"""Judge a formula for a partial sum, such as ``S_N = 1 - \frac{1}{N+1}``.

        The formula is not judged wrong if it fits a partial sum with more or fewer terms, or a
        multiple of such a sum.
        """
        latex = spelt(text), spelt(rhs.link.latex)
        sums = [_at_number(latex[0], letter, value, sides).sides for value in range(1, 9)]
        formulas = [_at_number(latex[1], letter, value, sides).sides for value in (4, 5)]
        if not all(len(readings) == 1 for readings in (*sums, *formulas)):
            return None
        exact_sums = [readings[0] for readings in sums]
        stated_sums = [readings[0] for readings in formulas]
        findings = [self._compare(exact_sums[3], stated_sums[0], text, False)[0]]
        findings.append(self._compare(exact_sums[4], stated_sums[1], text, False)[0])
        if {finding.judgement for finding in findings} == {Judgement.CORRECT}:
            return findings[0]
        for at in range(len(exact_sums) - 1):
            pairs = zip(exact_sums[at : at + 2], reversed(stated_sums), strict=True)
            cross_product, opposite_product = (
                Side(mul(exact.expression, stated.expression), {}) for exact, stated in pairs
            )
            if self.equal(cross_product, opposite_product) is not Judgement.INCORRECT:
                return None
        return findings[0] if findings[0].judgement is Judgement.INCORRECT else None

    def agree(self, lhs: Side, rhs: Side, anti: bool) -> bool:
        """Whether two sides are equal. If ``anti`` is True, equality up to a constant suffices."""
        return self._compare(lhs, rhs, "agree", anti)[0].judgement is Judgement.CORRECT

    def equal(self, lhs: Side, rhs: Side) -> Judgement:
        """Judge whether two numbers are equal."""
        return self._compare(lhs, rhs, "equal", False)[0].judgement

    def proportional(self, ratio: Expression) -> Judgement:
        """Judge whether the ratio of two functions is constant."""
        return self._compare(Side(ratio, {}), Side(ONE, {}), "ratio", True)[0].judgement

    def near(self, lhs: Read, rhs: Read) -> Finding:
        """Judge whether the right number is a decimal approximation of the left number."""
        for pair in islice(product(lhs.sides, rhs.sides), PAIRS):
            finding, _ = self._compare(*pair, "near", False)
            if finding.judgement is Judgement.INCORRECT:
                finding = _rounded(finding, rhs.link.latex)
            if finding.judgement is not Judgement.UNCHECKED:
                return finding
        return Finding(Judgement.UNCHECKED, detail="an approximation that is not read")

    def _is_anti(self, side: Side) -> bool:
        """Whether a side has an undifferentiated indefinite integral."""
        for name in symbols_of(side.expression):
            operation = side.operations.get(name)
            if isinstance(operation, Integral) and operation.limits is None:
                return True
            of = operation.function if isinstance(operation, Value) else name
            value = self.scope.values.get(of) if operation is None or of != name else None
            if value is not None and self._is_anti(value):
                return True
        return False

    def _compare(
        self, lhs: Side, rhs: Side, key: str, anti: bool
    ) -> tuple[Finding, frozenset[str]]:
        """Compare two sides. Return the finding and the names of the definitions used."""
        used: frozenset[str] = frozenset()
        try:
            if self.scope.course:
                self._refuse_unknown_slopes(lhs, rhs)
            lhs, rhs = with_logarithms(lhs, rhs)
            equation_or_finding = self._equation(lhs, rhs, key, anti)
            if isinstance(equation_or_finding, tuple):
                return equation_or_finding
            equation = equation_or_finding
            used = equation.used
            moving = any(side.has(Differential, Derivative) for side in (lhs, rhs))
            anti = anti or self._is_anti(lhs) or self._is_anti(rhs)
            if lhs.has(Differential) != rhs.has(Differential):
                return self._by_rates(lhs, rhs, key), used
            # Numbers without a constant are no antiderivatives, in whatever chain they stand.
            anti &= bool(equation.free) or any(side.has(Integral) for side in (lhs, rhs))
            order = int(anti or (not moving and self._up_to_a_constant(equation)))
            if self.scope.course and order and not anti:
                return self._renamed(equation, key), used
            finding = compare(equation, order, self.assumptions, key, self.work)
            unknown = equation.free - {equation.variable} - self.scope.symbols - self.scope.indices
            if order or moving:
                unknown = frozenset(name for name in unknown if not is_constant_name(name))
            # A formula is meant for any values of the letters that its integral has.
            # An integral may have a name: W_n.
            lhs_with_integral = lhs if lhs.operations else equation.lhs
            rhs_with_integral = rhs if rhs.operations else equation.rhs
            arbitrary = {
                name for name in _integrated(lhs_with_integral) if _PARAMETER.fullmatch(name)
            }
            # On both sides of a definite integral, too: \int_0^c f = F(c), \int_0^1 ax = a/2.
            both = _integrated(lhs_with_integral, limits=True) & free_symbols(rhs_with_integral)
            if self.scope.course:
                both |= _integrated(rhs_with_integral, limits=True) & free_symbols(
                    lhs_with_integral
                )
            free_choice = unknown <= (arbitrary if order else both)
            # "for every integer n": the formula is meant for any of them
            free_choice |= unknown <= self.assumptions.keys() & (
                _integrated(lhs, limits=True) | _integrated(rhs, limits=True)
            )
            free_choice |= self._is_slope(lhs, rhs, unknown) or self._is_slope(rhs, lhs, unknown)
            free_choice |= is_factored(lhs, rhs, unknown, self.scope)
            if unknown & {*FUNCTIONS, *"fgh"} & (_integrated(lhs) | _integrated(rhs)):
                raise NotReadError("an integral of what nothing defines")
            if finding.judgement is Judgement.INCORRECT and unknown and not free_choice:
                return self._solved(equation, sorted(unknown), key, order, moving), used
        except (NotReadError, NotLinearError) as error:
            return Finding(Judgement.UNCHECKED, detail=str(error)), used
        except FAULTS as error:
            detail = f"{type(error).__name__}: {error}"
            return Finding(Judgement.UNCHECKED, detail=detail[:200]), used
        return (replace(finding, loose=True) if unknown - arbitrary else finding), used

    def _renamed(self, equation: Equation, key: str) -> Finding:
        finding = renamed(equation, self.assumptions, key, self.work)
        if finding.detail == RENAMED and self.flow is not None:
            self.flow.relations.clear()  # these have constants of the former meaning
        return replace(finding, detail="" if finding.detail == RENAMED else finding.detail)

    def _equation(
        self, lhs: Side, rhs: Side, key: str, anti: bool
    ) -> Equation | tuple[Finding, frozenset[str]]:
        """Write two sides in one variable. Judge an equation of unknown functions instead."""
        flow = self.flow
        if flow is not None:
            claimed = Claimed(flow, self.scope, (lhs, rhs), self.work, key)
            if flow.concerns(*claimed.sides):
                return claimed.ansatz or (claimed.judge(), claimed.used)
            stated = claimed.plugged() if flow.concerns(lhs, rhs) else None
            lhs, rhs = map(flow.with_values, (lhs, rhs))
            if stated is not None and stated.judgement is not Judgement.UNCHECKED:
                if not flow.concerns(lhs, rhs):  # y(0) = C says what C is
                    self._compare(lhs, rhs, key, anti)
                return stated, claimed.used
        equation = self.scope.equation(lhs, rhs)
        return with_proved_limits(equation, self.scope, self.assumptions, self.work)

    def _refuse_unknown_slopes(self, *sides: Side) -> None:
        """Raise an error for the derivative of an undefined letter, such as ``f'``."""
        defined_names = {*self.scope.values, *self.scope.variables, *self.scope.introduced}
        defined_names |= {*self.scope.flow.functions} if self.scope.flow else set()
        for side in sides:
            for operation in side.operations.values():
                of = operation.of if isinstance(operation, Derivative) else None
                if isinstance(of, Symbol) and of.name not in defined_names | side.operations.keys():
                    raise NotReadError(f"the derivative of {of.name}, which nothing defines")

    def _is_slope(self, side: Side, opposite_side: Side, unknown: frozenset[str]) -> bool:
        r"""Whether ``side`` has a derivative of a function with unknown letters, such as y_p.

        The text has defined the function, and the other side has unknown letters, too. The equation
        then has to hold for all values of the letters: ``y_p'' = -4A\sin 2x``.
        """
        values = [
            self.scope.values[operation.of.name]
            for operation in side.operations.values()
            if isinstance(operation, Derivative)
            and isinstance(operation.of, Symbol)
            and operation.of.name in self.scope.values
        ]
        letters_of_functions = set().union(*map(free_symbols, values))
        written = bool(free_symbols(opposite_side) & unknown) and not opposite_side.has(Derivative)
        return bool(values) and unknown <= letters_of_functions and written

    def _by_rates(self, lhs: Side, rhs: Side, key: str) -> Finding:
        """Judge an equation with a differential on one side only: ``du = 2x`` may mean u' = 2x.

        Such an equation is wrong if u' has another value, and not judged otherwise.
        """
        scope, detail = self.scope, "a differential on one side"
        moving, opposite_side = (lhs, rhs) if lhs.has(Differential) else (rhs, lhs)
        summand, ((factor, name), *further_terms) = linear(
            moving.expression, moving.operations.keys()
        )
        differential = moving.operations[name]
        if further_terms or summand != ZERO or fold(factor) is None or scope.changed:
            raise NotReadError(detail)  # perhaps the sign of an integral is missing
        if not isinstance(differential, Differential) or differential.variable not in scope.values:
            raise NotReadError(detail)
        rate = Derivative(Symbol(differential.variable), scope.variable)
        finding, _ = self._compare(Side(moving.expression, {name: rate}), opposite_side, key, False)
        if finding.judgement is not Judgement.INCORRECT:
            raise NotReadError(detail)
        return finding

    def _up_to_a_constant(self, equation: Equation) -> bool:
        """Whether both sides are functions with a constant of integration."""
        constants = {
            name
            for name in equation.free
            if is_constant_name(name) and name not in {*self.scope.symbols, equation.variable}
        }
        sides = equation.lhs, equation.rhs
        valued = any(side.has(Integral, LimitAt) for side in sides)
        vary = all(free_symbols(side) & {equation.variable} for side in sides)
        return vary and not valued and all(free_symbols(side) & constants for side in sides)

    def _solved(
        self, equation: Equation, unknown: Sequence[str], key: str, order: int, moving: bool
    ) -> Finding:
        """Judge an equation by solving for the unknown constants.

        The claim is right if the equation determines the constants of an ansatz, such as A and B
        of partial fractions. The values are then added to the scope. The claim is wrong if no
        values satisfy the equation, and either the unknowns are coefficients or a side has an
        integral. All other claims are unchecked.
        """
        names = ", ".join(unknown)
        sides = equation.lhs, equation.rhs
        if any(side.has(Differential) for side in sides):
            return Finding(Judgement.UNCHECKED, detail=f"{names} unknown")
        values = solve(equation, unknown, self.assumptions, key, self.work, order)
        coefficients = all(map(_COEFFICIENT.fullmatch, unknown))
        fixed = coefficients or any(side.operations for side in sides)
        if values is None and fixed and not moving:
            return Finding(Judgement.INCORRECT, detail=f"no {names} make both sides equal")
        functions = all(equation.variable in free_symbols(side) for side in sides)
        vacuous = not functions and any(side.operations for side in sides)
        # Small letters are the coefficients of an ansatz only where it determines them.
        ansatz = coefficients or (
            functions and not any(side.has(Integral, LimitAt, Series) for side in sides)
        )
        if not values or vacuous or not ansatz:
            return Finding(Judgement.UNCHECKED, detail=f"it only says what {names} may be")
        if self.scope.course and all(fold(value) == 0 for value in values.values()):
            # 4A - A = 2A, or A is zero
            may_be_identity = not self.scope.vanishing & {*unknown} and not any(
                map(is_constant_name, unknown)
            )
            if may_be_identity and is_multiple(equation, unknown):
                return Finding(Judgement.INCORRECT, 1, detail="terms that are collected")
            return Finding(Judgement.UNCHECKED, detail=f"it only says what {names} may be")
        if self.flow is not None and self.flow.contradicts(values, self.scope, self.work):
            return Finding(Judgement.INCORRECT, 1, detail="the conditions give another value")
        for name, value in values.items():
            self.scope.values[name] = Side(value, {})
            self.scope.solved.add(name)
        return Finding(Judgement.CORRECT, points=len(unknown), detail=UNKNOWN)


def _at_number(latex: str, letter: str, value: int, sides: Callable[[Link], list[Side]]) -> Read:
    """Replace a letter in a formula by a number, and read the formula."""
    link = Link(at_number(latex, letter, value, sides), 0, 0)
    return Read(link, sides(link))


def _integrated(side: Side, *, limits: bool = False) -> set[str]:
    """The symbols in the integrands, and in the limits of integration if ``limits`` is True."""
    integrals = {
        name: operation
        for name, operation in side.operations.items()
        if isinstance(operation, Integral)
    }
    if limits:
        sums = {
            name for name, operation in side.operations.items() if isinstance(operation, Series)
        }
        integrals |= {name: Integral(ONE, "") for name in sums}
        return set().union(
            *(free_symbols(Side(Symbol(name), side.operations)) for name in integrals)
        )
    return set().union(*(symbols_of(integral.integrand) for integral in integrals.values()))


def _names(lhs: Side, rhs: Side) -> set[str]:
    return free_symbols(lhs) | free_symbols(rhs)


def _rounded(finding: Finding, latex: str) -> Finding:
    """Correct a finding about a decimal: a difference within rounding counts as equality."""
    number, witness = _NUMBER.fullmatch(latex.strip()), finding.witness
    unread = Finding(Judgement.UNCHECKED, detail="a decimal that may be rounded")
    if number is None or witness is None or "=" in witness.point:
        return unread
    decimals = number["decimals"] or number["more"] or ""
    try:  # a witness is shown as "[0.785 +/- 3.1e-17]", or without its radius
        numbers = (ball.lstrip("[").split()[0] for ball in (witness.expected, witness.got))
        gap = abs(float(next(numbers)) - float(next(numbers)))
    except (ValueError, IndexError):
        return unread
    if gap <= 10.0 ** -len(decimals):  # cut off or rounded
        return Finding(Judgement.CORRECT, points=1)
    return finding if decimals else unread
