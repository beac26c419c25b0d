"""Verdicts on completions: grading of batches, scoring of runs, in one process or in lanes."""

from .grading import BATCH as BATCH
from .grading import grade as grade
from .grading import stop_strings as stop_strings
from .stored import Scorer as Scorer
from .stored import score as score
