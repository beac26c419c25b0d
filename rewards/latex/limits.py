"""Deterministic bounds on the work that one text may cause."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The same text meets the same limit on every machine, so that it gets the same verdict.

    `depth` counts nested forms (groups, fractions, functions, exponents), `levels` those of the
    tree, `terms` the terms of an expanded sum or product, `nodes` the tree after such expansions.
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
