"""The recorded decisions of `bee.augmented`: accepted draws and simplified integrands."""

from __future__ import annotations

from functools import cache, partial
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

from msgspec import Struct

from ...rewards.reading.expression.tree import Expression
from ...rewards.records import convert, plain
from ..recorded_decisions import RecordedDecisions

#: Field -> the name in the files, if different.
_STORED_NAMES = {
    "perturbation": "recipe",
    "variation_id": "spot",
    "attempt": "turn",
    "integrand_hash": "base",
}


class PerturbationDecision(Struct, frozen=True, omit_defaults=True, rename=_STORED_NAMES):
    """The decisions in making a problem.

    Attributes:
        perturbation: the name of the perturbation.
        seed: the seed of the random draws.
        difficulty: the difficulty; see `benchmarks.bee.perturbations`.
        variation_id: the parent's id and the number of the variation, as in ``bee-c-001-2``.
        attempt: the number of the accepted draw.
        integrand_hash: `integrand_hash` of the accepted draw; a decision applies to this integrand
            only.
        outcome: ``simplified``, or the reason why the integrand was not simplified.
        integrand: the simplified integrand in LaTeX.
        coverage: the share of the real domain on which the reference holds; None for all of it.

    """

    perturbation: str
    seed: int
    difficulty: int
    variation_id: str
    attempt: int
    integrand_hash: str
    outcome: str
    integrand: str | None = None
    coverage: float | None = None

    @property
    def key(self) -> tuple[str, int, int, str]:
        """The subject of the decision. Problems from different banks may share a key."""
        return self.perturbation, self.seed, self.difficulty, self.variation_id


def integrand_hash(integrand: Expression) -> str:
    """A short hash of an expression tree, independent of printing."""
    return sha256(repr(integrand).encode()).hexdigest()[:12]


@cache
def decisions() -> RecordedDecisions[PerturbationDecision]:
    """The decisions recorded on the local machine."""
    return RecordedDecisions(
        Path(__file__).with_name("decisions.jsonl"),
        "bee-decisions.jsonl",
        key=attrgetter("key"),
        from_row=partial(convert, target_type=PerturbationDecision),
        to_row=plain,
    )


def shipped_variations(perturbation: str) -> set[str]:
    """The variations of a perturbation with a problem in the package, for seed 0."""
    plain = (perturbation, 0, 1)
    return {variation_id for *key, variation_id in decisions().shipped if tuple(key) == plain}
