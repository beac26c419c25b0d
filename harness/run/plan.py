"""What a sweep will ask: everything resolved, and what cannot work refused, before it begins."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from ...benchmarks.problem import Problem
from ...benchmarks.registry import Subset, resolve, spread, together
from ...prompts import Prompt, Rendered, default_for
from ...prompts import load as load_prompt
from ..core.errors import ModelError, UserError
from ..core.requests import (
    Request,
    Sampling,
    completion_key,
    digest,
    problem_key,
    request_hash,
    sample_seed,
)
from ..models import Capability, Model, create
from ..store.run import Identity

#: What a model said of one sample of a problem in earlier stages, by stage.
Said = Mapping[tuple[str, int], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One problem as a model is asked it."""

    prompt: Rendered
    sampling: Sampling
    hash: str


@dataclass(frozen=True)
class Job:
    """A sweep with everything resolved: what would be asked, of whom, and where it is kept.

    ``first`` holds the first stage of every problem, by the problem's key; what a later stage asks
    depends on what was said before.
    """

    identity: Identity
    models: tuple[Model, ...]
    problems: tuple[Problem, ...]
    samples: int
    out: Path
    limit: int | None = None
    primary_k: int | None = None
    first: Mapping[str, Asked] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """How many answers there are when it is done."""
        return len(self.models) * len(self.problems) * self.samples

    @property
    def stages(self) -> int:
        """How many stages the longest prompt has."""
        return max(len(prompt.stages) for prompt in self.identity.prompts.values())

    def asked(self, problem: Problem, said: Mapping[str, str] | None = None) -> Asked:
        """How a problem is put to a model, in the stage after those in which it has ``said``."""
        template, sampling = self.identity.prompts[problem.task], self.identity.sampling
        prompt = template.render(problem, said)
        limit = template.max_tokens.get(template.stages[len(said or {})], sampling.max_tokens)
        own = replace(
            sampling,
            stop=sampling.stop + template.stop,
            max_tokens=min(limit, sampling.max_tokens),
        )
        return Asked(prompt, own, request_hash(problem, prompt, own))

    def requests(
        self, model: Model, done: Container[str] = (), *, stage: int = 0, said: Said | None = None
    ) -> Iterator[Request]:
        """What is to be asked of a model in one stage, but for the completions that are ``done``.

        Sample by sample: the first of every problem, then the second, ... A stage after the first
        is asked where all before it were answered, according to ``said``.
        """
        model_hash = model.hash
        for problem, key, asked, name, samples in self._wanted(model_hash, done, stage, said):
            yield Request(
                model=model_hash,
                problem=problem,
                prompt=asked.prompt,
                sampling=asked.sampling,
                hash=asked.hash,
                sample=samples.start,
                stage=name,
                seed=sample_seed(self.identity.seed, key, samples.start),
                count=len(samples),
            )

    def missing(
        self, model: Model, done: Container[str] = (), *, stage: int = 0, said: Said | None = None
    ) -> int:
        """How many completions `requests` asks for."""
        return sum(len(entry[-1]) for entry in self._wanted(model.hash, done, stage, said))

    def _wanted(
        self, model_hash: str, done: Container[str], stage: int, said: Said | None
    ) -> Iterator[tuple[Problem, str, Asked, str, range]]:
        """Problem, its key, how it is asked, the stage's name, and the samples."""
        keyed = [
            (problem, problem_key(problem), self.identity.prompts[problem.task].stages)
            for problem in self.problems
        ]
        keyed = [entry for entry in keyed if len(entry[2]) > stage]
        if stage == 0 and self.identity.sampling.together:
            for problem, key, stages in keyed:
                asked = self.first[key]
                missing = [
                    sample
                    for sample in range(self.samples)
                    if completion_key(model_hash, asked.hash, stages[0], sample) not in done
                ]
                for samples in _runs(missing, self.samples, whole=asked.sampling.beams > 0):
                    yield problem, key, asked, stages[0], samples
            return
        for sample in range(self.samples):
            for problem, key, stages in keyed:
                if stage == 0:
                    asked = self.first[key]
                else:
                    earlier = (said or {}).get((key, sample), {})
                    if len(earlier) < stage:
                        continue
                    asked = self.asked(problem, {name: earlier[name] for name in stages[:stage]})
                if completion_key(model_hash, asked.hash, stages[stage], sample) not in done:
                    yield problem, key, asked, stages[stage], range(sample, sample + 1)


