r"""The closed list of words next to an answer, by role and language.

Words in a box are read by this list alone. A word that is not in the list may change the formula
(``\text{the sine of }x^2``, ``x^2\text{ is wrong}``). The answer is then refused. If a text command
contains a function's name from the table of the LaTeX reader, the command stands for the function.
"""

from __future__ import annotations

from enum import Enum
from functools import cache, lru_cache
from typing import Final

from ...latex.tokens.names import NAMES
from .tables import patterns, words


class Role(Enum):
    """The meaning of a group of words next to a formula."""

    LEAD = "introduces or accompanies the formula"
    SAME = "the next formula is equal"
    OFFER = "the next formula is another answer"
    SUBJECT = "names the formula's integral: the next formula is no answer"
    UNKNOWN = "holds a word that is not in the list"


@cache
def _word_roles() -> dict[str, Role]:
    """Map every word in the word list to a role.

    A word that may offer another answer has `Role.OFFER`, even if it is in another group as well.
    """
    roles = ("harmless", Role.LEAD), ("same", Role.SAME), ("offer", Role.OFFER)
    return {word: role for name, role in roles for word in words(name)}


#: Phrases that are read as one word, in the order in which they are looked for: of "which is equal
#: to", "is equal to" is read first.
_STAND_INS: Final = ("constant", "the", "with", "equals", "ie", "equivalently", "is")
#: Longer texts beside an answer are no remarks: twice the longest sentence of `responses.json`.
LONGEST = 400
# Names that are words, too, and mean the words in a text command.
_WORDS_NOT_NAMES = frozenset(
    "integral integrate antiderivative limit derivative constant const Integral".split()
)


@lru_cache(maxsize=1024)  # different text commands of a batch; a few hundred bytes each
def role_of(text: str) -> Role:
    """Find the role of the words in a text command, according to the word list."""
    if len(text) > LONGEST:
        return Role.UNKNOWN
    text = text.lower()
    subject = patterns.subject.search(text.strip())
    if subject:
        text = text.strip()[: subject.start()]
    for word in _STAND_INS:
        text = getattr(patterns, f"as_{word}").sub(word, text)
    names = patterns.word.findall(text)
    if not patterns.punctuation.fullmatch(patterns.word.sub("", text)):
        return Role.UNKNOWN
    if not words("doubt").isdisjoint(names):
        return Role.OFFER
    role_by_word = _word_roles()
    roles = [role_by_word.get(name, Role.LEAD if len(name) == 1 else None) for name in names]
    if None in roles:
        return Role.UNKNOWN
    if subject:
        return Role.SUBJECT
    if not words("begins_remark").isdisjoint(names):
        return Role.LEAD
    if Role.SAME in roles:
        return Role.SAME
    if names and all(role is Role.OFFER for role in roles):
        return Role.OFFER
    return Role.LEAD


@lru_cache(maxsize=1024)  # as for `role_of`
def is_name(text: str, *, applied: bool = False) -> bool:
    """Whether a text command contains the name of a function or a symbol instead of words.

    Args:
        text: the content of the command.
        applied: whether an argument in brackets follows.

    """
    match = patterns.spoken_name.fullmatch(text.replace("\\,", ""))
    if match is None:
        return False
    name = match["name"]
    if len(name) == 1:
        return True
    return (applied or name not in _WORDS_NOT_NAMES) and (
        name in NAMES or (len(name) > 2 and name.lower() in NAMES)
    )


def beside_a_number(preceding: str, following: str) -> bool:
    """Whether the words around a number do not change the value. A unit may follow the number.

    Args:
        preceding: the words before the number.
        following: the words after the number.

    """
    names = patterns.word.findall(preceding.lower())
    units = [name for name in patterns.word.findall(following.lower()) if name not in words("unit")]
    role_by_word = _word_roles()
    return not any(role_by_word.get(name, Role.OFFER) is Role.OFFER for name in (*names, *units))


def has_only_units(text: str) -> bool:
    """Whether a text beside a formula has no words but units, and no formulas."""
    return (
        set(patterns.word.findall(text.lower())) <= words("unit")
        and patterns.punctuation.fullmatch(patterns.word.sub("", text)) is not None
    )


def without_lead(latex: str) -> str:
    """Remove introductory words from a formula, such as "Answer: F" and "therefore F"."""
    match = patterns.introduces.match(latex)
    return latex[match.end() :] if match else latex


def unknown_word(latex: str) -> str:
    """The first word outside of the word list, or an empty text.

    Words in text commands are not examined.
    """
    role_by_word = _word_roles()
    for match in patterns.bare_word.finditer(latex):
        if match[0].lower() not in role_by_word and not is_name(match[0]):
            return match[0]
    return ""
