"""The parts of an expression with a visible effect on the value at a point.

A *part* is an argument of an operation in a compiled expression (`Tape`). A part is visible if a
change of the part would change the value by more than the error of the value. An invisible part
could be wrong. For example, ``tanh(2016 x)`` equals 1 to 5,800 bits at x = 1. Agreement to
fewer bits does not confirm the number 2016. Differences along each path from the part to the root
of the expression give a lower bound of the effect. Cancellation between paths is ignored: in
``sin^2 u + cos^2 u`` all of u counts as visible.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from flint import acb

from ...numeric.ball_arithmetic import jets as rules
from ...numeric.ball_arithmetic.balls import Tape
from ...numeric.ball_arithmetic.jets import ONE, ZERO, Ball, Jet, Rule
from ...numeric.ball_arithmetic.magnitude import log2

#: Relative change with which differences are taken, as a power of two: small enough for a
#: difference to be near a derivative, and of 128 bits a hundred are left. 5 or 20 change no verdict
#: (tests/mutation/constants.py).
STEP_BITS = 10
#: What cannot be told from zero is taken to be this much smaller than its error, in bits: above
#: `SEEN_BITS`, so that it never counts as seen. 32 or 128 change no verdict
#: (tests/mutation/constants.py).
HIDDEN_BITS = 64
_STEP = acb(1) + acb(2) ** -STEP_BITS  # 1 + 1/1024, exactly
# Orders of magnitude may be astronomical: finite ones stay whole numbers, which are exact.
_NOTHING = -math.inf
_LINEAR = frozenset((rules.add, rules.sub, rules.neg))
#: Functions of which only one argument shows at a point.
_CHOICES = frozenset((rules.maximum, rules.minimum))
#: A slot, with an argument's place where arguments need not show together.
Key = tuple[int, int]


def effects(tape: Tape, jets: Sequence[Jet], order: int) -> dict[Key, dict[int, float]]:
    r"""log2 of the effect of an operation's argument on the expression at a point.

    A part without any effect, such as t in ``0 \cdot t`` or a constant of integration, has no
    entry. If a function has three or more arguments, all of them count as visible.

    Args:
        tape: the expression.
        jets: the results of `Tape.run` at the point.
        order: 0 for the effect on the value, 1 for the effect on the derivative.

    Returns:
        For each operation, the effects of the arguments by index. A choice between arguments,
        such as max, has a separate entry for each argument.

    """
    value, slope = [_NOTHING] * tape.size, [_NOTHING] * tape.size
    (slope if order else value)[tape.root] = 0
    by_key: dict[Key, dict[int, float]] = {}
    for slot, rule, arguments in tape.operations():
        upper, lower = value[slot], slope[slot]
        if upper == _NOTHING and lower == _NOTHING:
            continue
        # The second argument of the rule of ln|u| is no part of the expression.
        operands = arguments[:1] if rule is rules.ln_abs else arguments
        for index, argument in enumerate(operands):
            u, du = jets[argument]
            if rule is None:
                on_value, linear = max(upper, lower), lower
            else:
                on_value, linear = _partial(rule, [jets[a] for a in arguments], index, upper, lower)
            if on_value > _NOTHING and not u.is_zero():
                size = log2(u.abs_upper()) if u.is_finite() else 0
                value[argument] = max(value[argument], on_value - size)
            slope[argument] = max(slope[argument], linear)
            effect = max(on_value, linear + _size(du) if du is not None else _NOTHING)
            if effect > _NOTHING:
                by_key.setdefault((slot, index if rule in _CHOICES else 0), {})[index] = effect
    return by_key


def _partial(
    rule: Rule, operands: list[Jet], index: int, upper: float, lower: float
) -> tuple[float, float]:
    """The effect of one argument of an operation on the whole expression, as two log2 values.

    The first number is the effect of a relative change of the argument's value. The second number
    is the factor of a change of the argument's slope.
    """
    u, du = operands[index]
    effect = _NOTHING
    if not u.is_zero():
        base_value = rule(*operands)
        shifted_value = rule(*(*operands[:index], (u * _STEP, du), *operands[index + 1 :]))
        effect = upper + _change(base_value[0], shifted_value[0]) if upper > _NOTHING else _NOTHING
        if lower > _NOTHING and not _leaves_slope(rule, operands, index):
            effect = max(effect, lower + _change(base_value[1], shifted_value[1]))
    linear = _NOTHING
    if lower > _NOTHING and du is not None:
        without_slopes = [(v, None) for v, _ in operands]
        derivative = rule(*(*without_slopes[:index], (u, ONE), *without_slopes[index + 1 :]))[1]
        linear = lower + _size(derivative)
    return effect + STEP_BITS, linear


def _leaves_slope(rule: Rule, operands: list[Jet], index: int) -> bool:
    """Whether an operation's derivative is independent of the argument's value, as in ``3 x``."""
    if rule in _LINEAR:
        return True
    bilinear = rule is rules.mul or (rule is rules.div and index == 0)
    return bilinear and operands[1 - index][1] is None


def _change(base_value: Ball | None, shifted_value: Ball | None) -> float:
    """log2 of the absolute difference of two values.

    A value that is None counts as zero. If the difference is not finite, the result is 0.
    """
    if base_value is None and shifted_value is None:
        return _NOTHING
    return _size((shifted_value or ZERO) - (base_value or ZERO))


def _size(ball: Ball | None) -> float:
    """log2 of a lower bound of a ball's absolute value.

    If the ball is None, the result is minus infinity. If the ball is not finite, the result is 0.
    If the ball contains zero, the result is finite, but far below log2 of the ball's error. A part
    with such a ball counts as invisible.
    """
    if ball is None:
        return _NOTHING
    if not ball.is_finite():
        return 0
    least = log2(ball.abs_lower())
    return least if least > _NOTHING else log2(ball.abs_upper()) - HIDDEN_BITS


class Unseen:
    """The operations of an expression visible at no point so far. An operation is
    visible at a point if the effect on the value exceeds the error.

    All parts of an operation must be visible at the same point. In ``1 + x^{10000}`` the first term
    is visible at 1/2 and the second at 2. The sum is visible at neither point. Parts without effect
    at any point are exempt.
    """

    def __init__(self) -> None:
        self._looked = False
        self._effective: dict[Key, set[int]] = {}
        self._shown: dict[Key, list[set[int]]] = {}

    def see(self, effects: Mapping[Key, Mapping[int, float]], error: float, margin: float) -> None:
        """Record the visible parts at a point, given the effects on the value.

        Args:
            effects: the effects of the parts, as log2.
            error: log2 of the error of the comparison at the point.
            margin: the number of bits by which the effect of a visible part must exceed
                the error.

        """
        self._looked = True
        for key, operand_effects in effects.items():
            self._effective.setdefault(key, set()).update(operand_effects)
            visible = {
                index for index, effect in operand_effects.items() if effect > error + margin
            }
            if visible not in self._shown.setdefault(key, []):
                self._shown[key].append(visible)

    @property
    def keys(self) -> list[Key]:
        return [
            key
            for key, operands in self._effective.items()
            if not any(visible >= operands for visible in self._shown[key])
        ]

    @property
    def all_seen(self) -> bool:
        return self._looked and not self.keys
