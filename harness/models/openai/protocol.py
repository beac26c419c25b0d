"""Options and request bodies of the kinds with the OpenAI protocol."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any
from urllib.parse import urlsplit

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ...core.requests import Request
from ..base import Capability, Model, operational
from .errors import redact, response_error

OPENAI = "https://api.openai.com/v1"
SERVERS = ("openai", "vllm")
#: Fields of a request's body that ``omit`` can leave out.
OMITTABLE = ("temperature", "top_p", "seed", "stop", "max_tokens")


@dataclass(frozen=True, kw_only=True)
class OpenAIProtocol(Model):
    """The common options of the kinds with the OpenAI protocol.

    ``extra-body`` is a JSON object that is merged into every request's body, ``omit`` a list of
    fields to leave out of the body. ``token-field`` names the limit of new tokens (default:
    ``max_completion_tokens`` at OpenAI, ``max_tokens`` elsewhere). ``server=vllm`` enables vLLM's
    additions to the protocol: top-k, min-p, beam search and the scoring of given texts.
    ``enable-thinking`` and ``chat-template-kwargs`` (a JSON object) are passed to the server's chat
    template. The key is read from the environment variable ``api-key-env`` and never stored.
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
        _ = self._omitted
        if self.token_field not in ("", "max_tokens", "max_completion_tokens"):
            raise ValueError("token-field is max_tokens or max_completion_tokens")
        if self.base_url:
            valid_url(self.base_url, "base-url")

    @property
    def name(self) -> str:
        """The model's name at the server."""
        return self.name_in_spec

    @property
    def capabilities(self) -> frozenset[Capability]:
        capabilities = {Capability.GROUPED, Capability.LOGPROBS, Capability.PICTURES}
        if "seed" not in self._omitted:
            capabilities.add(Capability.SEED)
        if self.server == "vllm":
            capabilities |= {
                Capability.TOP_K,
                Capability.MIN_P,
                Capability.BEAMS,
                Capability.SCORING,
            }
        return super().capabilities | capabilities

    def hint(self, lacking: Collection[Capability]) -> str:
        if self.server != "vllm" and not set(lacking) - replace(self, server="vllm").capabilities:
            return "; a server of vLLM has it: -M server=vllm"
        return ""

    @cached_property
    def url(self) -> str:
        """The server's base URL."""
        url = self.base_url or os.environ.get("OPENAI_BASE_URL", "")
        return valid_url(url, "base-url") if url else OPENAI

    @property
    def key(self) -> str:
        """The API key; ``none`` without a set key, for a local server or without TLS."""
        key = os.environ.get(self.api_key_env, "")
        if not key and urlsplit(self.url).scheme == "https" and not is_loopback(self.url):
            raise ModelError(
                f"model {self.spec}: there is no key in the environment variable "
                f"{self.api_key_env} (-M api-key-env=NAME names another)"
            )
        return key or "none"

    def count_tokens(self, prompt: Rendered) -> int | None:
        """Return a prompt's tokens, for a model of OpenAI's and where tiktoken is installed."""
        encode = _encoder(self.name) if self.url.startswith(OPENAI) else None
        if encode is None or prompt.pictures:
            return None
        if not prompt.messages:
            return len(encode(prompt.text))
        # Three tokens frame each message, and three begin the reply (OpenAI's cookbook).
        texts = [text for message in prompt.messages for text in (message.role, message.content)]
        return sum(len(encode(text)) for text in texts) + 3 * len(prompt.messages) + 3

    @cached_property
    def _extra(self) -> dict[str, Any]:
        return json_object(self.extra_body, "extra-body")

    @cached_property
    def _template(self) -> dict[str, Any]:
        """The chat template's arguments."""
        values = json_object(self.chat_template_kwargs, "chat-template-kwargs")
        if self.enable_thinking is not None:
            values["enable_thinking"] = self.enable_thinking
        return values

    @cached_property
    def _omitted(self) -> frozenset[str]:
        return omitted_fields(self.omit)

    def path(self, prompt: Rendered) -> str:
        return "/chat/completions" if prompt.messages else "/completions"

    def body(self, request: Request) -> dict[str, Any]:
        """Return the body of a request."""
        sampling, prompt = request.sampling, request.prompt
        body: dict[str, Any] = {"model": self.name} | self._prompt_fields(prompt)
        for name, value in sampling_fields(request, self._omitted).items():
            body[self._limit_field(prompt) if name == "max_tokens" else name] = value
        if sampling.beams:
            body |= {"n": sampling.beams, "temperature": 0, "use_beam_search": True}
        elif request.count > 1:
            body["n"] = request.count
        if sampling.logprobs or sampling.beams:
            body["logprobs"] = True if prompt.messages else 1
        if self.server == "vllm" and not sampling.beams:
            # Without these the server uses values from the model's generation_config.json.
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

    def probe_body(self, request: Request) -> dict[str, Any] | None:
        """Return the body of a request for a token; None if ``omit`` drops the token limit."""
        limit = self._limit_field(request.prompt)
        body = self.body(request)
        for name in ("n", "use_beam_search", "logprobs"):
            body.pop(name, None)
        return body | {limit: 1} if limit in body else None

    def echo_body(self, prompt: str | list[int], max_tokens: int) -> dict[str, Any]:
        """Return the body of a request for a prompt's echo with log-probabilities."""
        body = {
            "model": self.name,
            "prompt": prompt,
            "max_tokens": max_tokens,
            "echo": True,
            "logprobs": 1,
        }
        return body | ({} if "temperature" in self._omitted else {"temperature": 1.0}) | self._extra

    def tokenize_body(self, prompt: Rendered) -> dict[str, Any]:
        """Return the body of a request for a prompt's tokens, for vLLM's servers."""
        return self._prompt_fields(prompt) | (
            {"add_generation_prompt": True} if prompt.messages else {}
        )

    def _prompt_fields(self, prompt: Rendered) -> dict[str, Any]:
        if not prompt.messages:
            return {"prompt": prompt.text}
        template = {"chat_template_kwargs": self._template} if self._template else {}
        return {"messages": prompt.turns} | template

    def _limit_field(self, prompt: Rendered) -> str:
        if not prompt.messages:
            return "max_tokens"
        at_openai = self.url.startswith(OPENAI)
        return self.token_field or ("max_completion_tokens" if at_openai else "max_tokens")

    def response_error(self, status: int, headers: Mapping[str, str], content: bytes) -> Exception:
        """Return the exception for a response with an error status (`errors`)."""
        return response_error(self.spec, status, headers, redact(content, self.key))


