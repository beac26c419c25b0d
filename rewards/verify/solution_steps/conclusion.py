"""The last claim of a solution: that its final answer is right."""

from __future__ import annotations

from ...verdict import Status, Verdict
from .reader import Reader
from .result import Claim, Judgement
from .scope import free_symbols
from .statements import Link

_JUDGEMENTS = {Status.CORRECT: Judgement.CORRECT, Status.INCORRECT: Judgement.INCORRECT}


def final_claim(reader: Reader, verdict: Verdict, completion: str) -> Claim | None:
    """The claim that the final answer is right; None where there is no answer."""
    if verdict.answer is None:
        return None
    answer = _joined(verdict.answer)
    boxed = [each.links[-1] for each in reader.ends if each.boxed]
    same = [link for each in reader.ends if answer in _joined((link := each.links[-1]).latex)]
    place = (boxed or same)[-1] if boxed or same else _place(verdict.answer, completion)
    judgement = _JUDGEMENTS.get(verdict.status, Judgement.UNCHECKED)
    if judgement is Judgement.INCORRECT and not boxed:
        read = reader.sides(Link(verdict.answer, 0, 0))
        names = {*reader.scope.values, *reader.scope.introduced}
        if reader.whole.limits:
            names.add(reader.whole.variable)
        if read and free_symbols(read[0]) & names:
            judgement = Judgement.UNCHECKED  # the text ends before its answer
    evidence = verdict.evidence
    return Claim(
        "final",
        judgement,
        "",
        verdict.answer,
        place.start,
        place.end,
        displayed=True,
        points=evidence.points,
        witness=evidence.witness,
        detail=evidence.detail,
    )


def _place(answer: str, completion: str) -> Link:
    """Where an answer without a sign of equality stands, or else the last line."""
    at = completion.rfind(answer)
    if at >= 0:
        return Link(answer, at, at + len(answer))
    end = len(completion.rstrip())
    return Link(answer, completion.rfind("\n", 0, end) + 1, end)


def _joined(latex: str) -> str:
    """LaTeX without spaces."""
    return "".join(latex.split())
