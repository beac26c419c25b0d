"""Errors with a fix by the user; the class hierarchy is in `rewards.errors`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...rewards.errors import UnknownNameError, UserError, install, suggest

__all__ = [
    "EngineDiedError",
    "ModelError",
    "RunError",
    "UnknownNameError",
    "UserError",
    "install",
    "needing",
    "read_file",
    "reason_of",
    "suggest",
]


@contextmanager
def needing(what: str, extra: str, kind: type[UserError] = UserError) -> Iterator[None]:
    """Turn the `ImportError` of a missing package into an error with the command that installs it.

    Args:
        what: the feature and what it needs, for the message.
        extra: the extra with the packages.
        kind: the class of the error.

    Yields:
        Nothing; the imports are within the block.

    Raises:
        UserError: a package is missing; the class is ``kind``.

    >>> with needing("a test needs the extra 'data'", "data"):
    ...     raise ImportError
    Traceback (most recent call last):
    ...
    calculus_harness.rewards.errors.UserError: a test needs the extra 'data': ...

    """
    try:
        yield
    except ImportError:
        raise kind(f"{what}: {install(extra)}") from None


def reason_of(error: Exception) -> str:
    """The full message of a library's exception, in a line.

    A validation error of pydantic, which repeats all input, becomes the list of messages, each
    after the field's name.

    Args:
        error: the exception.

    Returns:
        The line.

    >>> reason_of(ValueError("too", "long"))
    "('too', 'long')"

    """
    messages = getattr(error, "errors", None)
    if callable(messages):
        try:
            return "; ".join(map(_message, messages()))
        except (TypeError, KeyError):  # not pydantic's
            pass
    return " ".join(str(error).split()) or type(error).__name__


def _message(message: Mapping[str, Any]) -> str:
    """A message of pydantic; for an exception in a validator, the exception's message."""
    raised = message.get("ctx", {}).get("error")
    pieces = [*map(str, message.get("loc", ())), str(raised or message["msg"])]
    return " ".join(": ".join(pieces).split())


def read_file(path: Path, parse: Callable[[str], Any], *errors: type[Exception]) -> Any:
    """The parsed value of a text file.

    Args:
        path: the file.
        parse: the parser of the file's text.
        errors: exceptions of ``parse`` that are faults of the file.

    Returns:
        The value of ``parse``.

    Raises:
        UserError: the file cannot be read, or parsing fails; the message names the file.

    Example:
        >>> read_file(Path("missing.json"), str)
        Traceback (most recent call last):
        ...
        calculus_harness.rewards.errors.UserError: cannot read missing.json: ...

    """
    faults: tuple[type[Exception], ...] = (UnicodeDecodeError, *errors)
    try:
        return parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except faults as error:
        raise UserError(f"{path}: {' '.join(str(error).split())}") from None


class RunError(UserError):
    """An unusable run directory; the files are unchanged."""


class ModelError(UserError):
    """A model that is unreachable or cannot be set up."""


class EngineDiedError(ModelError):
    """The model's process has died; another process may repeat the request."""
