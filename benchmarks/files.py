"""Problems of one's own: a JSON Lines file is a benchmark by its path (``./mine.jsonl``).

A row is an object with ``integrand`` (LaTeX) and, if wanted, ``variable`` (``"x"``),
``antiderivative`` (a reference, which `run.py ls --validate` proves), ``id``, ``subset``,
``assumptions`` (``{"a": "real"}``) and ``metadata``. A row that says its ``task`` is a whole
`Problem` as written by `Problem.to_dict`. Every row is checked before any is asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.problem import Problem
from rewards.integrand import prepare

SUFFIX = ".jsonl"
_FIELDS = {"integrand", "variable", "antiderivative", "id", "subset", "assumptions", "metadata"}


class ProblemFileError(ValueError):
    """A file of problems that cannot be used; the message names the line."""


def read_problems(path: Path) -> list[Problem]:
    """The problems of a file, in its order."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ProblemFileError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ProblemFileError(f"{path} is not UTF-8 text: {error.reason}") from None
    problems: dict[str, Problem] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            problem = _problem(json.loads(line), path.stem, number)
        except KeyError as error:
            raise ProblemFileError(f"{path}, line {number}: no {error}") from None
        except (ValueError, TypeError) as error:
            raise ProblemFileError(f"{path}, line {number}: {error}") from None
        if problem.id in problems:
            raise ProblemFileError(f"{path}, line {number}: the id {problem.id!r} is there twice")
        problems[problem.id] = problem
    if not problems:
        raise ProblemFileError(f"{path} holds no problems")
    return list(problems.values())


def _problem(row: Any, name: str, number: int) -> Problem:
    if not isinstance(row, Mapping):
        raise ValueError("not a JSON object")
    problem = Problem.from_dict(row) if "task" in row else _integration(row, name, number)
    if problem.task == "integration":
        prepare(
            str(problem.target["integrand"]),
            str(problem.target["variable"]),
            dict(problem.assumptions),
        )
    return problem


def _integration(row: Mapping[str, Any], name: str, number: int) -> Problem:
    if "integrand" not in row:
        raise ValueError("no 'integrand'")
    if unknown := sorted(set(row) - _FIELDS):
        raise ValueError(f"unknown field {unknown[0]!r}; known: {', '.join(sorted(_FIELDS))}")
    shown = {"integrand": str(row["integrand"]), "variable": str(row.get("variable", "x"))}
    reference = {"antiderivative": str(row["antiderivative"])} if "antiderivative" in row else {}
    return Problem(
        id=str(row.get("id", f"{number:04}")),
        task="integration",
        benchmark=name,
        subset=str(row.get("subset", "problems")),
        inputs=shown,
        target=shown | reference,
        assumptions=dict(row.get("assumptions") or {}),
        metadata=dict(row.get("metadata") or {}),
    )
