"""SymPy's `simplify` with a time limit, in worker processes.

AntiderivBench simplifies every new integrand. The result depends on the machine's speed and on
SymPy's version, and is recorded (`benchmarks.bee.decisions`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...rewards.workers.errors import WorkerError, WorkerMemory, WorkerTimeout
from ...rewards.workers.pool import make_pool

#: Seconds of processor time for an integrand: independent of other programs.
CPU_LIMIT = 5.0
#: Seconds of wall clock per second of the limit, after which the process is killed.
WALL_CLOCK_FACTOR = 8.0
MEMORY_MB = 2048

_TASKS = {"simplify": f"{__package__}._simplify_worker:simplify"}
#: The simplified LaTeX or None, and the reason.
Outcome = tuple[str | None, str]


def simplify_all(integrands: Sequence[str], *, cpu_limit: float = CPU_LIMIT) -> list[Outcome]:
    """Simplify integrands in LaTeX on all cores.

    Args:
        integrands: LaTeX in the variable x.
        cpu_limit: seconds of processor time for each.

    Returns:
        An outcome for each integrand, in order. The reason is ``simplified``, ``timeout``,
        ``memory``, or ``error`` if SymPy fails or returns no closed form.

    """
    if not integrands:
        return []
    items = [(text, cpu_limit) for text in integrands]
    with make_pool(memory_mb=MEMORY_MB, tasks=_TASKS) as pool:
        results = pool.map("simplify", items, deadline=WALL_CLOCK_FACTOR * cpu_limit)
    return [_outcome(result) for result in results]


def _outcome(result: str | WorkerError | None) -> Outcome:
    if isinstance(result, str):
        return result, "simplified"
    if result is None or isinstance(result, WorkerTimeout):
        return None, "timeout"
    return None, "memory" if isinstance(result, WorkerMemory) else "error"
