"""The numbers that Meadows et al. 2023 published."""

from __future__ import annotations

from functools import cache

from ....benchmarks import derivations
from ...report.published import Numbers, numbers

SOURCE = "Meadows et al. 2023"


@cache
def published() -> Numbers:
    """Read the published numbers. A key consists of a place, a model, a subset and a measure. The
    place is a table or figure of the paper, for example ``table 1``.
    """
    return numbers(derivations, "place", "model", "subset", "measure")
