r"""Reads integrals in textbook notation: ``\displaystyle\int_0^{\pi/2}\cos xdx``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from ...errors import ProblemError
from ..expression.build import ZERO, add, mul, neg, product
from ..expression.derivative import differentiate
from ..expression.traversal import substitute, symbols_of
from ..expression.tree import Expression
from ..latex import ReadError, Reading, read, signed_infinity, to_latex
from ..latex.tokens.roles import DIFFERENTIAL, IN_PROBLEM
from .conditions import Conditions, behind
from .differential import Differential, differentials, with_slope, with_symbol, without_symbol
from .layout import IntegralLayout, integral_layout, region, unbraced
from .marks import MARKED
from .parameters import parameter_faults
from .question.integral import integral_question, value_of_antiderivative

#: A limit of integration: an expression, or +1 or -1 for plus or minus infinity.
Limit = Expression | int

#: A sign of an integral that has limits, or may have some.
INTEGRAL: Final = re.compile(r"\\int(?![A-Za-z])|∫")
#: A d shortly before the end: without an integral sign, a differential stands at the end.
_MAY_END_IN_DIFFERENTIAL: Final = re.compile(r"[dⅆ𝑑](?<!\\cd)(?!frac)[^d]{1,24}\Z")


class IntegralProblem(NamedTuple):
    r"""A definite or indefinite integral.

    Attributes:
        variable: the variable in the differential. None if the text has no differential.
        readings: the integrand in every reading of the notation, the likeliest first.
        lower: the lower limit. None for an indefinite integral.
        upper: the upper limit. None for an indefinite integral.
        principal_value: whether Cauchy's principal value is asked for.
        has_sign: whether the text has an integral sign.
        conditions: the conditions on the parameters.

    >>> problem = read_integral(r"\int_0^1 xdx")
    >>> problem.variable, problem.lower, len(problem.readings)
    ('x', Number(numerator=0, denominator=1), 1)

    """

    variable: str | None
    readings: tuple[Reading, ...]
    lower: Limit | None = None
    upper: Limit | None = None
    principal_value: bool = False
    has_sign: bool = False
    conditions: Conditions = Conditions()


def read_integral(
    text: str, variable: str | None = None, parameters: Collection[str] = ()
) -> IntegralProblem:
    r"""Read an integral, or an integrand alone.

    Args:
        text: LaTeX. An integral sign, limits, a differential and surrounding words are optional.
        variable: the variable of integration, if known.
        parameters: names of parameters, even before parentheses.

    Returns:
        The integral as trees, with all readings of the notation.

    Raises:
        ProblemError: the text is unreadable, contains several integrals, or has a letter that is
            neither a variable nor a parameter.

    Example:
        >>> read_integral(r"\int 2tdt").variable
        't'

    """
    try:
        return _read_formula(text, variable, parameters)
    except ProblemError as error:
        first_error = error
    try:
        question = integral_question(text)
        if question is not None:
            formula, conditions = question
            problem = _read_formula(formula, variable, {*parameters, *dict(conditions.assumptions)})
            return problem._replace(conditions=problem.conditions.also(conditions))
    except ProblemError as error:
        if MARKED.search(text):  # what the words say is no fault of the formula
            raise ProblemError(f"{text!r}: {error}") from None
    raise first_error


def initial_value_problem(text: str) -> str | None:
    r"""Write a question for an antiderivative with a value as a differential equation.

    The result is None if the question states no value.

    Raises:
        ProblemError: the question is not understood.

    >>> initial_value_problem("Find the antiderivative $F$ of $2x$ with $F(0)=1$.")
    "F'(x) = 2 x, F(0)=1"

    """
    question = value_of_antiderivative(text)
    if question is None:
        return None
    formula, conditions, name, value = question
    problem = _read_formula(formula, None, {*dict(conditions.assumptions)})
    if conditions.comparisons or len(problem.readings) > 1:
        raise ProblemError(f"{text!r}: the integrand has several readings or conditions")
    integrand = problem.readings[0].expression
    letters = symbols_of(integrand)
    variable = problem.variable or (min(letters) if len(letters) == 1 else "x")
    if letters and variable not in letters:
        raise ProblemError(f"{text!r}: name the variable: {', '.join(sorted(letters))}")
    return f"{name}'({variable}) = {to_latex(integrand)}, {value}"


def _read_formula(text: str, variable: str | None, parameters: Collection[str]) -> IntegralProblem:
    """Read the formula of an integral, or an integrand alone."""
    layout = integral_layout(text)
    marks = layout.marks
    if [*marks] == ["_"] and (ends := region(marks["_"])):
        marks = layout.marks | ends
    if len(marks) == 1:
        missing = "upper" if "_" in marks else "lower"
        raise ProblemError(f"{text!r} has no {missing} limit")
    if layout.has_sign and (plain := with_slope(layout.body)) is not None:
        layout = layout._replace(body=plain)
    conditions, parameters = Conditions(), {*parameters}
    try:
        named, body, readings = _integrand(text, layout, variable, parameters)
    except ProblemError:
        splits = [*behind(layout.body)]
        if not layout.has_sign:  # the longest formula: of psi(x), x > 0, not psi alone
            splits.reverse()
        for integrand, stated in splits:
            with suppress(ProblemError):
                stated_names = {name for name, _ in stated.assumptions}
                shortened = layout._replace(body=integrand)
                named, body, readings = _integrand(
                    text, shortened, variable, parameters | stated_names
                )
                conditions = stated
                if named is not None or not layout.has_sign:
                    break
        else:
            raise
    chosen = variable or named or "x"
    if layout.factor:
        body = f"{layout.factor} {body}"
        readings = _times(text, layout.factor, readings, chosen)
    if "(" in body or "d" in body:
        parameters |= {name for name, _ in conditions.assumptions}
        readings = with_real_parameters(readings, text, body, chosen, parameters, layout.has_sign)
    problem = IntegralProblem(
        named, readings, None, None, layout.principal_value, layout.has_sign, conditions
    )
    if not marks:
        return problem
    lower, upper = (limit_of(marks[mark], text, chosen) for mark in "_^")
    return problem._replace(lower=lower, upper=upper)


def _integrand(
    text: str, layout: IntegralLayout, variable: str | None, parameters: Collection[str]
) -> tuple[str | None, str, tuple[Reading, ...]]:
    """Return the differential's variable, the integrand's text, and the integrand's readings."""
    body = layout.body
    failure: ReadError | None = None
    for choice in _choices(layout, variable):
        try:
            result = _with_differential(body, choice, parameters)
        except ReadError as error:
            failure = failure or error
            continue
        if result is not None:
            return choice[0].variable, *result
    try:
        return None, body, _read(body, variable or "x", *parameters)
    except ReadError as error:
        raise ProblemError(f"unreadable integrand {text!r}: {failure or error}") from None


