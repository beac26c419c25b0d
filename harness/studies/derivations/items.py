"""The items of runs. An item is an unperturbed problem with its perturbed versions (twins).

The answers to these problems are labels. If a problem has several samples, the model's label is the
majority label. A tie, or no label at all, is a wrong answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....benchmarks.payloads import LabelTarget
from ....benchmarks.problem import Problem
from ....rewards.verdict import Status
from ...core.errors import UserError
from ...stats.compare import common_policy
from ...store import counts
from ...store.run import Run

GroupKey = tuple[str, str, tuple[str, ...]]


class NoTwinsError(UserError):
    """A run has no problems with perturbed versions (twins)."""


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A problem's true label, and the model's label, which is None without a majority."""

    truth: int
    given: int | None

    @property
    def right(self) -> bool:
        return self.given == self.truth


@dataclass(frozen=True, slots=True)
class PerturbedItem:
    """An unperturbed problem, and its perturbed versions (twins) by perturbation.

    Each ``example`` of the data has two items, one with label 1 and one with label 0. ``model`` is
    the model that answered, so that the items of several models can be counted together (`pooled`).
    """

    key: str
    example: str
    operator: str
    static: JudgedLabel
    twins: Mapping[str, JudgedLabel]
    model: str = ""

    @property
    def positive(self) -> bool:
        return self.static.truth == 1

    @property
    def none_of_the_twins(self) -> bool:
        return not any(twin.right for twin in self.twins.values())

    @property
    def everywhere(self) -> bool:
        return self.static.right and all(twin.right for twin in self.twins.values())

    @property
    def fails_to_generalise(self) -> bool:
        """Whether the model solves the original problem, but fails under every perturbation."""
        return self.static.right and self.none_of_the_twins


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """The items of a subset without perturbations, and the labels on sets derived from the subset.

    An item is a problem with its perturbed versions. ``left_out`` is the number of items that lack
    an answer to one of these. ``others`` has the labels on each derived set. Each label has the
    name of its example.
    """

    items: tuple[PerturbedItem, ...]
    left_out: int
    others: Mapping[str, tuple[tuple[JudgedLabel, str], ...]]

    def joined(self, item_group: ItemGroup) -> ItemGroup:
        """Combine the items of two groups."""
        names = dict.fromkeys((*self.others, *item_group.others))
        return ItemGroup(
            (*self.items, *item_group.items),
            self.left_out + item_group.left_out,
            {
                name: (*self.others.get(name, ()), *item_group.others.get(name, ()))
                for name in names
            },
        )


@dataclass(frozen=True, slots=True)
class ModelItems:
    """The problems with their perturbed versions (items) that one or several models answered."""

    model: str
    label: str
    samples: int
    groups: Mapping[GroupKey, ItemGroup]


def items_of(runs: Sequence[Run], policy: str | None = None) -> list[ModelItems]:
    """The items of every model in the runs. The answers of a model in several runs are merged.

    Raises:
        NoTwinsError: a run has no perturbed problems.
        UserError: no item has an answer to the problem and to every perturbed version.

    """
    # Answers are merged by model, as a model's twins may be in several runs.
    policy = common_policy(list(runs), policy)
    problems: dict[str, dict[str, Problem]] = {}
    judged: dict[str, dict[str, JudgedLabel]] = {}
    entries: dict[str, Mapping[str, Any]] = {}
    for run in runs:
        labelled = {key: p for key, p in run.problems.items() if isinstance(p.target, LabelTarget)}
        if not any(problem.perturbation for problem in labelled.values()):
            raise NoTwinsError(
                f"{run.path} has no problems with perturbed twins; sweep, as in --benchmark "
                "derivations/step3 --benchmark derivations/step3_vr, the originals with their "
                "perturbations"
            )
        entries |= {model: entry for model, entry in run.models.items() if model not in entries}
        for model, answers in judged_labels(run, policy).items():
            judged.setdefault(model, {}).update(answers)
            problems.setdefault(model, {}).update(labelled)
    answered = [
        ModelItems(
            model,
            str(entries[model]["label"]),
            int(entries[model]["samples"]),
            _groups(model, problems[model], answers),
        )
        for model, answers in judged.items()
    ]
    answered = [model_items for model_items in answered if model_items.groups]
    if not answered:
        named = ", ".join(str(run.path) for run in runs)
        raise UserError(f"{named}: no item is answered with all its twins yet")
    return answered


