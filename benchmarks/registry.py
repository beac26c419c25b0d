"""The registry of benchmarks, and loading problems from them.

A benchmark is a module that declares subsets, and a line in `MODULES`:

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

A subset is a function of a seed and an index, so that every problem has an address and is the same
on every machine. The docstring's first line is the subset's summary. A module is imported at the
first use of a subset.

Other packages add benchmarks by entry points, named after the benchmark:

    [project.entry-points."calculus_harness.benchmarks"]
    mine = "my_package.mine"
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from ..rewards.errors import suggest
from .errors import BenchmarkError
from .files import table
from .problem import Problem
from .subset import Make, Subset, spread

#: Benchmark -> the module that declares its subsets.
MODULES: dict[str, str] = {
    "bee": ".bee",
    "lample_charton": ".lample_charton",
    "definite": ".definite",
    "course": ".calculus_course",
    "drills": ".drills",
    "composed": ".composed",
    "solution_steps": ".solution_steps",
    "brittleness": ".brittleness",
    "derivations": ".derivations",
    "calculus": ".derivations",
    "hint": ".hint.subsets",
}
#: The entry point group of other packages' benchmarks.
ENTRY_POINTS = "calculus_harness.benchmarks"


class UnknownBenchmarkError(BenchmarkError):
    """The name of a benchmark or subset is unknown; the message suggests similar names."""


class PluginError(UnknownBenchmarkError):
    """A benchmark of another package cannot be used; the message has the reason."""


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
        source: the paper or document of origin.
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
    """The names of all benchmarks, our benchmarks first.

    Returns:
        The names.

    Raises:
        PluginError: another package's benchmark has the name of an existing benchmark.

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
        UnknownBenchmarkError: the benchmark is unknown.

    >>> subsets("drills")[:2]
    ('monomials', 'monomials_train')

    """
    return tuple(subset.name.partition("/")[2] for subset in _declared(name))


def resolve(spec: str) -> tuple[Subset, ...]:
    """The subsets behind a name.

    Args:
        spec: ``bee`` (the default subsets), ``bee/all``, ``bee/competition``, or the name of a
            table (`benchmarks.files`).

    Raises:
        UnknownBenchmarkError: unknown benchmark or subset.
        ProblemFileError: unusable table.

    """
    # Files first: a path may look like a benchmark's name.
    if table.is_source(spec):
        return _in_table(spec)
    name, slash, subset_name = spec.partition("/")
    # A broken package of another benchmark is no reason to refuse one of ours: `names` comes last.
    if name not in MODULES and ("." in spec or Path(spec).exists()) and name not in names():
        raise UnknownBenchmarkError(
            f"{spec!r} is no benchmark, and no file of problems, which ends in "
            f"{', '.join(table.SUFFIXES)}"
        )
    declared = _declared(name)
    if not slash:
        return tuple(subset for subset in declared if subset.default)
    if subset_name == "all":
        return declared
    matches = tuple(subset for subset in declared if subset.name == spec)
    if not matches:
        known_names = [subset.name.partition("/")[2] for subset in declared]
        raise UnknownBenchmarkError(
            f"benchmark {name!r} has no subset {subset_name!r}; "
            f"{suggest(subset_name, known_names)}"
            + (
                f", or the path of a file; {subset_name} is none"
                if table.RELEASED.get(f"{name}/")
                else ""
            )
        )
    return matches


def load(spec: str, *, limit: int | None = None, seed: int = 0) -> list[Problem]:
    """The problems of a benchmark, a subset or a table.

    Args:
        spec: a name; see `resolve`.
        limit: the largest number of problems, spread evenly over the subsets. A larger limit
            includes the problems of a smaller limit.
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


def _in_table(spec: str) -> tuple[Subset, ...]:
    source = table.parse(spec)
    groups: dict[str, list[Problem]] = {}
    for problem in table.read_problems(source):
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
                f"{_origin(entry)} brings a benchmark {entry.name!r}, a name that is taken: "
                "rename it or uninstall the package"
            )
        plugins[entry.name] = entry
    return plugins


def _load_plugin(entry: EntryPoint) -> None:
    try:
        entry.load()
    except Exception as error:  # whatever the other package's module raises
        raise PluginError(
            f"benchmark {entry.name!r} of {_origin(entry)} cannot be imported: {error}"
        ) from error
    if not any(subset.benchmark == entry.name for subset in _SUBSETS.values()):
        raise PluginError(
            f"{_origin(entry)} declares no subset {entry.name}/...: decorate a function with "
            f"@benchmark('{entry.name}/SUBSET', ...)"
        )


def _origin(entry: EntryPoint) -> str:
    return f"the package {entry.dist.name} ({entry.value})" if entry.dist else entry.value
