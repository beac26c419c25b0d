"""Computer algebra systems as models: asked for the antiderivative, they answer in LaTeX."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from harness.errors import ModelError
from harness.models.base import Model, ask_each, operational
from harness.requests import Completion, FinishReason, Request


@dataclass(frozen=True, kw_only=True)
class SympySolver(Model):
    """SymPy's `integrate`, as in Table 1 of the AntiderivBench paper: ten seconds a problem.

    The time limit ends a process, not a Python call, so it always holds. The clock runs from
    handing over the problem, after SymPy has been imported. What was not finished in time is
    recorded as such, so that a resumed run repeats the decision and not the race. Prompt and
    sampling are ignored.
    """

    time_limit: float = 10.0
    memory_mb: int = 4096
    concurrency: int = operational(0)  # 0: as many as there are cores

    example: ClassVar[str] = "run.py sweep --model solver/sympy -M time-limit=5 --benchmark bee"

    def __post_init__(self) -> None:
        if self.time_limit <= 0 or self.memory_mb <= 0 or self.concurrency < 0:
            raise ValueError("time-limit and memory-mb must be positive, concurrency not negative")

    def fingerprint(self) -> dict[str, Any]:
        return {"sympy": metadata.version("sympy")}

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        from rewards.pool import WorkerError, WorkerMemory, WorkerPool, WorkerTimeout, usable_cores

        size = self.concurrency or usable_cores()
        worker = Path(__file__).with_name("_sympy_worker.py")
        tasks = {"integrate": f"{worker}:integrate"}

        async def ask(request: Request) -> Completion:
            problem = request.problem
            if problem.task != "integration":
                raise ModelError(f"{self.spec} integrates; it cannot do the task {problem.task!r}")
            integrand, variable = problem.inputs["integrand"], problem.inputs["variable"]
            (result,) = await pool.amap(
                "integrate", [(integrand, variable)], deadline=self.time_limit
            )
            if not isinstance(result, WorkerError):
                text, remark, seconds = result
                return Completion.to(request, text, detail=remark[:500], latency=round(seconds, 3))
            if isinstance(result, WorkerTimeout):
                detail = f"no result in {self.time_limit:g} s"
                return Completion.to(
                    request,
                    "",
                    finish_reason=FinishReason.TIME_LIMIT,
                    detail=detail,
                    latency=self.time_limit,
                )
            if isinstance(result, WorkerMemory):
                detail = f"out of memory ({self.memory_mb} MB)"
            else:
                detail = str(result)[:500]
            return Completion.to(request, "", finish_reason=FinishReason.ERROR, detail=detail)

        pool = WorkerPool(size, self.memory_mb, tasks=tasks)
        try:
            async for completion in ask_each(requests, ask, size):
                yield completion
        finally:
            pool.close()
