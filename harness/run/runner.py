"""Execution of a job: models are asked, completions are stored, and verdicts are made meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import takewhile

from ...prompts import ANSWER
from ..core.asynchronous import run_async, stream
from ..core.errors import ModelError
from ..core.policy import Policy
from ..core.requests import Completion, FinishReason, Request
from ..models import Model
from ..models.openai.errors import UnknownPathError
from ..models.placed.pool import Answering, placed
from ..store import counts
from ..store.log.appending import Log
from ..store.manifest import ModelPlan
from ..store.run import Run
from ..store.writer import RunWriter, writing
from .budget import RequestBudget
from .duplicates import DuplicateSamples
from .job import Job, Replies
from .plan import for_chat
from .progress import Progress, Silent, forward_model_logs
from .scoring.grading import BATCH
from .scoring.stored import Scorer

#: Completions that may wait to be graded; more are graded at the end.
WAITING = 1024
#: Batches graded at once, so that no worker waits for the end of a batch.
BATCHES = 2


@dataclass(frozen=True, slots=True)
class Session:
    """The shared state of several jobs with the same models: weights are loaded once.

    Attributes:
        loop: the event loop of all jobs.
        engines: the engines of models on a cluster, by the model's hash; the first job adds them.

    """

    loop: asyncio.Runner
    engines: dict[str, Answering] = field(default_factory=dict)

    def close(self, models: Sequence[Model]) -> None:
        """Close the engines and the models: weights, servers, connections."""
        for answering in (*self.engines.values(), *models):
            self.loop.run(answering.close())


def run_job(
    job: Job,
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
    session: Session | None = None,
) -> Run:
    """Ask and grade the answers of a job that the run directory does not contain yet.

    Args:
        job: the job, from `plan`.
        policy: the rules of judging; by default `Policy()`.
        progress: receives every completion and verdict; silent by default.
        session: the session of several jobs with the same models; the models stay open between the
            jobs.

    Returns:
        The run.

    Raises:
        UserError: the run directory belongs to another configuration, or a model cannot be used.

    """
    policy, progress = policy or Policy(), progress or Silent()
    for model in job.models:
        placed(model)  # too few GPUs are refused before anything is asked
    plans = [
        ModelPlan(
            model.hash,
            model.label,
            model.config,
            job.samples_of(model),
            len(job.problems),
            job.limit,
            model.deterministic,
        )
        for model in job.models
    ]
    with writing(job.out, job.identity, job.primary_k) as run:
        run.extend(plans, job.problems)
        with run.scoring(policy.name, policy.to_dict()) as verdicts, forward_model_logs(progress):
            runner = SweepRunner(run, job, policy, verdicts, progress, session)
            try:
                (run_async if session is None else session.loop.run)(runner.run_all())
            except ModelError as error:
                answered = {model for model, _ in counts.totals(run.completions)}
                run.forget(plan.model for plan in plans if plan.model not in answered)
                if isinstance(error, UnknownPathError) and _completes_texts(job):
                    raise ModelError(f"{error}{for_chat(job)}") from None
                raise
    return Run(job.out)


def _completes_texts(job: Job) -> bool:
    """Whether all prompts are texts for completion, unacceptable to a chat server."""
    return {rendered.prompt.style for rendered in job.first.values()} == {"completion"}


def _copied(replies: Replies) -> dict[tuple[str, int], dict[str, str]]:
    return {sample: dict(reply) for sample, reply in replies.items()}


class SweepRunner:
    """Asks the models of a job, stores completions on arrival, and grades meanwhile."""

    def __init__(
        self,
        run: RunWriter,
        job: Job,
        policy: Policy,
        verdicts: Log,
        progress: Progress,
        session: Session | None,
    ) -> None:
        self.run, self.job, self.progress, self.session = run, job, progress, session
        self.scorer = Scorer(run, policy, verdicts, progress)
        self.budget = RequestBudget(job, run)
        self.queue: asyncio.Queue[Completion | None] = asyncio.Queue()  # no more than `WAITING`
        self.stored = run.stored
        self.ungraded = not self.scorer.complete  # stored completions are left to grade at the end

    async def run_all(self) -> None:
        # Answers are graded while further answers arrive.
        scoring = [asyncio.create_task(self._score_queue()) for _ in range(BATCHES)]
        try:
            for model in self.job.models:
                # In a session, engines on a cluster and models without state stay open for later
                # jobs.
                stateful_model = model.with_state(self.run.path / "state" / model.hash)
                kept_engines = {} if self.session is None else self.session.engines
                answering = kept_engines.get(model.hash) or placed(stateful_model)
                if answering is not stateful_model:
                    kept_engines[model.hash] = answering
                try:
                    await self._ask(stateful_model, answering, scoring)
                finally:
                    if self.session is None or (
                        answering is stateful_model and stateful_model is not model
                    ):
                        await answering.close()
            # None ends a grader after all answers before it.
            for _ in scoring:
                self.queue.put_nowait(None)
            await asyncio.gather(*scoring)
        finally:
            for task in scoring:
                task.cancel()
            await asyncio.gather(*scoring, return_exceptions=True)
        # Stored answers without a verdict come last: new answers have priority for the workers.
        if self.ungraded:
            await self.scorer.score_stored()
        if self.budget.exhausted:
            self.progress.notice(
                f"stopped at the limit: {self.budget}; a larger one goes on from here"
            )
        self.progress.finish()

    async def _ask(
        self, model: Model, answering: Answering, scoring: Sequence[asyncio.Task[None]]
    ) -> None:
        """Ask a model, stage by stage; a stage ends before the next begins."""
        # Replies of other runs (a further turn) replace the earlier stages, and only the last stage
        # is asked.
        stored_replies = self.job.given.get(model.hash)
        replies = self._stored_replies(model) if stored_replies is None else _copied(stored_replies)
        duplicates = DuplicateSamples()
        for stage in range(0 if stored_replies is None else self.job.stages - 1, self.job.stages):
            missing = self.job.missing(model, self.stored, stage=stage, replies=replies)
            size = len(self.job.problems) * self.job.samples_of(model)
            total = max(missing, size if stored_replies is None else len(stored_replies))
            self.progress.begin(model, total, total - missing, self.job.limits.price(model))
            # The budget refuses requests by their expected cost; more may fit once the admitted
            # requests are done.
            while missing:
                requests = self.job.requests(model, self.stored, stage=stage, replies=replies)
                admitted = takewhile(self.budget.admits, requests)
                stored = len(self.stored)
                await self._ask_stage(model, answering, admitted, scoring, replies, duplicates)
                if not self.budget.goes_on() or len(self.stored) == stored:
                    break
                missing = self.job.missing(model, self.stored, stage=stage, replies=replies)
        if self.job.identity.sampling.temperature > 0 and (warning := duplicates.warning()):
            self.progress.notice(f"{model.label}: {warning}")

    async def _ask_stage(
        self,
        model: Model,
        answering: Answering,
        requests: Iterator[Request],
        scoring: Sequence[asyncio.Task[None]],
        replies: dict[tuple[str, int], dict[str, str]],
        duplicates: DuplicateSamples,
    ) -> None:
        answered, unreachable, reason = 0, 0, ""
        errors, error = 0, ""
        async with aclosing(answering.complete(stream(requests))) as completions:
            async for completion in completions:
                answered += 1
                if completion.finish_reason is FinishReason.UNREACHABLE:
                    self.run.failed(completion)
                    self.budget.completed(model, completion)
                    unreachable, reason = unreachable + 1, completion.detail
                    self.progress.unanswered(completion)
                    continue
                if completion.key in self.stored:
                    if self.job.identity.sampling.beams:
                        continue  # a beam search returns all its answers again
                    raise RuntimeError(f"{model.label} answered {completion.key} twice")
                if completion.finish_reason is FinishReason.ERROR:
                    errors, error = errors + 1, error or completion.detail
                self.run.log.append(completion.to_dict())
                self.stored.add(completion.key)
                self.budget.completed(model, completion)
                self.progress.answered(completion)
                for task in scoring:
                    if task.done():
                        await task  # raises its error now, not at the end
                if completion.stage != ANSWER:
                    sample = (completion.problem, completion.sample)
                    replies.setdefault(sample, {})[completion.stage] = completion.text
                    continue
                duplicates.add(completion)
                # The model never waits for the verifier: what does not fit is graded at the end.
                if self.queue.qsize() >= WAITING:
                    self.ungraded = True
                else:
                    self.queue.put_nowait(completion)
        if unreachable:
            self.progress.notice(
                f"{model.label}: {unreachable} of {answered} requests got no answer ({reason}); "
                "the same command asks them again"
            )
        if errors:
            self.progress.notice(
                f"{model.label}: {errors} of {answered} answers are errors, the first: {error}"
            )

    def _stored_replies(self, model: Model) -> dict[tuple[str, int], dict[str, str]]:
        """The stored replies of a model in the stages before the answer."""
        replies: dict[tuple[str, int], dict[str, str]] = {}
        if self.job.stages > 1:
            for row in self.run.completions.rows():
                if row["model"] == model.hash and row["stage"] != ANSWER:
                    sample = (row["problem"], row["sample"])
                    replies.setdefault(sample, {})[row["stage"]] = row["text"]
        return replies

    async def _score_queue(self) -> None:
        """Grade the completions in the queue, until None arrives."""
        ended = False
        while not ended:
            batch = [await self.queue.get()]
            while batch[-1] is not None and len(batch) < BATCH and not self.queue.empty():
                batch.append(self.queue.get_nowait())
            ended = batch[-1] is None
            await self.scorer.score([completion for completion in batch if completion is not None])
