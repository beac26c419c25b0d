"""Sample points, the real domain of an integrand, and the breakpoints of an answer.

The probability measure on the line is the distribution of x = u/(1 - |u|) for u uniform in (-1, 1).
Its density is 1/(2 (1 + |x|)^2): half of the measure is within [-1, 1], and a hundredth beyond 99.
The coverage of an answer (`rewards.verdict.Evidence`) is measured by this distribution. Sample
points are stratified. Every point is an exact binary number, so that its ball has radius 0. No
clock, no global random generator and no mathematical library (libm) is used. Points are computed
from hashes by IEEE arithmetic, and are the same on every machine.
"""

from __future__ import annotations

import heapq
import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from operator import itemgetter

from flint import acb, arb

from .balls import Break, Tape
from .jets import Ball, Jet, is_unreal

#: The jet of a subexpression at a number or on an interval, perhaps without the derivative
#: (`Tape.at` with the slot and the values given).
Subexpression = Callable[..., Jet]

#: Candidates under the measure, one per stratum.
STRATA = 64
FIRST_STRATUM = 19
#: Strata of the third pass, for answers with too few usable points in the first two.
FINE_STRATA = 192
#: Decimal scales of the second pass, which finds narrow and far domains: |x| from 1e-12 to 1e12.
SCALES = range(-12, 13)
#: Breakpoints must all be isolated within this distance of 0; further out, as the budget allows.
WINDOW = 16.0
#: Beyond 2^40, only changes of sign are looked for, in at most 64 pieces with ends of a ratio of
#: 2^28 or more: balls of such a width have a radius of 30 bits, and do not reach 0.
FAR_BITS, FAR_STEP, FAR_PIECES = 40, 28, 64
#: Most intervals without a decision in which a change of sign is looked for, and most changes: a
#: periodic function has any number.
MAX_UNDECIDED, MAX_CHANGES = 32, 4
MAX_BREAKPOINTS = 64
#: Smaller intervals wait until all others are looked at, or half of the budget is spent.
FOLLOWED = 2.0**-10
#: Most steps by which one of them is narrowed down: a bisection to the smallest width.
MAX_ISOLATION_STEPS = 1500


def uniform(prefix: object, *suffix: object) -> float:
    """A pseudorandom number in (0, 1). Equal keys give the same number on every machine."""
    state = _hashed(prefix).copy() if isinstance(prefix, str) else _hashed.__wrapped__(prefix)
    state.update((repr((None, *suffix))[5:]).encode("utf-8", "surrogatepass"))
    return (int.from_bytes(state.digest(), "big") + 0.5) / 2.0**64


@lru_cache(maxsize=256)
def _hashed(prefix: object) -> blake2b:
    """The hash of the beginning of a key. The text of a large expression takes long to hash."""
    return blake2b(f"({prefix!r}".encode("utf-8", "surrogatepass"), digest_size=8)


def on_line(share: float) -> float:
    """Map a number in (0, 1) to a point of the real line. The function `share` is the inverse."""
    u = 2.0 * share - 1.0
    return u / (1.0 - abs(u))


def _van_der_corput(i: int) -> float:
    """The left end of the i-th part, if [0, 1) is divided into `STRATA` equal parts.

    The parts are numbered in bit-reversed order. For every n, the first n parts are therefore
    spread over the interval. The sequence begins near the middle of the interval.
    """
    bits = STRATA.bit_length() - 1
    return (int(format(i, f"0{bits}b")[::-1], 2) + FIRST_STRATUM) % STRATA / STRATA


_ORDER = [_van_der_corput(i) for i in range(STRATA)]
_SCALES = [sign * float(f"1e{k}") for k in sorted(SCALES, key=abs) for sign in (1.0, -1.0)]


def candidates(key: object) -> Iterator[tuple[float, bool]]:
    """Yield candidates for sample points on the real line, each with a flag.

    The flag is true if the point belongs to the sample that measures coverage.
    """
    seed = int(uniform(key) * 2.0**62)
    for i, stratum in enumerate(_ORDER):
        yield on_line(stratum + _mixed(seed, i) / STRATA), True
    for i, scale in enumerate(_SCALES, STRATA):
        yield scale * (1.0 + 9.0 * _mixed(seed, i)), False


def finer(key: object) -> Iterator[float]:
    """Yield more points of the real line, from the middle outwards."""
    seed = int(uniform(key, "finer") * 2.0**62)
    for i in sorted(range(FINE_STRATA), key=lambda i: abs(2 * i + 1 - FINE_STRATA)):
        yield on_line((i + _mixed(seed, i)) / FINE_STRATA)


