"""The stages of a decision: proof, refutation at points, agreement.

All stages use the same definitions of roots and secants (one of the `Conventions`). `STAGES` lists
the stages in their order, with the reason for the order. A stage that does not decide returns None.
The first outcome ends the decision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...numeric.ball_arithmetic.balls import USUAL
from ...numeric.ball_arithmetic.compare import POINT_BITS
from ...numeric.comparison.at_points import Comparison, PointResult
from ...numeric.outcome import Outcome
from ...numeric.sampling.pool import MIN_POINTS
from ...proof.discontinuities.search import JumpSearch
from ...proof.prover.prove import Proof, ProofSearch
from ..agreement import agrees, branches, hidden_terms
from ..agreement.acceptance import accepted
from ..agreement.searches import COVERAGE_POINTS, UnrefutedAnswer, refute, too_long


@dataclass(slots=True)
class Decision:
    """The state of a decision: an answer, a convention, and the results of the stages so far.

    Attributes:
        at: the comparison of the derivative F' of the answer F with the integrand f.
        steps: the search for jumps of F.
        search: the search for a proof, or None if the prover has no rules for the convention.
        proof: the proof that was found.
        was_tried: whether the search for a proof is finished.

    """

    at: Comparison
    steps: JumpSearch
    search: ProofSearch | None
    proof: Proof | None = None
    was_tried: bool = False

    def screen(self, count: int = MIN_POINTS) -> list[PointResult] | None:
        """Compare the answer with the integrand at the first ``count`` points, at low precision.

        If a point suggests that the answer is wrong, the result is None. Otherwise the result is
        the list of the results at the points.
        """
        return self.at.screen(self.at.pool.take(count))

    def cannot_step(self) -> bool:
        """Whether a proof of F' = f (answer F, integrand f) suffices to accept the answer.

        It suffices if roots and secants have their usual definitions and F cannot jump. A proof of
        F = f suffices if F has values everywhere.
        """
        if self.at.tape.conventions != USUAL:
            return False
        return (not self.at.order and self.steps.has_value()) or self.steps.impossible()


Stage = Callable[[Decision], Outcome | None]


def _prove_at_once(decision: Decision) -> Outcome | None:
    """Search for a proof, if answer and integrand agree at the lowest precision.

    A proof is valid wherever both have values. If there is a proof and the answer cannot jump, it
    is accepted without further points or digits.
    """
    at, search = decision.at, decision.search
    screened = decision.screen(1) if search else None
    if search is None or screened is None:
        return None
    agreeing = screened
    if min(result.bits for result in screened) < POINT_BITS:
        all_screened = decision.screen()
        if all_screened is None:
            return None
        agreeing = all_screened
    decision.proof = search.whole
    if decision.proof is None and search.is_splittable:
        all_screened = decision.screen()
        if all_screened is not None:
            agreeing, decision.proof = all_screened, search.in_cases
    decision.was_tried = decision.proof is not None or decision.screen() is not None
    if decision.proof:
        decision.proof.free()
    if decision.proof and decision.cannot_step():
        for result in agreeing:
            at.note(result)
        return accepted(at, decision.steps, decision.proof)
    return None


def _refuse_long_sums(decision: Decision) -> Outcome | None:
    return too_long(decision.at) if decision.was_tried and not decision.proof else None


def _compare_first_points(decision: Decision) -> Outcome | None:
    at = decision.at
    if decision.proof is None or at.tape.breaks:
        at.see_constants()
    return at.visit(at.pool.take(1)) or at.visit(at.pool.take(MIN_POINTS)[1:])


def _prove_late(decision: Decision) -> Outcome | None:
    at, search = decision.at, decision.search
    if search is None or decision.was_tried or at.flipped:
        return None
    decision.proof = search.whole or search.in_cases
    if decision.proof:
        decision.proof.free()
    if decision.proof and at.has_value() and decision.cannot_step():
        return accepted(at, decision.steps, decision.proof)
    return None


def _look_for_steps(decision: Decision) -> Outcome | None:
    """Look for jumps of a proved answer. For some answers, also look for terms without effect.

    The comparison may have missed a step function, because its derivative is 0. Such terms are
    sought in two cases: the answer has special functions, or an unusual convention is in force,
    such as principal odd roots.
    """
    at, steps, proof = decision.at, decision.steps, decision.proof
    if not (proof and at.is_finite and len(at.agreeing) >= MIN_POINTS):
        return None
    refuted = steps.refute(proved=True)
    if refuted is None and (at.tape.special or at.tape.conventions != USUAL):
        refuted = hidden_terms.look(at)
    return refuted or accepted(at, steps, proof)


def _accept(decision: Decision) -> Outcome | None:
    at, steps, proof = decision.at, decision.steps, decision.proof
    if proof is None:
        return agrees(at, steps)
    return refute(UnrefutedAnswer(at, steps, is_proved=True)) or accepted(at, steps, proof)


STAGES: tuple[Stage, ...] = (
    # Most right answers end here. F' and f are evaluated once first, at the lowest precision, so
    # that no time goes into proofs of wrong answers.
    _prove_at_once,
    # Before any comparison with many bits, which a long sum makes long.
    _refuse_long_sums,
    # Wrong answers end here.
    _compare_first_points,
    # Where the first evaluation was too coarse (great cancellation), points have agreed by now.
    _prove_late,
    # A proof leaves isolated points out.
    _look_for_steps,
    # The searches against an answer without a proof, or with too few points.
    _accept,
)


def decide_in_stages(decision: Decision) -> Outcome:
    """Run the stages in order, and return the outcome of the first stage that has one.

    Raises:
        OutOfBudgetError: the work budget is spent.

    """
    for stage in STAGES:
        outcome = stage(decision)
        if outcome is not None:
            return outcome
    raise AssertionError("the last stage has an outcome")


def refutation(at: Comparison) -> Outcome | None:
    """Refute the answer if it is wrong at the first points, for other values of parameters."""
    points = at.pool.take(2 * MIN_POINTS)
    at.see_constants()
    if at.pool.tier != "real":
        return None
    refuted = at.visit(points)
    if refuted is None and at.flipped and not at.agreeing:
        refuted = at.visit(at.pool.take(COVERAGE_POINTS)[len(points) :])
    if refuted is None and at.flipped and not at.agreeing:
        return branches.another_everywhere(at)
    return refuted