def omitted_fields(omit: str) -> frozenset[str]:
    """The fields in an option ``omit``; raises `ValueError` for others than `OMITTABLE`."""
    names = frozenset(name.strip() for name in omit.split(",") if name.strip())
    if unknown := names - set(OMITTABLE):
        raise ValueError(f"omit takes {', '.join(OMITTABLE)}, not {', '.join(unknown)}")
    return names


def sampling_fields(request: Request, omitted: Collection[str]) -> dict[str, Any]:
    """The fields `OMITTABLE` of a request's body, without omitted ones and empty stop strings."""
    sampling = request.sampling
    values = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "stop": list(sampling.stop),
        "seed": request.seed,
    }
    empty = () if sampling.stop else ("stop",)
    return {name: value for name, value in values.items() if name not in (*omitted, *empty)}


@cache
def _encoder(model: str) -> Callable[[str], list[int]] | None:
    """The tokenizer of an OpenAI model, cached; None without tiktoken."""
    try:
        import tiktoken

        encoding = tiktoken.encoding_for_model(model)
    except Exception:  # not installed, an unknown model, or no network to load it
        return None
    return partial(encoding.encode, disallowed_special=())


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def valid_url(url: str, what: str) -> str:
    """Return an option's URL without the last slash; raises `ModelError` for an invalid URL."""
    try:
        address = urlsplit(url)
        _ = address.port
    except ValueError:
        raise ModelError(f"{what} is no URL: {url!r}") from None
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ModelError(f"{what} is a URL such as http://127.0.0.1:8000/v1, not {url!r}")
    if address.username or address.password:
        raise ModelError(f"{what} must hold no password; the key belongs in the environment")
    return url.rstrip("/")


def json_object(text: str, what: str) -> dict[str, Any]:
    """Return an option's JSON object; raises `ModelError` for other JSON."""
    try:
        value = json.loads(text or "{}")
    except ValueError as error:
        raise ModelError(f"{what} is no JSON ({error}): {text!r}") from None
    if not isinstance(value, dict):
        raise ModelError(f"{what} must be a JSON object, not {text!r}")
    return value
