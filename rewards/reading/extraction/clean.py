"""Removes layout commands and remarks from a link (a side of an equation)."""

from __future__ import annotations

from ..latex.tokens.pattern import without_equation_number
from .boxes import closing_brace
from .words.tables import patterns

_TRAILING_CHARACTERS = frozenset(' \n\t~.,;:!?`"\\')
_TRAILING_COMMANDS = ("quad", "square", "Box", "mark", "qed", "star", "par", "hfill")
_LEADING_CHARACTERS = frozenset(' \n\t~:`",;.\\')
_CLOSING = frozenset(")]}")
#: Only this many brackets with remarks at the end of a formula are left out, each in one pass: a
#: domain, a condition, a constant and one to spare.
_MOST_REMARKS = 4
#: Only this many braces with labels are taken apart, each in one pass over the formula: half of
#: them, or twice, change no answer of the corpora (tests/mutation/constants.py).
_MOST_LABELS = 8

#: Characters at the end of a formula that spacing and punctuation may take, so that the search
#: takes linear time: 100 are too few for a text of `redteam.json` (tests/mutation/constants.py).
_LONGEST_END = 400
#: Braces or text commands around a whole formula that are taken off, each in one pass: a command,
#: its braces, and as many again.
_MOST_WRAPPERS = 4


def clean(latex: str) -> str:
    """Remove layout from a side of an equation, and punctuation from the ends.

    Layout means sizes, styles, labels and alignment.
    """
    latex = without_equation_number(latex)
    if "$" in latex or "\\" in latex or "*" in latex:
        if "**" in latex:
            latex = patterns.power_sign.sub("^", latex)
        if "\\color" in latex:
            latex = patterns.coloured.sub(r"\1", latex)
        latex = patterns.noise.sub("", latex)
    if ("&" in latex or "\\\\" in latex) and "\\begin" not in latex:
        latex = patterns.alignment.sub(" ", latex)
    if "onst" in latex or "const" in latex or "Const" in latex or "cte" in latex or "常" in latex:
        latex = patterns.constant_in_words.sub(r"\1C", latex)
    if "'" in latex or "prime" in latex:
        latex = patterns.primed_constant.sub(r"\1", latex)
    if "derb" in latex or "verb" in latex or "derp" in latex or "verp" in latex:
        latex = _without_labels(latex)
    if "\\in" in latex:
        latex = without_membership(latex)
    if "С" in latex:
        latex = patterns.cyrillic_constant.sub(r"\1C", latex)
    return with_clean_ends(latex)


def with_clean_ends(latex: str) -> str:
    """Remove punctuation, remarks and braces from the two ends of a formula.

    If the formula ends in a bracketed constant of integration, the brackets are removed as well.
    """
    latex = _trim(latex)
    if latex[-1:] in _CLOSING and latex[:-1].rstrip().removesuffix("\\right")[-1:] in "CcKk":
        latex = patterns.bracketed_constant.sub(r"\1\2", latex)
    for _ in range(_MOST_REMARKS):
        if not latex.endswith((")", "]")) or (shorter := _without_remark(latex)) == latex:
            break
        latex = _trim(shorter)
    return _unwrapped(latex)


def without_membership(latex: str) -> str:
    r"""Remove ``\in R``: ``{F + C : C \in R}`` and ``F + C \in R`` become ``F + C``."""
    if latex.count("\\in") == latex.count("\\int"):
        return latex
    if match := patterns.answer_set.fullmatch(latex.strip()):
        return match["element"]
    return patterns.constant_member.sub(r"\1", latex)


def _without_labels(latex: str) -> str:
    r"""Remove labelled braces: ``\underbrace{F}_{label}`` becomes ``{F}``."""
    for _ in range(_MOST_LABELS):
        command = patterns.braced_command.search(latex)
        if command is None:
            break
        close = closing_brace(latex, command.end())
        if close < 0:
            break
        label = patterns.brace_label.match(latex, close + 1)
        end = closing_brace(latex, label.end()) if label else close
        latex = latex[: command.start()] + latex[command.end() : close + 1] + latex[end + 1 :]
    return latex


def _trim(latex: str) -> str:
    """Remove spacing and punctuation from the two ends of a formula."""
    adorned = latex[-1:] > "\x7f" or latex[-1:] in _TRAILING_CHARACTERS
    if adorned or latex.endswith(_TRAILING_COMMANDS):
        latex = latex[:-_LONGEST_END] + patterns.trailing.sub("", latex[-_LONGEST_END:])
        if latex.endswith("\\right"):
            latex += "."  # the empty delimiter, not a full stop
    if latex[:1] in _LEADING_CHARACTERS or latex[:1] >= "\u25a0":
        match = patterns.leading.match(latex)
        if match:
            return latex[match.end() :]
    return latex


def _without_remark(latex: str) -> str:
    """Remove a final condition in brackets: ``F + C (x > 0)`` becomes ``F + C``."""
    if not patterns.remark_in_brackets.search(latex) or patterns.values_in_brackets.search(latex):
        return latex
    opened: list[int] = []
    bracket_start = -1
    for token in patterns.bracket_token.finditer(latex):
        character = token[0]
        if character in "([":
            if not opened:
                bracket_start = token.start()
            opened.append(token.start())
        elif character in ")]" and opened:
            opened.pop()
            if not opened and token.end() == len(latex):
                break
    else:
        return latex
    bracketed = latex[bracket_start:]
    if patterns.offered_in_brackets.match(bracketed):
        return latex
    head = latex[:bracket_start]
    for size in ("\\left", "\\big", "\\bigl", "\\Big", "\\Bigl"):
        head = head.removesuffix(size)
    return head if head.strip() and patterns.remark_in_brackets.search(bracketed) else latex


def _unwrapped(latex: str) -> str:
    """Remove braces, or a text command, around a whole formula."""
    for _ in range(_MOST_WRAPPERS):
        if latex[-1:] != "}" or latex[0] not in "{\\":
            break
        match = patterns.wrapper.match(latex)
        if not match or closing_brace(latex, match.end()) != len(latex) - 1:
            break
        latex = _trim(latex[match.end() + 1 : -1])
    return latex
