"""The course of a decision: screening, proof, points, branches, jumps, confirmation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ...numeric.ball_arithmetic.balls import USUAL, Conventions
from ...numeric.ball_arithmetic.point_count import points_wanted
from ...numeric.comparison.at_points import AGREE_BITS, Comparison
from ...numeric.outcome import Outcome
from ...numeric.sampling.integrand import MIN_POINTS
from ...proof.discontinuities.search import Steps
from ...proof.prover import Proof
from ...verdict import Status
from ..agreement import branches, unseen
from ..agreement.confirm import Confirmation, too_long

#: Points that measure coverage once a branch of f's radicals differs somewhere.
COVERAGE_POINTS = 32

CONVENTION_FLAGS: dict[Conventions, tuple[str, ...]] = {
    USUAL: (),
    Conventions(real_roots=False): ("principal_roots",),
    Conventions(textbook_secants=True): ("textbook_secants",),
}


class Proving(NamedTuple):
    """How to prove an answer, and to see from its form that it has no steps.

    ``prove`` is given what says whether cases of signs, which take long, are worth a try.
    """

    prove: Callable[[Callable[[], bool]], Proof | None]
    steady: Callable[[], bool]


def run(comparison: Comparison, proving: Proving | None) -> Outcome:
    """Decide.

    A proof is tried as soon as F' and f agree at the first point, at the lowest precision (at the
    first points where that is too low), and one in cases of signs if they agree at all of these. It
    holds wherever F and f have values, so that no more points and digits are needed; only steps of
    F at isolated points are still looked for. With principal odd roots, which may make steps of
    constants, every term must show at a point as well.

    Raises:
        OutOfBudgetError: the work budget is spent.

    """
    at, proof = comparison, None
    usual = at.tape.conventions == USUAL
    steps = Steps(at, proving.steady if proving else lambda: False)

    def all_agree() -> bool:
        return at.screen(at.pool.take(MIN_POINTS))

    first = at.pool.take(1)
    close = proving and at.screen(first)
    if proving and close and (at.bits_of_overlap >= AGREE_BITS or all_agree()):
        proof = proving.prove(all_agree)
        if proof and usual and steps.impossible():
            at.agreeing, at.bits_of_agreement = list(at.screened), at.bits_of_overlap
            return _accepted(at, steps, proof)
    tried = proof is not None or (close and all_agree())
    refused = too_long(at) if tried and not proof else None
    if refused is not None:
        return refused
    if proof is None or at.tape.breaks:
        at.see_constants()
    refuted = at.visit(first) or at.visit(at.pool.take(MIN_POINTS)[1:])
    if refuted is None and proving and not tried and not at.flipped:
        proof = proving.prove(lambda: True)
        if proof and usual and at.has_value() and steps.impossible():
            return _accepted(at, steps, proof)
    if refuted is None and proof and at.finite and len(at.agreeing) >= MIN_POINTS:
        refuted = steps.refute(proved=True)
        if refuted is None and (at.tape.special or not usual):
            refuted = unseen.look(at)
    elif refuted is None:
        refuted = _by_points(at, steps, proved=proof is not None)
    return refuted or _accepted(at, steps, proof)


def refutation(comparison: Comparison) -> Outcome | None:
    """An outcome if one of the first points refutes; for further draws of the parameters."""
    at, points = comparison, comparison.pool.take(2 * MIN_POINTS)
    at.see_constants()
    if at.pool.tier != "real":
        return None
    refuted = at.visit(points)
    if refuted is None and at.flipped and not at.agreeing:
        refuted = at.visit(at.pool.take(COVERAGE_POINTS)[len(points) :])
    if refuted is None and at.flipped and not at.agreeing:
        return _on_another_branch(at)
    return refuted


def _by_points(comparison: Comparison, steps: Steps, *, proved: bool) -> Outcome | None:
    """Refute, or leave undecided, after the first points."""
    at, pool, tape = comparison, comparison.pool, comparison.tape
    wanted = max(points_wanted(tape), points_wanted(pool.tape))
    refuted = None if proved else too_long(at)
    refuted = refuted or at.visit(pool.take(wanted)[MIN_POINTS:])
    if refuted is None and pool.tier == "complex" and (tape.breaks or tape.bars):
        return at.undecided("f is real nowhere, and no disc decides")
    if refuted is None and (pool.tape.breaks or pool.tape.branches):
        refuted = at.visit(pool.between())
    if refuted is None and at.flipped:
        refuted = at.visit(pool.take(COVERAGE_POINTS)[wanted:])
    if refuted is None and at.usable < MIN_POINTS:
        refuted = at.visit(pool.take(4 * wanted)[wanted:])
    if refuted is None and at.usable < MIN_POINTS:
        refuted = at.visit(pool.finer(), enough=wanted)
    if refuted is not None:
        return refuted
    shown = proved and at.has_value()  # a zero f, or one that is too large, agrees at no point
    if at.usable < MIN_POINTS and not shown:
        return at.undecided(f"only {at.usable} usable points")
    if at.flipped:
        branches.drop_indifferent(at)
    if at.flipped and 0 < len(at.agreeing) < MIN_POINTS:
        refuted = at.visit_new(branches.beside(at.agreeing))
        if refuted is not None:
            return refuted
        branches.drop_indifferent(at)
    if at.flipped and len(at.agreeing) < MIN_POINTS:
        if at.agreeing:
            return at.undecided("the right branch holds at too few points")
        return _on_another_branch(at)
    if not (at.finite or shown):
        return at.undecided("the answer has no finite value at any point")
    if not proved and at.faint > at.max_bits - 2 * AGREE_BITS:
        return at.undecided("a constant of the answer is too near to a whole number")
    # The search for steps adds points beside them, which branches are compared at in turn.
    refuted = branches.change(at) or steps.refute(proved=proved) or branches.change(at)
    if refuted is None and at.tape.special:
        refuted = unseen.look(at)
    if refuted is None and not proved:
        refuted = Confirmation(at).refute()
    return refuted


def _on_another_branch(comparison: Comparison) -> Outcome:
    point, _ = comparison.flipped[0]
    return comparison.refutation(point, "another branch of the integrand's radicals everywhere")


def _accepted(comparison: Comparison, steps: Steps, proof: Proof | None) -> Outcome:
    flags: list[str] = []
    if comparison.order and steps.discontinuous():
        flags.append("discontinuous")
        if comparison.policy.require_continuous:
            detail = "the answer is discontinuous, and continuity is required"
            return Outcome(Status.INCORRECT, comparison.usable, flags=tuple(flags), detail=detail)
    if comparison.pool.tier == "complex":
        flags.append("complex_disc")
    elif comparison.pool.tier == "value":
        flags.append("complex_parts")
    flags += CONVENTION_FLAGS[comparison.tape.conventions]
    if comparison.flipped:
        flags.append("branch")
    measured = [point.measured for point in comparison.agreeing].count(True)
    flipped = [point.measured for point, _ in comparison.flipped].count(True)
    return Outcome(
        Status.CORRECT,
        comparison.usable,
        digits=round(comparison.bits_of_agreement * math.log10(2), 1) if comparison.usable else 0.0,
        coverage=measured / (measured + flipped) if measured + flipped else None,
        flags=tuple(flags),
        proof="identity" if proof else "agreement",
        rules=proof.rules if proof else (),
    )
