"""Sweeps in phases: first find what a model solves, then ask what is made of exactly that.

All phases are one run. The first asks a `Job` like any other; each later `Phase` derives problems
from what is known by then, writes them down in ``phases/NAME.json``, and asks them too. So the same
command goes on wherever it was stopped: in the middle of a phase, between two, or while problems
were derived. What was written down is asked, whatever has been judged otherwise since.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...benchmarks.problem import Problem
from ...benchmarks.registry import spread
from ..core.errors import RunError, UserError, suggest
from ..core.requests import problem_key
from ..store import counts
from ..store.jsonl_log import write_atomically
from ..store.run import Run
from .grade import Policy
from .plan import Job
from .progress import Progress, Silent
from .sweep import run_job


@dataclass(frozen=True)
class Found:
    """What is known when a phase begins.

    ``problems`` are those asked so far, and ``rank`` says of each that was solved, by its key,
    which of its ``samples`` answers was the first correct one, counted from 1. ``sampled`` models
    may fail next time what they solved. At most ``limit`` problems will be asked.
    """

    problems: tuple[Problem, ...]
    rank: Mapping[str, int]
    samples: int
    seed: int
    sampled: bool
    limit: int | None = None

    def solved(self, where: Callable[[Problem], bool], within: int | None = None) -> list[Problem]:
        """The problems solved by one of the first ``within`` answers (by default, by any)."""
        most = self.samples if within is None else within
        return [
            problem
            for problem in self.problems
            if where(problem) and self.rank.get(problem_key(problem), most + 1) <= most
        ]


@dataclass(frozen=True)
class Phase:
    """What to ask next: lists of problems, among which a limit is spread; pure."""

    name: str
    derive: Callable[[Found], Sequence[Sequence[Problem]]]


def named(name: str) -> tuple[Phase, ...]:
    """The later phases of a plan, by its name."""
    from ..studies.brittleness.phases import PLANS

    if name not in PLANS:
        raise UserError(f"no phases {name!r}; {suggest(name, PLANS)}")
    return PLANS[name]


def run_phases(
    job: Job,
    phases: Sequence[Phase],
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask and score a job, and then every phase; goes on where it was stopped.

    A limit of the job holds for each phase. Only one model can be asked: what another solves is
    something else. Raises `RunError` where answers of a phase could not be had, because the next
    one depends on them.
    """
    policy, progress = policy or Policy(), progress or Silent()
    if phases and len(job.models) != 1:
        raise UserError(
            f"phases depend on what a model solves: one model for each run, not {len(job.models)}"
        )
    for phase in phases:
        _read(job, phase, policy)  # refused before anything is asked
    run = run_job(job, policy=policy, progress=progress)
    for phase in phases:
        problems = _read(job, phase, policy)
        if problems is None:
            problems = _limited(phase.derive(_found(run, job, policy)), job.limit)
            _write(job, phase, policy, problems)
        job = extended(job, problems)
        run = run_job(job, policy=policy, progress=progress)
    return run


def extended(job: Job, problems: Sequence[Problem]) -> Job:
    """The job with more problems, those that it has already left out."""
    known = set(job.first)
    new = [problem for problem in problems if problem_key(problem) not in known]
    first = dict(job.first) | {problem_key(problem): job.asked(problem) for problem in new}
    return replace(job, problems=(*job.problems, *new), first=first)


def _found(run: Run, job: Job, policy: Policy) -> Found:
    sums = counts.merge(run.verdicts(policy.name).counts())
    (model,) = job.models
    found = {key: row for (asked, key), row in sums.items() if asked == model.hash}
    answered = sum(
        min(job.samples, int(found.get(problem_key(problem), {}).get("samples", 0)))
        for problem in job.problems
    )
    if answered < job.size:
        raise RunError(
            f"{job.size - answered} answers are missing in {run.path}, and the next phase depends "
            "on them; the same command asks them again"
        )
    sampling = job.identity.sampling
    return Found(
        problems=job.problems,
        rank={key: int(row[counts.FIRST]) + 1 for key, row in found.items() if counts.FIRST in row},
        samples=job.samples,
        seed=job.identity.seed,
        sampled=sampling.temperature > 0 and not sampling.beams,
        limit=job.limit,
    )


def _limited(lists: Sequence[Sequence[Problem]], limit: int | None) -> list[Problem]:
    shares: Sequence[int | None] = [None] * len(lists)
    if limit is not None:
        shares = spread(limit, [len(problems) for problems in lists])
    chosen = [p for problems, share in zip(lists, shares, strict=True) for p in problems[:share]]
    return list({problem_key(problem): problem for problem in chosen}.values())


# --- what was derived, written down ---


def _settings(job: Job, policy: Policy) -> dict[str, Any]:
    """What decided which problems a phase has."""
    return {"limit": job.limit, "policy": policy.name, "model": job.models[0].hash}


def _place(job: Job, phase: Phase) -> Path:
    return job.out / "phases" / f"{phase.name}.json"


def _write(job: Job, phase: Phase, policy: Policy, problems: Sequence[Problem]) -> None:
    rows = [problem.to_dict() for problem in problems]
    text = json.dumps(
        {"settings": _settings(job, policy), "problems": rows}, indent=1, ensure_ascii=False
    )
    path = _place(job, phase)
    try:
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from None


def _read(job: Job, phase: Phase, policy: Policy) -> list[Problem] | None:
    """The problems that were derived earlier; None if none were."""
    path = _place(job, phase)
    if not path.exists():
        return None
    try:
        stored = json.loads(path.read_bytes())
        problems = [Problem.from_dict(row) for row in stored["problems"]]
        settings = dict(stored["settings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} is damaged ({error}); restore it, or use another --out") from None
    here = _settings(job, policy)
    for name, there in settings.items():
        if there != here.get(name):
            raise RunError(
                f"the problems of the phase {phase.name!r} were derived with {name} {there}, not "
                f"{here.get(name)}; use the same settings, or another --out"
            )
    return problems
