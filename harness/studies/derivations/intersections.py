"""Items that several models answer in the same way (Figure 5 of Meadows et al.).

An item is an unperturbed problem with its perturbed versions (twins).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....rewards.records import Record
from .items import GroupKey, ModelItems, PerturbedItem
from .pairwise import CATEGORIES, Category, G, categorised


@dataclass(frozen=True)
class Intersection(Record):
    """The items (problems with perturbed versions) that several models answered.

    Attributes:
        benchmark: the benchmark of the unperturbed subset.
        subset: the name of the unperturbed subset.
        perturbations: the perturbations of the items' twins.
        models: labels of the models.
        items: the number of items that all models answered.
        categories: the counts for the categories S, G, None and All (`pairwise`). An item counts if
            it is in the category for all models.
        fail_to_generalise: the keys of the items that are in category G for all models.

    """

    benchmark: str
    subset: str
    perturbations: tuple[str, ...]
    models: tuple[str, ...]
    items: int
    categories: tuple[Category, ...]
    fail_to_generalise: tuple[str, ...]


def intersections(answered: Sequence[ModelItems]) -> list[Intersection]:
    """For each subset that several models answered, the items that all these models answered.

    Args:
        answered: the items of each model.

    Returns:
        Intersections with at least one common item, in the order of the subsets.

    """
    group_keys = dict.fromkeys(group for model_items in answered for group in model_items.groups)
    intersections = []
    for group_key in group_keys:
        models = [model_items for model_items in answered if group_key in model_items.groups]
        if len(models) > 1 and (intersection := _intersection(group_key, models)):
            intersections.append(intersection)
    return intersections


def _intersection(group_key: GroupKey, models: Sequence[ModelItems]) -> Intersection | None:
    items, *further_items = (
        {item.key: item for item in model.groups[group_key].items} for model in models
    )
    common: list[list[PerturbedItem]] = [
        [item, *(items_of_model[key] for items_of_model in further_items)]
        for key, item in items.items()
        if all(key in items_of_model for items_of_model in further_items)
    ]
    if not common:
        return None
    holds = {
        name: [all(map(is_in, answers)) for answers in common] for name, is_in in CATEGORIES.items()
    }
    operators = [answers[0].operator for answers in common]
    examples = [answers[0].example for answers in common]
    return Intersection(
        *group_key,
        models=tuple(model.label for model in models),
        items=len(common),
        categories=tuple(
            categorised(name, flags, operators, examples) for name, flags in holds.items()
        ),
        fail_to_generalise=tuple(
            answers[0].key
            for answers, in_category in zip(common, holds[G], strict=True)
            if in_category
        ),
    )
