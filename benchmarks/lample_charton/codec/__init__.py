"""Prefix tokens, the vocabulary, and files of the released data."""
