"""The type of a subset of a benchmark, and the sampling of problems under a limit."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from .problem import Problem

Make = Callable[[int, int], Problem]


@dataclass(frozen=True, slots=True)
class Subset:
    """A declared subset.

    Attributes:
        name: the full name, as in ``bee/competition``.
        make: makes the problem with a seed and an index.
        size: the number of problems; for an endless subset, the number without a limit.
        task: the task of its problems.
        source: the paper or document of origin.
        summary: a line of description.
        endless: whether indices may exceed the size.
        default: whether the bare name of the benchmark includes the subset; ``NAME/all`` always
            does.
        siblings: all subsets of the benchmark, or of the table.

    >>> from calculus_harness.benchmarks.registry import resolve
    >>> subset, = resolve("drills/monomials")
    >>> subset.size(), subset.task
    (72, 'integration')

    """

    name: str
    make: Make
    size: Callable[[], int]
    task: str
    source: str
    summary: str
    endless: bool = False
    default: bool = True
    siblings: Callable[[], tuple[Subset, ...]] = field(default=tuple, repr=False)

    @property
    def benchmark(self) -> str:
        return self.name.partition("/")[0]

    def problem(self, seed: int, index: int) -> Problem:
        """The problem with this index, counted from 0.

        Args:
            seed: the seed of generated problems.
            index: the index of the problem.

        Returns:
            The problem.

        Raises:
            IndexError: the index is out of range.

        """
        if index < 0 or (index >= self.size() and not self.endless):
            raise IndexError(f"{self.name} has problems 0 to {self.size() - 1}, not {index}")
        return self.make(seed, index)

    def problems(self, limit: int | None = None, seed: int = 0) -> list[Problem]:
        """All problems, or ``limit`` of them. A larger limit includes the problems of a smaller
        limit.

        Args:
            limit: the number of problems.
            seed: the seed of generated problems, and of the choice of ``limit`` problems.

        Returns:
            The problems.

        """
        size = self.size()
        if limit is None:
            indices = list(range(size))
        elif self.endless:
            indices = list(range(limit))
        elif self.perturbs:
            # Parents do not depend on the seed. Use seed 0, whose decisions are recorded: without
            # records, a problem may take minutes.
            recorded = self.problems(None, 0)
            order = family_order([(self, recorded)], seed)
            indices = sorted(range(size), key=lambda i: order[recorded[i]])[:limit]
        else:
            indices = sorted(range(size), key=lambda i: _shuffle_key(seed, self.name, i))[:limit]
        return [self.make(seed, index) for index in indices]

    @property
    def perturbs(self) -> bool:
        """Whether the problems are perturbations, with pair parents."""
        return self.size() > 0 and self.problem(0, 0).pair_parent is not None


def spread(limit: int, room: list[int]) -> list[int]:
    """Divide a limit evenly among subsets; no share shrinks when the limit grows.

    Args:
        limit: the sum of the shares.
        room: the largest share of each subset.

    Returns:
        The share of each subset.

    """
    shares = [0] * len(room)
    while limit > 0 and shares != room:
        for i, capacity in enumerate(room):
            if limit > 0 and shares[i] < capacity:
                shares[i] += 1
                limit -= 1
    return shares


def sample_families(subsets: Sequence[Subset], limit: int, seed: int = 0) -> list[Problem]:
    """Problems of several subsets, sampled by families: originals with their perturbations.

    Independent samples of originals and of perturbations have few pairs in common. A family is an
    original with its perturbations. Families are taken in `family_order`, in turn from the subsets
    of the originals, each with the first perturbation of every subset. Second perturbations follow
    after all families, because the power of a comparison depends on the number of families. Only
    the last family of a round may be incomplete, but has its original.

    Args:
        subsets: the subsets, none of them endless.
        limit: the number of problems. A larger limit includes the problems of a smaller limit.
        seed: the seed of the random order of families.

    Returns:
        The problems, in the order of the subsets. The problems of a subset are the first of
        `Subset.problems`, independent of the other subsets.

    """
    all_problems = [(subset, subset.problems(None, seed)) for subset in subsets]
    problems = [problem for _, its_problems in all_problems for problem in its_problems]
    order = family_order(all_problems, seed)
    families = sorted(problems, key=lambda problem: order[problem][:-1])  # stable within a family
    chosen = set(islice(families, limit))
    return [problem for problem in problems if problem in chosen]


#: A sort key: the number of earlier problems of the family in the subset, whether the original is
#: unknown, the original's rank in its subset, that subset's index in the benchmark, the original's
#: hash, whether the problem is a perturbation, the problem's index.
FamilyPlace = tuple[int, bool, int, int, bytes, bool, int]


def family_order(
    subsets: Sequence[tuple[Subset, Sequence[Problem]]], seed: int
) -> dict[Problem, FamilyPlace]:
    """The sort key of every problem, for the order of families under a limit.

    Args:
        subsets: subsets, each with all its problems.
        seed: the seed of the order.

    Returns:
        For every problem a sort key, which depends on the full benchmark, not on the choice of
        subsets.

    """
    positions = {(subset.name, subset.source): 0 for subset, _ in subsets}
    siblings: dict[tuple[str, str], Subset] = {}
    for subset in (subset for subset, _ in subsets if subset.perturbs):
        for position, sibling in enumerate(subset.siblings()):
            name = sibling.name, sibling.source
            if name not in positions and not (sibling.endless or sibling.perturbs):
                siblings[name] = sibling
            if name in positions or name in siblings:
                positions[name] = position
    ranks: dict[tuple[str, str], tuple[int, int]] = {}
    by_id: dict[tuple[str, str], Problem] = {}

    def rank(name: tuple[str, str], problems: Sequence[Problem]) -> None:
        for problem in problems:
            by_id.setdefault((problem.benchmark, problem.id), problem)
        originals = [index for index, problem in enumerate(problems) if problem.pair_parent is None]
        shuffled = sorted(originals, key=lambda index: _shuffle_key(seed, name[0], index))
        for number, index in enumerate(shuffled):
            original = problems[index]
            ranks.setdefault((original.benchmark, original.id), (number, positions[name]))

    for subset, problems in subsets:
        rank((subset.name, subset.source), problems)
    derived = [problem for subset, problems in subsets if subset.perturbs for problem in problems]
    for name, sibling in siblings.items():  # until every original is found
        if all((problem.benchmark, _original(problem, by_id)) in ranks for problem in derived):
            break
        rank(name, sibling.problems(None, seed))
    order: dict[Problem, FamilyPlace] = {}
    for _, problems in subsets:
        rounds: Counter[tuple[str, str]] = Counter()
        for position, problem in enumerate(problems):
            root = problem.benchmark, _original(problem, by_id)
            rank_and_place = ranks.get(root, (0, 0))
            unknown = root not in ranks
            key = _shuffle_key(seed, *root) if unknown else b""
            made_of = problem.pair_parent is not None
            order[problem] = (rounds[root], unknown, *rank_and_place, key, made_of, position)
            rounds[root] += 1
    return order


def _original(problem: Problem, by_id: Mapping[tuple[str, str], Problem]) -> str:
    """The id of the problem at the end of the chain of pair parents."""
    seen = {problem.id}
    while (parent := problem.pair_parent) is not None and parent not in seen:
        seen.add(parent)
        if (problem.benchmark, parent) not in by_id:
            return parent
        problem = by_id[problem.benchmark, parent]
    return problem.id


def _shuffle_key(seed: int, name: str, index: int | str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}:{index}".encode()).digest()
