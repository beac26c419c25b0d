r"""Checks the words of a question for the formula: every word has to be understood.

A list of words with an effect on a question is never complete: "but strike out the odd terms", "its
median", "the limit from the other side". In the part of a question that asks, every word therefore
has to be known to change nothing. Elsewhere, in stories and explanations, words are free.

1. A sentence asks from the first verb of a request on ("find"), or from a question word on. If the
   last request has the formula itself as the object, the words before the request explain how the
   answer is found: "take logarithms to find $\lim ..$".
2. Methods ("using ..") are left out up to the next pause. Parentheses are sentences.
3. Words directly before the formula are its name ("the Gaussian moment $\int ..$"), and so are one
   or two words before a letter ("the span $L$").
4. All other words have to be in `prose.COMMON`, or in the row of `OWN` of the kind of question.
5. Nothing may be done with the value in other sentences: "Square it."
6. If no sentence asks, "zeros of $f'(x)$" asks for zeros.
7. Sentences in other languages than English tell no story: all their words have to be known
   (`prose.languages`).
8. A sentence that speaks of the response asks as a whole, wherever the sentence stands: "our parser
   doubles the answer". Words of instructions (`prose.INSTRUCTIONS`) change nothing there.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Collection, Sequence
from typing import Final

from ....errors import ProblemError
from .. import prose
from ..conditions import NAME

_MARK: Final = "\ue012"
#: Sentences end at a stop, and at a formula that has taken up the stop.
_SENTENCE: Final = re.compile(rf"(?<=[.?!])(?<!i\.e\.)\s+|\n+|(?<={_MARK})\s+(?=[A-Z][a-z])")
_PARENTHESIS: Final = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_COMMAND: Final = re.compile(r"\\[a-z]+")
_IN_TERMS_OF: Final = re.compile(r"\bin\s+terms\s+of\b")
#: Names of methods and functions, such as "partial fractions".
NAMES: Final = re.compile(
    rf"{prose.phrases('name', 'no kind')}|{prose.foreign_phrases('method')}", re.IGNORECASE
)
_TOKEN: Final = re.compile(rf"{_MARK}\d+{_MARK}|[^\W\d_](?:[^\W\d_]|['’])*|\d+|[,:;?!.]")
#: The name of a person: L'Hospital's.
_PERSON: Final = re.compile(r"(?:[A-Za-z]['’])?[A-Z][a-z]+(?:['’]s)?")
#: A sentence in which the writer tells what was tried, and the words of a wish.
_NARRATION: Final = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y)\b")
_WISH: Final = re.compile(r"\b(?:like|need|please|should|want)\b|\?", re.IGNORECASE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words that ask anywhere, and verbs that ask where a clause begins.
_QUESTION_WORDS: Final = _words("asked asks how required sought wanted what what's what’s which")
_VERBS: Final = _words(
    """approximate calculate compute decide deduce derive describe determine differentiate discuss
    enter establish estimate evaluate examine express find get give identify integrate investigate
    know need obtain prove provide put report return round say show simplify solve state sum take
    tell test verify want work write"""
)
#: Verbs that are known to some kinds of questions only, and verbs that do nothing to a value.
_OPERATIONS: Final = _words("approximate differentiate estimate integrate round")
_EXPLAINS: Final = _words(
    """assume call check classify compare consider define denote develop draw employ expand
    explain exploit illustrate input interpret justify let namely note notice present recall
    recognise recognize regard remember represent rewrite set sketch split suppose think treat
    type"""
)
#: Words that only English has, and words that only other languages have.
_ONLY_ENGLISH: Final = _VERBS | _words(
    """and but by consider from has how is its it's let my of one our please that the their then
    there these they this what when where which with you your"""
)
_ENGLISH: Final = prose.COMMON | prose.INSTRUCTIONS | _VERBS | _EXPLAINS
#: The rows of `prose.languages` for all kinds of questions.
_ALL_KINDS: Final = ("asks", "nothing", "response", "antiderivative")
_NOT_ENGLISH: Final = prose.foreign_words("asks", "nothing") - _ENGLISH
#: Words directly before a formula that are no name of the formula: "find minus $\\int ..$".
_NO_NAMES: Final = _words(
    """absolute after average before cube cubed half inverse logarithm mean minus negative next
    previous reciprocal square squared thrice triple twice"""
)
#: What a question may call the value that was asked for.
_VALUE: Final = _words(
    """answer derivative expression function integral integrand limit number product result series
    solution sum summand terms value"""
)
#: A sentence with such a word speaks of the response, also where it does not ask: "Our program
#: multiplies the answers by ten."
_OF_THE_RESPONSE: Final = re.compile(
    r"(?i)\b(?:answers?|antwort|box(?:e[ds]|ing)?|(?:end)?ergebnis(?:ses)?|grad(?:er|ing)|output|parser"
    r"|repl(?:ies|y)|reponse|respond|response|respuesta|resultado|resultat|results?|submi[st]\w+)\b"
)
#: Words of an order beside a number. Longer sentences with a number tell something.
_MOST_OF_ORDER: Final = 3
_PAUSES: Final = frozenset(",:;")
#: What stands before a verb of a request.
_BEGINS: Final = _words(
    """, : ; . ? ! and anyone can finally hence help i just me must now only or please should so
    somebody someone then therefore thus to we you"""
)
#: Words that make a clause of nouns.
_AUXILIARIES: Final = _words(
    """are be been can could did do does had has have is let may might must satisfies satisfy shall
    should was were will would"""
)
#: What precedes these words and a request for the formula explains how the answer is found.
_CONCLUDES: Final = _words("and or so then to")
_HENCE: Final = _words("hence therefore thus")
#: Words before a formula that is what was named before: "the area, that is, $\\int ..$".
_THAT_IS: Final = re.compile(
    r"(?:that is|that is to say|i \. e \.|namely|in other words)"
    r"(?: ,)?(?: (?:calculate|compute|evaluate|find|to (?:evaluate|find)))?\Z"
)
#: Words that restrict a formula which is not asked for in its sentence, too.
_CONTRASTS: Final = _words(
    "but except however if instead only provided though unless where with without"
)
#: Participles that change a formula. Others say how the answer is found, or has to look.
_CHANGING: Final = _words(
    """adding beginning choosing counting excluding holding ignoring interpreting keeping omitting
    pretending reading regarding replacing skipping squaring starting subtracting taking treating
    vanishing"""
)
#: What opens a method, alone or together with the next word: "without differentiating". "But I" and
#: "but my" open a story.
_METHOD: Final = _words("apply applying by employing use using via")
#: What is no part of a method: "using $u = x^2$ without substituting back".
_ENDS_METHOD: Final = _words("back then")
_METHOD_IN_WORDS: Final = re.compile(r"without (?!the|its)[\w'’]+|but (?:[Ii]|my)")
_SERIES: Final = _words(
    """alternating arithmetic come
    finite function geometric harmonic infinite polynomial progression represented
    series sum summation sums telescopes telescoping term total"""
)
#: What belongs to the kinds of questions.
OWN: Final = {
    "integral": _words(
        """analysis antiderivative antiderivatives arbitrary arctan calculus change const constant
        constants contour coordinates
        definite definition denominator evaluation exist exists
        finite first function functions improper indefinite integral integrals
        integrand integrate integration limits linear ln log logarithm logarithms
        multiple natural plus polar primitive primitives substitute substitution
        symmetry term terms transform trig trigonometric unknown"""
    ),
    "derivative": _words(
        """along chain change changes curve definition denominator derivative derivatives
        derived differential differentiate differentiation fast first function functions
        gradient instantaneous mixed numerator order parameter partial principles quotient rate
        slope tangent term terms total velocity"""
    )
    | prose.ORDINALS.keys()
    | prose.foreign_words("first", "second", "third"),
    "limit": _words(
        """behave behaves
        exist exists extended finite first function hand infinity left limit
        limiting limits quotient reals sequence sided
        tend"""
    ),
    "limit in words": _words(
        """above approach approaches become becomes behave behaves bound
        exist exists extended finite first function
        goes grows hand happens identify increasing infinity left limit limiting limits
        quotient sequence sided tend tending tends"""
    ),
    "sum": _SERIES,
    "partial sum": _SERIES | _words("first sequence terms"),
    "product": _SERIES | _words("partial product products"),
    "radius": _SERIES | _words("power radius"),
    "interval": _SERIES | _words("power set values"),
    "expansion": _SERIES
    | _words(
        """about ascending binomial centred coefficient coefficients degree expansion five
        four non nonzero order power powers remainder sigma six term terms three two zero"""
    )
    | prose.ORDINALS.keys(),
    "parameters": _words(
        "constant constants continuous differentiable function pair parameter parameters values"
    ),
    "equation": _words(
        """auxiliary boundary conditions constants curve curves differential equation equations
        equivalent family first free function functions graph initial integral integrals ivp
        integrate linear nonlinear pair particular passes passing prime primitive
        primitives relation satisfies satisfy satisfying separable simultaneous
        slope solutions subject system whose"""
    ),
}


def check_requests(
    marked_prose: str, formulas: Sequence[str], kind: str, own: Collection[int] = ()
) -> None:
    """Check the words of the requests: every word has to be known to change nothing.

    Args:
        marked_prose: the prose, with places for the formulas, and without statements about symbols.
        formulas: the formulas.
        kind: the kind of question, a key of `OWN`.
        own: the numbers of the requested formulas, and of the names for the formulas. By default,
            all formulas apart from single names.

    Raises:
        ProblemError: a word may change the request.

    """
    letters = {at for at, formula in enumerate(formulas) if NAME.fullmatch(formula)}
    own = own or {*range(len(formulas))} - letters
    role = kind.partition(" ")[0]  # the words of "limit in words" are those of "limit"
    known_words = prose.COMMON | prose.TABLE["convergence"] | OWN[kind]
    plain = _IN_TERMS_OF.sub(" in ", prose.without_asides(marked_prose))
    plain = _COMMAND.sub(" ", NAMES.sub(" ", plain))
    if not plain.isascii():
        plain = prose.unspaced_words(*_ALL_KINDS, role).sub(" ", plain)
    # Words in parentheses interrupt a sentence, and are checked as a sentence of their own.
    parentheses = "\n".join(_PARENTHESIS.findall(plain))
    sentences = [
        _TOKEN.findall(sentence)
        for sentence in _SENTENCE.split(f"{_PARENTHESIS.sub(' ', plain)}\n{parentheses}")
        if not is_narration(sentence)
    ]
    is_english = _is_english({*itertools.chain.from_iterable(map(_spoken, sentences))})
    abroad = [tokens for tokens in sentences if not (is_english and _is_latin(tokens))]
    known_abroad = known_words | prose.foreign_words(*_ALL_KINDS, role)
    of_prompts = prose.INSTRUCTIONS | prose.foreign_words(*_ALL_KINDS)
    for tokens in abroad:
        is_asked = _has(tokens, own)
        if is_asked and (number := next(filter(str.isdecimal, tokens), None)):
            raise ProblemError(f"{number!r} may change what is asked for; if not, leave it out")
        for word in _spoken(tokens):
            if word not in known_abroad and (is_asked or word not in of_prompts):
                raise ProblemError(f"{word!r} may change what is asked for; if not, leave it out")
    sentences = [tokens for tokens in sentences if tokens not in abroad]
    last = max((at for at, tokens in enumerate(sentences) if _has(tokens, own)), default=-1)
    asides = [_TOKEN.findall(aside) for aside in _SENTENCE.split(parentheses)]
    are_orders = [
        at > last and tokens not in asides and _is_order(tokens)
        for at, tokens in enumerate(sentences)
    ]
    sentences = [[token for token in tokens if not token.isdecimal()] for tokens in sentences]
    of_response = [_OF_THE_RESPONSE.search(" ".join(tokens)) is not None for tokens in sentences]
    starts = [
        0 if speaks or is_short else _start([token.lower() for token in tokens], own)
        for tokens, speaks, is_short in zip(sentences, of_response, are_orders, strict=True)
    ]
    # A question without any request asks with nouns: "zeros of $f'(x)$".
    if all(start == len(tokens) for start, tokens in zip(starts, sentences, strict=True)):
        starts = [0 if _is_noun_of(tokens, own) else len(tokens) for tokens in sentences]
    of_response = [*map(operator.or_, of_response, are_orders)]
    for tokens, start, speaks in zip(sentences, starts, of_response, strict=True):
        is_instruction = speaks and not _has(tokens, own)
        for word in _asking(tokens, start, own, letters, has_persons=not speaks):
            if word not in known_words and not (is_instruction and word in of_prompts):
                raise ProblemError(f"{word!r} may change what is asked for; if not, leave it out")


def _spoken(tokens: list[str]) -> list[str]:
    """The words of a sentence, without elided articles: integrale of l'integrale."""
    words = (re.split("['’]", token.lower()) for token in tokens if token[0].isalpha())
    return [word for pieces in words for word in pieces if len(word) > 1 or not word.isascii()]


