"""Bar charts of every subset: pass@k, and the shares of the verdicts."""

from __future__ import annotations

from ...figures.bars import pass_bars, verdict_bars
from ...sections import Section
from ...sources import Sources


def sections(sources: Sources) -> list[Section]:
    """Both bar charts, for runs with answers."""
    rows = sources.comparable_rows
    if not rows:
        return []
    return [
        Section("pass@k by subset", figures=(pass_bars(rows),)),
        Section("Verdicts", figures=(verdict_bars(rows),)),
    ]
