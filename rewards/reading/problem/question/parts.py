"""Takes a question apart: the formulas, and the statements about symbols in the prose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Final
from unicodedata import normalize

from .. import prose
from ..conditions import Conditions, conditions_of
from ..derivatives import SYMBOL
from ..marks import DELIMITER, LONGEST, MARKED, PROSE, with_marks

_FOREIGN: Final = prose.foreign_phrases("antiderivative")
ASKS_INTEGRAL: Final = (
    rf"(?:antiderivatives?|int(?= from| of)|integrals?|integrate|integrating|{_FOREIGN})"
)
WRT: Final = re.compile(r"\bw\.?\s?r\.?\s?t\b\.?")
#: How an answer is to be written: in a box, in terms of a letter.
_BOX: Final = re.compile(r"\\boxed\s*\{[^{}]*\}")
_IN_TERMS_OF: Final = re.compile(r"(?<=\bin terms of )(?!a\s+[a-z])(\\?[A-Za-z])\b")
#: Stands in the prose of a question for the formula with this index.
PLACEHOLDER: Final = re.compile("\ue012(\\d+)\ue012")
#: A function and its argument, as they stand before the formula of the function: f(x) =, y =.
NAMED: Final = re.compile(
    r"\s*(?P<name>[A-Za-z](?:_(?:\w|\{\w+\}))?|\\[A-Za-z]+(?:_(?:\w|\{\w+\}))?)\s*"
    r"(?:(?:\\left)?\(\s*(?P<variable>[A-Za-z]|\\[A-Za-z]+)\s*(?:\\right)?\))?\s*=(?!=)"
)
SENTENCE: Final = re.compile(r"(?<=[.?!;])\s+|\n+")
#: Where a statement about symbols may begin in a sentence.
_START: Final = re.compile(
    r"[,(]|\b(?:assum\w+|for|given(?:\s+that)?|if|let|provided|suppose|treat|when|where|with)\b",
    re.IGNORECASE,
)
_INSTRUCTION: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(prose.TABLE['value'] | prose.TABLE['form']))}|{ASKS_INTEGRAL})\b",
    re.IGNORECASE,
)
#: The letter a before a kind of number: a real.
_NO_ARTICLE: Final = re.compile(r"\Aa\s+(?=(?:real|positive|negative|nonzero)\b\s*\Z)")
#: Words beside statements about symbols.
_STATEMENT: Final = frozenset(("and all other parameters", "as", "given", "that", "the", "treat"))
#: Places between two instructions where a statement may begin or end, each of which is tried.
_TRIES: Final = 12
DENIED: Final = re.compile(r"\b(?:no|not|never|without|instead)\b|n['’]t\b", re.IGNORECASE)
#: Characters before a statement in which a word may deny the statement.
_NEAR: Final = 40
#: Words with which a statement about symbols does not hold.
_NOT_STATED: Final = re.compile(
    rf"{DENIED.pattern}|\b(?:unless|except\w*|excluding)\b", re.IGNORECASE
)
#: An upright letter that is no differential; the size of a formula.
_UPRIGHT: Final = re.compile(
    r"\\mathrm\s*\{\s*([A-Za-ce-z])\s*\}|\\(?:display|text)style(?![A-Za-z])\s*"
)
#: Words in a text command at the beginning of a formula: \text{Evaluate } \int x\,dx.
_LEADING_PROSE: Final = re.compile(rf"\A\s*{PROSE.pattern}")
#: The number of an exercise in a formula: 15.\quad \int x\,dx.
_NUMBERED: Final = re.compile(r"\A\s*\(?\d{1,3}[.)]\s*(?:\\(?:q?quad(?![A-Za-z])|[,;:! ])|~)+")
#: An accent on a letter: l'H\^opital.
_ACCENT: Final = re.compile(r"\\[\^'\"`~]\{?([A-Za-z])\}?")
_ACCENTED: Final = re.compile("[À-ÖØ-öø-ž]")
#: What asks for a value behind a formula: = ?, = ____.
TAIL: Final = re.compile(
    r"(?:=\s*(?:\\[lc]?dots|\.{3}|…)|=|\?|(?<!\\)\\[,;:! ]|\\q?quad|[\s.,;:]|_+(?=\s*\Z))+\Z"
)


#: Dots that continue a sum, and are no end of a sentence.
_DOTS_AT_END: Final = re.compile(r"(?<=[-+])\s*\.{3}")


@dataclass(frozen=True)
class Target:
    """The requested formula of a question.

    Attributes:
        formula: the formula, without a name.
        numbers: the numbers of the question's formulas in the requested formula.
        written: the formula as in the question, perhaps with a name.
        variable: the variable of the formula.
        is_bound: whether the value of the formula does not depend on the variable.
        has_sign: whether the formula stands in the question with the sign.
        nouns: the nouns for the formula, such as "series".
        kind: the kind of question, a key of `requests.OWN`.
        is_set: whether the question asks for values of the variable, as in "for which $x$".

    """

    formula: str
    numbers: frozenset[int]
    written: str
    variable: str
    is_bound: bool
    has_sign: bool = True
    nouns: tuple[str, ...] = ()
    kind: str = ""
    is_set: bool = False

    @property
    def names(self) -> set[str]:
        """The names of a named formula: P and P(x) for P(x) = .."""
        named = NAMED.match(self.written)
        own = (named[0].rpartition("=")[0].strip(), named["name"]) if named else ()
        return {*own}

    @property
    def letters(self) -> set[str]:
        """The letters of the formula, and the names of the commands."""
        return {letter.lstrip("\\") for letter in SYMBOL.findall(self.written)}


def taken_apart(text: str) -> tuple[str, list[str]] | None:
    """The prose of a question with a `PLACEHOLDER` for each formula, and the formulas.

    The result is None if a formula is not marked to the end.
    """
    if len(text) > LONGEST:
        return None
    if text.lstrip().startswith("{") and "\\\\" in text:  # JSON
        text = text.replace("\\\\", "\\")
    if (leading := _LEADING_PROSE.match(text)) and not DELIMITER.search(text):
        text = f"{leading[1]} ${text[leading.end() :]}$"
    plain = _ACCENTED.sub(lambda letter: normalize("NFD", letter[0])[0], _ACCENT.sub(r"\1", text))
    question = prose.SUBSTITUTION.sub(" ", prose.without_frame(plain))
    question = with_marks(_BOX.sub(" box ", WRT.sub(" with respect to ", question)))
    question = _IN_TERMS_OF.sub(r"$\1$", question)
    question = _DOTS_AT_END.sub(r" \\ldots ", question)
    formulas = [
        TAIL.sub("", _UPRIGHT.sub(r"\1", _NUMBERED.sub("", DELIMITER.sub(" ", match[0])))).lstrip(
            " .,;:?"
        )
        for match in MARKED.finditer(question)
    ]
    numbers = iter(enumerate(formulas))
    marked_prose = MARKED.sub(
        lambda _: f" \ue012{number[0]}\ue012 " if (number := next(numbers))[1] else " ", question
    )
    return None if DELIMITER.search(marked_prose) or not formulas else (marked_prose, formulas)


def without_statements(
    marked_prose: str, formulas: list[str], target: Target | None = None
) -> tuple[str, Conditions]:
    """Take the statements about symbols out of a question.

    The statements stand before, between and behind instructions and the requested formula. A
    statement may end at a comma, or with a formula.

    Args:
        marked_prose: the prose, with places for the formulas.
        formulas: the formulas.
        target: the requested formula, if known.

    """
    remainders, conditions = [], Conditions()
    for sentence in SENTENCE.split(marked_prose):
        remainder, stated = _of_sentence(sentence, formulas, target)
        remainders.append(remainder)
        conditions = conditions.also(stated)
    return "\n".join(remainders), conditions


def _of_sentence(
    sentence: str, formulas: list[str], target: Target | None
) -> tuple[str, Conditions]:
    numbers = sorted(target.numbers) if target else ()
    mains = "|".join(f"\ue012{at}\ue012" for at in numbers) or r"(?!)"
    remainder, conditions = "", Conditions()
    for unit in re.split(rf"({mains}|{_INSTRUCTION.pattern})", sentence, flags=re.IGNORECASE):
        matches = (*_START.finditer(unit), *PLACEHOLDER.finditer(unit))  # with length $L>0$
        starts = (0, *(match.start() for match in matches))
        ends = (
            len(unit),
            *(match.end() for match in re.finditer(f"{PLACEHOLDER.pattern}|(?=,)", unit)),
        )
        for start, end in product(starts[:_TRIES], ends[:_TRIES]):
            if start >= end or _NOT_STATED.search(unit[max(start - _NEAR, 0) : end]):
                continue
            statement = put_back(unit[start:end], formulas, "").strip(" .;?!")
            statement = _NO_ARTICLE.sub("a is ", statement)
            words = prose.without_words(statement.strip("()"), _STATEMENT)
            stated = conditions_of(words) if words.strip() else None
            stated = stated or (_in_interval(unit[start:end], formulas, target) if target else None)
            if stated is not None:
                conditions = conditions.also(stated)
                unit = f"{unit[:start]} ; {unit[end:]}"
                break
        remainder += unit
    return remainder, conditions


def _in_interval(text: str, formulas: list[str], target: Target) -> Conditions | None:
    """Read "on the interval $(0, 1)$" as a statement about the variable of integration."""
    match = re.fullmatch(
        rf"\s*(?:on|over)\s+(?:the\s+)?(?:open\s+)?(?:interval\s+)?{PLACEHOLDER.pattern}[\s.]*",
        text,
    )
    interval = match and re.fullmatch(r"\((?P<a>[^,()]+),(?P<b>[^,()]+)\)", formulas[int(match[1])])
    if not interval:
        return None
    return conditions_of(f"{interval['a']} < {target.variable} < {interval['b']}")


def put_back(text: str, formulas: list[str], mark: str) -> str:
    """Put the formulas of a question, each between two marks, in place of the placeholders."""
    return PLACEHOLDER.sub(lambda match: f"{mark}{formulas[int(match[1])]}{mark}", text)