def _has(tokens: list[str], own: Collection[int]) -> bool:
    return any(_is_of(token, own) for token in tokens)


def _is_order(tokens: list[str]) -> bool:
    """Whether a sentence may do something to the value with a number, as "subtract 1" does."""
    count = sum(token[0].isalpha() for token in tokens)
    pairs = itertools.pairwise(tokens)
    return count <= _MOST_OF_ORDER and any(a[0].isalpha() and b.isdecimal() for a, b in pairs)


def _is_english(words: set[str]) -> bool:
    if not _ONLY_ENGLISH.isdisjoint(words) or not words:
        return True
    return not _ENGLISH.isdisjoint(words) and _NOT_ENGLISH.isdisjoint(words)


def _is_latin(tokens: list[str]) -> bool:
    return all(map(str.isascii, _spoken(tokens)))


def is_narration(sentence: str) -> bool:
    """Whether a sentence tells what the writer tried. A wish may change the question."""
    return _NARRATION.search(sentence) is not None and _WISH.search(sentence) is None


def _asking(
    written: list[str],
    start: int,
    own: Collection[int],
    letters: Collection[int],
    *,
    has_persons: bool = True,
) -> list[str]:
    """The words of a request, from a start on, without methods and names."""
    tokens = [token.lower() for token in written]
    words: list[str] = []
    name: list[str] = []  # words that may be the name of the next formula
    is_free = False  # up to the next pause
    for at in range(start, len(tokens)):
        token = tokens[at]
        if _is_of(token, own):
            words = [] if _THAT_IS.search(" ".join(tokens[max(at - 6, 0) : at])) else words
            words += [word for word in name if word in _NO_NAMES]
            name = []
        elif not token[0].isalpha():
            is_before_formula = token == "," and _is_of("".join(tokens[at + 1 : at + 2]), own)
            is_letter = _is_of(token, letters) and len(name) <= 2
            words += [] if is_letter or is_before_formula else name
            name = []
            is_free &= token not in _PAUSES
        elif _opens_method(written, at):
            words += name
            is_free, name = True, []
        elif is_free and token in _ENDS_METHOD:
            is_free = False
            words += [] if token in prose.COMMON else [token]
        elif _is_request(tokens, at):
            words += name + ([token] if token in _OPERATIONS else [])
            words += [f"{token} when"] if tokens[at + 1 : at + 2] in (["when"], ["where"]) else []
            is_free, name = False, []
        elif _is_done_to_value(tokens, at, own):
            words.append(token)
        elif not is_free and _may_change(written, at, has_persons=has_persons):
            words += name if token in prose.COMMON else []
            name = [] if token in prose.COMMON else [*name, token]
    return words + name


