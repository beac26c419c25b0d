"""Published results of the same benchmarks."""

from __future__ import annotations

from ...published import published_sections
from ...sections import Section
from ...sources import Sources


def sections(sources: Sources) -> list[Section]:
    """The published table, if any."""
    return published_sections(sources.summary)
