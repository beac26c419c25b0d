"""The registry of benchmarks, and loading problems from them.

A benchmark is one module that declares its subsets, and one line in `MODULES`:

    # benchmarks/mine.py
    from .problem import Problem
    from .registry import benchmark

    @benchmark("mine/powers", source="Example, 2026", size=100)
    def power(seed: int, index: int) -> Problem:
        '''Powers of x.'''
        shown = {"integrand": f"x^{{{index + 1}}}", "variable": "x"}
        return Problem(f"power-{index}", "integration", "mine", "powers", shown, shown)

    # benchmarks/registry.py
    MODULES = {..., "mine": ".mine"}

A subset is a function of a seed and an index, so every problem can be addressed and is the same
on every machine. The docstring's first line is the subset's summary. A module is imported when one
of its subsets is asked for.

Other packages bring benchmarks by an entry point, whose name is the benchmark's:

    [project.entry-points."calculus_harness.benchmarks"]
    mine = "my_package.mine"
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from itertools import islice

from ..rewards.errors import suggest
from . import files
from .errors import BenchmarkError
from .problem import Problem

#: Benchmark -> the module that declares its subsets.
MODULES: dict[str, str] = {
    "bee": ".bee",
    "lample_charton": ".lample_charton",
    "definite": ".definite",
    "drills": ".drills",
    "solution_steps": ".solution_steps",
    "brittleness": ".brittleness",
    "derivations": ".derivations",
    "calculus": ".derivations",
    "hint": ".hint.subsets",
}
#: The entry point group of other packages' benchmarks.
ENTRY_POINTS = "calculus_harness.benchmarks"

Make = Callable[[int, int], Problem]


class UnknownBenchmarkError(BenchmarkError):
    """The name of a benchmark or subset is unknown; the message suggests similar names."""


class PluginError(UnknownBenchmarkError):
    """A benchmark of another package that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Subset:
    """One declared subset.

    Attributes:
        name: the full name, as in ``bee/competition``.
        make: makes the problem with a seed and an index.
        size: the number of problems; of an endless subset, how many are taken without a limit.
        task: the task of its problems.
        source: the paper or document that it is from.
        summary: one line that describes it.
        endless: whether indices may exceed the size.
        default: whether the bare name of the benchmark includes it; ``NAME/all`` always does.
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
            index: which problem.

        Returns:
            The problem.

        Raises:
            IndexError: if there is no such index.

        """
        if index < 0 or (index >= self.size() and not self.endless):
            raise IndexError(f"{self.name} has problems 0 to {self.size() - 1}, not {index}")
        return self.make(seed, index)

    def problems(self, limit: int | None = None, seed: int = 0) -> list[Problem]:
        """All problems, or ``limit`` of them. A larger limit includes those of a smaller one.

        Args:
            limit: how many problems.
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
            # What a problem was made from does not depend on the seed; the problems of seed 0 have
            # recorded decisions, and others may take minutes each.
            recorded = self.problems(None, 0)
            order = family_order([(self, recorded)], seed)
            indices = sorted(range(size), key=lambda i: order[recorded[i]])[:limit]
        else:
            indices = sorted(range(size), key=lambda i: _shuffle_key(seed, self.name, i))[:limit]
        return [self.make(seed, index) for index in indices]

    @property
    def perturbs(self) -> bool:
        """Whether its problems are made from others, to be compared with them."""
        return self.size() > 0 and self.problem(0, 0).pair_parent is not None


_SUBSETS: dict[str, Subset] = {}


def benchmark(
    name: str,
    *,
    source: str,
    size: int | Callable[[], int],
    task: str = "integration",
    endless: bool = False,
    default: bool = True,
) -> Callable[[Make], Make]:
    """Declare a subset; the decorated function makes the problem with a seed and an index.

    Args:
        name: the full name, ``BENCHMARK/SUBSET``.
        source: the paper or document that it is from.
        size: the number of problems, or a function that returns it.
        task: the task of its problems.
        endless: whether indices may exceed ``size``.
        default: whether the bare name of the benchmark includes the subset.

    Returns:
        A decorator that returns the function unchanged.

    Example::

        @benchmark("mine/powers", source="Example, 2026", size=100)
        def power(seed: int, index: int) -> Problem:
            shown = {"integrand": f"x^{{{index + 1}}}", "variable": "x"}
            return Problem(f"power-{index}", "integration", "mine", "powers", shown, shown)

    """

    def declare(make: Make) -> Make:
        summary = (make.__doc__ or "").strip().partition("\n")[0]
        count = size if callable(size) else lambda: size
        _SUBSETS[name] = Subset(
            name,
            make,
            count,
            task,
            source,
            summary,
            endless,
            default,
            lambda: _declared(name.partition("/")[0]),
        )
        return make

    return declare


def names() -> tuple[str, ...]:
    """The names of all benchmarks: those of this package, then those of other packages.

    Returns:
        The names.

    Raises:
        PluginError: if another package brings a benchmark whose name is already taken.

    >>> names()[:3]
    ('bee', 'lample_charton', 'definite')

    """
    return (*MODULES, *_plugins())


def subsets(name: str) -> tuple[str, ...]:
    """The names of a benchmark's subsets.

    Args:
        name: the benchmark's name.

    Returns:
        The names, without the benchmark's.

    Raises:
        UnknownBenchmarkError: if there is no such benchmark.

    >>> subsets("drills")[:2]
    ('monomials', 'monomials_train')

    """
    return tuple(subset.name.partition("/")[2] for subset in _declared(name))


def resolve(spec: str) -> tuple[Subset, ...]:
    """The subsets that a name stands for.

    Args:
        spec: ``bee`` (its default subsets), ``bee/all``, ``bee/competition``, or the name of a
            table (`benchmarks.files`).

    Raises:
        UnknownBenchmarkError: if there is no such benchmark or subset.
        ProblemFileError: if a table cannot be used.

    """
    if files.is_source(spec):
        return _in_table(spec)
    name, slash, part = spec.partition("/")
    declared = _declared(name)
    if not slash:
        return tuple(subset for subset in declared if subset.default)
    if part == "all":
        return declared
    matches = tuple(subset for subset in declared if subset.name == spec)
    if not matches:
        parts = [subset.name.partition("/")[2] for subset in declared]
        raise UnknownBenchmarkError(
            f"benchmark {name!r} has no subset {part!r}; {suggest(part, parts)}"
            + (f", or the path of a file; {part} is none" if files.RELEASED.get(f"{name}/") else "")
        )
    return matches


def load(spec: str, *, limit: int | None = None, seed: int = 0) -> list[Problem]:
    """The problems of a benchmark, a subset or a table.

    Args:
        spec: a name; see `resolve`.
        limit: how many problems at most, spread evenly over the subsets. A larger limit includes
            the problems of a smaller one.
        seed: the seed of generated problems and of the choice of ``limit`` problems.

    Returns:
        The problems, the same for the same arguments.

    Raises:
        UnknownBenchmarkError: if there is no such benchmark or subset.
        ProblemFileError: if a table cannot be used.
        ValueError: if the limit is negative.

    >>> len(load("drills/sums"))
    72

    """
    if limit is not None and limit < 0:
        raise ValueError(f"limit must not be negative, got {limit}")
    chosen = resolve(spec)
    if limit is None:
        shares: list[int | None] = [None] * len(chosen)
    else:
        room = [limit if subset.endless else subset.size() for subset in chosen]
        shares = list(spread(limit, room))
    return [
        problem
        for subset, share in zip(chosen, shares, strict=True)
        for problem in subset.problems(share, seed)
    ]


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
    original with all problems that are compared with it. Families are taken in `family_order`, in
    turn from the subsets of the originals. Only the last family may be incomplete; it has its
    original.

    Args:
        subsets: the subsets, none of them endless.
        limit: how many problems. A larger limit includes the problems of a smaller one.
        seed: the seed of the random order of families.

    Returns:
        The problems, in the order of the subsets. Those of each subset are the first of
        `Subset.problems`, whatever the others are.

    """
    whole = [(subset, subset.problems(None, seed)) for subset in subsets]
    problems = [problem for _, its_problems in whole for problem in its_problems]
    order = family_order(whole, seed)
    families = sorted(problems, key=lambda problem: order[problem][:-1])  # stable within a family
    chosen = set(islice(families, limit))
    return [problem for problem in problems if problem in chosen]


