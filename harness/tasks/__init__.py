"""The tasks: what a problem asks for, how an answer is judged, what is counted.

A new task is one module in this folder and one line, its types in `benchmarks.payloads.TASKS`. The
module is called like the task and says everything about it as ``TASK``:

    from ...rewards.verify.labels import verify_label
    from .base import Task, by_text

    TASK = Task(
        name="convergence",
        summary="Say whether a series converges, as 1 or 0.",
        verifier="label",
        grade=by_text(verify_label),
        prompt="convergence",
    )

Problems name their task (`Problem.task`), and so do prompt templates; ``prompt`` is the template
that is taken where none is named. Grading, the choice of a prompt, `run.py ls` and the adapters
for other programs read `TASKS` and need no change.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from ...benchmarks.problem import TASKS as NAMES
from ...prompts import Prompt, PromptError, load
from ..core.errors import UnknownNameError, UserError, suggest
from ..core.policy import Policy
from .base import Graded, Task

__all__ = ["TASKS", "Graded", "Task", "default_prompt", "refuse_unreadable", "task"]

#: By name, as `Problem.task` has it.
TASKS: dict[str, Task] = {name: import_module(f".{name}", __name__).TASK for name in NAMES}


def task(name: str) -> Task:
    """The task of a name.

    Args:
        name: as `Problem.task` has it.

    Returns:
        The task.

    Raises:
        UnknownNameError: no such task is registered.

    >>> task("integration").verifier
    'antiderivative'

    """
    if name not in TASKS:
        raise UnknownNameError(f"unknown task {name!r}; {suggest(name, TASKS)}")
    return TASKS[name]


def refuse_unreadable(names: Iterable[str], policy: Policy) -> None:
    """Refuse tasks whose answers cannot be in the policy's notation.

    Args:
        names: the tasks' names.
        policy: how strictly to judge.

    Raises:
        UserError: answers of a task cannot be read in `Policy.answer_format`.

    >>> refuse_unreadable(["integration"], Policy(answer_format="prefix"))

    """
    for name in names:
        if policy.answer_format not in task(name).answer_formats:
            raise UserError(
                f"answers of the task {name!r} cannot be read in the format "
                f"{policy.answer_format!r}"
            )


def default_prompt(name: str) -> Prompt:
    """The template that is taken where none is named.

    Args:
        name: a task's name.

    Returns:
        The template.

    Raises:
        UnknownNameError: no such task is registered.
        PromptError: the task has no default template.

    >>> default_prompt("integration").name
    'antiderivbench'

    """
    template = task(name).prompt
    if template is None:
        raise PromptError(f"no default prompt for the task {name!r}; name one with --prompt")
    return load(template)
