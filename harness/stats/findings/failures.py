"""How an answer failed, in a few classes that suggest a remedy.

An empty answer and a wrong answer are different failures, and many wrong answers contain a single
slip. The slip in a wrong antiderivative F of f is recognised by the residual F' - f. If the
residual is a constant times a single term, a change of the term's sign or coefficient repairs the
answer. The search tries f and the addends of f as this term. It also tries the derivatives of the
addends of F, and the derivatives of the addends of the reference solution.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any

from flint import acb, arb

from ....benchmarks.payloads import IntegrationTarget, LabelTarget
from ....benchmarks.problem import Problem
from ....rewards.numeric.ball_arithmetic.balls import UnusableError, precision
from ....rewards.numeric.ball_arithmetic.compiler import compile_tape
from ....rewards.reading.expression.traversal import additive_terms, needs_worker
from ....rewards.reading.expression.tree import Expression
from ....rewards.reading.latex import ReadError, read
from ....rewards.verdict import Status
from ...core.requests import FinishReason


class Failure(StrEnum):
    """The ways in which a sample can fail. The value of each class is the name for users.

    >>> Failure("wrong sign").advice
    ''
    """

    ERROR = "error"
    FILTERED = "content filter"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    NO_ANSWER = "no box"
    UNREADABLE = "unreadable answer"
    NOT_CLOSED = "not a closed form"
    UNDECIDED = "undecided"
    SIGN = "wrong sign"
    COEFFICIENT = "wrong coefficient"
    MISSING = "missing term"
    EXTRA = "extra term"
    LABEL = "wrong label"
    OTHER = "otherwise wrong"

    @property
    def advice(self) -> str:
        """A remedy, such as a higher token limit. The text is empty for mathematical failures."""
        return _ADVICE.get(self, "")


_ADVICE = {
    Failure.ERROR: "sweep --retry-errors asks again",
    Failure.FILTERED: "the provider's filter is to be relaxed, or the prompt reworded (--prompt)",
    Failure.REFUSED: "view RUN shows what was said; another --prompt may help",
    Failure.TRUNCATED: "allow more: --max-tokens, or -M time-limit=SECONDS of a solver",
    Failure.NO_ANSWER: "view RUN --status no_answer shows the texts; the prompt asks for the box",
}
_BY_REASON = {
    FinishReason.ERROR: Failure.ERROR,
    FinishReason.CONTENT_FILTER: Failure.FILTERED,
    FinishReason.REFUSAL: Failure.REFUSED,
    FinishReason.LENGTH: Failure.TRUNCATED,
    FinishReason.TIME_LIMIT: Failure.TRUNCATED,
}
_BY_STATUS = {
    Status.ERROR: Failure.ERROR,
    Status.NO_ANSWER: Failure.NO_ANSWER,
    Status.UNPARSEABLE: Failure.UNREADABLE,
    Status.NOT_CLOSED_FORM: Failure.NOT_CLOSED,
    Status.UNDECIDED: Failure.UNDECIDED,
    Status.TIMEOUT: Failure.UNDECIDED,
}
#: A function's values at the fixed points; None where the function has no value.
Values = list[complex | None]
_BITS = 128
#: Generic points; at least `_MIN_RATIOS` of them must lie in the domain of the compared functions.
#: No textbook formula has a ratio that is constant at three generic points by chance.
_POINTS = (
    ("0.7390851", "0"),
    ("1.4513692", "0"),
    ("0.2360679", "0"),
    ("2.2247448", "0"),
    ("0.36787", "0.41421"),
    ("-0.69314", "0.91596"),
    ("1.27323", "0.57721"),
)
_MIN_RATIOS = 3
#: The relative error of a ratio that counts as constant: far above the rounding of `_BITS` bits,
#: far below the change that a different digit in an answer makes.
_NEAR = 1e-9
#: Ratios of an answer to the expected value, as p/q, that are called a wrong coefficient.
SIMPLE_RATIOS = frozenset(p / q for p in range(1, 13) for q in range(1, 13)) - {1.0}


def failure_of(problem: Problem, row: Mapping[str, Any]) -> Failure | None:
    """The failure class of a verdict. The class of a correct answer is None.

    Args:
        problem: the problem that was asked.
        row: the stored verdict, with the finish reason of the answer.

    Returns:
        The class.

    >>> integral = {"integrand": "2x", "variable": "x"}
    >>> problem = Problem("p", "integration", "b", "s", inputs=integral, target=integral)
    >>> row = {"status": "incorrect", "finish_reason": "stop", "answer": "-x^2"}
    >>> str(failure_of(problem, row))
    'wrong sign'

    """
    failure = without_slip(row)
    if failure is not Failure.OTHER:
        return failure
    target = problem.target
    # Slips are searched only for wrong answers: the search is slow.
    if isinstance(target, IntegrationTarget):
        return _slip(
            target.integrand,
            target.variable,
            target.antiderivative or "",
            tuple(problem.assumptions),
            str(row.get("answer") or ""),
        )
    witness = (row.get("evidence") or {}).get("witness") or {}
    if "expected" in witness and not witness.get("point"):
        return _value_slip(str(witness["expected"]), str(witness.get("got", "")))
    return Failure.LABEL if isinstance(target, LabelTarget) else Failure.OTHER


def without_slip(row: Mapping[str, Any]) -> Failure | None:
    """The failure class of a verdict, without a search for slips, for example of a sign.

    Every wrong answer has the class `Failure.OTHER`. A correct answer has the class None.
    """
    status = row["status"]
    if status == Status.CORRECT:
        return None
    # A refusal or a limit explains a missing answer, but not a wrong answer.
    if status != Status.INCORRECT and row["finish_reason"] in _BY_REASON:
        return _BY_REASON[FinishReason(row["finish_reason"])]
    if row["finish_reason"] == FinishReason.ERROR:
        return Failure.ERROR
    return _BY_STATUS.get(Status(status), Failure.OTHER)


@lru_cache(maxsize=1 << 14)
def _slip(
    integrand: str, variable: str, reference: str, symbols: Sequence[str], answer: str
) -> Failure:
    """Find the slip in a wrong antiderivative F of f, from the residual F' - f."""
    texts = [integrand, answer, *([reference] if reference else [])]
    try:
        f, F, *references = (_sampled(text, variable, symbols) for text in texts)  # noqa: N806
    except (ReadError, UnusableError, IndexError):
        return Failure.OTHER
    residual = [minus(a, b) for a, b in zip(F.slopes, f.values, strict=True)]
    # First the terms of f: the antiderivative of an addend is missing, or has a wrong sign or
    # coefficient.
    for term in (f, *f.addends):
        c = ratio(residual, term.values)
        if c is not None:
            return _repaired(c, missing=-1, sign=-2)
    # Then the addends g of the answer: F' - f = 2 g' where g has the wrong sign.
    for term in F.addends:
        c = ratio(residual, term.slopes)
        if c is not None and not near(c, 1):
            return _repaired(c, missing=math.inf, sign=2)
        if c is not None:
            return Failure.EXTRA
    # Last the reference's addends, which differ from those of f where an antiderivative of one
    # addend of f is itself a sum.
    for sampled in references:
        for term in sampled.addends:
            c = ratio(residual, term.slopes)
            if c is not None:
                return _repaired(c, missing=-1, sign=-2)
    return Failure.OTHER


