"""The places where the roots, logarithms and inverse functions of an answer may change branch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from flint import acb, arb

from ...numeric.ball_arithmetic import jets as rules
from ...numeric.ball_arithmetic.balls import Branch, Break, Tape
from ...numeric.ball_arithmetic.compiler import compile_tape
from ...numeric.ball_arithmetic.domain import (
    WINDOW,
    Subexpression,
    breakpoints,
    crossings,
    merged,
)
from ...numeric.ball_arithmetic.jets import ONE, ZERO, Ball, Jet, is_unreal
from ...numeric.ball_arithmetic.magnitude import log2
from ...numeric.ball_arithmetic.point_count import has_fixed_branch
from ...numeric.ball_arithmetic.ranges import may_have_pole, never_vanishes
from ...numeric.comparison.at_points import Comparison
from ...numeric.sampling.pool import BASE_BITS
from ...reading.expression.traversal import (
    is_constant,
    is_written_with,
    without_factor,
    written_factors,
)
from ...reading.expression.tree import Call, Expression
from .form import branch_points, has_roots
from .jumps import enclosure
from .zeros import has_no_zeros, slope_factors, squares, zeros_and_poles

#: Most evaluations on intervals in the search for breakpoints of one non-analytic part.
MAX_SEARCH = 3000
#: The same for zeros of a radicand, beside which more points are taken, and for places where an
#: inverse function turns back. More if f changes somewhere, too: F may elsewhere.
MAX_RADICAND_SEARCH, MAX_THOROUGH_SEARCH = 120, 400
#: An interval without a decision up to this width is looked at as a whole: a jump shows in the
#: values of F at the ends unless f is large.
SMALL = 2.0**-8
#: Searches of what the first one left, and most evaluations of each. These decide all references
#: of the benchmark ``bee``, of which two remain with 400 evaluations, and all rows of the tests.
MAX_ROUNDS, MAX_REPEATED_SEARCH = 2, 2400
LOGARITHMS = frozenset((rules.ln, rules.ln_abs))
#: No place is looked for beyond 2^n, for this n.
MAX_REACH = 2**20


class CriticalInterval(NamedTuple):
    """An interval where an answer may jump, because a sub-expression crosses zero or an integer."""

    low: Ball
    high: Ball
    tape: Tape
    passing: Break


class BranchSearch:
    """The search for places where an answer F may change branch.

    Args:
        comparison: F' compared with the integrand f.
        formulas: F and f as expressions, or None.

    Attributes:
        budget: the evaluations of the first search for each sub-expression.
        is_incomplete: whether not all places within `WINDOW` are isolated.

    """

    def __init__(
        self, comparison: Comparison, formulas: tuple[Expression, Expression] | None
    ) -> None:
        self.at, self._formulas = comparison, formulas
        self.tape, self.pool = comparison.tape, comparison.pool
        self.budget, self.is_incomplete = MAX_RADICAND_SEARCH, False
        self._outer_logs: list[Tape] | None = None
        self._known: dict[tuple[Branch, float, int], list[CriticalInterval]] = {}

    def turns(self, branch: Branch, width: float) -> list[CriticalInterval]:
        """Intervals in which a root or logarithm may change branch.

        For an inverse function, the result contains the intervals in which the function may turn
        back. An example is arcsin(sin x).
        """
        key = branch, width, self.budget
        if key not in self._known:
            self._known[key] = self._search(branch, width)
        return self._known[key]

    def is_regular(self, interval: CriticalInterval) -> bool:
        """Whether the integrand is analytic in an interval.

        No argument of a root, logarithm or non-analytic part may vanish in the interval.
        """
        f, x = self.pool.tape, acb(interval.low.union(interval.high))
        jets = self.at.run(f, x, derivative=False)
        slots = [branch.slot for branch in f.branches if branch.root]
        slots += [brk.slot for brk in f.breaks]
        values = [jets[slot][0] for slot in slots]
        values += [self.at.part(tape, tape.root, x, derivative=False)[0] for tape in self._logs()]
        return not any(value.contains(ZERO) for value in values)

    def is_cut(self, branch: Branch, interval: CriticalInterval) -> bool:
        """Whether the argument of a root or logarithm may cross the branch cut in an interval.

        The argument must contain i, and its real part must be negative in the interval.
        """
        value = self._argument(branch, interval)
        return value.real < 0 and is_written_with(branch.argument, "i")

    @property
    def reach(self) -> int:
        """An n such that a breakpoint ``c`` of ``|x - c|`` is below 2^n.

        Such a number is a product of numbers and constants of the answer, or of their reciprocals.
        """
        constants = [c.abs_upper() for c in self.tape.constants() if c.is_finite()]
        sizes = [abs(log2(size)) for size in constants if not size.is_zero()]
        reach = sum(self.tape.literals.values()) + int(max(sizes, default=0)) + 8
        if any(rule in LOGARITHMS for _, rule, _ in self.tape.operations()):
            # ln x is 100 at e^100, which is below 2^200.
            reach += 2 * max(
                [int(float(size)) + 1 for size in constants if size < MAX_REACH], default=0
            )
        return min(reach, MAX_REACH)

    def _search(self, branch: Branch, width: float) -> list[CriticalInterval]:
        if not (branch.root or branch.turns):
            return []
        argument, variable = branch.argument, self.tape.variable
        # A bound holds where all roots are real: sqrt(x)^2 + 1 vanishes at -1.
        steady = branch.root and never_vanishes(argument) and not has_roots(argument)
        passing = [(self.tape, Break(branch.slot, "zero"))] if branch.root and not steady else []
        factors: list[Expression] = []
        if not (steady or has_fixed_branch(branch, variable)):
            # Where an argument touches 0, or 1 as in arccos(cos x), a factor of its slope is 0.
            factors += slope_factors(argument, variable)
        has_extrema = bool(factors) and not has_roots(argument)
        if branch.root and may_have_pole(argument, variable):
            has_extrema = False
            factors += squares(argument, variable)
        if branch.root and argument.function in ("mul", "div", "neg"):
            # Steep factors are easier to isolate than their product.
            written = written_factors(argument, variable)
            factors += [factor for factor in written if not never_vanishes(factor)]
        passing += [(tape, Break(tape.root, "zero")) for tape in map(self._compiled, factors)]
        at_cut = None
        if branch.root and is_written_with(argument, "i"):
            at_cut = self._compiled(Call("im", (argument,)))
            passing.append((at_cut, Break(at_cut.root, "zero")))
        critical: list[CriticalInterval] = []
        incomplete: list[Tape] = []
        for tape, zero in passing:
            at = partial(self._off_cut, branch) if tape is at_cut else self.at.part
            intervals, is_complete = self._passed(partial(at, tape, zero.slot), branch, width)
            incomplete += [] if is_complete else [tape]
            critical += [CriticalInterval(low, high, tape, zero) for low, high in intervals]
        if incomplete == [self.tape] and has_extrema:
            critical += self._between_extrema(branch, critical, width)
        elif incomplete and not has_no_zeros(argument, variable):
            factors = zeros_and_poles(argument, variable)
            for tape in map(self._compiled, factors):
                at_factor = partial(self.at.part, tape, tape.root)
                intervals, is_complete = self._passed(at_factor, branch, width)
                zero = Break(tape.root, "zero")
                critical += [CriticalInterval(low, high, tape, zero) for low, high in intervals]
                self.is_incomplete |= not is_complete
            self.is_incomplete |= not factors or incomplete != [self.tape]
        may_change = [interval for interval in critical if self._may_change(branch, interval)]
        if any(interval.tape is self.tape for interval in may_change) and has_no_zeros(
            argument, variable
        ):
            # Where x + sqrt(x^2 + 1) is tiny, no digits tell it from zero on an interval.
            may_change = [interval for interval in may_change if interval.tape is not self.tape]
        return sorted(may_change, key=lambda interval: abs(float(interval.low)))

    def _passed(
        self, subexpression: Subexpression, branch: Branch, width: float
    ) -> tuple[list[tuple[Ball, Ball]], bool]:
        """Intervals in which a sub-expression may be zero, and whether all in `WINDOW` are found.

        Zeros of radicands of f, and poles of f, are left out.
        """
        search = partial(breakpoints, subexpression, "zero")
        intervals, unsure = search(self.budget, width, self.reach)
        if self._ends_domain(branch):
            return intervals, True
        # What is left is searched again. Small intervals that remain count as places themselves,
        # neighbours as one.
        unsure = [interval for interval in unsure if self._is_in_domain(*interval)]
        small: list[tuple[Ball, Ball]] = []
        for _ in range(MAX_ROUNDS if unsure else 0):
            further, left = search(MAX_REPEATED_SEARCH, isolating_width(BASE_BITS), cells=unsure)
            left = [interval for interval in left if self._is_in_domain(*interval)]
            intervals += further
            small += [interval for interval in left if interval[1] - interval[0] <= SMALL]
            unsure = [interval for interval in left if not interval[1] - interval[0] <= SMALL]
            if not unsure:
                break
        return [*intervals, *merged(small, width)], not unsure

    def _is_in_domain(self, low: Ball, high: Ball) -> bool:
        """Whether f is real at an end of an interval, and bounded in the interval."""
        if enclosure(self.at, acb(low), acb(high)) is None:
            return False
        values = [self.at.integrand(acb(end)) or ZERO for end in (low, high)]
        return any(value.is_finite() and not is_unreal(value) for value in values)

    def _between_extrema(
        self, branch: Branch, critical: Sequence[CriticalInterval], width: float
    ) -> list[CriticalInterval]:
        """Intervals in which a branch's argument changes sign, within `WINDOW`.

        The intervals ``critical`` contain all zeros of the argument's slope, between which the
        argument is monotone.
        """
        subexpression = partial(self.at.part, self.tape, branch.slot)
        bounds = sorted((i for i in critical if i.tape is not self.tape), key=lambda i: i.low)
        lows = [arb(-WINDOW), *(interval.high for interval in bounds)]
        highs = [*(interval.low for interval in bounds), arb(WINDOW)]
        return [
            CriticalInterval(low, high, self.tape, Break(branch.slot, "zero"))
            for ends in zip(lows, highs, strict=True)
            if ends[0] < ends[1]
            for low, high in crossings(subexpression, "zero", *ends, width)
        ]

    def _off_cut(
        self, branch: Branch, tape: Tape, slot: int, x: Ball, *, derivative: bool = True
    ) -> Jet:
        """The imaginary part of a branch's argument, or 1 on intervals off the branch cut.

        Off the cut the real part is positive. Values at points keep their sign: points off the cut
        are the ends of intervals in which the argument may cross the cut.
        """
        on_interval = not x.real.is_exact()
        if on_interval and self.at.part(self.tape, branch.slot, x, derivative=False)[0].real > 0:
            return ONE, None
        return self.at.part(tape, slot, x, derivative=derivative)

    def _compiled(self, expression: Expression) -> Tape:
        return compile_tape(expression, self.tape.variable)

    def _may_change(self, branch: Branch, interval: CriticalInterval) -> bool:
        value = self._argument(branch, interval)
        if not branch.root:
            return bool(value.real.contains_integer())
        return bool(value.contains(ZERO)) or self.is_cut(branch, interval)

    def _argument(self, branch: Branch, interval: CriticalInterval) -> Ball:
        x = acb(interval.low.union(interval.high))
        return self.at.part(self.tape, branch.slot, x, derivative=False)[0]

    def _logs(self) -> list[Tape]:
        """The arguments of those logarithms in f that are no branches of f's tape."""
        if self._outer_logs is None:
            known = {branch.argument for branch in self.pool.tape.branches}
            self._outer_logs = [
                self._compiled(argument)
                for argument in self._ends_of_domain() - known
                if not is_constant(argument, self.tape.variable)
            ]
        return self._outer_logs

    def _ends_of_domain(self) -> frozenset[Expression]:
        if self._formulas is None:
            return frozenset(branch.argument for branch in self.pool.tape.branches if branch.root)
        return branch_points(self._formulas[1])

    def _ends_domain(self, branch: Branch) -> bool:
        """Whether f has the same radicand or argument, and so is not analytic at its zeros."""
        argument, *arguments = map(
            self._apart_from_order, (branch.argument, *self._ends_of_domain())
        )
        return branch.root and argument in arguments

    def _apart_from_order(self, argument: Expression) -> Expression | frozenset[Expression]:
        """An argument without a constant factor, and if it is a sum, the set of its terms."""
        argument = without_factor(argument, self.tape.variable)
        return frozenset(argument.args) if argument.function == "add" else argument


def isolating_width(bits: int) -> float:
    """The width 2^(-3 bits/8) of the intervals that isolate zeros.

    For a double zero, no width below 2^(-bits/2) can be reached.
    """
    return 2.0 ** -(bits * 3 // 8)
