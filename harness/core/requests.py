"""What a model is asked and what it says: `Sampling`, `Request`, `Completion`.

A completion's identity is (model configuration, rendered request, stage, sample index), the first
two by hash: whatever could change what a model says is inside them, and nothing else is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from ...benchmarks.problem import Problem
from ...prompts import ANSWER, Rendered

_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def digest(value: object) -> str:
    """16 hexadecimal digits of the SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()[:16]


def sample_seed(run_seed: int, problem: str, sample: int) -> int:
    """The seed of one sample, the same wherever it is asked; its 31 bits fit any server."""
    return int(digest([run_seed, problem, sample]), 16) >> 33


def problem_key(problem: Problem) -> str:
    """A problem's name within a run, as in ``bee/competition/c001``."""
    return f"{problem.name}/{problem.id}"


class FinishReason(StrEnum):
    """Why a completion ended.

    ``error`` is the model's answer, as it were: asked again, it would say the same (a prompt too
    long, an exception out of a solver). ``unreachable`` is no answer: such completions are not
    stored, and are asked for again when a sweep goes on.
    """

    STOP = "stop"
    LENGTH = "length"
    TIME_LIMIT = "time_limit"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    ERROR = "error"
    UNREACHABLE = "unreachable"

    @property
    def cut_off(self) -> bool:
        """Whether the model was stopped before it had finished."""
        return self in (FinishReason.LENGTH, FinishReason.TIME_LIMIT)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model is sampled. Solvers, which do not sample, ignore it.

    By default every sample is a request of its own, with a seed of its own. ``grouped`` asks for
    all samples of a problem in one request, whose seed is that of the first of them. ``beams`` is
    the width of a beam search (0: sampling); a problem's samples are then its best hypotheses, best
    first. ``logprobs`` keeps the log-probability of every token that was generated. ``top_k`` and
    ``min_p`` are off at 0.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    max_tokens: int = 16_384
    stop: tuple[str, ...] = ()
    beams: int = 0
    logprobs: bool = False
    grouped: bool = False

    def __post_init__(self) -> None:
        if self.temperature < 0 or not 0 < self.top_p <= 1 or self.max_tokens < 1:
            raise ValueError("temperature >= 0, 0 < top_p <= 1 and max_tokens >= 1 are needed")
        if self.top_k < 0 or not 0 <= self.min_p <= 1 or self.beams < 0:
            raise ValueError("top_k >= 0, 0 <= min_p <= 1 and beams >= 0 are needed")
        if self.beams and (self.top_p, self.top_k, self.min_p, self.grouped) != (1, 0, 0, False):
            raise ValueError("a beam search takes no top_p, top_k or min_p, and is not grouped")

    @property
    def together(self) -> bool:
        """Whether a problem's samples come from one request."""
        return self.grouped or self.beams > 0

    def cut(self, text: str) -> str:
        """A text up to its first stop string, for engines that do not cut it themselves."""
        ends = [place for end in self.stop if (place := text.find(end)) >= 0]
        return text[: min(ends)] if ends else text

    def to_dict(self) -> dict[str, Any]:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return values | {"stop": list(self.stop)}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of one model at once. ``hash`` covers prompt, problem and sampling.

    It is one sample, unless the sampling takes a problem's samples together: then the ``count``
    samples from ``sample`` on are wanted.
    """

    model: str
    problem: Problem
    prompt: Rendered
    sampling: Sampling
    hash: str
    sample: int = 0
    stage: str = ANSWER
    seed: int = 0
    count: int = 1

    @property
    def samples(self) -> range:
        """The indices of the samples that are wanted."""
        return range(self.sample, self.sample + self.count)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the completions that answer it."""
        return tuple(
            completion_key(self.model, self.hash, self.stage, sample) for sample in self.samples
        )


def request_hash(problem: Problem, prompt: Rendered, sampling: Sampling) -> str:
    """The hash of all that a request says, whichever model and sample it is for."""
    return digest(
        [problem_key(problem), problem.content_hash, prompt.to_dict(), sampling.to_dict()]
    )


def completion_key(model: str, request: str, stage: str, sample: int) -> str:
    return f"{model}:{request}:{stage}:{sample}"


def whole_characters(text: str) -> str:
    """A text as UTF-8 can hold it: half of a surrogate pair, as JSON may say it, is U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer. ``text`` is what is graded; ``reasoning`` is kept apart where a server does.

    ``rank`` and ``score`` are those of a beam; ``logprob`` is the sum over the completion's tokens
    in nats, and ``extra["token_logprobs"]`` its parts; ``detail`` says more about a
    ``finish_reason`` of ``error`` or ``time_limit``; ``completion_tokens`` include the reasoning's;
    ``latency`` is in seconds.
    """

    model: str
    problem: str
    request: str
    sample: int
    stage: str
    seed: int
    text: str
    reasoning: str = ""
    finish_reason: FinishReason = FinishReason.STOP
    detail: str = ""
    rank: int = 0
    score: float | None = None
    logprob: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    latency: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("text", "reasoning", "detail"):
            said = getattr(self, name)
            if not said.isascii() and (sound := whole_characters(said)) != said:
                object.__setattr__(self, name, sound)

    @classmethod
    def to(
        cls, request: Request, text: str, *, sample: int | None = None, **values: Any
    ) -> Completion:
        """The answer to a request, by default to its first sample."""
        return cls(
            model=request.model,
            problem=problem_key(request.problem),
            request=request.hash,
            sample=request.sample if sample is None else sample,
            stage=request.stage,
            seed=request.seed,
            text=text,
            **values,
        )

    @classmethod
    def failures(
        cls, request: Request, detail: str, reason: FinishReason = FinishReason.ERROR
    ) -> list[Completion]:
        """All samples of a request that could not be had; ``detail`` says why."""
        return [
            cls.to(request, "", sample=sample, finish_reason=reason, detail=detail[:500])
            for sample in request.samples
        ]

    @property
    def key(self) -> str:
        return completion_key(self.model, self.request, self.stage, self.sample)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-serialisable row: the key, and every field that is not at its default."""
        row: dict[str, Any] = {"key": self.key}
        for name, default in _DEFAULTS.items():
            value = getattr(self, name)
            if name in _REQUIRED or value not in (default, {}):
                row[name] = value
        return row

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Completion:
        values = {name: value for name, value in row.items() if name in _DEFAULTS}
        values["finish_reason"] = FinishReason(row.get("finish_reason", "stop"))
        return cls(**values)


#: Every field, with its default if it has one.
_DEFAULTS = {item.name: item.default for item in fields(Completion)}
_REQUIRED = {"model", "problem", "request", "sample", "stage", "seed", "text", "finish_reason"}
