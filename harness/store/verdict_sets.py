"""Which of a run's sets of verdicts to take where nobody says."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...rewards.version import VERSION
from . import counts

if TYPE_CHECKING:
    from .run import Run


def latest_complete(runs: Sequence[Run], among: Iterable[str] | None = None) -> str | None:
    """The latest set that all runs have and in which every stored answer is judged.

    If there is none, the one in which most are; None if no set is common. ``among`` restricts the
    choice. What was judged later, but only in part (`score` was interrupted), is said in a warning,
    with the command that completes it.
    """
    names = [name for name in runs[0].policies if all(name in run.policies for run in runs)]
    if among is not None:
        wanted = set(among)
        names = [name for name in names if name in wanted]
    if len(names) <= 1:
        return names[0] if names else None
    stored = {run.path: _stored(run) for run in runs}
    judged: dict[str, int] = {}
    for name in reversed(names):
        judged[name] = sum(min(_judged(run, name), stored[run.path]) for run in runs)
        if judged[name] == sum(stored.values()):
            break
    best = max(judged, key=lambda name: judged[name])  # of equals the latest
    if best != names[-1]:
        lacking = [run for run in runs if _judged(run, names[-1]) < stored[run.path]]
        warnings.warn(
            f"{', '.join(str(run.path) for run in lacking)}: the verdicts {names[-1]} are newer, "
            f"but there are {judged[names[-1]]} of {sum(stored.values())}, so those of {best} "
            f"({judged[best]}) are taken; {_completing(lacking, names[-1])}",
            stacklevel=2,
        )
    return best


def _stored(run: Run) -> int:
    return sum(int(sums.get("samples", 0)) for sums in counts.totals(run.completions).values())


def _judged(run: Run, name: str) -> int:
    return sum(int(sums["samples"]) for sums in counts.totals(run.verdicts(name)).values())


def _completing(runs: Iterable[Run], name: str) -> str:
    """How to get the verdicts that are missing."""
    settings = [(run, run.manifest["policies"][name]) for run in runs]
    if any(policy.get("verifier") != VERSION for _, policy in settings):
        return "another version of the verifier made them, and only it can complete them"
    commands = (f"`{_command(run, policy)}`" for run, policy in settings)
    return f"{' and '.join(commands)} completes them"


def _command(run: Run, settings: Mapping[str, Any]) -> str:
    """What judges the rest of a run's answers in the same way."""
    words = ["run.py", "score", str(run.path)]
    if settings["method"] != "balls":
        words += ["--method", settings["method"]]
    words += [f"--{name.replace('_', '-')}" for name, value in settings.items() if value is True]
    return shlex.join(words)
