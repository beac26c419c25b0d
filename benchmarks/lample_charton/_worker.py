"""A task of workers: slices of pairs without SymPy."""

from __future__ import annotations

from typing import Any

from . import pairs
from .generators import GeneratorSettings


def slice_of(method: str, seed: int, start: int, stop: int, settings: dict[str, Any]) -> Any:
    """The rows of consecutive pairs."""
    parsed = GeneratorSettings(**settings)
    return [pairs.make(method, seed, index, parsed).to_row() for index in range(start, stop)]
