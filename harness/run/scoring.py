"""Grading the completions of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...prompts import ANSWER, parse
from ..core.asynchronous import run_async
from ..core.policy import Policy
from ..core.requests import Completion
from ..store.jsonl_log import Log
from ..store.run import Run
from ..store.writer import RunWriter, rescoring
from .grade import grade
from .progress import Progress, Silent

#: Completions graded together.
BATCH = 512


def score(
    path: str | os.PathLike[str],
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> Run:
    """Grade a run's completions under a policy, as far as they are not graded yet.

    Args:
        path: the run directory.
        policy: how strictly to judge; by default `Policy()`.
        progress: is told of every verdict; silent by default.

    Returns:
        The run.

    Raises:
        RunError: it is not a run, or another process is writing it.

    >>> from calculus_harness import sweep
    >>> run = sweep(["solver/sympy"], ["drills"], limit=1, out="run")
    >>> len(score("run", policy=Policy(strict=True)).policies)
    2

    """
    policy, progress = policy or Policy(), progress or Silent()
    with rescoring(Path(path)) as run, run.scoring(policy.name, policy.to_dict()) as verdicts:
        run_async(Scorer(run, policy, verdicts, progress).score_stored())
    return Run(path)


class Scorer:
    """Grades completions, new and stored ones, and stores the verdicts."""

    def __init__(self, run: RunWriter, policy: Policy, verdicts: Log, progress: Progress) -> None:
        self.run, self.policy, self.verdicts, self.progress = run, policy, verdicts, progress
        self.judged = {row["key"] for _, row in verdicts.heads()}
        identity = run.manifest["identity"]
        self.stop = {
            task: (*identity["sampling"]["stop"], *parse(entry["name"], entry["source"]).stop)
            for task, entry in identity["prompts"].items()
        }

    async def score(self, batch: Sequence[Completion]) -> None:
        verdicts = await grade(
            [(self.run.problem(completion.problem), completion) for completion in batch],
            self.policy,
            self.stop,
        )
        for completion, verdict in zip(batch, verdicts, strict=True):
            head = {
                "key": completion.key,
                "model": completion.model,
                "problem": completion.problem,
                "sample": completion.sample,
                "stage": completion.stage,
                "finish_reason": completion.finish_reason,
            }
            self.verdicts.append(head | verdict.to_dict())
            self.judged.add(completion.key)
            self.progress.judged(verdict)

    async def score_stored(self) -> None:
        """Grade the stored completions without a verdict: after a kill, or under a new policy."""
        if all(map(self.is_done, (row for _, row in self.run.completions.heads()))):
            return
        batch = []
        for row in self.run.completions.rows():
            if not self.is_done(row):
                batch.append(Completion.from_dict(row))
            if len(batch) == BATCH:
                await self.score(batch)
                batch = []
        if batch:
            await self.score(batch)

    def is_done(self, row: Mapping[str, Any]) -> bool:
        """Whether a completion needs no verdict: it has one, or is of an earlier stage."""
        return row["stage"] != ANSWER or row["key"] in self.judged
