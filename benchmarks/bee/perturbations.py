"""Perturbations: functions from given integrals to a new integral, by rewriting trees.

A perturbation takes the original problem f (with antiderivative F), other problems for
combinations, and random numbers. The result is a `NewIntegral`, or None for an unusable draw. The
first three perturbations are AntiderivBench's, the remaining perturbations are ours. Difficulty 1
is the plain perturbation; a higher difficulty combines or composes more integrals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, Literal, TypeAlias, TypeVar

from ...rewards.reading.expression.build import ONE, add, div, mul, number, polynomial, power
from ...rewards.reading.expression.derivative import differentiate
from ...rewards.reading.expression.traversal import nodes_of, substitute, symbols_of
from ...rewards.reading.expression.tree import Call, Expression, Symbol
from ...rewards.reading.functions import INVERSE_TRIGONOMETRIC, TRIGONOMETRIC
from ...rewards.reading.latex import to_latex
from ..algebra.formulas import parse
from ..hashed_random import HashedRandom
from ..payloads import JSON
from ..problem import Parent
from .hyperbolic import hyperbolic_counterpart

Item = TypeVar("Item")

X: Expression = Symbol("x")
#: Names of parameters, in the order of use.
PARAMETERS = ("a", "b", "c", "k", "m", "n")
#: Inverse functions to substitute.
INVERSES = (
    r"\ln x",
    r"\arctan x",
    r"\sqrt x",
    r"\arcsin x",
    r"\operatorname{arsinh} x",
    r"\sqrt[3]{x}",
    r"\operatorname{artanh} x",
)


@dataclass(frozen=True, slots=True)
class SourceIntegral:
    """A given integral: an integrand in x and the antiderivative, as trees."""

    id: str
    integrand: Expression
    antiderivative: Expression


@dataclass(frozen=True, slots=True)
class NewIntegral:
    """A new integral with the antiderivative; ``details`` holds the random choices."""

    integrand: Expression
    antiderivative: Expression
    parents: tuple[Parent, ...]
    details: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class Choices:
    """The random choices of an attempt.

    Attributes:
        key: the perturbation's name, the seed and the id of f.
        others: integrals to combine f with.
        attempt: the number of the attempt, counted over all variations of f.
        difficulty: how many choices `several` returns.

    """

    key: tuple[object, ...]
    others: Sequence[SourceIntegral]
    attempt: int
    difficulty: int = 1

    @cached_property
    def rng(self) -> HashedRandom:
        """The random numbers of an attempt."""
        return HashedRandom(*self.key, self.attempt)

    def several(self, items: Sequence[Item]) -> list[Item]:
        """As many items as the difficulty; attempts go through a random order of the items.

        Raises:
            ValueError: there are no items, as in a bank of one problem.

        """
        if not items:
            raise ValueError("there is nothing to combine the integral with")
        order = HashedRandom(*self.key).shuffled(items)
        start = self.attempt * self.difficulty
        return [order[(start + i) % len(order)] for i in range(self.difficulty)]


Make = Callable[[SourceIntegral, Choices], NewIntegral | None]


def every(integrand: Expression) -> bool:
    """True: problems are made of every integral."""
    return True


_TRIGONOMETRIC = frozenset(f.name for f in (*TRIGONOMETRIC, *INVERSE_TRIGONOMETRIC))


def has_no_trig(integrand: Expression) -> bool:
    """Whether an integrand lacks trigonometric functions and their inverses."""
    return not any(
        isinstance(node, Call) and node.function in _TRIGONOMETRIC for node in nodes_of(integrand)
    )


#: The simplifier of new integrands: SymPy within a time limit, or the prover's normal forms.
Simplifier: TypeAlias = Literal["sympy", "normal forms", "none"]


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A declared perturbation; see `perturbation`.

    Two with the same ``draws`` make the same random choices. Only integrals whose integrand is
    ``eligible`` are perturbed, or combined with others.
    """

    name: str
    make: Make
    variations: int
    summary: str
    source: str
    of_all: bool
    simplifier: Simplifier
    draws: str
    eligible: Callable[[Expression], bool] = every


