"""Verdicts on completions: grading of batches, scoring of runs, in one process or in lanes."""

from .grading import BATCH, grade, stop_strings
from .stored import Scorer, score

__all__ = ["BATCH", "Scorer", "grade", "score", "stop_strings"]