def _repaired(c: complex, missing: float, sign: float) -> Failure:
    if near(c, missing):
        return Failure.MISSING
    return Failure.SIGN if near(c, sign) else Failure.COEFFICIENT


class Sampled:
    """The values and slopes of an expression at fixed sample points. A missing value is None."""

    def __init__(self, tree: Expression, variable: str) -> None:
        self.tree, self.variable = tree, variable
        tape = compile_tape(tree, variable)
        self.values: Values = []
        self.slopes: Values = []
        with precision(_BITS):
            # Parameters are positive by default; the values are not in simple ratios to each other.
            names = sorted(tape.symbols)
            parameters = {name: acb(arb(3 + 2 * at) / 7) for at, name in enumerate(names)}
            for real, imaginary in _POINTS:
                jet = tape.run(acb(arb(real), arb(imaginary)), parameters)[tape.root]
                self.values.append(_number(jet[0]))
                self.slopes.append(0j if jet[1] is None else _number(jet[1]))

    @cached_property
    def addends(self) -> list[Sampled]:
        """The addends of a sum, for example ``x`` and ``1`` of ``x + 1``.

        The list is empty for a single term, and if an addend cannot be evaluated.
        """
        terms = additive_terms(self.tree, self.variable)
        addends = []
        for term in terms if len(terms) > 1 else ():
            with suppress(UnusableError):
                addends.append(Sampled(term, self.variable))
        return addends


#: Cached: all wrong answers to a problem share the integrand and the reference.
@lru_cache(maxsize=1 << 12)
def _sampled(text: str, variable: str, symbols: Sequence[str]) -> Sampled:
    tree = read(text, symbols=[variable, *symbols])[0].expression
    if needs_worker(tree):
        raise UnusableError("only a worker may evaluate it")
    return Sampled(tree, variable)


def _number(ball: Any) -> complex | None:
    if not ball.is_finite():
        return None
    number = complex(float(ball.real.mid()), float(ball.imag.mid()))
    radius = float(ball.real.rad() + ball.imag.rad())
    return number if radius < _NEAR * (1e-3 + abs(number)) else None


def minus(a: complex | None, b: complex | None) -> complex | None:
    return None if a is None or b is None else a - b


def ratio(top: Values, bottom: Values) -> complex | None:
    """Find the constant c with top = c bottom, from the values of two functions at the same points.

    The result is None without such a constant, or if c is zero.
    """
    ratios = [
        a / b
        for a, b in zip(top, bottom, strict=True)
        if a is not None and b is not None and abs(b) > _NEAR
    ]
    if len(ratios) < _MIN_RATIOS or abs(ratios[0]) < _NEAR:
        return None
    return ratios[0] if all(near(quotient, ratios[0]) for quotient in ratios) else None


def near(a: complex, b: complex) -> bool:
    return math.isfinite(abs(b)) and abs(a - b) <= _NEAR * max(1.0, abs(b))


def _value_slip(expected: str, got: str) -> Failure:
    """Classify a wrong value by the quotient of ``got`` and ``expected``.

    Both values are texts ``[midpoint +/- error]``, from the verifier's refutation of an answer.
    """
    try:
        right, wrong = (float(text.strip("[] ").split(" ")[0]) for text in (expected, got))
        quotient = wrong / right
    except (ValueError, ZeroDivisionError):
        return Failure.OTHER
    if near(quotient, -1):
        return Failure.SIGN
    simple = any(near(abs(quotient), simple) for simple in SIMPLE_RATIOS)
    return Failure.COEFFICIENT if simple else Failure.OTHER
