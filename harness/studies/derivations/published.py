"""The numbers that Meadows et al. 2023 published."""

from __future__ import annotations

from functools import cache

from ....benchmarks import derivations
from ...report.published import Numbers, numbers

SOURCE = "Meadows et al. 2023"


@cache
def published() -> Numbers:
    """Read the numbers that Meadows et al. published.

    A key consists of a place (such as ``table 1``), a model, a subset and a measure.
    """
    return numbers(derivations, "place", "model", "subset", "measure")
