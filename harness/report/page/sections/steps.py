"""Where solutions go wrong, if `run.py steps` has judged their steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from .....rewards.steps.result import Kind, Result
from ....stats.steps import Steps, read_steps
from ...numbers import percent
from ...sections import Section
from ...sources import Sources

_OUTCOMES: tuple[Result, ...] = get_args(Result)
_KINDS: tuple[Kind, ...] = get_args(Kind)


def sections(sources: Sources) -> list[Section]:
    """The tables of all runs; none where no steps were judged."""
    by_model: dict[str, list[tuple[Steps, str]]] = {}
    for run, names in zip(sources.runs, sources.names, strict=True):
        for row in read_steps(run.path):
            problem = run.problems.get(row.problem)
            if problem is not None and row.model in names:
                label = sources.short_names[names[row.model]]
                by_model.setdefault(label, []).append((row, problem.perturbation or "none"))
    if not by_model:
        return []
    rows = {model: [row for row, _ in pairs] for model, pairs in by_model.items()}
    made = [
        Section(
            "Steps of solutions",
            ("model", "solutions", *_OUTCOMES, "judged", "progress"),
            tuple((model, *_outcomes(of)) for model, of in rows.items()),
            remarks=(
                "In percent of the solutions. right: a right answer and no wrong step; lucky: a "
                "right answer in spite of one; slip: only the answer is wrong; wrong: a step is; "
                "unlocated: no wrong step was found. judged: share of the displayed claims; "
                "progress: mean share of the problem that right steps settle before a wrong one.",
            ),
        ),
        _first_wrong(
            "First wrong step by kind",
            "kind",
            {model: Counter(row.wrong for row in of) for model, of in rows.items()},
            [
                kind
                for kind in _KINDS
                if any(row.wrong == kind for of in rows.values() for row in of)
            ],
            {model: Counter(dict.fromkeys(_KINDS, len(of))) for model, of in rows.items()},
        ),
    ]
    found = sorted({name for pairs in by_model.values() for _, name in pairs})
    if len(found) > 1:
        made.append(
            _first_wrong(
                "Solutions with a wrong step by perturbation",
                "perturbation",
                {
                    model: Counter(name for row, name in pairs if row.wrong)
                    for model, pairs in by_model.items()
                },
                found,
                {model: Counter(name for _, name in pairs) for model, pairs in by_model.items()},
            )
        )
    return [section for section in made if section.rows]


def _outcomes(rows: Sequence[Steps]) -> Iterable[str]:
    counts = Counter(row.outcome for row in rows)
    yield str(len(rows))
    yield from (percent(counts[name] / len(rows)) for name in _OUTCOMES)
    shown = sum(row.displayed for row in rows)
    yield percent(sum(row.judged for row in rows) / shown) if shown else ""
    yield percent(sum(row.progress for row in rows) / len(rows))


def _first_wrong(
    title: str,
    heading: str,
    counts: Mapping[str, Counter[str]],
    names: Sequence[str],
    totals: Mapping[str, Counter[str]],
) -> Section:
    """A row for each name, with the share of each model's solutions."""
    rows = tuple(
        (
            name,
            *(
                percent(counts[model][name] / totals[model][name]) if totals[model][name] else ""
                for model in counts
            ),
        )
        for name in names
    )
    return Section(title, (heading, *counts), rows, remarks=("In percent of the solutions.",))
