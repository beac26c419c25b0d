r"""Whether both sides of an equation are equal, tested with balls (numbers with error bounds).

Derivatives are compared if the equation has an indefinite integral, or if equality up to a constant
suffices: ``\int f\,dx = F + \int g\,dx`` holds if f = F' + g.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from operator import itemgetter

from flint import acb

from ....numeric.ball_arithmetic.balls import precision
from ....numeric.ball_arithmetic.compare import Agreement, differ
from ....numeric.ball_arithmetic.compare import compare as compare_numbers
from ....numeric.ball_arithmetic.jets import ONE, ZERO, Ball
from ....numeric.outcome import show
from ....reading.expression.linear import NotLinearError, linear
from ....verdict import Witness
from ..extents import NotReadError
from ..operations import Integral, LimitAt, Series
from ..result import Judgement
from ..scope import Equation
from .confirmation import MAX_BITS
from .factors import VaryingFactorError, without_integrals
from .program import ROUNDING, Program
from .values import DivergentStepError
from .work import Work

#: Points on which both sides are compared, and the fewest that suffice.
POINTS, ENOUGH = 5, 4
#: Points at which the sides must differ, and agree nowhere, to be called different.
DIFFERING = 3
#: Sizes of the values of letters that are tried: an integral to b may be real for small b only,
#: one of ``x^{-p}`` to infinity has a value for large p only.
SCALES = (1.0, 4.0, 0.25)
#: Sizes of letters at which a claim with roots or absolute values is compared as well, and points.
#: Integrals are computed for few of these only.
FAR_SCALES, FAR_TRIED = (2.0**4, 2.0**9, 2.0**20, 2.0**40, 2.0**-9), 3


#: Why a claim is unchecked that holds at some points only.
PARTLY = "it holds on a part of the real line only"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a comparison. ``loose`` is True if the equation has undefined letters."""

    judgement: Judgement
    points: int = 0
    witness: Witness | None = None
    detail: str = ""
    loose: bool = False


def compare(
    equation: Equation, order: int, assumptions: Mapping[str, str], key: str, work: Work
) -> Finding:
    """Compare both sides of an equation at sample points.

    Args:
        equation: both sides in one variable.
        order: 0 compares the sides, 1 compares the derivatives.
        assumptions: assumptions about parameters, as in `verify_antiderivative`.
        key: the seed of the sample points, as text.
        work: the remaining budget of the solution.

    Raises:
        NotReadError: a side has an unsupported form.

    """
    finding = Finding(Judgement.UNCHECKED)
    error: NotReadError | None = None
    for scale in SCALES if equation.free - {equation.variable} else SCALES[:1]:
        try:
            finding = _compared(Program(equation, order, assumptions, key, work, scale))
            error = None
        except VaryingFactorError as unread:
            condition = without_integrals(equation)
            finding, error = _compared(Program(condition, 0, assumptions, key, work, scale)), unread
            if finding.judgement is Judgement.INCORRECT:  # the condition is not sufficient
                return replace(finding, witness=None, detail="not equal for any constants")
        except NotLinearError as unread:
            error = NotReadError(str(unread))
        except NotReadError as unread:
            error = unread
        if finding.judgement is not Judgement.UNCHECKED or finding.points:
            break
    if error is not None:
        raise error
    return finding


def _compared(program: Program) -> Finding:
    with precision(program.precisions[0]):
        try:
            program.constant_values()
        except DivergentStepError:
            return _divergence(program)
        # Numbers need a single comparison, functions a comparison at several points.
        moving = program.is_moving
        agreeing: list[tuple[float, Ball]] = []  # with the bits that a part could hide
        shown, differing = False, 0
        witness: Witness | None = None
        for x in program.points():
            agreement, pair = _agreement(program, x)
            if agreement is None or agreement.same is None:
                continue
            if agreement.same:
                agreeing.append((inf if shown else program.concealed(x), x))
                shown |= program.enough + agreeing[-1][0] <= agreement.bits
            else:
                differing += 1
                witness = witness or _witness(program, x if moving else None, pair)
            if len(agreeing) + differing == (POINTS if moving else 1):
                break
        agreed = len(agreeing)
        if agreed >= (ENOUGH if moving else 1) and not differing:
            if not (shown or _shows(program, agreeing)):
                return Finding(Judgement.UNCHECKED, agreed, detail="a part is too small to be seen")
            differing += moving and _changes(program)
    # Functions such as x and |x| agree on a half-line only. Rational functions cannot do so.
    if differing and agreed and not program.is_rational():
        return Finding(Judgement.UNCHECKED, agreed, detail=PARTLY)
    if agreed >= (ENOUGH if moving else 1) and not differing:
        return Finding(Judgement.CORRECT, agreed)
    if differing >= (1 if agreed or not moving else DIFFERING):
        return Finding(Judgement.INCORRECT, differing, witness)
    return Finding(Judgement.UNCHECKED, detail="too few points at which all of it is real")


