"""Responses of the OpenAI protocol, parsed into completions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.requests import Completion, FinishReason, Request, problem_key, sample_seed
from .errors import unreadable

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """A text of a response."""

    text: str
    reasoning: str = ""
    finish_reason: FinishReason = FinishReason.STOP
    detail: str = ""
    token_logprobs: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A response: the choices in order, and the token counts of all choices together."""

    choices: tuple[Choice, ...]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    extra: Json | None = None


#: Larger token counts are treated as unknown.
MAX_TOKENS = 1 << 40
#: Servers' names for finish reasons; any other is a plain stop.
_FINISH_REASONS = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.REFUSAL,
}
#: Finish reasons that report a failure of the server.
_FAILURES = ("error", "abort", "network_error", "insufficient_system_resource")


def parse_response(content: bytes) -> Response:
    """Parse the body of a response; raises `UnavailableError` outside of the protocol."""
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise unreadable(error) from None
    return parse_payload(payload)


def parse_payload(payload: Any) -> Response:
    """Parse a response's JSON. Of choices with the same index the first counts."""
    try:
        choices: dict[int, Choice] = {}
        for position, item in enumerate(payload["choices"]):
            index = item.get("index")
            choices.setdefault(position if index is None else int(index), _choice(item))
        ordered = tuple(choice for _, choice in sorted(choices.items(), key=lambda pair: pair[0]))
        if not ordered:
            raise ValueError("no choices")
        return Response(ordered, **_usage(payload))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise unreadable(error) from None


def _choice(item: Json) -> Choice:
    finish = item.get("finish_reason") or "stop"
    if finish in _FAILURES:
        raise ValueError(f"the server ended the text with {finish!r}")
    reason = _FINISH_REASONS.get(str(finish).lower(), FinishReason.STOP)
    message = item.get("message")
    if message is None:
        return Choice(_text(item["text"]), "", reason, "", _logprobs(item))
    thoughts = message.get("reasoning_content") or message.get("reasoning")
    reasoning, text = _text(thoughts), _text(message.get("content"))
    if isinstance(message.get("content"), list):  # parts, of which some are thoughts
        reasoning = reasoning or _text(message["content"], "thinking")
    refusal = _text(message.get("refusal"))
    if refusal:
        reason = FinishReason.REFUSAL
    return Choice(text, reasoning, reason, refusal[:500], _logprobs(item))


def _text(value: Any, part_type: str = "text") -> str:
    """Return a text from a string, a list of parts, or None."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise TypeError(f"a text is {type(value).__name__}")
    return "".join(
        _text(item.get(part_type))
        for item in value
        if item.get("type", part_type) in (part_type, f"output_{part_type}")
    )


def _logprobs(item: Json) -> tuple[float, ...] | None:
    logprobs = item.get("logprobs")
    if not logprobs:
        return None
    if logprobs.get("content") is not None:
        return tuple(float(token["logprob"]) for token in logprobs["content"])
    if logprobs.get("token_logprobs") is not None:
        return tuple(float(value) for value in logprobs["token_logprobs"])
    return None


def _usage(payload: Json) -> dict[str, Any]:
    used = payload.get("usage") or {}
    details = used.get("completion_tokens_details") or {}
    cached = (used.get("prompt_tokens_details") or {}).get("cached_tokens")
    extra = {
        "cached_tokens": _count(cached) or None,
        "served_model": payload.get("model"),
        "system_fingerprint": payload.get("system_fingerprint"),
    }
    return {
        "prompt_tokens": _count(used.get("prompt_tokens")),
        "completion_tokens": _count(used.get("completion_tokens")),
        "reasoning_tokens": _count(details.get("reasoning_tokens")),
        "extra": {name: value for name, value in extra.items() if value is not None},
    }


def _count(value: Any) -> int | None:
    """Return a number of tokens; None if missing or impossible."""
    count = -1 if value is None else int(value)
    return count if 0 <= count < MAX_TOKENS else None


def completions(
    request: Request, response: Response, model: str, *, latency: float = 0.0, attempts: int = 1
) -> list[Completion]:
    """Return completions for the first samples of a request, one for each choice.

    A response counts the tokens of all choices together. A choice's share is its number of
    log-probabilities, or else an equal share; the prompt's tokens are counted at the first sample.

    Args:
        request: The request.
        response: The server's response.
        model: The model's name in the request; a different name in the response is stored.
        latency: Seconds from request to response.
        attempts: The number of attempts.

    """
    choices = response.choices[: request.count]
    extra = dict(response.extra or {})
    if extra.get("served_model") == model:
        del extra["served_model"]
    if attempts > 1:
        extra["attempts"] = attempts
    written = _split_evenly(response.completion_tokens, len(response.choices))
    reasoning = _split_evenly(response.reasoning_tokens, len(response.choices))
    alone = len(response.choices) == 1
    prompt = response.prompt_tokens
    results = []
    for position, (sample, choice) in enumerate(zip(request.samples, choices, strict=False)):
        own, logprobs = dict(extra), choice.token_logprobs
        if position:
            own.pop("cached_tokens", None)
        if logprobs is not None and request.sampling.logprobs:
            own["token_logprobs"] = list(logprobs)
        counted = written[position] if alone or logprobs is None else len(logprobs)
        results.append(
            Completion.to(
                request,
                # Servers do not apply stop strings to beams.
                request.sampling.cut(choice.text) if request.sampling.beams else choice.text,
                sample=sample,
                reasoning=choice.reasoning,
                finish_reason=choice.finish_reason,
                detail=choice.detail,
                rank=sample if request.sampling.beams else 0,
                logprob=None if logprobs is None else sum(logprobs),
                prompt_tokens=prompt if position == 0 or prompt is None else 0,
                completion_tokens=counted,
                reasoning_tokens=reasoning[position],
                latency=round(latency, 3),
                extra=own,
            )
        )
    return results


def remaining(request: Request, done: int) -> Request:
    """Return the request for the samples after the first ``done``, with a new seed.

    With the same seed the server would repeat the first choices.
    """
    if not done:
        return request
    first_sample = request.sample + done
    seed = sample_seed(request.seed, problem_key(request.problem), first_sample)
    return replace(request, sample=first_sample, count=request.count - done, seed=seed)


def _split_evenly(total: int | None, count: int) -> list[int | None]:
    if total is None:
        return [None] * count
    share, remainder = divmod(total, count)
    return [share + (index < remainder) for index in range(count)]
