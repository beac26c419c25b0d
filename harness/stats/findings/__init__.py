"""The sentences on top of a report: which model is better, where models fail, how models fail.

`sentences(*runs)` returns three sentences, and the score and rank of every model. The terminal and
the HTML page of a run show this result. `failure_of` classifies one sample.
"""

from ...core.errors import UserError
from ...store.run import Run
from .failures import Failure, failure_of
from .sentences import Findings, sentences
from .standing import Standing

__all__ = ["Failure", "Findings", "Run", "Standing", "failure_of", "sentences"]


def _described(run: Run) -> str:
    """The sentences that describe a run. If the run has no verdicts, the text is empty."""
    try:
        return str(sentences(run))
    except UserError:
        return ""


Run.describe = staticmethod(_described)
