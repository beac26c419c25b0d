"""Corrects refuted references: computer algebra systems propose, the verifier decides."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from ....benchmarks.payloads import TASKS, IntegrationTarget
from ....benchmarks.problem import Problem
from ....prompts import load as load_prompt
from ....rewards import ProblemError, verify_antiderivative, verify_definite_integral
from ....rewards.numeric.sampling.integrand import prepare
from ....rewards.questions import COURSE
from ....rewards.reading.latex import to_latex
from ...core.asynchronous import run_async
from ...core.errors import ModelError
from ...core.requests import Completion, Request, Sampling, request_hash
from ...models.base import Model
from ...models.registry import create
from ...tasks import task as task_of
from ..items import OF_COURSE, kind_asked
from ..reading import UnreadError, posed
from .differences import slip_between

#: Computer algebra systems in the order in which they are asked; the first starts fastest.
SYSTEMS = ("sympy", "maxima", "fricas")
#: Seconds of processor time for a system and a problem.
SECONDS = 10


def _problem(row: Mapping[str, Any]) -> Problem | None:
    """The question of a row as a benchmark's problem; None for tasks that systems lack."""
    task, assumptions = row.get("task", ""), dict(row.get("assumptions", {}))
    task = kind_asked(task.removeprefix(OF_COURSE), row["problem"])
    if task not in ("integration", "definite_integral", *COURSE):
        return None
    try:
        text = row["problem"] if task in COURSE else posed(row["problem"]).formula
        if task in COURSE:
            content = {"question": text, "request": COURSE[task].summary}
        elif task == "definite_integral":
            content = {"integral": text}
        else:
            integrand = prepare(text, row.get("variable"), assumptions)
            content = {"integrand": to_latex(integrand.expression), "variable": integrand.variable}
        payloads = TASKS[task]
        inputs, target = payloads.read_inputs(content), payloads.read_target(content)
    except (UnreadError, ProblemError):
        return None
    return Problem(str(row["number"]), task, "audit", "refuted", inputs, target, assumptions)


async def _completions(model: Model, problems: Sequence[Problem]) -> list[Completion]:
    sampling = Sampling()

    async def requests() -> AsyncIterator[Request]:
        for problem in problems:
            # A solver reads the problem and ignores the prompt, which a request must have.
            prompt = load_prompt(task_of(problem.task).prompt or "").render(problem)
            hashed = request_hash(problem, prompt, sampling)
            yield Request("audit", problem, prompt, sampling, hashed)

    return [completion async for completion in model.complete(requests())]


def _proved(problem: Problem, text: str) -> str:
    """The answer of a system if the verifier accepts the answer; empty otherwise."""
    try:
        if isinstance(problem.target, IntegrationTarget):
            integrand, variable = problem.target.integrand, problem.target.variable
            verdict = verify_antiderivative(
                text, integrand, variable=variable, assumptions=problem.assumptions
            )
        else:
            verify = COURSE[problem.task].verify if problem.task in COURSE else None
            judged = str(problem.target.judged)
            verdict = (verify or verify_definite_integral)(
                text, judged, assumptions=problem.assumptions
            )
    except ProblemError:
        return ""
    return (verdict.answer or "") if verdict.correct else ""


def with_corrections(rows: Sequence[dict[str, Any]], most: int) -> Iterator[dict[str, Any]]:
    """Rows with corrections from the installed systems.

    Args:
        rows: refuted rows.
        most: the largest number of rows for questions to systems.

    """
    open_rows = [row for row in rows if not row.get("correction")][:most]
    problems = {row["number"]: read for row in open_rows if (read := _problem(row)) is not None}
    corrected: dict[int, tuple[str, str]] = {}
    for name in SYSTEMS:
        remaining = [problems[number] for number in problems.keys() - corrected.keys()]
        try:
            model = create(f"solver/{name}", {"time-limit": str(SECONDS)}) if remaining else None
        except ModelError:  # not installed
            continue
        for completion in run_async(_completions(model, remaining)) if model is not None else ():
            number = int(completion.problem.rpartition("/")[2])
            if completion.text and (answer := _proved(problems[number], completion.text)):
                corrected[number] = answer, name
    for row in rows:
        answer, name = corrected.get(row["number"], ("", ""))
        if answer:
            row = {**row, "correction": answer, "corrected_by": name}
            task = problems[row["number"]].task
            if task in COURSE and row.get("kind", "") in ("", "a condition"):
                slip = slip_between(task, row["problem"], row["reference"], answer)
                row["kind"] = slip or row.get("kind", "")
        yield row
