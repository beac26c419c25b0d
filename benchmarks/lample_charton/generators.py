"""The three generators of Lample and Charton (section 4), with the released code's filters.

A generator takes an algebra backend and random numbers and makes an `UnprovenPair`, or raises
`UnusableFormulaError` with the reason. `pairs` chooses the attempts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...rewards.errors import suggest
from ...rewards.reading.expression.tree import Expression
from ..algebra.normal_form import UnusableFormulaError
from ..hashed_random import HashedRandom
from .algebra.backends import Backend
from .codec.prefix import Tokens, operator_count
from .codec.vocabulary import DIGITS
from .known_integrals import KnownIntegrals
from .sampling import GRAMMARS, sample_tree

RECIPES = ("own", "published")
METHODS = ("fwd", "bwd", "ibp")

#: The reciprocal of the share of very small expressions.
SMALL_SHARE = 40


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """The settings of a generator; the defaults are from the published data.

    Attributes:
        recipe: ``own`` (this package's algebra and simplifier) or ``published`` (SymPy for
            everything, as in the released code).
        max_operators: the largest number of operators of random expressions.
        operators: the exact number of operators of random expressions, if given.
        max_length: the largest number of tokens of the integrand and of the antiderivative,
            including the tokens of begin and end.
        grammar: a name of `GRAMMARS`: the operators and leaves of random expressions.

    >>> GeneratorSettings(max_operators=5).max_length
    512

    """

    recipe: str = "own"
    max_operators: int = 15
    operators: int | None = None
    max_length: int = 512
    grammar: str = "published"

    def __post_init__(self) -> None:
        if self.recipe not in RECIPES:
            raise ValueError(f"unknown recipe {self.recipe!r}; {suggest(self.recipe, RECIPES)}")
        if self.grammar not in GRAMMARS:
            raise ValueError(f"unknown grammar {self.grammar!r}; {suggest(self.grammar, GRAMMARS)}")
        if self.max_operators < 1 or (self.operators is not None and self.operators < 0):
            raise ValueError("an expression needs at least one operator")

    def operator_number(self, rng: HashedRandom, small: int) -> int:
        """A random number of operators: rarely below ``small``, else uniform up to the largest
        number.

        Args:
            rng: the generator of random numbers.
            small: the bound of small numbers of operators.

        Returns:
            The number.

        """
        if self.operators is not None:
            return self.operators
        if rng.below(SMALL_SHARE) == 0 or self.max_operators < small:
            return rng.below(min(small, self.max_operators + 1))
        return rng.integer(small, self.max_operators)

    def tree(self, rng: HashedRandom, operators: int) -> Expression:
        """A random expression of the grammar, with exactly ``operators`` operators.

        Args:
            rng: the generator of random numbers.
            operators: the number of operators.

        Returns:
            The tree, not evaluated.

        """
        return sample_tree(rng, operators, GRAMMARS[self.grammar])


@dataclass(frozen=True, slots=True)
class UnprovenPair:
    """A generated integrand and antiderivative, not yet verified."""

    integrand: Tokens
    antiderivative: Tokens
    operators: int
    simplified: bool = False


def forward(backend: Backend, rng: HashedRandom, settings: GeneratorSettings) -> UnprovenPair:
    """FWD: a random f, integrated by SymPy (Risch)."""
    operators = settings.operator_number(rng, 3)
    f = backend.read(settings.tree(rng, operators))
    if rng.below(2):
        f = backend.without_constants(f)
    _require_variable(backend, f)
    integrand = backend.prefix(f)
    _require_operators(integrand, operators)
    _require_length(integrand, settings)
    return _bounded(
        UnprovenPair(integrand, backend.prefix(backend.integral(f)), operators), settings
    )


def backward(backend: Backend, rng: HashedRandom, settings: GeneratorSettings) -> UnprovenPair:
    """BWD: a random F without additive constants, differentiated; simplified half of the time."""
    operators = settings.operator_number(rng, 4)
    big_f = backend.without_constants(backend.read(settings.tree(rng, operators)))
    _require_variable(backend, big_f)
    f = backend.derivative(big_f)
    simplified = bool(rng.below(2))
    if simplified:
        f = backend.simplify(f, 2)
    antiderivative = backend.prefix(big_f)
    _require_operators(antiderivative, operators)
    unproven = UnprovenPair(backend.prefix(f), antiderivative, operators, simplified)
    return _bounded(unproven, settings)


def by_parts(
    backend: Backend,
    rng: HashedRandom,
    settings: GeneratorSettings,
    known_integrals: KnownIntegrals,
) -> UnprovenPair:
    """IBP: the integral of F g from the integral of f G for random F and G, or vice versa."""
    factors = draw_parts(backend, rng, settings)
    h, big_h = integrate_by_parts(
        backend, known_integrals.extended(backend, factors.integrals), factors
    )
    h, big_h = backend.simplify(h, 1), backend.simplify(backend.without_constants(big_h), 1)
    if rng.below(2):
        factor, h = backend.without_factor(h)
        big_h = backend.div(big_h, factor)
    _require_variable(backend, h)
    antiderivative = backend.prefix(big_h)
    integrand = backend.prefix(h)
    if settings.recipe == "own":  # the released code lacks these filters and has many powers of x
        _require_operators(antiderivative, factors.operators)
        if _ALGEBRAIC.issuperset(integrand):
            raise UnusableFormulaError("needs no integration by parts")
    return _bounded(UnprovenPair(integrand, antiderivative, factors.operators, True), settings)


#: The tokens of sums, products and powers of the variable.
_ALGEBRAIC = frozenset(
    ("add", "mul", "div", "pow", "sqrt", "x", "pi", "E", "INT+", "INT-", *DIGITS)
)


@dataclass(frozen=True, slots=True)
class ByPartsFactors:
    """F and G with their derivatives; g has no constant factor."""

    big_f: Any
    f: Any
    big_g: Any
    g: Any
    operators: int

    @property
    def integrals(self) -> tuple[tuple[Any, Any], ...]:
        """(f, F) and (g, G)."""
        return (self.f, self.big_f), (self.g, self.big_g)


#: The largest number of operators of F and of G in the recipe ``own``: hardly any product of larger
#: functions has a known integral.
OWN_PARTS = 5


def draw_parts(backend: Backend, rng: HashedRandom, settings: GeneratorSettings) -> ByPartsFactors:
    """Random F and G; raises `UnusableFormulaError` for a constant."""
    if settings.recipe == "own":
        max_operators = min(OWN_PARTS, settings.max_operators)
        counts = (rng.below(max_operators + 1), rng.integer(1, max_operators))
    else:
        max_operators = settings.max_operators
        counts = (settings.operator_number(rng, 4), rng.integer(1, max_operators))
    big: list[Any] = []
    small: list[Any] = []
    for count in counts:
        formula = backend.read(settings.tree(rng, count))
        if rng.below(2):
            formula = backend.without_constants(formula)
        _require_variable(backend, formula)
        big.append(formula)
        small.append(backend.simplify(backend.derivative(formula), 1))
    factor, g = backend.without_factor(small[1])
    return ByPartsFactors(big[0], small[0], backend.div(big[1], factor), g, sum(counts))


def integrate_by_parts(
    backend: Backend, known_integrals: KnownIntegrals, factors: ByPartsFactors
) -> tuple[Any, Any]:
    """An integrand and its antiderivative from a known integral of f G or of F g.

    Raises:
        UnusableFormulaError: neither integral is known.

    """
    product = backend.mul(factors.big_f, factors.big_g)
    known_part = known_integrals.integral(backend, backend.mul(factors.f, factors.big_g))
    if known_part is not None:
        return backend.mul(factors.big_f, factors.g), backend.add(product, backend.neg(known_part))
    known_part = known_integrals.integral(backend, backend.mul(factors.big_f, factors.g))
    if known_part is not None:
        return backend.mul(factors.f, factors.big_g), backend.add(product, backend.neg(known_part))
    raise UnusableFormulaError("neither product's integral is known")


def _require_variable(backend: Backend, formula: Any) -> None:
    if not backend.varies(formula):
        raise UnusableFormulaError("constant")


def _require_operators(tokens: Tokens, drawn: int) -> None:
    """Refuse formulas that lost more than half of the drawn operators by evaluation."""
    if 2 * operator_count(tokens) < drawn:
        raise UnusableFormulaError("evaluated to much less than was drawn")


def _require_length(tokens: Tokens, settings: GeneratorSettings) -> None:
    if len(tokens) + 2 > settings.max_length:
        raise UnusableFormulaError("too long")


def _bounded(unproven: UnprovenPair, settings: GeneratorSettings) -> UnprovenPair:
    _require_length(unproven.integrand, settings)
    _require_length(unproven.antiderivative, settings)
    return unproven


#: The generators that need no known integrals.
GENERATORS: dict[str, Callable[[Backend, HashedRandom, GeneratorSettings], UnprovenPair]] = {
    "fwd": forward,
    "bwd": backward,
}
