"""What extraction finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extraction:
    """The final answer's LaTeX, or None; where it was found; what else was seen.

    ``source`` is boxed, display, final_answer, inline, bare or none. ``alternatives`` are other
    formulas that the text offers for the same answer ("or"): it stands only if they hold too.
    """

    answer: str | None
    source: str
    notes: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()


def nothing(*notes: str) -> Extraction:
    """No answer, and why."""
    return Extraction(None, "none", notes)
