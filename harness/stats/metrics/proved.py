"""The share of accepted answers that are proved.

With the policy ``accept=proof``, the verifier accepts proved answers only.
"""

from __future__ import annotations

import math

from ..tallies import Group
from .registry import metric


@metric("proved")
def proved(group: Group) -> float | None:
    """The share of proved answers among all accepted answers.

    An accepted answer without a proof agrees with the right answer at sample points.
    """
    shares = (
        math.fsum(sums.get(name, 0) for sums in group.verdicts) for name in ("proved", "agreed")
    )
    by_proof, by_agreement = shares
    accepted = by_proof + by_agreement
    return by_proof / accepted if accepted else None
