"""Decides whether F' = f, on expression trees: rigorous refutation, agreement to many digits.

At points of f's real domain, the derivative of F is enclosed in a ball and compared with that of f.
The precision rises until the balls separate (a proof that they differ) or agree to `AGREE_BITS`.
See docs/verifier.md for the rules and for how a decision can be wrong.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from zlib import crc32

from flint import acb, arb, ctx

from ..expression.tree import Expression
from ..verdict import Status, Witness
from . import radicals
from .balls import Branch, Break, Conventions, Tape, compile_tape, precision
from .confirmation.events import FAR_POINTS, places, spread
from .confirmation.parameters import draws
from .confirmation.visibility import Unseen, effects
from .domain import breakpoints, isolate, pole_crossings, uniform
from .integrand import BASE_BITS, MIN_POINTS, Integrand, Point, Pool
from .jets import ZERO, Ball, Jet
from .jumps import jump
from .magnitude import log2
from .point_count import BRANCHING_POINTS, has_fixed_branch, points_wanted, polynomial
from .prover import Proof, prove
from .radicals import Choice

#: Bits to which F' and f must agree, relative to f (19 decimal digits).
AGREE_BITS = 64
#: Precision is doubled up to this many bits, and with special functions only up to fewer.
MAX_BITS, MAX_SPECIAL_BITS = 4096, 512
#: A term of F counts as checked where its derivative exceeds the error radius by this factor.
SEEN = arb(2**16)
#: Points that measure coverage once a branch of f's radicals differs somewhere.
COVERAGE_POINTS = 32
#: A ball around zero is taken for zero at this precision, relative to the terms that cancel.
ZERO_BITS = 1024
#: Points and bits of the last look before an acceptance. (A function of `SLOW` gets fewer bits.)
CONFIRMING_POINTS, CONFIRMING_BITS = 16, 2816
#: A longer sum or product, unless it is proved, may be a truncated series or a quadrature rule.
MAX_TERMS = 30
#: A part shows if its effect exceeds the error by so many bits.
SEEN_BITS = 16
#: Work units (slots evaluated, times precision over 64 bits) after which a verdict is undecided.
BUDGET = 4_000_000
#: Most evaluations on intervals in the search for breakpoints of one non-analytic part.
MAX_SEARCH = 3000
#: Precision of the comparison beside zeros of the answer's radicands.
THOROUGH_BITS = 1024
#: Breakpoints are isolated at this precision, so that slopes do not pass for jumps.
JUMP_BITS, MAX_JUMP_BITS = 512, 2048
#: Beside larger values of f, in bits, a jump of the answer cannot be excluded.
MAX_MAGNITUDE = 20_000
#: The size of f is first measured so far away, and then closer, so many times.
NEARBY, MAX_CLOSER_LOOKS = arb(2) ** -128, 3
#: The same as `MAX_SEARCH`, for zeros of a radicand, beside which more points are taken.
MAX_RADICAND_SEARCH = 80
#: Longer answers are not searched for jumps of inverse functions, which are only flagged.
MAX_FLAGGED = 400


CONVENTION_FLAGS: dict[Conventions, tuple[str, ...]] = {
    Conventions(): (),
    Conventions(real_roots=False): ("principal_roots",),
    Conventions(textbook_secants=True): ("textbook_secants",),
    Conventions(real_bars=True): (),
}


@dataclass(frozen=True, slots=True)
class DecisionPolicy:
    """What counts as correct (see `verify_antiderivative`)."""

    strict_domain: bool = False
    require_continuous: bool = False


@dataclass(frozen=True, slots=True)
class Refutation:
    """A point, by the values of all symbols, at which two balls are proven to differ."""

    point: Mapping[str, Ball]
    derivative: Ball
    f: Ball
    bits: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A decision with its evidence; see `rewards.verdict.Evidence` for the fields."""

    status: Status
    points: int = 0
    digits: float = 0.0
    coverage: float | None = None
    witness: Witness | None = None
    flags: tuple[str, ...] = ()
    detail: str = ""
    proof: str = ""
    rules: tuple[str, ...] = ()
    refutation: Refutation | None = None


class _OutOfBudgetError(Exception):
    """The deterministic work budget of one verdict is spent."""


