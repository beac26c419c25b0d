"""Expressions of derivations: terms, printing and rewriting."""
