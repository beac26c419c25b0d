"""The last checks before an answer is accepted without a proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from flint import ctx

from ...numeric.ball_arithmetic.compare import POINT_BITS, compare, differ
from ...numeric.ball_arithmetic.jets import ZERO
from ...numeric.ball_arithmetic.magnitude import log2
from ...numeric.ball_arithmetic.point_count import BRANCHING_POINTS, points_wanted
from ...numeric.comparison.at_points import MAX_SPECIAL_BITS, Comparison
from ...numeric.outcome import Outcome
from ...numeric.sampling.events import FAR_POINTS, beyond_reach, places, spread
from ...numeric.sampling.pool import MIN_POINTS, Point
from . import branches
from .visibility import Unseen, effects

#: Points and bits of this look. (A function of `SLOW` gets fewer bits.) 2816 bits tell numbers
#: apart that agree to 840 digits, e^{-1900} from 0. Half of either changes no verdict of the
#: corpora and saves 2 % of the counted work, twice costs 2 % (tests/mutation/constants.py).
CONFIRMING_POINTS, CONFIRMING_BITS = 16, 2816
#: A part shows if its effect exceeds the error by so many bits: more than the `STEP_BITS` by which
#: the effect itself is only estimated. 8 or 32 change no verdict (tests/mutation/constants.py).
SEEN_BITS = 16


class Confirmation:
    """The last checks of an answer, at high precision and at distant points.

    A part of an expression is visible at a point if the effect on the value exceeds the error
    (`visibility`).

    Attributes:
        unseen_in_answer: the parts of the answer F visible at no point so far.
        unseen_in_integrand: the parts of the integrand f visible at no point so far.
        analytic: whether F and f are free of absolute values, steps and cases.
        turns: whether F has an inverse function with turning points, such as arccos(cos x), or with
            jumps, such as arctan(tan x).
        agreement: the largest number of bits to which F' and f agree at a point.

    """

    def __init__(self, comparison: Comparison) -> None:
        self.at = comparison
        self.tape, self.pool = comparison.tape, comparison.pool
        self.unseen_in_answer, self.unseen_in_integrand = Unseen(), Unseen()
        self.analytic = self.tape.is_analytic and self.pool.tape.is_analytic
        # arctan(tan x) jumps; of derivatives, the search for jumps takes care
        self.turns = branches.may_turn(self.tape) or bool(self.tape.poles and not comparison.order)
        self.agreement = -math.inf

    def refute(self) -> Outcome | None:
        """Look for a point of disagreement between F' and the integrand f.

        The search ends when every part of F and f has been visible: its effect exceeds the error.
        The comparison uses high precision and distant points. Points near zeros and turning points
        (`rewards.numeric.sampling.events`) are added in three cases: a part has been visible at no
        point, F or f is not analytic, or F may turn back between the points. The result is None if
        no fault is found.
        """
        flipped = len(self.at.flipped)
        longest = self._longest_number()
        refuted = self._look_closer(self.at.agreeing[:MIN_POINTS])
        refuted = refuted or self._show(self.at.agreeing[:BRANCHING_POINTS], self.at.bits)
        if refuted is None and (self.turns or not (self.analytic and self.all_seen)):
            agreeing_before = len(self.at.agreeing)
            refuted = self.at.visit_new((*self.pool.events(), *places(self.tape, self.at.values)))
            at_events = self.at.agreeing[agreeing_before:]
            refuted = refuted or self._show(at_events, self.at.bits)
            if self.turns:  # what turns back may be small beside e^{x^2}
                refuted = refuted or self._look_closer(at_events, hidden=True)
        refuted = refuted or self.at.visit_new(FAR_POINTS)
        branching = BRANCHING_POINTS in map(points_wanted, (self.tape, self.pool.tape))
        if self.turns or self.tape.poles or branching or not self.analytic:
            refuted = refuted or self._look_beyond()
        if len(self.at.flipped) > flipped:
            refuted = refuted or branches.change(self.at)
        if refuted is None:
            chosen = spread(self.at.agreeing, CONFIRMING_POINTS)
            bits = CONFIRMING_BITS
            while refuted is None and self.agreement < longest + POINT_BITS:
                bits = min(bits, self.at.max_bits)
                refuted = self._show(chosen, bits, every=True)
                if bits == self.at.max_bits:
                    break
                bits *= 2
        if refuted is None and self.at.max_bits > CONFIRMING_BITS and not self.all_seen:
            # Where terms are in balance, they may be small beside a third.
            refuted = self._show(self.at.agreeing, self.at.max_bits)
        ctx.prec = self.at.bits
        if refuted is None and self.agreement < longest + POINT_BITS:
            return self.at.undecided("a number is too long to be compared")
        if refuted is None and not self.all_seen:
            whose = "answer" if self.unseen_in_integrand.all_seen else "integrand"
            return self.at.undecided(f"a part of the {whose} is too small to be seen at any point")
        return refuted

    @property
    def all_seen(self) -> bool:
        """Whether each part of answer and integrand had an effect above the error at some point."""
        return self.unseen_in_answer.all_seen and self.unseen_in_integrand.all_seen

    def _look_closer(self, points: Sequence[Point], hidden: bool = False) -> Outcome | None:
        """Refute the answer if F' differs from f at high precision, at a few points.

        If ``hidden`` is true, the outcome is undecided if F' is so large that 1 does not show
        beside it.
        """
        bits = min(CONFIRMING_BITS, self.at.max_bits)
        for point in points:
            _, slope = self.at.derivative(point, bits)
            if differ(slope, self.pool.f(point, bits)):
                return self.at.refutation(point, bits=bits)
            if hidden and slope.is_finite() and log2(slope.abs_upper()) > bits - SEEN_BITS:
                return self.at.undecided("an inverse function may turn back beside great numbers")
        ctx.prec = self.at.bits
        return None

    def _look_beyond(self) -> Outcome | None:
        """Compare the answer with the integrand at points beyond the large numbers in both."""
        sizes = beyond_reach(self.tape, self.pool.tape)
        # Beside so great an x, a constant term shows with more bits than x has.
        longest = self._longest_number()
        if sizes and longest + POINT_BITS > self.at.max_bits:
            return self.at.undecided("a number is too long to be compared")
        bits = min(self.at.max_bits, CONFIRMING_BITS + longest)
        for point in (Point(sign * size, measured=False) for size in sizes for sign in (1, -1)):
            if self.pool.usable(point.x) is None:
                continue
            _, slope = self.at.derivative(point, bits)
            if differ(slope, self.pool.f(point, bits)) and self.at.other_branch(point) is None:
                return self.at.refutation(point, bits=bits)
        ctx.prec = self.at.bits
        if sizes and self.turns:  # as arcsin(sin(x/10^20)) does, on half of the line
            return self.at.undecided("an inverse function may turn back beyond all points")
        return None

    def _show(
        self,
        points: Sequence[Point],
        bits: int,
        *,
        every: bool = False,
    ) -> Outcome | None:
        """Record the visible parts of answer and integrand at points. Refute the answer if F'
        and f differ at a point.

        If ``every`` is true, all points are compared. Otherwise the loop stops when all parts have
        been visible, unless an expression is not analytic. A part without an effect at one point,
        as in ``max(x, 0)``, may have an effect at another point.
        """
        pool, tape = self.pool, self.tape
        for point in points:
            if not every and self.analytic and self.all_seen:
                break
            # Values that differ refute at once. Values that agree show only parts above the error.
            jets, slope = self.at.derivative(point, bits)
            target = pool.tape.run(point.x, pool.values, derivative=pool.order == 1)
            expected = target[pool.tape.root][pool.order] or ZERO
            agreement = compare(
                slope,
                expected,
                enough=math.inf if every else -math.inf,
                scale=partial(self.at.scale, point, expected, jets),
            )
            if agreement.same is False:
                return self.at.refutation(point, bits=bits)
            if not agreement.difference.is_finite():
                continue
            error = log2(agreement.difference.abs_upper())
            if every:
                self.agreement = max(self.agreement, agreement.bits)
            for unseen, program, values, order in (
                (self.unseen_in_answer, tape, jets, self.at.order),
                (self.unseen_in_integrand, pool.tape, target, pool.order),
            ):
                if not (self.analytic and unseen.all_seen):
                    self.at.budget.spend(2 * program.work(bits))
                    unseen.see(effects(program, values, order), error, SEEN_BITS)
        return None

    def _longest_number(self) -> int:
        """The number of bits that may agree although a number in the answer is wrong.

        The result is the total length of the numbers in answer and integrand. If special functions
        limit the precision, the result is the length of the longest number.
        """
        if self.at.max_bits == MAX_SPECIAL_BITS:
            return max(self.tape.literal_bits, self.pool.tape.literal_bits)
        return sum((self.tape.literals | self.pool.tape.literals).values())