def _choices(layout: IntegralLayout, variable: str | None) -> Iterator[Sequence[Differential]]:
    r"""Yield the possible differentials: each candidate alone, then several candidates together.

    Several candidates are needed for a sum such as ``\int x\,dx + x^2\,dx``, with a
    differential in every term. The candidates must have the same variable as the likeliest
    candidate.
    """
    body = layout.body
    if not layout.has_sign and (
        ("d" not in body and body.isascii())
        or not _MAY_END_IN_DIFFERENTIAL.search(body, max(len(body) - 25, 0))
    ):
        return
    candidates = differentials(body)[:_TRIES]
    if not layout.has_sign:
        candidates = [
            candidate for candidate in candidates[:1] if _ends_a_product(body, candidate, variable)
        ]
    for candidate in candidates:
        yield (candidate,)
    same = [candidate for candidate in candidates if candidate.variable == candidates[0].variable]
    if len(same) > 1:
        yield same


def with_real_parameters(
    readings: tuple[Reading, ...],
    text: str,
    body: str,
    variable: str,
    declared: Collection[str],
    has_sign: bool,
) -> tuple[Reading, ...]:
    """Drop the readings in which a letter that cannot be a parameter is read as a parameter.

    Raises:
        ProblemError: no reading remains.

    """
    suspects = [symbols_of(reading.expression) - {variable, *declared} for reading in readings]
    if not any(suspects):
        return readings
    faults = parameter_faults(body, set().union(*suspects), variable, has_sign)
    if not faults:
        return readings
    sound = [
        reading
        for reading, names in zip(readings, suspects, strict=True)
        if names.isdisjoint(faults)
    ]
    if not sound:
        raise ProblemError(f"{text!r}: {next(iter(faults.values()))}")
    return tuple(sound)


def _times(
    text: str, factor: str, readings: tuple[Reading, ...], variable: str
) -> tuple[Reading, ...]:
    r"""Multiply the readings by the factor before the integral sign, such as 2 in ``2\int x dx``.

    Raises:
        ProblemError: the factor is unreadable, or depends on the variable.

    """
    negative = factor == "-"
    try:
        multiplier = _read("-1" if negative else factor, variable)[0].expression
    except ReadError:
        multiplier = None
    if multiplier is None or variable in symbols_of(multiplier):
        raise ProblemError(f"{text!r}: the integral sign has {factor!r} before it")
    return tuple(
        replace(reading, expression=product([multiplier, reading.expression]))
        for reading in readings
    )


#: Places that are tried as differentials, each by reading the integrand once; an integrand with a
#: parameter d has one or two more than the differential itself.
_TRIES: Final = 6


