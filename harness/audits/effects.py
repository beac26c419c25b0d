"""Computes the effects of wrong references on scores: accuracies and ranks before and after.

Before: the table's judgement of a response counts; without a judgement, a response is right if it
equals the reference. After: a response to a problem with a refuted reference is judged by the
verifier against the problem itself. All other scores are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ...benchmarks.files.table import parse, rows_of
from ...benchmarks.problem import Problem
from ...rewards.arguments import check_choice
from ...rewards.errors import ProblemError
from ...rewards.numeric.sampling.integrand import prepare
from ...rewards.workers.pool import DEFAULT_DEADLINE, DEFAULT_MEMORY_MB
from ...rewards.workers.verdicts import WorkItem, map_verdicts
from ..core.errors import UserError
from ..report.numbers import percent
from ..report.sections import Section
from ..store.run import Run
from ..store.samples import samples
from .auditing import Audit
from .findings import REFUTED
from .items import AuditItem, items_of, ranked
from .reading import UnreadError, as_latex, posed

_ROLES: dict[str, tuple[str, ...]] = {
    "model": ("model", "system", "modelname", "llm", "solver"),
    "id": ("problemid", "problem", "questionid", "question", "id", "index", "uid"),
    "text": ("response", "completion", "prediction", "modelanswer", "answer", "output", "text"),
    "right": ("correct", "iscorrect", "right", "score", "judgement", "label"),
}
#: Responses that are judged at once.
_BATCH = 2048


@dataclass(frozen=True, slots=True)
class CorrectedStanding:
    """Accuracy and rank of a model before and after the correction of references."""

    model: str
    responses: int
    changed: int
    before: float
    after: float
    rank_before: int
    rank_after: int


@dataclass(frozen=True, slots=True)
class Effects:
    """The standings of all models, best first, and the number of unusable responses."""

    standings: tuple[CorrectedStanding, ...]
    spoiled: int
    unmatched: int

    def sections(self) -> list[Section]:
        """The table."""
        rows = tuple(
            (
                standing.model,
                str(standing.responses),
                str(standing.changed),
                percent(standing.before),
                percent(standing.after),
                str(standing.rank_before),
                str(standing.rank_after),
            )
            for standing in self.standings
        )
        moved = sum(standing.rank_before != standing.rank_after for standing in self.standings)
        remarks = [f"{self.spoiled} responses are to problems with a refuted reference; "]
        remarks[0] += f"{moved} of {len(rows)} models change their rank."
        if self.unmatched:
            remarks.append(f"{self.unmatched} responses are to no problem of the audit.")
        headings = ("model", "responses", "changed", "before, %", "after, %", "rank", "rank after")
        return [Section("Effects on scores", headings, rows, tuple(remarks))]


@dataclass(slots=True)
class _Response:
    model: str
    item: AuditItem
    text: str
    before: bool | None
    after: bool | None = None


def effects_of(
    audit: Audit, responses: str, columns: Mapping[str, str], asked: Mapping[str, str] | None = None
) -> Effects:
    """The effects of the refuted references of an audit on the scores of responses.

    Args:
        audit: the audit.
        responses: a run directory, or a table with columns of models, problems (by id, place or
            text), responses, and whether they were called right.
        columns: role (``model``, ``id``, ``text``, ``right``) -> column, where the guess is wrong.
        asked: the ``columns`` of the audit.

    Raises:
        UserError: the table has no responses that could be used.

    """
    run = Run(responses) if (Path(responses) / "manifest.json").is_file() else None
    # The responses are read twice, so that only the items that they are about stay in memory.
    names = _names_in_run(run) if run else _names_in_table(responses, columns)
    items: dict[str, AuditItem] = {}
    for item in items_of(audit.sources, asked or {}, []):
        for name in {item.id, item.place, item.problem} & names:
            items.setdefault(name, item)
    wrong = {row["number"] for row in audit.rows(REFUTED)}
    source = _of_run(run, items) if run else _of_table(responses, columns, items)
    totals: dict[str, list[int]] = {}
    spoiled = unmatched = 0
    while batch := list(islice(source, _BATCH)):
        matched = [response for response in batch if response is not None]
        unmatched += len(batch) - len(matched)
        spoiled += sum(response.item.number in wrong for response in matched)
        _judge(matched, wrong)
        for response in matched:
            total = totals.setdefault(response.model, [0, 0, 0, 0])
            before, after = bool(response.before), bool(response.after)
            for at, add in enumerate((1, before, after, before != after)):
                total[at] += add
    if not totals:
        raise UserError(f"{responses}: no response is to a problem of the audit")
    return Effects(tuple(_standings(totals)), spoiled, unmatched)


def _standings(totals: Mapping[str, Sequence[int]]) -> Iterator[CorrectedStanding]:
    shares = {model: (row[1] / row[0], row[2] / row[0]) for model, row in totals.items()}

    def rank(model: str, which: int) -> int:
        return 1 + sum(share[which] > shares[model][which] for share in shares.values())

    for model in sorted(totals, key=lambda name: -shares[name][1]):
        before, after = shares[model]
        answered, _, _, changed = totals[model]
        yield CorrectedStanding(
            model, answered, changed, before, after, rank(model, 0), rank(model, 1)
        )


def _names(problem: Problem) -> tuple[str, str]:
    """The possible names of a run's problem in an audit."""
    return f"{problem.name}/{problem.id}", problem.id


