"""Simple functions with two coefficients: robustness (Table 2) and integer ranges (Figure 2).

The primitives are seven templates, and the powers and roots of x, the material of compositions.
Coefficients are drawn without replacement. All templates have the same pairs for the same seed, for
comparisons pair by pair. The subsets come in two sets:

- as the released code draws them, the default: distinct ordered pairs over 1 to 99, and 99 values
  of 1 to 100 for the two templates with one coefficient (the published figures for k x^42, 45.5 and
  6.1 per cent, are 45 and 6 of 99); 1,000 pairs per template (the figures for exp, 15.4 and 30.3,
  are thousandths: the script's default of 500 was not used);
- as the text says (``..._paper``): 1 to 100, and all values of 1 to 100 for a single coefficient,
  fewer than 1,000. The text includes 0, although ln(0x) is undefined; the table begins with 1, as
  we do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

from ...rewards.reading.expression.build import add, mul, neg, number, power
from ...rewards.reading.expression.tree import Call, Expression, Symbol
from ..hashed_random import HashedRandom
from ..payloads import JSON
from ..problem import Problem
from ..registry import benchmark
from .integrals import IntegralTerm

PAPER = "Welleck et al., Symbolic Brittleness in Sequence Models (2022)"
X = Symbol("x")
#: Coefficient ranges of Figure 2, half-open.
RANGES = ((1, 100), (100, 200), (200, 300), (300, 400), (400, 500), (1000, 2000), (10000, 11000))
#: Pairs of each range. Each is used with all templates of `INTEGERS`.
PAIRS = 500
#: Integrands of a template with two coefficients.
COUNT = 1000


@dataclass(frozen=True, slots=True)
class Template:
    """A primitive: ``label`` in the paper's notation, and the integral for coefficients k1, k2."""

    name: str
    label: str
    integral: Callable[[int, int], IntegralTerm]
    coefficients: int = 2

    def problem(self, subset: str, k1: int, k2: int, id_: str | None = None) -> Problem:
        drawn: dict[str, JSON] = {"template": self.label, "k1": k1}
        if self.coefficients == 2:
            drawn["k2"] = k2
        name = id_ or "-".join([self.name, *(str(drawn[k]) for k in ("k1", "k2") if k in drawn)])
        return self.integral(k1, k2).problem(name, subset, metadata=drawn)


def _of(name: str, argument: Expression) -> Expression:
    return Call(name, (argument,))


def _ln(k1: int, k2: int) -> IntegralTerm:
    f = _of("ln", mul(number(k2), X))
    return IntegralTerm(mul(number(k1), f), mul(number(k1), X, add(f, number(-1))))


def _exp(k1: int, k2: int) -> IntegralTerm:
    f = _of("exp", mul(number(k2), X))
    return IntegralTerm(mul(number(k1), f), mul(number(Fraction(k1, k2)), f))


def _sin(k1: int, k2: int) -> IntegralTerm:
    inner = mul(number(k2), X)
    f, big_f = _of("sin", inner), neg(_of("cos", inner))
    return IntegralTerm(mul(number(k1), f), mul(number(Fraction(k1, k2)), big_f))


def _cos(k1: int, k2: int) -> IntegralTerm:
    inner = mul(number(k2), X)
    f, big_f = _of("cos", inner), _of("sin", inner)
    return IntegralTerm(mul(number(k1), f), mul(number(Fraction(k1, k2)), big_f))


def _tan(k1: int, k2: int) -> IntegralTerm:
    inner = mul(number(k2), X)
    big_f = neg(_of("ln", _of("abs", _of("cos", inner))))
    return IntegralTerm(mul(number(k1), _of("tan", inner)), mul(number(Fraction(k1, k2)), big_f))


def _monomial(degree: int, k1: int, k2: int) -> IntegralTerm:
    f, big_f = power(X, number(degree)), power(X, number(degree + 1))
    return IntegralTerm(mul(number(k1), f), mul(number(Fraction(k1, degree + 1)), big_f))


TEMPLATES: dict[str, Template] = {
    template.name: template
    for template in (
        Template("ln", "k1*ln(k2*x)", _ln),
        Template("x", "k1*x", partial(_monomial, 1), coefficients=1),
        Template("x42", "k1*x**42", partial(_monomial, 42), coefficients=1),
        Template("exp", "k1*exp(k2*x)", _exp),
        Template("sin", "k1*sin(k2*x)", _sin),
        Template("cos", "k1*cos(k2*x)", _cos),
        Template("tan", "k1*tan(k2*x)", _tan),
    )
}
#: The templates of the integer ranges, in the order of an index.
INTEGERS = tuple(TEMPLATES[name] for name in ("ln", "exp", "sin", "cos", "tan", "x"))


@lru_cache(maxsize=64)
def _distinct(seed: int, purpose: str, count: int, bound: int) -> tuple[int, ...]:
    """``count`` distinct random integers below ``bound``; a larger count only adds integers."""
    rng = HashedRandom("brittleness", purpose, seed)
    numbers: dict[int, None] = {}
    while len(numbers) < count:
        numbers[rng.below(bound)] = None
    return tuple(numbers)


