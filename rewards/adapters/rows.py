"""The data in trainers' rows: completions, prompts, token ids and targets in several forms."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple


def text_of(completion: Any) -> str:
    """The text of a completion, which is a string or a list of messages.

    The text of a list is the content of its last message. If the last message is not from the
    assistant, the result is empty. Text of a tool or a user therefore never counts as an answer.
    Content that is not text is left out. Reasoning in a separate field is left out, too.
    """
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        completion = [completion]
    if not isinstance(completion, Sequence) or not completion:
        return ""
    last_message = completion[-1]
    if (
        not isinstance(last_message, Mapping)
        or last_message.get("role", "assistant") != "assistant"
    ):
        return ""
    return content_text(last_message.get("content"))


def content_text(content: Any) -> str:
    """The text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    texts = (
        content_part.get("text") for content_part in content if isinstance(content_part, Mapping)
    )
    return "".join(text for text in texts if isinstance(text, str))


def opens_thinking(prompt: Any, tag: str) -> bool:
    """Whether a prompt ends with the tag that opens a thought. Some chat templates add this tag."""
    text = prompt if isinstance(prompt, str) else ""
    if not text and isinstance(prompt, Sequence) and prompt and isinstance(prompt[-1], Mapping):
        last_message = prompt[-1]  # a prefilled assistant message
        if last_message.get("role") == "assistant" and isinstance(last_message.get("content"), str):
            text = last_message["content"]
    return text.rstrip().endswith(tag)


def is_truncated(ids: Sequence[int] | None, ends: Collection[int], limit: int | None) -> bool:
    """Whether the token limit cut off a completion with these token ids.

    ``ends`` are the ids that end a completion: end of sequence and end of turn. ``limit`` is the
    largest number of tokens. If both are known, a completion that is shorter than the limit counts
    as complete, because a stop string may have ended the text.
    """
    if ids is None or not (ends or limit):
        return False
    if ends and len(ids) and ids[-1] in ends:
        return False
    return limit is None or len(ids) >= limit


@lru_cache(maxsize=1024)
def warn_once(log: logging.Logger, message: str, subject: str) -> None:
    """Log a warning about a row only once, not for each of its completions and epochs."""
    log.warning(message, subject)


class RowTarget(NamedTuple):
    """The target of a row, with its variable, assumptions and task (see `scoring.Rollout`)."""

    target: Any
    variable: Any = None
    assumptions: Any = None
    task: Any = None


#: The name of the target's field -> the task of the row.
_TASKS = {"integrand": "antiderivative", "integral": "definite"}


def target_of(label: Any, extra: Any = None) -> RowTarget:
    r"""Read the target from a label. The label is the integrand or value itself, or an object.

    The object is a dictionary or JSON text with one of the keys ``integrand``, ``integral``,
    ``question`` and ``target``. The keys ``variable``, ``assumptions`` and ``task`` are
    optional, and may be in ``extra`` instead. If no task is given, the key ``integrand`` means the
    task ``antiderivative``, and the key ``integral`` means the task ``definite``.

    >>> target_of(r"{\\rm e}^x").target, target_of('{"integrand": "t", "variable": "t"}').variable
    ('{\\\\rm e}^x', 't')
    """
    value = label
    if isinstance(label, str) and label.lstrip().startswith('{"'):
        try:
            value = json.loads(label)
        except ValueError:
            value = label
    extra = extra if isinstance(extra, Mapping) else {}
    if not isinstance(value, Mapping):
        value = {"target": value}
    usual = ("question" if "question" in value else "target", None)
    key, task = next((pair for pair in _TASKS.items() if pair[0] in value), usual)
    return RowTarget(
        value.get(key),
        value.get("variable", extra.get("variable")),
        value.get("assumptions", extra.get("assumptions")),
        value.get("task", extra.get("task", task)),
    )
