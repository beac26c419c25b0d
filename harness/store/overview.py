"""The runs in a folder at a glance: questions, models, and the stored data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...rewards.records import Record
from ..core.errors import RunError
from . import counts
from .run import Run


@dataclass(frozen=True)
class ModelOverview:
    """A model of a run: how many answers are planned, stored, judged and correct."""

    label: str
    planned: int
    answers: int
    judged: int
    correct: int


@dataclass(frozen=True)
class Overview(Record):
    """A run, or the reason for an unreadable run."""

    path: str
    created: str = ""
    benchmarks: tuple[str, ...] = ()
    problems: int = 0
    policies: tuple[str, ...] = ()
    models: tuple[ModelOverview, ...] = ()
    error: str = ""


def runs_under(folder: Path, depth: int = 3) -> Iterator[Path]:
    """The runs in a folder, and in subfolders down to a depth, sorted by name."""
    if Run.exists(folder):
        yield folder
    elif depth:
        try:
            entries = sorted(folder.iterdir())
        except PermissionError:
            return
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink() and not entry.name.startswith("."):
                yield from runs_under(entry, depth - 1)


def overview(path: Path) -> Overview:
    """The content of a run; an unreadable run is a row with the error."""
    try:
        run = Run(path)
        stored = counts.totals(run.completions)
        policy = run.policies[-1] if run.policies else None
        judged = counts.totals(run.verdicts(policy)) if policy else {}
        models = []
        for model, entry in run.models.items():
            sums = counts.of_model(judged, model).values()
            answers = counts.total(counts.of_model(stored, model).values(), "samples")
            models.append(
                ModelOverview(
                    label=run.labels[model],
                    planned=entry["samples"] * entry["problems"],
                    answers=int(answers),
                    judged=int(counts.total(sums, "samples")),
                    correct=int(counts.total(sums, "correct")),
                )
            )
        return Overview(
            path=str(path),
            created=run.manifest["created"],
            benchmarks=tuple(run.manifest["identity"]["benchmarks"]),
            problems=len(run.problems),
            policies=run.policies,
            models=tuple(models),
        )
    except (RunError, KeyError, TypeError) as error:
        return Overview(path=str(path), error=str(error))
