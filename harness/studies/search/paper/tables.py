"""Tables 4, 6, 10, 11, 16 to 18 and Figures 3 and 8 of the paper on searches, in its layout.

What was published stands below, or beside, our rows; what no search here is for, alone.
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
from .examples import Answered, Example, formula_of, published, tree_of
from .exploits import exploits

#: Of a cluster or around a seed, so many failures are shown, as in the paper.
EACH = 3
#: Clusters of a search in Tables 4 and 11.
CLUSTERS, EXPONENT_CLUSTERS = 3, 4
#: The most characters of a cell.
LONGEST = 60
PAPER = "paper"

#: A name with problems; a search, its model and the formulas of its clusters.
Group = tuple[str, Sequence[Problem]]
Block = tuple[str, str, Sequence[Sequence[str]]]


def paper_sections(
    runs: Sequence[Run | Path | str], *, elementary: int | None = None
) -> list[Section]:
    """The paper's tables and figures of the searches in these runs.

    Args:
        runs: runs with searches, or their directories.
        elementary: of how many failures of each search is said whether they have an elementary
            antiderivative.

    Returns:
        Table 15 and the others, in the order of their numbers.

    Example:
        >>> [section.title for section in paper_sections([])][2:4]
        ['Table 10: exploits', 'Table 11: failures with x in an exponent']

    """
    searches = [one for one in map(StoredSearch.of, map(Run.of, runs)) if one is not None]
    kinds = ("robust", "distance", "free")
    robust, distance, free = (
        [Answered(one) for one in searches if _kind(one) == kind] for kind in kinds
    )
    shown: list[tuple[str, Sequence[Example]]] = [
        *((_whose(search), exploits(search)) for search in free),
        (PAPER, published("table 18")["exploits"]),
    ]
    near = [(one, _clusters(one)) for one in robust] + [
        (one, [(formula_of(seed), failures) for seed, failures in _seeds(one)]) for one in distance
    ]
    growing = [(one, _exponents(one)) for one in free]
    return [
        _near_simple(robust),
        _near_seeds(distance),
        _exploits(shown),
        _in_exponents(growing),
        archives(searches),
        _answers("Table 16: answers to robustness failures", near, published("table 16")),
        _answers("Table 17: answers with x in an exponent", growing, published("table 17")),
        _exploits_answered(shown),
        *_target_lengths([one for one in searches if _kind(one) == "lengths"]),
        _growth([one for one in searches if _kind(one) != "lengths"]),
        *([elementary_section(searches, elementary)] if elementary else []),
    ]


def _kind(search: StoredSearch) -> str:
    """Which of the paper's experiments a search is like."""
    settings = search.record.settings
    if settings["fitness"] in ("target", "distance"):
        return {"target": "lengths", "distance": "distance"}[str(settings["fitness"])]
    return "robust" if settings["mutations"] == "constants" else "free"


def _whose(search: Answered) -> str:
    return f"{search.stored.name}: {search.stored.label}"


# --- examples ---


def _clusters(search: Answered) -> list[Group]:
    groups = list(search.stored.clusters.items())[:CLUSTERS]
    return [(name, members[:EACH]) for name, members in groups]


def _exponents(search: Answered) -> list[Group]:
    """Clusters with x in an exponent, those with most of that first."""
    has = FEATURES_BY_NAME["x in an exponent"]
    groups = [
        (name, [problem for problem in members if has(tree_of(problem))])
        for name, members in search.stored.clusters.items()
    ]
    groups = sorted((group for group in groups if group[1]), key=lambda one: -len(one[1]))
    return [(name, members[:EACH]) for name, members in groups[:EXPONENT_CLUSTERS]]


def _seeds(search: Answered) -> list[tuple[Problem, Sequence[Problem]]]:
    """The seeds, those that are solved first, each with the fittest failures that came from it."""
    groups: dict[str, list[Problem]] = {formula_of(seed): [] for seed in search.seeds}
    archive = sorted(search.stored.archive, key=lambda one: -float(str(one.metadata["fitness"])))
    for problem in archive:
        seed = search.seed_of(problem)
        if seed is not None:
            groups[formula_of(seed)].append(problem)
    seeds = sorted(search.seeds, key=lambda seed: not search.solves(seed))
    made = [(seed, groups[formula_of(seed)][:EACH]) for seed in seeds]
    return [(seed, near) for seed, near in made if near]


