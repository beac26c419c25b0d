"""Augmented problems: AntiderivBench's three kinds and ours, made by `benchmarks.bee.recipes`.

Each problem is addressable by (recipe, seed, index): index i is variation i mod n of competition
problem i div n. A draw is taken if the integrand is real somewhere and the verifier proves the
antiderivative that follows from the parents'; else there is another draw. Then SymPy simplifies
the integrand; where it cannot in time, or the verifier does not prove the result to be the same,
the integrand stays as it is. These decisions are recorded (`benchmarks.bee.records`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any, TypeAlias

from ...rewards import ProblemError, Status, Verdict, verify_antiderivative
from ...rewards.decision.integrand import prepare
from ...rewards.expression.tree import Expression
from ...rewards.latex import ReadError, read, to_latex
from ..fingerprint import Fingerprint, fingerprint
from ..problem import Problem
from ..registry import benchmark
from . import bank
from .recipes import RECIPES, Choices, Draft, Known, Recipe
from .records import Record, base_of, ledger
from .simplify import CPU_LIMIT, Outcome, simplify_all

#: Draws for one problem before it is given up.
MAX_DRAWS = 40
#: How the verifier marks a proof at points where f, or a part of it, is not real.
_UNREAL = {"complex_disc", "complex_parts"}
#: Problems that are simplified at a time.
BATCH = 24


class AugmentationError(ValueError):
    """There is nothing to make problems of, or no draw is any good."""


@dataclass(frozen=True)
class Parents:
    """What problems are made of: the competition's, and the qualifier's to combine them with."""

    competition: tuple[Known, ...]
    qualifier: tuple[Known, ...]

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Parents:
        """Those problems of a set that have a reference. Without partitions, all are both."""
        known: dict[str, list[Known]] = {"competition": [], "qualifier": []}
        for problem in problems:
            if problem.task != "integration" or "antiderivative" not in problem.target:
                continue
            if problem.target["variable"] != bank.VARIABLE:
                raise AugmentationError(f"{problem.id}: the variable must be {bank.VARIABLE}")
            known.setdefault(problem.subset, []).append(_known(problem))
        every = tuple(item for items in known.values() for item in items)
        if not every:
            raise AugmentationError("there are no problems with a reference to make others of")
        competition, qualifier = tuple(known["competition"]), tuple(known["qualifier"])
        return cls(competition or every, qualifier or every)

    @cached_property
    def _fingerprints(self) -> tuple[Fingerprint, ...]:
        known = dict.fromkeys((*self.competition, *self.qualifier))
        return tuple(fingerprint(to_latex(parent.integrand), bank.VARIABLE) for parent in known)

    def include(self, integrand: str) -> bool:
        """Whether an integrand is one of the parents' up to a factor."""
        mine = fingerprint(integrand, bank.VARIABLE)
        return any(mine.resembles(other) and mine.same(other) for other in self._fingerprints)


def _known(problem: Problem) -> Known:
    f = prepare(str(problem.target["integrand"]), bank.VARIABLE, None).expression
    try:
        text = str(problem.target["antiderivative"])
        antiderivative = read(text, symbols=[bank.VARIABLE])[0].expression
    except ReadError as error:
        raise AugmentationError(f"{problem.id}: unreadable antiderivative: {error}") from None
    return Known(problem.id, f, antiderivative)


@cache
def built_in() -> Parents:
    """The bank of this package."""
    return Parents.of([*bank.problems("competition"), *bank.problems("qualifier")])


@dataclass(frozen=True, slots=True)
class _Taken:
    """A draft that was taken, at its place: variation ``variation`` of f."""

    f: Known
    variation: int
    draft: Draft
    turn: int
    coverage: float | None = None

    @property
    def integrand(self) -> str:
        return to_latex(self.draft.integrand)

    @property
    def antiderivative(self) -> str:
        return to_latex(self.draft.antiderivative)


