"""Answers F whose derivative equals the integrand f only on another branch of a radical.

At some points, F' equals f only for a value of a radical other than the principal value. An
example is ``-sqrt(x)`` instead of ``sqrt(x)``.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

from flint import ctx

from ...numeric.ball_arithmetic.balls import Tape
from ...numeric.ball_arithmetic.point_count import has_fixed_branch
from ...numeric.comparison import radicals
from ...numeric.comparison.at_points import Comparison
from ...numeric.comparison.radicals import Choice
from ...numeric.outcome import Outcome
from ...numeric.sampling.pool import BASE_BITS, Point
from ...proof.discontinuities.zeros import squares
from ...reading.expression.traversal import nodes_of
from ...reading.expression.tree import Expression
from ...reading.functions import RECORDS
from ...verdict import Status

#: Distances, relative to 1 + |x|, of more points on either side of a point: not round, so that no
#: zero is hit, and a factor of five apart, so that some point is near the end of a branch. Others
#: change no verdict of the corpora (tests/mutation/constants.py).
NEARBY = (0.0047, 0.031, 0.113)


def drop_indifferent(comparison: Comparison) -> None:
    """Discard points at which the answer agrees with two branches of a root in the integrand.

    At such a point, the root is very small compared to the rest of the integrand. The branches of
    the root can therefore not be told apart.
    """
    seen = {choice for _, choice in comparison.flipped}
    comparison.drop([point for point in comparison.agreeing if not _tells(comparison, point, seen)])


def another_everywhere(comparison: Comparison) -> Outcome:
    """Refute the answer because the principal value of a root fits at no point."""
    point, _ = comparison.flipped[0]
    return comparison.refutation(
        point,
        "at every point compared, F' is the integrand with another value of a root than the "
        "principal one",
    )


def beside(points: Sequence[Point]) -> list[float]:
    """Real numbers close to given points, expected on the same branch of a root."""
    xs = [float(point.x.real) for point in points]
    shares = [sign * share for share in NEARBY for sign in (-1, 1)]
    return [x + share * (1 + abs(x)) for x in xs for share in shares]


def _tells(comparison: Comparison, point: Point, choices: Collection[Choice]) -> bool:
    """Whether the answer disagrees at a point with each of the branches in ``choices``."""
    bits = comparison.bits
    while bits <= comparison.max_bits:
        slope = comparison.slope(point, bits)
        agreements = [comparison.holds(slope, point, choice) for choice in choices]
        if True in agreements:
            return False
        if None not in agreements:
            return True
        bits *= 2
    return False


def change(comparison: Comparison) -> Outcome | None:
    """Refute an answer whose own roots, not those of the integrand, cause a change of branch.

    With a factor ``sqrt(u^2)/u``, an answer could change its sign anywhere. A change of branch
    between two points is *natural* if the radicand has a zero, a pole or values outside
    the reals between the two points. At least one third of the changes must
    be natural. An example is the integrand ``sqrt(1 + sin x)``. Half of the changes of the right
    answer ``-2 sqrt(1 - sin x)`` are natural.

    Two kinds of answers have stricter rules. Answers of the first kind have non-analytic parts,
    such as ``sqrt(u^2)``. Every change must then be natural. Between the two points of a change,
    the argument u of a non-analytic part may not change sign. Answers of the second kind have
    inverse functions with turning points, such as ``arcsin(cos x)``. Between the two points of
    every change, the radicand must then be negative somewhere. A zero of the radicand does not
    suffice, because the inverse functions may also turn at the zero.
    """
    if not comparison.flipped:
        return None
    ctx.prec = BASE_BITS
    f, values = comparison.pool.tape, comparison.pool.values
    marked: list[tuple[float, Point, Choice]] = sorted(
        [(float(p.x.real), p, ()) for p in comparison.agreeing]
        + [(float(p.x.real), p, choice) for p, choice in comparison.flipped],
        key=lambda row: row[0],
    )
    radicand = {slot: inner for slot, _, inner in f.radicals}
    tape = comparison.tape
    turns = may_turn(tape)
    unnatural: list[Point] = []
    natural = 0
    for (a, previous, flipped_a), (b, point, flipped_b) in itertools.pairwise(marked):
        changed = {radicand[slot] for slot, _, _ in set(flipped_a) ^ set(flipped_b)}
        comparison.budget.spend(radicals.EVALUATIONS * f.size * len(changed))
        if not changed:
            continue
        flipped_point = point if flipped_b else previous  # F' differs from f there
        if all(radicals.always_positive(f, slot, values, a, b) for slot in changed) or (
            turns and not any(radicals.is_negative(f, slot, values, a, b) for slot in changed)
        ):
            unnatural.append(flipped_point)
        elif _breaks_between(comparison, previous, point):
            return comparison.refutation(
                flipped_point, "the branch changes where the answer is not analytic"
            )
        else:
            natural += 1
    if unnatural and (tape.breaks or turns or len(unnatural) > 2 * natural or _has_modulus(tape)):
        return comparison.refutation(unnatural[0], "the branch changes where f has none")
    return None


def may_turn(tape: Tape) -> bool:
    """Whether an inverse function in an expression may turn back, as ``arccos(cos x)`` does."""
    return any(
        not (branch.root or has_fixed_branch(branch, tape.variable)) for branch in tape.branches
    )


def _has_modulus(tape: Tape) -> bool:
    """Whether a radicand has a square as a factor: ``sqrt(x^2 + 2x + 1)`` is |x + 1|."""
    return any(branch.root and squares(branch.argument, tape.variable) for branch in tape.branches)


def _breaks_between(comparison: Comparison, first_point: Point, second_point: Point) -> bool:
    """Whether the argument of a non-analytic part changes sign between two points."""
    sides = [
        comparison.tape.run(point.x, comparison.values, derivative=False)
        for point in (first_point, second_point)
    ]
    return any(
        (sides[0][brk.slot][0].real * sides[1][brk.slot][0].real) < 0
        for brk in comparison.tape.breaks
        if brk.at == "zero"
    )


def unless_inverted(refutation: Outcome, *trees: Expression) -> Outcome:
    """Make a refutation undecided if an expression has a part such as arctan(tan u).

    Any other refutation is returned unchanged. A part arctan(tan u) differs from u by a multiple of
    pi. The multiple changes at jumps. Two expressions may differ at the point of the refutation,
    and be equal between two other jumps. `RECORDS` has the inverse functions with jumps and turning
    points.
    """
    for node in (node for tree in trees for node in nodes_of(tree)):
        record = RECORDS.get(node.function)
        if record is None or record.branch not in ("turning", "jumping") or not node.args:
            continue
        if any(inner.function == record.inverse for inner in nodes_of(node.args[0])):
            return Outcome(Status.UNDECIDED, detail="equal at most between jumps of a function")
    return refutation
