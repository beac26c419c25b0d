"""Acceptance without a proof, after all searches for a fault of the answer."""

from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Outcome
from ...proof.discontinuities.search import Steps
from .acceptance import accepted
from .searches import UnrefutedAnswer, refute


def agrees(at: Comparison, steps: Steps) -> Outcome:
    """Accept or refuse an answer without a proof; no other function accepts without a proof.

    Args:
        at: the comparison of F' with f; no point has refuted the answer.
        steps: the search for jumps of F.

    Returns:
        If a search found a fault, the outcome states the fault. If the agreement does not suffice,
        the outcome is undecided and states the reason. Otherwise the outcome is correct, with the
        proof ``agreement``, the points and the digits.

    """
    return refute(UnrefutedAnswer(at, steps, is_proved=False)) or accepted(at, steps, None)
