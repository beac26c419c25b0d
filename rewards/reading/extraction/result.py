"""The result of the search for the answer of a completion."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Extraction:
    r"""The final answer of a completion.

    Attributes:
        answer: the LaTeX of the answer. None without an answer.
        source: ``boxed``, ``display``, ``final_answer``, ``inline``, ``bare`` or ``none``.
        notes: remarks on how the answer was chosen.
        alternatives: further formulas, joined to the answer by "or". The answer is
            correct only if all alternatives are correct.
        steps: the links before the answer in the chain of equations (``a = b = answer``). The
            answer is not correct if a step is a wrong answer.
        definitions: pairs of a symbol in the answer and the LaTeX of the symbol's value. The text
            defines these symbols, as in "where u = ..".
        refused: the reason why the answer cannot be read, or empty. For example, words next to the
            answer may change the meaning of the answer.
        second: the answer without the first hyphen, if the hyphen may be the bullet of a list; else
            empty.
        unsolved: the name of the answer if the text only states an equation for the name, such as
            ``2I = \pi``; else empty.

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
    unsolved: str = field(default="", repr=False)


def nothing(*notes: str) -> Extraction:
    """An extraction without an answer, with notes on the reason."""
    return Extraction(None, "none", notes)
