"""The answer in a completion's boxes."""

from __future__ import annotations

import re

from .boxes import Box
from .clean import clean
from .judge import CONSTANT, Kind, Statement, definition, judge
from .result import Extraction
from .statements import chains

# Placeholders, as in a quoted instruction: nothing, dots, "your answer".
_PLACEHOLDER = re.compile(
    r"(?:\\(?:text|mathrm|textbf)\s?\{)?[\s\"'<\[({]*"
    r"(?:\.{2,}|\\(?:[lc]?dots|quad|[,;:! ])|_+|\?+|-"
    r"|(?:your |the |my |insert |put )?(?:final )?(?:answer|expression|result|solution)(?: here)?)?"
    r"[\s\"'>\])}.]*",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\b(?:with|within|in|into|inside|using)\s(?:(?:a|the|my|your)\s)?[`$*\\({\s]*$", re.IGNORECASE
)
_LABEL = re.compile(
    r"[\s*#]*(?:the\s+)?(?:final\s+)?(?:answer|antiderivative|integral|result|solution)"
    r"(?:\s+is)?\s*[:=]?\s*(?=[^A-Za-z\s,])",
    re.IGNORECASE,
)


_DAWSON = re.compile(r"(?<![A-Za-z\\])F(?=\s?(?:\\left\s?)?\()")


def is_placeholder(box: Box) -> bool:
    """Whether a box is empty or holds a placeholder."""
    content = box.content or ""
    return len(content) < 60 and _PLACEHOLDER.fullmatch(content) is not None


def is_mention(box: Box, text: str) -> bool:
    r"""Whether an empty box is only spoken of: "let me verify with $\\boxed{}$"."""
    before = text[max(0, box.start - 30) : box.start]
    return box.content == "" and _PREPOSITION.search(before) is not None


def _is_constant(box: Box) -> bool:
    content = box.content or ""
    return len(content) < 40 and CONSTANT.fullmatch(content) is not None


def from_boxes(complete: list[Box], notes: tuple[str, ...]) -> Extraction:
    """The answer in the last of these boxes; a lone constant yields to an earlier box."""
    chosen = complete[-1]
    if len(complete) > 1:
        if _is_constant(chosen):
            for box in reversed(complete[:-1]):
                if not _is_constant(box) and not is_placeholder(box):
                    chosen = box
                    notes = (*notes, "a box with only the constant was passed over")
                    break
        contents = {"".join((box.content or "").split()) for box in complete}
        differ = ", which differ" if len(contents) > 1 else ""
        notes = (*notes, f"{len(complete)} boxes{differ}")
    return _inside(chosen.content or "", notes)


def _inside(content: str, notes: tuple[str, ...]) -> Extraction:
    """The answer in a box: the last link of the last statement of the highest kind."""
    if "$" in content:
        content = content.replace("$", " ")
    if "\\(" in content and "\\)" in content:
        content = content.replace("\\(", " ").replace("\\)", " ")
    if "Dawson" in content:  # "where F is Dawson's function"
        content = _DAWSON.sub(r"\\operatorname{dawson}", content)
    if label := _LABEL.match(content):
        content = content[label.end() :]
    best: Statement | None = None
    others: list[str] = []
    definitions: list[tuple[str, str]] = []
    rows = "\\\\" in content
    for chain in chains(content):
        if defined := definition(chain):
            definitions.append(defined)
        if chain.remark or chain.approximate:
            continue
        statement = judge(chain)
        if not statement.answer or (best and statement.kind < max(best.kind, Kind.LONE)):
            continue
        if best and best.kind is Kind.STRONG and (chain.alternative or not rows):
            others.append(best.answer)
        best = statement
    answer = best.answer if best else clean(content)
    if best and best.links > 1:
        notes = (*notes, f"a chain of {best.links} links")
    alternatives = tuple(other for other in dict.fromkeys(others) if other != answer)
    return Extraction(
        answer or None,
        "boxed" if answer else "none",
        notes,
        alternatives,
        best.steps if best else (),
        tuple(definitions),
    )