def _mixed(seed: int, i: int) -> float:
    """The i-th pseudorandom number in (0, 1) for a seed.

    The number is computed by the finaliser of splitmix64 (Steele et al. 2014).
    """
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (((z ^ (z >> 31)) >> 11) + 0.5) / 2.0**53


_MASK = 2**64 - 1


def real_everywhere(tape: Tape, jets: Sequence[Jet]) -> bool:
    """Whether the expression is finite and real, and its sub-expressions are real.

    Among the sub-expressions, only those with a restricted domain are tested. Their imaginary parts
    must be exactly zero.
    """
    for slot in tape.domain:
        if not jets[slot][0].imag.is_zero():
            return False
    value = jets[tape.root][0]
    return bool(value.imag.is_zero() and value.is_finite())


def _interval(low: float, high: float) -> Ball:
    return acb(arb(low).union(arb(high)))


def search(
    tape: Tape, values: Mapping[str, Ball], count: int, budget: int
) -> tuple[list[float], int]:
    """Search for points at which an expression is real. Its real domain may be small.

    The line is mapped to a finite range. The longest interval is halved first. An interval is
    dropped if ball arithmetic proves that the expression is not real on it.

    Returns:
        The points, and the number of evaluations on intervals and in their middles. This number is
        at most about ``budget``.

    """
    points: list[float] = []
    queue: list[tuple[float, float, float]] = []

    def push(low: float, high: float) -> None:  # shares of the measure
        heapq.heappush(queue, (low - high, low, high))

    for i in range(16):
        push(i / 16, (i + 1) / 16)
    spent = 0
    while queue and spent < budget and len(points) < count:
        _, low, high = heapq.heappop(queue)
        middle = (low + high) / 2
        a, point, b = on_line(max(low, 1e-12)), on_line(middle), on_line(min(high, 1.0 - 1e-12))
        if not a < point < b:
            continue
        spent += 2
        jets = tape.run(_interval(a, b), values, derivative=False, real=True)
        if not jets or is_unreal(jets[tape.root][0]):
            continue
        push(low, middle)
        push(middle, high)
        jets = tape.run(acb(point), values, derivative=False, real=True)
        if jets and real_everywhere(tape, jets):
            points.append(point)
    if 0 < len(points) < count:
        # A narrow domain: take neighbours of these points, at ever smaller distances.
        for shrink in range(12, 52, 4):
            for base in tuple(points[:4]):
                for sign in (1.0, -1.0):
                    near = base * (1 + sign * 2.0**-shrink) + sign * 2.0 ** -(shrink + 20)
                    jets = tape.run(acb(near), values, derivative=False)
                    if near not in points and real_everywhere(tape, jets):
                        points.append(near)
                    if len(points) >= count:
                        return points, spent
    return points, spent


def _holds_break(value: Ball, at: str) -> bool:
    """Whether an interval may contain a breakpoint of a function.

    ``value`` encloses the argument of the function on the interval. ``at`` is the kind of
    breakpoint, as in `Break`.
    """
    if not value.is_finite():
        return True
    if at == "zero":
        return bool(value.contains(0))  # the real part alone is 0 where u is imaginary
    if at == "turn":
        return any(map(value.real.contains, (-1, 0, 1)))
    return bool(value.real.contains_integer())


