"""Cleaning one side of an equation: layout commands and remarks are removed."""

from __future__ import annotations

import re

from .boxes import closing_brace

# Layout commands and their arguments.
_NOISE = re.compile(
    r"\\(?:display|text|script|scriptscript)style(?![A-Za-z])\s?|\\(?:no)?limits(?![A-Za-z])"
    r"|\\(?:nonumber|notag|hfill|allowbreak|nobreak|noindent|centering|ensuremath"
    r"|Large|LARGE|large|huge|Huge|bf|bfseries|boxed)(?![A-Za-z])"
    r"|\\(?:tag|label|color|hspace|vspace)\*?\s?\{[^{}]{0,80}\}"
    r"|\\(?:boldsymbol|bm|mathbf|pmb|underline|fbox|mathbin|mathord|mathstrut"
    r"|underset\s?\{[^{}]{0,80}\}|(?:textcolor|colorbox)\s?\{[^{}]{0,40}\})(?=\s?\{)"
    r"|\$|\*\*(?![\w(])|(?<![\w)])\*\*"
)
_COLOURED = re.compile(r"\\color\s?\{[^{}]{0,80}\}\s?\{([^{}]{0,80})\}")
_ALIGNMENT = re.compile(r"\\\\(?:[ ]?\[[^\]\n]{0,12}\])?|&")
_ORNAMENT = r"\\(?:blacksquare|square|Box|checkmark|qed|bigstar|q?quad|par|hfill)(?![A-Za-z])"
_TRAILING = re.compile(
    rf"(?:{_ORNAMENT}|\\[,;:! /]|[\s~✓✅■□∎.,;:?`\"]|(?<=[CcKk\s])!|(?<!\\)\\$)+\Z"
)
_TRAILING_CHARACTERS = frozenset(' \n\t~✓✅■□∎.,;:!?`"\\')
_TRAILING_COMMANDS = ("quad", "square", "Box", "mark", "qed", "star", "par", "hfill")
_LEADING = re.compile(
    r"(?:\\(?:q?quad|par|hfill|therefore|because)(?![A-Za-z])|\\[,;:! /]|[\s~:`\",;]|\.(?!\d))+"
)
_LEADING_CHARACTERS = frozenset(' \n\t~:`",;.\\')
_CLOSING = frozenset(")]}")
#: The constant of integration in words.
CONSTANT_WORDS = (
    r"(?:(?:an? |some |the |arbitrary |integration |integrating )*"
    r"(?:const(?:ante|ant)?s?|konst(?:ante)?|cte|cste|costante|константа|常数)(?![^\W\d_])\.?(?:\s+of\s+integration)?)"
)
_CONSTANT_WORD = re.compile(
    r"([-+]\s?)(?:\\(?:text|mathrm|mathit|textrm|mbox|operatorname)\s?\{\s?)?"
    rf"{CONSTANT_WORDS}\s?\}}?",
    re.IGNORECASE,
)
_PRIMED_CONSTANT = re.compile(r"([-+]\s?[CKck])(?:'|\^\{?\\prime\}?)(?![\w(])")
_BRACKETED_CONSTANT = re.compile(
    r"(?:\\left\s?)?(?<![\^_])[(\[{]\s*([-+])\s*(?:\\[,;:! ]\s*)*([CcKk])\s*(?:\\right)?[)\]}]\Z"
)
_BRACE = r"(?:\\(?:left|[bB]igg?l?)\s?)?\\(?:\{|lbrace(?![A-Za-z]))"
_REALS = r"\\in\s*(?:\\(?:mathbb|mathbf|mathrm|Bbb)\s*\{?\s*[RC]\s*\}?|ℝ|\\R(?:eals)?(?![A-Za-z]))"
_CONSTANT_LETTER = r"[CcKk](?:_\{?\w\}?)?"
# "{F + C : C in R}"
_SET = re.compile(
    rf"{_BRACE}(?P<element>.*?)(?:(?<!\\)[:;,]|\\colon|\\(?:[bB]igg?|middle)?\s?\\?(?:mid|vert)(?![A-Za-z])"
    rf"|\\(?:[bB]igg?m?|middle)\s?\||(?<=[\s;])\|(?=[\s\\]))(?:\s|\\[,;:! ]|\\q?quad)*"
    rf"(?:\\forall\s*)?{_CONSTANT_LETTER}\s*{_REALS}(?:\s|\\[,;:! ])*"
    r"(?:\\(?:right|[bB]igg?r?)\s?)?\\(?:\}|rbrace)",
    re.DOTALL,
)
_MEMBER = re.compile(rf"([-+]\s*{_CONSTANT_LETTER})\s*{_REALS}")
_BRACED_COMMAND = re.compile(r"\\(?:under|over)(?:brace|bracket|paren)\s?(?=\{)")
_LABELLED = re.compile(r"\s*[_^]\s*(?=\{)")
#: Only this many brackets with remarks at the end of a formula are left out, each in one pass: a
#: domain, a condition, a constant and one to spare.
_MOST_REMARKS = 4
#: Only this many braces with labels are taken apart, each in one pass over the formula: half of
#: them, or twice, change no answer of the corpora (tests/perf/constants.py).
_MOST_LABELS = 8
#: Characters at the end of a formula that spacing and punctuation may take, so that the search
#: takes linear time: 100 are too few for a text of `redteam.json` (tests/perf/constants.py).
_LONGEST_END = 400
#: Braces or text commands around a whole formula that are taken off, each in one pass: a command,
#: its braces, and as many again.
_MOST_WRAPPERS = 4
_CYRILLIC_CONSTANT = re.compile(r"([-+]\s?)С(?!\w)")
_POWER = re.compile(r"(?<=[\w)}\]])\s?\*\*\s?(?=[\w({-])")
_REMARK_INSIDE = re.compile(
    r"[=<>]|\\(?:n?eq?|not|leq?|geq?|lt|gt|in|notin)(?![A-Za-z])"
    r"|\\(?:text|mbox|textrm)\s?\{(?!\s*\\?[A-Za-z]{1,8}\s*\})"
    r"|\b(?:where|for|if|with|when|or|since)\b|constant",
    re.IGNORECASE,
)
#: "(or G)" is no remark: G is a second answer.
_ALTERNATIVE = re.compile(
    r"[(\[]\s*(?:\\(?:text|mbox|textrm)\s?\{)?\s*(?:or|alternatively)\b", re.IGNORECASE
)
_GROUP = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)\s?(?=[()\[\]])|\\.|[()\[\]{}]", re.DOTALL)


