"""The tables of searches: our archives and the published archives, generations, clusters, pairs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

from ....benchmarks.problem import Problem
from ....rewards.verdict import Witness
from ...core.requests import problem_key
from ...stats.intervals import t_interval
from ...store.run import Run
from ..figures.figure import Figure
from ..numbers import percent
from ..published import brittleness_numbers
from ..sections import Section
from .figures import archive_map, by_generation
from .records import SearchRecord, read_archive, read_record

#: Problems of a cluster that its table shows, and characters of an answer.
EXAMPLES, MAX_ANSWER = 3, 60
_MEASURES = ("iterations", "length", "nodes", "depth", "1 term", "2 terms", "3 terms")
#: A number with a fraction.
_NUMBER = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class StoredSearch:
    """A search with the results, read from the run."""

    run: Run
    record: SearchRecord
    archive: tuple[Problem, ...]

    @classmethod
    def of(cls, run: Run) -> StoredSearch | None:
        """The search in a run, or None."""
        record = read_record(run.path)
        return cls(run, record, tuple(read_archive(run.path))) if record else None

    @property
    def name(self) -> str:
        """The name of the search."""
        return str(self.record.settings["name"])

    @property
    def label(self) -> str:
        """The model whose failures were found."""
        labels = self.run.labels
        model = labels.get(self.record.model, self.record.model)
        if self.record.solved_by is None:
            return model
        return f"{model} (solved by {labels.get(self.record.solved_by, self.record.solved_by)})"

    @cached_property
    def answers(self) -> Mapping[str, Mapping[str, Any]]:
        """The model's first verdict on each example of a cluster, by the problem's key."""
        keys = {
            problem_key(problem) for group in self.clusters.values() for problem in group[:EXAMPLES]
        }
        return {
            row["problem"]: row
            for row in self.run.verdicts(self.record.policy).rows()
            if row["model"] == self.record.model and row["problem"] in keys and not row["sample"]
        }

    @cached_property
    def clusters(self) -> Mapping[str, list[Problem]]:
        """The failures by cluster. The largest cluster comes first; within a cluster, the fittest
        failure comes first.
        """
        groups: dict[str, list[Problem]] = {}
        for problem in self.archive:
            groups.setdefault(str(problem.metadata.get("cluster", "")), []).append(problem)
        for group in groups.values():
            group.sort(key=lambda problem: -float(str(problem.metadata["fitness"])))
        return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def search_sections(runs: Sequence[Run | Path | str]) -> list[Section]:
    """The tables and figures of the searches in the runs; empty without searches."""
    searches = [
        stored_search
        for stored_search in map(StoredSearch.of, map(Run.of, runs))
        if stored_search is not None
    ]
    if not searches:
        return []
    sections = [archives(searches), _generations(searches)]
    for stored_search in searches:
        sections += _of_one(stored_search, f" of {stored_search.name}" if len(searches) > 1 else "")
    return sections


def archives(searches: Sequence[StoredSearch]) -> Section:
    """Table 15: the archives of the searches."""
    rows: list[tuple[str, ...]] = []
    for search in searches:
        generations = search.record.generations
        proposal_count = sum(generation.asked for generation in generations)
        failed = sum(generation.failed - generation.unconfirmed for generation in generations)
        share = percent(failed / proposal_count) if proposal_count else ""
        rows.append(
            (search.name, search.label, str(len(search.archive)), share, *_measures(search))
        )
        if published_measure(search.name, "iterations"):
            theirs = (published_measure(search.name, measure) for measure in _MEASURES)
            size = "5000" if search.name.startswith("length") else "1000"
            rows.append((search.name, "paper: neural integrator", size, "", *theirs))
    rows += _over_seeds(searches)
    return Section(
        "Archives of failures (Table 15)",
        (
            *("search", "model", "failures", "% of asked"),
            *("generations", "length", "nodes", "depth", "% 1 term", "% 2", "% 3"),
        ),
        tuple(rows),
        (
            "Means over the archive: characters, nodes and depth of formulas; terms are plus signs "
            "plus 1.",
            *_remarks(searches),
        ),
        names=2,
    )


def _over_seeds(searches: Sequence[StoredSearch]) -> Iterator[tuple[str, ...]]:
    """Means with 95 % intervals of the t test, over searches with different seeds only."""
    groups: dict[tuple[str, str], list[list[float]]] = {}
    for search in searches:
        if search.archive:
            cells = [float(len(search.archive)), *map(float, _measures(search))]
            groups.setdefault((search.name, search.label), []).append(cells)
    for (name, label), measured in groups.items():
        if len(measured) > 1:
            failures, *other_counts = (
                f"{fmean(column):.1f} [{low:.1f}, {high:.1f}]"
                for column in zip(*measured, strict=True)
                for low, high in [t_interval(column)]
            )
            yield (name, f"{label}, {len(measured)} seeds", failures, "", *other_counts)


def published_measure(name: str, measure: str) -> str:
    """A number of Table 15 as printed, by the name of a search; empty for an unknown number."""
    label = "-".join(word.capitalize() for word in name.split("-"))
    return brittleness_numbers().get(("table 15", "archive", label, measure), "")


def _measures(stored_search: StoredSearch) -> Iterator[str]:
    yield str(len(stored_search.record.generations))
    if not stored_search.archive:
        yield from [""] * 6
        return
    rows = [problem.metadata for problem in stored_search.archive]
    yield f"{fmean(len(str(row['formula'])) for row in rows):.1f}"
    for name in ("nodes", "depth"):
        yield f"{fmean(float(str(row[name])) for row in rows):.1f}"
    terms = Counter(int(str(row["terms"])) for row in rows)
    for number in (1, 2, 3):
        yield percent(terms[number] / len(rows))


def _remarks(searches: Sequence[StoredSearch]) -> Iterator[str]:
    for search in searches:
        start = f"{search.name}: " if len(searches) > 1 else ""
        settings = search.record.settings
        yield (
            f"{start}{search.record.ended or 'not finished'}. "
            f"Mutations of the {settings['variant']}; "
            f"simplified by {settings['simplifier']}; clusters by {search.record.embedding}; "
            f"verdicts {search.record.policy}."
        )
        yield from (f"{start}{note}" for note in search.record.notes)


def _generations(searches: Sequence[StoredSearch]) -> Section:
    """Figures 3 and 8."""
    rows = tuple(
        (
            *(search.name, str(row.number), str(row.drawn), str(sum(row.refused.values()))),
            *(str(row.repeated), str(row.asked), str(row.failed), str(row.unconfirmed)),
            *(str(row.unknown), str(row.novel), str(row.archive)),
            "" if row.length is None else f"{row.length:.1f}",
        )
        for search in searches
        for row in search.record.generations
    )
    figures: list[Figure] = []
    if rows:
        growth, lengths = {}, {}
        for stored_search in searches:
            name = (
                stored_search.name
                if stored_search.name not in growth
                else f"{stored_search.name}, {stored_search.label}"
            )
            growth[name] = [float(row.archive) for row in stored_search.record.generations]
            lengths[name] = [row.length for row in stored_search.record.generations]
        figures = [
            by_generation("archive_growth", "Failures found by generation", growth, "Figure 8."),
            by_generation(
                *("archive_lengths", "Length of new failures by generation", lengths),
                "Mean number of characters (Figure 3, left).",
            ),
        ]
    return Section(
        "Generations of the search",
        (
            *("search", "generation", "mutants", "refused", "repeated", "asked", "failed"),
            *("solved again", "unknown", "new", "archive", "length"),
        ),
        rows,
        ("solved again: failed once, and not when asked with fresh seeds.",),
        tuple(figures),
        names=2,
        folded=len(rows) > 12,
    )


def _of_one(stored_search: StoredSearch, suffix: str) -> list[Section]:
    """The clusters, map and smallest failures of a search."""
    sections: list[Section] = []
    if stored_search.archive and "cluster" in stored_search.archive[0].metadata:
        drawn = archive_map(
            f"map_{stored_search.name}", f"Map of the archive{suffix}", stored_search.archive
        )
        sections.append(
            Section(
                f"Clusters of failures{suffix}",
                ("cluster", "failures", "problem", "answer", "verdict"),
                tuple(_examples(stored_search)),
                ("The fittest of each cluster; any is on the page, whole.",),
                (drawn,) if drawn else (),
                names=5,
            )
        )
    if stored_search.record.minimal:
        rows = tuple(
            (
                *(_formula(stored_search, pair.found), pair.text, str(pair.steps)),
                pair.neighbour_text or "none: it solves none of the smaller ones",
            )
            for pair in stored_search.record.minimal
        )
        sections.append(
            Section(
                f"Smallest failures{suffix}",
                ("found", "smallest that fails", "steps", "solved next to it"),
                rows,
                names=4,
            )
        )
    return sections


def _formula(stored_search: StoredSearch, id: str) -> str:
    formulas = (
        str(problem.metadata["formula"]) for problem in stored_search.archive if problem.id == id
    )
    return next(formulas, id)


def _examples(stored_search: StoredSearch) -> Iterator[tuple[str, ...]]:
    for cluster, group in stored_search.clusters.items():
        for index, problem in enumerate(group[:EXAMPLES]):
            row = stored_search.answers.get(problem_key(problem), {})
            row_start = (cluster, str(len(group))) if index == 0 else ("", "")
            answer = str(row.get("answer") or "")
            answer_text = answer if len(answer) <= MAX_ANSWER else f"{answer[: MAX_ANSWER - 1]}…"
            yield (
                *row_start,
                str(problem.metadata["formula"]),
                answer_text,
                _verdict(problem, row),
            )


def _verdict(problem: Problem, row: Mapping[str, Any]) -> str:
    """The verdict with the refutation, with few digits."""
    samples = int(str(problem.metadata["samples"]))
    passed = f", {problem.metadata['correct']} of {samples} correct" if samples > 1 else ""
    witness = (row.get("evidence") or {}).get("witness")
    if not witness:
        return f"{problem.metadata['status']}{passed}"
    values = _NUMBER.sub(lambda match: f"{float(match[0]):.5g}", str(Witness(**witness)))
    return f"{problem.metadata['status']}{passed}: {values}"
