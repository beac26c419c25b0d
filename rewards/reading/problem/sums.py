r"""Reads sums in textbook notation: ``\displaystyle\sum\limits_{n=1}^{\infty} \frac{1}{n^2}``."""

from __future__ import annotations

import re
from itertools import chain
from typing import Final, NamedTuple

from ...errors import ProblemError
from ..expression.build import ONE, ZERO, add, mul, neg, number, power
from ..expression.derivative import differentiate
from ..expression.general_term import are_equal, finite_term, first_index, general_term
from ..expression.traversal import substitute, symbols_of
from ..expression.tree import Call, Expression, Number, Symbol
from ..latex import ReadError, read
from ..latex.tokens.roles import IN_PROBLEM
from . import prose
from .conditions import INDEX_LETTERS, Conditions, behind
from .integral import Limit, limit_of
from .layout import (
    ENDS,
    cut_tail,
    limits_of,
    marked_tables,
    only_reading,
    pieces_of,
    quotient_of,
    readings_of,
    restored_tables,
    unbraced,
)
from .marks import DELIMITER, MARKED, refuse_long
from .parameters import parameter_faults
from .question.sums import DOTS, PLAIN_SIGN, PRODUCT, SIGN, recurring_decimal, sum_question

_OPEN_CASE: Final = re.compile(
    r"\\\\\s*\\sum(?![A-Za-z])[^&]*&\s*\\text\s*\{\s*otherwise\s*\}\s*(?=\\end\s*\{cases\})"
)
_NAMED: Final = re.compile(r"\A[A-Za-z](?:_\{?\w+\}?)?\s*(?:\([^()]*\))?\s*:?=(?!=)")
#: Words of a question that does not only ask whether a series converges.
_ASKS_VALUE: Final = prose.TABLE["value"] | {"exact", "limit", "sum", "total", "value", "values"}
#: A product with a sum in parentheses.
_PRODUCT: Final = re.compile(
    r"([^()]*?)(?:\\left|\\[bB]igg?l?)?[(\[]([^\[\]]*?)(?:\\right|\\[bB]igg?r?)?[)\]]\s*"
)
#: What a question names if the answer says which kind of convergence a series has.
_CONVERGENCE_STEMS: Final = ("absolute", "conditional", "diverge")
#: Words, equations and functions, which are no terms of a series with dots.
_NO_TERMS: Final = re.compile(r"(?<![\\A-Za-z])(?:[A-Za-z]{3,}|[fghFG]\s*(?:\\left)?\()|=")
#: Stands for the sum in the formula before its sign.
_SUM: Final = "xi"
_INDEX: Final = r"(?P<index>[A-Za-z]|\\[a-z]+)"
_GREATER: Final = r"(?:\\geq?(?:slant)?(?![A-Za-z])|≥|>=)"
_LESS: Final = r"(?:\\leq?(?:slant)?(?![A-Za-z])|≤|<=)"
#: What stands below a sum sign, by how the index and its ends are written.
_RANGES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_INDEX}\s*=\s*(?P<lower>.+)",
        rf"{_INDEX}\s*{_GREATER}\s*(?P<lower>.+)",
        rf"(?P<lower>[^<>≤≥]+?)\s*{_LESS}\s*{_INDEX}\s*{_LESS}\s*(?P<upper>[^<>≤≥]+)",
        rf"{_INDEX}\s*(?:\\in(?![A-Za-z])|∈)\s*\\?(?:mathbb)?\s*\{{?\s*(?P<set>[NZℕℤ])\}}?"
        r"(?P<marks>(?:\s*[_^]\s*(?:\{[^{}]*\}|[\w+*]))*)",
        rf"(?P<open>){_INDEX}",
    )
)


