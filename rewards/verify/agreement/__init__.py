"""Acceptance without a proof, after all searches for a fault of the answer."""

from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Outcome
from ...proof.discontinuities.search import JumpSearch
from .acceptance import accepted
from .searches import UnrefutedAnswer, refute


def agrees(at: Comparison, steps: JumpSearch) -> Outcome:
    """Decide without a proof whether to accept an answer.

    No other function accepts answers without a proof.

    Args:
        at: the comparison of the answer with the integrand. No point refutes the answer.
        steps: the search for jumps of the answer.

    Returns:
        A correct outcome has the proof ``agreement``, the points and the digits. If a search found
        a fault, the outcome names the fault. If the agreement does not suffice, the outcome
        is undecided and gives the reason.

    """
    return refute(UnrefutedAnswer(at, steps, is_proved=False)) or accepted(at, steps, None)
