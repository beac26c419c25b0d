"""Pairs made by worker processes: the same in the same order for any number of workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from itertools import count, islice
from typing import Any

from ...rewards.workers.pool import TaskError, WorkerError, WorkerPool, usable_cores
from .algebra.normal_form import UnusableFormulaError
from .decisions import decisions, recorded_pair
from .generators import GeneratorSettings
from .pairs import LIMITS, MAX_ATTEMPTS, IntegralPair, make, needs_sympy

#: Pairs that a worker makes at a time, and addresses tried for each worker in a round of SymPy's.
SLICE, ROUND = 16, 6
#: A worker is killed after this many seconds of wall clock for each second of its limit.
WALL_CLOCK_FACTOR = 20.0
MEMORY_MB = 2048
_TASKS = {
    "attempt": f"{__package__}._sympy_worker:attempt",
    "slice": f"{__package__}._worker:slice_of",
}


def pair_at(method: str, seed: int, index: int, settings: GeneratorSettings) -> IntegralPair:
    """The pair at one address."""
    if not needs_sympy(method, settings):
        return make(method, seed, index, settings)
    return _decided(_pool(usable_cores()), method, seed, [index], settings)[0]


def stream(
    method: str, seed: int, settings: GeneratorSettings, *, workers: int = 1
) -> Iterator[tuple[int, IntegralPair]]:
    """The pairs of a seed without end, in order, each with its index.

    Args:
        method: ``fwd``, ``bwd`` or ``ibp``.
        seed: the seed.
        settings: the generator's settings.
        workers: the number of worker processes.

    Raises:
        ValueError: if ``workers`` is less than 1.

    """
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
    method: str, seed: int, number: int, settings: GeneratorSettings, *, workers: int = 1
) -> Iterator[tuple[int, IntegralPair]]:
    """The first ``number`` pairs of a seed that differ in integrand or antiderivative."""
    seen: set[tuple[object, object]] = set()

    def unseen() -> Iterator[tuple[int, IntegralPair]]:
        for index, pair in stream(method, seed, settings, workers=workers):
            key = (pair.integrand, pair.antiderivative)
            if key not in seen:
                seen.add(key)
                yield index, pair

    return islice(unseen(), number)


@cache
def _pool(workers: int) -> WorkerPool:
    return WorkerPool(workers, MEMORY_MB, tasks=_TASKS)


def _sliced(
    pool: WorkerPool, method: str, seed: int, indices: Sequence[int], settings: GeneratorSettings
) -> list[IntegralPair]:
    starts = indices[::SLICE]
    items = [(method, seed, i, min(i + SLICE, indices[-1] + 1), asdict(settings)) for i in starts]
    rows: list[Any] = []
    for made in pool.map("slice", items, deadline=WALL_CLOCK_FACTOR * LIMITS[method] * SLICE):
        if isinstance(made, WorkerError):  # nothing here has a time limit: this is a bug
            raise made
        rows += made
    return [IntegralPair.from_row(row) for row in rows]


def _decided(
    pool: WorkerPool, method: str, seed: int, indices: Sequence[int], settings: GeneratorSettings
) -> list[IntegralPair]:
    """The recorded pairs; for other addresses, attempts in rounds until each has a pair.

    An attempt that is killed, because SymPy is stuck inside C or takes too much memory, counts as
    one that exceeded its limit.
    """
    recorded = {index: recorded_pair((method, settings, seed, index)) for index in indices}
    missing = [index for index, pair in recorded.items() if pair is None]
    new: dict[int, IntegralPair] = {}
    for number in range(MAX_ATTEMPTS):
        left = [index for index in missing if index not in new]
        if not left:
            break
        items = [(method, seed, index, number, asdict(settings)) for index in left]
        rows = pool.map("attempt", items, deadline=WALL_CLOCK_FACTOR * LIMITS[method])
        for index, row in zip(left, rows, strict=True):
            if isinstance(row, TaskError):
                raise row
            if isinstance(row, dict):
                new[index] = IntegralPair.from_row(row)
    else:
        raise UnusableFormulaError(f"no {method} pair with seed {seed} in {MAX_ATTEMPTS} attempts")
    decisions().add([((method, settings, seed, index), new[index]) for index in sorted(new)])
    pairs = {index: pair or new[index] for index, pair in recorded.items()}
    return [pairs[index] for index in indices]
