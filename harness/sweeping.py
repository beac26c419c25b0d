"""The main job: plan, ask, score. `sweep` is the whole of it; it goes on where it was stopped."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.problem import Problem
from benchmarks.registry import Subset, resolve, spread
from harness.errors import UserError
from harness.grading import Policy, grade
from harness.log import Log
from harness.models import Model, create
from harness.progress import Progress, Silent
from harness.requests import (
    Completion,
    Request,
    Sampling,
    digest,
    problem_key,
    request_hash,
    sample_seed,
)
from harness.store import Identity, Plan, Run, RunWriter, rescoring, writing
from prompts import Rendered, default_for, parse
from prompts import load as load_prompt

#: Completions scored together, and those that may wait for it before the rest is left for later.
BATCH = 128
WAITING = 1024

T = TypeVar("T")


@dataclass(frozen=True)
class Job:
    """A sweep with everything resolved: what would be asked, of whom, and where it is kept."""

    identity: Identity
    models: tuple[Model, ...]
    problems: tuple[Problem, ...]
    samples: int
    out: Path
    limit: int | None = None
    primary_k: int | None = None
    rendered: Mapping[str, tuple[Rendered, Sampling, str]] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """How many completions there are when it is done."""
        return len(self.models) * len(self.problems) * self.samples

    def requests(self, model: Model) -> Iterator[Request]:
        """Everything to ask of a model: the first sample of every problem, then the second, ..."""
        model_hash = model.hash
        keyed = [(problem, problem_key(problem)) for problem in self.problems]
        for sample in range(self.samples):
            for problem, key in keyed:
                prompt, sampling, request = self.rendered[key]
                yield Request(
                    model=model_hash,
                    problem=problem,
                    prompt=prompt,
                    sampling=sampling,
                    hash=request,
                    sample=sample,
                    seed=sample_seed(self.identity.seed, key, sample),
                )


def plan(
    models: Sequence[str | Model],
    benchmarks: Sequence[str],
    *,
    prompt: str | None = None,
    shots: int | None = None,
    samples: int = 1,
    limit: int | None = None,
    seed: int = 0,
    sampling: Sampling | None = None,
    options: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    primary_k: int | None = None,
) -> Job:
    """Resolve the arguments of `sweep`, and refuse what cannot work, before anything is asked."""
    if not models or not benchmarks:
        raise UserError("a sweep needs at least one model and one benchmark")
    if samples < 1 or (limit is not None and limit < 1):
        raise UserError("the numbers of samples and of problems must be at least 1")
    problems = problems_of(benchmarks, limit, seed)
    named = load_prompt(prompt) if prompt is not None else None
    prompts = {task: named or default_for(task) for task in {problem.task for problem in problems}}
    if shots is not None:
        prompts = {task: template.with_shots(shots) for task, template in prompts.items()}
    sampling = sampling or Sampling()
    identity = Identity(tuple(dict.fromkeys(benchmarks)), prompts, sampling, seed)
    rendered = {}
    for problem in problems:
        template = prompts[problem.task]
        text = template.render(problem)
        own = replace(sampling, stop=sampling.stop + template.stop)
        rendered[problem_key(problem)] = (text, own, request_hash(problem, text, own))
    if out is None:
        first = problems[0].benchmark
        out = Path("runs") / f"{first}-{digest(identity.to_dict())[:8]}"
    return Job(
        identity=identity,
        models=tuple(create(m, options) if isinstance(m, str) else m for m in models),
        problems=tuple(problems),
        samples=samples,
        out=Path(out),
        limit=limit,
        primary_k=primary_k,
        rendered=rendered,
    )


def sweep(
    models: Sequence[str | Model],
    benchmarks: Sequence[str],
    *,
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
        stored = {row["key"] for _, row in run.completions.heads()}
        run.extend(
            [
                Plan(model.hash, model.label, model.config, job.samples, len(job.problems),
                     job.limit)
                for model in job.models
            ],
            job.problems,
        )  # fmt: skip
        with run.scoring(policy.name, policy.to_dict()) as verdicts:
            run_async(_Conductor(run, job, policy, verdicts, stored, progress).conduct())
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
        if all(row["key"] in self.judged for _, row in self.run.completions.heads()):
            return
        batch = []
        for row in self.run.completions.rows():
            if row["key"] not in self.judged:
                batch.append(Completion.from_dict(row))
            if len(batch) == BATCH:
                await self.score(batch)
                batch = []
        if batch:
            await self.score(batch)


class _Conductor:
    """One sweep: completions are stored as they come, and scored meanwhile."""

    def __init__(
        self,
        run: RunWriter,
        job: Job,
        policy: Policy,
        verdicts: Log,
        stored: set[str],
        progress: Progress,
    ) -> None:
        self.run, self.job, self.progress, self.stored = run, job, progress, stored
        self.scorer = _Scorer(run, policy, verdicts, progress)
        self.queue: asyncio.Queue[Completion | None] = asyncio.Queue(WAITING)

    async def conduct(self) -> None:
        scoring = asyncio.create_task(self._score_passing())
        try:
            for model in self.job.models:
                await self._ask(model, scoring)
            await self.queue.put(None)
            await scoring
        finally:
            scoring.cancel()
            await asyncio.gather(scoring, return_exceptions=True)
        await self.scorer.score_stored()

    async def _ask(self, model: Model, scoring: asyncio.Task[None]) -> None:
        total = len(self.job.problems) * self.job.samples
        stored = sum(request.key in self.stored for request in self.job.requests(model))
        self.progress.begin(model.label, total, stored)
        if stored == total:
            return
        async with aclosing(model.complete(self._missing(model))) as completions:
            async for completion in completions:
                if completion.key in self.stored:
                    raise RuntimeError(f"{model.label} answered {completion.key} twice")
                self.run.log.append(completion.to_dict())
                self.stored.add(completion.key)
                self.progress.answered(completion)
                if scoring.done():
                    await scoring  # it failed: say so now, not at the end
                # The model never waits for the verifier: what does not fit is scored at the end.
                if not self.queue.full():
                    self.queue.put_nowait(completion)

    async def _missing(self, model: Model) -> AsyncIterator[Request]:
        for request in self.job.requests(model):
            if request.key not in self.stored:
                yield request

    async def _score_passing(self) -> None:
        ended = False
        while not ended:
            batch = [await self.queue.get()]
            while len(batch) < BATCH and not self.queue.empty():
                batch.append(self.queue.get_nowait())
            ended = None in batch
            await self.scorer.score([completion for completion in batch if completion is not None])


def problems_of(specs: Sequence[str], limit: int | None, seed: int) -> list[Problem]:
    """The problems of all specs together, each once; ``limit`` is spread over all subsets."""
    subsets: dict[str, Subset] = {subset.name: subset for spec in specs for subset in resolve(spec)}
    shares: list[int | None] = [None] * len(subsets)
    if limit is not None:
        room = [limit if subset.endless else subset.size() for subset in subsets.values()]
        shares = list(spread(limit, room))
    return [
        problem
        for subset, share in zip(subsets.values(), shares, strict=True)
        for problem in subset.problems(share, seed)
    ]


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` that also works where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[T] = []
    errors: list[BaseException] = []
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)

    def drive() -> None:
        asyncio.set_event_loop(loop)
        try:
            results.append(loop.run_until_complete(task))
        except BaseException as error:
            errors.append(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    thread = threading.Thread(target=drive, name="sweep")
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]
