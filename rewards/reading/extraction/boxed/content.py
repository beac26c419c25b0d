"""The answer in a completion's boxes."""

from __future__ import annotations

import re
from typing import Final

from ..boxes import Box
from ..clean import clean
from ..judge import JudgedChain, Kind, definition, is_constant, judge
from ..result import Extraction, nothing
from ..statements import Chain, chains
from ..words.tables import patterns
from ..words.vocabulary import is_name, unknown_word
from .placed import BoxContext, filled, marks_in, place

#: Longer boxes are no placeholders; "put your final expression here" in a text command has 37.
_LONGEST_PLACEHOLDER: Final = 60
#: Characters of a word that a note shows, so that a note is one line.
_MAX_NOTE: Final = 60


def is_placeholder(box: Box) -> bool:
    """Whether a box is empty or contains only a placeholder."""
    content = box.content or ""
    return (
        len(content) < _LONGEST_PLACEHOLDER and patterns.placeholder.fullmatch(content) is not None
    )


def is_mention(box: Box, text: str) -> bool:
    r"""Whether the text only mentions an empty box, as in "let me verify with $\\boxed{}$"."""
    # "inside your ", the longest phrase of `speaks_of_box`, and layout; 15 change no answer either.
    preceding = text[max(0, box.start - 30) : box.start]
    return box.content == "" and patterns.speaks_of_box.search(preceding) is not None


def from_boxes(text: str, complete: list[Box], notes: tuple[str, ...]) -> Extraction:
    """Extract the answer from the last box not rejected by the text.

    If the last box contains just a constant of integration, an earlier box with more content is
    used.
    """
    chosen = len(complete) - 1
    if len(complete) > 1:
        if is_constant(complete[-1].content or ""):
            for number in range(len(complete) - 2, -1, -1):
                box = complete[number]
                if not is_constant(box.content or "") and not is_placeholder(box):
                    chosen = number
                    notes = (*notes, "a box with only the constant was passed over")
                    break
        contents = {"".join((box.content or "").split()) for box in complete}
        differ = ", which differ" if len(contents) > 1 else ""
        notes = (*notes, f"{len(complete)} boxes{differ}")
    while (around := place(text, complete[: chosen + 1])).denied:
        notes = (*notes, "a box that the text denies")
        chosen -= 1
        if chosen < 0:
            return nothing(*notes)
    if around.unknown:
        refused = f"the word {around.unknown[:_MAX_NOTE]!r} beside the box may change the answer"
        return Extraction(complete[chosen].content, "boxed", notes, refused=refused)
    surrounding_text = around.alternatives or around.following or around.where or around.unsolved
    if around.lone and not surrounding_text:
        return inside(complete[chosen].content or "", notes)
    return _around(around, complete, notes)


def _around(around: BoxContext, complete: list[Box], notes: tuple[str, ...]) -> Extraction:
    """Extract an answer from a formula with boxes as parts."""
    templates = (around.template, *around.alternatives)
    numbers = sorted({number for template in templates for number in marks_in(template)})
    read = {number: inside(complete[number].content or "") for number in numbers}
    answers = {number: read[number].answer or "" for number in numbers}
    if around.lone:
        own = read[marks_in(around.template)[0]]
        answer, alternatives, steps = own.answer, own.alternatives, own.steps
    else:
        answer = filled(around.template, answers)
        alternatives = tuple(
            filled(around.template, {**answers, number: alternative})
            for number in marks_in(around.template)
            for alternative in read[number].alternatives
        )
        steps = ()
        notes = (*notes, "a formula around a box")
    offers = (filled(template, answers) for template in around.alternatives)
    alternatives = (*alternatives, *(offered for offered in offers if offered != answer))
    defined = (definition(chain) for chain in chains(around.where)) if around.where else ()
    return Extraction(
        answer,
        "boxed",
        notes,
        alternatives,
        (*steps, *around.following),
        tuple(
            pair
            for pairs in (*(extraction.definitions for extraction in read.values()), tuple(defined))
            for pair in pairs
            if pair
        ),
        refused=next(
            (extraction.refused for extraction in read.values() if extraction.refused), ""
        ),
        unsolved=around.unsolved,
    )


