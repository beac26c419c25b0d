"""The share of accepted answers with a proof: ``accept=proof`` would reject the remaining ones."""

from __future__ import annotations

import math

from ..tallies import Group
from .registry import metric


@metric("proved")
def proved(group: Group) -> float | None:
    """The share of proofs among the answers that are proved or agree at points."""
    shares = (
        math.fsum(sums.get(name, 0) for sums in group.verdicts) for name in ("proved", "agreed")
    )
    by_proof, by_agreement = shares
    accepted = by_proof + by_agreement
    return by_proof / accepted if accepted else None
