"""The directory of a training run, and what its parts have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..models import Model
from ..run.progress import Progress
from ..run.sweep import sweep
from ..store.run import Run


@dataclass(frozen=True)
class TrainingRun:
    """Where a training run is, and how it is watched.

    Attributes:
        out: Its directory.
        log: Gets a line about each part that begins.
        progress: Shows how far the evaluation is.
        evaluating: Entered for the evaluation, as `use_cluster`.

    """

    out: Path
    log: Callable[[str], None] = lambda text: None
    progress: Progress | None = None
    evaluating: Callable[[], AbstractContextManager[object]] = nullcontext

    def evaluate(
        self,
        models: Sequence[Model],
        benchmarks: Sequence[str],
        name: str = "evaluation",
        **options: Any,
    ) -> Run:
        """Ask the trained models, or go on with that; ``options`` are those of `sweep`."""
        with self.evaluating():
            out = self.out / name
            return sweep(models, benchmarks, out=out, progress=self.progress, **options)
