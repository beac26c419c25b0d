"""Analyses that each reproduce one paper. Some analyses ask their problems in phases."""

from __future__ import annotations

from ..core.errors import UnknownNameError, suggest
from ..run.phases import Phase
from ..run.spec import PhaseFilter
from .brittleness.phases import PLANS, phases


def named_phases(name: str, phase_filter: PhaseFilter = "none") -> tuple[Phase, ...]:
    """The phases that a value of ``--phases`` selects.

    A phase makes further problems from those problems of a sweep that the model solved. The model
    is then asked the further problems.

    Args:
        name: a value of ``--phases``.
        phase_filter: with ``none``, all solved problems are perturbed. With ``published``, only
            solved problems that pass Welleck et al.'s filters on functions and lengths are
            perturbed.

    Returns:
        The phases.

    Raises:
        UnknownNameError: no phases have this name.

    >>> [phase.name for phase in named_phases("brittleness")]
    ['derived']

    """
    if name not in PLANS:
        raise UnknownNameError(f"no phases {name!r}; {suggest(name, PLANS)}")
    return phases(name, phase_filter)
