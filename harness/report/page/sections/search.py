"""The results of a search for failures, if the runs hold a search."""

from __future__ import annotations

from ...search.tables import search_sections
from ...sections import Section
from ...sources import Sources


def sections(sources: Sources) -> list[Section]:
    """The tables, curves and maps of all searches."""
    return search_sections(sources.runs)
