r"""Cuts a question into clauses: ``Let y = x^x. Find \frac{dy}{dx} at x = 1.``

A clause is a formula with the words before it. Punctuation and delimiters separate the clauses. All
words have to be in a closed list, because an unknown word may change the question.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, NamedTuple

from ...errors import ProblemError
from .conditions import conditions_of, has_kind
from .derivatives import LONGEST
from .layout import SPACE, SUBSTITUTION, marked_tables, pieces_of, restored_tables

#: What may stand beside the formulas of a question; a word that is missing makes it unreadable.
WORDS: Final = frozenset(
    """a about all an and any are around as assume at be bounded by calculate classify closed
    complete compute condition conditions consider constant converge converges coordinate
    curve defined denote denotes derivative derivatives determine differentiable differential
    differentiate differentiating does domain each eighth equation equations evaluate every
    exact explicit explicitly express expression family fifth find first follow following for
    form formula fourth from function functions general give given gradient has have
    homogeneous if implicit implicitly in initial integrate interval into is it its let limit
    limits linear mixed most ninth nontrivial number obtain of on or order ordinary parameter
    parametric parametrically partial particular point points positive possible power problem
    real respect satisfied satisfies satisfy satisfying second separable series seventh show
    simplify singular sixth slope solution solutions solve solved subject such suppose system
    tangent tenth term terms that the their then there third this to total trivial twice two
    under unknown value values variable variables we what when where whose with without write
    your""".split()
)
#: Words of an instruction before a sum or a limit that change nothing. The list is closed, because
#: another word may change the question.
INSTRUCTION: Final = frozenset(
    """a an and answer calculate closed compute consider convergent converges determine diverge
    diverges does each evaluate exact exactly exist exists expression find finite following for
    form formula give given if in infinite is it its let limit limits not of or please problem
    question say series show simplify so solve state sum sums terms that the then this to total
    value what where whether work your""".split()
)
PROSE: Final = re.compile(r"\\(?:text|textrm|textit|mbox|hbox|textbf)\s*\{([^{}]*)\}")
#: What marks a formula in prose.
DELIMITER: Final = re.compile(
    r"\$+|\\[()\[\]]|\\(?:begin|end)\s*\{(?:align|aligned|equation|gather|multline|split)\*?\}"
)
_DELIMITERS: Final = re.compile(r"\$+|\\[()\[\]]|\\\\|\\(?:begin|end)\s*\{[a-z]+\*?\}|&")
#: A sentence about parameters.
_ASSUMPTION: Final = re.compile(
    r"(?P<before>\A|[.\n]\s{0,8})(?P<sentence>(?:Assume|Suppose|Let|Here)\s[^.\n]{1,200})(?:\.(?=\s|\Z)|(?=\n|\Z))"
)
_MATH_SIGN: Final = re.compile(r"\$+")
_WORD: Final = re.compile(
    r"(?<![\\A-Za-z_^'])[A-Za-z]{2,}(?:['’-][a-z]+)?(?![A-Za-z_^({\\'])"
    r"|(?<![\\A-Za-z])(?:[aA](?= [a-z]{2}))"
)
_SPACING: Final = re.compile(r"(?<!\\)\\[,;:!> ]|~")
_SENTENCE_END: Final = re.compile(r"[.?!:](?=\s|\Z)")
_QUAD: Final = re.compile(r"\\q?quad(?![A-Za-z])")
_MARK: Final = "\ue010"
_ENDS: Final = re.compile(rf"\A{SPACE}|{SPACE}\Z")


#: Words that deny, or choose among answers: they may change any question.
CHOOSES: Final = frozenset(
    """absolutely approximate approximately conditional conditionally except half largest least
    maximum minimum nearest negative never no none not per percent rounded smallest times twice
    unless which""".split()
)
#: Words that name an operation. They change a question unless they describe the formula behind
#: them, or name a rule.
NAMES_OPERATION: Final = frozenset(
    """absolute antiderivative approximation average cube cubed decimal derivative derivatives
    directional double estimate integral inverse inverses mean modulus normal orthogonal
    perpendicular product quotient reciprocal root roots square squared triple""".split()
)
#: Forms in which something is written, behind "as": "leave your answer as a product".
_FORMS: Final = frozenset("integral product quotient".split())
_RULES: Final = frozenset("formula method rule rules test theorem".split())
#: Words that change nothing, in the name of what is asked for, too.
_PLAIN: Final = frozenset(
    """answer answers down fully non-zero nonzero possible result simple simplest th work""".split()
)
#: What is to be done where there is no answer, and hints; the bound keeps the search linear.
_ASIDE: Final = re.compile(
    r"[,;]?\s*\b(?:otherwise|or\s+(?:answer|explain|say|show|state|write))\b[^.?!]*", re.IGNORECASE
)
_HINT: Final = re.compile(r"\(\s*[Hh]int\b(?:[^()]|\([^()]*\)){0,200}\)")
#: Words that ask for what is named behind them.
_ASKS: Final = frozenset(
    """calculate compute determine evaluate express find give how obtain prove show state what
    which write""".split()
)
#: Words behind which a question describes what was named before.
_PREPOSITIONS: Final = frozenset(
    "as at by for from given if in into of on such that to using when where with".split()
)
_MARKED: Final = re.compile(
    r"\$\$.+?\$\$|\$.+?\$|\\\(.+?\\\)|\\\[.+?\\\]"
    r"|\\begin\{(equation|align|gather)(\*?)\}.*?\\end\{\1\2\}",
    re.DOTALL,
)
#: Words for kinds of numbers that say nothing new: parameters are positive, variables are real.
_NO_KIND: Final = re.compile(
    r"\b(?:positive|non-?zero(?=\s+solutions?)|(?:all|any|every)\s+real(?:\s+numbers?)?)\b"
)
_TOKEN: Final = re.compile(r"[A-Za-z]+(?:['’–-]+[A-Za-z]+)*['’]?|[.?!:;,]")
#: Signs, digits and single letters: a formula that is not marked.
_UNMARKED: Final = re.compile(
    r"[\\^_=<>+*/|{}0-9]|(?<![A-Za-z'’-])(?![aAI])[A-Za-z](?![A-Za-z'’-])"
)


def without_prose(text: str, understood: frozenset[str]) -> str:
    r"""Remove the words from a question that do not change what is asked for.

    If all formulas are in ``$`` or similar delimiters, most other words are left out, such as words
    about a particle. Two groups of words cause an error if they are not in ``understood``. A word
    of the first group says what is asked for, such as "area" in "find the area of". The second
    group consists of the words of `CHOOSES` and `NAMES_OPERATION`. A word directly before a formula
    is not in the first group, because the word only describes the formula. An example is "speed" in
    "find the speed $x'$".

    Args:
        text: the question.
        understood: words in lower case that the caller can interpret. These words are kept.

    Returns:
        The formulas, the words that are understood, and the punctuation. The text is returned
        unchanged if a formula has no delimiters, or if there is no formula. It is also unchanged if
        the words state a kind of number, such as "n is an integer".

    Raises:
        ProblemError: a word that is not understood may change the question.

    >>> without_prose("Find the speed $x'$ of a particle with $x=t^2$", frozenset(("of", "with")))
    "$x'$ of with $x=t^2$ ."

    """
    if len(text) > LONGEST:  # which the reader of the question refuses
        return text
    question = SUBSTITUTION.sub(" ", _HINT.sub(" ", text))
    formulas = list(_MARKED.finditer(question))
    words = _MARKED.sub(" ", question)
    if not formulas or _UNMARKED.search(words) or has_kind(_NO_KIND.sub(" ", words)):
        return text
    pieces: list[str] = []
    # words of the name of what is asked for, and of operations, that are not understood
    strange: list[str] = []
    operations: list[str] = []
    asks, begin, before, preposition = False, 0, "", ""
    for formula in (*formulas, None):
        prose = question[begin : formula.start() if formula else len(question)]
        prose = _ASIDE.sub(" ", prose) + ("" if formula else ".")
        for token in _TOKEN.findall(prose):
            word = token.lower()
            parts = word.split("-")
            if not word[0].isalpha() or word in _PREPOSITIONS:
                if strange or operations:
                    raise ProblemError(f"{text!r}: what is {(strange or operations)[0]!r}?")
                asks, preposition = False, word
            elif preposition == "as" and word in _FORMS:
                pass
            elif word in _ASKS:
                if word == "what" and before in _PREPOSITIONS:  # for what value of c
                    raise ProblemError(f"{text!r}: a value of a parameter is asked for")
                asks = True
            elif word in _RULES:
                operations = []
            elif not understood.issuperset(parts):
                if not CHOOSES.isdisjoint(parts):
                    raise ProblemError(f"{text!r}: {token!r} may change the question")
                operations += [token] if not NAMES_OPERATION.isdisjoint(parts) else []
                strange += [token] if asks and word not in _PLAIN else []
            if not word[0].isalpha() or understood.issuperset(parts):
                pieces.append(token)
            before = word
        if formula:
            # What is asked for is the formula, which the words before describe.
            pieces.append(formula[0])
            strange, operations, asks, begin = [], [], False, formula.end()
    return " ".join(pieces)


def instruction_words(words: Collection[str]) -> str:
    """A regular expression that matches any of the words, but not as a part of a longer word."""
    return rf"(?<![\\A-Za-z])(?i:{'|'.join(sorted(words))})(?![A-Za-z])"


class Clause(NamedTuple):
    """A formula of a question, and the words before it.

    Attributes:
        words: the words between the preceding formula and this formula, in lower case.
        formula: the formula in LaTeX. It is empty for words after the last formula.

    """

    words: tuple[str, ...]
    formula: str


def without_assumptions(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Remove the sentences that only state kinds of parameters, such as real or positive.

    The first result is the remaining question. The second result is a tuple of pairs. Each pair is
    a parameter and its kind.

    >>> without_assumptions("Solve y' = Ay. Assume A, B are real and positive.")
    ("Solve y' = Ay. ", (('A', 'positive'), ('B', 'positive')))

    """
    kinds: list[tuple[str, str]] = []

    def taken(match: re.Match[str]) -> str:
        stated = conditions_of(_MATH_SIGN.sub(" ", match["sentence"]))
        if stated is None or stated.comparisons:
            return match[0]
        kinds.extend(stated.kinds)
        return match["before"]

    return _ASSUMPTION.sub(taken, text), tuple(kinds)