PERTURBATIONS: dict[str, Perturbation] = {}


OURS = "this project, docs/bee.md"
PAPER = "AntiderivBench"


def perturbation(
    source: str = OURS, *, variations: int = 3, of_all: bool = False, simplified: bool = True
) -> Callable[[Make], Make]:
    """Declare a perturbation. Its name is the function's, its summary the docstring's first line.

    Args:
        source: the paper or document with the description.
        variations: the number of problems from each original.
        of_all: whether the perturbation applies to all problems of the bank, not only to the
            competition.
        simplified: whether the new integrands are simplified, by SymPy.

    """

    def declare(make: Make) -> Make:
        name = make.__name__
        summary = (make.__doc__ or "").partition("\n")[0]
        simplifier: Simplifier = "sympy" if simplified else "none"
        PERTURBATIONS[name] = Perturbation(
            name, make, variations, summary, source, of_all, simplifier, draws=name
        )
        return make

    return declare


# --- AntiderivBench's three ---


@perturbation(PAPER)
def lin_comb(f: SourceIntegral, choices: Choices) -> NewIntegral:
    """a f + b g: a linear combination with a qualifier integral, a and b from -9 to 9."""
    partners = choices.several(choices.others)
    factors = [choices.rng.integer(-9, 9, nonzero=True) for _ in range(1 + len(partners))]
    integrals = (f, *partners)
    return NewIntegral(
        add(*(mul(number(c), k.integrand) for c, k in zip(factors, integrals, strict=True))),
        add(*(mul(number(c), k.antiderivative) for c, k in zip(factors, integrals, strict=True))),
        _parents(f, *partners),
        {"coefficients": [*factors]},
    )


@perturbation(PAPER)
def subst_poly(f: SourceIntegral, choices: Choices) -> NewIntegral | None:
    """f(g(x)) g'(x) with a random cubic g, coefficients from -9 to 9."""
    inner: Expression = X
    for _ in range(choices.difficulty):
        coefficients = [choices.rng.integer(-9, 9) for _ in range(4)]
        if not any(coefficients[:3]):
            return None  # a constant
        inner = substitute(polynomial(coefficients), "x", inner)
    return _substitution(f, inner)


@perturbation(PAPER)
def subst_hard(f: SourceIntegral, choices: Choices) -> NewIntegral | None:
    """f(g(x)) g'(x) with a qualifier integrand g."""
    partners = choices.several(choices.others)
    inner = reduce(lambda tree, g: substitute(g.integrand, "x", tree), partners, X)
    return _substitution(f, inner, *partners)


#: Suffix -> what differs from the three: the end of the summary, the reason, and the attributes.
_VARIANTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "normal": (
        "simplified by exact normal forms instead of SymPy",
        "with another simplifier: docs/bee.md",
        {"simplifier": "normal forms"},
    ),
    "composed": (
        "not simplified",
        "without its last step: docs/results/bank.md",
        {"simplifier": "none"},
    ),
    "without_trig": (
        "of integrals without trigonometric functions, not simplified",
        "with other parents and without its last step: docs/results/bank.md",
        {"simplifier": "none", "eligible": has_no_trig},
    ),
}
for _name in ("lin_comb", "subst_poly", "subst_hard"):
    for _suffix, (_summary, _source, _changes) in _VARIANTS.items():
        _variant = f"{_name}_{_suffix}"
        PERTURBATIONS[_variant] = replace(
            PERTURBATIONS[_name],
            name=_variant,
            summary=f"As {_name}, {_summary}.",
            source=f"{PAPER}, {_source}",
            # Other parents are other draws; the same parents give the same draws.
            draws=_variant if "eligible" in _changes else _name,
            **_changes,
        )


# --- this project's ---