class SumProblem(NamedTuple):
    r"""One reading of a problem: a factor times the sum of a term over an index, plus an addend.

    Attributes:
        term: the summand.
        counter: the name of the index.
        lower: the least value of the index as a tree, or the integer -1 for minus infinity.
        upper: the greatest value of the index as a tree, or the integer 1 for infinity.
        factor: the factor before the sum sign.
        outside: the addend outside of the sum.
        conditions: the conditions on the parameters.
        flags: the names of the conventions of the reading.
        asks_convergence: whether the question only asks if the series converges.
        asks_kind: whether the question asks if the series converges absolutely, converges
            conditionally, or diverges.

    >>> read_sum(r"\sum_{n\ge 1} 2^{-n}")[0].upper
    1

    """

    term: Expression
    counter: str
    lower: Limit
    upper: Limit
    factor: Expression = ONE
    outside: Expression = ZERO
    conditions: Conditions = Conditions()
    flags: tuple[str, ...] = ()
    asks_convergence: bool = False
    asks_kind: bool = False

    @property
    def limits(self) -> list[Expression]:
        """The finite limits: the lower and the upper limit, if finite."""
        return [limit for limit in (self.lower, self.upper) if not isinstance(limit, int)]

    @property
    def is_infinite(self) -> bool:
        """Whether the lower or the upper limit is infinite."""
        return len(self.limits) < 2

    @property
    def is_series(self) -> bool:
        """Whether the sum runs from a finite limit to plus infinity."""
        return self.upper == 1 and not isinstance(self.lower, int)

    @property
    def whole_parameters(self) -> list[str]:
        """The symbols in the limits of summation, sorted."""
        return sorted(set().union(*map(symbols_of, self.limits)))

    @property
    def assumptions(self) -> dict[str, str]:
        """The assumptions on the parameters. By default, symbols in limits are integers."""
        return dict.fromkeys(self.whole_parameters, "integer") | dict(self.conditions.assumptions)

    @property
    def parameters(self) -> tuple[str, ...]:
        """All symbols except the index, sorted."""
        trees = (self.term, self.factor, self.outside, *self.limits)
        return tuple(sorted(set().union(*map(symbols_of, trees)) - {self.counter}))


def of_reversed_range(problem: SumProblem) -> SumProblem:
    r"""Rewrite a sum whose upper limit is below its lower limit, by Karr's convention.

    By the convention, \sum_{a}^{b} + \sum_{b+1}^{c} = \sum_{a}^{c} for all limits (Karr,
    *Summation in Finite Terms*, Journal of the ACM 28, 1981). If b < a, then \sum_{a}^{b} is
    therefore minus the sum from b + 1 to a - 1. Both limits must be finite.
    """
    low, high = problem.limits
    lower, upper = add(high, ONE), add(low, Number(-1))
    flags = (*problem.flags, "sum:reversed range")
    return problem._replace(lower=lower, upper=upper, factor=neg(problem.factor), flags=flags)


#: Kronecker's delta of two letters.
_KRONECKER: Final = re.compile(r"delta_\{?([A-Za-z]|\d)[ ,]*([A-Za-z]|\d)\}?")


def read_sum(text: str, quantity: str = "sum") -> tuple[SumProblem, ...]:
    r"""Read a sum.

    Args:
        text: LaTeX with a sum sign. Words of an instruction may surround the formula.
        quantity: the requested quantity, as for `sum_question`.

    Returns:
        The sum in every reading that the notation allows, the likeliest first.

    Raises:
        ProblemError: the text is unreadable, or does not have exactly one sum sign. The same error
            is raised if an index or a limit is missing, or a letter is neither the index nor a
            parameter.

    Example:
        >>> read_sum(r"Find $\sum_{k=1}^{n} k$.")[0].parameters
        ('n',)

    """
    refuse_long(text)
    text = PLAIN_SIGN.sub(r"\\sum", text)
    decimal = _recurring_decimal(text)
    if decimal is not None:
        return (decimal,)
    formula, stated = sum_question(text, quantity) or (text, Conditions())
    asks_convergence = _asks_convergence(text)
    asks_kind = asks_convergence and _asks_kind(text)
    if prose.says(text, "kind") and not asks_kind:
        raise ProblemError(f"{text!r}: 'absolutely' or 'conditionally' may change the question")
    return tuple(
        problem._replace(
            conditions=problem.conditions.also(stated),
            asks_convergence=asks_convergence,
            asks_kind=asks_kind,
        )
        for problem in _checked(_read_formula(formula), text)
    )


def read_product(text: str) -> tuple[SumProblem, ...]:
    r"""Read a product. The result is the sum with the same term, index and limits.

    The factor of the result stands before the product, and the addend behind the product.

    Raises:
        ProblemError: as for `read_sum`.

    >>> read_product(r"Evaluate $2\prod_{k=2}^{n} \frac{k-1}{k}$.")[0].factor
    Number(numerator=2, denominator=1)

    """
    refuse_long(text)
    formula, stated = sum_question(text, "product") or (text, Conditions())
    if SIGN.search(formula) or _asks_convergence(text):
        raise ProblemError(f"{text!r}: the value of one product is expected")
    problems = _checked(_read_formula(PRODUCT.sub(r"\\sum", formula)), text)
    return tuple(
        problem._replace(conditions=problem.conditions.also(stated)) for problem in problems
    )