#: A sort key: whether the original is unknown, its place in the order of its subset, that subset's
#: place in its benchmark, the original's id, whether it is a perturbation, its place.
FamilyPlace = tuple[bool, int, int, bytes, bool, int]


def family_order(
    subsets: Sequence[tuple[Subset, Sequence[Problem]]], seed: int
) -> dict[Problem, FamilyPlace]:
    """The place of every problem in the order in which a limit takes families.

    Args:
        subsets: subsets, each with all its problems.
        seed: the seed of the order.

    Returns:
        For every problem a sort key. It depends on the whole benchmark, and not on which of its
        subsets are given.

    """
    known = {(one.name, one.source): problems for one, problems in subsets}
    places = {(one.name, one.source): 0 for one, _ in subsets}
    for subset in (one for one, _ in subsets if one.perturbs):
        for place, one in enumerate(subset.siblings()):
            if (one.name, one.source) in known:
                places[one.name, one.source] = place
            elif not (one.endless or one.perturbs):
                known[one.name, one.source] = one.problems(None, seed)
                places[one.name, one.source] = place
    ranks: dict[tuple[str, str], tuple[int, int]] = {}
    by_id: dict[tuple[str, str], Problem] = {}
    for name, problems in known.items():
        for problem in problems:
            by_id.setdefault((problem.benchmark, problem.id), problem)
        originals = [place for place, one in enumerate(problems) if one.pair_parent is None]
        shuffled = sorted(originals, key=lambda index: _shuffle_key(seed, name[0], index))
        for rank, index in enumerate(shuffled):
            original = problems[index]
            ranks.setdefault((original.benchmark, original.id), (rank, places[name]))
    order: dict[Problem, FamilyPlace] = {}
    for _, problems in subsets:
        for place, problem in enumerate(problems):
            root = problem.benchmark, _original(problem, by_id)
            rank_and_place = ranks.get(root, (0, 0))
            unknown = root not in ranks
            key = _shuffle_key(seed, *root) if unknown else b""
            order[problem] = (unknown, *rank_and_place, key, problem.pair_parent is not None, place)
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


