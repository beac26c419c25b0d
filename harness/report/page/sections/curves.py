"""pass@k over k."""

from __future__ import annotations

from ...figures.curves import pass_curves
from ...sections import Section
from ...sources import Sources


def sections(sources: Sources) -> list[Section]:
    """The figure, if there are enough samples."""
    figure = pass_curves(sources)
    return [Section("pass@k over k", figures=(figure,))] if figure else []
