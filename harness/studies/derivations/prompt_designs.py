"""F1 by prompt on unperturbed problems (Table 4), ours beside the published numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....prompts import parse
from ...report.numbers import with_interval
from ...report.sections import Section
from ...store.run import Run
from .items import JudgedLabel, judged_labels
from .pairwise import Scores, scores
from .published import SOURCE, published

TABLE = "table 4"


@dataclass(frozen=True, slots=True)
class Design:
    """A prompt that the paper tried: which of ours it is, and on which subset; ``*`` chosen."""

    benchmark: str
    subset: str
    name: str
    prompt: str
    shots: int
    chosen: bool = False


_STEP2, _DIFF = ("derivations", "step2"), ("calculus", "diff")
DESIGNS = (
    Design(*_STEP2, "no description; random examples 2+2", "derivation-step-random", 4),
    Design(*_STEP2, "concise description; random examples 2+2", "derivation-step-described", 4),
    Design(*_STEP2, "no description; same final operation 2+2", "derivation-step", 4, chosen=True),
    Design(*_STEP2, "no description; same final operation 3+3", "derivation-step", 6),
    Design(*_DIFF, "no description 2+2", "calculus-step", 4, chosen=True),
    Design(*_DIFF, "no description 3+3", "calculus-step", 6),
)


@dataclass(frozen=True, slots=True)
class AskedDesign:
    """A design that a model was asked with, and its scores."""

    design: Design
    model: str
    scores: Scores


def prompt_designs(runs: Sequence[Run], policy: str | None = None) -> list[AskedDesign]:
    """What was asked with one of the prompts of the table on its subset, in the table's order.

    Args:
        runs: runs of ``derivations/step2`` or ``calculus/diff``.
        policy: verdicts to take; by default the latest complete of all runs.

    Returns:
        The scores of each model and design; of several runs with the same, those of the last.

    """
    asked: dict[tuple[Design, str], AskedDesign] = {}
    for run in runs:
        prompts = run.manifest["identity"]["prompts"]
        used = {
            (entry["name"], parse(entry["name"], entry["source"]).shots)
            for entry in prompts.values()
        }
        for design in DESIGNS:
            if (design.prompt, design.shots) in used:
                asked |= {(design, one.model): one for one in _asked(run, design, policy)}
    return sorted(asked.values(), key=lambda one: DESIGNS.index(one.design))


def designs_table(asked: Sequence[AskedDesign]) -> list[Section]:
    """A section with a column for each model; none if no design was asked."""
    labels = list(dict.fromkeys(one.model for one in asked))
    if not labels:
        return []
    ours = {
        (one.design, one.model): with_interval(one.scores.f1, one.scores.f1_interval)
        for one in asked
    }
    models = ("gpt-3.5", "gpt-4")
    known = published()
    rows = tuple(
        (
            f"{design.subset}: {design.name}{' *' * design.chosen}",
            *(known[TABLE, model, design.subset, design.name] for model in models),
            *(ours.get((design, label), "") for label in labels),
        )
        for design in DESIGNS
    )
    remark = (
        f"F1 of label 1 on unperturbed problems; * was chosen. Published: {SOURCE}, {TABLE}, on "
        "other examples. Ours have 95 % intervals."
    )
    headings = ("prompt", *(f"{model} (published)" for model in models), *labels)
    return [Section("F1 by prompt", headings, rows, (remark,))]


def _asked(run: Run, design: Design, policy: str | None) -> Iterator[AskedDesign]:
    for model, answers in judged_labels(run, policy).items():
        asked: list[tuple[JudgedLabel, str]] = [
            (label, str(run.problem(key).metadata.get("group", key)))
            for key, label in answers.items()
            if run.problem(key).subset == design.subset
        ]
        if asked:
            scored = scores(design.name, [one for one, _ in asked], [group for _, group in asked])
            yield AskedDesign(design, str(run.models[model]["label"]), scored)
