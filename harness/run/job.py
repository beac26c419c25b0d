"""A `Job`: a sweep with resolved models, problems and prompts, and the requests."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from ...benchmarks.problem import Problem
from ...prompts import Prompt, Rendered
from ..core.prices import Price, Prices
from ..core.requests import (
    Request,
    Sampling,
    completion_key,
    problem_key,
    request_hash,
    sample_seed,
)
from ..models import Model
from ..store.manifest import Identity


@dataclass(frozen=True)
class Limits:
    """Limits of tokens and dollars for a run's models, stored answers included."""

    max_cost: float | None = None
    max_tokens_total: int | None = None
    prices: Prices | None = None

    @property
    def none(self) -> bool:
        """Whether nothing is limited."""
        return self.max_cost is None and self.max_tokens_total is None

    def price(self, model: Model) -> Price | None:
        """The price of a model's tokens: from the file of prices, or else from the model."""
        return (self.prices.find(model.spec) if self.prices else None) or model.price()

    def __str__(self) -> str:
        flags = {"--max-cost": self.max_cost, "--max-tokens-total": self.max_tokens_total}
        return " and ".join(flag for flag, value in flags.items() if value is not None)


#: A model's replies in earlier stages: by problem's key and sample index, then by stage.
Replies = Mapping[tuple[str, int], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class RenderedProblem:
    """A problem as rendered for a stage: the prompt, the sampling, and the hash of the request."""

    prompt: Rendered
    sampling: Sampling
    hash: str


@dataclass(frozen=True)
class Job:
    """A sweep whose parts are resolved: models, problems, prompts, and the run directory.

    ``first`` has every problem as rendered for the first stage, by the problem's key. Later stages
    depend on earlier replies. ``turns`` is the number of turns in which wrong answers may be tried
    again, and ``feedback`` is the kind of feedback (`harness.run.turns`). A turn has a job of its
    own. In this job all stages but the last are ``given``, by the model's hash, and the spending of
    the runs ``beside`` the job counts for the job's limits.
    """

    identity: Identity
    models: tuple[Model, ...]
    problems: tuple[Problem, ...]
    samples: int
    out: Path
    limit: int | None = None
    primary_k: int | None = None
    limits: Limits = Limits()
    turns: int = 1
    feedback: str = "verdict"
    given: Mapping[str, Replies] = field(default_factory=dict, repr=False)
    beside: tuple[Path, ...] = ()
    first: Mapping[str, RenderedProblem] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """The number of answers in the finished run."""
        return len(self.problems) * sum(map(self.samples_of, self.models))

    def samples_of(self, model: Model) -> int:
        """The number of answers per problem for a model; 1 for a deterministic model."""
        return 1 if model.deterministic else self.samples

    @property
    def stages(self) -> int:
        """The number of stages of the longest prompt."""
        return max(len(prompt.stages) for prompt in self.identity.prompts.values())

    def render(self, problem: Problem, replies: Mapping[str, str] | None = None) -> RenderedProblem:
        """A problem as rendered for the stage after ``replies``."""
        template, sampling = self.identity.prompts[problem.task], self.identity.sampling
        prompt = template.render(problem, replies)
        limit = template.max_tokens.get(template.stages[len(replies or {})], sampling.max_tokens)
        own = replace(
            sampling,
            stop=sampling.stop + template.stop,
            max_tokens=min(limit, sampling.max_tokens),
        )
        return RenderedProblem(prompt, own, request_hash(problem, prompt, own))

    def requests(
        self,
        model: Model,
        done: Container[str] = (),
        *,
        stage: int = 0,
        replies: Replies | None = None,
    ) -> Iterator[Request]:
        """The requests to a model in one stage, except requests whose completions are ``done``.

        Requests are ordered by sample: the first sample of every problem, then the second sample,
        and so on. A later stage of a sample is requested only if ``replies`` has all earlier
        stages.
        """
        model_hash = model.hash
        for problem, key, rendered, name, samples in self._missing(model, done, stage, replies):
            yield Request(
                model=model_hash,
                problem=problem,
                prompt=rendered.prompt,
                sampling=rendered.sampling,
                hash=rendered.hash,
                sample=samples.start,
                stage=name,
                seed=sample_seed(self.identity.seed, key, samples.start),
                count=len(samples),
            )

    def missing(
        self,
        model: Model,
        done: Container[str] = (),
        *,
        stage: int = 0,
        replies: Replies | None = None,
    ) -> int:
        """The number of completions of `requests`."""
        return sum(len(entry[-1]) for entry in self._missing(model, done, stage, replies))

    def _missing(
        self, model: Model, done: Container[str], stage: int, replies: Replies | None
    ) -> Iterator[tuple[Problem, str, RenderedProblem, str, range]]:
        """The problem, the key, the rendering, the stage's name, and the missing samples."""
        model_hash, count = model.hash, self.samples_of(model)
        keyed = [
            (problem, problem_key(problem), self.identity.prompts[problem.task].stages)
            for problem in self.problems
        ]
        # Tasks with fewer stages have no requests in later stages.
        keyed = [entry for entry in keyed if len(entry[2]) > stage]
        # The samples of a problem in a request must be consecutive; a beam search has all or none.
        if stage == 0 and self.identity.sampling.together:
            for problem, key, stages in keyed:
                rendered = self.first[key]
                missing = [
                    sample
                    for sample in range(count)
                    if completion_key(model_hash, rendered.hash, stages[0], sample) not in done
                ]
                for samples in consecutive(missing, count, all_at_once=rendered.sampling.beams > 0):
                    yield problem, key, rendered, stages[0], samples
            return
        # Samples in the outer loop: an interrupted sweep has a first sample of every problem. Later
        # stages show the earlier replies of the same sample.
        for sample in range(count):
            for problem, key, stages in keyed:
                if stage == 0:
                    rendered = self.first[key]
                else:
                    earlier = (replies or {}).get((key, sample), {})
                    if len(earlier) < stage:
                        continue
                    rendered = self.render(
                        problem, {name: earlier[name] for name in stages[:stage]}
                    )
                if completion_key(model_hash, rendered.hash, stages[stage], sample) not in done:
                    yield problem, key, rendered, stages[stage], range(sample, sample + 1)


def continued(prompt: Prompt, turn: int) -> Prompt:
    """A prompt of a chat for a later turn, with earlier replies and feedback.

    Args:
        prompt: the prompt of the first turn.
        turn: the number of the turn; 2 shows one reply.

    """
    return prompt.continued(
        [(f"reply_{turn_number}", f"feedback_{turn_number}") for turn_number in range(1, turn)]
    )


def consecutive(missing: Sequence[int], samples: int, all_at_once: bool) -> Iterator[range]:
    """The missing samples as ranges of consecutive numbers.

    With ``all_at_once``, the range has all samples if any sample is missing.
    """
    if all_at_once:
        if missing:
            yield range(samples)
        return
    for _, group in groupby(enumerate(missing), key=lambda pair: pair[1] - pair[0]):
        run = [sample for _, sample in group]
        yield range(run[0], run[-1] + 1)