def _checked(problems: tuple[SumProblem, ...], text: str) -> tuple[SumProblem, ...]:
    """Raise an error if the limit of a sum is asked for, not the sum."""
    is_partial = any(
        not isinstance(problem.upper, int) and symbols_of(problem.upper) for problem in problems
    )
    if "limit" in _words(text) and (is_partial or {"term", "terms"} & _words(text)):
        raise ProblemError(f"{text!r}: the limit of a sum is asked for, not the sum")
    return problems


def _asks_kind(text: str) -> bool:
    """Whether a question asks if a series converges absolutely, conditionally, or not."""
    return all(any(word.startswith(stem) for word in _words(text)) for stem in _CONVERGENCE_STEMS)


def _read_formula(text: str) -> tuple[SumProblem, ...]:
    """Read a formula with a sum sign or with dots, perhaps with conditions behind the term."""
    formula, tables = marked_tables(DELIMITER.sub(" ", text))
    sign = SIGN.search(formula)
    if sign is None and DOTS.search(text):
        return (_with_dots(text),)
    if sign is None:
        raise ProblemError(f"{text!r} has no sum sign")
    marks, body = limits_of(formula[sign.end() :])
    body = restored_tables(body, tables)
    if SIGN.search(body):
        raise ProblemError(f"{text!r} has more than one sum")
    index, lower, upper = _range(marks, text)
    factor, addend_before = _before_sign(formula[: sign.start()], text, index)
    failure: ProblemError | None = None
    for inner, stated in chain([(body, Conditions())], behind(body)):
        try:
            readings = _terms(cut_tail(inner), index, text, stated)
        except ProblemError as error:
            failure = failure or error
            continue
        return tuple(
            _without_delta(
                SumProblem(term, index, lower, upper, factor, add(addend_before, addend), stated)
            )
            for term, addend in readings
        )
    raise failure or ProblemError(f"unreadable sum {text!r}")


def sum_with_dots(body: str) -> SumProblem:
    r"""Read a multiple of a finite sum with dots: ``\frac{1 + 2 + \cdots + n}{n^2}``.

    Raises:
        ProblemError: the general term is not clear, or the text has more than a multiple of a sum.

    """
    factor, inner = "1", cut_tail(body)
    quotient = quotient_of(inner)
    if quotient is not None and DOTS.search(quotient[0]) and not quotient[2]:
        factor, inner = rf"\frac{{1}}{quotient[1]}", quotient[0]
    if (product := _PRODUCT.fullmatch(inner)) is not None and not DOTS.search(product[1]):
        factor, inner = f"{factor} {product[1]}", product[2]
    problem = _with_dots(inner)
    factor_tree, addend = _before_sign(factor, body, problem.counter)
    return problem._replace(factor=factor_tree, outside=addend)


def _recurring_decimal(text: str) -> SumProblem | None:
    """The geometric series of a recurring decimal, from a question for a fraction."""
    decimal = recurring_decimal(text)
    if decimal is None:
        return None
    term = mul(number(decimal.period), power(number(10**decimal.digits), neg(Symbol("k"))))
    return SumProblem(term, "k", ONE, 1, outside=number(decimal.preperiod))


