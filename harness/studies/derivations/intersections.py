"""What several models have in common: items that all of them answer in the same way (Figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....rewards.records import Record
from .items import ModelItems, PerturbedItem, Place
from .pairwise import CATEGORIES, Category, G, categorised


@dataclass(frozen=True)
class Intersection(Record):
    """The items that several models answered, and those in a category for each of them.

    Attributes:
        benchmark: of the unperturbed subset.
        subset: its name.
        perturbations: those of its twins.
        models: labels of the models.
        items: how many items all of them answered.
        categories: S, G, None and All, each for all models.
        fail_to_generalise: keys of the items in G for all models.

    """

    benchmark: str
    subset: str
    perturbations: tuple[str, ...]
    models: tuple[str, ...]
    items: int
    categories: tuple[Category, ...]
    fail_to_generalise: tuple[str, ...]


def intersections(answered: Sequence[ModelItems]) -> list[Intersection]:
    """An intersection for every subset that more than one model answered.

    Args:
        answered: the items of each model.

    Returns:
        Those with at least one common item, in the order of the subsets.

    """
    places = dict.fromkeys(group for one in answered for group in one.groups)
    intersections = []
    for place in places:
        models = [one for one in answered if place in one.groups]
        if len(models) > 1 and (intersection := _intersection(place, models)):
            intersections.append(intersection)
    return intersections


def _intersection(place: Place, models: Sequence[ModelItems]) -> Intersection | None:
    first, *others = ({item.key: item for item in model.groups[place].items} for model in models)
    common: list[list[PerturbedItem]] = [
        [item, *(other[key] for other in others)]
        for key, item in first.items()
        if all(key in other for other in others)
    ]
    if not common:
        return None
    holds = {name: [all(map(is_in, each)) for each in common] for name, is_in in CATEGORIES.items()}
    operators = [each[0].operator for each in common]
    examples = [each[0].example for each in common]
    return Intersection(
        *place,
        models=tuple(one.label for one in models),
        items=len(common),
        categories=tuple(
            categorised(name, flags, operators, examples) for name, flags in holds.items()
        ),
        fail_to_generalise=tuple(
            each[0].key for each, one in zip(common, holds[G], strict=True) if one
        ),
    )
