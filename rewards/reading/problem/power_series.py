r"""Reads questions about power series: ``Taylor polynomial of degree 4 about x = 0 of \cos x``.

The reader removes one piece of the question after the other. The pieces are the quantity that is
asked for, the degree, the point and the function. The remaining words have to be in a closed list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, get_args

from ...errors import ProblemError
from ..expression.build import ZERO, neg
from ..expression.traversal import fold, symbols_of
from ..expression.tree import Expression, Number
from ..latex import ReadError, read, signed_infinity
from ..latex.tokens.roles import IS_VALUE
from .conditions import (
    RELATION,
    Conditions,
    Interval,
    comparisons_of,
    conditions_of,
    interval_of,
)
from .derivatives import LETTER, SYMBOL, normal
from .layout import REALS, pieces_of, readings_of
from .marks import DELIMITER, LONGEST, MARKED, PROSE, SPACING, refuse_long
from .parameters import parameter_faults
from .prose import (
    ORDINALS,
    POWER_SERIES,
    TABLE,
    says,
    without_frame,
    without_words,
)
from .question.integral import MAPPED
from .question.parts import NAMED, Target, taken_apart
from .question.surroundings import formula_of_question
from .sums import SumProblem, has_sum, read_sum

#: Largest degree of a polynomial, and order of a coefficient: one of 40 takes 0.1 s.
MAX_DEGREE: Final = 40
#: What is asked for.
Quantity = Literal["radius", "interval", "coefficient", "remainder", "polynomial", "series"]
#: The quantities that a word names (`prose.TABLE`), in the order in which the words decide.
QUANTITIES: Final[tuple[Quantity, ...]] = get_args(Quantity)[:-1]

#: Stands for a delimiter of a formula; no text has it by chance.
_MARK: Final = "\ue010"
_S: Final = rf"[\s{_MARK}]*"
_ORDINALS: Final = ORDINALS | {
    word: order
    for order, words in enumerate(
        ("zeroth constant", *"linear quadratic cubic quartic quintic".split())
    )
    for word in words.split()
}
#: A remainder at the end of a polynomial: O(x^5), o(x^4), R_4(x), dots.
_REMAINDER: Final = re.compile(
    r"\s*\+\s*(?:(?P<order>(?:\\mathcal\s*\{?\s*)?[oO]\s*\}?)\s*(?:\\left|\\bigl?)?\s*\(\s*(?P<power>.+?)"
    r"\s*(?:\\right|\\bigr?)?\)|R_\{?\d*\}?(?:\s*\([^()]*\))?|\\c?dots|\\ldots|\.\.\.|…)\s*\.?\s*\Z"
)
_POWER_OF: Final = re.compile(r"(?P<base>.+?)\s*(?:\^\s*\{?\s*(?P<exponent>\d+)\s*\}?)?\s*")
_POWER: Final = r"(?P<power>\(?\s*[A-Za-z](?:\s*[+-]\s*[^()^]+\))?\s*(?:\^\s*(?:\{[^{}]*\}|\w))?)"
_END: Final = (
    rf"(?=\s*(?:[,;.?{_MARK}]|\Z|(?<![\\A-Za-z])(?:of|for|to|up|with|in|and|is|where|if)\b))"
)
_COEFFICIENT: Final = re.compile(
    rf"coefficient\s+of{_S}(?:the\s+term\s+)?{_POWER}{_S}(?:term\s+)?in\b", re.IGNORECASE
)
#: Pieces of a question by what they say; each is taken out of the text where it occurs first.
_DEGREES: Final = (
    re.compile(
        rf"(?:(?:after|through)\s+)?(?:degree|order){_S}(?:[nN]\s*=\s*|at\s+most\s+)?(?P<degree>\d+)"
        rf"(?:{_S}\({_S}[a-z]\s*\^\s*\{{?\d+\}}?{_S}\))?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?P<degree>\d+)\s*(?:\^?\{{?\s*(?:\\text\s*\{{)?(?:st|nd|rd|th)\}}?\}}?){_S}"
        r"-?\s*(?:degree|order)?",
        re.IGNORECASE,
    ),
    re.compile(rf"(?P<word>{'|'.join(_ORDINALS)})(?:[- ](?:degree|order))?(?=\s)", re.IGNORECASE),
    re.compile(
        rf"(?:to|through|including|as\s+far\s+as)\s+(?:the\s+)?(?:terms?\s+)?(?:in\s+|of\s+)?{_S}"
        r"(?:\(?[a-z](?:\s*[+-]\s*\w+\))?)\s*\^\s*\{?(?P<degree>\d+)\}?",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:to|error){_S}O\s*\(\s*[a-z]\s*\^\s*\{{?(?P<beyond>\d+)\}}?\s*\)"),
    re.compile(r"[TPR]_\{?(?P<degree>\d+)\}?(?:\s*\([a-z]\))?"),
)
_COUNTS: Final = {
    word: value
    for value, word in enumerate("two three four five six seven eight nine ten".split(), 2)
}
_TERMS: Final = re.compile(
    rf"(?:the\s+)?first\s+(?P<terms>\d+|{'|'.join(_COUNTS)})\s+non-?\s*zero\s+terms"
    r"(?:\s*\(not[^()]*\))?(?:\s+(?:of|in))?",
    re.IGNORECASE,
)
_CENTRES: Final = (
    re.compile(
        rf"(?:,\s*)?(?<![\\A-Za-z])(?:(?:expanded\s+|cent(?:ered|red)\s+)?(?:about|around|near|at)|with\s+cent(?:er|re))"
        rf"\s+(?:the\s+)?(?:point\s+|cent(?:er|re)\s+)?{_S}"
        rf"(?:(?P<variable>[a-z])(?:_\{{?0\}}?)?\s*=\s*)?(?P<centre>[^,;?{_MARK}]+?){_END}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"in\s+(?:(?:ascending\s+)?powers\s+)?of{_S}\(?\s*(?P<variable>[a-z])\s*"
        rf"(?:(?P<sign>[+-])\s*(?P<centre>[^(){_MARK}]+?))?\s*\)?(?=[\s,.;{_MARK}]|\Z)",
        re.IGNORECASE,
    ),
)
#: A power series in $x$, which has powers of x.
_IN_VARIABLE: Final = re.compile(r"\bseries\s+in\s+[^\w\s]{0,2}[a-z]\b")
#: Words for a polynomial, whose degree a question has to state.
_OF_DEGREE: Final = re.compile(
    r"\b(?:approximat\w+|polynomials?|order|(?<!general )terms?)\b", re.IGNORECASE
)
#: A sentence that asks for the values of the variable for which a series converges.
_CONVERGES_FOR: Final = re.compile(
    r"\b(?:for|at)\s+(?:\w+\s+)?(?:what|which)\b.*\bconverges?\b(?!\s+to\b)"
    r"|\ball\b.*\b(?:for\s+which|such\s+that)\b.*\bconverges\b(?!\s+to\b)",
    re.IGNORECASE,
)
#: Words with which an interval is not that of convergence.
_OTHER_INTERVAL: Final = re.compile(
    r"\b(?:absolute(?:ly)?|conditional(?:ly)?|closed|derived|differentiat\w+|except|excluding|integrat\w+|not"
    r"|end-?points?|interior|largest|length|mid-?point|open|smallest|uniform(?:ly)?|without)\b",
    re.IGNORECASE,
)
#: Formulas beside the function that is expanded: names, T_3(x), powers, points, intervals.
_BESIDE_EXPANSION: Final = re.compile(
    r"(?:[A-Za-z](?:_\{?\w+\}?)?(?:\s*\([a-z]\))?|\\Sigma|\(\s*[a-z]\s*[-+]\s*[\w./]+\s*\)|\(?\s*[a-z](?:\s*[-+]\s*[\w./]+)?\s*\)?\s*\^\s*\{?\w+\}?"
    r"|[a-z](?:_0)?\s*=\s*[-\w./\\{}]+|[-\d./]+|[(\[].*,.*[)\]])"
)
#: What a question calls the expansion of a function, or a part of it.
_EXPANSIONS: Final = tuple(
    "coefficient expansion polynomial representation series term terms".split()
)
#: What may stand before an interval: ``x \in``, ``I =``.
_SUBJECT: Final = re.compile(r"\A\s*[A-Za-z]\s*(?:\\in(?![A-Za-z])|∈|=)\s*")
#: A set of one number.
_POINT: Final = re.compile(r"(?:\\left)?\\\{([^{},<>]+)(?:\\right)?\\\}")


@dataclass(frozen=True, slots=True)
class SeriesQuestion:
    r"""A question about a power series.

    Attributes:
        wanted: a Taylor polynomial or series, a coefficient, a remainder, or the radius or the
            interval of convergence.
        function: the expanded function. 0 in a question for the convergence.
        variable: the variable of the series.
        centre: the centre of the expansion.
        degree: the degree of the polynomial, or the exponent of the power whose coefficient is
            asked for. For the coefficient of x^n with a symbol n, the degree is a formula in n.
        terms: the number of nonzero terms, if the question states the number instead of a degree;
            else 0.
        series: the series whose convergence is asked for, in every reading of the notation.
        conditions: the conditions on the parameters.

    >>> read_series(r"Taylor polynomial of degree 2 about $x=0$ of $\cos x$").degree
    Number(numerator=2, denominator=1)

    """

    wanted: Quantity
    function: Expression
    variable: str
    centre: Expression = ZERO
    degree: Expression = ZERO
    terms: int = 0
    series: tuple[SumProblem, ...] = ()
    conditions: Conditions = field(default_factory=Conditions)

    @property
    def assumptions(self) -> dict[str, str]:
        """The assumptions on the parameters."""
        return dict(self.conditions.assumptions)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The possible symbols of an answer."""
        if self.series:
            names = set(self.series[0].parameters) - {self.variable}
        else:
            names = symbols_of(self.function) | symbols_of(self.centre) | symbols_of(self.degree)
            names = (
                names | {self.variable}
                if self.wanted in ("polynomial", "remainder", "series")
                else (names - {self.variable})
            )
        return tuple(sorted(names))


