"""The OpenAI protocol as values: what is sent, what an answer says, what an error means.

Nothing here waits or connects; `openai_client` and `openai_batch` do, and share this. An error is
one of three things: a setting that is wrong for every request (`ModelError`, which stops the
sweep), a prompt that the server will never answer (`RefusedError`), and a server that does not
answer now, or not what it should (`UnavailableError`; it is asked again).
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request, problem_key, sample_seed
from ..base import Capability, Model, operational
from .rate_limits import retry_after

OPENAI = "https://api.openai.com/v1"
SERVERS = ("openai", "vllm")
#: Fields of a request's body that can be left out where a server does not take them.
OMITTABLE = ("temperature", "top_p", "seed", "stop", "max_tokens")

Json = Mapping[str, Any]


class RefusedError(Exception):
    """The server will never answer this request; another may do."""

    def __init__(self, detail: str, reason: FinishReason = FinishReason.ERROR) -> None:
        super().__init__(detail)
        self.reason = reason


class UnavailableError(Exception):
    """The server does not answer now. It may have said for how long (seconds)."""

    def __init__(
        self,
        detail: str,
        wait: float | None = None,
        *,
        throttled: bool = False,
        garbled: bool = False,
    ) -> None:
        super().__init__(detail)
        self.wait = wait
        #: Whether it was too much at once, and nothing is broken.
        self.throttled = throttled
        #: Whether it did answer, but not what it should: asking less would not help.
        self.garbled = garbled


@dataclass(frozen=True, kw_only=True)
class OpenAIProtocol(Model):
    """What the kinds that speak this protocol have in common: where to ask, and how.

    ``extra-body`` is a JSON object that is merged into every request's body, ``omit`` a list of
    fields to leave out of it. ``token-field`` names the limit of new tokens (by default
    ``max_completion_tokens`` at OpenAI and ``max_tokens``, which all others know, elsewhere).
    ``server=vllm`` makes use of what vLLM adds to the protocol: top-k, min-p, beam search and the
    scoring of given texts. ``enable-thinking`` and ``chat-template-kwargs`` (a JSON object) are
    told to the server's chat template, which decides where nothing is said. The key is read from
    the environment variable ``api-key-env``, and written nowhere.
    """

    extra_body: str = ""
    reasoning_effort: str = ""
    enable_thinking: bool | None = None
    chat_template_kwargs: str = ""
    omit: str = ""
    base_url: str = operational("")  # by default OPENAI_BASE_URL, or OpenAI's own
    api_key_env: str = operational("OPENAI_API_KEY")
    token_field: str = operational("")
    service_tier: str = operational("")
    server: str = operational("openai")

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("it needs the name of a model")
        _ = self._extra, self._template
        if self.server not in SERVERS:
            raise ValueError(f"server is {' or '.join(SERVERS)}, not {self.server!r}")
        if unknown := self._omitted - set(OMITTABLE):
            raise ValueError(f"omit takes {', '.join(OMITTABLE)}, not {', '.join(unknown)}")
        if self.token_field not in ("", "max_tokens", "max_completion_tokens"):
            raise ValueError("token-field is max_tokens or max_completion_tokens")
        if self.base_url:
            _checked(self.base_url, "base-url")

    @property
    def name(self) -> str:
        """The model's name at its server."""
        return self.spec.partition("/")[2]

    @property
    def capabilities(self) -> frozenset[Capability]:
        found = {Capability.GROUPED, Capability.LOGPROBS}
        if "seed" not in self._omitted:
            found.add(Capability.SEED)
        if self.server == "vllm":
            found |= {Capability.TOP_K, Capability.MIN_P, Capability.BEAMS, Capability.SCORING}
        return super().capabilities | found

    def hint(self, lacking: Collection[Capability]) -> str:
        if self.server != "vllm" and not set(lacking) - replace(self, server="vllm").capabilities:
            return "; a server of vLLM has it: -M server=vllm"
        return ""

    @cached_property
    def url(self) -> str:
        """Where the server is."""
        named = self.base_url or os.environ.get("OPENAI_BASE_URL", "")
        return _checked(named, "base-url") if named else OPENAI

    @property
    def key(self) -> str:
        """The key, or a dummy for a server that is not reached over TLS, and has no use for one."""
        key = os.environ.get(self.api_key_env, "")
        if not key and urlsplit(self.url).scheme == "https" and not is_loopback(self.url):
            raise ModelError(
                f"model {self.spec}: there is no key in the environment variable "
                f"{self.api_key_env} (-M api-key-env=NAME names another)"
            )
        return key or "none"

    @cached_property
    def _extra(self) -> dict[str, Any]:
        return _object(self.extra_body, "extra-body")

    @cached_property
    def _template(self) -> dict[str, Any]:
        """What the chat template is given."""
        values = _object(self.chat_template_kwargs, "chat-template-kwargs")
        if self.enable_thinking is not None:
            values["enable_thinking"] = self.enable_thinking
        return values

    @cached_property
    def _omitted(self) -> frozenset[str]:
        return frozenset(name.strip() for name in self.omit.split(",") if name.strip())

    def path(self, prompt: Rendered) -> str:
        return "/chat/completions" if prompt.messages else "/completions"

    def body(self, request: Request) -> dict[str, Any]:
        """What is sent for a request."""
        sampling, prompt = request.sampling, request.prompt
        body: dict[str, Any] = {"model": self.name} | self._shown(prompt)
        values = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "stop": list(sampling.stop),
            "seed": request.seed,
        }
        if not sampling.stop:
            del values["stop"]
        for name, value in values.items():
            if name not in self._omitted:
                body[self._limit(prompt) if name == "max_tokens" else name] = value
        if sampling.beams:
            body |= {"n": sampling.beams, "temperature": 0, "use_beam_search": True}
        elif request.count > 1:
            body["n"] = request.count
        if sampling.logprobs or sampling.beams:
            body["logprobs"] = True if prompt.messages else 1
        if self.server == "vllm" and not sampling.beams:
            # Otherwise the defaults in the model's own generation_config.json would hold.
            body |= {
                "top_k": sampling.top_k or -1,
                "min_p": sampling.min_p,
                "repetition_penalty": 1.0,
            }
        if self.reasoning_effort and prompt.messages:
            body["reasoning_effort"] = self.reasoning_effort
        if self.service_tier:
            body["service_tier"] = self.service_tier
        return body | self._extra

    def echoing(self, prompt: str | list[int], new: int) -> dict[str, Any]:
        """What is sent for the log-probabilities of a prompt's tokens, with so many new ones."""
        body = {
            "model": self.name,
            "prompt": prompt,
            "max_tokens": new,
            "echo": True,
            "logprobs": 1,
        }
        return body | ({} if "temperature" in self._omitted else {"temperature": 1.0}) | self._extra

    def tokenised(self, prompt: Rendered) -> dict[str, Any]:
        """What vLLM is sent for the tokens of a prompt."""
        return self._shown(prompt) | ({"add_generation_prompt": True} if prompt.messages else {})

    def _shown(self, prompt: Rendered) -> dict[str, Any]:
        if not prompt.messages:
            return {"prompt": prompt.text}
        template = {"chat_template_kwargs": self._template} if self._template else {}
        return {"messages": prompt.turns} | template

    def _limit(self, prompt: Rendered) -> str:
        if not prompt.messages:
            return "max_tokens"
        at_openai = self.url.startswith(OPENAI)
        return self.token_field or ("max_completion_tokens" if at_openai else "max_tokens")

    def trouble(self, status: int, headers: Mapping[str, str], content: bytes) -> Exception:
        """What a response that is no answer means."""
        return trouble(self.spec, status, headers, scrubbed(content, self.key))


