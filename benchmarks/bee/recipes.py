"""How a new integral is made of known ones, as rewriting of trees.

A recipe takes the problem f (with its antiderivative F) that the new one is compared with, other
problems to combine it with, and random draws; it returns a `Draft`, or None if the draw is no good.
The first three are AntiderivBench's; the others are ours. Difficulty 1 is the plain recipe, a
higher one combines or composes more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import TypeVar

from ...rewards.expression.tree import Call, Expression, Symbol
from ...rewards.latex import to_latex
from ..draws import Draws
from ..expressions import (
    ONE,
    add,
    differentiate,
    div,
    mul,
    number,
    parse,
    polynomial,
    power,
    substitute,
    symbols,
)
from ..problem import JSON, Parent
from .twins import twin

Item = TypeVar("Item")

X: Expression = Symbol("x")
#: What parameters are called, in this order.
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
class Known:
    """An integral to build with: an integrand in x and its antiderivative, as trees."""

    id: str
    integrand: Expression
    antiderivative: Expression


@dataclass(frozen=True, slots=True)
class Draft:
    """A new integral with its antiderivative; ``details`` say what was drawn."""

    integrand: Expression
    antiderivative: Expression
    parents: tuple[Parent, ...]
    details: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class Choices:
    """What a recipe may draw on; ``key`` names the recipe, the seed and f.

    ``turn`` counts the tries over all variations of f, so that each gets something else.
    """

    key: tuple[object, ...]
    others: Sequence[Known]
    turn: int
    difficulty: int = 1

    @cached_property
    def draws(self) -> Draws:
        """Draws of this turn's own."""
        return Draws(*self.key, self.turn)

    def several(self, items: Sequence[Item]) -> list[Item]:
        """As many as the difficulty says, from an order that the turns of f go through."""
        order = Draws(*self.key).shuffled(items)
        first = self.turn * self.difficulty
        return [order[(first + i) % len(order)] for i in range(self.difficulty)]