def _columns(title: str, blocks: Iterable[Block], width: int) -> Section:
    """Clusters side by side, a row for each place in them."""
    rows = [
        (*((name, model) if not number else ("", "")), *line, *[""] * (width - len(line)))
        for name, model, clusters in blocks
        for number, line in enumerate(zip_longest(*clusters, fillvalue=""))
    ]
    headings = ("search", "model", *(f"cluster {number + 1}" for number in range(width)))
    return Section(title, headings, tuple(rows), names=len(headings))


def _block(search: Answered, groups: Sequence[Group]) -> Block:
    clusters = [list(map(formula_of, members)) for _, members in groups]
    return search.stored.name, search.stored.label, clusters


def _near_simple(searches: Sequence[Answered]) -> Section:
    """Table 4."""
    theirs = published("table 4").items()
    blocks = [_block(search, _clusters(search)) for search in searches]
    blocks += [
        (name, PAPER, [[one.problem for one in ones] for key, ones in theirs if group in key])
        for name, group in (("robust-poly", "poly"), ("robust-trig", "trig"))
    ]
    return _columns("Table 4: failures near simple problems", blocks, CLUSTERS)


def _in_exponents(searches: Sequence[tuple[Answered, Sequence[Group]]]) -> Section:
    """Table 11."""
    theirs = sorted(published("table 17").items())
    failed = [[one.problem for one in group if not one.solved] for _, group in theirs]
    blocks = [*(_block(one, groups) for one, groups in searches), ("", PAPER, failed)]
    return _columns("Table 11: failures with x in an exponent", blocks, EXPONENT_CLUSTERS)


def _near_seeds(searches: Sequence[Answered]) -> Section:
    """Table 6."""
    groups: list[tuple[str, str, Sequence[str]]] = []
    for search in searches:
        for seed, failures in _seeds(search):
            mark = "" if search.solves(seed) else " (not solved)"
            near = list(map(formula_of, failures))
            groups.append((_whose(search), f"{formula_of(seed)}{mark}", near))
    for seed_and_failures in published("table 6").values():
        first, *others = (seed_or_failure.problem for seed_or_failure in seed_and_failures)
        groups.append((PAPER, first, others))
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


def _exploits(shown: Sequence[tuple[str, Sequence[Example]]]) -> Section:
    """Table 10."""
    return Section(
        "Table 10: exploits",
        ("search", "problem", "exploit"),
        tuple((whose, one.problem, one.exploit) for whose, ones in shown for one in ones),
        ("Of ours, functions of SymPy's integral, where our verifier confirms it.",),
        names=3,
    )


def _exploits_answered(shown: Sequence[tuple[str, Sequence[Example]]]) -> Section:
    """Table 18."""
    rows = tuple(
        (whose, one.problem, shortened(one.prediction, LONGEST), shortened(one.integral, LONGEST))
        for whose, ones in shown
        for one in ones
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
    ours: Sequence[tuple[Answered, Sequence[Group]]],
    theirs: Mapping[str, Sequence[Example]],
) -> Section:
    """Failures with answers; before each group a problem near it that the model solves."""
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
    """Figure 3, left and right."""
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
    """Figure 8."""
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
    """A curve for each search; the published curves are known at their ends only."""
    place, title, name = names
    label, measure, digits = theirs
    rows = [
        (str(number), *("" if value is None else f"{value:.{digits}f}" for value in values))
        for number, values in enumerate(zip_longest(*series), 1)
    ]
    rows.append((f"{PAPER}: {label}", *(published_measure(one.name, measure) for one in searches)))
    heads = [search.name for search in searches]
    heads = [
        f"{one.name}, {one.label}" if heads.count(one.name) > 1 else one.name for one in searches
    ]
    drawn = bool(series) and any(series)
    curves = dict(zip(heads, series, strict=True))
    return Section(
        f"{place}: {title[0].lower()}{title[1:]}",
        ("iteration", *heads),
        tuple(rows),
        ("The paper prints no numbers of its curves but those of Table 15.",),
        (by_generation(name, title, curves, f"{place}."),) if drawn else (),
    )
