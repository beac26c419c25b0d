"""Every sample of a run with problem and verdict, by model, problem, sample and stage.

Completions and verdicts are stored in the order of arrival. A temporary database on disk joins and
sorts the rows: memory does not grow with the number of rows.
"""

from __future__ import annotations

import marshal
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...benchmarks.problem import Problem
from ...prompts import ANSWER, Prompt, PromptError, Rendered, parse
from ...rewards.verdict import Verdict
from .log.shards import Tests

if TYPE_CHECKING:
    from .run import Run


@dataclass(frozen=True)
class Sample:
    """A completion with the problem and, if judged, the verdict's row."""

    model: str
    label: str
    key: str  # the problem's
    problem: Problem
    completion: dict[str, Any]
    judged: dict[str, Any] | None

    @property
    def final(self) -> bool:
        """Whether the completion belongs to the graded stage."""
        return bool(self.completion["stage"] == ANSWER)

    @property
    def verdict(self) -> Verdict | None:
        return Verdict.from_dict(self.judged) if self.judged else None


def samples(
    run: Run,
    policy: str | None = None,
    scratch: Path | None = None,
    tests: Tests = MappingProxyType({}),
) -> Iterator[Sample]:
    """Every completion of a run, by model, problem, sample and stage.

    Args:
        run: the run.
        policy: the policy of the verdicts; by default the run's.
        scratch: a directory for the temporary database, as large as the texts; by default the
            system's temporary directory.
        tests: tests for needed rows, by ``model``, ``problem``, ``sample`` and ``stage``. Only
            blocks with needed rows are read: a few samples of a large run take seconds.

    """
    with (
        tempfile.TemporaryDirectory(dir=scratch, prefix=".samples-") as folder,
        closing(sqlite3.connect(Path(folder) / "samples.sqlite")) as database,
    ):
        _fill(database, run, policy, tests)
        for model, key, completion, verdict in database.execute(
            "SELECT model, problem, completion, verdict "
            "FROM completions LEFT JOIN verdicts USING (key) "
            "ORDER BY model_place, problem_place, sample, place"
        ):
            yield Sample(
                model=model,
                label=run.models[model]["label"],
                key=key,
                problem=run.problem(key),
                completion=marshal.loads(completion),
                judged=marshal.loads(verdict) if verdict else None,
            )


def _fill(
    database: sqlite3.Connection,
    run: Run,
    policy: str | None,
    tests: Tests,
) -> None:
    models = {model: index for index, model in enumerate(run.models)}
    problems = {key: index for index, key in enumerate(run.problems)}
    database.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;"
        "CREATE TABLE verdicts (key TEXT PRIMARY KEY, verdict BLOB);"
        "CREATE TABLE completions (key TEXT, place INTEGER PRIMARY KEY, model TEXT, problem TEXT,"
        " model_place INTEGER, problem_place INTEGER, sample INTEGER, completion BLOB);"
    )
    # A verdict's row has those fields of its completion, so that both are chosen alike.
    database.executemany(
        "INSERT OR REPLACE INTO verdicts VALUES (?, ?)",
        ((row["key"], marshal.dumps(row)) for row in run.verdicts(policy).rows(tests)),
    )
    database.executemany(
        "INSERT INTO completions VALUES (?, NULL, ?, ?, ?, ?, ?, ?)",
        (
            (
                row["key"],
                row["model"],
                row["problem"],
                models.get(row["model"], -1),
                problems.get(row["problem"], -1),
                row["sample"],
                marshal.dumps(row),
            )
            for row in run.completions.rows(tests)
        ),
    )
    database.execute(
        "CREATE INDEX wanted ON completions (model_place, problem_place, sample, place)"
    )


class Prompts:
    """The prompts of a run, rendered again from the manifest."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @cached_property
    def templates(self) -> dict[str, Prompt]:
        """By task."""
        entries = self.run.manifest["identity"]["prompts"]
        return {task: parse(entry["name"], entry["source"]) for task, entry in entries.items()}

    def stop(self, task: str) -> list[str]:
        """The stop strings of a completion."""
        return [*self.run.manifest["identity"]["sampling"]["stop"], *self.templates[task].stop]

    def render(self, problem: Problem, replies: dict[str, str] | None = None) -> Rendered | None:
        """The prompt of the stage that follows ``earlier`` replies, by stage.

        None for a prompt without a rendering, for example because of missing examples.
        """
        try:
            return self.templates[problem.task].render(problem, replies)
        except (PromptError, KeyError, IndexError):
            return None
