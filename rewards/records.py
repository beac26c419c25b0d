"""Conversion between typed dataclasses and plain data (JSON, TOML, keyword arguments)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import EnumType
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from .errors import ArgumentTypeError, UserError, suggest

T = TypeVar("T")

_TYPE_NAMES = {
    "array": "a list",
    "object": "a table",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}


def convert(data: Any, target_type: type[T], display_name: Callable[[str], str] = str) -> T:
    """Convert plain data to a type, and check every value.

    Args:
        data: dictionaries, lists, numbers and texts.
        target_type: the type to convert to, usually a frozen dataclass.
        display_name: a function that maps the name of a field to the name in error messages.

    Returns:
        An instance of ``target_type``.

    Raises:
        UserError: a value is of the wrong type or out of range. The message names the field and the
            values that are allowed.

    """
    try:
        return msgspec.convert(data, target_type)
    except msgspec.ValidationError as error:
        problem, _, location = str(error).partition(" - at `$")
        path = re.findall(r"[^.\[\]`]+", location)
        raise UserError(_message(problem, path, data, target_type, display_name)) from None


def check_fields(instance: Any) -> None:
    """Check the types of a dataclass's fields. The dataclass calls this in ``__post_init__``.

    Raises:
        ArgumentTypeError: the type of a field's value does not match the annotation.

    """
    cls: Hashable = instance.__class__  # mypy takes no class for one where it is needed
    types = _hints(cls)
    check_types({name: getattr(instance, name) for name in types}, types)


def check_types(values: Mapping[str, Any], types: Mapping[str, Any]) -> None:
    """Check the types of named values.

    Raises:
        ArgumentTypeError: the type of a value does not match.

    """
    for name, value in values.items():
        try:
            msgspec.convert(value, types[name])
        except msgspec.ValidationError as error:
            reason = str(error).partition(" - at `$")[0]
            raise ArgumentTypeError(_message(reason, [name], values, types, str)) from None


@cache
def _hints(record_type: Any) -> dict[str, Any]:
    hints = get_type_hints(record_type, include_extras=True)
    return {item.name: hints[item.name] for item in fields(record_type)}


def plain(value: object) -> Any:
    """Convert a dataclass, or a structure that contains dataclasses, to plain data."""
    return msgspec.to_builtins(value, enc_hook=_path)


class Record:
    """A frozen dataclass that is stored as a JSON object of its fields, in their order.

    Attributes:
        computed: names of properties that `to_dict` stores after the fields. `from_dict` ignores
            these names.

    Example:
        >>> from calculus_harness.rewards import Status, Verdict
        >>> row = Verdict(Status.CORRECT, 1.0, "x^2").to_dict()
        >>> row["status"], row["correct"]
        ('correct', True)
        >>> Verdict.from_dict(row).answer
        'x^2'

    """

    __slots__ = ()

    computed: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Convert the record to a dictionary that JSON can store and `from_dict` can read.

        Returns:
            The fields, then the computed properties, by name.

        """
        row: dict[str, Any] = msgspec.to_builtins(self)
        for name in self.computed:
            row[name] = msgspec.to_builtins(getattr(self, name))
        return row

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Self:
        """Make a record from a dictionary that `to_dict` returned.

        Args:
            row: the fields by name. Fields with a default may be missing, and unknown keys are
                ignored.

        Returns:
            The record.

        Raises:
            UserError: a field is missing or of a wrong type; the message names the field.

        """
        return convert(row, cls)


def _path(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise UserError(f"{value!r} cannot be written as plain data (texts, numbers, lists, tables)")


def _message(
    problem: str, path: list[str], data: Any, target_type: Any, display_name: Callable[[str], str]
) -> str:
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", problem):
        return f"{display_name(missing[1])} is missing"
    names = [key for key in path if not key.isdigit() and key != "..."]
    name = display_name(names[-1]) if names else "the data"
    value = _at(data, path)
    if problem.startswith("Invalid enum value"):
        choices = [str(choice) for choice in _choices(target_type, names)]
        return f"{name}: no choice {value!r}; {suggest(str(value), choices)}"
    if not problem.startswith("Expected"):
        return problem  # from a dataclass's own check
    expected = problem.removeprefix("Expected ").partition(", got ")[0]
    expected = (
        " or ".join(
            _TYPE_NAMES.get(word, word)
            for word in expected.split("`")[1].split(" | ")
            if word != "null"
        )
        + expected.rpartition("`")[2].rstrip()
    )
    hint = f", as in [{value!r}]" if expected == "a list" and isinstance(value, str) else ""
    return f"{name} must be {expected}{hint}, not {repr(value)[:80]}"


def _at(data: Any, path: list[str]) -> Any:
    """Follow a path of keys into nested data. Missing keys are skipped."""
    for key in path:
        if isinstance(data, Mapping) and key in data:
            data = data[key]
        elif isinstance(data, list | tuple) and key.isdigit() and int(key) < len(data):
            data = data[int(key)]
    return data


def _choices(field_type: Any, names: list[str]) -> tuple[Any, ...]:
    """The allowed values of the field at the path ``names``, if its type is an enumeration."""
    for name in names:
        if isinstance(field_type, Mapping):
            field_type = field_type.get(name)
        elif is_dataclass(field_type):
            field_type = get_type_hints(field_type).get(name)
    for member in (field_type, *get_args(field_type)):  # itself, or a part of a union
        if get_origin(member) is Literal:
            return get_args(member)
        if isinstance(member, EnumType):
            return tuple(member)
    return ()