def decide(
    answer: Expression, integrand: Integrand, policy: DecisionPolicy, key: str, *, order: int = 1
) -> Outcome:
    """Decide whether an expression is an antiderivative of an integrand.

    Where usage differs (`rewards.decision.balls.Conventions`), one convention has to fit.

    Args:
        answer: F.
        integrand: f.
        policy: what counts as correct.
        key: seeds the choice of sample points.
        order: 1 compares F' with f; 0 compares F with f.

    Returns:
        The decision with its evidence.

    Raises:
        UnusableError: the answer is too large to compile.

    """
    variant = crc32(key.encode("utf-8", "surrogatepass"))

    def judge(conventions: Conventions) -> tuple[Outcome, Tape, Tape]:
        tape = compile_tape(answer, integrand.variable, conventions)
        pool = integrand.pool(conventions, variant)
        with precision(BASE_BITS):
            try:
                decision = _Decision(tape, pool, policy, variant, order)
                if conventions == Conventions() and order == 1 and not integrand.differentiate:
                    decision.prover = partial(_prove, answer, integrand, pool)
                outcome = decision.run()
                if outcome.status is Status.CORRECT and decision.proof is None:
                    outcome = other_draws(tape, conventions) or outcome
            except _OutOfBudgetError:
                outcome = Outcome(Status.UNDECIDED, detail="work budget spent")
        return outcome, tape, pool.tape

    def other_draws(tape: Tape, conventions: Conventions) -> Outcome | None:
        """A refutation at further values of the parameters."""
        names, kinds = integrand.parameters, integrand.assumptions
        for given in draws(names, kinds, integrand.variable, (integrand.expression, answer)):
            pool = integrand.pool(conventions, variant, given)
            refuted = _Decision(tape, pool, policy, variant, order).refutation()
            if refuted is not None:
                return refuted
        return None

    first, *tapes = judge(Conventions())
    others: list[Conventions] = []
    if any(tape.odd_roots for tape in tapes):
        others.append(Conventions(real_roots=False))
    if any(tape.secants for tape in tapes) and not policy.strict_domain:
        others.append(Conventions(textbook_secants=True))
    if any(tape.bars for tape in tapes):
        others.append(Conventions(real_bars=True))
    for conventions in others if first.status is not Status.CORRECT else ():
        outcome, *_ = judge(conventions)
        if outcome.status is Status.CORRECT:
            return outcome
    return first


def _prove(answer: Expression, integrand: Integrand, pool: Pool) -> Proof | None:
    """A proof that holds with the default conventions, on the domain that ``pool`` found."""
    kinds = {name: integrand.assumptions.get(name, "positive") for name in integrand.parameters}
    real = pool.tier == "real"
    return prove(answer, integrand.expression, integrand.variable, kinds, real_parts=real)


