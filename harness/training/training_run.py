"""The directory of a training run, with log and progress."""

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


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """The folder that ``make`` writes; an interruption leaves no incomplete folder."""
    if not folder.is_dir():
        unfinished = folder.with_name(f"{folder.name}.part")
        make(unfinished)
        unfinished.rename(folder)
    return folder


@dataclass(frozen=True)
class TrainingRun:
    """The directory, log and progress of a training run.

    Attributes:
        out: The directory.
        log: Receives a line about each stage that begins.
        progress: Shows the progress of the evaluation.
        evaluating: A context manager for the evaluation, as `use_cluster`.

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
        """Ask the trained models, or resume the sweep; ``options`` are arguments of `sweep`."""
        with self.evaluating():
            out = self.out / name
            return sweep(models, benchmarks, out=out, progress=self.progress, **options)
