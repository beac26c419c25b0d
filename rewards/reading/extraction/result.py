"""The result of extraction."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extraction:
    r"""The final answer of a completion.

    Attributes:
        answer: its LaTeX, or None.
        source: ``boxed``, ``display``, ``final_answer``, ``inline``, ``bare`` or ``none``.
        notes: remarks on how it was chosen.
        alternatives: other formulas that the text offers as the same answer ("or"); the answer is
            correct only if they are.
        steps: the links before the answer in its chain of equations (``a = b = answer``); the
            answer is not correct if one of them is a wrong answer.
        definitions: symbols of the answer that the text defines ("where u = .."), each with the
            LaTeX of its value.
        refused: why the answer cannot be taken as stated, where words or formulas beside it may
            change it.
        second: the answer without its first hyphen, which may be a list's bullet.

    >>> from calculus_harness.rewards.reading.extraction import extract
    >>> extract(r"It is $\boxed{x^2 + C}$.").source
    'boxed'

    """

    answer: str | None
    source: str
    notes: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    definitions: tuple[tuple[str, str], ...] = ()
    second: str = ""
    refused: str = ""


def nothing(*notes: str) -> Extraction:
    """An extraction without an answer; the notes say why."""
    return Extraction(None, "none", notes)