def _with_differential(
    body: str, occurrences: Sequence[Differential], parameters: Collection[str]
) -> tuple[str, tuple[Reading, ...]] | None:
    """Read the integrand for a choice of the differential. Return the text and the readings.

    If no reading has the differential as a factor of every term, the result is None.

    Raises:
        ReadError: the integrand cannot be read.

    """
    variable = occurrences[0].variable
    preceding, following = _without_space(body[: occurrences[0].start]), body[occurrences[0].end :]
    before, after = preceding.strip(), following.strip()
    if before.endswith("{") and after.startswith("}") and (before == "{" or after == "}"):
        preceding, following = before[:-1], after[1:]  # {dx} in front, or at the end
    if len(occurrences) == 1 and not (preceding.strip() and following.strip()):
        integrand = (preceding + following).strip()
        integrand = f"1{integrand}" if integrand[:1] in ("", "/") else integrand  # dx/(1 + x^2)
        return integrand, _read(integrand, variable, *parameters)
    marked = with_symbol(body, occurrences)
    readings = _divided(_read(marked, variable, DIFFERENTIAL, *parameters))
    return (marked.replace(DIFFERENTIAL, ""), readings) if readings else None


def _divided(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """Divide the readings by the symbol of the differential.

    Readings in which the symbol is not a factor of every term are left out.
    """
    quotients = ((reading, without_symbol(reading.expression)) for reading in readings)
    return tuple(
        replace(reading, expression=quotient)
        for reading, quotient in quotients
        if quotient is not None
    )


def _read(text: str, *symbols: str) -> tuple[Reading, ...]:
    return read(text, symbols=(*symbols, IN_PROBLEM))


def _ends_a_product(body: str, candidate: Differential, variable: str | None) -> bool:
    r"""Whether a candidate is a differential, in a text that has no integral sign.

    The candidate has to be the last factor of a product at the end of the text, as in ``2x\,dx``.
    In ``ax^3 + bx^2 + cx + dx``, d is a parameter like c.
    """
    if candidate.end < len(body) or (variable is not None and candidate.variable != variable):
        return False
    preceding, spelling = (
        _without_space(body[: candidate.start]),
        body[candidate.start : candidate.end],
    )
    spaced = body[len(preceding) : candidate.start].strip() != ""  # by a command, as in x^2\,dx
    close = candidate.is_marked or spaced or spelling.startswith("d" + spelling[-1])
    return close and preceding[-1:] not in ("", *"+*-/^({=")


_SPACE_AT_END: Final = re.compile(r"(?:\\[,;:!> ]|\\q?quad|\\cdot|\\times|[*~]|\{\}|\s)+\Z")


def _without_space(text: str) -> str:
    """Remove spaces and times signs from the end of a text, at most 64 characters."""
    space = _SPACE_AT_END.search(text, max(len(text) - 64, 0))
    return text[: space.start()] if space else text


def limit_of(mark: str, text: str, variable: str) -> Limit:
    r"""Read a limit of integration from the subscript or superscript of the integral sign.

    Args:
        mark: the script, such as ``0``, ``{\pi/2}``, ``\infty`` or ``{x=0}``.
        text: the problem, for the message of the error.
        variable: the variable of integration.

    Returns:
        A tree, or 1 or -1 for plus or minus infinity.

    Raises:
        ProblemError: the limit is unreadable, or contains the variable.

    Example:
        >>> limit_of(r"{-\infty}", r"\int_{-\infty}^0 e^x dx", "x")
        -1

    """
    infinite = signed_infinity(mark)
    if infinite is not None:
        return infinite
    inner = unbraced(mark)
    inner = inner.rpartition("=")[2] if inner.lstrip().startswith(variable) else inner
    try:
        limit = read(inner, symbols=())[0].expression
    except ReadError as error:
        raise ProblemError(f"unreadable limit {mark!r} of {text!r}: {error}") from None
    if variable in symbols_of(limit):
        raise ProblemError(f"the limit {to_latex(limit)} of {text!r} holds the variable {variable}")
    return limit


def definite_integral(text: str) -> IntegralProblem:
    """Read an integral that has limits and a differential.

    Raises:
        ProblemError: the integral is unreadable, or has no limits.

    """
    text = text.strip()
    integral = read_integral(text[1:-1] if text[0] in "([" and text[-1] in ")]" else text)
    if integral.variable is None or integral.lower is None:
        raise ProblemError(f"{text!r}: an integral needs limits and a differential here")
    return integral


def derivative_of_integral(integral: IntegralProblem, variable: str) -> Expression:
    """Differentiate an integral whose limits depend on the variable, by Leibniz's rule.

    Raises:
        ProblemError: the integrand depends on the variable as well. Leibniz's rule would leave an
            integral in the derivative.

    """
    integrand, dummy = integral.readings[0].expression, integral.variable
    assert dummy is not None
    if variable != dummy and variable in symbols_of(integrand):
        raise ProblemError(f"the integrand depends on {variable}, too")
    terms = []
    for limit, sign in ((integral.upper, 1), (integral.lower, -1)):
        if isinstance(limit, Expression) and variable in symbols_of(limit):
            speed = differentiate(limit, variable)
            term = mul(substitute(integrand, dummy, limit), speed)
            terms.append(term if sign > 0 else neg(term))
    return add(*terms) if terms else ZERO
