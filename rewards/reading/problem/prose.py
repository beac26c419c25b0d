r"""Takes the prose of a question apart from its formulas, for all kinds of questions.

`TABLE` has all words of instructions, by what they ask for or say. An underscore joins the words of
a phrase, which counts as one word. A reader understands the words of some rows of the table. Any
other word may change the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from ...errors import ProblemError
from .conditions import has_kind
from .marks import LONGEST, MARKED, PROSE, with_marks

#: What asks for what, and what says nothing. A word may stand in several rows.
TABLE: Final = {
    role: frozenset(word.replace("_", " ") for word in words.split())
    for role, words in {
        # for the value, or the form, of what is named behind the word
        "value": "calculate compute evaluate find what",
        "form": "determine enclose express give obtain provide put report return show state write",
        # for something else than a value of what is named behind the word
        "other": "how prove which",
        "nothing": """a an and answer closed consider does each exact exactly expression following
            for form formula given if in is it its let of or please problem question simplify so
            solve terms that the then this to total value where with your""",
        "convergence": """converge converges convergence convergent diverge diverges divergence
            divergent""",
        "series": "limit limits series",
        "sum": "exist exists finite infinite not say sum sums whether work",
        "function": "any are as at constant from function number positive real term when",
        "limit": """above approaches below even goes integer integers left natural negative
            nonnegative numbers odd right sequence side sided tends zero""",
        "sequence": "all as by defined every general integer integers positive sequence term",
        "integral": """antiderivative computing definite evaluating finding general improper
            indefinite integral integrate integrating most primitive proper""",
        "power series": """and as by derive down expand expansion function generated get
            lagrange maclaurin on polynomial power powers series taylor term up""",
        "equation": """about all around assume be by classify complete condition conditions
            coordinate curve defined denote denotes derivative derivatives differentiable
            differential differentiate differentiating domain eighth equation equations every
            explicit explicitly family fifth first follow fourth functions general gradient has
            have homogeneous implicit implicitly initial integrate interval into linear mixed most
            ninth nontrivial on order ordinary parameter parametric parametrically partial
            particular point points possible power prime primes respect satisfied satisfies satisfy
            satisfying second separable seventh singular sixth slope solution solutions solved
            subject such suppose system tangent tenth their there third trivial twice two under
            unknown values variable variables we whose without""",
        # change a number: they may change any question
        "arithmetic": """add added approximate approximately decimals decreased
            degrees digit digits divide divided doubled estimate half halve halved
            increased larger least maximum minimum minus multiplied multiply nearest
            next numerically per percent percentage plus raise raised replaced round
            rounded significant smaller subtract subtracted tail times trapezium
            trapezoidal tripled twice""",
        # deny, or choose among answers
        "choice": """absolutely bounded chosen conditional conditionally except excluding false
            first hint incorrect kth largest mth negative never no none not nth omitted
            omitting partial prime primes removed second smallest th third uniformly
            unless which without wrong""",
        # name an operation: they change a question unless they describe the formula behind them,
        # or name a rule
        "operation": """absolute antiderivative approximation average cube cubed cubes decimal
            derivative derivatives differentiate directional double integral inverse inverses
            logarithm mean modulus normal orthogonal perpendicular product quotient reciprocal root
            roots square squared squares triple""",
        "rule": "formula method rule rules test theorem",
        # forms in which something is written, behind "as": "leave your answer as a product"
        "written form": "integral product quotient",
        # say nothing in the name of what is asked for, too
        "plain": """all answer answers can do down final fully it marks non-zero nonzero only
            possible result simple simplest steps within work working you""",
        # names of methods and functions whose words would change a question elsewhere
        "name": """applied_twice by_first complete_integral complete_the_square
            completing_the_square denote_the_greatest_integer_less_than_or_equal_to
            denote_the_greatest_integer_not_exceeding
            denotes_the_greatest_integer_less_than_or_equal_to
            denotes_the_greatest_integer_not_exceeding first_principles
            general_integral greatest_integer_function inverse_cosecant
            inverse_cosine inverse_cotangent inverse_hyperbolic inverse_secant
            inverse_sine inverse_tangent inverse_trigonometric maximum_mark
            minus_infinity natural_logarithm natural_logarithms not_a_decimal
            not_a_decimal_approximation partial_fraction partial_fractions
            particular_integral parts_twice plus_a_constant
            plus_an_arbitrary_constant plus_particular_integral plus_the_constant
            rational_function real_constant real_constants real_line
            times_differentiable twice_differentiable without_using""",
        # say what is to be done where there is no answer, up to the end of the sentence
        "aside": """or_answer or_explain or_say or_show or_state or_write otherwise""",
        # say nothing of a number: parameters are positive, and variables are real
        "no kind": """all_real as_an_integer any_real every_real non-zero_solution
            non-zero_solutions nonzero_solution nonzero_solutions positive""",
        # ask for a limit in other words
        "goal": "to_what to_which",
        # ask of a differential equation for something else than a solution
        "no solution": "degree_of homogeneous_solution order_of",
        # what is asked of a power series
        "radius": "radius_of_convergence",
        "interval": "interval_of_convergence",
        "coefficient": "coefficient coefficients",
        "remainder": "error_term remainder",
        "polynomial": """approximation ascending_powers expand expanded expansion maclaurin
            maclaurin's polynomial power_series taylor taylor's""",
        # the kinds of convergence
        "kind": "absolute absolutely conditional conditionally",
        # announce another formula of a function
        "cases": "else elsewhere except otherwise unless",
        # behind them, a question describes what was named before
        "preposition": """as at by for from given if in into of on such that to using when where
            with""",
    }.items()
}


def _row(*roles: str) -> frozenset[str]:
    return frozenset().union(*(TABLE[role] for role in roles))


_COMMON: Final = _row("value", "form", "nothing")
#: The words that the readers of the kinds of questions understand.
EQUATION: Final = _COMMON | _row("convergence", "series", "function", "equation")
POWER_SERIES: Final = _COMMON | TABLE["power series"]
_ASKS: Final = _row("value", "form", "other")
#: Words that `conditions_of` understands, so that they stay in a text of conditions.
_OF_CONDITIONS: Final = frozenset("a and for if is let not or the where".split())

ORDINALS: Final = {
    word: order
    for order, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        1,
    )
}
#: A substitution that a question recommends, which is a method and no part of the question.
SUBSTITUTION: Final = re.compile(
    r"\b(?:substitution|substituting|setting)\s+(?:\$[^$]{1,80}\$|\\\(.{1,80}?\\\))"
)
#: A phrase or a word of prose, or a mark of punctuation.
_PHRASES: Final = "|".join(sorted(TABLE["name"] | TABLE["aside"], reverse=True))
_TOKEN: Final = re.compile(
    rf"\b(?i:{_PHRASES.replace(' ', chr(92) + 's+')})\b"
    "|[A-Za-z]+(?:['’–-]+[A-Za-z]+)*['’]?|[.?!:;,]"
)
#: Signs, digits and single letters: a formula that is not marked.
UNMARKED: Final = re.compile(r"[\\^_=<>+*/|{}0-9]|(?<![A-Za-z'’-])(?![aAI])[A-Za-z](?![A-Za-z'’-])")


#: What stands around a question: its number, titles, marks, and hints.
_TITLE: Final = re.compile(
    r"\\(?:emph|paragraph|textbf|textit|textsc|underline)\s*\{([^{}$]*)\}|\*\*"
)
_LAYOUT: Final = re.compile(
    r"\\(?:hfill|noindent|smallskip|medskip|bigskip|newline)(?![A-Za-z])"
    r"|\\(?:begin|end)\s*\{(?:exercise|problem|question|enumerate|itemize|center)\}"
)
_LABEL: Final = re.compile(
    r"\A\s*(?:\\item\s*(?:\[[^\]]*\])?"
    r"|(?i:Question|Problem|Exercise|Example|Q)\.?\s*\d{1,3}(?=\s)"
    r"|(?:Question|Problem|Exercise|Example|Input|Task|Q)\.?\s*\d{0,3}(?:\.\d{1,3})*\s*[.:)]"
    r"|\d{1,3}(?:\.\d{1,3})*\s*[.:)](?=\s)|\d{1,3}\s*(?=\((?:[a-h]|[ivx]{1,4})\))"
    r"|\((?:[a-h]|[ivx]{1,4}|\d{1,2})\)(?=\s))"
)
#: The label of a part of a question, behind a sentence; and the number of a theorem or an exercise.
_PART: Final = re.compile(
    r"(?<=[.;:$])\s*(?:\((?:[a-h]|[ivx]{1,4})\)\s+(?=[A-Z][a-z])|\d{1,3}[.)]\s+(?=[A-Z][a-z]|\$|\\[\[(]))"
)
_REFERENCE: Final = re.compile(
    r"\b(?i:Chapter|Equation|Examples?|Exercises?|Figure|Part|Problems?|Section|Theorem)\s+"
    r"\d[\d.]*(?:\s*[–-]+\s*\d+)?(?![\w.]*[+*/^=])"
)
_MARKS: Final = re.compile(
    r"(?:[(\[]\s*\d{1,2}\s*(?:marks?|points?|pts?\.?)\s*[)\]]|(?<=[.?!$\s])\s*[(\[]\d{1,2}[)\]])\s*\Z"
)
_HINT: Final = re.compile(
    r"\((?i:hint)\b(?:[^()]|\([^()]*\)){0,300}\)|\[(?i:hint)\b[^\[\]]{0,300}\]"
    r"|\b[Hh]int\s*:(?:\$[^$]*\$|[^.$]){0,300}(?:\.|\Z)"
)


def without_frame(text: str) -> str:
    r"""Remove what stands around a question: its number, its marks, and hints.

    >>> without_frame(r"**3.** (b) Find $\int x\,dx$. (Hint: it is easy.) [4 marks]").strip()
    'Find $\\int x\\,dx$.'

    """
    if len(text) > LONGEST:
        return text
    plain = _TITLE.sub(lambda match: match[1] or "", _LAYOUT.sub(" ", text))
    while (label := _LABEL.match(plain)) is not None:
        plain = plain[label.end() :]
    plain = _REFERENCE.sub(" ", _PART.sub(" ", plain))
    return _HINT.sub(" ", _MARKS.sub("", plain))


#: What is done with an answer afterwards.
DONE_WITH: Final = re.compile(
    r"\b(?:and|then)\s+(?:(?!is\b)\w+\s+){0,2}?(?:cube|double|invert|square|triple)\b"
    r"|\b(?:differentiate|integrate)\s+(?:it\s+)?again\b"
    r"|\b(?:cube|double|invert|negate|square|triple)\s+(?:it|that|this|your|the\s+(?:answer|result))\b",
    re.IGNORECASE,
)
#: Words with which a number in prose may belong to the question.
_COUNTS: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(TABLE['arithmetic']))}|initial\w*|orders?|power|terms?|when)\b|\d\s*(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)


def without_labels(question: str) -> str:
    r"""Remove numbers from the prose of a question in which all formulas are marked.

    A sentence keeps its numbers if one of its words may refer to them.

    >>> without_labels("PHYS 201, set 6. Find $x'$ to 3 decimals.")
    "PHYS  , set  . Find $x'$ to 3 decimals."

    """
    pieces, start = [], 0
    for formula in (*MARKED.finditer(question), None):
        prose = question[start : formula.start() if formula else len(question)]
        for sentence in re.split(r"(?<=[.?!;:]\s)", prose):
            pieces.append(
                sentence if _COUNTS.search(sentence) else re.sub(r"\d+(?:[.,]\d+)*", " ", sentence)
            )
        if formula:
            pieces.append(formula[0])
            start = formula.end()
    return "".join(pieces)


@cache
def _pattern(words: frozenset[str]) -> re.Pattern[str]:
    """A regular expression of words in prose. The letter a is a word only before another word."""
    patterns = [
        r"a(?=\s+[A-Za-z]{2})" if word == "a" else word.replace(" ", r"\s+")
        for word in sorted(words, reverse=True)
    ]
    return re.compile(rf"(?<![\\A-Za-z^_])(?i:{'|'.join(patterns)})(?![A-Za-z_^])")


def without_words(text: str, words: frozenset[str]) -> str:
    r"""Remove the words of an instruction from a text that may have formulas, too.

    >>> without_words(r"\text{Evaluate the sum } a", SUM).split()
    ['a']

    """
    return _pattern(words).sub(" ", PROSE.sub(r" \1 ", text))


def phrases(*roles: str) -> str:
    """A pattern of the words and the phrases of rows of `TABLE`."""
    joined = "|".join(sorted(_row(*roles), reverse=True)).replace(" ", r"\s+")
    return rf"\b(?:{joined})\b"


#: What is to be done where there is no answer: ..., or write DNE.
_ASIDE: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(TABLE['aside']))})\b[^.?!\ue012]*".replace(" ", r"\s+")
)


def without_asides(text: str) -> str:
    """Remove what a question says for the case that there is no answer."""
    return _ASIDE.sub(" ", text)


def says(text: str, role: str) -> bool:
    """Whether a text has a word of a row of `TABLE`."""
    return _pattern(TABLE[role]).search(text) is not None


def states_kind(words: str) -> bool:
    """Whether words state a kind of number that is not assumed anyway, such as "integer"."""
    return "not positive" in words or has_kind(without_words(words, _row("no kind", "name")))


def _tokens(prose: str) -> Iterator[str]:
    """Yield the words, the phrases and the punctuation of a text, without asides."""
    is_aside = False
    for token in _TOKEN.findall(prose):
        starts = " ".join(token.lower().split()) in TABLE["aside"]
        is_aside = starts or (is_aside and token not in (".", "?", "!"))
        if not is_aside:
            yield token


def _finished(text: str) -> str:
    """Raise an error if something is to be done with the answer."""
    if DONE_WITH.search(text):
        raise ProblemError(f"{text!r}: what is done with the answer?")
    return text


def without_prose(text: str, understood: frozenset[str]) -> str:
    r"""Remove the words from a question that do not change what is asked for.

    Most words are left out, such as words about a particle. Two groups of words cause an error if
    they are not in ``understood``. A word of the first group says what is asked for, such as "area"
    in "find the area of". The second group consists of the rows of choices and operations in
    `TABLE`. A word directly before a formula is not in the first group, because the word only
    describes the formula. An example is "speed" in "find the speed $x'$".

    Args:
        text: the question.
        understood: words in lower case that the caller can interpret. These words are kept.

    Returns:
        The formulas with delimiters, the words that are understood, and the punctuation. The text
        is returned unchanged if it has no formula, or a number outside of formulas that is no
        label, or if the words state a kind of number, such as "n is an integer".

    Raises:
        ProblemError: a word that is not understood may change the question.

    >>> without_prose("Find the speed $x'$ of a particle with $x=t^2$", frozenset(("of", "with")))
    "$x'$ of with $x=t^2$ ."

    """
    if len(text) > LONGEST:  # which the reader of the question refuses
        return text
    question = without_labels(with_marks(SUBSTITUTION.sub(" ", _finished(text))))
    formulas = list(MARKED.finditer(question))
    words = MARKED.sub(" ", question)
    if not formulas or UNMARKED.search(words) or states_kind(words):
        return text
    described: set[str] = set()  # words of the story, which may name what is asked for
    pieces: list[str] = []
    # words of the name of what is asked for, and of operations, that are not understood
    strange: list[str] = []
    operations: list[str] = []
    asks, begin, before, preposition = False, 0, "", ""
    for formula in (*formulas, None):
        prose = question[begin : formula.start() if formula else len(question)]
        for token in _tokens(prose if formula else f"{prose}."):
            word = " ".join(token.lower().split())
            parts = word.split("-")
            if not word[0].isalpha() or word in TABLE["preposition"]:
                if strange or operations:
                    raise ProblemError(f"{text!r}: what is {(strange or operations)[0]!r}?")
                asks, preposition = False, word
            elif preposition == "as" and word in TABLE["written form"]:
                pass
            elif word in _ASKS:
                named = {"solution", "solutions", "function", "curve"}.intersection(pieces)
                if (word == "what" and before in TABLE["preposition"] - {"to"}) or (
                    word == "which" and before == "for" and not named
                ):  # for what value of c
                    raise ProblemError(f"{text!r}: a value of a parameter is asked for")
                asks = True
            elif word in TABLE["rule"]:
                operations = []
            elif not understood.issuperset(parts):
                if not _row("choice", "arithmetic").isdisjoint(parts):
                    raise ProblemError(f"{text!r}: {token!r} may change the question")
                operations += [token] if not TABLE["operation"].isdisjoint(parts) else []
                is_strange = asks and word not in TABLE["plain"] | described
                strange += [token] if is_strange else []
                described |= set() if asks else {word}
            if not word[0].isalpha() or understood.issuperset(parts):
                pieces.append(token)
            before = word
        if formula:
            # What is asked for is the formula, which the words before describe.
            pieces.append(formula[0])
            strange, operations, asks, begin = [], [], False, formula.end()
    return " ".join(pieces)
