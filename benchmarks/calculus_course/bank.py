"""Common parts of the course's banks: rows of data files, and problems from questions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..payloads import JSON, QuestionInputs, QuestionTarget
from ..problem import Parent, Problem

SOURCE = "written for this project; docs/course.md"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a bank; formulas are LaTeX.

    Attributes:
        id: the problem's id.
        question: the question, as the verifier reads it.
        answer: a right answer.
        tags: the techniques for the answer.
        difficulty: 1 (a rule), 2 (several rules), 3 (an idea).
        request: the sentence with the request; empty for the usual request of the task.

    """

    id: str
    question: str
    answer: str
    tags: tuple[str, ...]
    difficulty: int
    request: str = ""


@cache
def entries(name: str) -> tuple[Entry, ...]:
    """The rows of a bank, in order.

    Args:
        name: the data file's name without suffix.

    """
    text = Path(__file__).with_name(f"{name}.jsonl").read_text(encoding="utf-8")
    rows = (json.loads(line) for line in text.splitlines() if line.strip())
    return tuple(Entry(**{**row, "tags": tuple(row["tags"])}) for row in rows)


def question(
    task: str,
    subset: str,
    id: str,
    text: str,
    answer: str | None,
    request: str,
    *,
    parent: str | None = None,
    metadata: Mapping[str, JSON] | None = None,
) -> Problem:
    """The problem with a question.

    Args:
        task: the name of the question in `rewards.questions.COURSE`.
        subset: the subset's name.
        id: the problem's id.
        text: the question.
        answer: a right answer, if one is known.
        request: the sentence with the request.
        parent: the id of the original problem; the subset names the perturbation.
        metadata: tags, difficulty, parameters of a generator.

    Returns:
        The problem.

    """
    return Problem(
        id=id,
        task=task,
        benchmark="course",
        subset=subset,
        inputs=QuestionInputs(text, request),
        target=QuestionTarget(text, answer),
        parents=(Parent(parent, "question"),) if parent else (),
        pair_parent=parent,
        perturbation=subset if parent else None,
        metadata=dict(metadata or {}),
    )


def of_entry(task: str, subset: str, entry: Entry, request: str) -> Problem:
    """The problem of a row of a bank.

    Args:
        task: the name of the question in `rewards.questions.COURSE`.
        subset: the subset's name.
        entry: the row.
        request: the usual request.

    Returns:
        The problem.

    """
    facts: dict[str, JSON] = {"tags": list(entry.tags), "difficulty": entry.difficulty}
    return question(
        task,
        subset,
        entry.id,
        entry.question,
        entry.answer,
        entry.request or request,
        metadata=facts,
    )