def clean(latex: str) -> str:
    """A link without layout: sizes, styles, labels, alignment, punctuation at its ends."""
    if "$" in latex or "\\" in latex or "*" in latex:
        if "**" in latex:
            latex = _POWER.sub("^", latex)
        if "\\color" in latex:
            latex = _COLOURED.sub(r"\1", latex)
        latex = _NOISE.sub("", latex)
    if ("&" in latex or "\\\\" in latex) and "\\begin" not in latex:
        latex = _ALIGNMENT.sub(" ", latex)
    if "onst" in latex or "const" in latex or "Const" in latex or "cte" in latex or "常" in latex:
        latex = _CONSTANT_WORD.sub(r"\1C", latex)
    if "'" in latex or "prime" in latex:
        latex = _PRIMED_CONSTANT.sub(r"\1", latex)
    if "derb" in latex or "verb" in latex or "derp" in latex or "verp" in latex:
        latex = _without_labels(latex)
    if "\\in" in latex:
        latex = without_membership(latex)
    if "С" in latex:
        latex = _CYRILLIC_CONSTANT.sub(r"\1C", latex)
    return with_clean_ends(latex)


def with_clean_ends(latex: str) -> str:
    """A link without punctuation, a bracketed constant, remarks and braces at its ends."""
    latex = _trim(latex)
    if latex[-1:] in _CLOSING and latex[:-1].rstrip().removesuffix("\\right")[-1:] in "CcKk":
        latex = _BRACKETED_CONSTANT.sub(r"\1\2", latex)
    for _ in range(_MOST_REMARKS):
        if not latex.endswith((")", "]")) or (shorter := _without_remark(latex)) == latex:
            break
        latex = _trim(shorter)
    return _unwrapped(latex)


def without_membership(latex: str) -> str:
    r"""``{F + C : C \in R}`` and ``F + C \in R`` as ``F + C``."""
    if "\\in" not in latex:
        return latex
    if match := _SET.fullmatch(latex.strip()):
        return match["element"]
    return _MEMBER.sub(r"\1", latex)


def _without_labels(latex: str) -> str:
    r"""``\underbrace{F}_{label}`` as ``{F}``."""
    for _ in range(_MOST_LABELS):
        command = _BRACED_COMMAND.search(latex)
        if command is None:
            break
        close = closing_brace(latex, command.end())
        if close < 0:
            break
        label = _LABELLED.match(latex, close + 1)
        end = closing_brace(latex, label.end()) if label else close
        latex = latex[: command.start()] + latex[command.end() : close + 1] + latex[end + 1 :]
    return latex


def _trim(latex: str) -> str:
    """Without spacing and punctuation at either end."""
    if latex[-1:] in _TRAILING_CHARACTERS or latex.endswith(_TRAILING_COMMANDS):
        latex = latex[:-_LONGEST_END] + _TRAILING.sub("", latex[-_LONGEST_END:])
        if latex.endswith("\\right"):
            latex += "."  # the empty delimiter, not a full stop
    if latex[:1] in _LEADING_CHARACTERS:
        match = _LEADING.match(latex)
        if match:
            return latex[match.end() :]
    return latex


def _without_remark(latex: str) -> str:
    """The link without a last bracket that holds a condition: ``F + C (x > 0)``."""
    if not _REMARK_INSIDE.search(latex) or "iecewise" in latex:
        return latex
    opened: list[int] = []
    last = -1
    for token in _GROUP.finditer(latex):
        character = token[0]
        if character in "([":
            if not opened:
                last = token.start()
            opened.append(token.start())
        elif character in ")]" and opened:
            opened.pop()
            if not opened and token.end() == len(latex):
                break
    else:
        return latex
    inside = latex[last:]
    if _ALTERNATIVE.match(inside):
        return latex
    before = latex[:last]
    for size in ("\\left", "\\big", "\\bigl", "\\Big", "\\Bigl"):
        before = before.removesuffix(size)
    return before if before.strip() and _REMARK_INSIDE.search(inside) else latex


_WRAPPER = re.compile(r"(?:\\(?:text|mathrm|mbox|textbf|mathbf|textrm|mathsf|mathit)\s?)?(?=\{)")


def _unwrapped(latex: str) -> str:
    """Without braces, or a text command, around the whole."""
    for _ in range(_MOST_WRAPPERS):
        if latex[-1:] != "}" or latex[0] not in "{\\":
            break
        match = _WRAPPER.match(latex)
        if not match or closing_brace(latex, match.end()) != len(latex) - 1:
            break
        latex = _trim(latex[match.end() + 1 : -1])
    return latex
