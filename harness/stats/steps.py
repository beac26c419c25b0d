"""The judged steps of a run's solutions. `run.py steps` stores them in `steps.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ...rewards.records import Record
from ...rewards.verdict import VERSION
from ..core.errors import RunError
from ..store.atomic import replacing

NAME = "steps.jsonl"


@dataclass(frozen=True, slots=True)
class StepCounts(Record):
    """The steps of one completion.

    Attributes:
        key: the completion's key.
        model: the model's hash.
        problem: the problem's key.
        version: the verifier's version.
        outcome: the solution's outcome (`rewards.verify.solution_steps.Solution.outcome`).
        wrong: the kind of the first wrong claim. The text is empty if no claim is wrong.
        progress: the solution's progress (`rewards.verify.solution_steps.Solution.progress`).
        displayed: the number of displayed claims.
        judged: the number of displayed claims that were judged.
        marks: the start, end, judgement, kind and reason of every claim.

    """

    key: str
    model: str
    problem: str
    version: str
    outcome: str
    wrong: str
    progress: float
    displayed: int
    judged: int
    marks: tuple[tuple[int, int, str, str, str], ...] = ()


def write_steps(folder: Path, rows: Iterator[StepCounts]) -> int:
    written = 0
    with replacing(folder / NAME) as file:
        for row in rows:
            file.write(msgspec.json.encode(row.to_dict()) + b"\n")
            written += 1
    return written


def read_steps(folder: Path) -> list[StepCounts]:
    """Read the stored steps of a run with judgements by the current version of the verifier.

    Raises:
        RunError: the file is damaged.

    """
    path = folder / NAME
    if not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8") as file:
            rows = [StepCounts.from_dict(json.loads(line)) for line in file]
    except ValueError as error:
        raise RunError(f"{path} is damaged ({error}); write it again with `steps`") from None
    return [row for row in rows if row.version == VERSION]
