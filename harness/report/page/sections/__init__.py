"""The sections of the page, one file each: a function ``sections(sources)`` in a module of a name.

A new section is a file here and its name in `FIRST` or `DETAILS`; its figures are also written as
files by ``run.py report --figures``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from ...figures.figure import Figure
from ...sections import Section
from ...sources import Sources

#: The modules, in the order of the page: above the problems, and below them, shown on a click.
FIRST = ("results", "failures", "search", "published", "hint")
DETAILS = (
    "bars",
    "curves",
    "comparisons",
    "scatter",
    "breakdowns",
    "steps",
    "verdicts",
    "lengths",
)


def sections(sources: Sources, names: Sequence[str] = FIRST + DETAILS) -> list[Section]:
    """The sections of some modules that these runs have."""
    modules = (import_module(f"{__name__}.{name}") for name in names)
    return [section for module in modules for section in module.sections(sources)]


def figures(sources: Sources) -> list[Figure]:
    """The figures of all sections."""
    return [figure for section in sections(sources) for figure in section.figures]
