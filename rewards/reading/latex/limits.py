"""Limits on the size of a text and of its tree, which bound the work of the reader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)  # a key of the lexer's cache, by identity
class Limits:
    """Limits on a text and a tree. All limits are counts, so that verdicts are the same on every
    machine.

    Attributes:
        characters: the number of characters of the text.
        tokens: the number of tokens of the text.
        depth: the number of nested forms (groups, fractions, functions, exponents).
        levels: the number of levels of the tree.
        digits: the number of digits of a number.
        terms: the number of terms of an expanded sum or product.
        nodes: the number of nodes of the tree after the expansions.
        readings: the number of readings of an ambiguous text.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> read("2x + 1", limits=Limits(tokens=3))
    Traceback (most recent call last):
    ...
    calculus_harness.rewards.reading.latex.errors.TooBigError: ...

    """

    characters: int = 32_768
    tokens: int = 12_000
    depth: int = 100
    levels: int = 150
    digits: int = 1_000
    terms: int = 2_500
    nodes: int = 20_000
    readings: int = 8


DEFAULT_LIMITS = Limits()
