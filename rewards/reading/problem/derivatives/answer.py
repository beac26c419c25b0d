r"""Finds the name of the requested derivative in a completion: ``f'(x) = ..``.

In a solution of an integral, an equation with a derivative on the left side is a check. Extraction
therefore leaves the equation out. In an answer to a question for a derivative, the equation
states the answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from ...latex.tokens.pattern import plain_script
from .. import prose
from ..conditions import INDEX_LETTERS
from .quotients import LETTER, ROMAN

_D: Final = r"(?:d|\\partial|∂|\\mathrm\s*\{\s*d\s*\})"
_POWER: Final = rf"(?:\^\s*\{{?\s*(?P<%s>\d+|[{INDEX_LETTERS}])\s*\}}?|(?P<%s>[²³⁴]))?"
_AT: Final = (
    r"(?:\s*(?:\\left)?\([^()=]{1,40}(?:\\right)?\))?"
    r"(?:\s*(?:\\[bB]igg?r?|\\right)?\s*\|_\{?[^{}]{1,40}\}?)?"
)
_DENOMINATOR: Final = rf"{_D}[^{{}}=]{{1,40}}(?:\{{\w+\}}[^{{}}=]{{0,20}})?"
#: A derivative as a name, by its notation.
_NOTATION: Final = re.compile(
    rf"(?<![A-Za-z\\])(?:(?!D_){LETTER}\s*(?:(?P<primes>(?:['′’]|″|\^\s*\{{?(?:\s*\\prime)+\s*\}}?)+)"
    rf"|\^\s*\{{?\s*\(\s*(?P<order>\d+|[ivx]+|[{INDEX_LETTERS}])\s*\)\s*\}}?|⁽(?P<raised>[⁰¹²³⁴-⁹]+)⁾"
    r"|_\s*(?P<below>\{\s*[a-z]{1,3}\s*\}|[a-z](?![a-z])))"
    rf"|\\[dt]?frac\s*\{{\s*{_D}\s*{_POWER % ('top', 'raised_top')}(?P<of>[^{{}}=]{{0,60}})\}}"
    rf"\s*\{{\s*{_DENOMINATOR}\}}"
    rf"|{_D}\s*{_POWER % ('plain', 'raised_plain')}\s*{LETTER}\s*/\s*"
    rf"(?:{_D}\s*{LETTER}\s*(?:\^\s*\{{?\d+\}}?|[²³⁴])?)+"
    rf"){_AT}"
)
#: The derivative of a formula: d/dx [x \sin x], (x \sin x)'.
_OF_FORMULA: Final = re.compile(
    rf"(?:(?P<operator>\\[dt]?frac\s*\{{\s*{_D}\s*\}}\s*\{{\s*{_D}\s*[a-z]\s*\}}"
    rf"|(?<![A-Za-z\\]){_D}\s*/\s*{_D}\s*[a-z](?![A-Za-z])|D_\{{?[a-z]\}}?)(?P<inside>[^=$\n]{{1,120}}?)"
    r"|(?<!\\)[(\[](?P<primed>[^=$\n]{1,120}?)[)\]]['′’])(?=\s*&?\s*=)"
)
#: Before a formula that is all that is differentiated: no operand.
_BEGINS: Final = re.compile(r"(?:\A|[$=:]|d[a-z]\}?)\Z")
#: Characters in which two spellings of a formula may differ.
_LAYOUT: Final = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])|\\[,;:! ]|\\|\s")
#: A name that a question gives to a derivative: v(t) = \dot x.
_CALLED: Final = re.compile(
    r"(?<![A-Za-z\\])(?P<own>[A-Za-z])(?:\s*\([a-z]\))?\s*=\s*-?\s*"
    rf"(?:\\d{{1,3}}ot(?![A-Za-z])|\\[dt]?frac\s*\{{\s*{_D}|{LETTER}\s*['′’]|{_D}\s*{LETTER}\s*/\s*{_D})"
)
_TERM_BEFORE: Final = re.compile(r"[\w)}]\s*[-+]\s*\Z")
_IS: Final = re.compile(r"\s*&?\s*=")
#: Usual names of an answer; the first one that the question does not use stands for the derivative.
_NAMES: Final = "FGHI"


def with_named_answer(
    completion: str, question: str, used: Collection[str], general: str = ""
) -> str:
    """Replace the requested derivative, before an equals sign, by a name.

    Derivatives of another order are unchanged. The length of the text is unchanged, too.

    Args:
        completion: the completion.
        question: the question.
        used: the names of the question.
        general: the letter of the order, if the question asks for the derivative of any order.

    >>> with_named_answer("so f'(x) = 2x and f''(x) = 2.", "Find $f'(x)$.", ["x", "f"])
    "so F     = 2x and f''(x) = 2."

    """
    name = next((name for name in _NAMES if name not in used), "")
    orders = [_order(match) for match in _NOTATION.finditer(question)]
    orders += [
        prose.ORDINALS[word]
        for word in re.findall(r"[a-z]+", question.lower())
        if word in prose.ORDINALS
    ]
    order = general or max((value for value in orders if isinstance(value, int)), default=1)

    # In a box, an operator before a formula is judged as a question, and is no name.
    is_boxed = "\\boxed" in completion

    def named(match: re.Match[str]) -> str:
        if match["of"] == "" and is_boxed:
            return match[0]
        if not name or _order(match) != order or not _IS.match(completion, match.end()):
            return match[0]
        if _TERM_BEFORE.search(completion, max(match.start() - 9, 0), match.start()):
            return match[0]  # u_{xx} + u_{yy} = 0
        return name.ljust(len(match[0]))

    text = _NOTATION.sub(named, completion)
    for own in {match["own"] for match in _CALLED.finditer(question)} if name else ():
        # the question calls the derivative v, as in v = \dot x
        text = re.sub(
            rf"(?<![A-Za-z\\_^]){re.escape(own)}(?:\s*\([a-z]\))?(?=\s*&?\s*=)",
            lambda match: name.ljust(len(match[0])),
            text,
        )
    if order != 1 or not name:
        return text
    derivatives = [m for m in _OF_FORMULA.finditer(text) if not (is_boxed and m["operator"])]
    # (x^2)' = 2x is a step of the derivative of x^2 + x. A function that the question spells
    # otherwise is known by its operator only.
    plain = _LAYOUT.sub("", question)
    matching = [
        match for match in derivatives if _is_asked(match["inside"] or match["primed"], plain)
    ]
    chosen = {m.start() for m in matching or derivatives if matching or m["operator"]}
    return _OF_FORMULA.sub(
        lambda match: name.ljust(len(match[0])) if match.start() in chosen else match[0], text
    )


def _is_asked(formula: str, question: str) -> bool:
    """Whether a question, which has no layout, ends in a formula."""
    plain, question = _LAYOUT.sub("", formula).strip("()[]{}"), question.rstrip(".?$)]}")
    preceding = question.removesuffix(plain).rstrip("([{")
    return preceding != question and _BEGINS.search(preceding[-4:]) is not None


def _order(match: re.Match[str]) -> int | str:
    """The order of a derivative: a number or a letter."""
    if match["primes"]:
        return len(re.findall(r"['′’]|\\prime", match["primes"])) + 2 * match["primes"].count("″")
    if match["below"]:
        return len(match["below"].strip("{} "))
    digits = match["order"] or match["raised"] or match["top"] or match["raised_top"]
    digits = plain_script(digits or match["plain"] or match["raised_plain"] or "1")
    return ROMAN.get(digits) or (int(digits) if digits.isdecimal() else digits)
