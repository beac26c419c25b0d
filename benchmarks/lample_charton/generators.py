"""The three generators (L&C, section 4; filters as in the released code), as pure functions.

One attempt takes a `Kit` and draws and gives a `Draft`, or refuses with `UnusableError`, whose text
is the reason. Which attempts are made, and how often, is decided in `pairs`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..draws import Draws
from .algebra.backends import Kit
from .algebra.normal_form import UnusableError
from .codec.prefix import Tokens, operator_count
from .codec.vocabulary import DIGITS
from .known_integrals import Known
from .sampling import PUBLISHED, sample_tree

RECIPES = ("own", "published")
METHODS = ("fwd", "bwd", "ibp")

#: One draw in so many is of a very small expression.
SMALL_SHARE = 40


@dataclass(frozen=True, slots=True)
class Settings:
    """What a generator may be told; the defaults are those of the published data.

    ``recipe`` is ``own`` (our algebra, our simplifier) or ``published`` (SymPy for everything, as
    the released code). Expressions have up to ``max_operators`` operators, or exactly
    ``operators``. ``max_length`` bounds each side in tokens, begin and end included.
    """

    recipe: str = "own"
    max_operators: int = 15
    operators: int | None = None
    max_length: int = 512

    def __post_init__(self) -> None:
        if self.recipe not in RECIPES:
            raise ValueError(f"no recipe {self.recipe!r}; there are {', '.join(RECIPES)}")
        if self.max_operators < 1 or (self.operators is not None and self.operators < 0):
            raise ValueError("an expression needs at least one operator")

    def operator_number(self, draws: Draws, small: int) -> int:
        """How many operators: rarely fewer than ``small``, else evenly up to the most."""
        if self.operators is not None:
            return self.operators
        if draws.below(SMALL_SHARE) == 0 or self.max_operators < small:
            return draws.below(min(small, self.max_operators + 1))
        return draws.integer(small, self.max_operators)


@dataclass(frozen=True, slots=True)
class Draft:
    """An integrand and an antiderivative that follows from how they were made, not yet proven."""

    integrand: Tokens
    antiderivative: Tokens
    operators: int
    simplified: bool = False


def forward(kit: Kit[Any], draws: Draws, settings: Settings) -> Draft:
    """FWD: a random f, integrated by SymPy (Risch)."""
    operators = settings.operator_number(draws, 3)
    f = kit.read(sample_tree(draws, operators, PUBLISHED))
    if draws.below(2):
        f = kit.without_constants(f)
    _require_variable(kit, f)
    integrand = kit.prefix(f)
    _require_operators(integrand, operators)
    return _bounded(Draft(integrand, kit.prefix(kit.integral(f)), operators), settings)


def backward(kit: Kit[Any], draws: Draws, settings: Settings) -> Draft:
    """BWD: a random F without additive constants, differentiated; simplified half of the time."""
    operators = settings.operator_number(draws, 4)
    big_f = kit.without_constants(kit.read(sample_tree(draws, operators, PUBLISHED)))
    _require_variable(kit, big_f)
    f = kit.derivative(big_f)
    simplified = bool(draws.below(2))
    if simplified:
        f = kit.simplify(f, 2)
    antiderivative = kit.prefix(big_f)
    _require_operators(antiderivative, operators)
    draft = Draft(kit.prefix(f), antiderivative, operators, simplified)
    return _bounded(draft, settings)


def by_parts(kit: Kit[Any], draws: Draws, settings: Settings, known: Known) -> Draft:
    """IBP: random F and G; the integral of F g from that of f G, or the other way round."""
    parts = draw_parts(kit, draws, settings)
    h, big_h = integrate_by_parts(kit, known.with_parts(kit, parts), parts)
    h, big_h = kit.simplify(h, 1), kit.simplify(kit.without_constants(big_h), 1)
    if draws.below(2):
        factor, h = kit.without_factor(h)
        big_h = kit.div(big_h, factor)
    _require_variable(kit, h)
    antiderivative = kit.prefix(big_h)
    integrand = kit.prefix(h)
    if settings.recipe == "own":  # the released code has no such filters, and many powers of x
        _require_operators(antiderivative, parts.operators)
        if _ALGEBRAIC.issuperset(integrand):
            raise UnusableError("needs no integration by parts")
    return _bounded(Draft(integrand, antiderivative, parts.operators, True), settings)


#: What sums, products and powers of the variable are written with.
_ALGEBRAIC = frozenset(
    ("add", "mul", "div", "pow", "sqrt", "x", "pi", "E", "INT+", "INT-", *DIGITS)
)


@dataclass(frozen=True, slots=True)
class Parts:
    """F and G with their derivatives; g has no constant factor."""

    big_f: Any
    f: Any
    big_g: Any
    g: Any
    operators: int


#: Most operators of F and of G in our own recipe: of larger ones hardly any product is known.
OWN_PARTS = 5


def draw_parts(kit: Kit[Any], draws: Draws, settings: Settings) -> Parts:
    """Random F and G. `UnusableError` if one is constant."""
    if settings.recipe == "own":
        most = min(OWN_PARTS, settings.max_operators)
        counts = (draws.below(most + 1), draws.integer(1, most))
    else:
        most = settings.max_operators
        counts = (settings.operator_number(draws, 4), draws.integer(1, most))
    big: list[Any] = []
    small: list[Any] = []
    for count in counts:
        whole = kit.read(sample_tree(draws, count, PUBLISHED))
        if draws.below(2):
            whole = kit.without_constants(whole)
        _require_variable(kit, whole)
        big.append(whole)
        small.append(kit.simplify(kit.derivative(whole), 1))
    factor, g = kit.without_factor(small[1])
    return Parts(big[0], small[0], kit.div(big[1], factor), g, sum(counts))


def integrate_by_parts(kit: Kit[Any], known: Known, parts: Parts) -> tuple[Any, Any]:
    """An integrand and its antiderivative, if one of the two products' is known."""
    whole = kit.mul(parts.big_f, parts.big_g)
    other = known.integral(kit, kit.mul(parts.f, parts.big_g))
    if other is not None:
        return kit.mul(parts.big_f, parts.g), kit.sub(whole, other)
    other = known.integral(kit, kit.mul(parts.big_f, parts.g))
    if other is not None:
        return kit.mul(parts.f, parts.big_g), kit.sub(whole, other)
    raise UnusableError("neither product's integral is known")


def _require_variable(kit: Kit[Any], formula: Any) -> None:
    if not kit.varies(formula):
        raise UnusableError("constant")


def _require_operators(tokens: Tokens, drawn: int) -> None:
    """Most of what was drawn must still be there."""
    if 2 * operator_count(tokens) < drawn:
        raise UnusableError("evaluated to much less than was drawn")


def _bounded(draft: Draft, settings: Settings) -> Draft:
    if max(len(draft.integrand), len(draft.antiderivative)) + 2 > settings.max_length:
        raise UnusableError("too long")
    return draft


#: Attempts that need nothing but a kit and draws.
ATTEMPTS: dict[str, Callable[[Kit[Any], Draws, Settings], Draft]] = {
    "fwd": forward,
    "bwd": backward,
}
