"""The answer first: which model is better, where it breaks, how it fails.

`sentences(*runs)` gives the three sentences, and every model's standing with them; the terminal,
the page and Python show the same. `failure_of` classifies one sample.
"""

from .failures import Failure, failure_of
from .sentences import Findings, sentences
from .standing import Standing

__all__ = ["Failure", "Findings", "Standing", "failure_of", "sentences"]