def _with_dots(text: str) -> SumProblem:
    r"""Read a series with dots: ``1 + \frac{1}{4} + \frac{1}{9} + \cdots``.

    Behind the dots, the text may state the general term, or the last term of a finite sum.
    """
    formula = _NAMED.sub("", cut_tail(DELIMITER.sub(" ", text)).strip(" :"))
    if _NO_TERMS.search(formula):
        raise ProblemError(f"{text!r}: a series with dots, and something else")
    terms, shape = _written_terms(formula, text)
    names = set().union(*map(symbols_of, terms))
    index = next(name for name in (*"nkjm", "index") if name not in names)
    term, lower = None, ZERO
    upper: Limit = 1
    if re.fullmatch(r"t+\.", shape):
        term = general_term(terms, index)
    elif re.fullmatch(r"t+\.t\.?", shape):
        *first_terms, last_term = terms
        # The last term may be the general term itself, as in 1 + 2 + ... + n, a number of the
        # series, or a term whose index depends on n.
        own = [name for name in INDEX_LETTERS if name in symbols_of(last_term)]
        start = first_index(last_term, own[0], first_terms) if len(own) == 1 else None
        if start is not None and own[0] not in set().union(*map(symbols_of, first_terms)):
            term, lower = substitute(last_term, own[0], Symbol(index)), Number(start)
            upper = 1 if shape.endswith(".") else Symbol(own[0])
        elif (
            not own
            and shape.endswith("t")
            and (term_and_end := finite_term(first_terms, last_term, index))
        ):
            term, upper = term_and_end[0], Number(term_and_end[1])
        elif len(own) == 1 and shape.endswith("t"):
            # 1/(n + 1) + 1/(n + 2) + 1/(n + 3) + ... + 1/(2n), with the indices 1, ..., n
            inferred = general_term(first_terms, index, 2)
            shifted = substitute(inferred or last_term, index, add(Symbol(index), Number(-1)))
            for shift in (-1, 0, 1) if index in symbols_of(shifted) else ():
                end = add(Symbol(own[0]), Number(shift))
                if are_equal(substitute(shifted, index, end), last_term):
                    term, lower, upper = shifted, ONE, end
    if term is None:
        raise ProblemError(f"{text!r}: the general term of the series is not stated, and not clear")
    return SumProblem(mul(term), index, lower, upper)


def _written_terms(formula: str, text: str) -> tuple[list[Expression], str]:
    """The terms of a series, and its shape, in which ``t`` denotes a term and a point the dots.

    Each term is a product of the number 1 or -1, which is the sign, and an expression.
    """
    terms: list[Expression] = []
    shape, at = "", 0
    for piece in pieces_of(formula, "+-"):
        sign = Number(-1 if formula[max(at - 1, 0) : at] == "-" else 1)
        at += len(piece) + 1
        written = ENDS.sub("", piece).strip()
        shape += "." if DOTS.fullmatch(written) else "t" * bool(written)
        if written and shape.endswith("t"):
            terms.append(Call("mul", (sign, only_reading(written, text))))
    return terms, shape


def _without_delta(problem: SumProblem) -> SumProblem:
    r"""Replace a sum by one term if its summand has the factor \delta_{m n} and m is the index.

    Only the term for m = n is nonzero. If n is not between the limits, the sum is 0. The result may
    therefore have two cases. A sum without such a factor is unchanged.
    """
    factors = problem.term.args if problem.term.function == "mul" else (problem.term,)
    for at, factor in enumerate(factors):
        pair = _KRONECKER.fullmatch(factor.name) if isinstance(factor, Symbol) else None
        if pair is None or problem.counter not in pair.groups():
            continue
        name = pair[1] if pair[2] == problem.counter else pair[2]
        index_value = Number(int(name)) if name.isdigit() else Symbol(name)
        value = mul(*factors[:at], *factors[at + 1 :])
        term = substitute(value, problem.counter, index_value)
        bounds = []
        if not isinstance(problem.lower, int):
            bounds.append(Call("le", (problem.lower, index_value)))
        if not isinstance(problem.upper, int):
            bounds.append(Call("le", (index_value, problem.upper)))
        for bound in bounds:
            term = Call("piecewise", (term, bound, ZERO))
        assumptions = {name: "integer", **dict(problem.conditions.assumptions)}
        conditions = problem.conditions._replace(assumptions=tuple(sorted(assumptions.items())))
        return problem._replace(term=term, lower=ONE, upper=ONE, conditions=conditions)
    return problem


def _asks_convergence(text: str) -> bool:
    """Whether a question only asks if a series converges, and does not ask for the sum."""
    words = _words(text)
    return not words.isdisjoint(prose.TABLE["convergence"]) and words.isdisjoint(_ASKS_VALUE)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", MARKED.sub(" ", text).lower()))


def has_sum(text: str) -> bool:
    """Whether a text has a sum sign."""
    return SIGN.search(text) is not None


def has_product(text: str) -> bool:
    """Whether a text has a product sign, and no sum sign."""
    return PRODUCT.search(text) is not None and SIGN.search(text) is None


def has_dots(text: str) -> bool:
    """Whether a text has the dots of a series."""
    return DOTS.search(text) is not None