def _in_table(spec: str) -> tuple[Subset, ...]:
    source = files.parse(spec)
    groups: dict[str, list[Problem]] = {}
    for problem in files.read_problems(source):
        groups.setdefault(problem.name, []).append(problem)

    def subset(name: str, problems: list[Problem]) -> Subset:
        return Subset(
            name=name,
            make=lambda seed, index: problems[index],
            size=lambda: len(problems),
            task=problems[0].task,
            source=spec,
            summary=f"Problems in {source.place}.",
            siblings=lambda: members,
        )

    members: tuple[Subset, ...] = tuple(subset(*group) for group in groups.items())
    return members


def _declared(name: str) -> tuple[Subset, ...]:
    if name in MODULES:
        importlib.import_module(MODULES[name], __package__)
    else:
        plugins = _plugins()
        if name not in plugins:
            raise UnknownBenchmarkError(f"unknown benchmark {name!r}; {suggest(name, names())}")
        _load_plugin(plugins[name])
    return tuple(subset for subset in _SUBSETS.values() if subset.benchmark == name)


def _plugins() -> dict[str, EntryPoint]:
    """The benchmarks of other packages by name."""
    plugins: dict[str, EntryPoint] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name in MODULES or plugins.get(entry.name, entry).value != entry.value:
            raise PluginError(
                f"{_place(entry)} brings a benchmark {entry.name!r}, a name that is taken: "
                "rename it or uninstall the package"
            )
        plugins[entry.name] = entry
    return plugins


def _load_plugin(entry: EntryPoint) -> None:
    try:
        entry.load()
    except Exception as error:  # whatever the other package's module raises
        raise PluginError(
            f"benchmark {entry.name!r} of {_place(entry)} cannot be imported: {error}"
        ) from error
    if not any(subset.benchmark == entry.name for subset in _SUBSETS.values()):
        raise PluginError(
            f"{_place(entry)} declares no subset {entry.name}/...: decorate a function with "
            f"@benchmark('{entry.name}/SUBSET', ...)"
        )


def _place(entry: EntryPoint) -> str:
    return f"the package {entry.dist.name} ({entry.value})" if entry.dist else entry.value


def _shuffle_key(seed: int, name: str, index: int | str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}:{index}".encode()).digest()
