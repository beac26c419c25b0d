"""The run directory: problems, completions and verdicts, and nothing that is derived.

    manifest.json           settings (`Identity`), models and plans, environments
    problems.jsonl          the problems, whole
    completions/            a `harness.store.jsonl_log` of completion rows
    verdicts/POLICY/        a log of verdict rows for each verifier version and policy
    failures.jsonl          requests without an answer, and why; a later sweep repeats them
    phases/NAME.json        the problems that a phase derived (`harness.run.phases`)
    state/MODEL/            what a kind of model keeps to go on after a restart, where it does
    report.html             made by `run.py report`

Completions are identified by hashes (`harness.core.requests`): a larger ``-n`` or ``--limit``, or
another model, extends a run, while a changed prompt, seed, sampling or problem is refused. Verdicts
refer to completions by key and can be deleted. `harness.store.writer` writes a run.
"""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from ...benchmarks.problem import Problem
from ..core.errors import RunError, suggest
from ..core.requests import Completion
from . import counts
from .jsonl_log import LogReader
from .shards import Place, read_jsonl
from .verdict_sets import latest_complete

SCHEMA = 1
#: Of each log, the fields that its index leaves out, those that every row has, what is counted.
COMPLETIONS = (
    ("text", "reasoning", "extra"),
    ("key", "model", "problem", "request", "sample", "stage", "seed", "text", "finish_reason"),
    counts.COMPLETIONS,
)
VERDICTS = (
    ("answer", "evidence"),
    ("key", "model", "problem", "sample", "stage", "finish_reason", "status", "reward"),
    counts.VERDICTS,
)


class Run:
    """A run directory, opened for reading.

    Args:
        path: the directory.

    Raises:
        RunError: it is not a run, or something in it is damaged.

    >>> Run("nowhere")
    Traceback (most recent call last):
    ...
    calculus_harness.harness.core.errors.RunError: nowhere is not a run: it has no manifest.json

    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.exists(self.path):
            raise RunError(f"{self.path} is not a run: it has no manifest.json")

    @staticmethod
    def exists(path: Path) -> bool:
        """Whether a directory is a run."""
        return (path / "manifest.json").is_file()

    @property
    def _manifest_path(self) -> Path:
        return self.path / "manifest.json"

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The contents of ``manifest.json``."""
        try:
            manifest: dict[str, Any] = json.loads(self._manifest_path.read_bytes())
            schema = manifest["schema"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{self._manifest_path} is damaged ({error}); restore it") from None
        if schema != SCHEMA:
            raise RunError(
                f"{self.path} has schema version {schema}, and this program reads {SCHEMA}; "
                "use the version of calculus-harness that made it"
            )
        return manifest

    @cached_property
    def problems(self) -> dict[str, Problem]:
        """The run's problems by key, in the order of the plan."""
        path = self.path / "problems.jsonl"
        problems: dict[str, Problem] = {}
        if path.exists():
            for number, row in enumerate(read_jsonl(path), 1):
                try:
                    problems[row["key"]] = Problem.from_dict(row["problem"])
                except (KeyError, TypeError, ValueError) as error:
                    raise RunError(f"{path}, line {number}: {error}; restore the file") from None
        return problems

    def problem(self, key: str) -> Problem:
        """The problem of a key."""
        if key not in self.problems:
            raise RunError(f"{self.path}/problems.jsonl lacks {key}; restore the file")
        return self.problems[key]

    @property
    def models(self) -> dict[str, dict[str, Any]]:
        """Label, configuration and plan of every model asked, by hash."""
        models: dict[str, dict[str, Any]] = self.manifest["models"]
        return models

    @property
    def policies(self) -> tuple[str, ...]:
        """The verifier versions and policies under which this run was scored, latest last."""
        return tuple(self.manifest["policies"])

    @property
    def policy(self) -> str | None:
        """The default set of verdicts (`harness.store.verdict_sets.latest_complete`), if any."""
        return latest_complete([self])

    @property
    def completions(self) -> LogReader:
        """The completions, in the order of writing."""
        return LogReader(self.path / "completions", *COMPLETIONS)

    def verdicts(self, policy: str | None = None) -> LogReader:
        """The verdicts under a policy, by default `policy`; `RunError` if it has none."""
        if policy is None:
            policy = self.policy or "none"
        elif policy not in self.policies:
            raise RunError(
                f"{self.path} has no verdicts {policy!r}; {suggest(policy, self.policies)}"
            )
        return LogReader(self.path / "verdicts" / policy, *VERDICTS)

    def completion(self, place: Place) -> Completion:
        """The completion at a place in the log."""
        return Completion.from_dict(self.completions.read(place))
