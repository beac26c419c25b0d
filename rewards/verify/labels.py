"""Labels (0/1, yes/no) read from free text, for classification tasks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..arguments import check_switches, check_text
from ..reading.extraction.announced import final_text
from ..reading.extraction.words.vocabulary import beside_a_number
from ..verdict import Evidence, Status, Verdict

#: Words that mean label 1, and label 0. A negation before a word turns it around.
POSITIVE = ("1", "yes", "true", "correct", "valid", "coherent", "positive", "right", "follows")
NEGATIVE = ("0", "no", "false", "incorrect", "invalid", "incoherent", "negative", "wrong")

_WORDS = dict.fromkeys(POSITIVE, 1) | dict.fromkeys(NEGATIVE, 0)
_LABEL = re.compile(
    r"(?P<not>\b(?:not|n't|isn't|doesn't|does not|never|cannot|can't|hardly)\s+(?:\w+\s+){0,1})?"
    # An operand of arithmetic is no label: "0/1", "1 - 1".
    r"(?<![\w.\-])(?<!\d[+*/^=])(?<!\d [-+*/^=] )"
    r"(?P<word>" + "|".join((*POSITIVE, *NEGATIVE)) + r")(?![\w\-]|\.\d|\s?[-+*/^=]\s?\d"
    # Neither is a question, a condition, nor what the next words deny.
    r"|\s?\?|\s(?:if|unless|(?:is|was)(?:n't|\snot))\b)",
    re.IGNORECASE,
)


def verify_label(
    completion: str,
    target: int | bool | str,
    *,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
) -> Verdict:
    """Verify that a completion answers with a given label.

    The judge looks for the label in this order: in the last box; after the last "label:" or "the
    answer is"; as the first word; as the last word; anywhere, if the text has a single label.

    Args:
        completion: the model's output.
        target: 0, 1, or a word with that meaning (`POSITIVE`, `NEGATIVE`).
        strict: whether only a label in a box is accepted.
        stop: the prompt's stop strings. Text after the first stop string is ignored.
        truncated: whether the token limit cut the completion off.

    Returns:
        A `Verdict`, whose ``answer`` is ``"0"`` or ``"1"``.

    Raises:
        ValueError: the target is not a label.

    Example:
        >>> verify_label("The answer is: yes.", 1).correct
        True

    """
    expected = _label_of(str(int(target)) if isinstance(target, bool | int) else str(target))
    if expected is None:
        raise ValueError(f"{target!r} is not a label: use 0, 1, or one of {', '.join(_WORDS)}")
    label, source = read_label(completion, strict=strict, stop=stop, truncated=truncated)
    if label is None:
        return Verdict(Status.NO_ANSWER, 0.0, None, Evidence(method="label", extracted_by=source))
    correct = label == expected
    return Verdict(
        Status.CORRECT if correct else Status.INCORRECT,
        float(correct),
        str(label),
        Evidence(method="label", extracted_by=source),
    )


def read_label(
    completion: str, *, strict: bool = False, stop: Sequence[str] = (), truncated: bool = False
) -> tuple[int | None, str]:
    """Read a label (0, 1 or None) and its source, by the rules of `verify_label`."""
    check_text("completion", completion)
    check_switches(strict=strict, truncated=truncated)
    final = final_text(completion, strict=strict, stop=stop, truncated=truncated)
    if final.answer is not None:
        if final.source == "boxed" and not _is_plain(final.answer):
            return None, final.source
        return _label_of(final.answer), final.source
    text = final.text.strip()
    labels = [_meaning(match) for match in _LABEL.finditer(text)]
    if not labels:
        return None, "none"
    first_word = _LABEL.match(text.lstrip("*_`\"'([ "))
    if first_word:
        return _meaning(first_word), "first_word"
    last_label = list(_LABEL.finditer(text))[-1]
    if not text[last_label.end() :].strip("*_`\"')].,;:!$ \n"):
        return _meaning(last_label), "last_word"
    if len(set(labels)) == 1:
        return labels[0], "only_label"
    return None, "none"


#: Nouns of which a label in a box may speak.
_SUBJECTS = re.compile(r"\b(?:label|step|statement|claim|derivation|proof|argument|sign)\b", re.I)


def _is_plain(box: str) -> bool:
    """Whether a box contains only labels, and words that leave the meaning of a label unchanged."""
    words = _SUBJECTS.sub(" ", _LABEL.sub(" ", box))
    return beside_a_number(words, "")


def _label_of(text: str) -> int | None:
    """The label in a short answer. If the text has both labels or no label, the result is None."""
    labels = {_meaning(match) for match in _LABEL.finditer(text)}
    return labels.pop() if len(labels) == 1 else None


def _meaning(match: re.Match[str]) -> int:
    label = _WORDS[match["word"].lower()]
    return 1 - label if match["not"] else label
