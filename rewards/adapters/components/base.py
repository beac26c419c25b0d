"""What a reward component is, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ...verdict import Status, Verdict


@dataclass(frozen=True, slots=True)
class GradedCompletion:
    """A completion with its verdict, as components see it.

    Attributes:
        text: the completion, with the thought that the prompt opened for it.
        status: that of the verdict, or ``incorrect`` below ``Rubric.min_coverage``.
        verdict: what the verifier says.
        truncated: the completion was cut off by the token limit.
        tokens: its length, where it is known.
        stop, length, think_tags, must_think: settings of the `Rubric`.

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
        weight: its weight in a reward by default.
        gated: it earns nothing beside a wrong answer, unless the rubric says otherwise.

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
        name: the component's name in rubrics, logs and metrics.
        weight: its weight in a reward by default.
        gated: count it only beside a correct answer, where ``Rubric.gate`` is set.

    Returns:
        A decorator that returns the function unchanged.

    Raises:
        ValueError: another module has a component of that name.

    """

    def register(function: ComponentFunction) -> ComponentFunction:
        known = COMPONENTS.get(name)
        # The same module may define it again, as where a notebook's cell is run twice.
        if known is not None and known.value.__module__ != function.__module__:
            raise ValueError(f"there is already a component {name!r}; use another name")
        COMPONENTS[name] = Component(function, weight, gated)
        return function

    return register
