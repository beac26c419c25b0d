"""The places of errors in solutions, if `run.py steps` has judged the steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from .....rewards.verify.solution_steps.result import Judgement, Kind, Result
from ....stats.steps import StepCounts, read_steps
from ...numbers import percent
from ...sections import Section
from ...sources import Sources

_OUTCOMES: tuple[Result, ...] = get_args(Result)
_STEP_KINDS: tuple[Kind, ...] = get_args(Kind)

#: Reasons that are listed: one for each letter that nothing defines would be too many.
REASONS = 20

#: The steps of a model's solutions, each with the perturbation of its problem.
_Solutions = Sequence[tuple[StepCounts, str]]


def sections(sources: Sources) -> list[Section]:
    """The tables of all runs; no tables without judged steps."""
    models: dict[str, list[tuple[StepCounts, str]]] = {}
    for run, names in zip(sources.runs, sources.names, strict=True):
        for row in read_steps(run.path):
            problem = run.problems.get(row.problem)
            if problem is not None and row.model in names:
                label = sources.short_names[names[row.model]]
                models.setdefault(label, []).append((row, problem.perturbation or "none"))
    if not models:
        return []
    wrong = {row.wrong for of in models.values() for row, _ in of}
    wrong_kinds = [step_kind for step_kind in _STEP_KINDS if step_kind in wrong]
    built = [
        Section(
            "Steps of solutions",
            ("model", "solutions", *_OUTCOMES, "lucky answers", "slips", "judged", "progress"),
            tuple((model, *_outcomes([row for row, _ in of])) for model, of in models.items()),
            remarks=(
                "In percent of the solutions. right: a right answer and no wrong step; lucky: a "
                "right answer in spite of one; slip: only the answer is wrong; wrong: a step is; "
                "unlocated: no wrong step was found. lucky answers: share of the right answers; "
                "slips: of the wrong ones. judged: share of the displayed claims; progress: mean "
                "share of the problem that right steps settle before a wrong one.",
            ),
        ),
        _first_wrong("kind", models, [("", step_kind) for step_kind in wrong_kinds]),
    ]
    perturbations = sorted({name for of in models.values() for _, name in of})
    if len(perturbations) > 1:
        built.append(_first_wrong("perturbation", models, [(name, "") for name in perturbations]))
        both = [(name, step_kind) for name in perturbations for step_kind in wrong_kinds]
        built.append(_first_wrong("perturbation and kind", models, both, folded=True))
    built.append(_unchecked(models))
    return [section for section in built if section.rows]


def _unchecked(models: Mapping[str, _Solutions]) -> Section:
    """The reasons why claims were not checked, the most frequent reason first."""
    reasons = {
        model: Counter(
            reason or "undecided"
            for row, _ in of
            for _, _, judgement, _, reason in row.marks
            if judgement == Judgement.UNCHECKED
        )
        for model, of in models.items()
    }
    total: Counter[str] = sum(reasons.values(), Counter())
    return Section(
        "Claims that are unchecked, by reason",
        ("reason", *models),
        tuple(
            (reason, *(str(counts[reason]) for counts in reasons.values()))
            for reason, _ in total.most_common(REASONS)
        ),
        remarks=("Numbers of claims. An unchecked claim counts neither as right nor as wrong.",),
        folded=True,
    )


def _outcomes(rows: Sequence[StepCounts]) -> tuple[str, ...]:
    counts = Counter(row.outcome for row in rows)
    right = counts["right"] + counts["lucky"]
    wrong = counts["slip"] + counts["wrong"] + counts["unlocated"]
    judged, displayed = sum(row.judged for row in rows), sum(row.displayed for row in rows)
    return (
        str(len(rows)),
        *(_share(counts[name], len(rows)) for name in _OUTCOMES),
        _share(counts["lucky"], right),
        _share(counts["slip"], wrong),
        _share(judged, displayed),
        _share(sum(row.progress for row in rows), len(rows)),
    )


def _share(count: float, total: int) -> str:
    return percent(count / total) if total else ""


def _first_wrong(
    title: str,
    models: Mapping[str, _Solutions],
    keys: Sequence[tuple[str, str]],
    *,
    folded: bool = False,
) -> Section:
    """The number of solutions with a wrong step, by perturbation, by kind of step, or by both."""
    rows = []
    for perturbation, step_kind in keys:
        shares = []
        for solutions in models.values():
            of = [row.wrong for row, name in solutions if perturbation in ("", name)]
            shares.append(_share(sum(step_kind in ("", wrong) for wrong in of if wrong), len(of)))
        rows.append((*filter(None, (perturbation, step_kind)), *shares))
    headings = tuple(title.split(" and "))
    remark = "In percent of the solutions, or of those of such problems."
    return Section(
        f"First wrong step by {title}",
        (*headings, *models),
        tuple(rows),
        remarks=(remark,),
        names=len(headings),
        folded=folded,
    )