class _Decision:
    """One answer against one pool of points."""

    def __init__(
        self, tape: Tape, pool: Pool, policy: DecisionPolicy, variant: int, order: int
    ) -> None:
        self.tape, self.pool, self.policy, self.order = tape, pool, policy, order
        self.values: dict[str, Ball] = dict(pool.values)
        for name in tape.symbols:
            if name != tape.variable and name not in self.values:
                # A symbol that only the answer has: a constant of integration, any real number.
                self.values[name] = _any_constant(name, variant % 16)
        self.unseen = set(tape.terms) if len(tape.terms) > 1 else set()
        self.agreeing: list[Point] = []
        self.flipped: list[tuple[Point, Choice]] = []
        self.bits_of_agreement = float(MAX_BITS)
        self.agreement = -math.inf
        self.touching: list[tuple[Ball, Ball]] = []
        self.prover: Callable[[], Proof | None] | None = None
        self.proof: Proof | None = None
        self.finite = False
        self.hidden = False
        self.too_large = False
        self.valueless: list[float] = []
        self.smooth = not (tape.breaks or tape.branches)
        self.spent = 0
        self.max_bits = MAX_SPECIAL_BITS if tape.special or pool.tape.special else MAX_BITS
        self.faint = tape.faintness(self.max_bits)
        literal = max(tape.literal_bits, pool.tape.literal_bits, self.faint)
        self.bits = BASE_BITS if literal <= 32 else BASE_BITS + 64 * (literal // 32)
        self.bits = min(self.bits, self.max_bits)

    # --- the course of a verdict ---

    def run(self) -> Outcome:
        pool, tape = self.pool, self.tape
        wanted = max(points_wanted(tape), points_wanted(pool.tape))
        refuted = self._visit(pool.take(wanted)[:MIN_POINTS])
        if refuted is None and self.prover and not self.flipped:
            self.proof = self.prover()
            if self.proof and self._needs_no_more_points():
                return self._accepted()
        if refuted is None:
            refuted = self._visit(pool.take(wanted)[MIN_POINTS:])
        if refuted is None and pool.tier == "complex" and tape.breaks:
            return self._undecided("f is real nowhere, and no disc decides")
        if refuted is None and (pool.tape.breaks or pool.tape.branches):
            refuted = self._visit(pool.between())
        if refuted is None and self.flipped:
            refuted = self._visit(pool.take(COVERAGE_POINTS)[wanted:])
        if refuted is None and self._usable() < MIN_POINTS:
            refuted = self._visit(pool.take(4 * wanted)[wanted:])
        if refuted is None and self._usable() < MIN_POINTS:
            refuted = self._visit(pool.finer(), enough=wanted)
        if refuted is not None:
            return refuted
        if self._usable() < MIN_POINTS:
            return self._undecided(f"only {self._usable()} usable points")
        if self.flipped:
            self._drop_indifferent()
        if self.flipped and len(self.agreeing) < MIN_POINTS:
            point, _ = self.flipped[0]
            if self.agreeing:
                return self._undecided("the right branch holds at too few points")
            return self._refutation(point, "another branch of the integrand's radicals everywhere")
        if not self.finite:
            return self._undecided("the answer has no finite value at any point")
        if self.faint > self.max_bits - 2 * AGREE_BITS:
            return self._undecided("a constant of the answer is too near to a whole number")
        refuted = self._branch_change() or self._jumps() or self._look_for_unseen_terms()
        if refuted is None and self.proof is None:
            refuted = self._confirm()
        return refuted or self._accepted()

    def refutation(self) -> Outcome | None:
        """An outcome if one of the first points refutes; for further draws of the parameters."""
        points = self.pool.take(2 * MIN_POINTS)
        return self._visit(points) if self.pool.tier == "real" else None

    def _usable(self) -> int:
        return len(self.agreeing) + len(self.flipped)

    def _visit(
        self, points: Sequence[Point], *, thorough: bool = False, enough: int | None = None
    ) -> Outcome | None:
        """Compare at each point, or until ``enough`` are usable; the outcome if one refutes."""
        for point in points:
            if enough is not None and self._usable() >= enough:
                break
            agreement = self._compare(point, thorough)
            if agreement is None:
                continue
            if agreement:
                self.agreeing.append(point)
                continue
            branch = None if self.policy.strict_domain else self._other_branch(point)
            if branch is None:
                return self._refutation(point)
            self.flipped.append((point, branch))
        return None

    def _derivative(self, point: Point, bits: int) -> tuple[list[Jet], Ball]:
        """All jets at a point, and the value to compare: F' (or F, with order 0).

        Leaves the working precision at ``bits``; `decide` restores it.
        """
        self._spend(self.tape.size * (1 + bits // 64))
        if ctx.prec != bits:
            ctx.prec = bits
        jets = self.tape.run(point.x, self.values, derivative=self.order == 1)
        return jets, jets[self.tape.root][self.order] or ZERO

    def _compare(self, point: Point, thorough: bool = False) -> bool | None:
        """True: agree to `AGREE_BITS`. False: proven different. None: undecided at this point.

        If ``thorough``, agreement must be so close that no term of the answer is hidden by it.
        """
        bits, radius_before = self.bits, math.inf
        # Between breakpoints every term must be checked; beside a radicand's zero it need not be.
        thorough_bits = self.max_bits if self.tape.breaks else THOROUGH_BITS
        while bits <= self.max_bits:
            jets, slope = self._derivative(point, bits)
            expected = self.pool.f(point, bits)
            difference = slope - expected
            if difference.is_finite():
                if not difference.contains(ZERO):
                    return False
                # Balls that overlap agree to the accuracy that both have.
                agreed = min(slope.rel_accuracy_bits(), expected.rel_accuracy_bits())
                if agreed < AGREE_BITS:
                    agreed = self._scale(point, expected, jets) - log2(difference.abs_upper())
                hides = thorough and agreed >= AGREE_BITS and self._hides(jets, difference)
                if agreed >= AGREE_BITS and not (hides and bits < thorough_bits):
                    self.hidden |= hides
                    self.bits_of_agreement = min(self.bits_of_agreement, agreed, bits)
                    if not self.finite:
                        self.finite = jets[self.tape.root][0].is_finite()
                    if self.unseen:
                        self._see_terms(jets, difference)
                    return True
                # A ball on a branch cut never shrinks: give this point up.
                radius = log2(difference.abs_upper())
                if radius > radius_before - 16:
                    return None
                radius_before = radius
            elif bits > 2 * self.bits:
                if thorough and not slope.is_finite() and self.tape.undefined(jets):
                    self.valueless.append(float(point.x.real))
                return None
            bits *= 2
        return None

    def _hides(self, jets: Sequence[Jet], difference: Ball) -> bool:
        """Whether the error is so large that it could hide a term of the answer."""
        least = difference.abs_upper() * SEEN
        slopes = [jets[slot][self.order] for slot in self.tape.terms]
        return any(
            not (slope is None or slope.is_zero() or slope.abs_lower() > least) for slope in slopes
        )

    def _scale(self, point: Point, expected: Ball, jets: Sequence[Jet]) -> float:
        """log2 of |f|, or of the largest term that cancels where f appears to be zero."""
        if not expected.contains(ZERO):
            return log2(expected.abs_lower())
        if not expected.is_zero() and ctx.prec < ZERO_BITS:
            return -math.inf
        f = self.pool.tape
        parts = [jets[slot][self.order] for slot in self.tape.terms]
        parts += [f.run(point.x, self.pool.values, derivative=False)[slot][0] for slot in f.terms]
        return max((log2(part.abs_upper()) for part in parts if part is not None), default=0.0)

    def _see_terms(self, jets: Sequence[Jet], difference: Ball) -> None:
        least = difference.abs_upper() * SEEN
        for slot in tuple(self.unseen):
            slope = jets[slot][self.order]
            # An exact zero is a term that vanishes, unless it is a step between its jumps.
            if slope is None or (self.smooth and slope.is_zero()) or slope.abs_lower() > least:
                self.unseen.discard(slot)

    def _spend(self, units: int) -> None:
        self.spent += units
        if self.spent > BUDGET:
            raise _OutOfBudgetError

    # --- outcomes ---

    def _undecided(self, detail: str) -> Outcome:
        return Outcome(Status.UNDECIDED, points=self._usable(), detail=detail)

    def _refutation(self, point: Point, detail: str = "", *, bits: int | None = None) -> Outcome:
        bits = bits or self.bits
        _, slope = self._derivative(point, bits)
        expected = self.pool.f(point, bits)
        names = "".join(f", {k}={show(v)}" for k, v in sorted(self.values.items()))
        witness = Witness(
            point=f"{self.tape.variable}={show(point.x)}{names}",
            expected=show(expected),
            got=show(slope),
        )
        apart = not (slope - expected).contains(ZERO)
        values = {**self.values, self.tape.variable: point.x}
        return Outcome(
            Status.INCORRECT,
            self._usable() + 1,
            witness=witness,
            detail=detail,
            proof="witness",
            refutation=Refutation(values, slope, expected, bits) if apart else None,
        )

    # --- the exception for the integrand's own radicals ---

    def _other_branch(self, point: Point) -> Choice | None:
        """The branches of f's radicals with which f equals F' here."""
        if not self.pool.tape.radicals:
            return None
        _, slope = self._derivative(point, 2 * self.bits)
        known = self.flipped[-1][1] if self.flipped else None
        for choice in radicals.choices(self.pool.tape, known):
            if self._holds(slope, point, choice):
                return choice
        return None

    def _holds(self, slope: Ball, point: Point, choice: Choice) -> bool | None:
        """Whether F' agrees with f on another branch; None: undecided at this precision."""
        f = self.pool.tape
        self._spend(f.size * (1 + ctx.prec // 64))
        value = radicals.value(f, point.x, self.pool.values, choice)
        difference = slope - value
        if not difference.is_finite():
            return None
        if not difference.contains(ZERO):
            return False
        agreed = log2(value.abs_lower()) - log2(difference.abs_upper())
        return True if agreed > AGREE_BITS else None

    def _drop_indifferent(self) -> None:
        """Drop points that agree with the principal branch and also with another one.

        Both agree where a radical contributes too little to f.
        """
        seen = {choice for _, choice in self.flipped}
        self.agreeing = [point for point in self.agreeing if self._tells(point, seen)]

    def _tells(self, point: Point, choices: Collection[Choice]) -> bool:
        """Whether F' differs at a point from f on each of these branches."""
        bits = 2 * self.bits
        while bits <= self.max_bits:
            _, slope = self._derivative(point, bits)
            agreements = [self._holds(slope, point, choice) for choice in choices]
            if True in agreements:
                return False
            if None not in agreements:
                return True
            bits *= 2
        return False

    def _branch_change(self) -> Outcome | None:
        """Refute a change of branch that comes from the answer, not from the integrand.

        ``sqrt(u^2)/u`` could give an answer any sign anywhere. So some change must be natural: the
        changing radicand vanishes, has a pole or leaves the reals between two points. If the
        answer has non-analytic parts every change must be, and none may be where they break.
        """
        if not self.flipped:
            return None
        ctx.prec = BASE_BITS
        f, values = self.pool.tape, self.pool.values
        marked: list[tuple[float, Point, Choice]] = sorted(
            [(float(p.x.real), p, ()) for p in self.agreeing]
            + [(float(p.x.real), p, choice) for p, choice in self.flipped],
            key=lambda row: row[0],
        )
        radicand = {slot: inner for slot, _, inner in f.radicals}
        unnatural: list[Point] = []
        natural = False
        for (a, before, left), (b, point, right) in itertools.pairwise(marked):
            changed = {radicand[slot] for slot, _, _ in set(left) ^ set(right)}
            self._spend(64 * f.size * len(changed))
            if not changed:
                continue
            if all(radicals.always_positive(f, slot, values, a, b) for slot in changed):
                unnatural.append(point)
            elif self._breaks_between(before, point):
                return self._refutation(
                    point, "the branch changes where the answer is not analytic"
                )
            else:
                natural = True
        if unnatural and (self.tape.breaks or not natural):
            return self._refutation(unnatural[0], "the branch changes where f has none")
        return None

    def _breaks_between(self, one: Point, two: Point) -> bool:
        """Whether the sign of a non-analytic part's argument differs between two points."""
        sides = [self.tape.run(point.x, self.values, derivative=False) for point in (one, two)]
        return any(
            (sides[0][brk.slot][0].real * sides[1][brk.slot][0].real) < 0
            for brk in self.tape.breaks
            if brk.at == "zero"
        )

    # --- terms too small to be seen at the points ---

    def _look_for_unseen_terms(self) -> Outcome | None:
        """Check the remaining terms at more points, then with more bits; else undecided."""
        if not self.unseen:
            return None
        refuted = self._visit(self.pool.take(4 * BRANCHING_POINTS)[self._usable() :])
        if refuted is not None:
            return refuted
        bits = 4 * self.bits
        while self.unseen and bits <= self.max_bits:
            for point in self._where_largest():
                jets, slope = self._derivative(point, bits)
                difference = slope - self.pool.f(point, bits)
                if not difference.is_finite():
                    continue
                if not difference.contains(ZERO):
                    return self._refutation(point, bits=bits)
                self._see_terms(jets, difference)
            bits *= 2
        if self.unseen:
            return self._undecided("a term of the answer is too small to be seen at any point")
        return None

    def _where_largest(self) -> list[Point]:
        """Per unseen term, the agreeing point at which its derivative is largest."""
        best: list[Point] = []
        for slot in self.unseen:
            sizes: list[tuple[float, int]] = []
            for i, point in enumerate(self.agreeing[:BRANCHING_POINTS]):
                jets, _ = self._derivative(point, self.bits)
                slope = jets[slot][self.order]
                if slope is not None and slope.is_finite():
                    sizes.append((log2(slope.abs_upper()), i))
            if sizes:
                best.append(self.agreeing[max(sizes)[1]])
        return best

    # --- acceptance without a proof ---

    def _confirm(self) -> Outcome | None:
        """Look far away, with many bits, and until every part of F and f shows.

        Where something happens is searched for only if a part does not show at the points so far.
        None if the agreement stands. See `rewards.decision.confirmation`.
        """
        if self.tape.longest > max(MAX_TERMS, 2 * self.pool.tape.longest):
            detail = f"{self.tape.longest} terms that only agree in numbers are no closed form"
            return Outcome(Status.NOT_CLOSED_FORM, self._usable(), detail=detail)
        flipped = len(self.flipped)
        longest = self._longest_number()
        ours, theirs = Unseen(), Unseen()
        refuted = self._show(self.agreeing[:BRANCHING_POINTS], self.bits, ours, theirs)
        analytic = not (self.tape.breaks or self.pool.tape.breaks)
        if refuted is None and not (analytic and ours.all_seen and theirs.all_seen):
            known = len(self.agreeing)
            refuted = self._visit_new((*self.pool.events(), *places(self.tape, self.values)))
            refuted = refuted or self._show(self.agreeing[known:], self.bits, ours, theirs)
        refuted = refuted or self._visit_new(FAR_POINTS)
        if len(self.flipped) > flipped:
            refuted = refuted or self._branch_change()
        if refuted is None:
            chosen = spread(self.agreeing, CONFIRMING_POINTS)
            bits = max(CONFIRMING_BITS, longest + 2 * AGREE_BITS)
            while refuted is None and self.agreement < longest + AGREE_BITS:
                bits = min(bits, self.max_bits)
                refuted = self._show(chosen, bits, ours, theirs, every=True)
                if bits == self.max_bits:
                    break
                bits *= 2
        ctx.prec = self.bits
        if refuted is None and self.agreement < longest + AGREE_BITS:
            return self._undecided("a number is too long to be compared")
        if refuted is None and not (ours.all_seen and theirs.all_seen):
            whose = "answer" if theirs.all_seen else "integrand"
            return self._undecided(f"a part of the {whose} is too small to be seen at any point")
        return refuted

    def _visit_new(self, spots: Sequence[float]) -> Outcome | None:
        """Compare at further places of the real domain, each only once."""
        if self.pool.tier == "complex":
            return None
        fresh = [Point(acb(x), measured=False) for x in dict.fromkeys(spots)]
        with precision(BASE_BITS):
            fresh = [point for point in fresh if self.pool.usable(point.x) is not None]
        return self._visit(fresh)

    def _show(
        self,
        points: Sequence[Point],
        bits: int,
        ours: Unseen,
        theirs: Unseen,
        *,
        every: bool = False,
    ) -> Outcome | None:
        """Cross out the parts of F and f that show at some point; an outcome if one refutes.

        Stops when all are seen, unless ``every`` point is to be compared.
        """
        pool, tape = self.pool, self.tape
        for point in points:
            if not every and ours.all_seen and theirs.all_seen:
                break
            jets, slope = self._derivative(point, bits)
            target = pool.tape.run(point.x, pool.values, derivative=pool.order == 1)
            expected = target[pool.tape.root][pool.order] or ZERO
            difference = slope - expected
            if not difference.is_finite():
                continue
            if not difference.contains(ZERO):
                return self._refutation(point, bits=bits)
            error = log2(difference.abs_upper())
            if every:
                exact = difference.is_zero()
                agreed = math.inf if exact else self._scale(point, expected, jets) - error
                self.agreement = max(self.agreement, agreed)
            for unseen, program, found, order in (
                (ours, tape, jets, self.order),
                (theirs, pool.tape, target, pool.order),
            ):
                if not unseen.all_seen:
                    self._spend(2 * program.size * (1 + bits // 64))
                    unseen.see(effects(program, found, order), error, SEEN_BITS)
        return None

    def _longest_number(self) -> int:
        """Bits to which F' and f may agree although a number in one of them is wrong."""
        if self.max_bits == MAX_SPECIAL_BITS:
            return max(self.tape.literal_bits, self.pool.tape.literal_bits)
        return sum((self.tape.literals | self.pool.tape.literals).values())

    # --- jumps ---

    def _jumps(self) -> Outcome | None:
        """Refute an F that jumps where f is bounded, or that differs from f between breakpoints."""
        if self.tape.pointwise:
            return self._undecided("a condition singles out points")
        ctx.prec = max(self.bits, JUMP_BITS) if self.tape.breaks else self.bits
        width = 2.0 ** -(min(ctx.prec, MAX_JUMP_BITS) * 3 // 8)
        cells: list[Ball] = []
        for brk in self.tape.breaks:
            budget = min(MAX_SEARCH, (BUDGET - self.spent) // (4 * self.tape.size))
            places, complete = breakpoints(self.tape, brk, self.values, budget, width)
            self._spend(budget * self.tape.size)
            if not complete:
                return self._undecided("a non-analytic part has breakpoints too close to isolate")
            for low, high in places if self.order else ():
                witness = self._jump(low, high, brk)
                if witness is not None:
                    detail = "the answer jumps where the integrand is bounded"
                    return Outcome(
                        Status.INCORRECT,
                        self._usable(),
                        witness=witness,
                        detail=detail,
                        proof="witness",
                    )
            if self.too_large:
                return self._undecided("f is too large where the answer may jump")
            cells += [low for low, _ in places]
        for branch in self.tape.branches:
            if branch.root and not has_fixed_branch(branch, self.tape.variable):
                self.touching += self._touching(branch, width)
        cells += [low for low, _ in self.touching]
        ctx.prec = self.bits
        refuted = self._visit(self._between(cells), thorough=True)
        if refuted is None and any(self._nowhere(x, cells) for x in self.valueless):
            return self._undecided("the answer has no value on part of the integrand's domain")
        if refuted is None and self.hidden and self.tape.breaks:
            return self._undecided(
                "a term of the answer is too small to be seen between breakpoints"
            )
        return refuted

    def _nowhere(self, x: float, cells: Sequence[Ball]) -> bool:
        """Whether F, without a value at x, has none in the whole cell around x.

        True for ``(x + |x|)/(x + |x|)`` on x < 0, false where ``artanh(tanh x)`` overflows.
        """
        if self.pool.usable(acb(x)) is None:
            return False
        ends = sorted({float(cell.mid()) for cell in cells})
        low = max((end for end in ends if end < x), default=x - 2 * (1 + abs(x)))
        high = min((end for end in ends if end > x), default=x + 2 * (1 + abs(x)))
        for share in (0.004, 0.04, 0.37, 0.87):
            point = Point(acb(low + share * (high - low)), measured=False)
            for bits in (2 * self.bits, self.max_bits):
                if self._derivative(point, bits)[1].is_finite():
                    return False
        return True

    def _touching(self, branch: Branch, width: float) -> list[tuple[Ball, Ball]]:
        """Zeros of a radicand that may touch zero, where the sign of the root may change."""
        coefficients = polynomial(branch.argument, self.tape.variable)
        if coefficients is not None:
            a, b, _ = coefficients
            return [(arb(-b / (2 * a)), arb(-b / (2 * a)))]
        zero = Break(branch.slot, "zero")
        return breakpoints(self.tape, zero, self.values, MAX_RADICAND_SEARCH, width)[0]

    def _discontinuous(self) -> bool:
        """Whether F jumps near the origin although F' = f on both sides.

        It may at a pole of an inverse function's argument, or where a radical in a quotient touches
        zero.
        """
        ctx.prec = BASE_BITS
        poles = self.tape.poles[:4] if self.tape.size <= MAX_FLAGGED else []
        crossings = (pole_crossings(self.tape, slot, self.values) for slot in poles)
        places = itertools.chain(self.touching[:8], *crossings)
        return any(self._jump(low, high) is not None for low, high in places)

    def _needs_no_more_points(self) -> bool:
        """Whether a proof suffices: both sides have values, and F has no steps.

        A proof leaves isolated points out, at which ``|x|/x`` jumps, and ``sqrt(x^2)/x`` too.
        """
        if self.tape.breaks or not self.finite or len(self.agreeing) < MIN_POINTS:
            return False
        width = 2.0 ** -(self.bits * 3 // 8)
        return not any(
            branch.root
            and not has_fixed_branch(branch, self.tape.variable)
            and self._touching(branch, width)
            for branch in self.tape.branches
        )

    def _accepted(self) -> Outcome:
        flags: list[str] = []
        if self.order and self._discontinuous():
            flags.append("discontinuous")
            if self.policy.require_continuous:
                detail = "the answer is discontinuous, and continuity is required"
                return Outcome(Status.INCORRECT, self._usable(), flags=tuple(flags), detail=detail)
        if self.pool.tier == "complex":
            flags.append("complex_disc")
        elif self.pool.tier == "value":
            flags.append("complex_parts")
        flags += CONVENTION_FLAGS[self.tape.conventions]
        if self.flipped:
            flags.append("branch")
        measured = [p.measured for p in self.agreeing].count(True)
        flipped = [p.measured for p, _ in self.flipped].count(True)
        coverage = measured / (measured + flipped) if measured + flipped else None
        digits = round(self.bits_of_agreement * math.log10(2), 1)
        proof, rules = ("identity", self.proof.rules) if self.proof else ("agreement", ())
        return Outcome(
            Status.CORRECT,
            self._usable(),
            digits,
            coverage,
            flags=tuple(flags),
            proof=proof,
            rules=rules,
        )

    def _between(self, cells: Sequence[Ball]) -> list[Point]:
        """A point in each cell between neighbouring breakpoints, and beyond the outer ones."""
        if not cells:
            return []
        ends = sorted({float(cell.mid()) for cell in cells})
        middles = [(a + b) / 2 + (b - a) / 64 for a, b in itertools.pairwise(ends)]
        # No round numbers: F may be undefined there.
        outer = [ends[0] - 1.03 - abs(ends[0]) / 8, ends[-1] + 1.03 + abs(ends[-1]) / 8]
        near = [end + s * 2.03e-4 * (1 + abs(end)) for end in ends for s in (1, -1)]
        points = []
        for x in (*middles, *outer, *near):
            point = Point(acb(x), measured=False)
            value = self.pool.f(point, self.bits)
            if value.is_finite() and value.imag.is_zero():
                points.append(point)
        return points

    def _jump(self, low: Ball, high: Ball, brk: Break | None = None) -> Witness | None:
        self._spend(16 * (self.tape.size + self.pool.tape.size))
        magnitude = self._magnitude(low)
        # Beside a large f only a very close look shows a jump: e^x + sgn(x - 1000). A peak of f
        # may be seen only from there.
        for _ in range(MAX_CLOSER_LOOKS if brk is not None and magnitude else 0):
            assert brk is not None
            with precision(ctx.prec + 4 * magnitude):
                value = self.tape.run(acb(low), self.values, until=brk.slot)[brk.slot][0].real
                target = arb(0) if brk.at == "zero" else (value + 0.5).floor().mid()
                slack, width = arb(2) ** -BASE_BITS * (1 + abs(low)), arb(2) ** (-3 * magnitude)
                ends = ((low - slack).mid(), (high + slack).mid())
                place = isolate(self.tape, brk.slot, target, self.values, *ends, width)
                low, high = place or (low, high)
                closer = self._magnitude(high, arb(2) ** (-3 * magnitude))
            if closer <= magnitude:
                break
            magnitude = closer
        return jump(self.tape, self.values, self.pool, low, high, magnitude)

    def _magnitude(self, x: Ball, distance: Ball = NEARBY) -> int:
        """Binary order of magnitude of f beside a place, if it is large."""
        beside = acb((x + (1 + abs(x)) * distance).mid())
        target = self.pool.tape.run(beside, self.pool.values, derivative=self.pool.order == 1)
        value = target[self.pool.tape.root][self.pool.order]
        if value is None or not value.is_finite():
            return 0
        size = log2(value.abs_upper())
        self.too_large |= size >= MAX_MAGNITUDE
        return int(size) if 64 < size < MAX_MAGNITUDE else 0


@lru_cache(maxsize=1024)
def _any_constant(name: str, variant: int) -> Ball:
    return acb(0.5 + uniform(name, variant))


def show(ball: Ball) -> str:
    """A ball as text: midpoint and radius, 15 digits."""
    return str(ball.real.str(15)) if ball.imag.is_zero() else str(ball.str(15))