def _start(tokens: list[str], own: Collection[int]) -> int:
    """Where a sentence begins to ask, or the end of a sentence without a request."""
    requests = []
    following = ""  # the first word behind a request that may change something
    for at in reversed(range(len(tokens))):
        if _is_request(tokens, at):
            preceding_word = tokens[at - 1] if at else ""
            if preceding_word in _HENCE or (
                preceding_word in _CONCLUDES and _is_of(following, own)
            ):
                return at
            requests.append(at)
        following = following if tokens[at] in prose.COMMON else tokens[at]
    if tokens[:1] in (["then"], ["finally"]) and not _has(tokens, own):  # "Then add 3."
        return 0
    starts = requests + [at for at in range(len(tokens)) if _is_done_to_value(tokens, at, own)]
    starts = starts or [
        at + 1 for at, token in enumerate(tokens) if _is_restricted(tokens, at, own)
    ]
    if not starts and "?" in tokens:  # "Its value?"
        return max((at + 1 for at, token in enumerate(tokens[:-1]) if token in _PAUSES), default=0)
    return min(starts, default=len(tokens))


def _is_noun_of(tokens: list[str], own: Collection[int]) -> bool:
    """Whether a sentence only names something of the formula: "zeros of $f'(x)$"."""
    at = next((at for at, token in enumerate(tokens) if _is_of(token, own)), 0)
    preceding_words = [token.lower() for token in tokens[:at]]
    return preceding_words[-1:] in (["of"], ["for"], ["in"]) and _AUXILIARIES.isdisjoint(
        preceding_words
    )