def _asks_where(text: str) -> bool:
    """Whether a question asks for the values of the variable for which a series converges."""
    if len(text) > LONGEST or "onverge" not in text:
        return False
    sentences = re.split(r"[.?!;]\s|\n", MARKED.sub(" ", text))
    return any(map(_CONVERGES_FOR.search, sentences))


def asks_of_series(text: str) -> bool:
    """Whether a text asks about a power series, rather than for the value of a sum."""
    if _asks_where(text) or any(map(partial(says, text), ("radius", "interval"))):
        return True
    quantities = ("coefficient", "remainder", "polynomial")
    return not has_sum(text) and any(map(partial(says, text), quantities))


def read_series(text: str) -> SeriesQuestion:
    r"""Read a question about a power series.

    Args:
        text: the question, with formulas in LaTeX.

    Returns:
        The requested quantity, the function, the point and the degree.

    Raises:
        ProblemError: the requested quantity is not clear, or a formula is missing or
            unreadable.

    Example:
        >>> read_series(r"Find the coefficient of $x^5$ in the Maclaurin series of $\sin x$").wanted
        'coefficient'

    """
    refuse_long(text)
    plain = SPACING.sub(" ", PROSE.sub(r" \1 ", without_frame(text)))
    plain = DELIMITER.sub(f" {_MARK} ", plain).strip()
    power = _COEFFICIENT.search(plain)
    if power is not None:
        plain = f"{plain[: power.start()]} {plain[power.end() :]}"
    for quantity in QUANTITIES:
        if quantity == "coefficient" and says(plain, quantity):
            raise ProblemError(f"{text!r}: the coefficient of which power?")
        if says(plain, quantity) or (power is not None and quantity == "coefficient"):
            remainder = without_words(plain, TABLE[quantity])
            if quantity in ("radius", "interval"):
                return _convergence(quantity, plain, text)
            return _expansion(quantity, remainder, text, power and power["power"])
    if _asks_where(text):
        return _convergence("interval", plain, text)
    raise ProblemError(f"{text!r}: what is asked for is not clear")