def is_unevaluated(text: str) -> bool:
    """Whether an answer has an unevaluated sum or product: with a sign or with dots."""
    return "∑" in text or has_sum(text) or has_product(text) or has_dots(text)


def without_open_case(text: str) -> str:
    """Leave out the last of several cases of an answer if the case has the unevaluated sum.

    Computer algebra systems write such a case, "otherwise".
    """
    return _OPEN_CASE.sub(" ", text)


def _range(marks: dict[str, str], text: str) -> tuple[str, Limit, Limit]:
    """Read the index of a sum, and the least and the greatest value of the index."""
    subscript = unbraced(marks.get("_", ""))
    for pattern in _RANGES:
        match = pattern.fullmatch(subscript)
        if match is None:
            continue
        groups = match.groupdict()
        index = groups["index"].lstrip("\\")
        upper = groups.get("upper") or marks.get("^")
        lower = groups.get("lower")
        if groups.get("set"):
            all_integers = groups["set"] in "Zℤ" and not groups["marks"]
            if (
                groups["set"] in "Zℤ"
                and groups["marks"]
                and not re.search(r"[+>]|\\ge", groups["marks"])
            ):
                break
            start = 0 if "0" in groups["marks"] else 1
            return index, -1 if all_integers else Number(start), 1
        if lower is None or (upper is None and "=" in subscript[: match.end("index") + 3]):
            break
        high = 1 if upper is None else limit_of(upper, text, index)
        low = limit_of(f"{{{lower}}}", text, index)
        if low == 1 or high == -1:
            raise ProblemError(f"the limits of {text!r} are reversed")
        return index, low, high
    raise ProblemError(f"{text!r}: the range of the index is not readable")


def _before_sign(preceding: str, text: str, index: str) -> tuple[Expression, Expression]:
    r"""Read the formula before the sum sign: a factor of the sum, and an addend.

    The factor is 1 in three cases. The text before the sign is empty, or is a name, or consists of
    the first terms of the sum (``1 + x + \cdots = \sum``).
    """
    terms, equals, factor = preceding.partition("=")
    if DOTS.search(terms) and equals and "=" not in factor:
        preceding = factor
    inner = _NAMED.sub("", ENDS.sub("", preceding).strip()).strip()
    inner = ENDS.sub("", inner)
    if not inner:
        return ONE, ZERO
    try:
        tree = read(rf"{inner} \{_SUM}", symbols=(IN_PROBLEM, _SUM))[0].expression
    except ReadError:
        raise ProblemError(f"{text!r}: the sum sign has {preceding.strip()!r} before it") from None
    slope = differentiate(tree, _SUM)
    if not symbols_of(tree).isdisjoint((index,)) or _SUM in symbols_of(slope):
        raise ProblemError(f"{text!r}: the index stands before the sum sign")
    addends = tree.args if tree.function == "add" else ()
    return slope, add(*(addend for addend in addends if _SUM not in symbols_of(addend)))


def _terms(
    body: str, index: str, text: str, conditions: Conditions
) -> list[tuple[Expression, Expression]]:
    r"""Read the text after the sum sign, in every reading.

    Each reading has the term of the sum, and an expression that is added to the sum.

    In ``\sum k + 1``, the 1 may belong to the term or be added to the sum. Both are readings.
    """
    if not body:
        raise ProblemError(f"{text!r} has no term")
    readings = readings_of(body, text, index)
    suspects = set().union(*(symbols_of(reading.expression) for reading in readings)) - {index}
    declared = {name for name, _ in conditions.assumptions}
    declared |= {name for name in suspects if _KRONECKER.fullmatch(name)}
    faults = parameter_faults(body, suspects - declared, index, False)
    if faults:
        raise ProblemError(f"{text!r}: {next(iter(faults.values()))}")
    splits: list[tuple[Expression, Expression]] = []
    for reading in readings:
        tree = reading.expression
        splits.append((tree, ZERO))
        if tree.function == "add" and not body.startswith(("(", "\\left", "{", "[")):
            position = next(
                (at for at, arg in enumerate(tree.args) if index not in symbols_of(arg)), None
            )
            later = tree.args[position:] if position else ()
            if later and not any(index in symbols_of(arg) for arg in later):
                splits.append((add(*tree.args[:position]), add(*later)))
    return splits
