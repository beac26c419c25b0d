"""The share of accepted answers that are proved: the others are what ``accept=proof`` costs."""

from __future__ import annotations

import math

from ..tallies import Group
from .registry import metric


@metric("proved")
def proved(group: Group) -> float | None:
    """The share of proofs among the answers that are proved or agree, accepted or not."""
    shares = (
        math.fsum(sums.get(name, 0) for sums in group.verdicts) for name in ("proved", "agreed")
    )
    by_proof, by_agreement = shares
    known = by_proof + by_agreement
    return by_proof / known if known else None
