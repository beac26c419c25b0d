"""The run directory: problems, completions and verdicts, and nothing that is derived.

    manifest.json           settings (`Identity`), models and plans, environments
    problems.jsonl          the problems, whole
    completions/            a `harness.store.log.reader` of completion rows
    verdicts/POLICY/        a log of verdict rows for each verifier version and policy
    certificates/POLICY/    a log of why these verdicts hold, where `score --certificates` was asked
    failures.jsonl          requests without an answer, and why; a later sweep repeats them
    steps.jsonl             every step of the solutions, judged, after `run.py steps`
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
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ...benchmarks.problem import Problem
from ...rewards.errors import ArgumentTypeError
from ..core.errors import RunError, suggest
from ..core.requests import Completion
from ..core.wording import counted
from . import counts
from .log.reader import LogReader
from .log.shards import Place, read_jsonl
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
CERTIFICATES = (("certificate",), ("key", "certificate", "reason"))


#: Answers of a run whose findings are in its `repr`: about a second's work, also in a debugger.
_MOST_DESCRIBED = 10_000


class Run:
    """A run directory, opened for reading.

    Args:
        path: the directory.

    Raises:
        RunError: the directory is no run, or a file in the run is damaged.

    >>> Run("nowhere")
    Traceback (most recent call last):
    ...
    calculus_harness.harness.core.errors.RunError: nowhere is not a run: it has no manifest.json

    """

    #: Says what was found in a run. `harness.stats.findings`, which knows runs, sets it.
    describe: ClassVar[Callable[[Run], str] | None] = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.exists(self.path):
            raise RunError(f"{self.path} is not a run: it has no manifest.json")

    @classmethod
    def of(cls, run: Run | str | os.PathLike[str]) -> Run:
        """A run as given, or the run in a directory.

        Args:
            run: the run, or the run's directory.

        Returns:
            The run.

        Raises:
            ArgumentTypeError: the argument is neither a run nor a path.
            RunError: there is no run in the directory.

        """
        if isinstance(run, Run):
            return run
        if not isinstance(run, str | os.PathLike):
            raise ArgumentTypeError(f"a run must be a Run or the path of one, not {run!r:.60}")
        return cls(run)

    def __repr__(self) -> str:
        answers = counts.samples(self.completions)
        labels = ", ".join(entry["label"] for entry in self.models.values())
        policies = ", ".join(self.policies) or "none"
        content = (
            f"<Run {self.path}: {counted(len(self.problems), 'problem')}, "
            f"models: {labels or 'none'}, {counted(answers, 'answer')}, verdicts: {policies}>"
        )
        describe = type(self).describe
        description = describe(self) if describe and answers <= _MOST_DESCRIBED else ""
        return f"{content}\n{description}" if description else content

    @staticmethod
    def exists(path: Path) -> bool:
        """Whether a directory is a run.

        Args:
            path: the directory.

        Returns:
            Whether the directory has a manifest.

        """
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
        """The problem of a key.

        Args:
            key: the key, as in `Completion.problem`.

        Returns:
            The problem.

        Raises:
            RunError: the run lacks the problem.

        """
        if key not in self.problems:
            raise RunError(f"{self.path}/problems.jsonl lacks {key}; restore the file")
        return self.problems[key]

    @property
    def models(self) -> dict[str, dict[str, Any]]:
        """Label, configuration and plan of every model asked, by hash."""
        models: dict[str, dict[str, Any]] = self.manifest["models"]
        return models

    def spec_of(self, model: str) -> str:
        """The name by which a model was asked for, as in ``openai/gpt-5``.

        Args:
            model: the model's hash.

        Returns:
            The name.

        """
        entry = self.models[model]
        return str(entry["config"].get("spec", entry["label"]))

    @property
    def labels(self) -> dict[str, str]:
        """The label of every model, by hash; equal labels are told apart by parts of the hash."""
        labels = {model: str(entry["label"]) for model, entry in self.models.items()}
        times = Counter(labels.values())
        return {m: f"{name} #{m[:6]}" if times[name] > 1 else name for m, name in labels.items()}

    def models_named(self, wanted: str) -> tuple[str, ...]:
        """The hashes of the models with a label, or whose label or hash begins with the text.

        Args:
            wanted: the label, or a beginning of the label or of the hash.

        Returns:
            One hash or several.

        Raises:
            RunError: no model fits.

        """
        labels = self.labels
        exact = tuple(model for model, label in labels.items() if label == wanted)
        matches = exact or tuple(
            model
            for model, label in labels.items()
            if label.startswith(wanted) or model.startswith(wanted)
        )
        if not matches:
            hint = suggest(wanted, labels.values())
            raise RunError(f"{self.path} has no model {wanted!r}; {hint}")
        return matches

    @property
    def policies(self) -> tuple[str, ...]:
        """The verifier versions and policies of the run's verdicts, latest last."""
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
        """The verdicts under a policy.

        Args:
            policy: one of `policies`; by default `policy`.

        Returns:
            The verdicts, in the order of writing.

        Raises:
            RunError: the run lacks the verdicts.

        """
        if policy is None:
            policy = self.policy or "none"
        elif policy not in self.policies:
            raise RunError(
                f"{self.path} has no verdicts {policy!r}; {suggest(policy, self.policies)}"
            )
        return self._verdicts_of(policy)

    def _verdicts_of(self, policy: str) -> LogReader:
        return LogReader(self.path / "verdicts" / policy, *VERDICTS)

    def certificates(self, policy: str) -> LogReader:
        """The certificates of the verdicts under a policy; empty if none were made.

        Args:
            policy: the policy's name.

        Returns:
            The log of certificates.

        """
        return LogReader(self.path / "certificates" / policy, *CERTIFICATES)

    def completion(self, place: Place) -> Completion:
        """The completion at a place in the log.

        Args:
            place: the place of the completion's row, from `completions`.

        Returns:
            The completion.

        """
        return Completion.from_dict(self.completions.read(place))
