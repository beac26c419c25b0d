"""Lists of benchmarks, models, prompts and tasks."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import MISSING
from itertools import takewhile
from typing import Any

from ... import prompts
from ...benchmarks.payloads import TASKS as PAYLOADS
from ...benchmarks.registry import names, resolve
from ..core.errors import UserError, suggest
from ..core.program import program
from ..models import Model
from ..models import describe as describe_models
from ..models.registry import option_names
from ..tasks import TASKS


def everything(what: str, benchmarks: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The registries as data: for each registry a list of rows with a name and a summary."""
    lists: dict[str, list[dict[str, Any]]] = {}
    if what in ("all", "benchmarks"):
        lists["benchmarks"] = [
            {
                "name": subset.name,
                "problems": subset.size(),
                "task": subset.task,
                "summary": subset.summary,
                "source": subset.source,
            }
            for name in benchmarks or names()
            for subset in resolve(name if name not in names() else f"{name}/all")
        ]
    if what in ("all", "models"):
        lists["models"] = [
            {
                "name": backend,
                "summary": (model.__doc__ or "").partition("\n")[0],
                "description": _description(model),
                "options": option_names(model),
                "example": model.example.replace("run.py", program(), 1),
            }
            for backend, model in describe_models()
        ]
    if what in ("all", "prompts"):
        lists["prompts"] = [
            {
                "name": name,
                "task": prompt.task,
                "summary": prompt.description,
                "default": all(name == TASKS[task].prompt for task in prompt.tasks),
            }
            for name, prompt in ((name, prompts.load(name)) for name in prompts.names())
        ]
    if what in ("all", "tasks"):
        lists["tasks"] = [
            {
                "name": task.name,
                "summary": task.summary,
                "target": PAYLOADS[task.name].target.judged_by,
                "verifier": task.verifier,
                "prompt": task.prompt,
                "metrics": list(task.metrics),
            }
            for task in TASKS.values()
        ]
    return lists


def describe(row: dict[str, Any]) -> str:
    """A row of `everything` as a line."""
    sentences = [row["summary"]]
    if "problems" in row:
        sentences.insert(0, f"{row['problems']:>4} problems.")
    if row.get("default"):
        sentences.append(f"(Default of the task {row['task']}.)")
    if "verifier" in row:
        prompt = row["prompt"] or "none"
        sentences.append(f"Target: {row['target']}. Prompt: {prompt}.")
        sentences.append(f"Metrics: {', '.join(row['metrics'])}." if row["metrics"] else "")
    return " ".join(sentence for sentence in sentences if sentence)


def _description(model: type[Model]) -> str:
    """The docstrings of a model class and of our base classes, without first lines."""
    classes = list(takewhile(lambda base: base is not Model, model.__mro__))
    texts = [inspect.cleandoc(base.__doc__ or "").partition("\n\n")[2] for base in classes]
    return "\n\n".join(filter(None, texts))


def only(lists: dict[str, list[dict[str, Any]]], what: str, name: str) -> list[dict[str, Any]]:
    """The rows of a list with a given name, or with the name and a slash as the beginning.

    Raises:
        UserError: no list has the name, or the list lacks the entry.

    """
    if what not in lists:
        raise UserError(f"say what {name!r} is, as in `ls models {name}`")
    rows = lists[what]
    chosen = [row for row in rows if name in (row["name"], row["name"].partition("/")[0])]
    if not chosen:
        raise UserError(f"no {what} {name!r}; {suggest(name, [row['name'] for row in rows])}")
    return chosen


def details(row: dict[str, Any]) -> Iterator[str]:
    """The fields of a row left out by `describe`, as lines."""
    if row.get("description"):
        yield ""
        yield from row["description"].splitlines()
    if row.get("options"):
        yield ""
        for name, value in row["options"].items():
            yield f"-M {name}={_as_text(value)}"
    if "example" in row:
        yield from ("", row["example"])
    for name in ("source", "metrics"):
        if row.get(name):
            yield f"{name}: {', '.join(row[name]) if name == 'metrics' else row[name]}"


def _as_text(value: Any) -> str:
    if value is None or value is MISSING:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
