"""Compares a closed form with the values of a sum at several choices of the parameters."""

from __future__ import annotations

from collections.abc import Sequence

from flint import acb

from ...reading.expression.tree import Expression
from ...verdict import Status, Witness
from ..ball_arithmetic.balls import precision
from ..ball_arithmetic.jets import Ball
from ..outcome import Outcome, show
from ..quadrature.closed_form import agreement, objection
from ..quadrature.work import QuadratureError, working_bits
from .choices import ParameterPoint
from .finite import at, exact


def agreement_at(
    answer: Expression, points: Sequence[ParameterPoint], digits: int, needed: float
) -> Outcome:
    """Compare a closed form with the values of a sum.

    Args:
        answer: the closed form.
        points: choices of the parameters, each with the value of the sum.
        digits: the precision of the values, in decimal digits.
        needed: the number of digits that must agree if the values are inexact.

    Returns:
        The outcome: correct, incorrect or undecided. If exact numbers are equal, and the sum has no
        parameters, the proof is ``enclosure``.

    Raises:
        QuadratureError: the sum has no parameters, and the answer has no value.

    """
    if points[0].sum.diverges:
        return Outcome(Status.INCORRECT, detail="the sum diverges")
    bits, least_agreement, is_exact = working_bits(digits), float(digits), False
    compared: list[tuple[ParameterPoint, Ball]] = []
    for point in points:
        with precision(bits):
            try:
                value = at(answer, point.values)
            except QuadratureError:
                if point.values:
                    continue  # (r^n - 1)/(r - 1) for r = 1, or a case that is left open
                raise
        stated = exact(answer, point.values) if point.exact is not None else None
        same, agreed = agreement(value, point.sum, bits)
        if same is False or (stated is not None and stated != point.exact):
            where = ", ".join(f"{name} = {v}" for name, v in point.values.items())
            witness = Witness(where, expected=show(acb(point.sum.ball)), got=show(value))
            return Outcome(Status.INCORRECT, points=len(points), witness=witness)
        least_agreement = min(least_agreement, agreed)
        compared.append((point, value))
        is_exact = stated is not None
    if not compared or 2 * len(compared) < len(points):
        return Outcome(Status.UNDECIDED, detail="the answer has no values")
    agreed = round(least_agreement, 1)
    if is_exact and not points[0].values:  # equal fractions, whatever the digits show
        return Outcome(Status.CORRECT, points=1, digits=agreed, proof="enclosure")
    # a part that has no effect in the middle, or at the last point, may be any part
    for index in {len(compared) // 2, *(() if is_exact else (len(compared) - 1,))}:
        point, value = compared[index]
        detail = objection(
            answer,
            value,
            point.balls,
            bits,
            least_agreement,
            needed=0.0 if is_exact else needed,
            beside_zero=bool(point.sum.ball.contains(0)),
        )
        if detail:
            return Outcome(Status.UNDECIDED, points=len(compared), detail=detail)
    return Outcome(Status.CORRECT, points=len(compared), digits=agreed, proof="agreement")
