"""The settings of a search for problems that a model fails, and of the published searches."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal

from msgspec import Meta

from ....rewards.records import Record, convert
from ...core.errors import UnknownNameError, UserError, suggest
from .mutations import MutationSet, Rules, Variant

Count = Annotated[int, Meta(ge=1)]
Fitness = Literal["length", "trig", "target", "distance"]
Select = Literal["clusters", "fittest"]
Simplifier = Literal["normal-form", "sympy"]


@dataclass(frozen=True, slots=True)
class SearchSettings(Record):
    """The settings of a search for problems that a model fails.

    The defaults are from the code of Welleck et al., except for the embedding and the simplifier.

    Attributes:
        name: the name of the problems' subset.
        seeds: the first formulas, in SymPy's notation.
        mutations: ``all``, or ``constants`` to replace nodes by constants only.
        low: the least constant of mutations.
        high: the upper bound of the constants, not included.
        variant: ``code`` for the mutations and the fitness of this code, or ``paper`` for the
            mutations and the fitness in their text.
        fitness: the failures to prefer. ``length`` prefers short formulas. ``trig`` prefers short
            formulas with sines, cosines or tangents. ``target`` prefers formulas of a given length,
            and ``distance`` formulas similar to the seeds.
        target: the preferred number of characters, for the fitness ``target``.
        threshold: the smallest fitness of a failure that enters the archive.
        archive: the number of failures at which the search ends.
        generations: the number of generations after which the search ends.
        generation_size: the number of mutants in a generation.
        seed_size: the number of failures that become seeds of the next generation. The original
            seeds are always added.
        select: ``clusters`` to take the fittest failures of every cluster as seeds, or ``fittest``
            to take the fittest failures overall.
        clusters: the number of clusters of new failures.
        embedding: the kind of vectors for clustering: ``ngrams``, ``structure``, ``scibert``,
            ``minilm``, or ``encoder:NAME`` (`embedding.embedding`).
        simplifier: ``normal-form``, or SymPy's ``simplify`` as published (``sympy``).
        fails_below: with several samples per problem, the pass rate of a failure must be below this
            bound. With None, a failure is a problem that no sample solves.
        confirm: whether to ask a failure again, with fresh seeds, before it is stored.
        minimised: the number of failures to minimise.

    >>> SearchSettings(seeds=("x",), generation_size=10).to_dict()["archive"]
    1000

    """

    name: str = "own"
    seeds: tuple[str, ...] = ("1", "x", "x + 1", "x**2 + x + 1")
    mutations: MutationSet = "all"
    low: int = -1000
    high: int = 1000
    variant: Variant = "code"
    fitness: Fitness = "length"
    target: Count | None = None
    threshold: Annotated[float, Meta(ge=0)] = 0.01
    archive: Count = 1000
    generations: Count = 100
    generation_size: Count = 1000
    seed_size: Count = 100
    select: Select = "clusters"
    clusters: Count = 10
    embedding: str = "ngrams"
    simplifier: Simplifier = "normal-form"
    fails_below: Annotated[float, Meta(gt=0, le=1)] | None = None
    confirm: bool = True
    minimised: Annotated[int, Meta(ge=0)] = 0

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise UserError(f"constants from {self.low} to below {self.high}: there are none")
        if not self.seeds:
            raise UserError("a search needs at least one seed")
        if (self.fitness == "target") != (self.target is not None):
            raise UserError("a target is a number of characters, for the fitness 'target' only")

    @property
    def rules(self) -> Rules:
        """The mutations that the settings select."""
        return Rules(self.mutations, self.low, self.high, self.variant)


@cache
def _presets() -> Mapping[str, dict[str, Any]]:
    text = resources.files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
    return {
        name: {word.replace("-", "_"): value for word, value in row.items()}
        for name, row in tomllib.loads(text).items()
    }


def preset_names() -> tuple[str, ...]:
    """The names of the searches that Welleck et al. published.

    Returns:
        The names, for `search_settings`.

    >>> preset_names()[:3]
    ('general', 'general-trig', 'robust-poly')

    """
    return tuple(_presets())


def search_settings(preset: str | None = None, **changes: Any) -> SearchSettings:
    """The settings of a search by Welleck et al., or the default settings, with changes.

    Args:
        preset: the name of the search (`preset_names`).
        changes: fields of `SearchSettings`, which replace the other settings.

    Returns:
        The checked settings.

    Raises:
        UserError: a setting is unknown, of the wrong type or out of range.

    >>> search_settings("robust-poly", archive=50).high
    100

    """
    row: dict[str, Any] = {}
    if preset is not None:
        if preset not in _presets():
            raise UnknownNameError(f"no search {preset!r}; {suggest(preset, preset_names())}")
        row = {"name": preset} | _presets()[preset]
    names = {item.name for item in fields(SearchSettings)}
    for name in changes:
        if name not in names:
            raise UserError(f"a search has no setting {name!r}; {suggest(name, names)}")
    return convert(row | changes, SearchSettings, lambda name: name.replace("_", "-"))
