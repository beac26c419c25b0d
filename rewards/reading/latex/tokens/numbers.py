r"""Decimal commas and thousands separators, if the text uses them consistently.

``0{,}5`` and ``0,5x`` are decimals; ``1,000``, ``1 000``, ``1'000`` and ``1\,000`` are thousands. A
comma in brackets, or with a space after it, separates two numbers (``\max(2,5)``, ``0, 5``). Some
commas could be read in two ways. Such a comma is a decimal comma if another comma of the text can
only be a decimal comma.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate
from typing import Final

#: Two digits with a separator between, perhaps in braces; the braces of \frac{1}{2} are none.
_HINT: Final = re.compile(r"\d\{?(?:[,~ '_]|\\[,;:! ])+\}?\d|\.\d{3}\.\d")
# Not behind an exponent, an index or another number.
_START: Final = r"(?<![\w.,^\u2212\\])(?<![_^]\{)(?<![\w.,],)(?<!,\})"
_END: Final = r"(?!\d|[,.]\d|\{,\}\d)"
#: Thousands in groups, with a separator that no decimal has: a space, 1'000, Python's 1_000; or
#: with a comma or point that recurs.
_GROUPED: Final = re.compile(
    rf"{_START}[1-9]\d{{0,2}}(?:(?P<mark>[ ~'_]|\\[,;: ]|\{{\\,\}}|,\\!)\d{{3}}"
    r"(?:(?P=mark)\d{3})*(?!,?\d)"
    rf"|(?P<comma>,|\{{,\}})\d{{3}}(?:(?P=comma)\d{{3}})+(?![\d]|,\d)"
    rf"|(?:\.\d{{3}}){{2,}}{_END})"
)
_THOUSANDS: Final = re.compile(rf"{_START}[1-9]\d{{0,2}},\d{{3}}(?!\d|,\d)")
_DECIMAL: Final = re.compile(rf"{_START}\d+(?:,|\{{,\}})\d+(?![\d.]|,\d|\{{,\}}\d)")
_THREE: Final = re.compile(r"[1-9]\d{0,2}(?:,|\{,\})\d{3}")
_POINT: Final = re.compile(r"\d\.\d")
_BRACKET: Final = re.compile(r"(?P<opens>\\?[(\[]|\\\{)|\\?[)\]]|\\\}")
_SEPARATOR: Final = re.compile(r",\s")
#: A mixed number in plain text: no operator stands between the two numbers.
_MIXED: Final = re.compile(
    r"(?:(?<=\A)|(?<=[-+=({])|(?<=[-+=] ))(\d{1,6}) (\d{1,6})/(\d{1,6})(?![\w.,^/!({])"
)
#: A decimal that repeats the digits under the bar, or one digit under a dot, for ever. Parentheses
#: say so only directly behind the point: 0.5(3) may be a product, or a number and its error. No
#: digit may follow the last digit of a decimal that has none.
_REPEATING: Final = re.compile(
    r"(?:(\d{0,20})(?:\.|\{,\})(\d{0,20})(?:\\(?:overline|bar)\s*\{(\d{1,20})\}|\\dot\s*\{?(\d)\}?(?!\\dot))"
    r"|(?<![\w.,(\[])(\d{1,20})(?:[.,]|\{,\})\((\d{1,20})\))(?!(?:\s|\\[,;:! ])*\d)"
)
#: Numbers with commas that are looked at; more make a list.
MAX_NUMBERS: Final = 64


def with_points(text: str) -> str:
    """Replace decimal commas by points, remove thousands separators, and add up mixed numbers."""
    if not _HINT.search(text):
        return text
    text = _MIXED.sub(_sum, _GROUPED.sub(_joined, text))
    decimals = list(_DECIMAL.finditer(text))
    if not 0 < len(decimals) <= MAX_NUMBERS or _POINT.search(text):
        return _THOUSANDS.sub(_joined, text)
    depths = _depths(text, [match.start() for match in decimals])
    certain = any(
        not _THREE.fullmatch(match[0]) and ("{" in match[0] or not depth)
        for match, depth in zip(decimals, depths, strict=True)
    )

    def pointed(match: re.Match[str]) -> str:
        depth = remaining_depths.pop()
        if depth and not certain and "{" not in match[0]:
            return match[0]
        if _THREE.fullmatch(match[0]) and not certain:
            return _joined(match)
        return match[0].replace("{,}", ".").replace(",", ".").ljust(len(match[0]))

    remaining_depths = depths[::-1]
    return _DECIMAL.sub(pointed, text)


def with_fractions(text: str) -> str:
    r"""Replace repeating decimals by fractions: ``0.1\overline{6}`` becomes 15/90."""
    return _REPEATING.sub(_fraction, text)


def _fraction(match: re.Match[str]) -> str:
    integer_digits, once = match[1] or match[5] or "0", match[2] or ""
    period = match[3] or match[4] or match[6]
    numerator = int(integer_digits + once + period) - int(integer_digits + once)
    denominator = 10 ** len(once) * (10 ** len(period) - 1)
    return f" \\frac{{{numerator}}}{{{denominator}}} "


def _sum(match: re.Match[str]) -> str:
    proper = 0 < int(match[2]) < int(match[3])
    return f"({match[1]}+{match[2]}/{match[3]})" if proper else match[0]


def _joined(match: re.Match[str]) -> str:
    """Remove the separators of a number, and pad the number to its former length."""
    return re.sub(r"\D", "", match[0]).ljust(len(match[0]))


def _depths(text: str, offsets: list[int]) -> list[int]:
    """For each offset, the number of brackets that are open there. TeX's braces do not count."""
    brackets = list(_BRACKET.finditer(text))
    depths = [0, *accumulate(1 if bracket["opens"] else -1 for bracket in brackets)]
    starts = [bracket.start() for bracket in brackets]
    return [depths[bisect_left(starts, offset)] for offset in offsets]