def _divergence(program: Program) -> Finding:
    """Judge an equation with one divergent integral.

    If the integral does not cancel, one side has no value and the other side has a value. The
    equation is then wrong. In all other cases, `NotReadError` is raised.
    """
    sides, unread = (program.equation.lhs, program.equation.rhs), "an integral that diverges"
    if program.equation.free:
        raise NotReadError(unread)
    divergent: list[str] = []
    for side in sides:
        for name, operation in side.operations.items():
            if not isinstance(operation, Integral | LimitAt | Series):
                raise NotReadError(unread)
            try:
                program.values[name] = program.work.value(name, side.operations, {})
            except DivergentStepError:
                divergent.append(name)
    if len(divergent) != 1:
        raise NotReadError(unread)
    for side in sides:
        linear(side.expression, divergent)
    pairs = []
    for value in (ZERO, ONE):  # in place of the integral
        program.values[divergent[0]] = value
        pairs.append(program.at(ONE, program.precisions[0]))
    at_zero, at_one = pairs
    if at_zero is None or at_one is None or not all(map(acb.is_finite, at_zero + at_one)):
        raise NotReadError(unread)
    if any(differ(a, b) for a, b in zip(at_zero, at_one, strict=True)):
        return Finding(Judgement.INCORRECT, 1, detail=unread)
    raise NotReadError(unread)


def _agreement(program: Program, x: Ball) -> tuple[Agreement | None, tuple[Ball, Ball]]:
    """The agreement of both sides at a point, and the values of both sides."""
    pair, agreement = (ZERO, ZERO), None
    for bits in program.precisions:
        with precision(bits):
            values = program.at(x, bits)
            if values is None:
                return None, pair
            pair, agreement = values, compare_numbers(*values, enough=program.enough)
            if agreement.same is not None:
                break
    return agreement, pair


def _shows(program: Program, agreeing: Sequence[tuple[float, Ball]]) -> bool:
    """Whether both sides agree at a point to more bits than a part without effect could hide.

    Args:
        program: the equation.
        agreeing: the points at which both sides agree to fewer bits, each with the number of bits
            that a part could hide.

    """
    hidden, x = min(agreeing, key=itemgetter(0))
    if program.enough + hidden + ROUNDING > MAX_BITS and program.is_moving:
        real = (x for x in program.events(every=True) if program.at(x, program.precisions[0]))
        others = ((program.concealed(x), x) for x in real)
        most = MAX_BITS - ROUNDING - program.enough
        hidden, x = next((other for other in others if other[0] <= most), (hidden, x))
    needed = program.enough + hidden
    if needed + ROUNDING > MAX_BITS:
        return False
    program.see(needed)
    with precision(program.precisions[0]):
        program.constant_values()
        pair = program.at(x, program.precisions[0])
        return pair is not None and bool(compare_numbers(*pair, enough=needed).same)


def _changes(program: Program) -> bool:
    """Whether the sides differ beyond a place, or a value of a letter, where a branch changes."""
    if _differ(program, program.events()):
        return True
    equation, operands = program.equation, program.operands
    branching = any(
        tape.breaks or (tape.branches and not operands) for tape in (*program.tapes, *operands)
    )
    if program.varying or not (branching and equation.free - {equation.variable}):
        return False
    options = equation, program.order, program.assumptions, program.key, program.work
    for scale in SCALES[1:] if operands else FAR_SCALES:
        other = Program(*options, scale)
        with suppress(NotReadError), precision(other.precisions[0]):
            other.constant_values()
            if _differ(other, islice(other.points(), FAR_TRIED)):
                return True
    return False


def _differ(program: Program, points: Iterable[Ball]) -> bool:
    """Whether the sides certainly differ at one of the points."""
    agreements = (_agreement(program, x)[0] for x in points)
    return any(agreement is not None and agreement.same is False for agreement in agreements)


def _witness(program: Program, x: Ball | None, pair: tuple[Ball, Ball]) -> Witness:
    constants = {name: value for name, value in program.values.items() if not name.startswith("Q_")}
    values = ({} if x is None else {program.variable: x}) | constants
    point = ", ".join(f"{name}={show(ball)}" for name, ball in values.items())
    return Witness(point, expected=show(pair[0]), got=show(pair[1]))