def _convergence(quantity: Quantity, plain: str, text: str) -> SeriesQuestion:
    match = _OTHER_INTERVAL.search(" ".join(plain.split(_MARK)[::2]))
    if quantity == "interval" and match:
        raise ProblemError(f"{text!r}: {match[0]!r} may mean another interval")
    series = read_sum(text, quantity)
    names = [name for name in series[0].parameters if name in symbols_of(series[0].term)]
    usual = [name for name in ("x", "z", "t") if name in names] or names
    is_named = quantity == "radius" or says(plain, "interval")
    if not usual or (usual is names and not (is_named and len(names) == 1)):
        raise ProblemError(f"{text!r}: the variable of the series is not clear")
    return SeriesQuestion(quantity, ZERO, usual[0], series=series, conditions=series[0].conditions)


def _expansion(quantity: Quantity, remainder: str, text: str, power: str | None) -> SeriesQuestion:
    is_maclaurin = re.search(r"Maclaurin", text, re.IGNORECASE) is not None
    count, remainder = _taken((_TERMS,), remainder)
    degree, remainder = (
        (None, remainder) if power is not None or count else _taken(_DEGREES, remainder)
    )
    centre, remainder = _taken(_CENTRES, remainder)
    around, body = _formula(remainder)
    conditions = conditions_of(around) if around else Conditions()
    if conditions is None:
        expanded = _among_words(text)
        if expanded is None:
            raise ProblemError(f"{text!r}: {around[:60]!r} is not understood")
        body, conditions = expanded
    named = MAPPED.match(body)
    if named is None and (named := NAMED.match(body)) and not re.fullmatch(LETTER, named["name"]):
        raise ProblemError(f"{text!r}: {named['name']} is unreadable as a name")  # \sin(x) = g
    body = body[named.end() :].strip() if named else body
    centre_groups = centre.groupdict() if centre else {}
    variable = centre_groups.get("variable") or (named["variable"] if named else None)
    at, in_power = _centre_of(centre_groups, text), None
    if power is not None:
        variable, in_power, order = _power(power, text)
        if in_power is not None:
            at = in_power
    elif count is not None:
        order = ZERO
    elif degree is None and quantity == "polynomial" and not _OF_DEGREE.search(text):
        quantity, order = "series", ZERO
    elif degree is None:
        raise ProblemError(f"{text!r}: the degree is missing")
    else:
        order = _degree(degree)
    # "up to the term in x^5": the powers are those of x
    of_variable = degree is not None and re.search(r"[a-z][^-+]*\^", degree[0]) is not None
    of_variable = of_variable or _IN_VARIABLE.search(text) is not None
    is_at_zero = is_maclaurin or of_variable or quantity == "coefficient"
    if centre is None and in_power is None and not is_at_zero:
        raise ProblemError(f"{text!r}: the point of the expansion is missing")
    function = _read(body, text, variable or "x")
    if power is None and variable not in (None, *symbols_of(function)):
        variable = None  # the letter of "about a = 1" is that of the point
    if variable is None:
        names = symbols_of(function)
        variable = next(iter(names)) if len(names) == 1 else "x"
    suspects = symbols_of(function) - {variable}
    faults = parameter_faults(body, suspects, variable, False)
    if faults:
        raise ProblemError(f"{text!r}: {next(iter(faults.values()))}")
    terms = 0 if count is None else _COUNTS.get(count["terms"].lower()) or int(count["terms"][:3])
    return SeriesQuestion(quantity, function, variable, at, order, terms, (), conditions)