Make = Callable[[Known, Choices], Draft | None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe, how many variations of each problem it makes, and what it is for."""

    name: str
    make: Make
    variations: int
    summary: str
    source: str
    of_all: bool
    simplified: bool


RECIPES: dict[str, Recipe] = {}


OURS = "this project, docs/bee.md"
PAPER = "AntiderivBench"


def recipe(
    source: str = OURS, *, variations: int = 3, of_all: bool = False, simplified: bool = True
) -> Callable[[Make], Make]:
    """Declare a recipe: its name is the function's, its summary the docstring's first line.

    ``of_all``: it is applied to every problem of the bank and not only to the competition's;
    ``simplified``: SymPy simplifies what it makes.
    """

    def declare(make: Make) -> Make:
        name = make.__name__
        summary = (make.__doc__ or "").partition("\n")[0]
        RECIPES[name] = Recipe(name, make, variations, summary, source, of_all, simplified)
        return make

    return declare


# --- AntiderivBench's three ---


@recipe(PAPER)
def lin_comb(f: Known, choices: Choices) -> Draft:
    """a f + b g: a linear combination with a qualifier integral, a and b from -9 to 9."""
    partners = choices.several(choices.others)
    factors = [choices.draws.integer(-9, 9, nonzero=True) for _ in range(1 + len(partners))]
    known = (f, *partners)
    return Draft(
        add(*(mul(number(c), k.integrand) for c, k in zip(factors, known, strict=True))),
        add(*(mul(number(c), k.antiderivative) for c, k in zip(factors, known, strict=True))),
        _parents(f, *partners),
        {"coefficients": [*factors]},
    )


@recipe(PAPER)
def subst_poly(f: Known, choices: Choices) -> Draft | None:
    """f(g(x)) g'(x) with a random cubic g, coefficients from -9 to 9."""
    inner: Expression = X
    for _ in range(choices.difficulty):
        coefficients = [choices.draws.integer(-9, 9) for _ in range(4)]
        if not any(coefficients[:3]):
            return None  # a constant
        inner = substitute(polynomial(coefficients), "x", inner)
    return _substitution(f, inner)


@recipe(PAPER)
def subst_hard(f: Known, choices: Choices) -> Draft | None:
    """f(g(x)) g'(x) with a qualifier integrand g."""
    partners = choices.several(choices.others)
    inner = reduce(lambda tree, g: substitute(g.integrand, "x", tree), partners, X)
    return _substitution(f, inner, *partners)


# --- ours ---


@recipe(variations=1)
def parts(f: Known, choices: Choices) -> Draft | None:
    """(F g)' = f g + F g' with a qualifier integrand g: integration by parts run backwards.

    Neither term need be integrable by itself, so that splitting the sum leads nowhere.
    """
    partners = choices.several(choices.others)
    factor = mul(*(g.integrand for g in partners))
    return Draft(
        add(mul(f.integrand, factor), mul(f.antiderivative, differentiate(factor))),
        mul(f.antiderivative, factor),
        _parents(f, *partners),
    )


@recipe(simplified=False)
def parametric(f: Known, choices: Choices) -> Draft | None:
    """Symbols for numbers: f(ax), f(x/a + b), x^(a-1) f(x^a) or e^(ax) f(e^(ax)), a and b positive.

    A memorised answer does not help, and one answer must hold for all values of the parameters.
    """
    names = sorted(set(PARAMETERS) - symbols(f.integrand) - symbols(f.antiderivative))
    free = [Symbol(name) for name in names]
    made, chosen = f, choices.several([*_FAMILIES])
    for form in chosen:
        if len(free) < 2:
            return None
        made = _FAMILIES[form](made, free)
    return Draft(made.integrand, made.antiderivative, _parents(f), {"families": [*chosen]})


def _scale(f: Known, free: list[Symbol]) -> Known:
    a = free.pop(0)
    return _substituted(f, mul(a, X), ONE, a)


def _shift(f: Known, free: list[Symbol]) -> Known:
    a, b = free.pop(0), free.pop(0)
    return _substituted(f, add(div(X, a), b), ONE, div(ONE, a))


def _power(f: Known, free: list[Symbol]) -> Known:
    a = free.pop(0)
    return _substituted(f, power(X, a), power(X, add(a, number(-1))), a)


def _exponential(f: Known, free: list[Symbol]) -> Known:
    a = free.pop(0)
    inner = Call("exp", (mul(a, X),))
    return _substituted(f, inner, inner, a)


_FAMILIES: dict[str, Callable[[Known, list[Symbol]], Known]] = {
    "scale": _scale,
    "power": _power,
    "shift": _shift,
    "exponential": _exponential,
}


@recipe(variations=1)
def inverse_subst(f: Known, choices: Choices) -> Draft:
    """f(h(x)) h'(x) with an inverse function h, such as arctan or ln.

    What calls for the substitution is spread over the integrand instead of standing in one place.
    """
    inner = reduce(lambda tree, h: substitute(parse(h), "x", tree), choices.several(INVERSES), X)
    return _substitution(f, inner)


@recipe(variations=1, of_all=True, simplified=False)
def twins(f: Known, choices: Choices) -> Draft | None:
    """The hyperbolic twin of a trigonometric integral, and the other way round (x to ix).

    The same method with other signs: who knows one by heart and not the method fails the other.
    """
    made = twin(f.integrand, f.antiderivative)
    return made and Draft(*made, _parents(f))


def _parents(f: Known, *partners: Known) -> tuple[Parent, ...]:
    return (Parent(f.id, "f"), *(Parent(g.id, "g") for g in partners))


def _substitution(f: Known, inner: Expression, *partners: Known) -> Draft:
    """f(g(x)) g'(x), whose antiderivative is F(g(x))."""
    made = _substituted(f, inner, differentiate(inner), ONE)
    details = {"substituted": to_latex(inner)}
    return Draft(made.integrand, made.antiderivative, _parents(f, *partners), details)


def _substituted(f: Known, inner: Expression, slope: Expression, factor: Expression) -> Known:
    """f(h(x)) times ``slope``, where h' is ``factor`` times ``slope``."""
    return Known(
        f.id,
        mul(slope, substitute(f.integrand, "x", inner)),
        div(substitute(f.antiderivative, "x", inner), factor),
    )
