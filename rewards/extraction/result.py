"""The result of extraction."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extraction:
    """The final answer of a completion.

    Attributes:
        answer: its LaTeX, or None.
        source: ``boxed``, ``display``, ``final_answer``, ``inline``, ``bare`` or ``none``.
        notes: remarks on how it was chosen.
        alternatives: other formulas that the text offers as the same answer ("or"); the answer is
            correct only if they are.

    """

    answer: str | None
    source: str
    notes: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()


def nothing(*notes: str) -> Extraction:
    """An extraction without an answer; the notes say why."""
    return Extraction(None, "none", notes)