# --- what an answer says -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the texts of an answer."""

    text: str
    reasoning: str = ""
    finish_reason: FinishReason = FinishReason.STOP
    detail: str = ""
    token_logprobs: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said: choices in their order, and the tokens that all of them took."""

    choices: tuple[Choice, ...]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    extra: Json | None = None


#: No server has read or written so many tokens for one answer.
MOST_TOKENS = 1 << 40
#: What servers call the ways to end; those that are not here end a text like `stop`.
_REASONS = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.REFUSAL,
}
#: The server's own failures, which it reports as the end of a text.
_BROKEN = ("error", "abort", "network_error", "insufficient_system_resource")


def read(content: bytes) -> Answer:
    """An answer from the bytes of a response. Raises `UnavailableError` where it is none."""
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise unreadable(error) from None
    return understand(payload)


def understand(payload: Any) -> Answer:
    """An answer from a response's JSON. Of choices with the same index the first counts."""
    try:
        choices: dict[int, Choice] = {}
        for position, item in enumerate(payload["choices"]):
            index = item.get("index")
            choices.setdefault(position if index is None else int(index), _choice(item))
        ordered = tuple(choice for _, choice in sorted(choices.items(), key=lambda pair: pair[0]))
        if not ordered:
            raise ValueError("no choices")
        return Answer(ordered, **_usage(payload))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise unreadable(error) from None