@dataclass(frozen=True, slots=True)
class Generator:
    """Makes the problems of one recipe, seed and difficulty from given parents."""

    recipe: Recipe
    parents: Parents
    seed: int = 0
    difficulty: int = 1
    cpu_limit: float = CPU_LIMIT

    @property
    def size(self) -> int:
        """How many places there are; where no draw is any good, a place stays empty."""
        return self.recipe.variations * len(self._originals)

    def at(self, index: int) -> Problem | None:
        """The problem at one place."""
        return self._made([index])[0][0]

    def problems(self, limit: int | None = None) -> Iterator[Problem]:
        """All problems in order, or the first ``limit``."""
        return islice((problem for problem, _ in self._all() if problem is not None), limit)

    def records(self) -> Iterator[Record]:
        """The decisions about all problems: what the package holds for seed 0."""
        return (record for _, record in self._all() if record is not None)

    @property
    def _originals(self) -> tuple[Known, ...]:
        parents = self.parents
        if self.recipe.of_all:
            return tuple(dict.fromkeys((*parents.competition, *parents.qualifier)))
        return parents.competition

    def _all(self) -> Iterator[_Made]:
        for start in range(0, self.size, BATCH):
            yield from self._made(range(start, min(start + BATCH, self.size)))

    def _made(self, indices: Sequence[int]) -> list[_Made]:
        taken: list[_Taken | None] = []
        records: dict[int, Record] = {}
        for at, index in enumerate(indices):
            f, variation = self.place(index)
            recorded = self._recorded(f, variation)
            if recorded is not None:
                records[at] = recorded[1]
            taken.append(recorded[0] if recorded else self._draw(f, variation))
        undecided = {at: one for at, one in enumerate(taken) if one and at not in records}
        decided = self._decide(list(undecided.values()))
        ledger().add(decided)
        records |= dict(zip(undecided, decided, strict=True))
        return [
            (self._problem(one, records[at]), records[at]) if one else (None, None)
            for at, one in enumerate(taken)
        ]

    def place(self, index: int) -> tuple[Known, int]:
        """Which variation of which problem this index means."""
        if not 0 <= index < self.size:
            raise IndexError(f"{self.recipe.name} has places 0 to {self.size - 1}, not {index}")
        original, variation = divmod(index, self.recipe.variations)
        return self._originals[original], variation

    def _draft(self, f: Known, turn: int) -> Draft | None:
        others = [known for known in self.parents.qualifier if known.id != f.id]
        key = (self.recipe.name, self.seed, f.id)
        try:
            return self.recipe.make(f, Choices(key, others, turn, self.difficulty))
        except ValueError:  # a function that cannot be differentiated here
            return None

    def _recorded(self, f: Known, variation: int) -> tuple[_Taken, Record] | None:
        place = (self.recipe.name, self.seed, self.difficulty, _spot(f, variation))
        for record in ledger().find(place):
            draft = self._draft(f, record.turn)
            if draft is not None and base_of(draft.integrand) == record.base:
                return _Taken(f, variation, draft, record.turn, record.coverage), record
        return None

    def _draw(self, f: Known, variation: int) -> _Taken | None:
        """The first draw that is real somewhere, proven, and none of the parents itself."""
        step = self.recipe.variations
        tried: set[Expression] = set()
        for turn in range(variation, variation + MAX_DRAWS * step, step):
            draft = self._draft(f, turn)
            if draft is None or draft.integrand in tried:
                continue
            tried.add(draft.integrand)
            integrand = to_latex(draft.integrand)
            verdict = _proof(to_latex(draft.antiderivative), integrand)
            if verdict is not None and not self.parents.include(integrand):
                return _Taken(f, variation, draft, turn, verdict.evidence.coverage)
        return None

    def _decide(self, taken: Sequence[_Taken]) -> list[Record]:
        outcomes: list[Outcome] = [(None, "kept")] * len(taken)
        if self.recipe.simplified:
            outcomes = simplify_all([one.integrand for one in taken], cpu_limit=self.cpu_limit)
        records: list[Record] = []
        for one, (simplified, outcome) in zip(taken, outcomes, strict=True):
            coverage = one.coverage
            if simplified is not None:
                verdict = _proof(one.antiderivative, simplified)
                if verdict is not None:
                    coverage = verdict.evidence.coverage
                else:
                    simplified, outcome = None, "unproven"
            spot = _spot(one.f, one.variation)
            records.append(
                Record(
                    self.recipe.name,
                    self.seed,
                    self.difficulty,
                    spot,
                    one.turn,
                    base_of(one.draft.integrand),
                    outcome,
                    simplified,
                    None if coverage == 1 else coverage,
                )
            )
        return records

    def _problem(self, one: _Taken, record: Record) -> Problem:
        shown: dict[str, Any] = {
            "integrand": record.integrand or one.integrand,
            "variable": bank.VARIABLE,
        }
        metadata: dict[str, Any] = {
            **one.draft.details,
            "seed": self.seed,
            "difficulty": self.difficulty,
            "draw": one.turn,
            "simplify": record.outcome,
        }
        if record.coverage is not None:
            metadata["coverage"] = record.coverage
        level = f"-d{self.difficulty}" if self.difficulty > 1 else ""
        return Problem(
            id=f"{record.spot}-{self.recipe.name}-s{self.seed}{level}",
            task="integration",
            benchmark="bee",
            subset=self.recipe.name,
            inputs=shown,
            target={**shown, "antiderivative": one.antiderivative},
            parents=one.draft.parents,
            pair_parent=one.f.id,
            perturbation=self.recipe.name,
            metadata=metadata,
        )


_Made: TypeAlias = tuple[Problem, Record] | tuple[None, None]


def _spot(f: Known, variation: int) -> str:
    return f"{f.id}-{variation + 1}"


def _proof(antiderivative: str, integrand: str) -> Verdict | None:
    """The verdict that proves a reference; None if none does, or f is real nowhere."""
    try:
        verdict = verify_antiderivative(antiderivative, integrand, variable=bank.VARIABLE)
    except ProblemError:
        return None
    if verdict.status is Status.ERROR:  # a fault of ours must not look like a bad draw
        raise AugmentationError(f"{verdict.evidence.detail} (integrand {integrand})")
    return verdict if verdict.correct and not _UNREAL & set(verdict.evidence.flags) else None


# --- the subsets of the built-in bank ---


@cache
def _places(recipe: str) -> tuple[int, ...]:
    """The indices of a recipe's places at which there is a problem with seed 0."""
    generator = Generator(RECIPES[recipe], built_in())
    spots = ledger().places(recipe)
    return tuple(i for i in range(generator.size) if _spot(*generator.place(i)) in spots)


def _make(recipe: str, seed: int, index: int) -> Problem:
    place = _places(recipe)[index]
    problem = Generator(RECIPES[recipe], built_in(), seed).at(place)
    if problem is None:
        raise AugmentationError(f"no {recipe} problem {index} with seed {seed}")
    return problem


def _declare(recipe: Recipe) -> None:
    make = partial(_make, recipe.name)
    make.__doc__ = recipe.summary
    benchmark(
        f"bee/{recipe.name}",
        source=f"{recipe.source}; made of the problems of bee/competition and bee/qualifier",
        size=lambda: len(_places(recipe.name)),
        default=False,
    )(make)


for _recipe in RECIPES.values():
    _declare(_recipe)