def breakpoints(
    subexpression: Subexpression,
    at: str,
    budget: int,
    width: float,
    reach: int = FAR_BITS,
    cells: Sequence[tuple[Ball, Ball]] = (),
) -> tuple[list[tuple[Ball, Ball]], list[tuple[Ball, Ball]]]:
    """Find narrow intervals around the breakpoints of a sub-expression.

    The intervals are at most ``width`` wide. ``at`` is the kind of breakpoint, as in `Break`. The
    search makes at most ``budget`` evaluations on intervals. The search is restricted to the
    intervals ``cells``, if there are any.

    Returns:
        The narrow intervals, and those intervals within `WINDOW` of the origin that may contain
        further breakpoints. The second list is empty if the search is complete. Farther out, up to
        ``2^reach``, only changes of sign are found in intervals that remain.

    """
    intervals: list[tuple[Ball, Ball]] = []
    edges = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 1024.0, 2.0**20, 2.0**FAR_BITS]
    queue: list[tuple[float, int, Ball, Ball]] = []
    serial = 0
    for near, far in itertools.pairwise(edges) if not cells else ():
        for low, high in ((near, far), (-far, -near)):
            serial += 1
            heapq.heappush(queue, (near, serial, arb(low), arb(high)))
    for low, high in cells:
        serial += 1
        heapq.heappush(queue, (float(min(abs(low), abs(high))), serial, low, high))
    later: list[tuple[float, int, Ball, Ball]] = []
    reserve = budget // 2
    while (queue or later) and budget > 0 and len(intervals) < MAX_BREAKPOINTS:
        wide = queue and (budget > reserve or not later)
        _, _, low, high = heapq.heappop(queue if wide else later)
        budget -= 1
        value, slope = subexpression(acb(low.union(high)))
        if not _holds_break(value, at):
            continue
        size = high - low
        if size < width:
            intervals.append((low, high))
            continue
        if value.is_finite() and _monotone(slope):
            target = arb(0) if at == "zero" else value.real.unique_fmpz()
            if target is not None:
                isolated = isolate(subexpression, arb(target), low, high, width)
                if isolated is not None:
                    intervals.append(isolated)
                continue
        middle = ((low + high) / 2).mid()
        # Once begun, a small interval is followed before the next is looked at; to its end later,
        # as one with a double zero or a singularity takes many steps.
        for a, b in ((low, middle), (middle, high)):
            serial += 1
            if size <= FOLLOWED:
                rank = float(size) + (1.0 if is_outside(a, b) else 0.0)
                heapq.heappush(later, (rank, serial, a, b))
            else:
                rank = float(min(abs(a), abs(b))) if size > 1 else -1.0 / float(size)
                heapq.heappush(queue, (rank, serial, a, b))
    undecided = [interval[-2:] for interval in (*sorted(queue), *sorted(later))]
    unsure = [interval for interval in undecided if not is_outside(*interval)]
    if not unsure and len(intervals) < MAX_BREAKPOINTS:
        remaining = itertools.chain(_far_pieces(reach), undecided[:MAX_UNDECIDED])
        changes = (crossings(subexpression, at, low, high, width) for low, high in remaining)
        intervals += itertools.islice(itertools.chain.from_iterable(changes), MAX_CHANGES)
    return merged(intervals, width), unsure


def is_outside(low: Ball, high: Ball) -> bool:
    """Whether an interval lies outside `WINDOW`."""
    return bool(low >= WINDOW or high <= -WINDOW)


