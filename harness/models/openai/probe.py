"""A request for a single token before a sweep, to detect a server without answers at once."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from ...core.errors import ModelError
from ...core.requests import Request
from .errors import SettingError, UnavailableError, UnknownPathError
from .http import CONNECT_TIMEOUT
from .session import OnlineModel, ServerSession


async def probe(session: ServerSession[OnlineModel], request: Request) -> None:
    """Ask for one token of an answer, to detect a server without answers at once.

    Args:
        session: the session of the server.
        request: any request of the sweep.

    Raises:
        ModelError: nothing listens at the server's address, no answer comes within the model's
            ``probe`` seconds, or the server rejects the path, the model or the key.

    """
    model = session.model
    body = model.probe_body(request)
    if not model.probe or body is None:
        return
    path = model.path(request.prompt)
    try:
        async with asyncio.timeout(model.probe):
            await session.connection.post(path, body)
    except Exception as exception:
        error, hangs = session.connection.classify(exception), isinstance(exception, TimeoutError)
    else:
        return
    # The most frequent mistake is a URL without /v1: look there before giving up.
    if isinstance(error, UnknownPathError) and not model.url.endswith("/v1"):
        await _look_below(session, f"{model.url}/v1", error)
    # Errors of the probe's own settings, and temporary errors, are left to the sweep.
    if isinstance(error, ModelError) and not isinstance(error, SettingError):
        raise error
    if isinstance(error, UnavailableError) and error.unconnected:
        raise ModelError(f"model {model.spec}: {error} at {model.url}")
    if hangs:
        raise ModelError(
            f"model {model.spec}: {model.url} does not answer a request for one token within "
            f"{model.probe:g} s (-M probe=SECONDS waits longer, -M probe=0 does not ask)"
        )


async def _look_below(session: ServerSession[OnlineModel], url: str, error: Exception) -> None:
    """Raise `ModelError` with advice if the server answers at a path below the URL."""
    with suppress(Exception):
        async with asyncio.timeout(CONNECT_TIMEOUT):
            await session.connection.get(f"{url}/models")
        error = ModelError(f"{error}; it answers below /v1: -M base-url={url}")
    raise error
