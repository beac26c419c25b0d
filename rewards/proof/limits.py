"""Limits, proved by expansions: a value, an infinity, or the absence of a limit.

A limit from one side follows from the leading term of an expansion. A function has no limit if the
limits from both sides differ, or if two sequences of points have different limits. An *angle* is an
argument of a sine that tends to infinity. An angle takes every value modulo 2 pi. For each value,
there is a sequence of points at which the angle has this value. The function has an expansion along
this sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..numeric.expansions.germs import Angle, GermExpander, LimitPoint
from ..numeric.expansions.series import NotExpandedError, UndefinedError
from ..reading.expression.build import PI, div, neg
from ..reading.expression.traversal import substitute, symbols_of
from ..reading.expression.tree import Expression, Number
from .constants import ExactNumbers
from .equality import equality
from .prover.normal import normal_forms
from .prover.quotients import NotProvedError

#: Values at which an angle is fixed: two of them have different sines, and two different cosines.
_ANGLES: Final = (Number(0), div(PI, Number(2)), PI, div(PI, Number(4)), neg(div(PI, Number(2))))
#: Values of a fractional part, and values that a fractional part tends to, with the side.
_FRACTIONS: Final = (Number(0), Number(1, 2), Number(3, 4))
_FRACTION_ENDS: Final = ((Number(0), 1), (Number(1), -1))
#: The name of the angle pi n of an integer n, and the values of this angle modulo 2 pi.
_PARITY: Final = "@n"
_PARITY_ANGLES: Final = (Number(0), PI)


Assumptions = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Limit:
    """The result of a proof about a limit: a number, an infinity, or the absence of a limit.

    Attributes:
        sign: 1 or -1 for plus or minus infinity.
        value: the limit, if the limit is a number; else None.
        reason: the reason why there is no limit.
        flags: remarks on the domain.

    >>> Limit(sign=1).exists
    True

    """

    sign: int = 0
    value: Expression | None = None
    reason: str = ""
    flags: tuple[str, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether there is a limit, infinity included."""
        return not self.reason


@lru_cache(maxsize=1024)
def limit(
    expression: Expression,
    variable: str,
    at: Expression | int,
    side: int = 0,
    assumptions: Assumptions = (),
    is_sequence: bool = False,
) -> Limit:
    r"""Find the limit of an expression, with a proof.

    Args:
        expression: the function.
        variable: the variable of the function.
        at: the point, as an expression. The integers 1 and -1 mean plus and minus infinity.
        side: 1 from the right, -1 from the left, 0 from both sides.
        assumptions: assumptions on parameters.
        is_sequence: whether all values of the variable are integers, as in a sequence.

    Raises:
        UndefinedError: the function has no real values near the point.
        NotExpandedError: the limit was not found.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> limit(read(r"x\ln x")[0].expression, "x", Number(0), 1).value
    Number(numerator=0, denominator=1)

    """
    if isinstance(at, int) or side:
        point = LimitPoint(None, at) if isinstance(at, int) else LimitPoint(at, side)
        return _OneSide(variable, point, dict(assumptions), is_sequence).limit(expression)
    sides: list[Limit] = []
    for sign in (1, -1):
        one_sided = _OneSide(variable, LimitPoint(at, sign), dict(assumptions))
        try:
            sides.append(one_sided.limit(expression))
        except UndefinedError as error:
            undefined = error
    if not sides:
        raise undefined
    if len(sides) == 1:
        # the limit within the domain of the function
        return Limit(sides[0].sign, sides[0].value, sides[0].reason, ("limit:one-sided domain",))
    from_right, from_left = sides
    if not from_right.exists or not from_left.exists:
        return from_left if from_right.exists else from_right
    if same(from_right, from_left, dict(assumptions)):
        return from_right
    return Limit(reason="the limits from the right and from the left differ")


