"""Limits: a bank, the bank's perturbations, and an endless generator with constructed answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from ...rewards.proof.limit_questions import LimitQuestion, limit_readings
from ...rewards.reading.expression.build import ONE, ZERO, add, div, mul, neg, number, power
from ...rewards.reading.expression.traversal import is_written_with, substitute
from ...rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ...rewards.reading.latex import read, to_latex
from ..hashed_random import HashedRandom
from ..payloads import JSON
from ..problem import Problem
from ..registry import benchmark
from .bank import SOURCE, Entry, entries, of_entry, question

TASK = "limit"
REQUEST = "Find the limit. If it does not exist, say so; if it is infinite, answer the infinity."
NO_LIMIT = r"\text{does not exist}"

#: Factors and shifts of perturbed questions, in turn.
FACTORS = (number(2), number(-3), Number(1, 2), number(5), Number(-2, 3))
SHIFTS = (number(1), number(-2), number(3))


@benchmark("course/limits", source=SOURCE, size=lambda: len(entries("limits")), task=TASK)
def bank(seed: int, index: int) -> Problem:
    """Limits: at points and infinity, one-sided, with parameters, infinite, and none."""
    return of_entry(TASK, "limits", entries("limits")[index], REQUEST)


# --- perturbations of the bank ---


def _shifted(limit: LimitQuestion, answer: str, index: int) -> tuple[LimitQuestion, str] | None:
    """x - c for x, at a point moved by c."""
    if isinstance(limit.at, int) or limit.parameters:
        return None
    shift = SHIFTS[index % len(SHIFTS)]
    moved = add(Symbol(limit.variable), neg(shift))
    at = add(limit.at, shift)
    if isinstance(limit.at, Number):
        exact = Fraction(*limit.at) + Fraction(*shift)
        at = number(exact)
    return replace(limit, expression=substitute(limit.expression, limit.variable, moved), at=at), (
        answer
    )


def _scaled(limit: LimitQuestion, answer: str, index: int) -> tuple[LimitQuestion, str] | None:
    """The function times a number; the limit changes by the same factor."""
    factor = FACTORS[index % len(FACTORS)]
    multiple = replace(limit, expression=mul(factor, limit.expression))
    if answer == NO_LIMIT:
        return multiple, answer
    if "infty" in answer:
        sign = (-1 if answer.startswith("-") else 1) * (1 if Fraction(*factor) > 0 else -1)
        return multiple, r"\infty" if sign > 0 else r"-\infty"
    return multiple, to_latex(mul(factor, read(answer, symbols=limit.parameters)[0].expression))


def _inverted(limit: LimitQuestion, answer: str, index: int) -> tuple[LimitQuestion, str] | None:
    """1/t for x: infinity becomes zero from one side, and zero from the right becomes infinity."""
    if limit.is_sequence or is_written_with(limit.expression, "floor", "binomial", "factorial"):
        return None
    expression = substitute(limit.expression, limit.variable, div(ONE, Symbol(limit.variable)))
    if isinstance(limit.at, int):
        return replace(limit, expression=expression, at=ZERO, side=limit.at), answer
    if limit.at == ZERO and limit.side:
        return replace(limit, expression=expression, at=limit.side, side=0), answer
    return None


_PERTURBATIONS: dict[str, Callable[..., tuple[LimitQuestion, str] | None]] = {
    "limits_shifted": _shifted,
    "limits_scaled": _scaled,
    "limits_inverted": _inverted,
}


@cache
def _perturbed(subset: str) -> tuple[tuple[Entry, str, str], ...]:
    """The rows that a perturbation applies to, each with the new question and the answer."""
    rows: list[tuple[Entry, str, str]] = []
    for index, entry in enumerate(entries("limits")):
        changed = _PERTURBATIONS[subset](limit_readings(entry.question)[0], entry.answer, index)
        if changed is not None:
            rows.append((entry, changed[0].latex, changed[1]))
    return tuple(rows)


def _perturbed_problem(subset: str, index: int) -> Problem:
    entry, limit, answer = _perturbed(subset)[index]
    facts: dict[str, JSON] = {"tags": list(entry.tags), "difficulty": entry.difficulty}
    name = f"{entry.id}-{subset.removeprefix('limits_')}"
    return question(TASK, subset, name, limit, answer, REQUEST, parent=entry.id, metadata=facts)


@benchmark(
    "course/limits_shifted",
    source=SOURCE,
    size=lambda: len(_perturbed("limits_shifted")),
    task=TASK,
)
def shifted(seed: int, index: int) -> Problem:
    """Limits of the bank at another point: x - c for x."""
    return _perturbed_problem("limits_shifted", index)


@benchmark(
    "course/limits_scaled", source=SOURCE, size=lambda: len(_perturbed("limits_scaled")), task=TASK
)
def scaled(seed: int, index: int) -> Problem:
    """Limits of the bank times a number."""
    return _perturbed_problem("limits_scaled", index)


@benchmark(
    "course/limits_inverted",
    source=SOURCE,
    size=lambda: len(_perturbed("limits_inverted")),
    task=TASK,
)
def inverted(seed: int, index: int) -> Problem:
    """Limits of the bank with 1/x for x, at zero for infinity."""
    return _perturbed_problem("limits_inverted", index)


# --- an endless generator ---


@dataclass(frozen=True, slots=True)
class Infinitesimal:
    """A function that tends to zero with x as c (a x)^k, for any number a.

    Attributes:
        function: the function of a x.
        coefficient: c.
        order: k.

    """

    function: Callable[[Expression], Expression]
    coefficient: Fraction
    order: int


def _of(name: str) -> Callable[[Expression], Expression]:
    return lambda u: Call(name, (u,))


def _less(*terms: Callable[[Expression], Expression]) -> Callable[[Expression], Expression]:
    """The first function minus all other functions."""
    return lambda u: add(terms[0](u), *(neg(term(u)) for term in terms[1:]))


def _constant_one(u: Expression) -> Expression:
    return ONE


def _same(u: Expression) -> Expression:
    return u


def _logarithm(u: Expression) -> Expression:
    return Call("ln", (add(ONE, u),))


def _root(u: Expression) -> Expression:
    return Call("sqrt", (add(ONE, u),))


INFINITESIMALS = (
    Infinitesimal(_same, Fraction(1), 1),
    Infinitesimal(_of("sin"), Fraction(1), 1),
    Infinitesimal(_of("tan"), Fraction(1), 1),
    Infinitesimal(_of("atan"), Fraction(1), 1),
    Infinitesimal(_of("asin"), Fraction(1), 1),
    Infinitesimal(_of("sinh"), Fraction(1), 1),
    Infinitesimal(_logarithm, Fraction(1), 1),
    Infinitesimal(_less(_of("exp"), _constant_one), Fraction(1), 1),
    Infinitesimal(_less(_root, _constant_one), Fraction(1, 2), 1),
    Infinitesimal(_less(_constant_one, _of("cos")), Fraction(1, 2), 2),
    Infinitesimal(_less(_of("cosh"), _constant_one), Fraction(1, 2), 2),
    Infinitesimal(_less(_of("exp"), _constant_one, _same), Fraction(1, 2), 2),
    Infinitesimal(_less(_same, _logarithm), Fraction(1, 2), 2),
    Infinitesimal(_less(_same, _of("sin")), Fraction(1, 6), 3),
    Infinitesimal(_less(_of("tan"), _same), Fraction(1, 3), 3),
    Infinitesimal(_less(_same, _of("atan")), Fraction(1, 3), 3),
    Infinitesimal(_less(_of("asin"), _same), Fraction(1, 6), 3),
    Infinitesimal(_less(_of("tan"), _of("sin")), Fraction(1, 2), 3),
)


def _drawn(random: HashedRandom, order: int, x: Expression) -> tuple[Expression, Fraction]:
    """A product of infinitesimals with a given total order, and the product's coefficient."""
    factors: list[Expression] = []
    coefficient = Fraction(1)
    while order:
        chosen = random.choice([item for item in INFINITESIMALS if item.order <= order])
        multiple = random.integer(1, 5)
        factors.append(chosen.function(mul(number(multiple), x)))
        coefficient *= chosen.coefficient * multiple**chosen.order
        order -= chosen.order
    return mul(*factors), coefficient


