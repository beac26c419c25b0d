"""The main job: plan, ask, score. `sweep` is the whole of it; it goes on where it was stopped."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from ...benchmarks.problem import Problem
from ...prompts import ANSWER, parse
from ..core.asynchronous import run_async, stream
from ..core.requests import Completion, FinishReason, Request, Sampling
from ..models import Model
from ..store.jsonl_log import Log
from ..store.run import Plan, Run, RunWriter, rescoring, writing
from .grade import Policy, grade
from .plan import Job, plan
from .progress import Progress, Silent, hearing_models
from .repeats import Repeats

#: Completions scored together, and those that may wait for it before the rest is left for later.
BATCH = 512
WAITING = 1024
#: Batches under way at once, so that no worker waits for the end of one and the next.
BATCHES = 2


def sweep(
    models: Sequence[str | Model],
    benchmarks: Sequence[str],
    *,
    problems: Sequence[Problem] | None = None,
    prompt: str | None = None,
    shots: int | None = None,
    samples: int = 1,
    limit: int | None = None,
    seed: int = 0,
    sampling: Sampling | None = None,
    options: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    primary_k: int | None = None,
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask models for ``samples`` answers to every problem, score them, and keep it all in ``out``.

    Args:
        models: specs (``"solver/sympy"``) or `Model` instances.
        benchmarks: specs such as ``"bee"`` or ``"bee/competition"``.
        problems: the problems themselves, where no spec says which; ``benchmarks`` is then only
            what the run calls them.
        prompt: name or path of a template; by default the one of the problems' task.
        shots: how many worked examples the prompt shows, if it shows any.
        samples: how many samples of each problem; a larger number extends an earlier run.
        limit: at most so many problems, spread over the subsets; a larger number extends.
        seed: the seed from which every sample's seed, and every generated problem, derives.
        sampling: temperature and so on.
        options: options of the models that are given as specs (``-M key=value``).
        out: the run directory; by default one under ``runs/`` that the other arguments determine.
        primary_k: the k of pass@k for which `harness.compare` adjusts p values; declared in the
            manifest when the run is made (1 by default) and fixed from then on.
        policy: how strictly to judge.
        progress: what to tell as it goes; silent by default.

    The same call goes on where an earlier one was stopped, however it was stopped.

    """
    job = plan(
        models,
        benchmarks,
        problems=problems,
        prompt=prompt,
        shots=shots,
        samples=samples,
        limit=limit,
        seed=seed,
        sampling=sampling,
        options=options,
        out=out,
        primary_k=primary_k,
    )
    return run_job(job, policy=policy, progress=progress)


def run_job(job: Job, *, policy: Policy | None = None, progress: Progress | None = None) -> Run:
    """Ask and score what a `plan` says and the run directory does not hold yet."""
    policy, progress = policy or Policy(), progress or Silent()
    with writing(job.out, job.identity, job.primary_k) as run:
        run.extend(
            [
                Plan(
                    model.hash, model.label, model.config, job.samples, len(job.problems), job.limit
                )
                for model in job.models
            ],
            job.problems,
        )
        with run.scoring(policy.name, policy.to_dict()) as verdicts, hearing_models(progress):
            run_async(_Conductor(run, job, policy, verdicts, progress).conduct())
    return Run(job.out)