def judged_labels(run: Run, policy: str | None = None) -> dict[str, dict[str, JudgedLabel]]:
    """The true label and the model's label of each problem whose answer is a label.

    The keys of the result are the model and the problem.
    """
    judged: dict[str, dict[str, JudgedLabel]] = {}
    for (model, key), sums in counts.totals(run.verdicts(policy)).items():
        problem = run.problems.get(key)
        if problem is not None and isinstance(problem.target, LabelTarget):
            truth = int(problem.target.label)
            judged.setdefault(model, {})[key] = JudgedLabel(truth, majority(truth, sums))
    return judged


def pooled(answered: Sequence[ModelItems], label: str) -> ModelItems:
    """Count the items of several models as if one model had answered all of them.

    Table 3 of Meadows et al. pools encoders that were trained on different numbers of derivation
    steps. An item that two models answered counts twice.
    """
    groups: dict[GroupKey, ItemGroup] = {}
    for model_items in answered:
        for key, group in model_items.groups.items():
            groups[key] = groups[key].joined(group) if key in groups else group
    samples = max(model_items.samples for model_items in answered)
    return ModelItems(
        "+".join(model_items.model for model_items in answered), label, samples, groups
    )


def majority(truth: int, sums: Mapping[str, float]) -> int | None:
    """The majority label of a problem's samples.

    The result is None if there are as many right samples as wrong samples.
    """
    right, wrong = sums.get(Status.CORRECT, 0), sums.get(Status.INCORRECT, 0)
    return None if right == wrong else truth if right > wrong else 1 - truth


def _groups(
    model: str, problems: Mapping[str, Problem], judged: Mapping[str, JudgedLabel]
) -> dict[GroupKey, ItemGroup]:
    return {
        (benchmark, subset, perturbations): ItemGroup(
            tuple(replace(item, model=model) for item in complete),
            left_out,
            _derived_labels(problems, judged, benchmark, subset),
        )
        for (benchmark, subset), (complete, perturbations, left_out) in items(
            problems, judged
        ).items()
        if complete
    }


def items(
    problems: Mapping[str, Problem], judged: Mapping[str, JudgedLabel]
) -> dict[tuple[str, str], tuple[list[PerturbedItem], tuple[str, ...], int]]:
    """For each subset, its complete items, its perturbations and its number of incomplete items.

    The keys of the result are pairs of a benchmark and a subset. An item is complete if the problem
    and all its perturbed versions were answered.
    """
    twins: dict[tuple[str, str], dict[str, str]] = {}
    for key, problem in problems.items():
        if problem.pair_parent is not None and problem.perturbation is not None:
            of = twins.setdefault((problem.benchmark, problem.pair_parent), {})
            of[problem.perturbation] = key
    # Derived subsets of the same problems (s-1) have other ids: only originals have twins.
    groups: dict[tuple[str, str], list[str]] = {}
    for key, problem in problems.items():
        if problem.pair_parent is None and (problem.benchmark, problem.id) in twins:
            groups.setdefault((problem.benchmark, problem.subset), []).append(key)
    groups_of_items = {}
    for group_key, keys in groups.items():
        twin_keys = [twins[group_key[0], problems[key].id] for key in keys]
        perturbations = tuple(dict.fromkeys(name for names in twin_keys for name in names))
        complete = []
        for key, its_twins in zip(keys, twin_keys, strict=True):
            its_keys = [its_twins.get(name, "") for name in perturbations]
            if key in judged and all(twin in judged for twin in its_keys):
                answers = {n: judged[k] for n, k in zip(perturbations, its_keys, strict=True)}
                metadata = problems[key].metadata
                complete.append(
                    PerturbedItem(
                        key=key,
                        example=str(metadata.get("group", key)),
                        operator=str(metadata.get("operator", "")),
                        static=judged[key],
                        twins=answers,
                    )
                )
        groups_of_items[group_key] = complete, perturbations, len(keys) - len(complete)
    return groups_of_items


def _derived_labels(
    problems: Mapping[str, Problem], judged: Mapping[str, JudgedLabel], benchmark: str, subset: str
) -> dict[str, tuple[tuple[JudgedLabel, str], ...]]:
    """Collect the judged labels in all sets that were derived from one subset.

    The name of such a set begins with the name of the subset, for example ``step3_minus1``. The
    keys of the result are the names without this beginning.
    """
    sets: dict[str, list[tuple[JudgedLabel, str]]] = {}
    for key, problem in problems.items():
        named_after = problem.benchmark == benchmark and problem.subset.startswith(f"{subset}_")
        if named_after and problem.pair_parent is None and key in judged:
            name = problem.subset.removeprefix(f"{subset}_").replace("minus", "s-")
            example = str(problem.metadata.get("group", key))
            sets.setdefault(name, []).append((judged[key], example))
    return {name: tuple(labels) for name, labels in sets.items()}