@perturbation(variations=1)
def parts(f: SourceIntegral, choices: Choices) -> NewIntegral | None:
    """(F g)' = f g + F g' with a qualifier integrand g: integration by parts run backwards.

    The terms are in general not integrable by themselves.
    """
    partners = choices.several(choices.others)
    factor = mul(*(g.integrand for g in partners))
    return NewIntegral(
        add(mul(f.integrand, factor), mul(f.antiderivative, differentiate(factor))),
        mul(f.antiderivative, factor),
        _parents(f, *partners),
    )


@perturbation(simplified=False)
def parametric(f: SourceIntegral, choices: Choices) -> NewIntegral | None:
    """Symbols for numbers: f(ax), f(x/a + b), x^(a-1) f(x^a) or e^(ax) f(e^(ax)), a and b positive.

    One answer must hold for all values of the parameters.
    """
    names = sorted(set(PARAMETERS) - symbols_of(f.integrand) - symbols_of(f.antiderivative))
    free = [Symbol(name) for name in names]
    integral, chosen = f, choices.several([*_FAMILIES])
    for form in chosen:
        if len(free) < 2:
            return None
        integral = _FAMILIES[form](integral, free)
    return NewIntegral(
        integral.integrand, integral.antiderivative, _parents(f), {"families": [*chosen]}
    )


def _scale(f: SourceIntegral, free: list[Symbol]) -> SourceIntegral:
    a = free.pop(0)
    return _substituted(f, mul(a, X), ONE, a)


def _shift(f: SourceIntegral, free: list[Symbol]) -> SourceIntegral:
    a, b = free.pop(0), free.pop(0)
    return _substituted(f, add(div(X, a), b), ONE, div(ONE, a))


def _power(f: SourceIntegral, free: list[Symbol]) -> SourceIntegral:
    a = free.pop(0)
    return _substituted(f, power(X, a), power(X, add(a, number(-1))), a)


def _exponential(f: SourceIntegral, free: list[Symbol]) -> SourceIntegral:
    a = free.pop(0)
    inner = Call("exp", (mul(a, X),))
    return _substituted(f, inner, inner, a)


_FAMILIES: dict[str, Callable[[SourceIntegral, list[Symbol]], SourceIntegral]] = {
    "scale": _scale,
    "power": _power,
    "shift": _shift,
    "exponential": _exponential,
}


@perturbation(variations=1)
def inverse_subst(f: SourceIntegral, choices: Choices) -> NewIntegral:
    """f(h(x)) h'(x) with an inverse function h, such as arctan or ln.

    The hints at the substitution are spread over the integrand.
    """
    inner = reduce(lambda tree, h: substitute(parse(h), "x", tree), choices.several(INVERSES), X)
    return _substitution(f, inner)


@perturbation(variations=1, of_all=True, simplified=False)
def twins(f: SourceIntegral, choices: Choices) -> NewIntegral | None:
    """The hyperbolic twin of a trigonometric integral, and the other way round (x to ix).

    The same method solves both, with other signs.
    """
    counterpart = hyperbolic_counterpart(f.integrand, f.antiderivative)
    return counterpart and NewIntegral(*counterpart, _parents(f))


def _parents(f: SourceIntegral, *partners: SourceIntegral) -> tuple[Parent, ...]:
    return (Parent(f.id, "f"), *(Parent(g.id, "g") for g in partners))


def _substitution(f: SourceIntegral, inner: Expression, *partners: SourceIntegral) -> NewIntegral:
    """f(g(x)) g'(x), whose antiderivative is F(g(x))."""
    substituted = _substituted(f, inner, differentiate(inner), ONE)
    details = {"substituted": to_latex(inner)}
    return NewIntegral(
        substituted.integrand, substituted.antiderivative, _parents(f, *partners), details
    )


def _substituted(
    f: SourceIntegral, inner: Expression, slope: Expression, factor: Expression
) -> SourceIntegral:
    """f(h(x)) times ``slope``, where h' is ``factor`` times ``slope``."""
    return SourceIntegral(
        f.id,
        mul(slope, substitute(f.integrand, "x", inner)),
        div(substitute(f.antiderivative, "x", inner), factor),
    )
