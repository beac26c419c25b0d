"""What a model is asked and what it says: `Sampling`, `Request`, `Completion`.

A completion's identity is (model configuration, rendered request, stage, sample index), the first
two by hash: whatever could change what a model says is inside them, and nothing else is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

from benchmarks.problem import Problem
from prompts.rendering import Rendered


def digest(value: object) -> str:
    """16 hexadecimal digits of the SHA-256 of a value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def sample_seed(run_seed: int, problem: str, sample: int) -> int:
    """The seed of one sample, the same wherever it is asked; its 31 bits fit any server."""
    return int(digest([run_seed, problem, sample]), 16) >> 33


def problem_key(problem: Problem) -> str:
    """A problem's name within a run, as in ``bee/competition/c001``."""
    return f"{problem.name}/{problem.id}"


class FinishReason(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    LENGTH = "length"
    TIME_LIMIT = "time_limit"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    ERROR = "error"

    @property
    def cut_off(self) -> bool:
        """Whether the model was stopped before it had finished."""
        return self in (FinishReason.LENGTH, FinishReason.TIME_LIMIT)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model is sampled. Solvers, which do not sample, ignore it."""

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 16_384
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.temperature < 0 or not 0 < self.top_p <= 1 or self.max_tokens < 1:
            raise ValueError("temperature >= 0, 0 < top_p <= 1 and max_tokens >= 1 are needed")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"stop": list(self.stop)}


@dataclass(frozen=True, slots=True)
class Request:
    """One sample asked of one model. ``hash`` covers prompt, problem and sampling."""

    model: str
    problem: Problem
    prompt: Rendered
    sampling: Sampling
    hash: str
    sample: int = 0
    stage: str = "answer"
    seed: int = 0

    @property
    def key(self) -> str:
        return completion_key(self.model, self.hash, self.stage, self.sample)


def request_hash(problem: Problem, prompt: Rendered, sampling: Sampling) -> str:
    """The hash of all that a request says, whichever model and sample it is for."""
    return digest(
        [problem_key(problem), problem.content_hash, prompt.to_dict(), sampling.to_dict()]
    )


def completion_key(model: str, request: str, stage: str, sample: int) -> str:
    return f"{model}:{request}:{stage}:{sample}"


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer. ``text`` is what is graded; ``reasoning`` is kept apart where a server does.

    ``rank`` and ``score`` are those of a beam; ``detail`` says more about a ``finish_reason`` of
    ``error`` or ``time_limit``; ``latency`` is in seconds.
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
    latency: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def to(cls, request: Request, text: str, **values: Any) -> Completion:
        """The answer to a request."""
        return cls(
            model=request.model,
            problem=problem_key(request.problem),
            request=request.hash,
            sample=request.sample,
            stage=request.stage,
            seed=request.seed,
            text=text,
            **values,
        )

    @property
    def key(self) -> str:
        return completion_key(self.model, self.request, self.stage, self.sample)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-serialisable row: the key, and every field that is not at its default."""
        row: dict[str, Any] = {"key": self.key}
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name in _REQUIRED or value not in (item.default, {}):
                row[item.name] = value
        return row

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Completion:
        values = {name: value for name, value in row.items() if name in _FIELDS}
        values["finish_reason"] = FinishReason(row.get("finish_reason", "stop"))
        return cls(**values)


_FIELDS = {item.name for item in fields(Completion)}
_REQUIRED = {"model", "problem", "request", "sample", "stage", "seed", "text", "finish_reason"}