def _among_words(text: str) -> tuple[str, Conditions] | None:
    """The expanded function in a question of many words, and the conditions.

    Other formulas are names, powers, points, domains and hints. The result is None if it is not
    clear which formula is the function.

    Raises:
        ProblemError: a word or a formula may change the question.

    """
    question_parts = taken_apart(text)
    if question_parts is None:
        return None
    formulas = question_parts[1]
    bodies = {
        at: formula[mapped.end() :] if (mapped := MAPPED.match(formula)) else formula
        for at, formula in enumerate(formulas)
        if not _BESIDE_EXPANSION.fullmatch(formula) and conditions_of(formula) is None
    }
    if len(bodies) > 1:  # a hint beside the function
        bodies = {
            at: body
            for at, body in bodies.items()
            if not RELATION.search(body) or NAMED.match(body)
        }
    if len(bodies) != 1:
        return None
    ((at, body),) = bodies.items()
    letters = {letter for letter in SYMBOL.findall(body) if len(letter) == 1}
    variable = letters.pop() if len(letters) == 1 else "x"
    target = Target(
        body,
        frozenset((at,)),
        body,
        variable,
        is_bound=True,
        has_sign=False,
        nouns=_EXPANSIONS,
        kind="expansion",
    )
    return formula_of_question(question_parts, target)


def _taken(patterns: Iterable[re.Pattern[str]], text: str) -> tuple[re.Match[str] | None, str]:
    """Find the first match of the patterns. Return the match, and the text without the match."""
    for pattern in patterns:
        match = pattern.search(text)
        if match is not None:
            return match, f"{text[: match.start()]} {text[match.end() :]}"
    return None, text


