"""Sweeps in phases: later problems are derived from a model's solved problems.

All phases are one run. The first phase asks the problems of a `Job`. Each later `Phase` derives
problems from the results so far, stores the problems in ``phases/NAME.json``, and asks them. The
same command resumes at any point: within a phase, between two phases, or while problems are
derived. Stored problems are asked even if verdicts have changed since.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...benchmarks.problem import Problem
from ...benchmarks.subset import spread
from ..core.asynchronous import outside_loop
from ..core.errors import RunError, UserError
from ..core.policy import Policy
from ..core.requests import FinishReason, problem_key
from ..core.wording import counted
from ..store import counts
from ..store.atomic import write_atomically
from ..store.run import Run
from ..store.writer import writing
from .job import Job
from .progress import Progress, Silent
from .runner import Session, run_job
from .turns.conversation import ask_turns


@dataclass(frozen=True)
class PhaseResults:
    """The results as the input of a phase.

    Args:
        problems: the problems asked so far.
        rank: for the key of each solved problem, the number of the first correct answer, counted
            from 1.
        samples: the number of answers to each problem.
        seed: the run's seed.
        sampled: whether answers are sampled; a solved problem may then fail at a second request.
        limit: the largest number of problems to ask.

    """

    problems: tuple[Problem, ...]
    rank: Mapping[str, int]
    samples: int
    seed: int
    sampled: bool
    limit: int | None = None

    def solved(self, where: Callable[[Problem], bool], within: int | None = None) -> list[Problem]:
        """The problems solved within the first ``within`` answers; by default, within all."""
        sample_limit = self.samples if within is None else within
        return [
            problem
            for problem in self.problems
            if where(problem)
            and self.rank.get(problem_key(problem), sample_limit + 1) <= sample_limit
        ]


@dataclass(frozen=True)
class Phase:
    """A name, and a pure function that returns lists of problems; a limit is spread over the lists.

    ``settings`` are all other inputs of the problems. The settings are stored with the problems.
    """

    name: str
    derive: Callable[[PhaseResults], Sequence[Sequence[Problem]]]
    settings: Mapping[str, str] = field(default_factory=dict)


def run_phases(
    job: Job,
    phases: Sequence[Phase],
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
    retry_errors: bool = False,
) -> Run:
    """Ask and grade a job, and then every phase. After an interruption, the same call resumes.

    Args:
        job: the job, from `plan`. Its limit holds for each phase.
        phases: the later phases.
        policy: the rules of judging; by default `Policy()`.
        progress: receives every completion and verdict; silent by default.
        retry_errors: whether to remove samples that are stored as errors first, so that their
            requests are repeated.

    Returns:
        The run.

    Raises:
        UserError: the job has several models.
        RunError: a phase lacks answers on which the next phase depends, or the settings have
            changed since a phase's problems were derived.

    >>> from calculus_harness import SweepSpec, plan
    >>> from calculus_harness.harness.studies import named_phases
    >>> spec = SweepSpec(("solver/sympy",), ("brittleness/primitive_sin",), limit=1, out="run")
    >>> run = run_phases(plan(spec), named_phases("brittleness"))
    >>> len(run.problems) > 1
    True

    """
    policy, progress = policy or Policy(), progress or Silent()
    if phases and len(job.models) != 1:
        raise UserError(
            f"phases depend on what a model solves: one model for each run, not {len(job.models)}"
        )
    derived = [_read(job, phase, policy) or [] for phase in phases]  # refused before any request
    if retry_errors and Run.exists(job.out):
        _remove_errors(
            extended(job, [problem for new_problems in derived for problem in new_problems]),
            progress,
        )
    run = run_job(job, policy=policy, progress=progress)
    for phase in phases:
        problems = _read(job, phase, policy)
        if not job.limits.none and _unanswered(run, job, policy):
            return run  # stopped at a limit
        if problems is None:
            problems = _limited(phase.derive(_results(run, job, policy)), job.limit)
            _write(job, phase, policy, problems)
        job = extended(job, problems)
        run = run_job(job, policy=policy, progress=progress)
    return run


def run_turns(
    job: Job,
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
    retry_errors: bool = False,
) -> Run:
    """Ask and grade a job, and then ask again for wrong answers, in up to ``job.turns`` turns.

    Args:
        job: the job, from `plan`.
        policy: the rules of judging; by default `Policy()`.
        progress: receives every completion and verdict; silent by default.
        retry_errors: whether to remove samples of the first turn that are stored as errors first.

    Returns:
        The run of the first turn; later turns are in ``turns/`` of the run's directory.

    """
    policy, reporter = policy or Policy(), progress or Silent()
    if retry_errors and Run.exists(job.out):
        _remove_errors(job, reporter)

    def work() -> Run:
        with asyncio.Runner() as loop:
            session = Session(loop)
            try:
                run = run_job(job, policy=policy, progress=reporter, session=session)
                ask_turns(job, policy, reporter, session)
            finally:
                session.close(job.models)
        return run

    return outside_loop(work)


def _remove_errors(job: Job, progress: Progress) -> None:
    """Remove the job's samples with an error stored for a stage."""
    samples_by_model = {model.hash: job.samples_of(model) for model in job.models}

    def sample_of(row: Mapping[str, Any]) -> tuple[str, str, int]:
        return row["model"], row["problem"], row["sample"]

    with writing(job.out, job.identity, job.primary_k) as run:
        failed = {
            sample_of(row)
            for _, row in run.completions.heads()
            if row["finish_reason"] == FinishReason.ERROR
            and row["problem"] in job.first
            and row["sample"] < samples_by_model.get(row["model"], 0)
        }
        if failed:
            run.discard(lambda row: sample_of(row) in failed)
    progress.status(f"{counted(len(failed), 'sample')} stored as errors: asked again")


