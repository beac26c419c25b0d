"""Acceptance without a proof, after a search for everything that may speak against it."""

from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Outcome
from ...proof.discontinuities.search import Steps
from .acceptance import accepted
from .searches import UnrefutedAnswer, refute


def agrees(at: Comparison, steps: Steps) -> Outcome:
    """The only door to an acceptance that no proof stands behind.

    Args:
        at: the comparison of F' with f, which no point has refuted.
        steps: the search for jumps of F.

    Returns:
        Correct with proof ``agreement``, the points and the digits; or the fault that a search
        found; or undecided, with the reason why agreement says too little.

    """
    return refute(UnrefutedAnswer(at, steps, is_proved=False)) or accepted(at, steps, None)
