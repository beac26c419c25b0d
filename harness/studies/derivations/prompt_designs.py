"""F1 by prompt on unperturbed problems, beside the numbers in Table 4 of Meadows et al."""

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
class PromptDesign:
    """A prompt that Meadows et al. compare on a subset. ``prompt`` is its name in this package."""

    benchmark: str
    subset: str
    name: str
    prompt: str
    shots: int
    chosen: bool = False


_STEP2, _DIFF = ("derivations", "step2"), ("calculus", "diff")
DESIGNS = (
    PromptDesign(*_STEP2, "no description; random examples 2+2", "derivation-step-random", 4),
    PromptDesign(
        *_STEP2, "concise description; random examples 2+2", "derivation-step-described", 4
    ),
    PromptDesign(
        *_STEP2, "no description; same final operation 2+2", "derivation-step", 4, chosen=True
    ),
    PromptDesign(*_STEP2, "no description; same final operation 3+3", "derivation-step", 6),
    PromptDesign(*_DIFF, "no description 2+2", "calculus-step", 4, chosen=True),
    PromptDesign(*_DIFF, "no description 3+3", "calculus-step", 6),
)


@dataclass(frozen=True, slots=True)
class AskedDesign:
    """A prompt of Meadows et al., and the scores of a model that was asked with this prompt."""

    design: PromptDesign
    model: str
    scores: Scores


def prompt_designs(runs: Sequence[Run], policy: str | None = None) -> list[AskedDesign]:
    """The scores of models with the prompts in Table 4 of Meadows et al., in the table's order.

    Args:
        runs: runs of ``derivations/step2`` or ``calculus/diff``.
        policy: the name of the set of verdicts. The default is the policy of each run.

    Returns:
        The scores of each model and design. If several runs have the same model and design, the
        scores are from the last run.

    """
    by_design: dict[tuple[PromptDesign, str], AskedDesign] = {}
    for run in runs:
        prompts = run.manifest["identity"]["prompts"]
        used = {
            (entry["name"], parse(entry["name"], entry["source"]).shots)
            for entry in prompts.values()
        }
        for design in DESIGNS:
            if (design.prompt, design.shots) in used:
                by_design |= {(design, row.model): row for row in _rows_of(run, design, policy)}
    return sorted(by_design.values(), key=lambda row: DESIGNS.index(row.design))


def designs_table(rows_asked: Sequence[AskedDesign]) -> list[Section]:
    """A section with F1 by prompt and a column for each model. Without rows, there is none."""
    labels = list(dict.fromkeys(row.model for row in rows_asked))
    if not labels:
        return []
    ours = {
        (row.design, row.model): with_interval(row.scores.f1, row.scores.f1_interval)
        for row in rows_asked
    }
    models = ("gpt-3.5", "gpt-4")
    published_values = published()
    rows = tuple(
        (
            f"{design.subset}: {design.name}{' *' * design.chosen}",
            *(published_values[TABLE, model, design.subset, design.name] for model in models),
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


def _rows_of(run: Run, design: PromptDesign, policy: str | None) -> Iterator[AskedDesign]:
    for model, answers in judged_labels(run, policy).items():
        labels: list[tuple[JudgedLabel, str]] = [
            (label, str(run.problem(key).metadata.get("group", key)))
            for key, label in answers.items()
            if run.problem(key).subset == design.subset
        ]
        if labels:
            scored = scores(
                design.name, [label for label, _ in labels], [group for _, group in labels]
            )
            yield AskedDesign(design, str(run.models[model]["label"]), scored)