def _formula(remainder: str) -> tuple[str, str]:
    """Split a text into the formula and the words around the formula. Return the words first.

    The words of `POWER_SERIES` are left out.
    """
    words = (without_words(piece, POWER_SERIES).split() for piece in remainder.split(_MARK))
    plain = [" ".join(word_list).strip(" .,:;?") for word_list in words]
    full = [at for at, piece in enumerate(plain) if piece]
    if not full:
        return "", ""
    # the formula is the last piece that is not a condition: "f(x) = (1 + x)^a, a > 0"
    names = [at for at in full if not re.fullmatch(r"[a-zA-Z]\s*\(\s*[a-z]\s*\)", plain[at])]
    formula = names[0] if names else full[0]
    around = ", ".join(plain[at] for at in full if at != formula and at in names)
    return around, plain[formula]


def _centre_of(groups: dict[str, str | None], text: str) -> Expression:
    value = groups.get("centre")
    if not value:
        return ZERO
    centre = _read(value.strip(), text, "")
    return neg(centre) if groups.get("sign") == "+" else centre


def _power(power: str, text: str) -> tuple[str, Expression | None, Expression]:
    """Read a power such as (x - 1)^3. Return the variable, the centre and the exponent.

    The centre is None if the base is only the variable.
    """
    base, _, exponent = power.partition("^")
    base = base.strip()
    order = _read(exponent.strip() or "1", text, "")
    shifted = re.fullmatch(r"\(\s*([A-Za-z])\s*([+-])\s*(.+)\)", base)
    if shifted is None:
        return base.strip("() "), None, order
    centre = _read(f"{'-' if shifted[2] == '+' else ''}({shifted[3]})", text, "")
    return shifted[1], centre, order


def _degree(match: re.Match[str]) -> Expression:
    groups = match.groupdict()
    if groups.get("word"):
        return Number(_ORDINALS[groups["word"].lower()])
    if groups.get("beyond"):
        return Number(int(groups["beyond"]) - 1)
    return Number(int(groups["degree"][:4]))


def _read(formula: str, text: str, variable: str) -> Expression:
    return readings_of(formula, text, *filter(None, (variable,)))[0].expression


def without_remainder(text: str, question: SeriesQuestion) -> tuple[str, int]:
    r"""Remove a remainder such as O(x^5), and return the degree up to which terms are compared.

    Args:
        text: the answer.
        question: the question.

    Returns:
        The polynomial, and the degree up to which the terms have to be right. If the answer has no
        remainder, the degree is the question's degree. If a remainder begins above the question's
        degree, all terms below the remainder have to be right. If the remainder covers terms that
        the question asks for, the degree is -1.

    """
    degree = int(fold(question.degree) or 0)
    match = _REMAINDER.search(text) if question.wanted == "polynomial" else None
    if match is None:
        return text, degree
    before_remainder = text[: match.start()]
    if match["order"] is None:
        return before_remainder, degree
    stated = _POWER_OF.fullmatch(match["power"])
    exponent = int(stated["exponent"] or 1) if stated else 0
    small = "o" in match["order"].replace("mathcal", "").replace("\\", "")
    through = min(exponent if small else exponent - 1, MAX_DEGREE)
    return before_remainder, through if through >= degree else -1


def read_interval(text: str, name: str) -> Interval | None:
    r"""Read an interval in brackets, as an inequality, or as a set of all numbers.

    The ends are numbers or infinite. The result is None for another text.

    >>> read_interval(r"-1 \le x < 1", "x").closed
    (True, False)
    >>> read_interval(r"(-\infty, 2]", "x").closed
    (False, True)
    """
    plain = _SUBJECT.sub("", normal(text).strip(" .$"))
    if (reals := REALS.fullmatch(plain)) is not None and not reals["sign"]:
        return Interval((None, None))
    if (point := _POINT.fullmatch(plain)) is not None:
        return read_interval(f"[{point[1]},{point[1]}]", name)
    if plain[:1] not in ("(", "[") or plain[-1:] not in (")", "]"):
        interval = interval_of(comparisons_of(plain), name)
        if interval is None or any(end is None or symbols_of(end) for end in interval.ends):
            return None
        return interval
    texts = list(pieces_of(plain[1:-1], ","))
    if len(texts) != 2:
        return None
    ends: list[Expression | None] = []
    closed = (plain[0] == "[", plain[-1] == "]")
    for end, is_closed, direction in zip(texts, closed, (-1, 1), strict=True):
        infinity = signed_infinity(end)
        if infinity is not None:
            if infinity != direction or is_closed:
                return None
            ends.append(None)
            continue
        try:
            value = read(end, symbols=(IS_VALUE,))[0].expression
        except ReadError:
            return None
        if symbols_of(value):
            return None
        ends.append(value)
    return Interval((ends[0], ends[1]), closed)