def _is_restricted(tokens: list[str], at: int, own: Collection[int]) -> bool:
    """Whether words behind the formula restrict the formula: "but with the other sign"."""
    following = [token for token in tokens[at + 1 : at + 3] if token not in _PAUSES]
    return _is_of(tokens[at], own) and following[:1] != [] and following[0] in _CONTRASTS


def _may_change(written: list[str], at: int, *, has_persons: bool) -> bool:
    """Whether a word is more than a letter, a manner, the name of a person, or a verb."""
    word, lower = written[at], written[at].lower()
    is_person = (
        has_persons
        and at > 0
        and _PERSON.fullmatch(word)
        and written[at + 1 : at + 2] not in (["for"], ["of"])
    )
    preceding_word = written[at - 1] if at else ","
    if lower.endswith("ing") and (preceding_word in _PAUSES or preceding_word.startswith(_MARK)):
        return lower in _CHANGING
    is_free = len(word) == 1 or prose.is_manner(lower) or bool(is_person)
    is_verb = lower.removesuffix("s") in _VERBS
    return not is_free and (not is_verb or lower in _OPERATIONS | {"sum", "sums"})


def _opens_method(written: list[str], at: int) -> bool:
    pair = " ".join(written[at : at + 2])
    return written[at].lower() in _METHOD or _METHOD_IN_WORDS.fullmatch(pair) is not None


