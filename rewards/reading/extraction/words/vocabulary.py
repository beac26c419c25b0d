r"""The closed list of words that may stand beside an answer, by role and language.

Words in a box are read by this list alone: a word that is missing here may change the formula
(``\text{the sine of }x^2``, ``x^2\text{ is wrong}``), so that the answer cannot be taken as stated.
Names of functions in a text command are functions, by the table of the LaTeX reader.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from ...latex.functions import NAMES


class Role(Enum):
    """What a group of words beside a formula says."""

    LEAD = "introduces or accompanies the formula"
    SAME = "the next formula is equal"
    OFFER = "the next formula is another answer"
    SUBJECT = "names the formula's integral: the next formula is no answer"
    UNKNOWN = "holds a word that is not in the list"


# A word of the list may lead to an answer, follow it or begin a remark on it; none of them negates,
# scales or composes. "of" is no such word: see `_PHRASES`.
_HARMLESS = """
    a an the this that it its our my your i we
    is are be was becomes equals equal equivalent equivalently gives yields get have obtain obtained
    find found reads given as
    answer answers final result results solution conclusion antiderivative antiderivatives primitive
    integral indefinite general required desired requested value evaluates function
    here so then thus hence therefore consequently finally let use recall note
    where with for if when since provided assuming valid in on all any every each some denotes
    arbitrary real number numbers constant constants const integration and simplifies simplified
    or also either which even well alternatively form closed correct indeed just simply
    namely ie total altogether exact exactly sum defined arb
    interval domain case whenever positive
    die der das den ein eine einer ist sei seien mit wobei für falls wenn wo und oder antwort lösung
    ergebnis stammfunktion integral konstante konstant beliebige integrationskonstante reelle also
    daher somit folglich lautet
    le la les l un une est sont avec où pour si et ou réponse résultat solution primitive intégrale
    constante arbitraire donc ainsi réelle quelconque
    el los las una es con donde para y o respuesta resultado solución primitiva integral constante
    arbitraria entonces luego real
    il lo è ove dove per risposta risultato soluzione primitiva integrale costante arbitraria quindi
    dunque
    é onde com resposta solução uma arbitrária
    ответ результат где и или при для если константа первообразная произвольная постоянная это равен
    равна
    答案 其中 为 是 常数 任意常数 积分常数 且 或