def extended(job: Job, problems: Sequence[Problem]) -> Job:
    """The job with more problems, without repeated problems."""
    known_keys = set(job.first)
    new = [problem for problem in problems if problem_key(problem) not in known_keys]
    rendered = dict(job.first) | {problem_key(problem): job.render(problem) for problem in new}
    return replace(job, problems=(*job.problems, *new), first=rendered)


def _sums(run: Run, job: Job, policy: Policy) -> dict[str, counts.Sums]:
    """The sums of the verdicts on the only model, by problem."""
    (model,) = job.models
    return counts.of_model(counts.totals(run.verdicts(policy.name)), model.hash)


def _unanswered(run: Run, job: Job, policy: Policy) -> int:
    """The number of missing answers of a job with a single model."""
    rows, samples = _sums(run, job, policy), job.samples_of(job.models[0])
    return job.size - sum(
        min(samples, int(rows.get(problem_key(problem), {}).get("samples", 0)))
        for problem in job.problems
    )


def _results(run: Run, job: Job, policy: Policy) -> PhaseResults:
    (model,) = job.models
    rows, samples = _sums(run, job, policy), job.samples_of(model)
    if missing := _unanswered(run, job, policy):
        raise RunError(
            f"{counted(missing, 'answer')} missing in {run.path}, on which the next phase "
            "depends; the same command asks again"
        )
    sampling = job.identity.sampling
    return PhaseResults(
        problems=job.problems,
        rank={
            key: int(row[counts.FIRST_CORRECT]) + 1
            for key, row in rows.items()
            if counts.FIRST_CORRECT in row
        },
        samples=samples,
        seed=job.identity.seed,
        sampled=sampling.temperature > 0 and not sampling.beams and not model.deterministic,
        limit=job.limit,
    )


def _limited(lists: Sequence[Sequence[Problem]], limit: int | None) -> list[Problem]:
    shares: Sequence[int | None] = [None] * len(lists)
    if limit is not None:
        shares = spread(limit, [len(problems) for problems in lists])
    chosen = [p for problems, share in zip(lists, shares, strict=True) for p in problems[:share]]
    return list({problem_key(problem): problem for problem in chosen}.values())


# --- derived problems on disk ---


def _settings(job: Job, phase: Phase, policy: Policy) -> dict[str, Any]:
    """The settings behind a phase's problems."""
    own = {"limit": job.limit, "policy": policy.name, "model": job.models[0].hash}
    return own | dict(phase.settings)


def _file(job: Job, phase: Phase) -> Path:
    return job.out / "phases" / f"{phase.name}.json"


def _write(job: Job, phase: Phase, policy: Policy, problems: Sequence[Problem]) -> None:
    rows = [problem.to_dict() for problem in problems]
    text = json.dumps(
        {"settings": _settings(job, phase, policy), "problems": rows}, indent=1, ensure_ascii=False
    )
    path = _file(job, phase)
    try:
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from None


def _read(job: Job, phase: Phase, policy: Policy) -> list[Problem] | None:
    """The problems derived and stored earlier, if any."""
    path = _file(job, phase)
    if not path.exists():
        return None
    try:
        stored = json.loads(path.read_bytes())
        problems = [Problem.from_dict(row) for row in stored["problems"]]
        settings = dict(stored["settings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} is damaged ({error}); restore it, or use another --out") from None
    current = _settings(job, phase, policy)
    for name, setting in settings.items():
        if setting != current.get(name):
            raise RunError(
                f"the problems of the phase {phase.name!r} were derived with {name} {setting}, not "
                f"{current.get(name)}; use the same settings, or another --out"
            )
    return problems