#: How a quotient becomes a limit: at zero, at another point, at infinity, or as an exponent.
_SETTINGS = ("zero", "right", "left", "point", "infinity", "power")


@benchmark("course/limits_generated", source=SOURCE, size=200, task=TASK, endless=True)
def generated(seed: int, index: int) -> Problem:
    """Quotients of infinitesimals, at points and at infinity, and powers with them, endless."""
    random = HashedRandom("course/limits_generated", seed, index)
    x = Symbol("x")
    order = random.integer(1, 4)
    surplus = random.choice((0, 0, 0, 0, 1, -1, -2))
    setting = random.choice(_SETTINGS) if surplus >= 0 else random.choice(_SETTINGS[:5])
    inner, at, side = _setting(random, setting, x)
    numerator, upper = _drawn(random, order + max(surplus, 0), inner)
    denominator, lower = _drawn(random, order + max(-surplus, 0), inner)
    sign = random.choice((1, 1, -1))
    value = sign * upper / lower
    expression = div(mul(number(sign), numerator), denominator)
    answer = _answer(value, surplus, setting)
    if setting == "power":
        # (1 + f)^{1/g} tends to e^{f/g}
        base = add(ONE, mul(number(sign), numerator))
        expression = power(base, div(ONE, denominator))
        answer = "1" if surplus else to_latex(Call("exp", (number(value),)))
    limit = LimitQuestion(expression, "x", at, side)
    facts: dict[str, JSON] = {"setting": setting, "difficulty": 1 + (order > 1) + (order > 2)}
    name = f"limits-s{seed}-{index}"
    return question(TASK, "limits_generated", name, limit.latex, answer, REQUEST, metadata=facts)


def _setting(
    random: HashedRandom, setting: str, x: Expression
) -> tuple[Expression, Expression | int, int]:
    """The infinitesimal, the point and the side."""
    if setting == "infinity":
        return div(ONE, x), 1, 0
    if setting == "point":
        point = random.choice((-3, -1, 2, 4))
        return add(x, number(-point)), number(point), 0
    return x, ZERO, {"right": 1, "left": -1}.get(setting, 0)


def _answer(value: Fraction, surplus: int, setting: str) -> str:
    """The limit of value t^surplus as t tends to zero."""
    if surplus >= 0:
        return to_latex(number(value if surplus == 0 else 0))
    odd = surplus % 2 == 1
    if odd and setting in ("zero", "point"):
        return NO_LIMIT
    positive = (value > 0) != (odd and setting == "left")
    return r"\infty" if positive else r"-\infty"
