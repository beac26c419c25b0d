"""The sentences on top of a report: the better model, the places and the kinds of failures.

`sentences(*runs)` returns three sentences, and the score and rank of every model. The terminal and
the HTML page of a run show the result. `failure_of` classifies a sample.
"""

from ...core.errors import UserError
from ...store.run import Run
from .failures import Failure, failure_of
from .sentences import Findings, sentences
from .standing import Standing

__all__ = ["Failure", "Findings", "Run", "Standing", "failure_of", "sentences"]


def _described(run: Run) -> str:
    """The sentences that describe a run. Without verdicts, the text is empty."""
    try:
        return str(sentences(run))
    except UserError:
        return ""


Run.describe = staticmethod(_described)
