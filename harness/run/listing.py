"""Lists of benchmarks, models, prompts and tasks, and a check of the reference answers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING
from itertools import takewhile
from typing import Any

from ... import prompts
from ...benchmarks import Problem
from ...benchmarks.payloads import TASKS as PAYLOADS
from ...benchmarks.payloads import IntegrationTarget
from ...benchmarks.registry import names, resolve
from ...rewards.verdict import Verdict
from ..core.asynchronous import run_async
from ..core.errors import UserError, suggest
from ..core.policy import Policy
from ..core.program import program
from ..core.requests import Completion, problem_key
from ..core.wording import counted
from ..models import Model
from ..models import describe as describe_models
from ..models.registry import option_names
from ..tasks import TASKS
from .scoring import grade


def everything(what: str, benchmarks: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The registries as data: for each a list of rows with a name and a summary."""
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
                "name": kind,
                "summary": (model.__doc__ or "").partition("\n")[0],
                "description": _description(model),
                "options": option_names(model),
                "example": model.example.replace("run.py", program(), 1),
            }
            for kind, model in describe_models()
        ]
    if what in ("all", "prompts"):
        lists["prompts"] = [
            {
                "name": name,
                "task": prompt.task,
                "summary": prompt.description,
                "default": name == TASKS[prompt.task].prompt,
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
    """A row of `everything` as one line."""
    parts = [row["summary"]]
    if "problems" in row:
        parts.insert(0, f"{row['problems']:>4} problems.")
    if row.get("default"):
        parts.append(f"(Default of the task {row['task']}.)")
    if "verifier" in row:
        prompt = row["prompt"] or "none"
        parts.append(f"Target: {row['target']}. Prompt: {prompt}.")
        parts.append(f"Metrics: {', '.join(row['metrics'])}." if row["metrics"] else "")
    return " ".join(part for part in parts if part)


def _description(model: type[Model]) -> str:
    """What the docstrings of a kind and of its own base classes say, without their first lines."""
    classes = list(takewhile(lambda base: base is not Model, model.__mro__))
    texts = [inspect.cleandoc(base.__doc__ or "").partition("\n\n")[2] for base in classes]
    return "\n\n".join(filter(None, texts))


def only(lists: dict[str, list[dict[str, Any]]], what: str, name: str) -> list[dict[str, Any]]:
    """The rows of one list with a name: whole, or what stands before the slash.

    Raises:
        UserError: no list is named, or it has no such name.

    """
    if what not in lists:
        raise UserError(f"say what {name!r} is, as in `ls models {name}`")
    rows = lists[what]
    chosen = [row for row in rows if name in (row["name"], row["name"].partition("/")[0])]
    if not chosen:
        raise UserError(f"no {what} {name!r}; {suggest(name, [row['name'] for row in rows])}")
    return chosen


def details(row: dict[str, Any]) -> Iterator[str]:
    """What `describe` leaves out of a row, in lines."""
    if row.get("description"):
        yield ""
        yield from row["description"].splitlines()
    if row.get("options"):
        yield ""
        for name, value in row["options"].items():
            yield f"-M {name}={_shown(value)}"
    if "example" in row:
        yield from ("", row["example"])
    for name in ("source", "metrics"):
        if row.get(name):
            yield f"{name}: {', '.join(row[name]) if name == 'metrics' else row[name]}"


def _shown(value: Any) -> str:
    if value is None or value is MISSING:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def validate(
    benchmarks: Sequence[str], say: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Prove the reference antiderivatives and recompute answers.

    Args:
        benchmarks: names of benchmarks; by default all subsets of all.
        say: is called with a line for every subset.

    Returns:
        The numbers of references that are ``proven``, proven ``partly`` (on a part of the domain),
        of answers ``recomputed`` (`Task.check`) and of problems ``without`` either, and under
        ``failed`` those that are wrong, with the reasons.

    """
    report: dict[str, Any] = {
        "proven": 0,
        "partly": 0,
        "recomputed": 0,
        "without": 0,
        "failed": [],
    }
    specs = benchmarks or [f"{name}/all" for name in names()]
    subsets = {(subset.name, subset.source): subset for spec in specs for subset in resolve(spec)}
    for subset in subsets.values():
        problems = subset.problems(None, 0)
        known = [
            problem
            for problem in problems
            if isinstance(problem.target, IntegrationTarget) and problem.target.reference
        ]
        verdicts = run_async(grade([(p, _reference(p)) for p in known], Policy(), {}))
        failed: list[dict[str, str]] = []
        proven = checked = 0
        for problem, verdict in zip(known, verdicts, strict=True):
            if not verdict.correct:
                why = {"status": str(verdict.status), "why": _why(verdict)}
                failed.append({"problem": problem_key(problem), **why})
                continue
            proven += 1
            coverage = verdict.evidence.coverage
            report["partly"] += coverage is not None and coverage < 1
        for problem in problems:
            wrong = TASKS[problem.task].check(problem)
            if wrong:
                why = {"status": "contradiction", "why": wrong}
                failed.append({"problem": problem_key(problem), **why})
            checked += wrong == ""
        report["proven"] += proven
        report["recomputed"] += checked
        report["failed"] += failed
        report["without"] += len(problems) - proven - checked - len(failed)
        recomputed = f", {counted(checked, 'answer')} recomputed" if checked else ""
        say(f"{subset.name}: {counted(proven, 'reference')} proven{recomputed}")
    return report


def _reference(problem: Problem) -> Completion:
    """The reference as a model's completion."""
    text = rf"\boxed{{{problem.target.reference}}}"
    return Completion("reference", problem_key(problem), "", 0, "answer", 0, text)


def _why(verdict: Verdict) -> str:
    evidence = verdict.evidence
    return str(evidence.witness or evidence.detail or verdict.status)
