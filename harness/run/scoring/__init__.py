"""Verdicts on completions: grading of batches, scoring of runs, in one process or in lanes."""

from .stored import score

__all__ = ["score"]
