"""Pairs made by worker processes: the same in the same order for any number of workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict
from itertools import count, islice
from typing import Any

from ...rewards.workers.errors import TaskError, WorkerError
from ...rewards.workers.pool import Pool, shared_pool, usable_cores
from ...rewards.workers.worker import Result
from ..algebra.normal_form import UnusableFormulaError
from .decisions import decisions, recorded_pair
from .generators import GeneratorSettings
from .pairs import MAX_ATTEMPTS, IntegralPair, make, needs_sympy

#: The number of pairs in a worker's batch, if SymPy is not needed.
SLICE = 16
#: Seconds of wall clock for an item, only in case a worker hangs: an attempt ends by its own limits
#: of calls, processor time and memory, however busy the machine is.
DEADLINE = 1000.0
MEMORY_MB = 2048
_TASKS = {
    "attempt": f"{__package__}._sympy_worker:attempt",
    "slice": f"{__package__}._worker:slice_of",
}


def pair_at(method: str, seed: int, index: int, settings: GeneratorSettings) -> IntegralPair:
    """The pair at an address."""
    if not needs_sympy(method, settings):
        return make(method, seed, index, settings)
    if (recorded := recorded_pair((method, settings, seed, index))) is not None:
        return recorded
    pool = _pool(usable_cores())
    return next(_decided(pool, method, seed, [index], settings, at_once=pool.size))


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
        ValueError: ``workers`` is less than 1.

    """
    if workers < 1:
        raise ValueError(f"there must be at least one worker, not {workers}")
    if needs_sympy(method, settings):
        yield from enumerate(_decided(_pool(workers), method, seed, count(), settings))
    if workers == 1:
        yield from ((index, make(method, seed, index, settings)) for index in count())
    pool = _pool(workers)
    for start in count(step=workers * SLICE):
        indices = range(start, start + workers * SLICE)
        yield from zip(indices, _sliced(pool, method, seed, indices, settings), strict=True)


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


def _pool(workers: int) -> Pool:
    return shared_pool(workers, MEMORY_MB, tasks=_TASKS)


def _sliced(
    pool: Pool, method: str, seed: int, indices: Sequence[int], settings: GeneratorSettings
) -> list[IntegralPair]:
    starts = indices[::SLICE]
    items = [(method, seed, i, min(i + SLICE, indices[-1] + 1), asdict(settings)) for i in starts]
    rows: list[Any] = []
    for rows_made in pool.map("slice", items, deadline=DEADLINE):
        if isinstance(rows_made, WorkerError):  # nothing here has a time limit: this is a bug
            raise rows_made
        rows += rows_made
    return [IntegralPair.from_row(row) for row in rows]


def _decided(
    pool: Pool,
    method: str,
    seed: int,
    indices: Iterable[int],
    settings: GeneratorSettings,
    *,
    at_once: int = 1,
) -> Iterator[IntegralPair]:
    """The pairs at the indices, in order: recorded, or made by attempts and then recorded.

    The attempts at an index follow each other, ``at_once`` at a time; the first success counts.
    Attempts at different indices do not wait for each other, to keep all workers busy. A killed
    attempt (SymPy is stuck inside C or takes too much memory) counts as a failure by the limit.
    """
    # Pairs are yielded in the order of `begun`, whatever attempt ends first; `attempts` maps a
    # running attempt to the index and the number of the first try.
    fixed = asdict(settings)
    pairs: dict[int, IntegralPair] = {}
    begun: deque[int] = deque()
    attempts: dict[Future[list[Result | WorkerError]], tuple[int, int]] = {}
    waiting = iter(indices)

    def submit(index: int, number: int) -> None:
        if number >= MAX_ATTEMPTS:
            raise UnusableFormulaError(
                f"no {method} pair {index} with seed {seed} in {MAX_ATTEMPTS} attempts"
            )
        items = [(method, seed, index, number + ahead, fixed) for ahead in range(at_once)]
        future = pool.submit("attempt", items, deadline=DEADLINE)
        attempts[future] = index, number

    try:
        while True:
            # Start as many indices as there are workers. A recorded pair at the front is yielded
            # before further starts.
            while len(attempts) < pool.size and (index := next(waiting, None)) is not None:
                begun.append(index)
                address = (method, settings, seed, index)
                if (recorded := recorded_pair(address)) is not None:
                    pairs[index] = recorded
                else:
                    submit(index, 0)
                if begun[0] in pairs:
                    break
            if not begun:
                return
            if begun[0] in pairs:
                yield pairs.pop(begun.popleft())
                continue
            # All workers are busy, or no index is left: wait for an attempt. A failure starts the
            # next tries of the same index, a success is recorded for later runs.
            for future in wait(attempts, return_when=FIRST_COMPLETED).done:
                index, number = attempts.pop(future)
                rows = future.result()
                if error := next((row for row in rows if isinstance(row, TaskError)), None):
                    raise error
                row_made = next((row for row in rows if isinstance(row, dict)), None)
                if row_made is None:
                    submit(index, number + at_once)
                else:
                    pairs[index] = IntegralPair.from_row(row_made)
                    decisions().add([((method, settings, seed, index), pairs[index])])
    finally:
        for future in attempts:
            future.cancel()
