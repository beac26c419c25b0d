"""Reward components and their registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from ...arguments import load_function
from ...errors import UserError
from ...verdict import Status, Verdict


@dataclass(frozen=True, slots=True)
class GradedCompletion:
    """A completion with its verdict. Reward components take this object as their argument.

    Attributes:
        text: the completion. If the prompt opened a thought (reasoning between two tags), the text
            begins with the opening tag.
        status: the verdict's status. If the coverage is below ``Rubric.min_coverage``, the status
            is ``incorrect``.
        verdict: the verdict.
        truncated: whether the token limit cut the completion off.
        tokens: the length in tokens, if known.
        stop: the prompt's stop strings (`Rubric`).
        length: the two lengths of the component ``length`` (`Rubric`).
        think_tags: the strings that open and close a thought (`Rubric`).
        must_think: whether the component ``format`` requires a thought (`Rubric`).

    >>> verdict = Verdict(Status.CORRECT, 1.0)
    >>> settings = {"stop": (), "length": None, "think_tags": ("", ""), "must_think": False}
    >>> graded = GradedCompletion("x^2", Status.CORRECT, verdict, False, tokens=3, **settings)
    >>> COMPONENTS["correctness"].value(graded)
    1.0

    """

    text: str
    status: Status
    verdict: Verdict
    truncated: bool
    tokens: int | None
    stop: tuple[str, ...]
    length: tuple[int, int] | None
    think_tags: tuple[str, str]
    must_think: bool


ComponentFunction: TypeAlias = Callable[[GradedCompletion], float]


@dataclass(frozen=True, slots=True)
class Component:
    """A registered component.

    Attributes:
        value: the function, from a graded completion to a number between 0 and 1.
        weight: the default weight in a reward.
        gated: whether the component counts for correct answers only. With ``Rubric.gate=False`` the
            component counts for every answer.

    >>> from calculus_harness.rewards.adapters.components import COMPONENTS
    >>> COMPONENTS["format"].weight
    0.1

    """

    value: ComponentFunction
    weight: float
    gated: bool


#: Every component by its name.
COMPONENTS: dict[str, Component] = {}


def component(
    name: str, *, weight: float = 0.1, gated: bool = True
) -> Callable[[ComponentFunction], ComponentFunction]:
    """A decorator that registers a function as a reward component.

    Args:
        name: the component's name, which rubrics, logs and metrics use.
        weight: the default weight in a reward.
        gated: whether ``Rubric.gate`` restricts the component to correct answers.

    Returns:
        A decorator that returns the function unchanged.

    Raises:
        ValueError: another module has a component of the same name.

    >>> from calculus_harness.rewards.adapters.components import COMPONENTS, component
    >>> @component("politeness", weight=0.2)
    ... def politeness(graded: GradedCompletion) -> float:
    ...     return float("please" in graded.text)
    >>> COMPONENTS["politeness"].weight
    0.2

    """

    def register(function: ComponentFunction) -> ComponentFunction:
        existing = COMPONENTS.get(name)
        # The same module may define a component again, as when a notebook's cell is run twice.
        if existing is not None and existing.value.__module__ != function.__module__:
            raise ValueError(f"there is already a component {name!r}; use another name")
        COMPONENTS[name] = Component(function, weight, gated)
        return function

    return register


@cache
def load_component(entry: str) -> str:
    """Register a function in a user's file as a component.

    Args:
        entry: a component's name, or ``FILE.py:FUNCTION``. The file is executed, and must
            therefore be trusted.

    Returns:
        The component's name: the function's name if the entry names a file, else the entry.

    Raises:
        UserError: the file or function does not exist, or another component has the name.

    >>> load_component("format")
    'format'

    """
    path, _, name = entry.rpartition(":")
    if not path.endswith(".py"):
        return entry
    existing = COMPONENTS.get(name)
    if existing is not None:
        if Path(inspect.getfile(existing.value)).resolve() == Path(path).resolve():
            return name  # registered when another function of the file was loaded
        raise UserError(f"{entry}: there is already a component {name!r}; use another name")
    function = load_function(Path(path), name)
    if name not in COMPONENTS:  # the file may register it, to give it another weight
        component(name)(function)
    return name
