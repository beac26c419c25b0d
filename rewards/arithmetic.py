"""Whole numbers read from free text and compared exactly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .announced import final_text
from .verdict import Evidence, Status, Verdict

#: Longer numbers are not read.
MAX_DIGITS = 4000
_NUMBER = re.compile(
    r"(?<![\w.^])(?P<sign>[-+\u2212]\s?)?"
    r"(?P<whole>\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+|\d+)(?P<fraction>\.\d+)?"
    r"(?![\w]|\.\d|\s?[*/^\u00d7\u00f7]\s?\d)"
)


def verify_integer(
    completion: str,
    target: int,
    *,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
) -> Verdict:
    """Whether a completion's final answer is exactly the whole number ``target``.

    The answer is the number in the last box, else the one after the last "the answer is", else the
    last number of the text; thousands separators are read, ``5.0`` is 5, ``5.3`` is no whole number
    (and incorrect). A box or announcement with several numbers counts by its last: ``3 + 4 = 7``.
    """
    found = final_text(completion, strict=strict, stop=stop, truncated=truncated)
    text, source = (found.answer, found.source) if found.answer else (found.text, "last_number")
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        status = Status.UNPARSEABLE if found.answer else Status.NO_ANSWER
        return Verdict(status, 0.0, found.answer, Evidence(method="integer", extracted_by=source))
    # What is announced comes first on its line; the last number ends any other text or a box.
    number = numbers[0] if source == "announced" and "=" not in text else numbers[-1]
    answer = number[0].replace("\u2212", "-").replace(" ", "")
    correct = _integer(number) == target
    return Verdict(
        Status.CORRECT if correct else Status.INCORRECT,
        float(correct),
        answer,
        Evidence(method="integer", extracted_by=source),
    )


def _integer(number: re.Match[str]) -> int | None:
    """The number's value, if it is whole and not absurdly long."""
    digits = re.sub(r"\D", "", number["whole"])
    fraction = number["fraction"]
    if len(digits) > MAX_DIGITS or (fraction and fraction.strip(".0")):
        return None
    sign = -1 if (number["sign"] or "").strip() in ("-", "\u2212") else 1
    return sign * int(digits)
