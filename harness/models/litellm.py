"""Models of the providers of the library litellm: `litellm/PROVIDER/NAME`."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

from ...prompts.rendering import Rendered
from ..core.errors import ModelError, needing
from ..core.prices import Price
from ..core.requests import Completion, Request
from .base import Capability, ask_each, operational
from .openai.errors import RefusedError, UnavailableError, redact, response_error
from .openai.protocol import (
    is_loopback,
    json_object,
    omitted_fields,
    sampling_fields,
    valid_url,
)
from .openai.session import Paced, ServerSession

#: Suffixes of environment variables with secrets.
SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD")


@dataclass(frozen=True, kw_only=True)
class LiteLLMModel(Paced):
    """A model of any provider of litellm: Anthropic, Gemini, Bedrock, Mistral, ...

    The name is litellm's, as in ``litellm/anthropic/claude-sonnet-4-5``; keys come from litellm's
    environment variables (``ANTHROPIC_API_KEY``). ``base-url`` is another server of the same
    provider. Retries and rate limits are the same as for ``openai``; litellm's own retries are
    switched off. ``extra-body`` is a JSON object of further arguments of litellm's ``acompletion``,
    ``omit`` a list of sampling parameters left to the provider. Seeds are sent to providers with
    seeds. Claude refuses temperature together with top-p; top-p is therefore sent to Claude only if
    below 1.
    """

    extra_body: str = ""
    reasoning_effort: str = ""
    omit: str = ""
    base_url: str = operational("")

    example: ClassVar[str] = (
        "run.py sweep --model litellm/anthropic/claude-sonnet-4-5 --benchmark bee --limit 4"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name:
            raise ValueError("it needs the name of a model")
        _ = self._extra, self._omitted
        if self.base_url:
            valid_url(self.base_url, "base-url")

    @property
    def capabilities(self) -> frozenset[Capability]:
        supported = {
            Capability.CHAT: True,
            Capability.PICTURES: True,
            Capability.SEED: "seed" in self._parameters,
            Capability.GROUPED: "n" in self._parameters,
            Capability.LOGPROBS: "logprobs" in self._parameters,
        }
        return frozenset(capability for capability, able in supported.items() if able)

    def count_tokens(self, prompt: Rendered) -> int | None:
        if not prompt.messages:
            return None
        try:
            return int(_library(self.spec).token_counter(model=self.name, messages=prompt.turns))
        except ModelError:
            raise
        except Exception:  # a tokenizer that would have to be loaded from a hub
            return None

    def price(self) -> Price | None:
        """Return litellm's price; None if ``base-url`` names another server."""
        prices = {} if self.base_url else _prices()
        entry = prices.get(self.name) or prices.get(self.name.partition("/")[2]) or {}
        if "input_cost_per_token" not in entry or "output_cost_per_token" not in entry:
            return None

        def dollars(name: str) -> float | None:
            cost = entry.get(name)
            return None if cost is None else 1e6 * float(cost)

        return Price(
            prompt=1e6 * entry["input_cost_per_token"],
            completion=1e6 * entry["output_cost_per_token"],
            cached=dollars("cache_read_input_token_cost"),
            reasoning=dollars("output_cost_per_reasoning_token"),
        )

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        session = ServerSession(self, _Library(self))
        async with aclosing(ask_each(requests, session.answer, self.concurrency)) as results:
            async for completions in results:
                for completion in completions:
                    yield completion

    def path(self, prompt: Rendered) -> str:
        return ""

    def body(self, request: Request) -> dict[str, Any]:
        """Return the arguments of litellm's ``acompletion``."""
        sampling = request.sampling
        unwanted = set(self._omitted)
        if "seed" not in self._parameters:
            unwanted.add("seed")
        if sampling.top_p == 1 and "claude" in self.name:
            unwanted.add("top_p")
        body: dict[str, Any] = {"model": self.name, "messages": request.prompt.turns}
        body |= sampling_fields(request, unwanted)
        if request.count > 1:
            body["n"] = request.count
        if sampling.logprobs:
            body["logprobs"] = True
        if self.reasoning_effort:
            body["reasoning_effort"] = self.reasoning_effort
        return body | self._extra

    @cached_property
    def _extra(self) -> dict[str, Any]:
        return json_object(self.extra_body, "extra-body")

    @cached_property
    def _omitted(self) -> frozenset[str]:
        return omitted_fields(self.omit)

    @cached_property
    def _parameters(self) -> frozenset[str]:
        """The provider's parameters, by OpenAI's names."""
        try:
            library = _library(self.spec)
            name, provider, *_ = library.get_llm_provider(self.name)
            parameters = library.get_supported_openai_params(
                model=name, custom_llm_provider=provider
            )
        except ModelError:
            raise
        except Exception as error:
            reason = " ".join(str(error).split("\n")[0].split())[:200]
            raise ModelError(
                f"model {self.spec}: litellm does not know the provider ({reason}); the name is "
                "litellm/PROVIDER/NAME"
            ) from None
        return frozenset(parameters or ())