def unreadable(error: Exception) -> UnavailableError:
    """That the server did answer, but not what it should."""
    remark = f"{type(error).__name__}: {error}"[:200]
    return UnavailableError(f"the server's answer cannot be read ({remark})", garbled=True)


def _choice(item: Json) -> Choice:
    ended = item.get("finish_reason") or "stop"
    if ended in _BROKEN:
        raise ValueError(f"the server ended the text with {ended!r}")
    reason = _REASONS.get(str(ended).lower(), FinishReason.STOP)
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


def _text(value: Any, kind: str = "text") -> str:
    """A text, which may come as a list of parts; None is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise TypeError(f"a text is {type(value).__name__}")
    return "".join(
        _text(part.get(kind))
        for part in value
        if part.get("type", kind) in (kind, f"output_{kind}")
    )


def _logprobs(item: Json) -> tuple[float, ...] | None:
    found = item.get("logprobs")
    if not found:
        return None
    if found.get("content") is not None:
        return tuple(float(token["logprob"]) for token in found["content"])
    if found.get("token_logprobs") is not None:
        return tuple(float(value) for value in found["token_logprobs"])
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
    """A number of tokens; None where there is none, or none that can be."""
    count = -1 if value is None else int(value)
    return count if 0 <= count < MOST_TOKENS else None


def completions(
    request: Request, answer: Answer, name: str, *, latency: float = 0.0, attempts: int = 1
) -> list[Completion]:
    """The first samples of a request, as many of them as the answer has choices for.

    The tokens of an answer with several choices are counted where each choice's can be told, by its
    log-probabilities, and shared out evenly otherwise; those of the prompt were read once, and are
    the first sample's.
    """
    choices = answer.choices[: request.count]
    extra = dict(answer.extra or {})
    if extra.get("served_model") == name:
        del extra["served_model"]
    if attempts > 1:
        extra["attempts"] = attempts
    spent = _shared(answer.completion_tokens, len(answer.choices))
    thought = _shared(answer.reasoning_tokens, len(answer.choices))
    alone = len(answer.choices) == 1
    prompt = answer.prompt_tokens
    found = []
    for position, (sample, choice) in enumerate(zip(request.samples, choices, strict=False)):
        own, logprobs = dict(extra), choice.token_logprobs
        if position:
            own.pop("cached_tokens", None)
        if logprobs is not None and request.sampling.logprobs:
            own["token_logprobs"] = list(logprobs)
        counted = spent[position] if alone or logprobs is None else len(logprobs)
        found.append(
            Completion.to(
                request,
                # A beam search knows no stop strings.
                request.sampling.cut(choice.text) if request.sampling.beams else choice.text,
                sample=sample,
                reasoning=choice.reasoning,
                finish_reason=choice.finish_reason,
                detail=choice.detail,
                rank=sample if request.sampling.beams else 0,
                logprob=None if logprobs is None else sum(logprobs),
                prompt_tokens=prompt if position == 0 or prompt is None else 0,
                completion_tokens=counted,
                reasoning_tokens=thought[position],
                latency=round(latency, 3),
                extra=own,
            )
        )
    return found


def rest(request: Request, done: int) -> Request:
    """What is still wanted of a request whose first samples are there, under a seed of its own.

    The same seed would give the choices that came already once more.
    """
    if not done:
        return request
    first = request.sample + done
    seed = sample_seed(request.seed, problem_key(request.problem), first)
    return replace(request, sample=first, count=request.count - done, seed=seed)


def _shared(total: int | None, parts: int) -> list[int | None]:
    if total is None:
        return [None] * parts
    each, more = divmod(total, parts)
    return [each + (part < more) for part in range(parts)]


# --- what an error means -----------------------------------------------------------------------

_TOO_LONG = re.compile(
    r"context.{0,3}(length|window|size)|too (long|large|many)|input.{0,3}tokens|"
    r"string_above_max_length",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content.?(filter|management|policy)|invalid_prompt|moderation|flagged|safety", re.IGNORECASE
)
_SETTING = re.compile(
    r"(unsupported|unrecognized|unknown|unexpected|invalid|extra).{0,20}"
    r"(parameter|argument|field|value|input|keyword|model)|not (supported|permitted)|"
    r"does(n't| not) support|model_not_found|not implemented|does not exist",
    re.IGNORECASE,
)
_UNPAID = re.compile(
    r"insufficient_quota|billing|credit|exceeded your current quota", re.IGNORECASE
)


def trouble(spec: str, status: int, headers: Mapping[str, str], content: str) -> Exception:
    """What a response with an error status means; the module says which three things."""
    said, code = _said(content)
    detail = f"{status}: {said}"
    if status in (400, 413, 422):
        if _FILTERED.search(f"{code} {said}"):
            return RefusedError(detail, FinishReason.CONTENT_FILTER)
        if status != 413 and _SETTING.search(f"{code} {said}") and not _TOO_LONG.search(said):
            return ModelError(f"model {spec}: the server does not take a setting ({detail})")
        return RefusedError(detail)
    if status == 403 and _FILTERED.search(said):
        return RefusedError(detail, FinishReason.CONTENT_FILTER)
    if status in (401, 403):
        return ModelError(f"model {spec}: the server does not accept the key ({detail})")
    if status in (404, 405):
        return ModelError(f"model {spec}: the server does not know the model or path ({detail})")
    if status == 402 or (status == 429 and _UNPAID.search(f"{code} {said}")):
        return ModelError(f"model {spec}: the account has no credit left ({detail})")
    if status in (408, 409, 425, 429) or (status >= 500 and status != 501):
        return UnavailableError(detail, retry_after(headers), throttled=status == 429)
    return ModelError(f"model {spec}: the server answers {detail}")


def _said(content: str) -> tuple[str, str]:
    """An error's message in one line, and its code and parameter."""
    try:
        payload = json.loads(content)
        error = payload.get("error", payload)
        if isinstance(error, dict):
            codes = f"{error.get('code', '')} {error.get('type', '')} {error.get('param', '')}"
            message = error.get("message") or error.get("detail") or content
        else:
            message, codes = error, ""
    except (ValueError, AttributeError, RecursionError):
        message, codes = content, ""
    return " ".join(str(message).split())[:300] or "no message", codes


def scrubbed(content: bytes | str, *secrets: str) -> str:
    """A server's words without the key, which some of them repeat."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    for secret in secrets:
        if secret and secret != "none":
            text = text.replace(secret, "***")
    return re.sub(r"\b(sk-|Bearer +)[\w*.\-]{4,}", r"\1***", text)


# --- small things ------------------------------------------------------------------------------


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _checked(url: str, what: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ModelError(f"{what} is no URL: {url!r}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelError(f"{what} is a URL such as http://127.0.0.1:8000/v1, not {url!r}")
    if parts.username or parts.password:
        raise ModelError(f"{what} must hold no password; the key belongs in the environment")
    return url.rstrip("/")


def _object(text: str, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except ValueError as error:
        raise ModelError(f"{what} is no JSON ({error}): {text!r}") from None
    if not isinstance(value, dict):
        raise ModelError(f"{what} must be a JSON object, not {text!r}")
    return value
