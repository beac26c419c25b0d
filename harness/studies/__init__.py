"""Analyses of single papers, and the phases that they ask problems in."""

from __future__ import annotations

from ..core.errors import UnknownNameError, suggest
from ..run.phases import Phase
from .brittleness.phases import PLANS


def named_phases(name: str) -> tuple[Phase, ...]:
    """The phases that follow a sweep, by name.

    Args:
        name: as of ``--phases``.

    Returns:
        The phases.

    Raises:
        UnknownNameError: there are no such phases.

    >>> [phase.name for phase in named_phases("brittleness")]
    ['derived']

    """
    if name not in PLANS:
        raise UnknownNameError(f"no phases {name!r}; {suggest(name, PLANS)}")
    return PLANS[name]
