"""Problems as rows to train on: what TRL calls a data set, with what the reward needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...benchmarks.problem import Problem
from ...prompts import Prompt, Rendered
from ..core.errors import UserError
from ..core.requests import problem_key


def rows(problems: Iterable[Problem], prompt: Prompt) -> list[dict[str, Any]]:
    """One row for each problem: ``prompt``, and the columns that the reward reads."""
    return [
        {
            "prompt": as_trl(prompt.render(problem)),
            "id": problem_key(problem),
            "integrand": str(problem.target["integrand"]),
            "variable": str(problem.target["variable"]),
            "assumptions": dict(problem.assumptions),
        }
        for problem in problems
    ]


def taught(problems: Iterable[Problem], prompt: Prompt, answer: str) -> list[dict[str, Any]]:
    """Rows for a warm start: ``prompt`` with the ``completion`` that it should get."""
    lessons = []
    for problem in problems:
        reference = problem.target.get("antiderivative")
        if not isinstance(reference, str):
            raise UserError(f"{problem_key(problem)} has no reference to teach")
        text = answer.replace("{antiderivative}", reference)
        rendered = prompt.render(problem)
        completion = [{"role": "assistant", "content": text}] if rendered.messages else text
        lessons.append({"prompt": as_trl(rendered), "completion": completion})
    return lessons


def as_trl(rendered: Rendered) -> str | list[dict[str, str]]:
    """A prompt as TRL takes it: a string, or a list of messages for a chat template."""
    return rendered.turns or rendered.text
