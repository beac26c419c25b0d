"""Reads what other people write: here problems; answers and solutions have their own rooms."""
