"""The benchmarks there are, and how to get problems from them.

A benchmark is a module that declares its subsets with `benchmark`, and one line in `MODULES`:

    @benchmark("brittleness/primitives", source="Welleck et al. 2022, table 2", size=500)
    def primitive(seed: int, index: int) -> Problem:
        '''One line on what the problems are.'''

A subset is a function from (seed, index) to a problem, so that each problem is addressable and the
same everywhere. Modules are imported when one of their subsets is asked for.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from . import files
from .problem import Problem

#: Benchmark name -> the module that declares its subsets.
MODULES: dict[str, str] = {
    "bee": ".bee",
    "lample_charton": ".lample_charton",
    "drills": ".drills",
    "brittleness": ".brittleness",
    "derivations": ".derivations",
    "calculus": ".derivations",
}

Make = Callable[[int, int], Problem]


class UnknownBenchmarkError(ValueError):
    """A name that is in no registry; the message suggests near misses."""


@dataclass(frozen=True, slots=True)
class Subset:
    """One declared subset.

    ``size`` is how many problems it has, and for an ``endless`` one how many are taken when no
    limit is given. Only ``default`` subsets are meant by the bare name of the benchmark; all of
    them are meant by ``NAME/all``.
    """

    name: str
    make: Make
    size: Callable[[], int]
    task: str
    source: str
    summary: str
    endless: bool = False
    default: bool = True

    @property
    def benchmark(self) -> str:
        return self.name.partition("/")[0]

    def problem(self, seed: int, index: int) -> Problem:
        """The problem with this index, counted from 0."""
        if index < 0 or (index >= self.size() and not self.endless):
            raise IndexError(f"{self.name} has problems 0 to {self.size() - 1}, not {index}")
        return self.make(seed, index)

    def problems(self, limit: int | None = None, seed: int = 0) -> list[Problem]:
        """All problems, or a sample of ``limit`` that a larger limit only adds to."""
        size = self.size()
        if limit is None:
            indices = list(range(size))
        elif self.endless:
            indices = list(range(limit))
        else:
            indices = sorted(range(size), key=lambda i: _shuffle_key(seed, self.name, i))[:limit]
        return [self.make(seed, index) for index in indices]


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
    """Declare a subset; its summary is the first line of the decorated function's docstring."""

    def declare(make: Make) -> Make:
        summary = (make.__doc__ or "").strip().partition("\n")[0]
        count = size if callable(size) else lambda: size
        _SUBSETS[name] = Subset(name, make, count, task, source, summary, endless, default)
        return make

    return declare


def names() -> tuple[str, ...]:
    """The names of all benchmarks, in the registry's order."""
    return tuple(MODULES)


def subsets(name: str) -> tuple[str, ...]:
    """The subsets of a benchmark, as in ``("qualifier", "competition")``."""
    return tuple(subset.name.partition("/")[2] for subset in _declared(name))


def resolve(spec: str) -> tuple[Subset, ...]:
    """What a spec means: ``bee`` (its default subsets), ``bee/all``, or ``bee/competition``.

    A file or a data set on a hub is meant by its place (`benchmarks.files`).
    """
    if files.is_source(spec):
        return _in_source(spec)
    name, slash, part = spec.partition("/")
    declared = _declared(name)
    if not slash:
        return tuple(subset for subset in declared if subset.default)
    if part == "all":
        return declared
    found = tuple(subset for subset in declared if subset.name == spec)
    if not found:
        known = [subset.name.partition("/")[2] for subset in declared]
        raise UnknownBenchmarkError(
            f"benchmark {name!r} has no subset {part!r}{_suggest(part, known)}"
        )
    return found


def load(spec: str, *, limit: int | None = None, seed: int = 0) -> list[Problem]:
    """The problems that a spec names; ``limit`` is spread evenly over its subsets.

    The same seed gives the same problems, and a larger limit only adds to a smaller one's. Raises
    `UnknownBenchmarkError` with a suggestion when there is no such benchmark or subset.
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
    """Share ``limit`` out one by one in turn, to whoever still has room.

    No share shrinks when the limit grows, which is what lets a run be extended.
    """
    shares = [0] * len(room)
    while limit > 0 and shares != room:
        for i, capacity in enumerate(room):
            if limit > 0 and shares[i] < capacity:
                shares[i] += 1
                limit -= 1
    return shares


def together(subsets: Sequence[Sequence[Problem]], limit: int, seed: int = 0) -> list[Problem]:
    """``limit`` of the problems of several subsets, with what they were made from.

    A sample of originals and an independent one of their perturbations hardly have a pair in
    common. Here whole families are taken, an original with all that is compared with it, in turn
    from the subsets of the originals; only the last one may be cut, and then keeps its original. A
    larger limit only adds to a smaller one's. The order is that of the subsets.
    """
    every = [problem for subset in subsets for problem in subset]
    known = {(problem.benchmark, problem.id): problem for problem in every}
    families: dict[tuple[str, str], list[Problem]] = {}
    for problem in every:
        families.setdefault((problem.benchmark, _origin(problem, known)), []).append(problem)
    queues: dict[str, list[list[Problem]]] = {}
    for (_, origin), family in families.items():
        family.sort(key=lambda problem: problem.id != origin)  # the original first
        queues.setdefault(family[0].name, []).append(family)
    for name, queue in queues.items():
        queue.sort(key=lambda family: _shuffle_key(seed, name, family[0].id))
    turns = (family for turn in zip_longest(*queues.values()) for family in turn if family)
    chosen = set(islice((problem for family in turns for problem in family), limit))
    return [problem for problem in every if problem in chosen]


def _origin(problem: Problem, known: Mapping[tuple[str, str], Problem]) -> str:
    """The id of the problem that this one is compared with, through all generations."""
    seen = {problem.id}
    while (parent := problem.pair_parent) is not None and parent not in seen:
        seen.add(parent)
        if (problem.benchmark, parent) not in known:
            return parent
        problem = known[problem.benchmark, parent]
    return problem.id


def _in_source(spec: str) -> tuple[Subset, ...]:
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
        )

    return tuple(subset(name, problems) for name, problems in groups.items())


def _declared(name: str) -> tuple[Subset, ...]:
    module = MODULES.get(name)
    if module is None:
        raise UnknownBenchmarkError(f"unknown benchmark {name!r}{_suggest(name, names())}")
    importlib.import_module(module, __package__)
    return tuple(subset for subset in _SUBSETS.values() if subset.benchmark == name)


def _suggest(wanted: str, known: list[str] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(wanted, known, n=3)
    if near:
        return f"; did you mean {' or '.join(repr(name) for name in near)}?"
    return f"; known: {', '.join(known)}"


def _shuffle_key(seed: int, name: str, index: int | str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}:{index}".encode()).digest()
