r"""The clauses of a question of the course: ``Let y = x^x. Find \frac{dy}{dx} at x = 1.``

A question is a list of formulas between words, signs of punctuation and delimiters of formulas.
Words are those of a closed list, because another word may change the question.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ...errors import ProblemError
from .conditions import conditions_of
from .derivatives import LONGEST, pieces_of
from .layout import SPACE, marked_tables, restored_tables

#: What may stand beside the formulas of a question; a word that is missing makes it unreadable.
WORDS: Final = frozenset(
    """a about all an and any are around as assume at be bounded by calculate classify closed
    complete compute condition conditions consider constant converge converges coordinate
    curve defined denote denotes derivative derivatives determine differentiable differential
    differentiate differentiating does domain each equation equations evaluate every exact
    explicit explicitly express expression family fifth find first follow following for form
    formula fourth from function functions general give given has have homogeneous if implicit
    implicitly in initial integrate interval into is it its let limit limits linear mixed most
    nontrivial number obtain of on or order ordinary parameter parametric parametrically
    partial particular point points positive possible power problem real respect satisfied
    satisfies satisfy satisfying second separable series show simplify singular slope solution
    solutions solve solved subject such suppose system tangent term terms that the their then
    there third this to total trivial twice two under unknown value values variable variables
    we what when where whose with without write your""".split()
)
_TEXT: Final = re.compile(r"\\(?:text|textrm|textit|mbox|hbox|textbf)\s*\{([^{}]*)\}")
_DELIMITERS: Final = re.compile(r"\$+|\\[()\[\]]|\\\\|\\(?:begin|end)\s*\{[a-z]+\*?\}|&")
#: A sentence about parameters.
_ASSUMPTION: Final = re.compile(
    r"(?P<before>\A|[.\n]\s*)(?P<sentence>(?:Assume|Suppose|Let|Here)\s[^.\n]{1,200})(?:\.(?=\s|\Z)|(?=\n|\Z))"
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


class Clause(NamedTuple):
    """A formula of a question, and the words before it.

    Attributes:
        words: the words since the formula before, in lower case.
        formula: LaTeX.

    """

    words: tuple[str, ...]
    formula: str


def without_assumptions(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A question without the sentences that only say of which kind parameters are, and the kinds.

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
    r"""The formulas of a question with the words before each; the last may be words alone.

    Args:
        text: the question.

    Returns:
        The clauses in their order.

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
    plain = _TEXT.sub(r" ;\1; ", _SPACING.sub(" ", plain))
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
