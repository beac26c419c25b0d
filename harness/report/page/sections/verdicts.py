"""Shares of the verdicts."""

from __future__ import annotations

from ...figures.bars import verdict_bars
from ...sections import Section
from ...sources import Sources


def sections(sources: Sources) -> list[Section]:
    """The figure, if anything was answered."""
    rows = sources.comparable_rows
    return [Section("Verdicts", figures=(verdict_bars(rows),))] if rows else []
