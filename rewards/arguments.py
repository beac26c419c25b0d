"""Checks of the arguments of public functions, and the import of a function from a user's file."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

from .errors import ArgumentTypeError, UnknownNameError, UserError, require_extra, suggest

#: How answers are judged: ball arithmetic, AntiderivBench's evaluator, Welleck et al.'s scorer.
Method: TypeAlias = Literal["balls", "published", "welleck"]
METHODS: tuple[Method, ...] = get_args(Method)
#: What an acceptance may rest on: on agreement in all digits that count as well, or on proofs only.
Acceptance: TypeAlias = Literal["agreement", "proof"]
ACCEPTANCES: tuple[Acceptance, ...] = get_args(Acceptance)


def check_text(name: str, value: Any) -> None:
    """Raise `ArgumentTypeError` if an argument is not text.

    >>> check_text("completion", None)
    Traceback (most recent call last):
    ...
    calculus_harness.rewards.errors.ArgumentTypeError: completion must be text (str), not None

    """
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} must be text (str), not {repr(value)[:60]}")


def check_texts(name: str, values: Iterable[Any]) -> None:
    """Raise `ArgumentTypeError` if any of several arguments is not text."""
    for index, value in enumerate(values):
        check_text(f"{name}[{index}]", value)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise `UnknownNameError` if an argument is not among the choices.

    >>> check_choice("by", "modl", ["model", "tag"])
    Traceback (most recent call last):
    ...
    calculus_harness.rewards.errors.UnknownNameError: by: no choice 'modl'; did you mean 'model'?

    """
    if not isinstance(value, str) or value not in choices:
        raise UnknownNameError(f"{name}: no choice {value!r}; {suggest(str(value), choices)}")


def check_method(method: Any) -> None:
    """Check that a method of judging exists, and that the method's packages are installed.

    Raises:
        UnknownNameError: no method has this name.
        MissingExtraError: the method's extra is not installed.

    """
    check_choice("method", method, METHODS)
    if method == "published":
        require_extra("method 'published'", "published", "latex2sympy2_extended", "antlr4")


def check_switches(**switches: Any) -> None:
    """Raise `ArgumentTypeError` for the first argument that is not a `bool`.

    >>> check_switches(strict="no")
    Traceback (most recent call last):
    ...
    calculus_harness.rewards.errors.ArgumentTypeError: strict must be True or False, not 'no'
    """
    for name, value in switches.items():
        if value is True or value is False:  # nearly always
            continue
        if isinstance(value, str) or value not in (True, False):
            raise ArgumentTypeError(f"{name} must be True or False, not {repr(value)[:60]}")


def load_function(path: Path, name: str) -> Callable[..., Any]:
    """Import a file as a module, and return one of its functions.

    Args:
        path: the file.
        name: the function.

    Returns:
        The function.

    Raises:
        UserError: the file or the function does not exist, or the file raises an exception.

    >>> load_function(Path("nowhere.py"), "answer")
    Traceback (most recent call last):
    ...
    calculus_harness.rewards.errors.UserError: there is no file nowhere.py

    """
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or specification.loader is None:
        raise UserError(f"{path} is no file of Python")
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"{path}: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise UserError(f"{path} has no function {name!r}")
    result: Callable[..., Any] = function
    return result


class _NotImported:
    """A package that a module imports for its annotations alone: every type is `Any`."""

    def __getattr__(self, name: str) -> Any:
        return Any


@cache
def keyword_options(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The types of a function's keyword-only parameters, by name.

    Args:
        function: the function. If it has a parameter ``**options: Unpack[Keywords]`` (PEP 692), the
            keys of the `TypedDict` count as well.

    Returns:
        The types. A type of SymPy, which takes long to import, is `Any`.

    >>> keyword_options(require_extra)
    {}

    """
    hints = get_type_hints(function, localns={"sympy": _NotImported()})
    types: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            types[name] = hints[name]
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD and get_args(hints[name]):
            types |= get_type_hints(get_args(hints[name])[0])
    return types
