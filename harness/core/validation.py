"""Checked conversion of plain data (JSON, TOML, keyword arguments) into typed dataclasses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import EnumType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from .errors import UserError, suggest

T = TypeVar("T")

_KINDS = {
    "array": "a list",
    "object": "a table",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}


def convert(data: Any, kind: type[T], shown: Callable[[str], str] = str) -> T:
    """Convert plain data to a type, checking every value on the way.

    Args:
        data: dictionaries, lists, numbers and texts.
        kind: the type to convert to, usually a frozen dataclass.
        shown: what the user calls a field, for error messages.

    Returns:
        An instance of ``kind``.

    Raises:
        UserError: a value is of the wrong kind or out of range; the message names it and says what
            is needed.

    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$")
        path = re.findall(r"[^.\[\]`]+", place)
        raise UserError(_message(problem, path, data, kind, shown)) from None


def plain(value: Any) -> Any:
    """A dataclass, or a structure that holds some, as plain data."""
    return msgspec.to_builtins(value, enc_hook=_path)


def _path(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise UserError(f"{value!r} cannot be written as plain data (texts, numbers, lists, tables)")


def _message(
    problem: str, path: list[str], data: Any, kind: Any, shown: Callable[[str], str]
) -> str:
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", problem):
        return f"{shown(missing[1])} is missing"
    names = [part for part in path if not part.isdigit() and part != "..."]
    name = shown(names[-1]) if names else "the data"
    value = _at(data, path)
    if problem.startswith("Invalid enum value"):
        choices = [str(choice) for choice in _choices(kind, names)]
        return f"{name}: no choice {value!r}; {suggest(str(value), choices)}"
    if not problem.startswith("Expected"):
        return problem  # from a dataclass's own check
    wanted = problem.removeprefix("Expected ").partition(", got ")[0]
    wanted = (
        " or ".join(
            _KINDS.get(word, word) for word in wanted.split("`")[1].split(" | ") if word != "null"
        )
        + wanted.rpartition("`")[2].rstrip()
    )
    hint = f", as in [{value!r}]" if wanted == "a list" and isinstance(value, str) else ""
    return f"{name} must be {wanted}{hint}, not {repr(value)[:80]}"


def _at(data: Any, path: list[str]) -> Any:
    """The value at a path, as far as there is one."""
    for part in path:
        if isinstance(data, dict) and part in data:
            data = data[part]
        elif isinstance(data, list | tuple) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
    return data


def _choices(kind: Any, names: list[str]) -> tuple[Any, ...]:
    """The choices of the enumeration or `Literal` that a path of names leads to."""
    for name in names:
        if is_dataclass(kind):
            kind = get_type_hints(kind).get(name)
    for one in (kind, *get_args(kind)):  # itself, or a part of a union
        if get_origin(one) is Literal:
            return get_args(one)
        if isinstance(one, EnumType):
            return tuple(one)
    return ()
