"""What the words around a formula make of it: an assertion, a condition, or a try that failed."""

from __future__ import annotations

import re
from typing import Literal

#: What a text takes back.
Tries = Literal["", "statement", "try", "all"]

_WORDS = r"(?:\s+(?!(?:then|so|we|get|have|obtain|gives?|is|are|this|which)\b)[\w'-]+){0,%d}\s*\Z"
#: Words that a condition follows, in a few languages: what stands behind them is not asserted.
_CONDITION = re.compile(
    r"\b(?:when(?:ever)?|if|unless|until|suppos\w+|assum\w+|provided|wenn|falls|quand|lorsque"
    rf"|cuando|quando)\b{_WORDS % 3}"
    r"|\b(?:for|at|für|bei|pour|para|en)(?:\s+(?:all|any|each|every|points?|where))*\s*\Z"
    # An equation to be solved.
    rf"|\b(?:set(?:ting)?|solv(?:e|ing)|equat(?:e|ing)|roots?\sof|zeros?\sof)\b{_WORDS % 3}",
    re.IGNORECASE,
)
#: What goes on with the condition before it: "when x = 0 and y = 1".
_JOINS = re.compile(r"\s*(?:,\s*)?(?:and|or|und|oder|et|ou|y|o)\s*", re.IGNORECASE)
#: Words before a symbol that gets a meaning, perhaps another than it had.
_CHOOSES = re.compile(
    r"\b(?:let|set|put|take|choos\w+|pick|defin\w+|denot\w+|writ\w+|call|again|second|where|new"
    r"|try|tr(?:y|ied|ying)|substitut\w+|instead|alternativ\w+|use|using|with|mit|avec)\b"
    r"[^.;]{0,40}\Z",
    re.IGNORECASE,
)
#: Words before what follows from what the text has said.
_DERIVES = re.compile(
    r"\b(?:gives?|yields?|get|have|obtain|find|becomes?|so|thus|hence|therefore|then|also|donc"
    r"|somit|erhalten|folgt|entonces)\b[^.;]{0,30}\Z",
    re.IGNORECASE,
)
#: Words that quote what others may write, and what would follow: it is not asserted.
_QUOTES = re.compile(
    r"\b(?:(?:mistake|error|pitfall)\s+(?:is|would\s+be|here|in|like)|tempt\w+|naive(?:ly)?"
    r"|wrongly|erroneously|incorrectly|(?:incorrect|wrong|faulty|student's)\s+(?:solution|answer)"
    r"|(?:cannot|can't|must\s+not|should(?:n't|\s+not))\s+(?:\w+\s+)?(?:write|say|conclude|claim)"
    r"|one (?:might|may|could|would)\s+(?:\w+\s+)?(?:think|say|guess|expect|try|be)"
    r"|(?:not|isn't)\s+(?:true|correct|right)\s+(?:that|to)|(?:false|wrong|incorrect)\s+(?:that|to)"
    r"|if\b.{0,80}\bwould)\b(?!.*\b(?:but|yet|however|instead|rather)\b)",
    re.IGNORECASE | re.DOTALL,
)
#: Behind a formula: the text gives up the statement before.
_GIVEN_UP = re.compile(
    r"(?:^|[.,!?\n(—-])\W*(?:(?:oh|hmm?|but|well)\W+)?"
    r"(?:wait|no(?=[,.!])|oops|hold on|scra(?:tch|p) that|that'?s not"
    r"|let me (?:re-?check|correct))",
    re.IGNORECASE,
)
_FALSE = r"(?:wrong|incorrect|absurd|nonsense|impossible|a\s+contradiction|false|falsch|faux)"
#: It gives up all of the try: the way does not lead on, or its result is wrong.
_ABANDONED = re.compile(
    r"\b(?:approach|attempt|method|substitution|choice|idea|route|way|path|try|guess)\b[^.!?$]{0,40}"
    r"(?:(?:\bnot|n't)\s+(?:\w+\s+)?(?:work|help|lead|succeed|useful|promising|right|correct)"
    r"|\bfail\w*|\bnowhere|\buseless|\bwrong|\bincorrect)\b"
    r"|\bleads?\s+(?:us\s+)?nowhere|\bdead end|\bstart(?:ing)?\s+over|\boff\s+by|\bforgot"
    r"|\blet me (?:redo|retry|try again)|\btry\s+(?:another|a\s+different|something\s+else)"
    r"|\b(?:does|do|did)(?:n't|\s+not)\s+(?:work|help|lead|match|equal|agree|check\s+out|(?:look|seem)\s+right)"
    r"|\b(?:cannot|can't)\s+be\s+(?:right|true)"
    r"|\b(?:there(?:'s|\s+is|\s+must\s+be)|I(?:'ve|\s+have)?\s+made)\s+(?:a|an|some)\s+(?:\w+\s+)?"
    r"(?:mistake|error|slip)\b|\bnot\s+(?:equal\s+to\s+)?the\s+(?:integrand|original)\b"
    r"|\b(?:this|that|it|which|das|c'est)\s*(?:\w+\s+)?(?:is|was|seems|looks|ist|\b)\s*"
    rf"(?:{_FALSE}|not\s+(?:right|correct)|a\s+mistake)\b"
    rf"|\b(?:led|leads?|gives?|gave)\b[^.!?$]{{0,30}}\b{_FALSE}\b"
    r"|\bfunktioniert\s+(?:so\s+)?nicht|\bne\s+(?:marche|fonctionne)\s+pas",
    re.IGNORECASE,
)
#: It is not the last try that is given up, but one before.
_EARLIER = re.compile(
    r"\b(?:attempt|approach|method|try)\s+(?:1|one)\b|\b(?:first|earlier|initial)\b"
)
#: Where a try begins.
_BEGINS = re.compile(
    r"\b(?:attempt|approach|method|option|alternativ\w*|instead|another\s+(?:way|try)|let(?:'s|\s+us|\s+me)"
    r"\s+try|start(?:ing)?\s+over|correct(?:ing|ed)|versuch\w*|essayons)\b",
    re.IGNORECASE,
)
#: Words between a formula and one that begins with "=", which goes on with it.
_GOES_ON = re.compile(
    r"(?:\b(?:get|have|has|had|obtain|find|is|are|be|becom\w+|giv\w+|yield\w*|simplif\w+|equals?"
    r"|reduc\w+|evaluat\w+|comput\w+|and|so|thus|hence|then|therefore|to|that|which|this|it|as"
    r"|or|also|finally|again|side|here|now|out|ist|sind|est|es|è|da|und|et|y)|[^\w\s])\s*\Z|\A\s*\Z",
    re.IGNORECASE,
)
_ROOTS = re.compile(rf"\b(?:where|satisf\w+|vanish\w*|equation){_WORDS % 2}", re.IGNORECASE)
_ASKS = re.compile(
    rf"\b(?:such that|for which|sodass|tel que){_WORDS % 4}",
    re.IGNORECASE,
)
_END = re.compile(r"\b(?:from|between)\b.{0,40}\b(?:to|and)\s*\Z|\bto\s*\Z", re.IGNORECASE)
#: The end of a sentence, of a paragraph, or the beginning of an item.
_SENTENCE = re.compile(r"[.!?](?=\s|\Z)|\n\s*\n|\n\s*(?:[-*•]|\d{1,2}[.)]|\\item)\s")


