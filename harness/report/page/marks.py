"""The claims of a solution, marked in its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ....rewards.verify.solution_steps import Judgement

#: Start, end, judgement, kind and reason of a claim (`stats.steps.Steps.marks`).
Mark = tuple[int, int, str, str, str]
#: A part of a text: as it is, or with the judgement, the kind and the reason of a claim.
Piece = str | tuple[str, str, str, str]

#: Of claims at one place the first of these is shown.
_ORDER = (Judgement.INCORRECT, Judgement.CORRECT, Judgement.UNCHECKED)


def pieces(text: str, marks: Iterable[Mark], offset: int = 0) -> list[Piece]:
    """A part of a completion in pieces, cut where claims begin and end.

    Args:
        text: the part.
        marks: of the whole completion.
        offset: of the part in the completion.

    """
    end = offset + len(text)
    inside: Sequence[Mark] = sorted(
        (mark for mark in marks if mark[0] < end and mark[1] > offset),
        key=lambda mark: (_ORDER.index(Judgement(mark[2])), mark[1] - mark[0]),
    )
    cuts = {place for mark in inside for place in mark[:2] if offset < place < end}
    made: list[Piece] = []
    last: Mark | None = None
    for first, second in pairwise(sorted({offset, end, *cuts})):
        mark = next((one for one in inside if one[0] <= first and one[1] >= second), None)
        part = text[first - offset : second - offset]
        if made and mark is last:  # what is hidden by another claim begins or ends here
            before = made.pop()
            part = (before if isinstance(before, str) else before[0]) + part
        made.append((part, *mark[2:]) if mark else part)
        last = mark
    return made
