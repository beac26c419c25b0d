"""Reads a question for a sum in free words: a formula with a sum sign, or with dots."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NamedTuple

from ....errors import ProblemError
from ...expression.traversal import symbols_of
from ...latex import ReadError, read
from ...latex.tokens.roles import IN_PROBLEM
from .. import prose
from ..conditions import RELATION, Conditions
from ..derivatives import SYMBOL
from ..layout import cut_tail, pieces_of
from ..marks import CARDINALS
from .parts import PLACEHOLDER, Target, taken_apart
from .surroundings import changes_numbers, formula_of_question, instance

SIGN: Final = re.compile(r"\\(?:sum|sumop)(?![A-Za-z])|[∑Σ](?=\s*[_^])")
#: The sign without a backslash, with limits: sum_{n=1}^5.
PLAIN_SIGN: Final = re.compile(r"(?<![A-Za-z\\])sum(?=\s*_)")
PRODUCT: Final = re.compile(r"\\prod(?![A-Za-z])|[∏Π](?=\s*[_^])")
DOTS: Final = re.compile(r"\\[lc]?dots(?![A-Za-z])|\.{3}|…")
_CONTINUES: Final = re.compile(rf"[-+]\s*(?:{DOTS.pattern})")
#: A recurring decimal: 0.4272727..., with the period at least three times; 0.4\overline{27}.
_DECIMAL: Final = re.compile(
    r"(?P<whole>\d{1,9})\.(?P<preperiod>\d{0,9}?)(?:(?P<period>\d{1,9}?)(?P=period){2,9}\s*"
    r"(?:\\[lc]?dots|\.{3}|…)|\\(?:overline|bar)\s*\{?(?P<barred>\d{1,9})\}?"
    r"|\\dot\s*\{?(?P<first>\d)\}?(?:(?P<inner>\d{0,7})\\dot\s*\{?(?P<last>\d)\}?)?)"
)
_NOUNS: Final = ("expression", "progression", "series", "sum", "sums")
#: The formula of a sequence, the sum of its first terms, and the same in words.
_TERM: Final = re.compile(r"\s*[a-z]_\{?(?P<index>[nkm])\}?\s*=(?!.*=)")
_WRITTEN_SUM: Final = re.compile(
    r"(?:[A-Z]_\{?[nkm]\}?\s*=)?\s*([a-z])_1\s*\+.*dots.*\+\s*\1_\{?(?P<last>[nkm])\}?\s*"
)
_FIRST_TERMS: Final = re.compile(r"\bfirst\s+\ue012(\d+)\ue012\s+terms\b")
#: A sum in words: "the sum from n = 1 to 5 of n^2", "the sum of n^2 for n from 1 to 5".
_TO: Final = rf"\s*{PLACEHOLDER.pattern}\s*(?:through|to|up\s+to)\s*{PLACEHOLDER.pattern}"
_FROM_TO: Final = re.compile(
    rf"\b(?:sum|summation|series)\s+from{_TO}\s*of\s*{PLACEHOLDER.pattern}"
)
_OF_FROM: Final = re.compile(
    rf"\b(?:sum|summation|series)\s+of\s+{PLACEHOLDER.pattern}\s*,?\s*(?:as|for|from|when|where|with)"
    rf"(?:\s*{PLACEHOLDER.pattern}\s+(?:from|goes\s+from|going\s+from|ranges\s+from|runs\s+from))?{_TO}"
)
#: The sum of the first terms of a series, and a partial sum.
_FIRST: Final = re.compile(
    rf"\bsum\s+of\s+the\s+first\s+(?P<count>\d+|{'|'.join(CARDINALS)})\s+terms\s+(?:of|in)\b"
    rf"|\b(?P<order>\d+(?=th\b)|{'|'.join(prose.ORDINALS)})(?:th)?\s+partial\s+sum\s+(?:of|for)\b",
    re.IGNORECASE,
)
_INFINITE: Final = re.compile(
    r"(?P<sign>\\sum\s*(?:\\limits\s*)?_\s*\{?\s*(?P<index>[a-z])\s*=\s*(?P<start>\d+)\s*\}?\s*\^\s*)"
    r"(?:\\infty|\{\s*\+?\s*\\infty\s*\})"
)
_INDEX: Final = re.compile(r"_\s*\{?\s*(\\?[A-Za-z]+)")


class RecurringDecimal(NamedTuple):
    """A recurring decimal: preperiod + period / 10^digits + period / 10^(2 digits) + ...

    Attributes:
        preperiod: the number up to the first period.
        period: the value of the period, before the division by powers of 10^digits.
        digits: the number of digits of the period.

    """

    preperiod: Fraction
    period: Fraction
    digits: int


def recurring_decimal(text: str) -> RecurringDecimal | None:
    r"""Read a decimal from a question for a fraction. The result is None for another text.

    Raises:
        ProblemError: words may change the question.

    >>> recurring_decimal(r"Write $0.4\overline{27}$ as a fraction.")
    RecurringDecimal(preperiod=Fraction(2, 5), period=Fraction(27, 10), digits=2)

    """
    question_parts = taken_apart(text) if "fraction" in text or "rational" in text else None
    if question_parts is None:
        return None
    decimals = {
        _decimal(match)
        for formula in question_parts[1]
        for side in pieces_of(formula, "=")
        if (match := _DECIMAL.fullmatch(side.strip())) is not None
    }
    if len(decimals) == 1 and changes_numbers(question_parts[0]):
        raise ProblemError(f"{text!r}: a decimal, and something else")
    return decimals.pop() if len(decimals) == 1 else None


def _decimal(match: re.Match[str]) -> RecurringDecimal:
    preperiod = match["preperiod"]
    dotted = "".join(match[name] or "" for name in ("first", "inner", "last"))
    period = match["period"] or match["barred"] or dotted
    scale = 10 ** len(preperiod)
    return RecurringDecimal(
        Fraction(int(match["whole"] + preperiod), scale), Fraction(int(period), scale), len(period)
    )


def sum_question(text: str, quantity: str = "sum") -> tuple[str, Conditions] | None:
    r"""Find the requested sum. Return the formula and the conditions.

    The result is None if the question has no words, or not exactly a single sum.

    Args:
        text: the question.
        quantity: the sum, the product, or the radius or interval of convergence.

    Raises:
        ProblemError: a word or a formula may change the question.

    >>> sum_question(r"Hi! What is $\sum_{k=0}^\infty a^k$, please, for $|a|<1$?")[0]
    '\\sum_{k=0}^\\infty a^k'

    """
    question_parts = taken_apart(text)
    if question_parts is not None and (partial := _partial_sum(*question_parts)) is not None:
        return formula_of_question(question_parts, partial)
    if question_parts is None:
        return None
    question_parts = _cut_off(*question_parts)
    both = [sign for sign in (SIGN, PRODUCT) if any(map(sign.search, question_parts[1]))]
    if len(both) > 1:
        raise ProblemError(f"{text!r}: a sum or a product?")
    for sign in (PRODUCT,) if quantity == "product" else (SIGN, _CONTINUES):
        signed = [at for at, formula in enumerate(question_parts[1]) if sign.search(formula)]
        if len(signed) > 1:  # given that \\sum 1/n^2 = \\pi^2/6
            signed = [at for at in signed if not _is_value_of_sum(question_parts[1][at])]
        if len(signed) == 1:
            formula = question_parts[1][signed[0]]
            at_sign = sign.search(formula)  # the index of S_n = \\sum_{k=1}^n k is k
            index = _INDEX.search(formula, at_sign.end()) if at_sign else None
            index = None if sign is _CONTINUES else index
            name = index[1].lstrip("\\") if index else ""
            target = Target(
                formula,
                frozenset(signed),
                formula,
                name,
                is_bound=True,
                nouns=(*_NOUNS, quantity),
                kind=quantity,
                is_set=quantity == "interval",
            )
            return formula_of_question(question_parts, instance(target, question_parts[1]))
        if signed:
            return None
    in_words = _in_words(*question_parts) if quantity == "sum" else None
    return formula_of_question(question_parts, in_words) if in_words else None


def _in_words(marked_prose: str, formulas: list[str]) -> Target | None:
    """The sum of a term between limits that words state."""
    if (match := _FROM_TO.search(marked_prose)) is not None:
        start, end, term = (formulas[int(number)] for number in match.groups())
    elif (match := _OF_FROM.search(marked_prose)) is not None:
        term, name, start, end = (formulas[int(n)] if n else "" for n in match.groups())
        start = f"{name}={start}" if name else start
    else:
        return None
    named = re.fullmatch(r"\s*(?P<index>[A-Za-z])\s*=[^=]+", start)
    if named is None or RELATION.search(term) or RELATION.search(end):
        return None
    numbers = frozenset(int(number) for number in match.groups() if number)
    others = (formula for at, formula in enumerate(formulas) if at not in numbers)
    if any(re.match(rf"\s*{named['index']}\b", other) for other in others):
        raise ProblemError("the index is restricted")
    end = re.sub(r"(?<![A-Za-z\\])(?:infinity|inf|oo)(?![A-Za-z])", r"\\infty", end)
    formula = rf"\sum_{{{start}}}^{{{end}}} \left({term}\right)"
    return Target(
        formula,
        numbers,
        formula,
        named["index"],
        is_bound=True,
        has_sign=False,
        nouns=_NOUNS,
        kind="sum",
    )


def _cut_off(marked_prose: str, formulas: list[str]) -> tuple[str, list[str]]:
    """Write the sum of the first terms of a series as a finite sum."""
    first = _FIRST.search(marked_prose)
    signed = [at for at, formula in enumerate(formulas) if SIGN.search(formula)]
    series = _INFINITE.search(formulas[signed[0]]) if len(signed) == 1 else None
    if first is None or series is None or (first["order"] and series["start"] != "1"):
        return marked_prose, formulas  # the order of a partial sum from 0 is not clear
    word = (first["count"] or first["order"]).lower()
    count = int(word) if word.isdecimal() else (CARDINALS | prose.ORDINALS)[word]
    formulas = [*formulas]
    formulas[signed[0]] = (
        series.string[: series.start()]
        + f"{series['sign']}{{{series['start']}+{count}-1}}"
        + series.string[series.end() :]
    )
    return f"{marked_prose[: first.start()]} sum of {marked_prose[first.end() :]}", formulas


def _is_value_of_sum(formula: str) -> bool:
    """Whether a formula states the value of a sum without parameters."""
    *left_sides, value = pieces_of(formula, "=")
    if len(left_sides) != 1 or not SIGN.search(left_sides[0]):
        return False
    index = _INDEX.search(left_sides[0])
    names = {letter for letter in SYMBOL.findall(left_sides[0]) if len(letter) == 1}
    try:
        tree = read(cut_tail(value), symbols=(IN_PROBLEM,))[0].expression
    except ReadError:
        return False
    return not symbols_of(tree) and index is not None and names == {index[1]}


def _partial_sum(marked_prose: str, formulas: list[str]) -> Target | None:
    """The sum of the first n terms of a sequence with a formula, such as a_n = 2^n."""
    terms = [(at, match) for at, formula in enumerate(formulas) if (match := _TERM.match(formula))]
    sums = {
        at: written["last"]
        for at, formula in enumerate(formulas)
        if (written := _WRITTEN_SUM.fullmatch(formula))
    }
    if len(terms) != 1 or not (sums or _FIRST_TERMS.search(marked_prose)):
        return None
    ((at, match),) = terms
    # The sum needs an index, because n is the number of the terms.
    n, term = match["index"], formulas[at][match.end() :]
    upper_limit = next(iter(sums.values()), n)
    index = "k" if "k" not in (n, upper_limit) else "j"
    summand = re.sub(rf"\\[A-Za-z]+|{n}", lambda m: m[0] if len(m[0]) > 1 else index, term)
    formula = rf"\sum_{{{index}=1}}^{{{upper_limit}}} \left({summand}\right)"
    names = {at, *sums} | {int(number) for number in _FIRST_TERMS.findall(marked_prose)}
    return Target(
        formula,
        frozenset(names),
        formula,
        index,
        is_bound=True,
        has_sign=False,
        nouns=(*_NOUNS, "terms"),
        kind="partial sum",
    )
