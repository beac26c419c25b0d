"""pass@k over k."""

from __future__ import annotations

from ...figures.curves import pass_curves
from ...sections import Section
from ...sources import Sources


def sections(sources: Sources) -> list[Section]:
    """A figure with all models for each subset with enough samples."""
    figures = pass_curves(sources)
    return [Section("pass@k over k", figures=tuple(figures))] if figures else []