def names_roots(lead: str) -> bool:
    """Whether an equation behind these words says where something vanishes."""
    return _ROOTS.search(lead) is not None


def asks(lead: str) -> bool:
    """Whether an equation behind these words is to be solved for a letter in it."""
    return _ASKS.search(lead) is not None


def names_an_end(lead: str) -> bool:
    """Whether a number behind these words is the end of a range: "from 3 to 5 = 8"."""
    return _END.search(lead) is not None


def is_condition(lead: str, before: bool) -> bool:
    """Whether a formula behind these words is a condition; ``before``: the one before it was."""
    return _CONDITION.search(lead) is not None or (before and _JOINS.fullmatch(lead) is not None)


def chooses(lead: str) -> bool:
    """Whether a symbol behind these words may get a new meaning."""
    return _CHOOSES.search(lead) is not None


def derives(lead: str) -> bool:
    """Whether a formula behind these words follows from what stands before them."""
    return _DERIVES.search(lead) is not None


def quotes(lead: str) -> bool:
    """Whether the sentence of a formula quotes what is not asserted: "a common mistake is"."""
    return _QUOTES.search(_SENTENCE.split(lead)[-1]) is not None


def given_up(words: str) -> Tries:
    """What these words take back: the statement before them, the try it is in, or all tries."""
    if _ABANDONED.search(words):
        return "all" if _EARLIER.search(words) else "try"
    return "statement" if _GIVEN_UP.search(words) else ""


def begins_try(words: str) -> bool:
    """Whether another try begins with these words."""
    return _BEGINS.search(words) is not None


def goes_on(lead: str) -> bool:
    """Whether ``= b`` behind these words goes on with a chain, and is not what a name equals."""
    return _GOES_ON.search(lead) is not None


def ends_sentence(words: str) -> bool:
    """Whether a sentence ends within these words."""
    return _SENTENCE.search(words) is not None
