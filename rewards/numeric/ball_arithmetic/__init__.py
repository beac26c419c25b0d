"""Expressions evaluated in ball arithmetic, with derivatives, and where they are real."""