@dataclass(frozen=True, slots=True)
class _OneSide:
    """Finds limits from one side.

    Attributes:
        variable: the variable of the functions.
        point: the point and the side.
        assumptions: assumptions on parameters.
        is_sequence: whether all values of the variable are integers.

    """

    variable: str
    point: LimitPoint
    assumptions: Mapping[str, str]
    is_sequence: bool = False

    def limit(self, expression: Expression) -> Limit:
        """The limit of an expression. The result is proved."""
        failure: NotExpandedError | None = None
        for form in self._forms(expression):
            try:
                return self._expanded(form)
            except UndefinedError:
                raise
            except (NotExpandedError, NotProvedError, RecursionError) as error:
                # Sums and products of numbers fail as the prover does: with too many terms.
                failure = failure or NotExpandedError(str(error))
        assert failure is not None
        raise failure

    def _forms(self, expression: Expression) -> Iterator[Expression]:
        """Yield the expression, and the normal form, in which sin^2 + cos^2 is replaced by 1."""
        yield expression
        forms = normal_forms(expression, self.variable, self.assumptions)
        yield from (form for form in forms[:1] if form != expression)

    def _expander(self, fixed: Mapping[str, Expression], angle_side: int = 0) -> GermExpander:
        numbers = ExactNumbers(self.assumptions)
        return GermExpander(numbers, self.variable, self.point, self.is_sequence, fixed, angle_side)

    def _expanded(self, expression: Expression) -> Limit:
        expander = self._expander({})
        failure = NotExpandedError("an angle that is not fixed")
        bounded: Expression | None = None
        try:
            bounded_limit = _limit_of(expander, expression)
            if bounded_limit.value is None or not _angles_of(bounded_limit.value):
                return bounded_limit
            bounded = bounded_limit.value
        except NotExpandedError as error:
            failure = error
        angles = expander.angles
        proved: Limit | None = None
        if len({angle.name for angle in angles}) == 1:
            if self.is_sequence and angles[0].name != _PARITY:
                proved = self._along_whole_numbers(expander, bounded)
            else:
                proved = self._along_sequences(expression, angles[0])
        if proved is None:
            raise failure
        return proved

    def _along_sequences(self, expression: Expression, angle: Angle) -> Limit | None:
        """Find the limit of a function that contains one angle, along sequences of points.

        The angle is an argument of a sine that tends to infinity. On each sequence the angle is
        constant modulo 2 pi. If two sequences have different limits, the function has no limit. If
        the limits are equal, the result is None, because another sequence may have another limit.
        A function of (-1)^n has just two sequences: the even n and the odd n. If their limits are
        equal, the limit of both is the result.
        """
        limits: list[Limit] = []
        for value, angle_side in _values(angle):
            try:
                along = _limit_of(self._expander({angle.name: value}, angle_side), expression)
            except NotExpandedError:
                if angle.name == _PARITY:
                    raise
                continue
            if along.value is not None and _angles_of(along.value):
                return None  # another angle, which has its own values on the sequence
            limits.append(along)
            if len(limits) > 1 and not same(limits[0], along, self.assumptions):
                return Limit(reason="two sequences of points have different limits")
        return limits[0] if angle.name == _PARITY else None  # even and odd numbers are all

    def _along_whole_numbers(self, free: GermExpander, bounded: Expression | None) -> Limit | None:
        """Prove that a sequence that contains a sine of the angle q n has no limit.

        The proof is a pair of subsequences with different limits. Let q be rational. Because pi is
        irrational, every number v has a sequence of integers n for which q n tends to v modulo
        2 pi. The given sequence is a continuous function of q n modulo 2 pi, up to a term that
        tends to zero. If no two subsequences have different limits, the result is None.
        """
        angle = free.angles[0]
        if bounded is None or angle.of_floor or free.multiple(angle.germ, free.start) is None:
            return None
        limits = [Limit(value=substitute(bounded, angle.name, value)) for value in _ANGLES]
        if all(same(limits[0], later, self.assumptions) for later in limits[1:]):
            return None
        return Limit(reason="two sequences of whole numbers have different limits")


def _limit_of(expander: GermExpander, expression: Expression) -> Limit:
    sign, number = expander.limit(expander.expand(expression))
    return Limit(sign) if sign else Limit(value=expander.constants.tree(number))


def _angles_of(value: Expression) -> set[str]:
    return {name for name in symbols_of(value) if name.startswith("@")}


def _values(angle: Angle) -> Iterator[tuple[Expression, int]]:
    """Values of an angle along sequences of points. Each value comes with a side.

    Side 0 means that the angle equals the value at all points of the sequence. Side 1 or -1 means
    that the angle tends to the value from the right or the left. The values with side 1 or -1 come
    last, and are needed for functions such as 1/sin, which have no values on a sequence of zeros
    of the sine.
    """
    if angle.name == _PARITY:
        yield from ((value, 0) for value in _PARITY_ANGLES)
    else:
        yield from ((value, 0) for value in (_FRACTIONS if angle.of_floor else _ANGLES))
        ends = ((value, 1) for value in _ANGLES)
        yield from (_FRACTION_ENDS if angle.of_floor else ends)


def same(a: Limit, b: Limit, assumptions: Mapping[str, str]) -> bool:
    """Whether two limits are equal.

    Raises:
        NotExpandedError: the limits are neither proved equal nor proved different.

    """
    if a.value is None or b.value is None:
        return a == b
    return are_equal(a.value, b.value, assumptions)


def are_equal(a: Expression, b: Expression, assumptions: Mapping[str, str]) -> bool:
    """Whether two numbers are equal.

    If the numbers have parameters, the result holds for almost all values of the parameters.

    Raises:
        NotExpandedError: the numbers are neither proved equal nor proved different.

    """
    numbers = ExactNumbers(assumptions)
    try:
        equal: bool = numbers.is_zero(numbers.value(a) - numbers.value(b))
    except NotExpandedError:
        # in cases of signs: ln(a/b) is ln a - ln b for a, b > 0
        if equality(a, b, assumptions) is None:
            raise
        return True
    return equal
