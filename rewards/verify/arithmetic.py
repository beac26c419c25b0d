"""Whole numbers read from free text and compared exactly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from ..arguments import check_switches, check_text
from ..errors import ArgumentTypeError
from ..reading.extraction.announced import final_text
from ..reading.extraction.words.leads import denied_before
from ..reading.extraction.words.tables import words
from ..reading.extraction.words.vocabulary import beside_a_number
from ..verdict import Evidence, Status, Verdict

#: Longer numbers are not read: Python refuses to convert more than 4,300 digits.
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

# What may stand beside the number in a box, words apart.
_AROUND_NUMBER = re.compile(
    r"(?:\\(?:text|textbf|textit|mathrm|mathbf|left|right|q?quad|[,;:! ])(?![A-Za-z])|[^\W\d_]"
    r"|\\[$%]|\^\s?\{?\\circ(?![a-z])|[\s{}()$.,:;'\"%*\u00b0\u20ac\u00a3])*"
)
_COMMAND = re.compile(r"\\[A-Za-z]+")
# Scientific notation.
_SCIENTIFIC = re.compile(
    r"[\s$]*(?P<sign>[-+\u2212]?)(?:(?P<mantissa>\d{1,30})(?:\.(?P<fraction>\d{1,30}))?\s*"
    r"(?:\\times|\\cdot|\u00d7|\*)\s*)?10\s?\^\s?\{?(?P<power>\d{1,3})\}?[\s$.]*"
)
# Words and signs behind a number that make it a part of another: "42 million", "42 and a half".
_SCALED = re.compile(
    r"(?:\s|\\text\s?\{)+(?:(?i:hundred|thousand|[mbtr]+illion|dozen|score|squared|cubed|doubled|tripled"
    r"|halved|(?:and )?(?:a |one )?(?:half|third|quarter)|point \d)|[KMB]|\d+\s?/\s?\d+)(?!\w|\.\d)"
)
# After a number: it is denied or a question, or another is offered with it.
_DENIED_AFTER = re.compile(
    r"[*$]{0,4}(?:\?|\s+(?:is|was|are|would be)(?:n't|\s+not|\s+never)\b)", re.IGNORECASE
)
_OFFERED = re.compile(r"[\s,*$]{0,4}(?:or|and|oder|ou)[\s*$]{1,4}(?=[-+]?\d)", re.IGNORECASE)


@cache
def _unit_power() -> re.Pattern[str]:
    """A regular expression for a unit with an exponent, so that "42 cm^2" has one number."""
    units = "|".join(sorted(words("unit"), key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z])(?P<unit>(?:{units})\s*\}}?)\s?\^\s?\{{?[23]\}}?(?!\d)")


def verify_integer(
    completion: str,
    target: int,
    *,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
) -> Verdict:
    r"""Verify that the final answer of a completion equals a given integer.

    The answer is the number in the last box, else the number after the last "the answer is", else
    the last number of the text. Thousands separators are read. ``5.0`` counts as 5, and ``5.3`` is
    incorrect. In ``3 + 4 = 7`` the last number is the answer. An operand is never an answer:
    neither 20 nor 135 is the answer in ``20/135``. A box with several numbers, or with an operation
    on a number, is incorrect (``43 or 42``, ``\pm 42``, ``42!``). A box with words that may change
    the number is unparseable (``half of 42``). Scientific notation (``10^6``) is read in a box
    only.

    Args:
        completion: the model's output.
        target: the number.
        strict: whether only a number in a box is accepted.
        stop: the prompt's stop strings. Text after the first stop string is ignored.
        truncated: whether the token limit cut the completion off.

    Returns:
        A `Verdict`.

    Raises:
        ArgumentTypeError: the completion is not a text, or the target is not a whole number.

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
    boxed = source == "boxed"
    text = _unit_power().sub(r"\g<unit>", text)
    if boxed and (scientific := _SCIENTIFIC.fullmatch(text.rpartition("=")[2])):
        return _verdict(_power_of_ten(scientific) == target, scientific[0].strip(), source)
    numbers = [
        number
        for number in _NUMBER.finditer(text)
        if not _is_operand(text, number) and (boxed or not _is_denied(text, number))
    ]
    if not numbers or (boxed and not _has_known_words(text)):
        status = Status.UNPARSEABLE if final.answer else Status.NO_ANSWER
        return Verdict(status, 0.0, final.answer, Evidence(method="integer", extracted_by=source))
    # What is announced comes first on its line; the last number ends any other text or a box.
    number = numbers[0] if source == "announced" and "=" not in text else numbers[-1]
    correct = _integer(number) == target
    if boxed:
        correct &= _states_one(text)
    elif source == "announced" and (offer := _OFFERED.match(text, number.end())):
        second_number = _NUMBER.match(text, offer.end())
        correct &= second_number is None or _integer(second_number) == target
    return _verdict(correct, number[0].replace("\u2212", "-").replace(" ", ""), source)


def _verdict(correct: bool, answer: str, source: str) -> Verdict:
    evidence = Evidence(method="integer", extracted_by=source)
    status = Status.CORRECT if correct else Status.INCORRECT
    return Verdict(status, float(correct), answer, evidence)


def _is_denied(text: str, number: re.Match[str]) -> bool:
    """Whether the words around a number deny the number: "43 is not", "the answer is not 42"."""
    words_before = text[max(number.start() - 40, 0) : number.start()].rpartition(".")[2]
    return denied_before(words_before) or _DENIED_AFTER.match(text, number.end()) is not None


def _is_operand(text: str, number: re.Match[str]) -> bool:
    """Whether a number is an operand and not a result.

    Both numbers of ``20/135`` are operands, and so is the number of "42 million".
    """
    if _SCALED.match(text, number.end()):
        return True
    at = number.start("whole")
    text_before = text[max(at - 40, 0) : at]
    return (
        _OPERAND.search(text_before) is not None or _OPERATED.match(text, number.end()) is not None
    )


def _states_one(box: str) -> bool:
    """Whether a box states a single number and no other mathematics.

    Only the text after the last equals sign counts.
    """
    text_beside, count = _NUMBER.subn("", box.rpartition("=")[2])
    return count == 1 and _AROUND_NUMBER.fullmatch(text_beside) is not None


def _has_known_words(box: str) -> bool:
    """Whether a box has only words from the list of words that do not change a number."""
    stated = _COMMAND.sub(" ", box.rpartition("=")[2])
    number = _NUMBER.search(stated)
    if number is None:
        return True
    return beside_a_number(stated[: number.start()], stated[number.end() :])


def _power_of_ten(number: re.Match[str]) -> int | None:
    """The value of a number in scientific notation, or None if it is not an integer."""
    fraction = (number["fraction"] or "").rstrip("0")
    shift = int(number["power"]) - len(fraction)
    if shift < 0:
        return None
    value: int = int((number["mantissa"] or "1") + fraction) * int("1" + "0" * shift)
    return -value if number["sign"] in ("-", "\u2212") else value


def _integer(number: re.Match[str]) -> int | None:
    """The value of a number, or None if it is not an integer or has too many digits."""
    digits = re.sub(r"\D", "", number["whole"])
    fraction = number["fraction"]
    if len(digits) > MAX_DIGITS or (fraction and fraction.strip(".0")):
        return None
    sign = -1 if (number["sign"] or "").strip() in ("-", "\u2212") else 1
    return sign * int(digits)