def score(
    path: str | os.PathLike[str],
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> Run:
    """Judge a run's completions under a policy, as far as that was not done; no model is asked."""
    policy, progress = policy or Policy(), progress or Silent()
    with rescoring(Path(path)) as run, run.scoring(policy.name, policy.to_dict()) as verdicts:
        run_async(_Scorer(run, policy, verdicts, progress).score_stored())
    return Run(path)


class _Scorer:
    """Judges completions, those that pass by and those that are stored, and keeps the verdicts."""

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
        """Judge what is stored and was not judged: after a kill, or under a new policy."""
        if all(map(self.settled, (row for _, row in self.run.completions.heads()))):
            return
        batch = []
        for row in self.run.completions.rows():
            if not self.settled(row):
                batch.append(Completion.from_dict(row))
            if len(batch) == BATCH:
                await self.score(batch)
                batch = []
        if batch:
            await self.score(batch)

    def settled(self, row: Mapping[str, Any]) -> bool:
        """Whether there is nothing to judge: what was said before the answer is not."""
        return row["stage"] != ANSWER or row["key"] in self.judged


class _Conductor:
    """One sweep: completions are stored as they come, and scored meanwhile."""

    def __init__(
        self, run: RunWriter, job: Job, policy: Policy, verdicts: Log, progress: Progress
    ) -> None:
        self.run, self.job, self.progress = run, job, progress
        self.scorer = _Scorer(run, policy, verdicts, progress)
        self.queue: asyncio.Queue[Completion | None] = asyncio.Queue()  # no more than `WAITING`
        self.stored: set[str] = set()
        self.left = False  # whether something stored is still to be judged at the end
        for _, row in run.completions.heads():
            self.stored.add(row["key"])
            self.left = self.left or not self.scorer.settled(row)

    async def conduct(self) -> None:
        scoring = [asyncio.create_task(self._score_passing()) for _ in range(BATCHES)]
        try:
            for model in self.job.models:
                await self._ask(model.at(self.run.path / "state" / model.hash), scoring)
            for _ in scoring:
                self.queue.put_nowait(None)
            await asyncio.gather(*scoring)
        finally:
            for task in scoring:
                task.cancel()
            await asyncio.gather(*scoring, return_exceptions=True)
        if self.left:
            await self.scorer.score_stored()

    async def _ask(self, model: Model, scoring: Sequence[asyncio.Task[None]]) -> None:
        """Ask one model, stage by stage: one ends before the next begins."""
        said = self._said(model)
        repeats = Repeats()
        try:
            for stage in range(self.job.stages):
                missing = self.job.missing(model, self.stored, stage=stage, said=said)
                total = max(missing, len(self.job.problems) * self.job.samples)
                self.progress.begin(model.label, total, total - missing)
                if missing:
                    requests = self.job.requests(model, self.stored, stage=stage, said=said)
                    await self._ask_stage(model, requests, scoring, said, repeats)
        finally:
            await model.close()
        if self.job.identity.sampling.temperature > 0 and (remark := repeats.remark()):
            self.progress.notice(f"{model.label}: {remark}")

    async def _ask_stage(
        self,
        model: Model,
        requests: Iterator[Request],
        scoring: Sequence[asyncio.Task[None]],
        said: dict[tuple[str, int], dict[str, str]],
        repeats: Repeats,
    ) -> None:
        asked, unreachable, reason = 0, 0, ""
        errors, error = 0, ""
        async with aclosing(model.complete(stream(requests))) as completions:
            async for completion in completions:
                asked += 1
                if completion.finish_reason is FinishReason.UNREACHABLE:
                    self.run.failed(completion)
                    unreachable, reason = unreachable + 1, completion.detail
                    continue
                if completion.key in self.stored:
                    if self.job.identity.sampling.beams:
                        continue  # a search gives all its answers again
                    raise RuntimeError(f"{model.label} answered {completion.key} twice")
                if completion.finish_reason is FinishReason.ERROR:
                    errors, error = errors + 1, error or completion.detail
                self.run.log.append(completion.to_dict())
                self.stored.add(completion.key)
                self.progress.answered(completion)
                for task in scoring:
                    if task.done():
                        await task  # it failed: say so now, not at the end
                if completion.stage != ANSWER:
                    place = (completion.problem, completion.sample)
                    said.setdefault(place, {})[completion.stage] = completion.text
                    continue
                repeats.see(completion)
                # The model never waits for the verifier: what does not fit is scored at the end.
                if self.queue.qsize() >= WAITING:
                    self.left = True
                else:
                    self.queue.put_nowait(completion)
        if unreachable:
            self.progress.notice(
                f"{model.label}: {unreachable} of {asked} requests got no answer ({reason}); "
                "the same command asks them again"
            )
        if errors:
            self.progress.notice(
                f"{model.label}: {errors} of {asked} answers are errors, the first: {error}"
            )

    def _said(self, model: Model) -> dict[tuple[str, int], dict[str, str]]:
        """What the model said before its answers, as far as it is stored."""
        said: dict[tuple[str, int], dict[str, str]] = {}
        if self.job.stages > 1:
            for row in self.run.completions.rows():
                if row["model"] == model.hash and row["stage"] != ANSWER:
                    said.setdefault((row["problem"], row["sample"]), {})[row["stage"]] = row["text"]
        return said

    async def _score_passing(self) -> None:
        """Judge what comes through the queue, until None does."""
        ended = False
        while not ended:
            batch = [await self.queue.get()]
            while batch[-1] is not None and len(batch) < BATCH and not self.queue.empty():
                batch.append(self.queue.get_nowait())
            ended = batch[-1] is None
            await self.scorer.score([completion for completion in batch if completion is not None])
