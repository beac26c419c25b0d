"""SymPy's `simplify` on a generated integrand, with a time limit, in a process that can be killed.

AntiderivBench simplifies every new integrand. What comes of it depends on the machine's speed and
on SymPy's version, so it is recorded (`benchmarks.bee.records`) and not repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...rewards.workers.pool import WorkerError, WorkerMemory, WorkerPool, WorkerTimeout

#: Seconds of processor time for one integrand, so that a busy machine decides like an idle one.
CPU_LIMIT = 5.0
#: Seconds of wall clock for each of them, after which the process is killed.
PATIENCE = 8.0
MEMORY_MB = 2048

_TASKS = {"simplify": f"{__package__}._simplify_worker:simplify"}
#: What became of an integrand: its simplified LaTeX or None, and why.
Outcome = tuple[str | None, str]


def simplify_all(integrands: Sequence[str], *, cpu_limit: float = CPU_LIMIT) -> list[Outcome]:
    """Simplify integrands in LaTeX, on all cores, in order.

    The reason is ``simplified``, or ``timeout``, ``memory``, or ``error`` where SymPy fails or says
    something that has no closed form.
    """
    if not integrands:
        return []
    items = [(text, cpu_limit) for text in integrands]
    with WorkerPool(memory_mb=MEMORY_MB, tasks=_TASKS) as pool:
        results = pool.map("simplify", items, deadline=PATIENCE * cpu_limit)
    return [_outcome(result) for result in results]


@cache
def _pool() -> WorkerPool:
    """One pool for the whole process: to import SymPy takes longer than most simplifications."""
    return WorkerPool(memory_mb=MEMORY_MB, tasks=_TASKS)


def _outcome(result: str | WorkerError | None) -> Outcome:
    if isinstance(result, str):
        return result, "simplified"
    if result is None or isinstance(result, WorkerTimeout):
        return None, "timeout"
    return None, "memory" if isinstance(result, WorkerMemory) else "error"
