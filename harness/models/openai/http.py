"""The openai client, and a faster way to send requests.

For each request the client checks, copies and merges options and headers, at a higher cost than all
other work for a sample (docs/models.md). The result is the same for every request; `Connection`
takes options and headers from the client once, and sends with aiohttp or httpx directly.
"""

from __future__ import annotations

import importlib
import json
import re
import socket
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ...core.errors import ModelError, needing
from .errors import UnavailableError, redact
from .protocol import OpenAIProtocol

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from openai import AsyncOpenAI

#: The time limit of connecting, in seconds.
CONNECT_TIMEOUT = 20.0
#: Seconds of keeping an idle connection; many servers close theirs after 5.
KEEPALIVE = 4.0
#: Messages of HTTP libraries for a closed port or an unknown host.
_UNCONNECTED = re.compile(r"Cannot connect to host|ConnectError|Connection refused")
_HTTP_LIBRARIES = ("aiohttp", "httpx2", "httpx", "httpcore2", "httpcore")


def make_client(model: OpenAIProtocol, http: Any = None) -> AsyncOpenAI:
    """Return an openai client without retries, made by `session`."""
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
    """Return the HTTP client for the openai client: aiohttp if installed, else httpx.

    Raises:
        ModelError: The extra ``openai``, or the requested transport, is not installed.

    """
    with needing(f"model {model.spec} needs the extra `openai`", "openai", ModelError):
        import openai
    limits = _library().Limits(max_connections=connections, max_keepalive_connections=connections)
    options: dict[str, Any] = {
        "timeout": openai.Timeout(None, connect=CONNECT_TIMEOUT),
        "limits": limits,
        "verify": _ssl_context(),
    }
    if transport != "httpx":
        try:
            return openai.DefaultAioHttpClient(**options)
        except RuntimeError:  # without aiohttp
            if transport:
                raise ModelError(f"model {model.spec}: transport=aiohttp needs aiohttp") from None
    return openai.DefaultAsyncHttpxClient(**options)


class Connection:
    """A server, asked with the openai client's URL, key, headers and time limits.

    aiohttp sends, unless another transport was asked for or a proxy is set: then the client's own.
    """

    def __init__(self, model: OpenAIProtocol, transport: str = "", connections: int = 8) -> None:
        self.model = model
        self._http = make_http(model, transport, connections)
        self._client = make_client(model, self._http)
        headers = {**self._client.default_headers, **self._client.auth_headers}
        self._headers = {name: value for name, value in headers.items() if isinstance(value, str)}
        direct = transport != "httpx" and not _proxied(model.url)
        self._session = _session(self._headers, connections) if direct else None

    async def get(self, path: str) -> bytes:
        """Return a response's body; raises an exception of `errors`, or a library's for
        `classify_error`.
        """
        return await self._ask("GET", path)

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """As `get`, with a JSON body; ``path`` is below the base URL, or a URL."""
        return await self._ask("POST", path, json.dumps(body).encode())

    async def _ask(self, method: str, path: str, content: bytes | None = None) -> bytes:
        url = path if "://" in path else f"{self.model.url}{path}"
        if self._session is None:
            reply = await self._http.request(method, url, content=content, headers=self._headers)
            status, headers, body = reply.status_code, reply.headers, reply.content
        else:
            async with self._session.request(method, url, data=content) as response:
                status, headers, body = response.status, response.headers, await response.read()
        if not 200 <= status < 300:
            raise self.model.response_error(status, headers, body)
        return bytes(body)

    def classify(self, error: Exception) -> Exception:
        """As `classify_error`."""
        return classify_error(self.model, error)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        await self._client.close()


def _session(headers: dict[str, str], connections: int) -> ClientSession | None:
    """Return an aiohttp session, if aiohttp is installed."""
    try:
        import aiohttp
    except ImportError:
        return None
    return aiohttp.ClientSession(
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT),
        connector=aiohttp.TCPConnector(
            limit=connections, ssl=_ssl_context(), keepalive_timeout=KEEPALIVE
        ),
    )


def _proxied(url: str) -> bool:
    """Whether the environment sets a proxy for a URL; the client handles all kinds of proxies."""
    address, proxies = urlsplit(url), getproxies()
    configured = address.scheme in proxies or "all" in proxies
    return configured and not proxy_bypass(address.hostname or "")


@cache
def _ssl_context() -> Any:
    """The client's TLS settings."""
    return _library().create_ssl_context()


@cache
def _library() -> Any:
    """The HTTP library of the client: httpx, or httpx2."""
    import openai

    base = openai.DefaultAsyncHttpxClient.__mro__[1]
    return importlib.import_module(base.__module__.partition(".")[0])


def classify_error(model: OpenAIProtocol, error: Exception) -> Exception:
    """Return the exception of `errors` for an exception of the client, or the exception itself."""
    import openai

    if isinstance(error, openai.APIStatusError):
        response = error.response
        return model.response_error(response.status_code, response.headers, response.content)
    library = type(error).__module__.partition(".")[0]
    if isinstance(error, TimeoutError) and library not in ("openai", *_HTTP_LIBRARIES):
        return UnavailableError("no answer within the time limit of a request")
    if isinstance(error, openai.APIConnectionError | OSError) or library in _HTTP_LIBRARIES:
        cause = error.__cause__ or error
        reason = redact(f"{type(cause).__name__}: {cause}", model.key)
        unconnected = isinstance(cause, ConnectionRefusedError | socket.gaierror) or bool(
            _UNCONNECTED.search(reason)
        )
        return UnavailableError(f"no connection ({reason[:300]})", unconnected=unconnected)
    return error
