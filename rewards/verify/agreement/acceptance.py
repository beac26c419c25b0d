"""The outcome of an unrefuted answer."""

from __future__ import annotations

import math

from ...numeric.ball_arithmetic.balls import USUAL, Conventions
from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Outcome
from ...proof.discontinuities.search import JumpSearch
from ...proof.prover import Proof
from ...verdict import Status

#: Flags of an answer that is right by another convention than the usual one.
CONVENTION_FLAGS: dict[Conventions, tuple[str, ...]] = {
    USUAL: (),
    Conventions(real_roots=False): ("principal_roots",),
    Conventions(textbook_secants=True): ("textbook_secants",),
}
#: Flags of points off the real line, and of points where only f's value is real.
TIER_FLAGS = {"real": (), "complex": ("complex_disc",), "value": ("complex_parts",)}


def accepted(at: Comparison, steps: JumpSearch, proof: Proof | None) -> Outcome:
    """Accept an answer with a proof, or with agreement at all points.

    If the policy requires continuity, an answer with jumps is refused. Where the search for jumps
    is incomplete, nothing is accepted.

    Args:
        at: the comparison of the answer with the integrand, with the points of agreement.
        steps: the search for jumps of the answer.
        proof: the proof, or None for an acceptance by agreement.

    Returns:
        The outcome, with flags, digits, and the share of points with agreement on the principal
        branch of the integrand.

    """
    if at.order and steps.doubt:
        return at.undecided(steps.doubt)
    if at.order and at.policy.fixed_roots and steps.changes_roots():
        return at.undecided("the answer jumps where a radicand touches zero")
    flags: list[str] = []
    if at.order and steps.discontinuous():
        flags.append("discontinuous")
        if at.policy.require_continuous:
            detail = "the answer is discontinuous, and continuity is required"
            return Outcome(Status.INCORRECT, at.usable, flags=tuple(flags), detail=detail)
    flags += (*TIER_FLAGS[at.pool.tier], *CONVENTION_FLAGS[at.tape.conventions])
    if at.flipped:
        flags.append("branch")
    measured = [point.measured for point in at.agreeing].count(True)
    flipped = [point.measured for point, _ in at.flipped].count(True)
    return Outcome(
        Status.CORRECT,
        at.usable,
        digits=round(at.bits_of_agreement * math.log10(2), 1) if at.usable else 0.0,
        coverage=measured / (measured + flipped) if measured + flipped else None,
        flags=tuple(flags),
        proof="identity" if proof else "agreement",
        rules=proof.rules if proof else (),
    )