def inside(content: str, notes: tuple[str, ...] = ()) -> Extraction:
    """Extract the answer from the content of a box.

    The answer is the last statement of the likeliest kind (`Kind`). If this statement is an
    equation, only the expression after the last ``=`` is the answer. Other statements that may be
    answers become `Extraction.alternatives`, which must be right as well.
    """
    content = content.replace("$", " ")
    if "\\(" in content and "\\)" in content:
        content = content.replace("\\(", " ").replace("\\)", " ")
    upright = "text" in content or "mathrm" in content or "mbox" in content
    if upright and (measured := patterns.unit_behind.fullmatch(content)):
        content = measured["number"]
    if "Dawson" in content:  # "where F is Dawson's function"
        content = patterns.dawson.sub(r"\\operatorname{dawson}", content)
    best: JudgedChain | None = None
    further: list[str] = []
    definitions: list[tuple[str, str]] = []
    steps: tuple[str, ...] = ()
    refused = ""
    for chain in chains(_without_brackets(content), boxed=True):
        refused = refused or _refusal(chain)
        if defined := definition(chain):
            definitions.append(defined)
        if chain.approximate:
            continue
        statement = judge(chain)
        if chain.remark:
            if statement.kind is Kind.IDENTITY and best and _speaks_of(chain, best.answer):
                refused = refused or "what the box says of its formula"
            continue
        offered = chain.alternative and not chain.bound
        if not statement.answer or (best and statement.kind < Kind.LONE and not offered):
            continue
        lower, higher = sorted((best, statement), key=_kind) if best else (None, statement)
        # The last of the statements of the highest kind is the answer, and the others must be
        # right, too, apart from lone symbols and numbers that nothing offers as answers.
        if lower and (offered or lower.kind >= Kind.PLAIN or higher.kind is Kind.LONE):
            further.append(lower.answer)
        best = higher
    answer = best.answer if best else clean(content)
    if best and best.links > 1:
        notes = (*notes, f"a chain of {best.links} links")
    alternatives = tuple(formula for formula in dict.fromkeys(further) if formula != answer)
    return Extraction(
        answer or None,
        "boxed" if answer else "none",
        notes,
        alternatives,
        best.steps if best else steps,
        tuple(definitions),
        refused=refused,
        unsolved=best.unsolved if best else "",
    )


def _kind(statement: JudgedChain) -> Kind:
    return statement.kind


# --- What a box says beside its formula -------------------------------------------------------
#: Brackets at the end of a box that are opened, each in one pass over the box: an equality, a
#: condition, a constant and one to spare.
_MOST_BRACKETS = 4


def _without_brackets(content: str) -> str:
    """Remove brackets at the end of a box's content if they enclose a statement.

    ``F (= G)`` becomes ``F = G``, and ``F (where C is constant)`` becomes ``F, where C is
    constant``.
    """
    for _ in range(_MOST_BRACKETS):
        if content.rstrip(" .,;~\n")[-1:] not in (")", "]"):
            break
        match = patterns.last_bracket.fullmatch(content)
        if match is None or patterns.values_in_brackets.search(content):
            break
        words = patterns.text_group.sub(_without_name, match["inside"])
        if not patterns.relation.search(words):
            break
        if patterns.order.search(match["inside"]) and patterns.order.search(match["before"]):
            break  # a row of several cases
        pause = "" if patterns.equated.match(match["inside"]) else r",\quad "
        content = f"{match['before']} {pause}{match['inside']}{match['after']}"
    return content


def _without_name(command: re.Match[str]) -> str:
    """Remove a text command that contains the name of a function or symbol instead of words.

    The name of Catalan's constant is an example. Another text command is returned unchanged.
    """
    return "" if is_name(command["held"]) else command[0]


def _refusal(chain: Chain) -> str:
    """The reason why a statement in a box may change the meaning of the answer in the box.

    The reason is empty if the statement cannot change the meaning.
    """
    if chain.unknown:
        return f"words that may change the answer: {chain.unknown.strip()[:_MAX_NOTE]}"
    if chain.bound and any(map(patterns.inequation.search, chain.links)) and not chain.remark:
        return "an inequation"
    if not chain.remark:
        return ""
    for link in chain.links:
        if word := unknown_word(link):
            return f"a word that may change the answer: {word[:_MAX_NOTE]}"
    if len(chain.links) == 1 and not chain.bound:
        link = patterns.any_reals.sub(" ", chain.links[0])
        if patterns.formula_beside.search(link) and not patterns.constant.fullmatch(
            link.strip(" .,;")
        ):
            return "a formula behind the answer"
    return ""


def _speaks_of(chain: Chain, answer: str) -> bool:
    """Whether an equation has no letters except letters of the answer."""
    return {*patterns.symbol.findall(" ".join(chain.links))} <= {*patterns.symbol.findall(answer)}