def _far_pieces(reach: int) -> Iterator[tuple[Ball, Ball]]:
    """Divide the numbers between 2^40 and 2^reach, and their negatives, into few intervals."""
    step = max(FAR_STEP, -(-(reach - FAR_BITS) // FAR_PIECES))
    for bits in range(FAR_BITS, reach, step):
        near, far = arb(2) ** bits, arb(2) ** (bits + step)
        yield from ((near, far), (-far, -near))


def crossings(
    subexpression: Subexpression, at: str, low: Ball, high: Ball, width: float
) -> list[tuple[Ball, Ball]]:
    """Intervals at values of a sub-expression that are passed between ``low`` and ``high``.

    These are the values 0, or -1, 0 and 1, or one whole number, for the kinds of breakpoints.
    """
    ends = [subexpression(acb(x), derivative=False)[0].real for x in (low, high)]
    if not all(value.is_finite() for value in ends):
        return []
    targets = {"zero": (arb(0),), "turn": (arb(-1), arb(0), arb(1))}.get(at)
    if targets is None:
        targets = (min(ends).floor().mid() + 1,)
    between = [t for t in targets if (ends[0] < t < ends[1]) or (ends[1] < t < ends[0])]
    found = (isolate(subexpression, target, low, high, width) for target in between)
    return [interval for interval in found if interval is not None]


#: Evaluations spent on each non-analytic part of an integrand, how well its places need be known,
#: and how many intervals are looked at. The places are floats, of 53 bits: with 40 an interval of
#: 10^-11 between two of them is found. 20 take the same work (tests/mutation/constants.py).
OVERLOOKED_BUDGET, OVERLOOKED_WIDTH, MAX_OVERLOOKED = 400, 2.0**-40, 8


def overlooked(
    tape: Tape, breaks: Sequence[Break], values: Mapping[str, Ball], seen: Sequence[float]
) -> list[float]:
    """One point for each gap between neighbouring breakpoints without a point of ``seen`` inside.

    At most `MAX_OVERLOOKED` gaps get a point; the smallest gaps get none. Some breakpoints may be
    missed, because the search for breakpoints has a budget.
    """
    ends: set[float] = set()
    for brk in breaks:
        subexpression = partial(tape.at, brk.slot, values=values)
        intervals, _ = breakpoints(subexpression, brk.at, OVERLOOKED_BUDGET, OVERLOOKED_WIDTH)
        ends.update(float(low.mid()) for low, _ in intervals)
    if not ends:
        return []
    edges = [-math.inf, *sorted(ends), math.inf]
    points = sorted(seen)
    empty: list[tuple[float, float]] = []
    for low, high in itertools.pairwise(edges):
        at = bisect_right(points, low)
        if at < len(points) and points[at] < high:
            continue
        if math.isinf(low):
            point = high - 1.0 - abs(high) / 8
        elif math.isinf(high):
            point = low + 1.0 + abs(low) / 8
        else:
            point = (low + high) / 2 + (high - low) / 64
        if high - low > 8 * OVERLOOKED_WIDTH * (1 + abs(point)):
            empty.append((share(low) - share(high), point))
    return [point for _, point in sorted(empty)[:MAX_OVERLOOKED]]


def share(x: float) -> float:
    """Map a point of the real line to a number in [0, 1]. The function `on_line` is the inverse."""
    u = math.copysign(1.0, x) if math.isinf(x) else x / (1.0 + abs(x))
    return (u + 1.0) / 2.0


def merged(intervals: list[tuple[Ball, Ball]], width: float) -> list[tuple[Ball, Ball]]:
    """Sort intervals, and merge neighbours that nearly touch.

    Such neighbours have a common end, or lie around a double zero.
    """
    apart: list[tuple[Ball, Ball]] = []
    for low, high in sorted(intervals, key=itemgetter(0)):
        if apart and low - apart[-1][1] < 8 * width:
            apart[-1] = (apart[-1][0], max(high, apart[-1][1]))
        else:
            apart.append((low, high))
    return apart


def pole_crossings(
    tape: Tape, slot: int, values: Mapping[str, Ball]
) -> Iterator[tuple[Ball, Ball]]:
    """Yield narrow intervals in which a sub-expression changes sign through a pole.

    The search is limited to |x| < 8.
    """

    def at(x: float) -> float | None:
        value, _ = tape.at(slot, acb(x), values, derivative=False)
        return float(value.real) if value.is_finite() and value.imag.contains(0) else None

    grid = [(i + 0.382) * 1.25 - 7.5 for i in range(12)]
    for (a, value_a), (b, value_b) in itertools.pairwise([(x, at(x)) for x in grid]):
        if value_a is None or value_b is None or value_a * value_b >= 0:
            continue
        for _ in range(48):
            middle = (a + b) / 2
            value = at(middle)
            if value is None:
                break
            if value_a * value > 0:
                a, value_a = middle, value
            else:
                b, value_b = middle, value
        if min(abs(value_a), abs(value_b)) > 2.0**20:
            yield arb(a), arb(b)


def _monotone(slope: Ball | None) -> bool:
    return slope is not None and slope.is_finite() and not slope.real.contains(0)


def isolate(
    subexpression: Subexpression, target: Ball, low: Ball, high: Ball, width: float | Ball
) -> tuple[Ball, Ball] | None:
    """Find an interval of at most the given width around the solution of u(x) = ``target``.

    If the sub-expression u is monotone on [low, high], no other solution is in this interval. The
    result is None if the interval contains no solution. The search uses interval Newton steps. A
    bisection replaces a step that does not halve the interval. The sign of u at an end may be
    unknown at the present precision.
    """

    def sign(at: Ball) -> int:
        real = subexpression(acb(at), derivative=False)[0].real - target
        return 1 if real > 0 else -1 if real < 0 else 0

    sign_low, sign_high = sign(low), sign(high)
    if sign_low * sign_high > 0:
        return None
    for _ in range(MAX_ISOLATION_STEPS):
        if not high - low > width:
            break
        size = high - low
        middle = ((low + high) / 2).mid()
        slope = subexpression(acb(low.union(high)))[1]
        value = subexpression(acb(middle), derivative=False)[0].real - target
        if value.is_zero():
            return middle, middle
        newton = middle - value / slope.real if slope is not None else low.union(high)
        if newton.is_finite():
            low, high = max(low, newton.lower()), min(high, newton.upper())
            if low > high:
                return None
        if high - low > size / 2:
            sign_middle = 1 if value > 0 else -1 if value < 0 else 0
            if sign_middle == 0 or not (sign_low or sign_high):
                break  # too close to tell at this precision
            if sign_middle == sign_low or sign_middle == -sign_high:
                low = middle
            else:
                high = middle
    return low, high