def clauses(text: str) -> list[Clause]:
    r"""Cut a question into clauses: its formulas, each with the words before it.

    Args:
        text: the question.

    Returns:
        The clauses in the order of the text. Words after the last formula form a clause with an
        empty formula.

    Raises:
        ProblemError: the text is too long, or has a word that is not in `WORDS`.

    >>> [clause.formula for clause in clauses(r"Let $y=x^x$. Find $\frac{dy}{dx}$ at $x=1$.")]
    ['y=x^x', '\\frac{dy}{dx}', 'x=1']
    >>> clauses("y' = y, y(0) = 1")[1]
    Clause(words=(), formula='y(0) = 1')

    """
    if len(text) > LONGEST:
        raise ProblemError(f"the question has more than {LONGEST} characters")
    if _MARK in text:
        raise ProblemError("the question has a character that means nothing")
    words: list[str] = []

    def marked(match: re.Match[str]) -> str:
        word = match[0].lower()
        if not WORDS.issuperset(word.split("-")):  # first-order
            return match[0]
        words.append(word)
        return f" {_MARK}{len(words) - 1}{_MARK} "

    plain, tables = marked_tables(text)
    plain = PROSE.sub(r" ;\1; ", _SPACING.sub(" ", plain))
    plain = _SENTENCE_END.sub(" ; ", _QUAD.sub(" ; ", _DELIMITERS.sub(" ; ", plain)))
    plain = _WORD.sub(marked, plain)
    results: list[Clause] = []
    words_before: list[str] = []
    for piece in pieces_of(plain.replace("\n", " "), ",;"):
        for at, section in enumerate(piece.split(_MARK)):
            if at % 2:
                words_before.append(words[int(section)])
                continue
            formula = _ENDS.sub("", section).strip()
            if formula:
                results.append(Clause(tuple(words_before), restored_tables(formula, tables)))
                words_before = []
    if words_before:
        results.append(Clause(tuple(words_before), ""))
    return results
