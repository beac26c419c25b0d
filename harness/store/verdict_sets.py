"""The default set of verdicts of one or several runs."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from ...rewards.verdict import version_of
from ..core.program import program
from . import counts
from .log.reader import LogReader


class JudgedRun(Protocol):
    """The attributes of a `harness.store.run.Run` used by the module."""

    path: Path

    @property
    def manifest(self) -> dict[str, Any]: ...

    @property
    def policies(self) -> tuple[str, ...]: ...

    @property
    def completions(self) -> LogReader: ...

    def verdicts(self, policy: str | None = None) -> LogReader: ...


def latest_complete(runs: Sequence[JudgedRun], among: Iterable[str] | None = None) -> str | None:
    """The latest set of verdicts common to all runs, with a verdict on every answer.

    Without a complete set, the set with the most verdicts is returned. A warning names a later set,
    incomplete because of an interrupted `score`, and the command to complete the set.

    Args:
        runs: the runs.
        among: the names to choose from; by default all.

    Returns:
        The set's name, or None without common sets.

    """
    names = [name for name in runs[0].policies if all(name in run.policies for run in runs)]
    if among is not None:
        policies = set(among)
        names = [name for name in names if name in policies]
    if len(names) <= 1:
        return names[0] if names else None
    stored = {run.path: counts.samples(run.completions) for run in runs}
    judged: dict[str, int] = {}
    for name in reversed(names):
        judged[name] = sum(
            min(counts.samples(run.verdicts(name)), stored[run.path]) for run in runs
        )
        if judged[name] == sum(stored.values()):
            break
    best = max(judged, key=lambda name: judged[name])  # of equals the latest
    if best != names[-1]:
        incomplete = [
            run for run in runs if counts.samples(run.verdicts(names[-1])) < stored[run.path]
        ]
        paths = ", ".join(str(run.path) for run in incomplete)
        warnings.warn(
            f"{paths}: the verdicts {names[-1]} are newer, "
            f"but there are {judged[names[-1]]} of {sum(stored.values())}, so those of {best} "
            f"({judged[best]}) are taken; {_completing(incomplete, names[-1])}",
            stacklevel=2,
        )
    return best


def ambiguous_name(runs: Iterable[JudgedRun], policy: str | None) -> str:
    """The name of a set of verdicts for a table, if a run holds several sets."""
    return policy or "" if any(len(run.policies) > 1 for run in runs) else ""


def _completing(runs: Iterable[JudgedRun], name: str) -> str:
    """How to get the missing verdicts."""
    settings = [(run, run.manifest["policies"][name]) for run in runs]
    if any(policy.get("verifier") != version_of(policy["method"]) for _, policy in settings):
        return "another version of the verifier made them, and only it can complete them"
    commands = (f"`{_command(run, policy)}`" for run, policy in settings)
    return f"{' and '.join(commands)} completes them"


def _command(run: JudgedRun, settings: Mapping[str, Any]) -> str:
    """The command for the rest of a run's verdicts."""
    words = [*program().split(), "score", str(run.path)]
    if settings["method"] != "balls":
        words += ["--method", settings["method"]]
    if settings.get("deadline") is not None:
        words += ["--deadline", f"{settings['deadline']:g}"]
    words += [f"--{name.replace('_', '-')}" for name, value in settings.items() if value is True]
    return shlex.join(words)
