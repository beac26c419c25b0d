"""Answers in prefix tokens, as sequence models of Lample and Charton write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...benchmarks.algebra.normal_form import readable
from ...benchmarks.lample_charton.codec.prefix import PrefixError, from_prefix
from ...benchmarks.lample_charton.codec.vocabulary import END, PADDING, TOKENS
from ...rewards.reading.expression.tree import Expression
from ...rewards.reading.latex import to_latex
from ...rewards.verdict import Evidence, Status, Verdict
from ..core.policy import Policy
from ..core.requests import FinishReason
from .base import Graded, Grader

#: Tokens around an answer that are no part of it.
_AROUND = frozenset((TOKENS[END], TOKENS[PADDING], "<pad>"))


def with_prefix(grade: Grader, read: Callable[[Sequence[str]], Expression] = from_prefix) -> Grader:
    """A grader that also reads prefix tokens, where a policy says so.

    Args:
        grade: the grader of answers in LaTeX.
        read: the reader of the tokens of an answer.

    Returns:
        The grader of both.

    """

    async def both(
        graded: Sequence[Graded], policy: Policy, stop: tuple[str, ...]
    ) -> list[Verdict]:
        if policy.answer_format == "latex":
            return await grade(graded, policy, stop)
        readings = [as_latex(completion.text, stop, read) for _, completion in graded]
        readable = [
            (problem, replace(completion, text=reading, finish_reason=FinishReason.STOP))
            for (problem, completion), reading in zip(graded, readings, strict=True)
            if isinstance(reading, str)
        ]
        verified = iter(await grade(readable, policy, ()))
        return [next(verified) if isinstance(reading, str) else reading for reading in readings]

    return both


def as_latex(
    text: str,
    stop: Sequence[str] = (),
    read: Callable[[Sequence[str]], Expression] = from_prefix,
) -> str | Verdict:
    r"""Prefix tokens as a boxed answer in LaTeX, or the verdict on a text that is no formula.

    Args:
        text: a completion: tokens between spaces, perhaps with those that begin, end and pad.
        stop: strings that end the answer.
        read: the reader of the tokens.

    Returns:
        The boxed answer or the verdict.

    >>> as_latex("mul INT+ 2 sin x")
    '\\boxed{2 \\sin\\left(x\\right)}'

    """
    for end in stop:
        text = text.partition(end)[0]
    tokens = [token for token in text.split() if token not in _AROUND]
    evidence = Evidence(extracted_by="prefix" if tokens else "none")
    if not tokens:
        return Verdict(Status.NO_ANSWER, 0.0, None, evidence)
    try:
        return rf"\boxed{{{to_latex(readable(read(tokens)))}}}"
    except PrefixError as error:
        evidence = Evidence(extracted_by="prefix", detail=str(error))
        return Verdict(Status.UNPARSEABLE, 0.0, " ".join(tokens), evidence)