"""
_ROLES: dict[str, Role] = {
    **dict.fromkeys(_HARMLESS.split(), Role.LEAD),
    **dict.fromkeys(
        "is equals equal equivalent equivalently gives yields becomes est ist es è é so thus hence"
        " therefore simplifies ie entonces donc also quindi".split(),
        Role.SAME,
    ),
    **dict.fromkeys(
        "or ou oder o или 或 and y et und also either even well alternatively".split(),
        Role.OFFER,
    ),
}
#: Words that offer another answer whatever stands beside them.
_DOUBTS = frozenset("else otherwise unless maybe perhaps possibly versus vs".split())
# Words that begin a remark on the formula before them.
_REMARKS = frozenset(
    "where with for if when since as wobei mit avec où pour donde con dove где 其中".split()
)
#: Words of more than one word, with the word that stands for them.
_PHRASES = (
    (re.compile(r"\bof integration\b|\bd['\u2019]intégration\b|\bde integración\b"), "constant"),
    (re.compile(r"\b(?:(?:square|sq\.?|cubic)\s)?units?\b|\bradians?\b"), "the"),
    (re.compile(r"\bup to an? (?:additive |arbitrary )?constant\b|\bin terms of\b"), "with"),
    (re.compile(r"\bsimplif(?:ies|ied) to\b|\bis equal to\b"), "equals"),
    (re.compile(r"\bi\.\s?e\b\.?|\bthat is\b"), "ie"),
    (re.compile(r"\bor,? equivalently\b|\bwhich is\b|\bin other words\b"), "equivalently"),
    # What a letter stands for, never before an argument: "where G is Catalan's constant".
    (
        re.compile(
            r"(?:\b(?:is|denotes)\s|\()(?:the\s)?(?:catalan|euler|euler[-\u2013]mascheroni|apéry|dawson|golden"
            r"|natural|riemann zeta|gamma|beta|error|bessel|lambert|fresnel|elliptic)(?:'s|s)?\s"
            r"(?:w\s)?(?:constant|ratio|function|number|integral|logarithm)\b"
        ),
        "is",
    ),
)
# "The antiderivative of", before the integrand.
_SUBJECT = re.compile(
    r"\b(?:integral|antiderivative|primitive|stammfunktion|primitiva|intégrale)"
    r"\s+(?:of|von|de|di)\s*\Z"
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PUNCTUATION = re.compile(r"[\s.,;:()\[\]'\"!~*\u2019\u2014-]*")
#: Longer texts beside an answer are no remarks.
LONGEST = 400
#: Units after a whole number: they name what was counted and do not change the number.
UNITS = frozenset(
    """dollar dollars cent cents euro euros pound pounds unit units item items people person persons
    children students apples books cards coins balls way ways time times step steps point points
    square cubic cm mm km m kg g mg l ml meter meters metre metres centimeters inch inches foot feet
    yard yards mile miles mph gram grams kilogram kilograms liter liters second seconds s minute
    minutes min hour hours h day days week weeks month months year years degree degrees""".split()
)
# Names that are words, too, and mean the words in a text command.
_WORDS_NOT_NAMES = frozenset(
    "integral integrate antiderivative limit derivative constant const Integral".split()
)
_NAME = re.compile(r"[\s~]*\\?(?P<name>[^\W\d_]+)\s*(?:\d|_\s*\{?\w\}?)?\s*")


@lru_cache(maxsize=1024)
def role_of(text: str) -> Role:
    """The role of the words in a text command, by the closed list."""
    if len(text) > LONGEST:
        return Role.UNKNOWN
    words = text.lower()
    subject = _SUBJECT.search(words.strip())
    if subject:
        words = words.strip()[: subject.start()]
    for phrase, stand_in in _PHRASES:
        words = phrase.sub(stand_in, words)
    names = _WORD.findall(words)
    if not _PUNCTUATION.fullmatch(_WORD.sub("", words)):
        return Role.UNKNOWN
    if not _DOUBTS.isdisjoint(names):
        return Role.OFFER
    roles = [_ROLES.get(name, Role.LEAD if len(name) == 1 else None) for name in names]
    if None in roles:
        return Role.UNKNOWN
    if subject:
        return Role.SUBJECT
    if not _REMARKS.isdisjoint(names):
        return Role.LEAD
    if Role.SAME in roles:
        return Role.SAME
    if names and all(role is Role.OFFER for role in roles):
        return Role.OFFER
    return Role.LEAD


@lru_cache(maxsize=1024)
def is_name(text: str, *, applied: bool = False) -> bool:
    """Whether a text command holds the name of a function or a symbol, not words.

    Args:
        text: what the command holds.
        applied: whether an argument in brackets follows.

    """
    match = _NAME.fullmatch(text)
    if match is None:
        return False
    name = match["name"]
    if len(name) == 1:
        return True
    return (applied or name not in _WORDS_NOT_NAMES) and (
        name in NAMES or (len(name) > 2 and name.lower() in NAMES)
    )


def beside_a_number(before: str, after: str) -> bool:
    """Whether the words around a number leave the number as it is; a unit may follow it.

    Args:
        before: the words before it.
        after: the words after it.

    """
    names = _WORD.findall(before.lower())
    units = [name for name in _WORD.findall(after.lower()) if name not in UNITS]
    return not any(_ROLES.get(name, Role.OFFER) is Role.OFFER for name in (*names, *units))


_BARE_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}(?![A-Za-z({\[_^])")
# A word of the list at the beginning of a formula without a text command: "Answer: x^2".
_LEADING = re.compile(
    r"(?:[\s*#]*(?:"
    + "|".join(
        """(?:the\\s+)?(?:final\\s+)?(?:answer|antiderivative|integral|result|solution)(?:\\s+is)?
        therefore thus hence (?:so|we\\s+(?:have|get|obtain))(?=\\s|\\\\)""".split()
    )
    + r")(?![A-Za-z])(?:\s|\\[,;: ]|[:=~,])*)+(?=[^\s,])",
    re.IGNORECASE,
)


def without_lead(latex: str) -> str:
    """A formula without the words that introduce it: "Answer: F", "therefore F"."""
    match = _LEADING.match(latex)
    return latex[match.end() :] if match else latex


def unknown_word(latex: str) -> str:
    """The first bare word of a remark that is not in the list; empty if there is none."""
    for match in _BARE_WORD.finditer(latex):
        if match[0].lower() not in _ROLES and not is_name(match[0]):
            return match[0]
    return ""
