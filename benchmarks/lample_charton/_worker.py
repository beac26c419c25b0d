"""Runs in workers: slices of pairs that need no SymPy. Plain JSON in and out."""

from __future__ import annotations

from typing import Any

from . import pairs
from .generators import Settings


def slice_of(method: str, seed: int, start: int, stop: int, settings: dict[str, Any]) -> Any:
    """The rows of consecutive pairs."""
    chosen = Settings(**settings)
    return [pairs.make(method, seed, index, chosen).to_row() for index in range(start, stop)]
