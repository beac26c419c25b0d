"""The reward component ``format``: a single box with a closed form, after well-formed thinking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...reading.extraction.boxed.content import is_placeholder
from ...reading.extraction.boxes import boxes
from ...reading.extraction.visible import visible
from ...verdict import Status
from .base import GradedCompletion, component

#: The default tags that open and close a thought.
THINK_TAGS = ("<think>", "</think>")


@dataclass(frozen=True, slots=True)
class Form:
    """Five criteria for the form of a completion, True if the completion meets the criterion.

    ``share`` is the share of the criteria that are met.
    """

    box: bool
    one_box: bool
    closed_form: bool
    thinking: bool
    ended: bool

    @property
    def share(self) -> float:
        criteria = (self.box, self.one_box, self.closed_form, self.thinking, self.ended)
        return sum(criteria) / len(criteria)


@component("format")
def form_share(graded: GradedCompletion) -> float:
    """The share of the criteria of `Form` that a completion meets."""
    return form_of(
        graded.text,
        graded.status,
        truncated=graded.truncated,
        stop=graded.stop,
        tags=graded.think_tags,
        must_think=graded.must_think,
    ).share


def form_of(
    text: str,
    status: Status,
    *,
    truncated: bool = False,
    stop: Sequence[str] = (),
    tags: tuple[str, str] = THINK_TAGS,
    must_think: bool = False,
) -> Form:
    """Check five criteria for the form of a completion.

    ``status`` is the status of the completion's verdict. The work is linear in the text, and no
    text raises an exception. The criteria are:

    - ``box``: the text outside thoughts has a complete box, and the last box is not a placeholder;
    - ``one_box``: ``box`` is met, and the text outside thoughts has no second box;
    - ``closed_form``: the answer is an expression without unevaluated integrals or limits;
    - ``thinking``: the text has no thought, or begins with its only thought, which is closed. If
      ``must_think`` is set, the text must have a thought that is not empty;
    - ``ended``: the completion was not cut off by the token limit.
    """
    visible_boxes = boxes(visible(text, stop).text)
    complete = (
        bool(visible_boxes)
        and visible_boxes[-1].content is not None
        and not is_placeholder(visible_boxes[-1])
    )
    unread = (Status.NO_ANSWER, Status.UNPARSEABLE, Status.NOT_CLOSED_FORM)
    return Form(
        box=complete,
        one_box=complete and len(visible_boxes) == 1,
        closed_form=status not in unread,
        thinking=_well_formed(text, tags, must_think),
        ended=not truncated,
    )


def _well_formed(text: str, tags: tuple[str, str], must_think: bool) -> bool:
    opening, closing = tags
    marks = re.findall(f"{re.escape(opening)}|{re.escape(closing)}", text)
    if not marks:
        return not must_think
    if marks != [opening, closing] or not text.lstrip().startswith(opening):
        return False
    thought = text.lstrip()[len(opening) :].partition(closing)[0]
    return bool(thought.strip()) or not must_think
