"""Requests to a model and the completions: `Sampling`, `Request`, `Completion`.

A completion is identified by model configuration, rendered request, stage and sample index, the
first two by hash. The hashes cover exactly the properties with an effect on a model's output.
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
from ...rewards.records import Record, check_fields
from .errors import UserError

_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def digest(value: object) -> str:
    """16 hexadecimal digits of the SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()[:16]


def sample_seed(run_seed: int, problem: str, sample: int) -> int:
    """The seed of a sample, the same on any machine; 31 bits fit any server."""
    return int(digest([run_seed, problem, sample]), 16) >> 33


def problem_key(problem: Problem) -> str:
    """A problem's name within a run, as in ``bee/competition/c001``."""
    return f"{problem.name}/{problem.id}"


class FinishReason(StrEnum):
    """The reason for the end of a completion.

    ``error`` is final: the same request would fail again (too long a prompt, an exception in a
    solver). ``unreachable`` is temporary: such completions are not stored, and the next sweep asks
    again.

    >>> FinishReason("length").truncated
    True

    """

    STOP = "stop"
    LENGTH = "length"
    TIME_LIMIT = "time_limit"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    ERROR = "error"
    UNREACHABLE = "unreachable"

    @property
    def truncated(self) -> bool:
        """Whether a limit of tokens or time stopped the model."""
        return self in (FinishReason.LENGTH, FinishReason.TIME_LIMIT)


@dataclass(frozen=True, slots=True)
class Sampling(Record):
    """Sampling parameters. Solvers, which do not sample, ignore them.

    Args:
        temperature: at least 0; 0 is greedy decoding.
        top_p: nucleus sampling, in (0, 1].
        top_k: sample among the k likeliest tokens; 0 is off.
        min_p: leave out tokens below this share of the likeliest token's probability; 0 is off.
        max_tokens: the largest number of tokens of a completion.
        stop: strings that end a completion.
        beams: width of a beam search; 0 is sampling. With a beam search, a problem's samples are
            the best hypotheses, best first.
        logprobs: keep the log-probability of every generated token.
        grouped: ask for all samples of a problem in one request, with the first sample's seed. By
            default every sample is a separate request with its own seed.

    Raises:
        ArgumentTypeError: a value has a wrong type.
        UserError: a value is out of range, or a beam search is combined with sampling options.

    >>> Sampling(temperature=0.6, top_p=0.95).max_tokens
    16384

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
        check_fields(self)
        if self.temperature < 0 or not 0 < self.top_p <= 1 or self.max_tokens < 1:
            raise UserError("temperature >= 0, 0 < top_p <= 1 and max_tokens >= 1 are needed")
        if self.top_k < 0 or not 0 <= self.min_p <= 1 or self.beams < 0:
            raise UserError("top_k >= 0, 0 <= min_p <= 1 and beams >= 0 are needed")
        if self.beams and (self.top_p, self.top_k, self.min_p, self.grouped) != (1, 0, 0, False):
            raise UserError("a beam search takes no top_p, top_k or min_p, and is not grouped")

    @property
    def together(self) -> bool:
        """Whether a problem's samples come from a single request."""
        return self.grouped or self.beams > 0

    def cut(self, text: str) -> str:
        """A text up to the first stop string, for engines that do not cut texts.

        Args:
            text: a completion.

        Returns:
            The text up to the first stop string.

        """
        ends = [position for end in self.stop if (position := text.find(end)) >= 0]
        return text[: min(ends)] if ends else text


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model. ``hash`` covers prompt, problem and sampling.

    A request is for one sample, or for ``count`` samples from the index ``sample`` on, if the
    sampling takes a problem's samples together (`Sampling.together`).

    Args:
        model: the hash of the model's configuration.
        problem: the problem.
        prompt: the rendered prompt.
        sampling: the sampling, with the stop strings and token limit of the prompt's stage.
        hash: `request_hash` of problem, prompt and sampling.
        sample: index of the (first) sample.
        stage: name of the prompt's stage.
        seed: `sample_seed` of the (first) sample.
        count: the number of samples.

    >>> from calculus_harness.prompts import load
    >>> shown = {"integrand": "2x", "variable": "x"}
    >>> problem = Problem("p1", "integration", "own", "easy", inputs=shown, target=shown)
    >>> prompt, sampling = load("antiderivbench").render(problem), Sampling()
    >>> hashed = request_hash(problem, prompt, sampling)
    >>> Request("m", problem, prompt, sampling, hashed, seed=sample_seed(0, "own/easy/p1", 0)).keys
    ('m:...:answer:0',)

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
        """The indices of the requested samples."""
        return range(self.sample, self.sample + self.count)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the completions to the request."""
        return tuple(
            completion_key(self.model, self.hash, self.stage, sample) for sample in self.samples
        )


def request_hash(problem: Problem, prompt: Rendered, sampling: Sampling) -> str:
    """The hash of a request's content, the same for every model and sample."""
    return digest(
        [problem_key(problem), problem.content_hash, prompt.to_dict(), sampling.to_dict()]
    )