def _runs(missing: Sequence[int], samples: int, whole: bool) -> Iterator[range]:
    """The missing samples as runs of neighbours, or if it must be ``whole``, all if any is."""
    if whole:
        if missing:
            yield range(samples)
        return
    for _, group in groupby(enumerate(missing), key=lambda pair: pair[1] - pair[0]):
        run = [sample for _, sample in group]
        yield range(run[0], run[-1] + 1)


def plan(
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
) -> Job:
    """Resolve the arguments of `harness.sweep`, and refuse what cannot work."""
    if not models or not benchmarks:
        raise UserError("a sweep needs at least one model and one benchmark")
    if samples < 1 or (limit is not None and limit < 1):
        raise UserError("the numbers of samples and of problems must be at least 1")
    if problems is None:
        problems = problems_of(benchmarks, limit, seed)
    if not problems:
        raise UserError(f"there are no problems in {', '.join(benchmarks)}")
    named = load_prompt(prompt) if prompt is not None else None
    prompts = {task: named or default_for(task) for task in {problem.task for problem in problems}}
    if shots is not None:
        prompts = {task: template.with_shots(shots) for task, template in prompts.items()}
    sampling = sampling or Sampling()
    if 0 < sampling.beams < samples:
        raise UserError(f"a beam search of width {sampling.beams} has no {samples} best answers")
    identity = Identity(tuple(dict.fromkeys(benchmarks)), prompts, sampling, seed)
    if out is None:
        first = problems[0].benchmark
        out = Path("runs") / f"{first}-{digest(identity.to_dict())[:8]}"
    job = Job(
        identity=identity,
        models=tuple(create(m, options) if isinstance(m, str) else m for m in models),
        problems=tuple(problems),
        samples=samples,
        out=Path(out),
        limit=limit,
        primary_k=primary_k,
    )
    if job.stages > 1 and sampling.beams:
        raise UserError("a beam search needs a prompt of one stage")
    job = replace(job, first={problem_key(problem): job.asked(problem) for problem in problems})
    for model in job.models:
        _refuse_impossible(model, sampling, prompts.values(), job)
    return job


def _refuse_impossible(
    model: Model, sampling: Sampling, prompts: Iterable[Prompt], job: Job
) -> None:
    """Say what a model would have to be able to do, and cannot."""
    styles = {asked.prompt.style for asked in job.first.values()}
    needed = {
        Capability.CHAT: "chat" in styles,
        Capability.TEXT: "completion" in styles,
        Capability.TOP_K: sampling.top_k > 0,
        Capability.MIN_P: sampling.min_p > 0,
        Capability.GROUPED: sampling.grouped,
        Capability.BEAMS: sampling.beams > 0,
        Capability.LOGPROBS: sampling.logprobs,
    }
    able = model.capabilities
    lacking = [capability for capability, need in needed.items() if need and capability not in able]
    if lacking:
        names = ", ".join(prompt.name for prompt in prompts)
        raise ModelError(
            f"model {model.spec} has no {' and no '.join(lacking)}, which this sweep needs "
            f"(prompt {names}); it has {', '.join(sorted(able)) or 'none of these'}"
            + model.hint(lacking)
        )


def problems_of(specs: Sequence[str], limit: int | None, seed: int) -> list[Problem]:
    """The problems of all specs together, each once.

    ``limit`` is spread over all subsets; where some are made from others, families stay together,
    so that there is something to compare.
    """
    # Two files may hold parts of one subset.
    named = {(subset.name, subset.source): subset for spec in specs for subset in resolve(spec)}
    subsets = list(named.values())
    shares: list[int | None] = [None] * len(subsets)
    if limit is not None:
        if not any(subset.endless for subset in subsets) and any(map(_perturbs, subsets)):
            whole = [subset.problems(None, seed) for subset in subsets]
            return _each_once(together(whole, limit, seed))
        room = [limit if subset.endless else subset.size() for subset in subsets]
        shares = list(spread(limit, room))
    return _each_once(
        problem
        for subset, share in zip(subsets, shares, strict=True)
        for problem in subset.problems(share, seed)
    )


def _each_once(problems: Iterable[Problem]) -> list[Problem]:
    found: dict[str, Problem] = {}
    for problem in problems:
        other = found.setdefault(problem_key(problem), problem)
        if other is not problem and other.content_hash != problem.content_hash:
            raise UserError(f"two different problems are called {problem_key(problem)}")
    return list(found.values())


def _perturbs(subset: Subset) -> bool:
    """Whether a subset's problems are compared with others."""
    return subset.size() > 0 and subset.problem(0, 0).pair_parent is not None
