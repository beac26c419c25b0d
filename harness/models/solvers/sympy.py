"""SymPy: `integrate`, the baseline of the AntiderivBench paper (Table 1), `limit`, `dsolve`, ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, ClassVar

from ....benchmarks.problem import Problem
from .base import Reply, Solver


@dataclass(frozen=True, kw_only=True)
class SympySolver(Solver):
    """SymPy's `integrate`, as in Table 1 of the AntiderivBench paper: ten seconds a problem."""

    task: ClassVar[str] = "sympy_question"
    example: ClassVar[str] = "run.py sweep --model solver/sympy -M time-limit=5 --benchmark bee"

    def fingerprint(self) -> dict[str, Any]:
        return super().fingerprint() | {"sympy": metadata.version("sympy")}

    def task_arguments(self, problem: Problem, folder: str) -> Sequence[Any]:
        target = problem.target
        assumptions = dict(problem.assumptions)
        return problem.task, target.judged, target.integrated_over, assumptions

    def parse_reply(self, problem: Problem, reply: Reply) -> tuple[str, str]:
        return reply["text"], reply["detail"]