def completion_key(model: str, request: str, stage: str, sample: int) -> str:
    """A completion's key in a run: the hashes of model and request, the stage, the sample."""
    return f"{model}:{request}:{stage}:{sample}"


def whole_characters(text: str) -> str:
    """A text for UTF-8: a lone surrogate, possible as a JSON escape, becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class Completion(Record):
    r"""A completion of a model.

    Args:
        model: the hash of the model's configuration.
        problem: the problem's key.
        request: the request's hash.
        sample: index of the sample.
        stage: name of the prompt's stage.
        seed: seed of the sample.
        text: the text to grade.
        reasoning: the reasoning, if a server separates it from the text.
        finish_reason: why the completion ended.
        detail: details of a finish reason of ``error`` or ``time_limit``.
        rank: the rank of a beam.
        score: the score of a beam.
        logprob: sum over the completion's tokens, in nats; ``extra["token_logprobs"]`` has the
            terms.
        prompt_tokens: as the server counts them.
        completion_tokens: as the server counts them, reasoning included.
        reasoning_tokens: as the server counts them.
        latency: the time from request to response in seconds.
        extra: further data, as JSON.

    >>> completion = Completion("m", "own/easy/p1", "r", 0, "answer", 7, r"\boxed{x^2}")
    >>> completion.key
    'm:r:answer:0'
    >>> Completion.from_dict(completion.to_dict()) == completion
    True

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
            value = getattr(self, name)
            if not value.isascii() and (encodable := whole_characters(value)) != value:
                object.__setattr__(self, name, encodable)

    @classmethod
    def to(
        cls, request: Request, text: str, *, sample: int | None = None, **values: Any
    ) -> Completion:
        """The completion of a request, by default of the first sample.

        Args:
            request: the request.
            text: the model's text.
            sample: index of the sample.
            values: other fields.

        Returns:
            The completion.

        """
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
        """Failed completions for all samples of a request, with the reason as ``detail``.

        Args:
            request: the request.
            detail: the reason; its first 500 characters are kept.
            reason: the finish reason.

        Returns:
            A completion for each sample.

        """
        return [
            cls.to(request, "", sample=sample, finish_reason=reason, detail=detail[:500])
            for sample in request.samples
        ]

    @property
    def key(self) -> str:
        return completion_key(self.model, self.request, self.stage, self.sample)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-serialisable row: the key, the required fields, and fields with other values than
        the defaults.

        Returns:
            The row.

        """
        row: dict[str, Any] = {"key": self.key}
        for name, default in _DEFAULTS.items():
            value = getattr(self, name)
            if name in _REQUIRED or value not in (default, {}):
                row[name] = value
        return row


#: Every field with its default, if any.
_DEFAULTS = {item.name: item.default for item in fields(Completion)}
_REQUIRED = {"model", "problem", "request", "sample", "stage", "seed", "text", "finish_reason"}
