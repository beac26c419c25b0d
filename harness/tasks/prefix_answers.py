"""Answers in prefix tokens, as sequence models of Lample and Charton write them."""

from __future__ import annotations

from collections.abc import Sequence

from ...benchmarks.algebra.normal_form import readable
from ...benchmarks.lample_charton.codec.prefix import PrefixError, from_prefix
from ...benchmarks.lample_charton.codec.vocabulary import END, PADDING, TOKENS
from ...rewards.reading.latex import to_latex
from ...rewards.verdict import Evidence, Status, Verdict

#: Tokens around an answer that are no part of it.
_AROUND = frozenset((TOKENS[END], TOKENS[PADDING], "<pad>"))


def as_latex(text: str, stop: Sequence[str] = ()) -> str | Verdict:
    r"""Prefix tokens as a boxed answer in LaTeX, or the verdict on a text that is no formula.

    Args:
        text: a completion: tokens between spaces, perhaps with those that begin, end and pad.
        stop: strings that end the answer.

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
        return rf"\boxed{{{to_latex(readable(from_prefix(tokens)))}}}"
    except PrefixError as error:
        evidence = Evidence(extracted_by="prefix", detail=str(error))
        return Verdict(Status.UNPARSEABLE, 0.0, " ".join(tokens), evidence)