class _Library:
    """litellm, asked as a server."""

    def __init__(self, model: LiteLLMModel) -> None:
        self.model, self.library = model, _library(model.spec)
        self._secrets = [
            value for name, value in os.environ.items() if name.endswith(SECRETS) and len(value) > 7
        ]
        self._server: dict[str, Any] = {"base_url": model.base_url} if model.base_url else {}
        lacking = self.library.validate_environment(model=model.name)["missing_keys"]
        if lacking and is_loopback(model.base_url):
            self._server["api_key"] = "none"
        elif lacking:
            raise ModelError(
                f"model {model.spec}: there is no key in the environment: {', '.join(lacking)}"
            )

    async def get(self, path: str) -> bytes:
        """Raise the error of a server that is down: providers have no common address to probe."""
        raise UnavailableError("no provider answers")

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """Ask once: pauses and further attempts are the session's."""
        reply = await self.library.acompletion(
            **body,
            **self._server,
            timeout=self.model.request_timeout,
            num_retries=0,
            max_retries=0,
        )
        return str(reply.model_dump_json()).encode()

    def classify(self, error: Exception) -> Exception:
        """Return the exception of `openai.errors` for an exception of litellm, or the exception
        itself.
        """
        if isinstance(error, ModelError | RefusedError | UnavailableError):
            return error
        text = redact(str(error), *self._secrets)
        # litellm's own classes first; other errors have a status and are read like any server's
        # response.
        if isinstance(error, self.library.ContextWindowExceededError):
            return RefusedError(f"400: {' '.join(text.split())[:300]}")
        if isinstance(error, TimeoutError | self.library.Timeout):
            return UnavailableError("no answer within the time limit of a request")
        if isinstance(error, self.library.APIConnectionError):
            return UnavailableError(f"no connection ({' '.join(text.split())[:300]})")
        status = getattr(error, "status_code", None)
        if not isinstance(status, int):
            return error
        reply = getattr(error, "response", None)
        headers: Mapping[str, str] = getattr(reply, "headers", None) or {}
        message = json.dumps({"error": {"message": text}})
        return response_error(self.model.spec, status, headers, message)


@cache
def _library(spec: str) -> Any:
    """Import litellm without output, and without the requests of the import."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with needing(f"model {spec} needs the extra `litellm`", "litellm", ModelError):
        import litellm
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.disable_hf_tokenizer_download = True
    return litellm


@cache
def _prices() -> dict[str, Any]:
    """The table of prices in litellm's package, read without importing litellm."""
    package = importlib.util.find_spec("litellm")
    for folder in (package and package.submodule_search_locations) or ():
        path = Path(folder) / "model_prices_and_context_window_backup.json"
        if path.is_file():
            prices: dict[str, Any] = json.loads(path.read_bytes())
            return prices
    return {}
