"""Tables 4, 6, 10, 11, 16 to 18 and Figures 3 and 8 of Welleck et al. (2022).

The layout is the paper's. Our rows come first, and the published rows follow. If no search here
resembles an experiment, the table has published rows only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from .....benchmarks.problem import Problem
from ....report.figures.figure import shortened
from ....report.search.figures import by_generation
from ....report.search.tables import StoredSearch, archives, published_measure
from ....report.sections import Section
from ....store.run import Run
from ..clusters import FEATURES_BY_NAME
from .elementary import elementary_section
from .examples import AnsweredSearch, Example, formula_of, published, tree_of
from .exploits import exploits

#: The number of failures shown of a cluster or around a seed, as in the paper.
PER_GROUP = 3
#: Clusters of a search in Tables 4 and 11.
CLUSTERS, EXPONENT_CLUSTERS = 3, 4
#: The largest number of characters of a cell.
LONGEST = 60
PAPER = "paper"

#: A name with problems; a search, its model and the formulas of its clusters.
Group = tuple[str, Sequence[Problem]]
Block = tuple[str, str, Sequence[Sequence[str]]]


def paper_sections(
    runs: Sequence[Run | Path | str], *, elementary: int | None = None
) -> list[Section]:
    """Make the tables and figures of Welleck et al. from the searches in these runs.

    Args:
        runs: runs with searches, or their directories.
        elementary: the number of failures per search to test for an elementary antiderivative.
            If it is None, the table of these tests is left out.

    Returns:
        The tables and figures, in the order of their numbers.

    Example:
        >>> [section.title for section in paper_sections([])][2:4]
        ['Table 10: exploits', 'Table 11: failures with x in an exponent']

    """
    searches = [search for search in map(StoredSearch.of, map(Run.of, runs)) if search is not None]
    experiments = ("robust", "distance", "free")
    robust, distance, free = (
        [AnsweredSearch(search) for search in searches if _experiment(search) == experiment]
        for experiment in experiments
    )
    examples: list[tuple[str, Sequence[Example]]] = [
        *((_whose(search), exploits(search)) for search in free),
        (PAPER, published("table 18")["exploits"]),
    ]
    near = [(search, _clusters(search)) for search in robust] + [
        (search, [(formula_of(seed), failures) for seed, failures in _seeds(search)])
        for search in distance
    ]
    growing = [(search, _exponents(search)) for search in free]
    return [
        _near_simple(robust),
        _near_seeds(distance),
        _exploits(examples),
        _in_exponents(growing),
        archives(searches),
        _answers("Table 16: answers to robustness failures", near, published("table 16")),
        _answers("Table 17: answers with x in an exponent", growing, published("table 17")),
        _exploits_answered(examples),
        *_target_lengths([search for search in searches if _experiment(search) == "lengths"]),
        _growth([search for search in searches if _experiment(search) != "lengths"]),
        *([elementary_section(searches, elementary)] if elementary else []),
    ]


def _experiment(search: StoredSearch) -> str:
    """The name of the experiment of Welleck et al. that a search resembles."""
    settings = search.record.settings
    if settings["fitness"] in ("target", "distance"):
        return {"target": "lengths", "distance": "distance"}[str(settings["fitness"])]
    return "robust" if settings["mutations"] == "constants" else "free"


def _whose(search: AnsweredSearch) -> str:
    return f"{search.stored.name}: {search.stored.label}"


# --- examples ---


def _clusters(search: AnsweredSearch) -> list[Group]:
    groups = list(search.stored.clusters.items())[:CLUSTERS]
    return [(name, members[:PER_GROUP]) for name, members in groups]


def _exponents(search: AnsweredSearch) -> list[Group]:
    """Failed problems with x in an exponent, grouped by cluster.

    The cluster with the most such problems comes first.
    """
    has = FEATURES_BY_NAME["x in an exponent"]
    groups = [
        (name, [problem for problem in members if has(tree_of(problem))])
        for name, members in search.stored.clusters.items()
    ]
    groups = sorted((group for group in groups if group[1]), key=lambda group: -len(group[1]))
    return [(name, members[:PER_GROUP]) for name, members in groups[:EXPONENT_CLUSTERS]]


def _seeds(search: AnsweredSearch) -> list[tuple[Problem, Sequence[Problem]]]:
    """The seed problems with their fittest failed descendants. Solved seeds come first."""
    groups: dict[str, list[Problem]] = {formula_of(seed): [] for seed in search.seeds}
    archive = sorted(
        search.stored.archive, key=lambda problem: -float(str(problem.metadata["fitness"]))
    )
    for problem in archive:
        seed = search.seed_of(problem)
        if seed is not None:
            groups[formula_of(seed)].append(problem)
    seeds = sorted(search.seeds, key=lambda seed: not search.solves(seed))
    pairs = [(seed, groups[formula_of(seed)][:PER_GROUP]) for seed in seeds]
    return [(seed, near) for seed, near in pairs if near]


def _columns(title: str, blocks: Iterable[Block], width: int) -> Section:
    """Make a table whose columns are clusters of failed problems, side by side."""
    rows = [
        (*((name, model) if not number else ("", "")), *line, *[""] * (width - len(line)))
        for name, model, clusters in blocks
        for number, line in enumerate(zip_longest(*clusters, fillvalue=""))
    ]
    headings = ("search", "model", *(f"cluster {number + 1}" for number in range(width)))
    return Section(title, headings, tuple(rows), names=len(headings))


def _block(search: AnsweredSearch, groups: Sequence[Group]) -> Block:
    clusters = [list(map(formula_of, members)) for _, members in groups]
    return search.stored.name, search.stored.label, clusters


def _near_simple(searches: Sequence[AnsweredSearch]) -> Section:
    theirs = published("table 4").items()
    blocks = [_block(search, _clusters(search)) for search in searches]
    blocks += [
        (
            name,
            PAPER,
            [[example.problem for example in examples] for key, examples in theirs if group in key],
        )
        for name, group in (("robust-poly", "poly"), ("robust-trig", "trig"))
    ]
    return _columns("Table 4: failures near simple problems", blocks, CLUSTERS)


def _in_exponents(searches: Sequence[tuple[AnsweredSearch, Sequence[Group]]]) -> Section:
    theirs = sorted(published("table 17").items())
    failed = [[example.problem for example in group if not example.solved] for _, group in theirs]
    blocks = [*(_block(search, groups) for search, groups in searches), ("", PAPER, failed)]
    return _columns("Table 11: failures with x in an exponent", blocks, EXPONENT_CLUSTERS)


def _near_seeds(searches: Sequence[AnsweredSearch]) -> Section:
    groups: list[tuple[str, str, Sequence[str]]] = []
    for search in searches:
        for seed, failures in _seeds(search):
            mark = "" if search.solves(seed) else " (not solved)"
            near = list(map(formula_of, failures))
            groups.append((_whose(search), f"{formula_of(seed)}{mark}", near))
    for seed_and_failures in published("table 6").values():
        seed_text, *near_failures = (
            seed_or_failure.problem for seed_or_failure in seed_and_failures
        )
        groups.append((PAPER, seed_text, near_failures))
    rows = [
        (*((whose, seed) if not number else ("", "")), failure)
        for whose, seed, near in groups
        for number, failure in enumerate(near)
    ]
    return Section(
        "Table 6: failures near validation problems",
        ("search", "validation problem", "nearby failures"),
        tuple(rows),
        ("The fittest failures that come from the problem by mutations.",) * bool(searches),
        names=3,
    )


def _exploits(examples: Sequence[tuple[str, Sequence[Example]]]) -> Section:
    return Section(
        "Table 10: exploits",
        ("search", "problem", "exploit"),
        tuple(
            (whose, example.problem, example.exploit)
            for whose, group in examples
            for example in group
        ),
        ("Of ours, functions of SymPy's integral, where our verifier confirms it.",),
        names=3,
    )


def _exploits_answered(examples: Sequence[tuple[str, Sequence[Example]]]) -> Section:
    rows = tuple(
        (
            whose,
            example.problem,
            shortened(example.prediction, LONGEST),
            shortened(example.integral, LONGEST),
        )
        for whose, group in examples
        for example in group
    )
    return Section(
        "Table 18: answers to exploits",
        ("search", "problem", "prediction", "integral"),
        rows,
        ("Integrals are SymPy's, in the paper Wolfram Alpha's.",),
        names=4,
    )


def _answers(
    title: str,
    ours: Sequence[tuple[AnsweredSearch, Sequence[Group]]],
    theirs: Mapping[str, Sequence[Example]],
) -> Section:
    """Make a table of failed problems with answers. A similar solved problem begins each group."""
    rows: list[tuple[str, ...]] = []
    for search, groups in ours:
        for name, members in groups:
            solved = search.nearest_solved(members)
            examples = [*([solved] if solved else []), *map(search.example, members)]
            rows += _rows(_whose(search), name, examples)
    for name, published_ones in theirs.items():
        rows += _rows(PAPER, name, published_ones)
    return Section(
        title,
        ("search", "group", "solved", "x", "prediction", "derivative", "difference"),
        tuple(rows),
        (
            "A difference is the answer's derivative less the problem. The solved problem of ours "
            "is that of the search which is most like the others of its group (n-grams).",
        ),
        names=7,
    )


def _rows(whose: str, group: str, examples: Sequence[Example]) -> Iterator[tuple[str, ...]]:
    for number, example in enumerate(examples):
        cells = (example.problem, example.prediction, example.derivative, example.difference)
        yield (
            *((whose, group) if not number else ("", "")),
            "yes" if example.solved else "no",
            *(shortened(cell, LONGEST) for cell in cells),
        )


# --- figures ---


def _target_lengths(searches: Sequence[StoredSearch]) -> list[Section]:
    """Make Figure 3 of Welleck et al.: the lengths and the number of failures by iteration."""
    lengths = [[row.length for row in search.record.generations] for search in searches]
    return [
        _by_iteration(
            ("Figure 3, left", "Length of new failures by iteration", "figure_3_left"),
            searches,
            lengths,
            ("whole archive", "length", 1),
        ),
        _by_iteration(
            ("Figure 3, right", "Failures of target lengths by iteration", "figure_3_right"),
            *(searches, _sizes(searches), ("iterations to 5000", "iterations", 0)),
        ),
    ]


def _growth(searches: Sequence[StoredSearch]) -> Section:
    """Make Figure 8 of Welleck et al.: the number of failures by iteration."""
    return _by_iteration(
        ("Figure 8", "Failures by iteration", "figure_8"),
        *(searches, _sizes(searches), ("iterations to 1000", "iterations", 0)),
    )


def _sizes(searches: Sequence[StoredSearch]) -> list[list[float | None]]:
    return [[row.archive for row in search.record.generations] for search in searches]


def _by_iteration(
    names: tuple[str, str, str],
    searches: Sequence[StoredSearch],
    series: Sequence[Sequence[float | None]],
    theirs: tuple[str, str, int],
) -> Section:
    """Make a figure with a curve for each search, and the ends of the published curves."""
    figure, title, name = names
    label, measure, digits = theirs
    rows = [
        (str(number), *("" if value is None else f"{value:.{digits}f}" for value in values))
        for number, values in enumerate(zip_longest(*series), 1)
    ]
    rows.append(
        (f"{PAPER}: {label}", *(published_measure(search.name, measure) for search in searches))
    )
    heads = [search.name for search in searches]
    heads = [
        f"{search.name}, {search.label}" if heads.count(search.name) > 1 else search.name
        for search in searches
    ]
    drawn = bool(series) and any(series)
    curves = dict(zip(heads, series, strict=True))
    return Section(
        f"{figure}: {title[0].lower()}{title[1:]}",
        ("iteration", *heads),
        tuple(rows),
        ("The paper prints no numbers of its curves but those of Table 15.",),
        (by_generation(name, title, curves, f"{figure}."),) if drawn else (),
    )
