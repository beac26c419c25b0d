"""Sequences without a formula in the index."""