def pair(seed: int, index: int, low: int, high: int, count: int) -> tuple[int, int]:
    """The pair (k1, k2) at an index, from distinct ordered pairs with low <= k < high."""
    side = high - low
    drawn = _distinct(seed, f"pairs {low} {high}", count, side * side)[index]
    return low + drawn // side, low + drawn % side


def _primitive(name: str, subset: str, high: int, seed: int, index: int) -> Problem:
    template = TEMPLATES[name]
    if template.coefficients == 2:
        return template.problem(subset, *pair(seed, index, 1, high, COUNT))
    drawn = _distinct(seed, "values", 100, 100)[index]
    return template.problem(subset, 1 + drawn, 0)


def _declare(template: Template) -> None:
    both = template.coefficients == 2
    for subset, high, singles in (("", 100, 99), ("_paper", 101, 100)):
        name = f"primitive_{template.name}{subset}"
        size = COUNT if both else singles
        make = partial(_primitive, template.name, name, high)
        source = "what the paper's text says" if subset else "as its released code draws them"
        drawn = f"pairs over 1 to {high - 1}" if both else f"{singles} values of 1 to 100"
        make.__doc__ = f"{template.label} for {drawn}."
        benchmark(
            f"brittleness/{name}",
            source=f"{PAPER}, table 2; {source}",
            size=size,
            default=not subset,
        )(make)


for _template in TEMPLATES.values():
    _declare(_template)


# --- powers and roots ---

#: The exponents of the code: 1 to 1000 and 10000 to 10999.
EXPONENTS = (*range(1, 1001), *range(10000, 11000))


def _power(exponent: Fraction) -> IntegralTerm:
    f = power(X, number(exponent))
    return IntegralTerm(f, mul(number(1 / (exponent + 1)), power(X, number(exponent + 1))))


def power_problem(subset: str, exponent: int) -> Problem:
    """The integral of x^c."""
    return _power(Fraction(exponent)).problem(
        f"power-{exponent}", subset, metadata={"template": "x**c", "c": exponent}
    )


def root_problem(subset: str, exponent: int) -> Problem:
    """The integral of x^(1/c)."""
    return _power(Fraction(1, exponent)).problem(
        f"root-{exponent}", subset, metadata={"template": "x**(1/c)", "c": exponent}
    )


@benchmark(
    "brittleness/powers",
    source=f"{PAPER}, section 4; as its released code draws them",
    size=len(EXPONENTS),
    default=False,
)
def powers(seed: int, index: int) -> Problem:
    """x^c for c from 1 to 1000 and from 10000 to 10999."""
    return power_problem("powers", EXPONENTS[index])


@benchmark(
    "brittleness/roots",
    source=f"{PAPER}, section 4; as its released code draws them",
    size=len(EXPONENTS),
    default=False,
)
def roots(seed: int, index: int) -> Problem:
    """x^(1/c) for c from 1 to 1000 and from 10000 to 10999."""
    return root_problem("roots", EXPONENTS[index])


@benchmark(
    "brittleness/powers_paper",
    source=f"{PAPER}, section 4; what its text says",
    size=1001,
    default=False,
)
def powers_paper(seed: int, index: int) -> Problem:
    """x^c for c from 0 to 1000."""
    return power_problem("powers_paper", index)


@benchmark(
    "brittleness/roots_paper",
    source=f"{PAPER}, section 4; what its text says",
    size=1000,
    default=False,
)
def roots_paper(seed: int, index: int) -> Problem:
    """x^(1/c) for c from 1 to 1000."""
    return root_problem("roots_paper", index + 1)


# --- larger integers ---


@benchmark(
    "brittleness/cos_32",
    source=f"{PAPER}, released code only; its results are unreported",
    size=512,
    default=False,
)
def cos_32(seed: int, index: int) -> Problem:
    """32 cos(k x) for k from 512 to 1023."""
    return TEMPLATES["cos"].problem("cos_32", 32, 512 + index)


def _integers(low: int, high: int, seed: int, index: int) -> Problem:
    pair_index, which = divmod(index, len(INTEGERS))
    template, (k1, k2) = INTEGERS[which], pair(seed, pair_index, low, high, PAIRS)
    # As in the released code, k1 x may occur for several k2: the id names the pair.
    return template.problem(f"integers_{low}", k1, k2, f"{template.name}-{k1}-{k2}")


for _low, _high in RANGES:
    _make = partial(_integers, _low, _high)
    _make.__doc__ = f"Primitives with both coefficients from {_low} to {_high - 1}, all of a pair."
    benchmark(
        f"brittleness/integers_{_low}",
        source=f"{PAPER}, figure 2; as its released code draws them",
        size=PAIRS * len(INTEGERS),
        default=False,
    )(_make)
