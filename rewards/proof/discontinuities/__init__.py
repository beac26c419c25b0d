"""Jumps of an answer: excluded by the form of the answer, or found by a search."""
