"""Problems as rows of a data set for TRL, with the reward's columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...benchmarks.payloads import IntegrationTarget
from ...benchmarks.problem import Problem
from ...prompts import Prompt, Rendered
from ..core.errors import UserError
from ..core.requests import problem_key


def grpo_rows(problems: Iterable[Problem], prompt: Prompt) -> list[dict[str, Any]]:
    """Return a row for each problem: ``prompt``, and the reward's columns."""
    return [
        {
            "prompt": trl_prompt(prompt.render(problem)),
            "id": problem_key(problem),
            "integrand": target.integrand,
            "variable": target.variable,
            "assumptions": dict(problem.assumptions),
        }
        for problem in problems
        for target in [problem.target_as(IntegrationTarget)]
    ]


def sft_rows(problems: Iterable[Problem], prompt: Prompt, answer: str) -> list[dict[str, Any]]:
    """Return rows for supervised fine-tuning: ``prompt`` and ``completion``.

    Args:
        problems: Problems with references.
        prompt: The template of the prompts.
        answer: The template of the completions, with ``{antiderivative}`` for the reference, or
            names of other texts of the target.

    Raises:
        UserError: A problem has no reference.

    """
    rows = []
    for problem in problems:
        if problem.target.reference is None:
            raise UserError(f"{problem_key(problem)} has no reference to train on")
        text = answer
        for name, value in problem.target.to_dict().items():
            text = text.replace(f"{{{name}}}", str(value))
        rendered = prompt.render(problem)
        completion = [{"role": "assistant", "content": text}] if rendered.messages else text
        rows.append({"prompt": trl_prompt(rendered), "completion": completion})
    return rows


def trl_prompt(rendered: Rendered) -> str | list[dict[str, str]]:
    """Return a prompt in TRL's form: a text, or a list of messages."""
    return rendered.turns or rendered.text