def _names_in_run(run: Run) -> set[str]:
    return {name for sample in samples(run, run.policy) for name in _names(sample.problem)}


def _of_run(run: Run, items: Mapping[str, AuditItem]) -> Iterator[_Response | None]:
    for sample in samples(run, run.policy):
        judged = sample.judged or {}
        item = next((items[name] for name in _names(sample.problem) if name in items), None)
        label = run.models[sample.completion["model"]]["label"]
        right = judged.get("status") == "correct" if judged else None
        if item is None or not item.task:
            yield None
            continue
        # The verdict of a run is about the problem, not about the reference.
        yield _Response(label, item, sample.completion["text"], None, right)


def _table(
    responses: str, columns: Mapping[str, str]
) -> tuple[dict[str, str], Iterator[Mapping[str, Any]]]:
    """The column of each role, and the rows."""
    rows = (row for _, row in rows_of(parse(responses)) if isinstance(row, Mapping))
    head = list(islice(rows, 1))
    names = [str(name) for name in head[0]] if head else []
    roles = dict(columns)
    for role, column in roles.items():
        check_choice("--response-columns", role, list(_ROLES))
        check_choice(responses, column, names)
    for role, spellings in _ROLES.items():
        fitting = [name for name in ranked(names, spellings) if name not in roles.values()]
        if fitting:
            roles.setdefault(role, fitting[0])
    if "id" not in roles or not roles.keys() & {"text", "right"}:
        raise UserError(
            f"{responses}: no columns of problems and responses; there are {', '.join(names)} "
            "(--response-columns id=COLUMN,model=COLUMN,text=COLUMN,right=COLUMN)"
        )
    return roles, chain(head, rows)


def _names_in_table(responses: str, columns: Mapping[str, str]) -> set[str]:
    roles, rows = _table(responses, columns)
    return {str(row.get(roles["id"])) for row in rows}


def _of_table(
    responses: str, columns: Mapping[str, str], items: Mapping[str, AuditItem]
) -> Iterator[_Response | None]:
    roles, rows = _table(responses, columns)
    return (_response(row, roles, items) for row in rows)


def _response(
    row: Mapping[str, Any], roles: Mapping[str, str], items: Mapping[str, AuditItem]
) -> _Response | None:
    values = {role: row.get(column) for role, column in roles.items()}
    item = items.get(str(values["id"]))
    if item is None or not item.task:
        return None
    right = values.get("right")
    words = {"true": True, "false": False, "yes": True, "no": False, "correct": True}
    if isinstance(right, str):
        right = words.get(right.strip().lower(), right.strip() in ("1", "1.0"))
    judgement = None if right in (None, "") else float(right) >= 0.5
    return _Response(
        str(values.get("model") or "model"), item, str(values.get("text") or ""), judgement
    )


def _judge(batch: Sequence[_Response], wrong: set[int]) -> None:
    """Judge responses without a judgement: by the reference before, by the problem after."""
    # Only rows with a wrong reference need both judgements; elsewhere one judgement stands for
    # both.
    pending = [
        response for response in batch if response.before is None and response.item.number in wrong
    ]
    for response, right in zip(pending, _judged(pending, by_reference=True), strict=True):
        response.before = right
    later = [response for response in batch if response.after is None]
    spoiled = [
        response for response in later if response.item.number in wrong or response.before is None
    ]
    for response, right in zip(spoiled, _judged(spoiled, by_reference=False), strict=True):
        response.after = right
    for response in batch:
        if response.after is None:
            response.after = response.before
        if response.before is None:
            response.before = response.after


def _judged(batch: Sequence[_Response], by_reference: bool) -> list[bool]:
    by_task: dict[str, list[tuple[int, WorkItem]]] = {}
    for at, response in enumerate(batch):
        try:
            task, target, options = _question(response.item, by_reference)
        except (UnreadError, ProblemError):
            continue
        by_task.setdefault(task, []).append((at, (response.text, target, options)))
    right = [False] * len(batch)
    for task, numbered in by_task.items():
        work = [item for _, item in numbered]
        verdicts = map_verdicts(task, work, None, DEFAULT_DEADLINE, DEFAULT_MEMORY_MB)
        for (at, _), verdict in zip(numbered, verdicts, strict=True):
            right[at] = verdict.correct
    return right


def _question(item: AuditItem, by_reference: bool) -> tuple[str, str, dict[str, Any]]:
    """The worker's task for judging a response, with the target and the options."""
    problem, options = posed(item.problem).formula, {"assumptions": dict(item.assumptions)}
    if item.task == "integration":
        integrand = prepare(problem, item.variable, item.assumptions)
        options |= {"variable": integrand.variable}  # type: ignore[dict-item]
        if by_reference:
            return "equivalent", as_latex(item.reference), {**options, "up_to_constant": True}
        return "verify", problem, options
    if item.task == "definite_integral":
        if by_reference:
            return "equivalent", as_latex(item.reference), options
        return "definite", problem, options
    return "equivalent", as_latex(item.reference) if by_reference else problem, options
