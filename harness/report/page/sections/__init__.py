"""The sections of the page, a module for each, with a function ``sections(sources)``.

A new section needs a file in this folder and the file's name in `NAMES`. ``run.py report
--figures`` also writes the section's figures as files.
"""

from __future__ import annotations

from importlib import import_module

from ...figures.figure import Figure
from ...sections import Section
from ...sources import Sources

#: The modules, in the order of the page.
NAMES = (
    "results",
    "failures",
    "search",
    "published",
    "hint",
    "bars",
    "curves",
    "comparisons",
    "scatter",
    "breakdowns",
    "steps",
    "lengths",
)
#: Those that a page shows above its problems; the others are below, on a click.
OPEN = frozenset({"results", "failures", "search", "published", "hint"})


def sections(sources: Sources, opened: bool | None = None) -> list[Section]:
    """The sections of the runs.

    With ``opened``, only the sections of `OPEN` are returned; with ``opened=False``, only the other
    sections.
    """
    names = [name for name in NAMES if opened is None or (name in OPEN) == opened]
    modules = (import_module(f"{__name__}.{name}") for name in names)
    return [section for module in modules for section in module.sections(sources)]


def figures(sources: Sources) -> list[Figure]:
    """The figures of all sections."""
    return [figure for section in sections(sources) for figure in section.figures]
