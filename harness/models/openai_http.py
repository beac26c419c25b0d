"""The openai client, and requests over its connections that do without its slowest part.

Between a call of one of its methods and the library that it sends with, the client checks, copies
and merges options and headers: more work than all else that a sample costs (docs/models.md). What
that comes to is the same for every request, so `Connection` lets the client say it once.
"""

from __future__ import annotations

import importlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from harness.errors import ModelError
from harness.models.openai_wire import OpenAIProtocol, UnavailableError, scrubbed

if TYPE_CHECKING:
    from openai import AsyncOpenAI

#: Seconds that connecting may take.
CONNECTING = 20.0
_HTTP_LIBRARIES = ("aiohttp", "httpx2", "httpx", "httpcore2", "httpcore")


def make_client(model: OpenAIProtocol, http: Any = None) -> AsyncOpenAI:
    """The openai client. It does not retry: only `Pace` knows how all requests together fare."""
    import openai

    http = http or make_http(model)
    return openai.AsyncOpenAI(
        base_url=model.url,
        api_key=model.key,
        max_retries=0,
        timeout=http.timeout,
        http_client=http,
    )


def make_http(model: OpenAIProtocol, transport: str = "", connections: int = 8) -> Any:
    """What the openai client sends with: over aiohttp, if that is there and nothing else is said.

    Raises `ModelError` without the extra, or the transport, that is needed.
    """
    try:
        import openai
    except ImportError:
        raise ModelError(
            f"model {model.spec} needs the extra `openai`: pip install 'calculus-harness[openai]'"
        ) from None
    limits = _library().Limits(max_connections=connections, max_keepalive_connections=connections)
    options: dict[str, Any] = {
        "timeout": openai.Timeout(None, connect=CONNECTING),
        "limits": limits,
    }
    if transport != "httpx":
        try:
            return openai.DefaultAioHttpClient(**options)
        except RuntimeError:  # without aiohttp
            if transport:
                raise ModelError(f"model {model.spec}: transport=aiohttp needs aiohttp") from None
    return openai.DefaultAsyncHttpxClient(**options)


class Connection:
    """A server, asked as the openai client would ask it: its URL, key, headers and time limits."""

    def __init__(self, model: OpenAIProtocol, transport: str = "", connections: int = 8) -> None:
        self.model = model
        self._http = make_http(model, transport, connections)
        self._client = make_client(model, self._http)
        self._library = _library()
        self._posts: dict[str, Any] = {}

    async def get(self, path: str) -> bytes:
        """The server's answer. Raises one of `openai_wire`'s errors, or what `understood` takes."""
        return await self._send(self._template("GET", path))

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """As `get`, with some JSON; ``path`` is below the base URL, or itself a URL."""
        if path not in self._posts:
            self._posts[path] = self._template("POST", path)
        template, content = self._posts[path], json.dumps(body).encode()
        template.headers["content-length"] = str(len(content))
        # As a stream it comes with all its headers, and none has to be worked out.
        request = self._library.Request(
            template.method,
            template.url,
            headers=template.headers,
            stream=self._library.ByteStream(content),
            extensions=template.extensions,
        )
        await request.aread()
        return await self._send(request)

    async def _send(self, request: Any) -> bytes:
        response = await self._http.send(request)
        if not response.is_success:
            raise self.model.trouble(response.status_code, response.headers, response.content)
        return bytes(response.content)

    def _template(self, method: str, path: str) -> Any:
        """A request without a body, with all headers that the client gives one."""
        url = path if "://" in path else f"{self.model.url}{path}"
        said = {**self._client.default_headers, **self._client.auth_headers}
        headers = {name: value for name, value in said.items() if isinstance(value, str)}
        return self._http.build_request(method, url, headers=headers)

    async def close(self) -> None:
        await self._client.close()


@cache
def _library() -> Any:
    """The library that the client is made of, and its responses come from: httpx, or httpx2."""
    import openai

    base = openai.DefaultAsyncHttpxClient.__mro__[1]
    return importlib.import_module(base.__module__.partition(".")[0])


def understood(model: OpenAIProtocol, error: Exception) -> Exception:
    """What an exception out of the client means: one of `openai_wire`'s, or else itself."""
    import openai

    if isinstance(error, openai.APIStatusError):
        response = error.response
        return model.trouble(response.status_code, response.headers, response.content)
    if isinstance(error, TimeoutError) and not isinstance(error, openai.OpenAIError):
        return UnavailableError("no answer within the time limit of a request")
    library = type(error).__module__.partition(".")[0]
    if isinstance(error, openai.APIConnectionError | OSError) or library in _HTTP_LIBRARIES:
        cause = error.__cause__ or error
        said = scrubbed(f"{type(cause).__name__}: {cause}", model.key)
        return UnavailableError(f"no connection ({said[:300]})")
    return error
