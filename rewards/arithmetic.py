"""Whole numbers read from free text and compared exactly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .arguments import check_switches, check_text
from .errors import ArgumentTypeError
from .extraction.announced import final_text
from .verdict import Evidence, Status, Verdict

#: Longer numbers are not read.
MAX_DIGITS = 4000
_NUMBER = re.compile(
    r"(?<![\w.^])(?P<sign>[-+\u2212]\s?)?"
    r"(?P<whole>\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+|\d+)(?P<fraction>\.\d+)?"
    r"(?![\w]|\.\d|\s?[*/^\u00d7\u00f7]\s?\d)"
)

# What makes a number an operand of arithmetic that is not carried out: "20/135", "3 + 42".
_OPERATION = (
    r"(?:\\(?:times|cdot|div|pm)(?![A-Za-z])|\*\*|[-+*/^\u2212\u00d7\u00f7\u00b7]"
    r"|(?:x|over|plus|minus|times|(?:divided|multiplied) by)(?![A-Za-z]))"
)
_OPERAND = re.compile(
    rf"[\d)\]}}a-z!][ ]{{0,2}}{_OPERATION}[ ]{{0,2}}[({{]?[-+]?\Z|[\d)]\(\Z"
    r"|\\(?:[dt]?frac|sqrt|d?binom)[ ]?(?:\{[^{}]*\}[ ]?)?\{?\Z"
)
_OPERATED = re.compile(rf"[)}}]?[ ]?{_OPERATION}[ ]{{0,2}}[({{\\]{{0,2}}\d|\(\d+\)")

# What may stand beside the number in a box: words, units, delimiters; and what offers another.
_BESIDE = re.compile(
    r"(?:\\(?:text|textbf|textit|mathrm|mathbf|left|right|q?quad|[,;:! ])(?![A-Za-z])|[^\W\d_]"
    r"|[\s{}()$.,:;'\"%*\u00b0\u20ac\u00a3])*"
)
_OFFERS = re.compile(r"\b(?:or|and|not|between)\b", re.IGNORECASE)


def verify_integer(
    completion: str,
    target: int,
    *,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
) -> Verdict:
    r"""Verify that the final answer of a completion is exactly a given whole number.

    The answer is the number in the last box, else the one after the last "the answer is", else the
    last number of the text. Thousands separators are read; ``5.0`` is 5, and ``5.3`` is incorrect.
    Of ``3 + 4 = 7`` the last number counts. Operands do not: ``20/135`` is neither 20 nor 135, and
    ``3*45`` is not 135. A box with several numbers or an operation on one
    (``43 or 42``, ``\pm 42``, ``42!``) is incorrect.

    Args:
        completion: the model's output.
        target: the number.
        strict: accept a number in a box only.
        stop: the prompt's stop strings. Text after the first of them is ignored.
        truncated: the completion was cut off by the token limit.

    Returns:
        A `Verdict`.

    Raises:
        ArgumentTypeError: the completion is no text, or the target no whole number.

    Example:
        >>> verify_integer(r"Together $\boxed{1{,}024}$.", 1024).correct
        True

    """
    check_text("completion", completion)
    check_switches(strict=strict, truncated=truncated)
    if not isinstance(target, int):
        raise ArgumentTypeError(f"target must be a whole number (int), not {target!r:.60}")
    final = final_text(completion, strict=strict, stop=stop, truncated=truncated)
    text, source = (final.answer, final.source) if final.answer else (final.text, "last_number")
    numbers = [each for each in _NUMBER.finditer(text) if not _is_operand(text, each)]
    if not numbers:
        status = Status.UNPARSEABLE if final.answer else Status.NO_ANSWER
        return Verdict(status, 0.0, final.answer, Evidence(method="integer", extracted_by=source))
    # What is announced comes first on its line; the last number ends any other text or a box.
    number = numbers[0] if source == "announced" and "=" not in text else numbers[-1]
    answer = number[0].replace("\u2212", "-").replace(" ", "")
    correct = _integer(number) == target and (source != "boxed" or _states_one(text))
    return Verdict(
        Status.CORRECT if correct else Status.INCORRECT,
        float(correct),
        answer,
        Evidence(method="integer", extracted_by=source),
    )


def _is_operand(text: str, number: re.Match[str]) -> bool:
    """Whether a number is part of arithmetic, not its result: neither number of ``20/135`` is."""
    at = number.start("whole")
    before = text[max(at - 40, 0) : at]
    return _OPERAND.search(before) is not None or _OPERATED.match(text, number.end()) is not None


def _states_one(box: str) -> bool:
    """Whether a box, behind its last equals sign, holds one number and no more mathematics."""
    stated = box.rpartition("=")[2]
    beside, count = _NUMBER.subn("", stated)
    return count == 1 and _BESIDE.fullmatch(beside) is not None and not _OFFERS.search(beside)


def _integer(number: re.Match[str]) -> int | None:
    """The number's value, if it is whole and not absurdly long."""
    digits = re.sub(r"\D", "", number["whole"])
    fraction = number["fraction"]
    if len(digits) > MAX_DIGITS or (fraction and fraction.strip(".0")):
        return None
    sign = -1 if (number["sign"] or "").strip() in ("-", "\u2212") else 1
    return sign * int(digits)
