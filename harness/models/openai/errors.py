"""Errors of servers with the OpenAI protocol, classified by the reaction.

- `ModelError`: a setting, key or model is wrong for every request; the sweep stops.
- `RefusedError`: the server will never answer this request.
- `UnavailableError`: the server gives no answer now, or none in the protocol; try again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ...core.errors import ModelError
from ...core.requests import FinishReason
from .rate_limits import retry_after


class RefusedError(Exception):
    """The server will never answer the request, but may answer other requests."""

    def __init__(self, detail: str, reason: FinishReason = FinishReason.ERROR) -> None:
        super().__init__(detail)
        self.reason = reason


class SettingError(ModelError):
    """The server does not take a setting."""


class UnknownPathError(ModelError):
    """The server does not know the model or the path."""


class UnavailableError(Exception):
    """The server does not answer now; ``wait`` is the requested pause in seconds, or None."""

    def __init__(
        self,
        detail: str,
        wait: float | None = None,
        *,
        throttled: bool = False,
        garbled: bool = False,
        unconnected: bool = False,
        internal: bool = False,
    ) -> None:
        super().__init__(detail)
        self.wait = wait
        #: Whether a rate limit was exceeded, which does not count as a fault.
        self.throttled = throttled
        #: Whether the answer was outside the protocol; fewer requests would not help.
        self.garbled = garbled
        #: Whether there is no server at the address.
        self.unconnected = unconnected
        #: Whether the server reports an internal fault (500), not an overload.
        self.internal = internal

    @property
    def kind(self) -> str:
        """The kind of fault, without details."""
        return re.split(r": | \(", str(self))[0]


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


def response_error(spec: str, status: int, headers: Mapping[str, str], content: str) -> Exception:
    """Return the exception for a response with an error status (see the module)."""
    message, code = _parse_error(content)
    detail = f"{status}: {message}"
    # Bad requests: a content filter refuses the prompt, an unknown setting concerns all requests,
    # and anything else concerns the request alone.
    if status in (400, 413, 422):
        if _FILTERED.search(f"{code} {message}"):
            return RefusedError(detail, FinishReason.CONTENT_FILTER)
        if status != 413 and _SETTING.search(f"{code} {message}") and not _TOO_LONG.search(message):
            return SettingError(f"model {spec}: the server does not take a setting ({detail})")
        return RefusedError(detail)
    if status == 403 and _FILTERED.search(message):
        return RefusedError(detail, FinishReason.CONTENT_FILTER)
    # Wrong keys and paths concern all requests and end the sweep.
    if status in (401, 403):
        return ModelError(f"model {spec}: the server does not accept the key ({detail})")
    if status in (404, 405):
        return UnknownPathError(
            f"model {spec}: the server does not know the model or path ({detail})"
        )
    if status == 402 or (status == 429 and _UNPAID.search(f"{code} {message}")):
        return ModelError(f"model {spec}: the account has no credit left ({detail})")
    # Temporary errors are retried after the server's pause.
    if status in (408, 409, 425, 429) or (status >= 500 and status != 501):
        wait = retry_after(headers)
        return UnavailableError(detail, wait, throttled=status == 429, internal=status == 500)
    return ModelError(f"model {spec}: the server answers {detail}")


def _parse_error(content: str) -> tuple[str, str]:
    """Return an error's message in a line, with the code, type and parameter."""
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


def unreadable(error: Exception) -> UnavailableError:
    """Return the error for a response outside the protocol."""
    remark = f"{type(error).__name__}: {error}"[:200]
    return UnavailableError(f"the server's answer cannot be read ({remark})", garbled=True)


def redact(content: bytes | str, *secrets: str) -> str:
    """Return a server's text without secrets: some servers repeat the key in errors."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    for secret in secrets:
        if secret and secret != "none":
            text = text.replace(secret, "***")
    return re.sub(r"\b(sk-|Bearer +)[\w*.\-]{4,}", r"\1***", text)
