"""The visible part of a completion, without thoughts and later turns.

Every step is a linear pass over the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import NamedTuple
from unicodedata import normalize

from .spans import has_prose
from .words.tables import hints, patterns, replacement


def plain(text: str) -> str:
    """Remove invisible characters, and replace special spaces, letters and relation signs."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text
    if patterns.styled_letter.search(text):
        text = patterns.styled_letter.sub(lambda m: normalize("NFKC", m[0]), text)
    return patterns.characters.sub(lambda m: replacement("characters", m[0]), text)


# --- HTML, and Markdown's quotations ------------------------------------------------------------


def _without_markup(text: str) -> str:
    if "&" in text and ";" in text:
        text = patterns.entity.sub(lambda m: unescape(m[0]), text)
    if any(map(text.__contains__, hints("hidden"))):
        text = patterns.hidden.sub(" ", text)
    if ">" not in text:
        return text
    text = patterns.quotation.sub("", text)
    return patterns.html.sub(lambda m: replacement("html", m[0]), text) if "<" in text else text


# --- Thinking ----------------------------------------------------------------------------------
# The same format after a tokenizer has dropped its special tokens.
_BARE_FINAL = "assistantfinal"


class Visible(NamedTuple):
    """The visible part of a completion.

    ``thought`` is the unfinished thought at the end of the completion. It is None if the completion
    does not end in a thought.
    """

    text: str
    thought: str | None = None


def _channels(text: str) -> Visible:
    """The text of the messages in the channel "final".

    A mark with a channel's name precedes each message. Text before the first mark is left out.
    """
    marks = list(patterns.channel.finditer(text))
    final: list[str] = []
    channel = ""
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        body = text[mark.end() : following.start() if following else len(text)]
        channel = mark[1].lower()
        if channel == "final":
            final.append(patterns.ends_turn.split(patterns.message.sub("", body), maxsplit=1)[0])
    return Visible("\n".join(final), None if channel == "final" else text[marks[-1].end() :])


def _without_thoughts(text: str) -> Visible:
    if "<|channel|>" in text:
        return _channels(text)
    if text.lstrip().startswith("analysis"):
        at = text.rfind(_BARE_FINAL)
        if at >= 0:
            return Visible(text[at + len(_BARE_FINAL) :])
        if patterns.bare_analysis.match(text):
            return Visible("", text)
    pieces: list[str] = []
    start = 0
    opened: int | None = None
    size = len(text.rstrip())
    closed = False
    for tag in patterns.thought.finditer(text):
        if tag.lastgroup == "opens":  # nested tags are ignored
            if opened is None:
                pieces.append(text[start : tag.start()])
                opened = tag.end()
        elif opened is not None:
            opened, start, closed = None, tag.end(), True
        elif closed and tag.end() == size:
            pieces.append(text[start : tag.start()])  # a stray tag at the very end
            start = tag.end()
        else:
            # A closing tag without an opening one: all text before it was a thought.
            pieces, start = [], tag.end()
    if opened is not None:
        return Visible("\n".join(pieces), text[opened:])
    if not pieces:
        return Visible(text[start:])
    pieces.append(text[start:])
    return Visible("\n".join(pieces))


# --- Text with doubled backslashes (JSON) --------------------------------------------------------


# Control characters that a decoder of JSON made of commands such as \frac and \beta.
_CONTROLS = {"\x07": "\\a", "\x08": "\\b", "\x0b": "\\v", "\x0c": "\\f"}
_CONTROL = re.compile(f"[{''.join(_CONTROLS)}](?=[a-z]{{2}})")


def _unescaped(text: str) -> str:
    if any(map(text.__contains__, _CONTROLS)):
        text = _CONTROL.sub(lambda match: _CONTROLS[match[0]], text)
    if (
        "\\\\" in text
        and patterns.doubled_command.search(text)
        and not patterns.single_command.search(text)
    ):
        return text.replace("\\\\", "\\")
    return text


def _first_problem(text: str) -> str:
    """The text up to the heading of another problem, if an answer stands before the heading.

    A base model goes on with invented problems. A solution with the problem at the beginning has no
    answer before the heading.
    """
    at = 0
    for heading in patterns.heads_problem.finditer(text):
        passage = text[at : heading.start()]
        if patterns.answered.search(passage) or (passage.strip() and not has_prose(passage)):
            return text[: heading.start()]
        at = heading.start()
    return text


def visible(completion: str, stop: Sequence[str] = ()) -> Visible:
    """Remove thoughts, later turns and the like from a completion."""
    text, thought = completion, None
    marked = "<" in completion or "THINK" in completion or "◁" in completion
    if marked or completion.lstrip().startswith("analysis"):
        without_thoughts = _without_thoughts(completion)
        text, thought = without_thoughts.text, without_thoughts.thought
    cuts = [at for mark in stop if mark and (at := text.find(mark)) >= 0]
    if cuts:
        text, thought = text[: min(cuts)], None  # a thought after a stop string does not count
    text = plain(_without_markup(text))
    if "In[" in text or "Out[" in text or "In [" in text:
        text = patterns.session_prompt.sub("", text)
    if "<|" in text or "INST]" in text or "s>" in text or "_of_turn>" in text:
        text = patterns.begins_turn.sub("", text, count=1)
        end = patterns.ends_turn.search(text)
        if end:
            text = text[: end.start()]
    return Visible(_unescaped(_first_problem(text)), thought)
