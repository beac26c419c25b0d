"""The claims of a solution, as marks in the solution's text."""

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
    """A part of a completion, cut into pieces where claims begin and end.

    Args:
        text: the part.
        marks: the marks of the whole completion.
        offset: the offset of the part in the completion.

    """
    end = offset + len(text)
    overlapping: Sequence[Mark] = sorted(
        (mark for mark in marks if mark[0] < end and mark[1] > offset),
        key=lambda mark: (_ORDER.index(Judgement(mark[2])), mark[1] - mark[0]),
    )
    cuts = {position for mark in overlapping for position in mark[:2] if offset < position < end}
    result: list[Piece] = []
    previous_mark: Mark | None = None
    for begin, second in pairwise(sorted({offset, end, *cuts})):
        mark = next(
            (
                candidate
                for candidate in overlapping
                if candidate[0] <= begin and candidate[1] >= second
            ),
            None,
        )
        fragment = text[begin - offset : second - offset]
        if result and mark is previous_mark:  # what is hidden by another claim begins or ends here
            previous = result.pop()
            fragment = (previous if isinstance(previous, str) else previous[0]) + fragment
        result.append((fragment, *mark[2:]) if mark else fragment)
        previous_mark = mark
    return result
