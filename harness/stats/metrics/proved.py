"""The share of accepted answers that are proved, not only seen to agree at points."""

from __future__ import annotations

import math

from ..tallies import Group
from .registry import metric


@metric("proved")
def proved(group: Group) -> float | None:
    """The share of correct answers with a proof, where either is recorded."""
    shares = (
        math.fsum(sums.get(name, 0) for sums in group.verdicts) for name in ("proved", "agreed")
    )
    by_proof, by_agreement = shares
    known = by_proof + by_agreement
    return by_proof / known if known else None
