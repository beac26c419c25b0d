"""A task of workers: an attempt with SymPy."""

from __future__ import annotations

from typing import Any

from . import pairs
from .algebra import counted_sympy
from .algebra.isolation import ForkError, load_sympy, run_in_fork
from .generators import GeneratorSettings

#: An attempt is killed after this many seconds of processor time for each second of its limit.
PROCESSOR_FACTOR = 15

counted_sympy.install()
load_sympy()  # at import, which no deadline counts


def attempt(method: str, seed: int, index: int, number: int, settings: dict[str, Any]) -> Any:
    """The row of a pair, or the reason of failure, from a fork of the process."""
    if method == "ibp":
        # Computed before the fork, to be shared by forks.
        pairs.known_integrals(seed, GeneratorSettings(**settings).grammar)
    try:
        seconds = PROCESSOR_FACTOR * pairs.LIMITS[method]
        arguments = method, seed, index, number, settings
        return run_in_fork(_attempt, *arguments, processor_seconds=seconds)
    except ForkError as error:
        return str(error)


def _attempt(method: str, seed: int, index: int, number: int, settings: dict[str, Any]) -> Any:
    pair = pairs.attempt(method, seed, index, number, GeneratorSettings(**settings))
    return pair if isinstance(pair, str) else pair.to_row()
