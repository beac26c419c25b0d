"""Words about convergence in an answer, such as "diverges" or "converges absolutely"."""

from __future__ import annotations

import re

from ...latex import signed_infinity
from . import tables
from .leads import denied_before, read_lead
from .tables import patterns
from .vocabulary import LONGEST

_CONVERGES = re.compile(
    r"(?:\b(absolute|conditional)(?:ly)?\s+)?\bconverg(?:es|ent|e)\b(?:\s+(absolute|conditional)ly)?",
    re.IGNORECASE,
)
#: A kind of convergence, without the verb.
_KIND = re.compile(r"(absolute|conditional)(?:ly)?()", re.IGNORECASE)
#: A sentence that gives a value, and the value.
_GIVES = re.compile(r"(.*\b(?:is|equals|equal to))\s(.*)", re.IGNORECASE | re.DOTALL)
#: Words of the lists that deny what follows, apart from "No, it diverges".
_NEGATIONS = frozenset(("not", "never", "nothing"))
_SUBJECT = re.compile(r"(?:(?:the|it|series|is)\s+)*", re.IGNORECASE)


def divergence_of(text: str) -> int | None:
    """The divergence stated by a text. The result is 1 or -1 for an infinity, and 0 for words.

    If the text states no divergence, the result is None.
    """
    infinity = signed_infinity(text)
    if infinity is None and says_divergent(text):
        return 0
    if infinity is None and (sentence := _GIVES.fullmatch(text)) is not None:
        lead = read_lead(sentence[1])
        return signed_infinity(sentence[2]) if lead.announced or lead.concluded else None
    return infinity


def asserted_convergence(text: str, *, alone: bool = False) -> str | None:
    """The convergence asserted by a text: "absolute", "conditional", or "" without a kind.

    The result is None if the text does not assert convergence.

    Args:
        text: the text.
        alone: whether further words in the text are forbidden.

    """
    plain = re.sub(r"\\text\s*\{([^{}]*)\}|[.,]", r" \1 ", text).strip()
    if alone:
        subject = _SUBJECT.match(plain)
        begin = subject.end() if subject else 0
        words = _CONVERGES.fullmatch(plain, begin) or _KIND.fullmatch(plain, begin)
    else:
        words = None if patterns.diverges.search(plain) else _asserted(plain)
    return (words[1] or words[2] or "").lower() if words else None


def _asserted(text: str) -> re.Match[str] | None:
    """The first words that assert convergence and are not denied."""
    assertions = _CONVERGES.finditer(text)
    return next(
        (words for words in assertions if not patterns.denies_next.search(text[: words.start()])),
        None,
    )


def says_divergent(text: str) -> bool:
    """Whether a text asserts divergence, without a negation, and does not assert convergence."""
    assertions = list(patterns.diverges.finditer(text))
    if not assertions:
        return False
    preceding = text[: assertions[-1].start()]
    if patterns.denies_next.search(preceding) or denied_before(preceding):
        return False
    return _asserted(text) is None


def boxed_divergence(box: str) -> int | None:
    r"""The divergence stated by a box, as a number: 1 or -1 for an infinity, 0 without a sign.

    A box with words commits itself only if the words beside "diverges" are in the lists, and no
    other value stands beside them. An infinity counts with its sign, as in "diverges to
    :math:`-\infty`". The formula that diverges may stand in the box, and so may a reason.
    The result is None for any other box.
    """
    if not says_divergent(box) or "\\begin" in box or len(box) > LONGEST:
        return None
    plain = patterns.wrapped_text.sub(r" \1 ", patterns.diverges.sub(" ", box))
    reason = patterns.reason.search(plain)
    stated, because = (plain[: reason.start()], plain[reason.end() :]) if reason else (plain, "")
    choice_words = tables.words("doubt") | tables.words("offer")
    if not choice_words.isdisjoint(patterns.word.findall(because.lower())):
        return None
    signs: set[int] = set()
    for side in stated.split("="):
        if patterns.asked_operator.search(side):
            continue
        for clause in re.split("[,;:()]", patterns.quantity.sub(" ", side)):
            infinity = signed_infinity(patterns.leads_to_infinity.sub("", clause))
            if infinity is not None:
                signs.add(infinity)
            elif not _is_harmless(clause):
                return None
    if len(signs) > 1:
        return None
    return signs.pop() if signs else 0


def _is_harmless(clause: str) -> bool:
    """Whether a text beside "diverges" states no value, and has no word outside of the lists."""
    names = patterns.word.findall(clause.lower())
    if not patterns.punctuation.fullmatch(patterns.word.sub("", clause)):
        return False
    listed = frozenset.union(*map(tables.words, ("harmless", "beside_a_box", "beside_divergence")))
    return all(len(name) == 1 or name in listed for name in names) and not {*names} & _NEGATIONS
