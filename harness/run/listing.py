"""Lists of benchmarks, models, prompts and tasks, and a check of the reference answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import prompts
from ...benchmarks import Problem
from ...benchmarks.registry import names, resolve
from ...rewards.verdict import Verdict
from ..core.asynchronous import run_async
from ..core.policy import Policy
from ..core.requests import Completion, problem_key
from ..models import describe as describe_models
from ..models.registry import option_names
from ..tasks import TASKS
from .grade import grade


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
                "options": option_names(model),
                "example": model.example,
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
                "target": task.target,
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
    if "options" in row:
        options = ", ".join(f"{name}={value}" for name, value in row["options"].items())
        parts.append(f"Options: {options}." if options else "")
    if row.get("default"):
        parts.append(f"(Default of the task {row['task']}.)")
    if "verifier" in row:
        prompt = row["prompt"] or "none"
        parts.append(f"Target: {row['target']}. Prompt: {prompt}.")
        parts.append(f"Metrics: {', '.join(row['metrics'])}." if row["metrics"] else "")
    return " ".join(part for part in parts if part)


def validate(
    benchmarks: Sequence[str], say: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Prove the reference antiderivatives and recompute answers, up to the first that is wrong.

    Args:
        benchmarks: names of benchmarks; by default all subsets of all.
        say: is called with a line for every subset.

    Returns:
        The numbers of references that are ``proven``, proven ``partly`` (on a part of the domain),
        of answers ``recomputed`` (`Task.check`) and of problems ``without`` either, and under
        ``failed`` the first that is wrong.

    """
    report: dict[str, Any] = {
        "proven": 0,
        "partly": 0,
        "recomputed": 0,
        "without": 0,
        "failed": None,
    }
    specs = benchmarks or [f"{name}/all" for name in names()]
    subsets = {(subset.name, subset.source): subset for spec in specs for subset in resolve(spec)}
    for subset in subsets.values():
        problems = subset.problems(None, 0)
        known = [problem for problem in problems if "antiderivative" in problem.target]
        verdicts = run_async(grade([(p, _reference(p)) for p in known], Policy(), {}))
        for problem, verdict in zip(known, verdicts, strict=True):
            if not verdict.correct:
                key = problem_key(problem)
                why = _why(verdict)
                report["failed"] = {"problem": key, "status": verdict.status, "why": why}
                return report
            report["proven"] += 1
            coverage = verdict.evidence.coverage
            report["partly"] += coverage is not None and coverage < 1
        checked = 0
        for problem in problems:
            wrong = TASKS[problem.task].check(problem)
            if wrong:
                key = problem_key(problem)
                report["failed"] = {"problem": key, "status": "contradiction", "why": wrong}
                return report
            checked += wrong is not None
        report["recomputed"] += checked
        report["without"] += len(problems) - len(known) - checked
        recomputed = f", {checked} answers recomputed" if checked else ""
        say(f"{subset.name}: {len(known)} references proven{recomputed}")
    return report


def _reference(problem: Problem) -> Completion:
    """The reference as a model's completion."""
    text = rf"\boxed{{{problem.target['antiderivative']}}}"
    return Completion("reference", problem_key(problem), "", 0, "answer", 0, text)


def _why(verdict: Verdict) -> str:
    evidence = verdict.evidence
    if evidence.witness:
        witness = evidence.witness
        return f"at {witness.point} the integrand is {witness.expected}, F' is {witness.got}"
    return evidence.detail or verdict.status
