"""Runs in workers: one attempt that calls SymPy. Plain JSON in and out."""

from __future__ import annotations

from typing import Any

from . import pairs
from .algebra.isolation import EndedError, isolated, load_sympy
from .generators import Settings

load_sympy()  # while this is imported, which no deadline counts


def attempt(method: str, seed: int, index: int, turn: int, settings: dict[str, Any]) -> Any:
    """The row of a pair, or the reason why there is none; in a copy of this process."""
    if method == "ibp":
        pairs.store(seed)  # here, so that the copies have it
    try:
        return isolated(_attempt, method, seed, index, turn, settings)
    except EndedError as error:
        return str(error)


def _attempt(method: str, seed: int, index: int, turn: int, settings: dict[str, Any]) -> Any:
    made = pairs.attempt(method, seed, index, turn, Settings(**settings))
    return made if isinstance(made, str) else made.to_row()
