"""Sequences that are not given by a formula in the index."""