def _is_done_to_value(tokens: list[str], at: int, own: Collection[int]) -> bool:
    """Whether something is done to the value: "square it", "after halving the sum"."""
    token, preceding_word = tokens[at], tokens[at - 1] if at else ""
    next_word, word_after = [*tokens[at + 1 : at + 3], "", ""][:2]
    is_value = next_word in ("it", "this", "your") or (next_word == "the" and word_after in _VALUE)
    if token.endswith("ing"):
        return preceding_word == "after" and is_value
    if not _begins(tokens, at) or preceding_word in ("to", "please"):
        return False
    is_known = any(token in words for words in (prose.COMMON, _METHOD, _EXPLAINS, _VERBS))
    return not is_known and (is_value or _is_of(next_word, own))


def _is_of(token: str, marked_prose: Collection[int]) -> bool:
    return token.startswith(_MARK) and int(token.strip(_MARK)) in marked_prose


def _begins(tokens: list[str], at: int) -> bool:
    preceding_word = tokens[at - 1] if at else ","
    return tokens[at][0].isalpha() and (
        preceding_word in _BEGINS or preceding_word.startswith(_MARK)
    )


def _is_request(tokens: list[str], at: int) -> bool:
    if tokens[at] in _QUESTION_WORDS:
        preceding_word = tokens[at - 1] if at else "but"
        is_open = "?" in tokens or preceding_word == "but" or preceding_word in _BEGINS
        return is_open and (preceding_word, tokens[at]) != (",", "which")
    if tokens[at] == "work" and tokens[at + 1 : at + 2] != ["out"]:
        return False
    return _begins(tokens, at) and tokens[at] in _VERBS
