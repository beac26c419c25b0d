"""Reads how words introduce a formula: as the answer, a rule, a condition or a check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from .tables import hints, patterns, roles, unspaced_words, words
from .vocabulary import is_name

#: Stands for a formula in a sentence.
FORMULA = "\u00a7"


class Lead(NamedTuple):
    """How a sentence introduces the formula at the end."""

    announced: bool = False  # "the answer is", "the integral is"
    named: bool = False  # announced as the answer, or result, by that name
    concluded: bool = False  # "so we get"
    doubted: bool = False  # recalled or checked
    soft: bool = False  # "where", "let", "by"
    denied: bool = False  # "not", "instead of", "one might guess"
    remark: bool = False  # "note that", "for example"
    stated: bool = False  # by a verb only: "its height is"


#: What the words of a sentence say so far, as bits of a number.
_ANNOUNCED, _NAMED, _NOUN, _CONCLUDED, _STATED, _RECALLED, _METHOD, _CHECKED, _SOFT = (
    1 << bit for bit in range(9)
)


class _Effect(NamedTuple):
    """The effect of a word on the marks set by the preceding words.

    A mark is a bit that says what the sentence does, such as to announce or to check a formula.

    Attributes:
        sets: the marks set by the word.
        clears: the marks removed by the word.
        clears_earlier: further marks. The word removes these marks only if no doubt precedes the
            word in the same clause.
        doubts: whether the word is a doubt, such as "check".

    """

    sets: int
    clears: int = 0
    clears_earlier: int = 0
    doubts: bool = False


#: The later word decides: a conclusion takes back a rule, a rule takes back an announcement. Only a
#: new clause takes back a doubt, so that "check that the answer is" stays a check.
_EFFECTS: Final = {
    "announce": _Effect(_ANNOUNCED | _NAMED, _SOFT | _METHOD, _RECALLED | _CHECKED),
    "noun": _Effect(_NOUN),
    "noun and verb": _Effect(_ANNOUNCED, _SOFT | _METHOD, _RECALLED | _CHECKED),
    "verb": _Effect(_STATED),
    "conclude": _Effect(_CONCLUDED, _SOFT | _RECALLED | _METHOD, _CHECKED),
    "method": _Effect(_METHOD, _ANNOUNCED | _CONCLUDED | _STATED),
    "recall": _Effect(_RECALLED, _ANNOUNCED | _CONCLUDED | _STATED, doubts=True),
    "check": _Effect(_CHECKED, _ANNOUNCED | _CONCLUDED | _STATED, doubts=True),
    "soft": _Effect(_SOFT, _CONCLUDED | _STATED),
}
_WORD_ROLES: Final = (
    "announce", "noun", "verb", "conclude", "recall", "method", "check", "differentiation", "soft"
)  # fmt: skip


@cache
def _role_of_word() -> dict[str, str]:
    """Map each word to a role: the meaning of the word for a formula."""
    role_of_word = {
        word: role for role in _WORD_ROLES for word in words(role).difference(unspaced_words(role))
    }
    return role_of_word | dict.fromkeys(words("breaks"), "breaks") | {FORMULA: "formula"}


@cache
def _unspaced() -> re.Pattern[str]:
    """A regular expression of words in languages without spaces, with a group for each meaning."""
    spellings = {role: unspaced_words(role) for role in _WORD_ROLES}
    return re.compile("|".join(f"(?P<{role}>{'|'.join(s)})" for role, s in spellings.items() if s))


def _roles_in(sentence: str) -> list[str]:
    """The roles of the words in a lower-case sentence."""
    role_of_word = _role_of_word()
    roles = [
        role for word in patterns.lead_word.findall(sentence) if (role := role_of_word.get(word))
    ]
    if not sentence.isascii():
        roles += [match.lastgroup or "" for match in _unspaced().finditer(sentence)]
    return roles


def read_lead(sentence: str, of_derivative: bool = False) -> Lead:
    """Classify the words before a formula.

    Args:
        sentence: the words. The character `FORMULA` stands for each earlier formula.
        of_derivative: whether a derivative is asked for, and is thus no check of the answer.

    """
    if "respect" in sentence:
        sentence = sentence.replace("with respect to", "")
    sentence = sentence.lower()
    if "in general" in sentence:
        sentence = sentence.replace("in general", "generally")
    if "result" in sentence:
        sentence = patterns.used_result.sub("formula", sentence)
    if "final" in sentence:
        sentence = patterns.final_form.sub("answer", sentence)
    sentence = patterns.hypothetical.sub("recall", patterns.finds.sub("obtain", sentence))
    if _denies(sentence, sentence.rfind(FORMULA) + 1):
        return Lead(denied=True)
    lead = _lead_of(_roles_in(sentence), "noun" if of_derivative else "check")
    return lead._replace(stated=lead.stated and patterns.refers_back.search(sentence) is None)


def _lead_of(roles: list[str], role_of_derivative: str) -> Lead:
    """Classify how words introduce a formula. ``roles`` has the roles of the words, in order."""
    marks = clause = doubted_clause = used = 0
    preceding = ""
    for role in roles:
        if role == "breaks":
            clause += 1
            marks &= ~(_STATED | used)  # of a clause of its own
            used = 0
            continue
        if role == "formula":  # "the sum is A, while B": only A is announced
            used = _ANNOUNCED | _NAMED | _NOUN if preceding == "verb" else 0
            continue
        preceding = role
        if role == "differentiation":
            role = role_of_derivative
        if role == "verb":
            if marks & _NOUN:
                role = "noun and verb"
            elif marks & _SOFT:  # "let u be"
                continue
        sets, clears, clears_earlier, doubts = _EFFECTS[role]
        if clause > doubted_clause:
            clears |= clears_earlier
        marks = marks & ~clears | sets
        if doubts:
            doubted_clause = clause
    doubted = marks & (_RECALLED | _METHOD | _CHECKED) != 0
    soft = marks & _SOFT != 0
    announced = marks & _ANNOUNCED != 0 and not doubted
    concluded = (announced or marks & (_CONCLUDED | _STATED) != 0) and not soft
    stated = not announced and marks & (_CONCLUDED | _STATED) == _STATED
    named = announced and marks & _NAMED != 0
    return Lead(announced, named, concluded, doubted, soft, stated=stated)


def concludes(sentence: str, has_answer: bool) -> bool:
    """Whether a sentence without a formula states an answer, such as "the integral diverges".

    If the text before calls a formula the answer (``has_answer``), the sentence must be a
    conclusion, such as "so the integral diverges".
    """
    roles = set(_roles_in(sentence.lower()))
    stating = {"conclude"} if has_answer else {"announce", "noun", "conclude"}
    return bool(roles & stating) and not roles & {
        "recall", "method", "check", "differentiation", "soft",
    }  # fmt: skip


def is_remark(lead: str) -> bool:
    """Whether words within a formula lead to a remark on the answer, such as "where"."""
    return (
        bool(lead)
        and patterns.remark.search(lead) is not None
        and not patterns.leads_on.search(lead)
    )


# --- Rejections and mentions ----------------------------------------------------------------------
#: Most characters behind a formula that are read for a mention, and for a rejection. Half as many,
#: or twice, change no answer of the corpora (tests/mutation/constants.py).
MENTION, _REJECTION = 60, 80


#: Words between a word that denies and its formula: "n'est pas égale à".
_DENIED_WORDS: Final = 3


def _denies(sentence: str, start: int = 0) -> bool:
    if patterns.rejects_next.search(sentence, start) or patterns.rejects_later.search(
        sentence, start
    ):
        return True
    clause = patterns.clause_end.split(sentence[start:])[-1]
    return any(map(clause.__contains__, unspaced_words("denies"))) or not words(
        "denies"
    ).isdisjoint(patterns.word.findall(clause)[-_DENIED_WORDS:])


def denied_before(sentence: str) -> bool:
    """Whether the words before a formula reject the formula, as "the answer is not" does."""
    return _denies(sentence.lower())


def denied_after(text: str, end: int) -> bool:
    """Whether the words after a formula reject the formula, as "is not right" does."""
    return bool(
        patterns.rejects_previous_in_brackets.match(text, end, end + _REJECTION)
        or patterns.rejects_previous.match(text, end, end + _REJECTION)
    )


@cache
def _listed_words(*, english: bool) -> frozenset[str]:
    """The words of all lists of words beside an answer, of English or of further languages."""
    names = (
        *_WORD_ROLES,
        "breaks",
        "harmless",
        "offer",
        "same",
        "begins_remark",
        "beside_a_box",
        "unit",
    )
    rows = (row for name in names for row in roles()[name].rows)
    return frozenset(
        word for row in rows if (row.language == "en") is english for word in row.spelling.split()
    )


def unknown_beside(sentence: str) -> str:
    """A word with a possible effect on the answer in a box, or an empty text.

    If an English sentence speaks of the answer, all words have to be in a list: "the box in
    this line is a decoy". A sentence with words of another language, which are not all listed, may
    not have a word that denies.

    Args:
        sentence: the words before and behind a box, without formulas.

    """
    lower = sentence.lower()
    names = patterns.word.findall(lower)
    english_words = _listed_words(english=True)
    denials = [word for word in unspaced_words("denies") if word in lower]
    denials += [name for name in names if name in words("denies")]
    if denials or not _listed_words(english=False).isdisjoint({*names} - english_words):
        return denials[0] if denials else ""
    if words("names_answer").isdisjoint(names):
        return ""
    strange = (
        name for name in names if len(name) > 2 and name.isascii() and name not in english_words
    )
    return next((name for name in strange if not is_name(name)), "")


_LAST_WORDS: Final = re.compile(r"[^\W\d_]+")


def asks(gap: str) -> bool:
    """Whether the words before a formula ask for the integral, as "the integral of" does."""
    filler, request_words = words("asked_filler"), words("asked")
    plain = patterns.finds.sub("obtain", gap[-MENTION:].lower())
    for word in reversed(_LAST_WORDS.findall(plain)):
        if word not in filler or word in request_words:  # "of the function"
            return word in request_words
    return False


#: Characters of a remark that are searched for a correction: a long paragraph.
_LONGEST_REMARK: Final = 1000


def in_remark(text: str, start: int, sentence: str) -> bool:
    """Whether a formula is in a remark, such as an example, from which nothing follows.

    Args:
        text: the text.
        start: the offset of the formula.
        sentence: the words of the formula's sentence before the formula.

    """
    if patterns.follows.search(sentence):
        return False
    if patterns.opens_remark.match(sentence):
        return patterns.check_fails.search(sentence) is None
    paragraph = max(text.rfind("\n\n", 0, start), 0)
    return patterns.heads_remark.match(text, paragraph) is not None and not check_fails(
        text, max(paragraph, start - _LONGEST_REMARK), start
    )


def explains(words_in_brackets: str) -> bool:
    """Whether the first words in brackets begin a remark, not another form of the answer."""
    remark_words = _LAST_WORDS.findall(words_in_brackets.lower())
    return (
        bool(remark_words)
        and remark_words[0] not in words("offer") | words("same")
        and words("announce").isdisjoint(remark_words)
    )


def led_by_verb(text: str, latex: str, start: int, end: int) -> bool:
    """Whether a formula stands alone behind "is" or a colon, as in "the limit is 3/2"."""
    if not patterns.ends_statement.match(text, end):
        return False
    gap = patterns.last_words.search(text, max(start - MENTION, 0), start)
    if gap is None:
        return False
    role = _role_of_word().get(gap["word"].lower())
    return latex[0] == "=" or ":" in gap[0] or role in ("verb", "conclude", "announce")


# --- Checks and explanations ----------------------------------------------------------------------
#: Places of one hint that are looked at, so that a text full of hints costs no more than another.
#: Five change no answer of the corpora (tests/mutation/constants.py).
_MOST_HINTS: Final = 20
#: Characters before and behind a hint that hold its phrase: the longest are "to double-check" and
#: "differentiating confirms".
_BEFORE_HINT, _BEHIND_HINT = 12, 30


def first_check(text: str, end: int, of_derivative: bool = False) -> int:
    """The offset of a check or an explanation of an answer before ``end``.

    Without a check, the result is ``end``.
    """
    earliest = end
    english = text.isascii()
    for role in ("begins_check", "heads_explanation", "differentiates_back")[: 3 - of_derivative]:
        for hint in hints(role, english=english):
            starts = (_check_at(role, text, at, end) for at in _places(hint, text, earliest))
            earliest = min(earliest, next((start for start in starts if start >= 0), end))
    return earliest


def _places(hint: str, text: str, end: int) -> Iterator[int]:
    """The first offsets of a hint before ``end``."""
    at = -1
    for _ in range(_MOST_HINTS):
        if (at := text.find(hint, at + 1, end)) < 0:
            return
        yield at


def _check_at(role: str, text: str, at: int, end: int) -> int:
    """The offset of words that have a role and the hint at the offset ``at``, or -1."""
    pattern: re.Pattern[str] = getattr(patterns, role)
    if role == "heads_explanation":  # at the beginning of a line
        line = text.rfind("\n", 0, at) + 1
        return line if at - line < _BEFORE_HINT and pattern.match(text, line) else -1
    check = pattern.search(text, max(at - _BEFORE_HINT, 0), min(at + _BEHIND_HINT, end))
    return check.start() if check else -1


def check_fails(text: str, start: int, end: int) -> bool:
    """Whether the text between two offsets checks an answer and reports a mistake.

    The formulas after such a check may be corrections. The caller then does not treat these
    formulas as repetitions of the answer.
    """
    return patterns.check_fails.search(text, start, end) is not None
