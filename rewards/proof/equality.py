"""Proofs that two expressions are equal."""

from __future__ import annotations

from collections.abc import Mapping

from ..reading.expression.build import mul
from ..reading.expression.tree import Expression, Symbol
from .prover.prove import Proof, prove

#: A name that no text has.
FRESH = "t of the equality"


def equality(
    a: Expression, b: Expression, assumptions: Mapping[str, str] | None = None
) -> Proof | None:
    """Search for a proof that two expressions are equal. The result is None if no proof is found.

    The prover proves F' = f. With a new variable t, the expressions a and b are equal if a t is an
    antiderivative of b.

    Args:
        a: an expression.
        b: another expression.
        assumptions: assumptions on the symbols. A symbol without an assumption is real.

    """
    return prove(mul(a, Symbol(FRESH)), b, FRESH, assumptions or {})
