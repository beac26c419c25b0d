"""The items of runs: unperturbed problems whose answer is a label, with their perturbed twins.

Each problem counts with one label: of several samples the one that most of them have. A tie, or no
label at all, is a wrong answer.
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

Place = tuple[str, str, tuple[str, ...]]


class NoTwinsError(UserError):
    """A run has no problems with perturbed twins."""


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A problem's true label and the one that was given: None without a majority."""

    truth: int
    given: int | None

    @property
    def right(self) -> bool:
        return self.given == self.truth


@dataclass(frozen=True, slots=True)
class PerturbedItem:
    """An unperturbed problem, and its twins by perturbation; ``example`` has two of these.

    ``model`` is who answered, where several models are taken as one.
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
        """Whether it is right unperturbed and wrong under every perturbation."""
        return self.static.right and self.none_of_the_twins


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """The items of one unperturbed subset, and answers on sets that are named after it.

    ``left_out`` items lack an answer to some twin; ``others`` are labels with their examples.
    """

    items: tuple[PerturbedItem, ...]
    left_out: int
    others: Mapping[str, tuple[tuple[JudgedLabel, str], ...]]

    def joined(self, item_group: ItemGroup) -> ItemGroup:
        """The items of both."""
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
    """The items that a model (or several models, taken as one) answered, by subset."""

    model: str
    label: str
    samples: int
    groups: Mapping[Place, ItemGroup]


def items_of(runs: Sequence[Run], policy: str | None = None) -> list[ModelItems]:
    """The items of every model of some runs; a model that several runs asked is one.

    Raises:
        NoTwinsError: a run has no perturbed problems.
        UserError: no item is answered with all its twins.

    """
    policy = common_policy(list(runs), policy)
    problems: dict[str, dict[str, Problem]] = {}
    judged: dict[str, dict[str, JudgedLabel]] = {}
    entries: dict[str, Mapping[str, Any]] = {}
    for run in runs:
        wanted = {key: p for key, p in run.problems.items() if isinstance(p.target, LabelTarget)}
        if not any(problem.perturbation for problem in wanted.values()):
            raise NoTwinsError(
                f"{run.path} has no problems with perturbed twins; sweep, as in --benchmark "
                "derivations/step3 --benchmark derivations/step3_vr, the originals with their "
                "perturbations"
            )
        entries |= {model: entry for model, entry in run.models.items() if model not in entries}
        for model, answers in judged_labels(run, policy).items():
            judged.setdefault(model, {}).update(answers)
            problems.setdefault(model, {}).update(wanted)
    answered = [
        ModelItems(
            model,
            str(entries[model]["label"]),
            int(entries[model]["samples"]),
            _groups(model, problems[model], answers),
        )
        for model, answers in judged.items()
    ]
    answered = [one for one in answered if one.groups]
    if not answered:
        named = ", ".join(str(run.path) for run in runs)
        raise UserError(f"{named}: no item is answered with all its twins yet")
    return answered


def judged_labels(run: Run, policy: str | None = None) -> dict[str, dict[str, JudgedLabel]]:
    """The label of every problem of a run whose answer is one, by model and problem key."""
    judged: dict[str, dict[str, JudgedLabel]] = {}
    for (model, key), sums in counts.totals(run.verdicts(policy)).items():
        problem = run.problems.get(key)
        if problem is not None and isinstance(problem.target, LabelTarget):
            truth = int(problem.target.label)
            judged.setdefault(model, {})[key] = JudgedLabel(truth, majority(truth, sums))
    return judged


def pooled(answered: Sequence[ModelItems], label: str) -> ModelItems:
    """Several models taken as one, such as an encoder for each number of steps (Table 3).

    An item that two of them answered counts twice.
    """
    groups: dict[Place, ItemGroup] = {}
    for one in answered:
        for place, group in one.groups.items():
            groups[place] = groups[place].joined(group) if place in groups else group
    samples = max(one.samples for one in answered)
    return ModelItems("+".join(one.model for one in answered), label, samples, groups)


def majority(truth: int, sums: Mapping[str, float]) -> int | None:
    """The label that most samples of a problem have, from the sums of their verdicts."""
    right, wrong = sums.get(Status.CORRECT, 0), sums.get(Status.INCORRECT, 0)
    return None if right == wrong else truth if right > wrong else 1 - truth


def _groups(
    model: str, problems: Mapping[str, Problem], judged: Mapping[str, JudgedLabel]
) -> dict[Place, ItemGroup]:
    return {
        (benchmark, subset, perturbations): ItemGroup(
            tuple(replace(item, model=model) for item in complete),
            left_out,
            _others(problems, judged, benchmark, subset),
        )
        for (benchmark, subset), (complete, perturbations, left_out) in items(
            problems, judged
        ).items()
        if complete
    }


def items(
    problems: Mapping[str, Problem], judged: Mapping[str, JudgedLabel]
) -> dict[tuple[str, str], tuple[list[PerturbedItem], tuple[str, ...], int]]:
    """By benchmark and subset: the items, the perturbations, and how many items are incomplete."""
    twins: dict[tuple[str, str], dict[str, str]] = {}
    for key, problem in problems.items():
        if problem.pair_parent is not None and problem.perturbation is not None:
            of = twins.setdefault((problem.benchmark, problem.pair_parent), {})
            of[problem.perturbation] = key
    # A subset made of the same problems (s-1) has other ids, so that only originals have twins.
    groups: dict[tuple[str, str], list[str]] = {}
    for key, problem in problems.items():
        if problem.pair_parent is None and (problem.benchmark, problem.id) in twins:
            groups.setdefault((problem.benchmark, problem.subset), []).append(key)
    groups_of_items = {}
    for place, keys in groups.items():
        known = [twins[place[0], problems[key].id] for key in keys]
        perturbations = tuple(dict.fromkeys(name for one in known for name in one))
        complete = []
        for key, its_twins in zip(keys, known, strict=True):
            asked = [its_twins.get(name, "") for name in perturbations]
            if key in judged and all(twin in judged for twin in asked):
                answers = {n: judged[k] for n, k in zip(perturbations, asked, strict=True)}
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
        groups_of_items[place] = complete, perturbations, len(keys) - len(complete)
    return groups_of_items


def _others(
    problems: Mapping[str, Problem], judged: Mapping[str, JudgedLabel], benchmark: str, subset: str
) -> dict[str, tuple[tuple[JudgedLabel, str], ...]]:
    """Sets of other problems that are named after this subset, as ``step3_minus1``."""
    sets: dict[str, list[tuple[JudgedLabel, str]]] = {}
    for key, problem in problems.items():
        named_after = problem.benchmark == benchmark and problem.subset.startswith(f"{subset}_")
        if named_after and problem.pair_parent is None and key in judged:
            name = problem.subset.removeprefix(f"{subset}_").replace("minus", "s-")
            example = str(problem.metadata.get("group", key))
            sets.setdefault(name, []).append((judged[key], example))
    return {name: tuple(labels) for name, labels in sets.items()}
