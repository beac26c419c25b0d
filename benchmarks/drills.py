"""Drills: monomials, which a very small model learns in minutes, and perturbations.

The integrands are k x^n with k in 1..30 and n in 1..12. A fifth of the pairs (k, n) is held out as
``drills/monomials``; ``drills/monomials_train`` has the remaining pairs. Each perturbed subset has
a problem for every held-out problem, so that generalisation is measured by paired differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ..rewards.reading.expression.build import add, mul, number, power
from ..rewards.reading.expression.tree import Expression, Symbol
from ..rewards.reading.latex import to_latex
from .hashed_random import HashedRandom
from .payloads import IntegrationInputs, IntegrationTarget
from .problem import Parent, Problem
from .registry import benchmark

SOURCE = "this project, docs/training.md"
COEFFICIENTS, EXPONENTS = range(1, 31), range(1, 13)
#: Ranges for problems in two steps, whose antiderivatives have integer coefficients.
STEP_COEFFICIENTS, STEP_EXPONENTS = range(1, 10), range(1, 7)
_PAIRS = HashedRandom("drills").shuffled([(k, n) for k in COEFFICIENTS for n in EXPONENTS])
HELD_OUT = tuple(sorted(_PAIRS[: len(_PAIRS) // 5]))
TRAIN = tuple(sorted(_PAIRS[len(_PAIRS) // 5 :]))

#: Terms c v^n by (c, n), in a variable.
Terms = tuple[tuple[int, int], ...]


@benchmark("drills/monomials", source=SOURCE, size=len(HELD_OUT))
def monomial(seed: int, index: int) -> Problem:
    """Held-out integrals k x^n with k in 1..30 and n in 1..12."""
    return _problem("monomials", index, (HELD_OUT[index],))


@benchmark("drills/monomials_train", source=SOURCE, size=len(TRAIN), default=False)
def monomial_train(seed: int, index: int) -> Problem:
    """The integrals k x^n to train on."""
    return _problem("monomials_train", index, (TRAIN[index],))


@benchmark("drills/renamed", source=SOURCE, size=len(HELD_OUT))
def renamed(seed: int, index: int) -> Problem:
    """The held-out integrals in t instead of x."""
    return _problem("renamed", index, (HELD_OUT[index],), variable="t", perturbed=True)


@benchmark("drills/negated", source=SOURCE, size=len(HELD_OUT))
def negated(seed: int, index: int) -> Problem:
    """The held-out integrals with a minus in front."""
    k, n = HELD_OUT[index]
    return _problem("negated", index, ((-k, n),), perturbed=True)


@benchmark("drills/larger_coefficients", source=SOURCE, size=len(HELD_OUT))
def larger_coefficient(seed: int, index: int) -> Problem:
    """The held-out integrals with 30 added to the coefficient, beyond the range of training."""
    k, n = HELD_OUT[index]
    return _problem("larger_coefficients", index, ((k + 30, n),), perturbed=True)


@benchmark("drills/larger_exponents", source=SOURCE, size=len(HELD_OUT))
def larger_exponent(seed: int, index: int) -> Problem:
    """The held-out integrals with 12 added to the exponent, beyond the range of training."""
    k, n = HELD_OUT[index]
    return _problem("larger_exponents", index, ((k, n + 12),), perturbed=True)


@benchmark("drills/sums", source=SOURCE, size=len(HELD_OUT))
def sum_of_two(seed: int, index: int) -> Problem:
    """Sums of the pair parent's integrand and a held-out integrand of another degree."""
    term = HELD_OUT[index]
    rng = HashedRandom("drills/sums", seed, index)
    second_index = rng.choice([at for at, (_, n) in enumerate(HELD_OUT) if n != term[1]])
    return _problem(
        "sums", index, (term, HELD_OUT[second_index]), perturbed=True, second_index=second_index
    )


@benchmark("drills/two_steps", source=SOURCE, size=100, default=False)
def two_steps(seed: int, index: int) -> Problem:
    """Sums of two monomials, with a solution in two steps."""
    return _in_steps("two_steps", seed, index)


@benchmark("drills/two_steps_train", source=SOURCE, size=2000, default=False)
def two_steps_train(seed: int, index: int) -> Problem:
    """Sums of two monomials to train on; some occur among ``drills/two_steps`` as well."""
    return _in_steps("two_steps_train", seed, index)


def _in_steps(subset: str, seed: int, index: int) -> Problem:
    """A sum of two monomials, with a solution in two steps in the target."""
    rng = HashedRandom(f"drills/{subset}", seed, index)
    degrees = rng.shuffled(STEP_EXPONENTS)[:2]
    terms = tuple((rng.choice(STEP_COEFFICIENTS) * (n + 1), n) for n in degrees)
    problem = _problem(subset, index, terms)
    leading, trailing = (to_latex(_term(k // (n + 1), n + 1, "x")) for k, n in terms)
    steps = rf"{leading}+\int {to_latex(_term(*terms[1], 'x'))}dx={leading}+{trailing}"
    return replace(problem, target=replace(problem.target_as(IntegrationTarget), steps=steps))


def _problem(
    subset: str,
    index: int,
    terms: Terms,
    *,
    variable: str = "x",
    perturbed: bool = False,
    second_index: int | None = None,
) -> Problem:
    parents = [("monomials", index)] if perturbed else []
    if second_index is not None:
        parents.append(("monomials", second_index))
    integrand = add(*(_term(c, n, variable) for c, n in terms))
    antiderivative = add(*(_term(Fraction(c, n + 1), n + 1, variable) for c, n in terms))
    return drill(
        ("drills", subset, index),
        (integrand, antiderivative),
        variable,
        parents,
        tag="power rule",
        difficulty=len(terms),
    )


def drill(
    place: tuple[str, str, int],
    formulas: tuple[Expression, Expression],
    variable: str,
    parents: Sequence[tuple[str, int]],
    *,
    tag: str,
    difficulty: int,
) -> Problem:
    """An integral to drill.

    Args:
        place: benchmark, subset and index.
        formulas: integrand and antiderivative.
        variable: the variable of integration.
        parents: subset and index of the original, and of the second term of a sum.
        tag: the rule of integration.
        difficulty: the number of terms.

    """
    benchmark, subset, index = place
    integrand, antiderivative = map(to_latex, formulas)
    names = [_id(*parent) for parent in parents]
    roles = ("original", "second term")
    return Problem(
        id=_id(subset, index),
        task="integration",
        benchmark=benchmark,
        subset=subset,
        inputs=IntegrationInputs(integrand, variable),
        target=IntegrationTarget(integrand, variable, antiderivative),
        parents=tuple(map(Parent, names, roles)),
        pair_parent=names[0] if names else None,
        perturbation=subset if names else None,
        metadata={"tags": [tag], "difficulty": difficulty},
    )


def _id(subset: str, index: int) -> str:
    return f"{subset}-{index:03}"


def _term(coefficient: int | Fraction, exponent: int, variable: str) -> Expression:
    return mul(number(coefficient), power(Symbol(variable), number(exponent)))
