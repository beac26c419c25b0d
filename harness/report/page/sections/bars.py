"""pass@k of every subset as bars."""

from __future__ import annotations

from ...figures.bars import pass_bars
from ...sections import Section
from ...sources import Sources


def sections(sources: Sources) -> list[Section]:
    """The figure, if anything was answered."""
    rows = sources.comparable_rows
    return [Section("pass@k by subset", figures=(pass_bars(rows),))] if rows else []
