"""Tests whether a closed form agrees with an integral to enough digits.

An expression with many free digits can be fitted to any number. For example, a suitable fraction
agrees with the number to as many digits as the fraction encodes. A combination of constants does
so, too, if an integer relation algorithm has found it. An answer therefore has to agree to
`SURPLUS` digits more than an expression of its length encodes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

from flint import acb, arb

from ...reading.expression.build import number
from ...reading.expression.traversal import fold, nodes_of
from ...reading.expression.tree import Call, Expression, Number
from ..ball_arithmetic.balls import UnusableError, precision
from ..ball_arithmetic.compare import compare
from ..ball_arithmetic.compiler import compile_tape
from ..ball_arithmetic.evaluation import evaluate
from ..ball_arithmetic.jets import Ball
from ..ball_arithmetic.magnitude import DIGITS_PER_BIT, log2
from .kinks import resolved
from .problem import DefiniteIntegral
from .value import IntegralValue

#: Digits of agreement beyond the digits that the answer could encode: one of 10^15 fitted forms of
#: the same length agrees by chance.
SURPLUS = 15
#: Digits that the choice of one function, constant or symbol encodes: one of about thirty.
PER_NODE = 1.5
#: Digits of agreement beyond the first digit that a term of the answer changes: a coefficient up to
#: 10^4 may hide that a term is an eighth larger.
VISIBLE = 5
#: Factor by which a leaf of the answer is changed: an eighth more shows in the first digit or two,
#: and stays on the same side of 0 and of 1 for most leaves.
LARGER = Fraction(9, 8)
#: How near to a limit, as powers of 16 of its size, a peak is looked for: 10^{-19} of the limit.
NEARER = range(1, 16)


def encoded_digits(answer: Expression) -> float:
    r"""The number of digits of a random number that some expression of this length matches.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> encoded_digits(read(r"\frac{\pi^2}{6}")[0].expression) < 10
    True
    """
    digits = 0.0
    for node in nodes_of(answer):
        if isinstance(node, Number):
            digits += math.log10(1 + abs(node.numerator)) + math.log10(node.denominator) + 0.5
        else:
            digits += PER_NODE
    return digits


def hides_a_part(
    answer: Expression,
    got: Ball,
    values: Mapping[str, Ball],
    bits: int,
    digits: float,
    *,
    beside_zero: bool = False,
) -> bool:
    r"""Whether the answer contains a number, constant or parameter without a visible effect.

    ``\frac12 + e^{-10^9}``, ``\frac12\tanh(1000)`` and ``\frac12\operatorname{erf}(e^{e^e})`` agree
    with one half to any practical number of digits. The test multiplies each leaf (number, constant
    or parameter) of the answer in turn by 9/8. The leaf has no visible effect if the value of the
    answer hardly changes. A sub-expression whose value is exactly 0 or 1, as in ``\arctan 0``, is
    replaced by this number first.

    Args:
        answer: the closed form.
        got: the value of the answer.
        values: the values of the parameters.
        bits: the precision.
        digits: to how many digits the answer agrees with the integral.
        beside_zero: whether the integral may be 0. If so, ``digits`` refers to an absolute error.

    """
    with precision(bits):
        # beside 0, e^{-e^{e^e}} as a whole has no effect
        scale = arb(1) if got.contains(0) or beside_zero else abs(got).upper()
        least = scale * arb(10) ** (VISIBLE - int(digits))
        try:
            chosen = _with_exact_parts(resolved(answer, values), values)
        except UnusableError:
            return False
        for changed in _with_a_leaf_changed(chosen):
            try:
                value = evaluate(changed, values)
            except UnusableError:
                continue  # a count of parameters, which no other number can be
            if value.is_finite() and abs(value - got) < least:
                return True
    return False


def objection(
    answer: Expression,
    got: Ball,
    values: Mapping[str, Ball],
    bits: int,
    digits: float,
    *,
    needed: float,
    beside_zero: bool,
) -> str:
    """The reason to refuse an answer although ``digits`` digits agree, or "" for no reason."""
    if digits < needed:
        return f"agrees to {digits:.0f} digits, but {needed:.0f} are needed"
    if hides_a_part(answer, got, values, bits, digits, beside_zero=beside_zero):
        return f"a part of it has no effect on the {digits:.0f} digits that were compared"
    return ""


def hides_a_limit(
    integral: DefiniteIntegral, got: Ball, values: Mapping[str, Ball], bits: int, digits: float
) -> bool:
    r"""Whether a finite limit of the integral has no effect on the digits that agree.

    The answer 1 to ``\int_0^{1000} e^{-x}\,dx`` is wrong, although 434 digits agree. The integrand
    is evaluated at points that are up to an eighth farther from 0 than the limit. The points are
    irrational multiples of the limit, because a periodic integrand may vanish at rational
    multiples. For narrow peaks, points very near to the limit are added. At each point, the
    integrand times the distance from the limit is computed. The limit has no effect if all products
    are too small.

    Args:
        integral: the integral.
        got: the answer's value.
        values: the values of the parameters.
        bits: the precision.
        digits: to how many digits the answer agrees with the integral.

    """
    with precision(bits):
        scale = abs(got).upper() if not got.contains(0) else arb(1)
        least = scale * arb(10) ** (VISIBLE - int(digits))
        variable = integral.integrand.variable
        for limit in (integral.lower, integral.upper):
            if isinstance(limit, int):
                continue
            try:
                end = evaluate(limit, values)
                tape = compile_tape(integral.integrand.expression, variable)
            except UnusableError:
                continue
            # 0.118 and 0.131 of the limit beyond, then nearer by powers of 16
            steps = [arb(5).sqrt() / 2 - 1, arb(32).sqrt() / 5 - 1]
            steps += [steps[0] / 16**k for k in NEARER]
            beyond = (tape.value(end * (1 + step), values) * end * step for step in steps)
            # if f is exactly 0 beyond, no other limit would differ
            shows = (not y.is_finite() or y.is_zero() or not abs(y) < least for y in beyond)
            if not (end.contains(0) or any(shows)):
                return True
    return False


def _with_exact_parts(node: Expression, values: Mapping[str, Ball]) -> Expression:
    """Replace all parts of an expression that are exactly 0 or 1 by these numbers."""
    if not isinstance(node, Call) or not node.args or node.function in ("lt", "le", "gt", "ge"):
        return node
    if fold(node) is None:
        try:
            value = evaluate(node, values)
        except UnusableError:
            return node
        for exact in (0, 1):
            if bool((value - exact).is_zero()):
                return Number(exact)
    return Call(node.function, tuple(_with_exact_parts(arg, values) for arg in node.args))


def _with_a_leaf_changed(node: Expression) -> Iterator[Expression]:
    """Yield copies of the expression. In each copy, a different leaf is multiplied by 9/8.

    A power, product or quotient of numbers counts as one leaf. Leaves without an effect, such as
    the exponent of 1^2, are not changed.
    """
    added = any(isinstance(inner, Call) and inner.function == "add" for inner in nodes_of(node))
    ratio = None if added else fold(node)
    if ratio is not None:
        yield number(ratio * LARGER or LARGER - 1)
    elif not node.args:
        if node.function != "i":
            yield Call("mul", (number(LARGER), node))
    else:
        ratios = [fold(arg) for arg in node.args]
        for at, arg in enumerate(node.args):
            other_ratios = ratios[:at] + ratios[at + 1 :]
            if node.function in ("mul", "pow", "div") and 0 in other_ratios:
                continue  # 0 x, x^0 or 0/x
            if node.function == "pow" and at == 1 and ratios[0] == 1:
                continue  # 1^x
            for changed in _with_a_leaf_changed(arg):
                yield Call(node.function, (*node.args[:at], changed, *node.args[at + 1 :]))


def value_of(answer: Expression, values: Mapping[str, Ball], bits: int) -> Ball | None:
    """The value of a closed form as a ball. If no finite value can be computed, the result is None.

    Args:
        answer: the closed form.
        values: the values of the parameters.
        bits: the precision.

    """
    try:
        with precision(bits):
            got = evaluate(answer, values)
    except UnusableError:
        return None
    return got if got.is_finite() else None


def agreement(computed: Ball, value: IntegralValue, bits: int) -> tuple[bool | None, float]:
    """Compare a number with the value of an integral.

    The first result is whether the number equals the value, or None if this is undecided. The
    second result is the number of decimal digits that agree.

    Args:
        computed: the number.
        value: the value of the integral, which is finite.
        bits: the precision of both.

    """
    with precision(bits):
        scale = partial(log2, value.size.abs_lower())
        comparison = compare(computed, acb(value.ball), enough=math.inf, scale=scale)
        return comparison.same, comparison.bits * DIGITS_PER_BIT
