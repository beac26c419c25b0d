"""The table of results with its remarks."""

from __future__ import annotations

from dataclasses import replace

from ...sections import Section
from ...sources import Sources
from ...summary import remarks, results_section


def sections(sources: Sources) -> list[Section]:
    """The table."""
    table = results_section(sources.summary.rows)
    return [replace(table, title="Results", remarks=tuple(remarks(sources.summary)))]
