r"""What agreement at points does not show: parts too small to be seen, and far changes of branch.

``x^2 + 10^{-40} x`` agrees with ``x^2`` to 64 bits, and ``|x - 10^6|`` with ``10^6 - x`` wherever
sample points usually are. A claim that holds at all sample points is therefore compared with as
many bits more as its numbers and its sub-expressions could hide, and at the places where a root, an
absolute value or an inverse function changes its branch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from flint import acb

from ....numeric.ball_arithmetic.balls import Tape
from ....numeric.ball_arithmetic.jets import ONE, Ball
from ....numeric.ball_arithmetic.magnitude import log2
from ....numeric.ball_arithmetic.point_count import BRANCHING_POINTS, points_wanted
from ....numeric.sampling.events import FAR_POINTS, SEARCH_UNITS, beyond_reach, places, spread
from ..extents import NotReadError

#: Bits with which a sub-expression is told from a whole number, and to which both sides agree at
#: most. 2048 bits tell e^{-1400} from 0, as many as a formula of a text has digits.
MAX_BITS = 2048
#: Points near to 1, where high powers are neither large nor small.
BESIDE_ONE = (1.0003, 0.9997, -1.0003, -0.9997)
#: Places of changes at which a claim is compared.
MAX_PLACES = 32


class TooFaintError(NotReadError):
    """A part of the claim is too small, or a number too long, to be seen."""


def length_of_numbers(tapes: Iterable[Tape], spend: Callable[[int], None] | None = None) -> int:
    r"""The number of bits that may agree although a number in a claim is wrong.

    The result is the total length of the numbers, and the bits by which constants such as
    ``e^{-100}`` differ from whole numbers: two fractions with denominators q and r, if different,
    differ by 1/(q r) or more. ``spend`` is called with the work units.

    Raises:
        TooFaintError: a constant cannot be told from a whole number.

    """
    literals: dict[object, int] = {}
    faint = 0
    for tape in tapes:
        literals |= tape.literals
        faint = max(faint, tape.faintness(MAX_BITS, spend=spend))
    return sum(literals.values()) + _checked(faint)


def concealed(
    tapes: Iterable[Tape], x: Ball, values: Mapping[str, Ball], spend: Callable[[int], None]
) -> int:
    r"""The number of bits that may agree at a point although a sub-expression has no effect there.

    A sub-expression near to a whole number hides its difference from the number. A large
    sub-expression such as ``\cosh 50`` hides one that is as small as the other is large. Twice as
    many bits show the square of what is hidden: ``\sin x`` is x up to x^3/6. ``spend`` is called
    with the work units.

    Raises:
        TooFaintError: a sub-expression cannot be told from a whole number.

    """
    faint = size = 0
    for tape in tapes:
        faint = max(faint, tape.faintness(MAX_BITS, x, values, spend))
        jets = tape.run(x, values, derivative=False)
        sizes = (log2(value.abs_upper()) for value, _ in jets if value.is_finite())
        size = max(size, *map(int, filter(math.isfinite, sizes)), 0)
    return 2 * (_checked(faint) + size)


def _checked(faint: int) -> int:
    if faint > MAX_BITS:
        raise TooFaintError("a part is too small to be seen")
    return faint


def events(
    tapes: Iterable[Tape],
    values: Mapping[str, Ball],
    spend: Callable[[int], None],
    *,
    every: bool = False,
) -> Iterator[Ball]:
    """Points on both sides of the places where expressions may change their branch.

    The iterator is empty if no branch changes on the real line. If ``every`` is true, the points
    are those of all expressions: points where other terms are the largest are among them.
    ``spend`` is called with the work units.
    """
    chosen = [
        tape for tape in tapes if every or tape.poles or points_wanted(tape) == BRANCHING_POINTS
    ]
    if every:
        yield from map(acb, BESIDE_ONE)
    for tape in chosen:
        # Values of integrals and derivatives do not matter for the places of the rest.
        spend(SEARCH_UNITS)
        unknown = dict.fromkeys(tape.symbols.keys() - {tape.variable}, ONE)
        yield from map(acb, spread(places(tape, {**unknown, **values}), MAX_PLACES))
    if chosen:
        yield from map(acb, FAR_POINTS)
        yield from beyond_reach(*chosen)
