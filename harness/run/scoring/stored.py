"""The verdicts of a run: missing verdicts are made and stored."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from ....prompts import ANSWER
from ....rewards.arguments import check_method
from ....rewards.errors import ArgumentTypeError
from ....rewards.verdict import Status, Verdict
from ....rewards.workers.pool import WorkerPool, shared_pool
from ...core.asynchronous import run_async
from ...core.errors import RunError
from ...core.policy import Policy
from ...core.requests import Completion
from ...core.wording import counted
from ...store import counts
from ...store.log.appending import Log
from ...store.run import Run
from ...store.writer import RunWriter, rescoring
from ...tasks import refuse_unreadable
from ..progress import Progress, or_by_default
from .grading import BATCH, grade, row_of, stop_strings
from .lanes import number_of_lanes, score_in_lanes

#: How many completions at least wait for each worker, and how many batches at least.
FOR_EACH_WORKER, BATCHES = 64, 4
#: Seconds between two lines about what lanes have judged.
_SAY = 10.0


def score(
    path: str | os.PathLike[str],
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
    lanes: int | None = None,
) -> Run:
    """Grade the completions of a run that are not graded under a policy yet.

    Args:
        path: the run directory.
        policy: the rules of judging; by default `Policy()`.
        progress: receives every verdict; by default progress is shown on stderr.
        lanes: the number of processes that read, judge and write shards of a large run. The default
            is one process for every `lanes.CORES` cores, and none on a cluster.

    Returns:
        The run.

    Raises:
        RunError: the directory is not a run, or another process is writing the run.

    >>> from calculus_harness import sweep
    >>> run = sweep(["solver/sympy"], ["drills"], limit=1, out="run")
    >>> len(score("run", policy=Policy(strict=True)).policies)
    2

    """
    policy = _checked(policy)
    tasks = {problem.task for problem in Run(path).problems.values()}
    refuse_unreadable(tasks, policy)
    if "integration" in tasks:
        check_method(policy.method)
    with or_by_default(progress) as reporter, rescoring(Path(path)) as run:
        with run.scoring(policy.name, policy.to_dict()) as verdicts:
            scorer = Scorer(run, policy, verdicts, reporter)
            number = scorer.lanes(lanes)
            run_async(scorer.score_in_lanes(number) if number > 1 else scorer.score_stored())
        if number > 1:
            run.adopt(policy.name)
            with run.scoring(policy.name, policy.to_dict()) as verdicts:
                run_async(Scorer(run, policy, verdicts, reporter).score_stored())
        reporter.finish()
    return Run(path)


def _checked(policy: Policy | None) -> Policy:
    """The policy, if its verdicts can be made here; otherwise an error is raised before a set of
    verdicts is begun.
    """
    if policy is None:
        return Policy()
    if not isinstance(policy, Policy):
        raise ArgumentTypeError(f"policy must be a Policy, as Policy(strict=True), not {policy!r}")
    return policy


class Scorer:
    """Grades new and stored completions, and stores the verdicts."""

    def __init__(self, run: RunWriter, policy: Policy, verdicts: Log, progress: Progress) -> None:
        self.run, self.policy, self.verdicts, self.progress = run, policy, verdicts, progress
        self.judged = run.judged[policy.name]
        progress.restored(
            {
                problem: (int(sums["samples"]), int(sums.get(Status.CORRECT, 0)))
                for problem, sums in counts.totals(verdicts).items()
            }
        )
        if run.dropped:
            progress.notice(
                f"dropped {counted(run.dropped, 'verdict')} whose completions are lost or had one "
                "already, as after a power cut; what is missing is asked and judged again"
            )
        self.stop = stop_strings(run)

    @property
    def complete(self) -> bool:
        """Whether every stored answer has a verdict."""
        return len(self.judged) == counts.samples(self.run.completions)

    async def score(self, batch: Sequence[Completion]) -> None:
        verdicts = await self._grade(batch)
        await self._completions_on_disk()
        self._store(batch, verdicts)

    async def _completions_on_disk(self) -> None:
        """Wait until the completions are on disk, before the verdicts are written.

        Otherwise, the verdict of a lost completion would belong to a later completion.
        """
        try:
            # Shielded: a sweep that ends early cancels who waits, and not the writing.
            await asyncio.shield(asyncio.wrap_future(self.run.log.synced()))
        except OSError as error:
            raise RunError(f"cannot write {self.run.path}: {error.strerror}") from error

    async def _grade(self, batch: Sequence[Completion]) -> list[Verdict]:
        pairs = [(self.run.problem(completion.problem), completion) for completion in batch]
        return await grade(pairs, self.policy, self.stop)

    def _store(self, batch: Sequence[Completion], verdicts: Sequence[Verdict]) -> None:
        for completion, verdict in zip(batch, verdicts, strict=True):
            self.verdicts.append(row_of(completion, verdict))
            self.judged.add(completion.key)
            self.progress.judged(verdict, completion)

    def lanes(self, wanted: int | None) -> int:
        """The number of lanes worth a start; a cluster needs no lanes."""
        log = self.run.completions
        if self.complete or not isinstance(shared_pool(), WorkerPool):
            return 0
        sealed = sum(log.stamp(shard) is not None for shard in log.shards())
        return min(sealed, number_of_lanes() if wanted is None else wanted)

    async def score_in_lanes(self, number: int) -> None:
        """Let lanes grade the sealed shards; `score_stored` grades the remaining completions."""
        await self._completions_on_disk()
        log, begun, total = self.run.completions, time.monotonic(), 0

        def judged(number: int) -> None:
            nonlocal total, begun
            total += number
            if time.monotonic() - begun > _SAY:
                begun = time.monotonic()
                self.progress.status(f"{counted(total, 'answer')} judged by {at_once}")

        at_once = counted(number, "lane")
        lacking = (
            (shard, unjudged)
            for shard in log.shards()
            if log.stamp(shard) is not None
            and (unjudged := self.judged.lacking(log, shard, {"stage": ANSWER.__eq__}))
        )
        await score_in_lanes(self.run.path, self.policy, number, lacking, judged)

    async def score_stored(self) -> None:
        """Grade stored completions without verdicts, after a kill or under a new policy."""
        if self.complete:
            return
        await self._completions_on_disk()
        # A batch whose node has died must not keep the others waiting.
        at_once = BATCHES + FOR_EACH_WORKER * shared_pool().size // BATCH
        grading: dict[asyncio.Task[list[Verdict]], list[Completion]] = {}

        async def store_some() -> None:
            done, _ = await asyncio.wait(grading, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                self._store(grading.pop(task), task.result())

        try:
            for batch in self._batches():
                grading[asyncio.create_task(self._grade(batch))] = batch
                if len(grading) == at_once:
                    await store_some()
            while grading:
                await store_some()
        finally:
            for task in grading:
                task.cancel()

    def _batches(self) -> Iterator[list[Completion]]:
        """The answers without a verdict. Earlier stages of a sample never have a verdict."""
        log = self.run.completions
        completions = (
            Completion.from_dict(row)
            for shard in log.shards()
            for _, row in log.read_all(self.judged.lacking(log, shard, {"stage": ANSWER.__eq__}))
        )
        while batch := list(islice(completions, BATCH)):
            yield batch
