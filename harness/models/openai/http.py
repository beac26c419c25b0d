"""The openai client, and requests that are its own but for the slow way that they take.

Between a call of one of its methods and the library that sends, the client checks, copies and
merges options and headers: more work than all else that a sample costs (docs/models.md). What that
comes to is the same for every request, so `Connection` lets the client say it once.
"""

from __future__ import annotations

import importlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ...core.errors import ModelError
from .protocol import OpenAIProtocol, UnavailableError, scrubbed

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from openai import AsyncOpenAI

#: Seconds that connecting may take.
CONNECTING = 20.0
#: Seconds that an idle connection is kept: less than the five after which many servers close it.
KEPT = 4.0
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
        "verify": _trusted(),
    }
    if transport != "httpx":
        try:
            return openai.DefaultAioHttpClient(**options)
        except RuntimeError:  # without aiohttp
            if transport:
                raise ModelError(f"model {model.spec}: transport=aiohttp needs aiohttp") from None
    return openai.DefaultAsyncHttpxClient(**options)


class Connection:
    """A server, asked as the openai client would ask it: its URL, key, headers and time limits.

    aiohttp sends, unless another transport is wanted or a proxy is in the way: then whatever the
    client sends with.
    """

    def __init__(self, model: OpenAIProtocol, transport: str = "", connections: int = 8) -> None:
        self.model = model
        self._http = make_http(model, transport, connections)
        self._client = make_client(model, self._http)
        said = {**self._client.default_headers, **self._client.auth_headers}
        self._headers = {name: value for name, value in said.items() if isinstance(value, str)}
        direct = transport != "httpx" and not _proxied(model.url)
        self._session = _session(self._headers, connections) if direct else None

    async def get(self, path: str) -> bytes:
        """The server's answer. Raises one of `openai_wire`'s errors, or what `understood` takes."""
        return await self._ask("GET", path)

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """As `get`, with some JSON; ``path`` is below the base URL, or itself a URL."""
        return await self._ask("POST", path, json.dumps(body).encode())

    async def _ask(self, method: str, path: str, content: bytes | None = None) -> bytes:
        url = path if "://" in path else f"{self.model.url}{path}"
        if self._session is None:
            sent = await self._http.request(method, url, content=content, headers=self._headers)
            status, headers, answer = sent.status_code, sent.headers, sent.content
        else:
            async with self._session.request(method, url, data=content) as response:
                status, headers, answer = response.status, response.headers, await response.read()
        if not 200 <= status < 300:
            raise self.model.trouble(status, headers, answer)
        return bytes(answer)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        await self._client.close()


def _session(headers: dict[str, str], connections: int) -> ClientSession | None:
    """Connections of aiohttp's, if it is there."""
    try:
        import aiohttp
    except ImportError:
        return None
    return aiohttp.ClientSession(
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECTING),
        connector=aiohttp.TCPConnector(limit=connections, ssl=_trusted(), keepalive_timeout=KEPT),
    )


def _proxied(url: str) -> bool:
    """Whether the environment names a proxy for a URL; the client knows all kinds of them."""
    parts, proxies = urlsplit(url), getproxies()
    there = parts.scheme in proxies or "all" in proxies
    return there and not proxy_bypass(parts.hostname or "")


@cache
def _trusted() -> Any:
    """The certificates that the client trusts."""
    return _library().create_ssl_context()


@cache
def _library() -> Any:
    """The library that the client is made of: httpx, or httpx2."""
    import openai

    base = openai.DefaultAsyncHttpxClient.__mro__[1]
    return importlib.import_module(base.__module__.partition(".")[0])


def understood(model: OpenAIProtocol, error: Exception) -> Exception:
    """What an exception out of the client means: one of `openai_wire`'s, or else itself."""
    import openai

    if isinstance(error, openai.APIStatusError):
        response = error.response
        return model.trouble(response.status_code, response.headers, response.content)
    library = type(error).__module__.partition(".")[0]
    if isinstance(error, TimeoutError) and library not in ("openai", *_HTTP_LIBRARIES):
        return UnavailableError("no answer within the time limit of a request")
    if isinstance(error, openai.APIConnectionError | OSError) or library in _HTTP_LIBRARIES:
        cause = error.__cause__ or error
        said = scrubbed(f"{type(cause).__name__}: {cause}", model.key)
        return UnavailableError(f"no connection ({said[:300]})")
    return error
