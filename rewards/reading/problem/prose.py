r"""Takes the prose of a question apart from its formulas, for all kinds of questions.

`TABLE` has words of instructions, by what they ask for or say. An underscore joins the words of a
phrase, which counts as one word.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from .conditions import has_kind
from .marks import LONGEST, PROSE

#: What asks for what, and what says nothing. A word may stand in several rows.
TABLE: Final = {
    role: frozenset(word.replace("_", " ") for word in words.split())
    for role, words in {
        # for the value, or the form, of what is named behind the word
        "value": "calculate compute evaluate find what work_out",
        "form": "determine enclose express give obtain provide put report return show state write",
        "nothing": """a an and answer closed consider does each exact exactly expression following
            for form formula given if in is it its let of or please problem question simplify so
            solve terms that the then this to total value where with your""",
        "convergence": """converge converges convergence convergent diverge diverges divergence
            divergent""",
        "power series": """and as by derive down expand expansion function generated get
            lagrange maclaurin on polynomial power powers series taylor term up""",
        # change a number: they may change any question
        "arithmetic": """added decreased degrees divided doubled halved increased maximum minimum
            multiplied plus raised rounded subtracted times tripled""",
        # name an operation: they change a question unless they describe the formula behind them,
        # or name a rule
        "operation": """absolute antiderivative approximation average cube cubed cubes decimal
            derivative derivatives differentiate directional double integral inverse inverses
            logarithm mean modulus normal orthogonal perpendicular product quotient reciprocal root
            roots square squared squares triple""",
        # say nothing in the name of what is asked for, too
        "plain": """all answer answers can do down final fully it marks non-zero nonzero only
            possible result simple simplest steps within work working you""",
        # names of methods and functions whose words would change a question elsewhere
        "name": """applied_twice by_first complete_integral complete_the_square
            completing_the_square denote_the_greatest_integer_less_than_or_equal_to
            denote_the_greatest_integer_not_exceeding
            denotes_the_greatest_integer_less_than_or_equal_to
            denotes_the_greatest_integer_not_exceeding differential_coefficient
            does_not_converge does_not_exist final_line first_principles
            general_integral greatest_integer_function grows_without_bound half-axis
            half-line if_not inverse_cosecant inverse_cosine inverse_cotangent
            inverse_hyperbolic inverse_secant inverse_sine inverse_tangent
            inverse_trigonometric last_line lowest_terms maximum_mark minus_infinity
            not_a_decimal not_a_decimal_approximation not_required or_not
            partial_fraction partial_fractions particular_integral parts_twice
            plus_a_constant plus_an_arbitrary_constant plus_particular_integral
            plus_the_constant rational_function real_constant real_constants real_line
            times_differentiable twice_differentiable two_arbitrary_constants""",
        # say what is to be done where there is no answer, up to the end of the sentence
        "aside": """or_answer or_explain or_say or_show or_state or_write otherwise""",
        # say nothing of a number: parameters are positive, and variables are real
        "no kind": """all_real as_an_integer any_real every_real what_real which_real
            non-zero_solution
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


#: The words that the reader of power series understands.
POWER_SERIES: Final = _row("value", "form", "nothing", "power series")
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
#: The number of a theorem or an exercise.
_REFERENCE: Final = re.compile(
    r"\b(?i:Chapter|Equation|Examples?|Exercises?|Figure|Part|Problems?|Section|Theorem)\s+"
    r"\d[\d.]*(?:\s*[–-]+\s*\d+)?(?![\w.]*[+*/^=])"
)
_MARKS: Final = re.compile(
    r"(?:[(\[](?:[Tt]otal(?:\s+(?:for|is|[Qq]uestion|\d+))*\s+)?\s*\d{1,2}\s*(?:marks?|points?|pts?\.?)\s*[)\]]|(?<=[.?!$\s])\s*[(\[]\d{1,2}[)\]])\s*\Z"
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
    plain = _REFERENCE.sub(" ", plain)
    return _HINT.sub(" ", _MARKS.sub("", plain))


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

    >>> without_words(r"\text{Evaluate the series } a", POWER_SERIES).split()
    ['a']

    """
    return _pattern(words).sub(" ", PROSE.sub(r" \1 ", text))


def phrases(*roles: str) -> str:
    """A pattern of the words and the phrases of rows of `TABLE`."""
    joined = "|".join(sorted(_row(*roles), reverse=True)).replace(" ", r"\s+")
    return rf"\b(?:{joined})\b"


#: What is to be done where there is no answer: ..., or write DNE.
_ASIDE: Final = re.compile(rf"{phrases('aside')}[^.?!\ue012]*")


def without_asides(text: str) -> str:
    """Remove what a question says for the case that there is no answer."""
    return _ASIDE.sub(" ", text)


def says(text: str, role: str) -> bool:
    """Whether a text has a word of a row of `TABLE`."""
    return _pattern(TABLE[role]).search(text) is not None


def states_kind(words: str) -> bool:
    """Whether words state a kind of number that is not assumed anyway, such as "integer"."""
    return "not positive" in words or has_kind(without_words(words, _row("no kind", "name")))
