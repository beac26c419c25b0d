"""Failures: the shares of each model's answers by kind of failure."""

from __future__ import annotations

from ....stats.findings import Failure
from ...numbers import percent
from ...sections import Section
from ...sources import Sources


def sections(sources: Sources) -> list[Section]:
    """A table of models by failures, with remedies against some failures."""
    standings = sources.findings.standings if sources.findings else ()
    ways = [way for way in Failure if any(standing.failures.get(way) for standing in standings)]
    if not ways:
        return []
    short = sources.short_names
    rows = tuple(
        (
            short[standing.model],
            f"{standing.samples:,}",
            *(percent(standing.failures[way]) if way in standing.failures else "" for way in ways),
        )
        for standing in standings
    )
    advice = []
    for way in ways:
        if way.advice:
            who = ", ".join(
                short[standing.model] for standing in standings if way in standing.failures
            )
            advice.append(f"{way.capitalize()} ({who}): {way.advice}.")
    return [
        Section(
            "How it fails",
            ("model", "answers", *ways),
            rows,
            remarks=("In percent of each model's own answers; the classes are filters below.",),
            notes={"What helps against failures that are no mathematics": tuple(advice)},
        )
    ]
