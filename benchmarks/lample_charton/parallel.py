"""Many pairs on many cores; the same ones in the same order whatever the number of workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from itertools import count, islice
from typing import Any

from ...rewards.workers.pool import TaskError, WorkerError, WorkerPool, usable_cores
from .algebra.normal_form import UnusableError
from .generators import Settings
from .pairs import LIMITS, MAX_TURNS, Pair, make, needs_sympy
from .records import ledger

#: Pairs that a worker makes at a time, and those at which it tries in a round if SymPy decides.
SLICE, ROUND = 16, 6
#: Seconds of wall clock for each second of the budget, after which a worker is killed.
PATIENCE = 20.0
MEMORY_MB = 2048
_TASKS = {
    "attempt": f"{__package__}._sympy_worker:attempt",
    "slice": f"{__package__}._worker:slice_of",
}


def pair_at(method: str, seed: int, index: int, settings: Settings) -> Pair:
    """The pair at one address."""
    if not needs_sympy(method, settings):
        return make(method, seed, index, settings)
    return _decided(_pool(usable_cores()), method, seed, [index], settings)[0]


def stream(
    method: str, seed: int, settings: Settings, *, workers: int = 1
) -> Iterator[tuple[int, Pair]]:
    """The pairs of a seed in order, without end, each with its index."""
    if workers < 1:
        raise ValueError(f"there must be at least one worker, not {workers}")
    if workers == 1 and not needs_sympy(method, settings):
        yield from ((index, make(method, seed, index, settings)) for index in count())
    pool = _pool(workers)
    at_once = workers * (ROUND if needs_sympy(method, settings) else SLICE)
    for start in count(step=at_once):
        indices = range(start, start + at_once)
        if needs_sympy(method, settings):
            made = _decided(pool, method, seed, indices, settings)
        else:
            made = _sliced(pool, method, seed, indices, settings)
        yield from zip(indices, made, strict=True)


def distinct(
    method: str, seed: int, number: int, settings: Settings, *, workers: int = 1
) -> Iterator[tuple[int, Pair]]:
    """The first so many pairs of a seed that differ in integrand or antiderivative."""
    met: set[tuple[object, object]] = set()

    def fresh() -> Iterator[tuple[int, Pair]]:
        for index, pair in stream(method, seed, settings, workers=workers):
            key = (pair.integrand, pair.antiderivative)
            if key not in met:
                met.add(key)
                yield index, pair

    return islice(fresh(), number)


@cache
def _pool(workers: int) -> WorkerPool:
    return WorkerPool(workers, MEMORY_MB, tasks=_TASKS)


def _sliced(
    pool: WorkerPool, method: str, seed: int, indices: Sequence[int], settings: Settings
) -> list[Pair]:
    starts = indices[::SLICE]
    items = [(method, seed, i, min(i + SLICE, indices[-1] + 1), asdict(settings)) for i in starts]
    rows: list[Any] = []
    for made in pool.map("slice", items, deadline=PATIENCE * LIMITS[method] * SLICE):
        if isinstance(made, WorkerError):  # nothing here depends on a clock: a fault of ours
            raise made
        rows += made
    return [Pair.from_row(row) for row in rows]


def _decided(
    pool: WorkerPool, method: str, seed: int, indices: Sequence[int], settings: Settings
) -> list[Pair]:
    """Attempts round by round, until each address has a pair; what is recorded is not repeated.

    An attempt that must be killed, because SymPy is stuck inside C or takes too much memory, counts
    as one that took too long.
    """
    found = {index: ledger().find((method, settings, seed, index)) for index in indices}
    missing = [index for index, pair in found.items() if pair is None]
    new: dict[int, Pair] = {}
    for turn in range(MAX_TURNS):
        left = [index for index in missing if index not in new]
        if not left:
            break
        items = [(method, seed, index, turn, asdict(settings)) for index in left]
        rows = pool.map("attempt", items, deadline=PATIENCE * LIMITS[method])
        for index, row in zip(left, rows, strict=True):
            if isinstance(row, TaskError):
                raise row
            if isinstance(row, dict):
                new[index] = Pair.from_row(row)
    else:
        raise UnusableError(f"no {method} pair with seed {seed} in {MAX_TURNS} turns")
    ledger().add({(method, settings, seed, index): new[index] for index in sorted(new)})
    pairs = {index: pair or new[index] for index, pair in found.items()}
    return [pairs[index] for index in indices]
