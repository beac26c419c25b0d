"""Drills of composed functions: k cos(b x) and k e^(b x), with perturbations.

Together with ``drills`` the problems train a small language model (docs/results/language_model.md).
k is in 1..30 and b in 2..9. A fifth of the pairs (k, b) is held out, equal in both families:
``composed/cosines`` and ``composed/exponentials``; the remaining pairs are in subsets ending in
``_train``. Every perturbed subset has a problem for every held-out problem, with the families in
turn: the first perturbed problems belong to the first held-out problems.
"""

from __future__ import annotations

from fractions import Fraction

from ..rewards.reading.expression.build import add, mul, number
from ..rewards.reading.expression.tree import Call, Expression, Symbol
from .drills import drill
from .hashed_random import HashedRandom
from .problem import Problem
from .registry import benchmark

SOURCE = "this project, docs/results/language_model.md"
FAMILIES = ("cosines", "exponentials")
COEFFICIENTS, FACTORS = range(1, 31), range(2, 10)
_PAIRS = HashedRandom("composed").shuffled([(k, b) for k in COEFFICIENTS for b in FACTORS])
HELD_OUT = tuple(_PAIRS[: len(_PAIRS) // 5])
TRAIN = tuple(_PAIRS[len(_PAIRS) // 5 :])

#: Terms of a sum, each a family with k and b.
Terms = tuple[tuple[str, int, int], ...]


@benchmark("composed/cosines", source=SOURCE, size=len(HELD_OUT))
def cosine(seed: int, index: int) -> Problem:
    """Held-out integrals k cos(b x) with k in 1..30 and b in 2..9."""
    return _problem("cosines", index, (("cosines", *HELD_OUT[index]),))


@benchmark("composed/exponentials", source=SOURCE, size=len(HELD_OUT))
def exponential(seed: int, index: int) -> Problem:
    """Held-out integrals k e^(b x) with k in 1..30 and b in 2..9."""
    return _problem("exponentials", index, (("exponentials", *HELD_OUT[index]),))


@benchmark("composed/cosines_train", source=SOURCE, size=len(TRAIN), default=False)
def cosine_train(seed: int, index: int) -> Problem:
    """The integrals k cos(b x) to train on."""
    return _problem("cosines_train", index, (("cosines", *TRAIN[index]),))


@benchmark("composed/exponentials_train", source=SOURCE, size=len(TRAIN), default=False)
def exponential_train(seed: int, index: int) -> Problem:
    """The integrals k e^(b x) to train on."""
    return _problem("exponentials_train", index, (("exponentials", *TRAIN[index]),))


@benchmark("composed/renamed", source=SOURCE, size=2 * len(HELD_OUT))
def renamed(seed: int, index: int) -> Problem:
    """The held-out integrals in t instead of x."""
    return _perturbed("renamed", index, variable="t")


@benchmark("composed/negated", source=SOURCE, size=2 * len(HELD_OUT))
def negated(seed: int, index: int) -> Problem:
    """The held-out integrals with a minus in front."""
    return _perturbed("negated", index, sign=-1)


@benchmark("composed/larger_coefficients", source=SOURCE, size=2 * len(HELD_OUT))
def larger_coefficient(seed: int, index: int) -> Problem:
    """The held-out integrals with 30 added to k, beyond the range of training."""
    return _perturbed("larger_coefficients", index, more_k=30)


@benchmark("composed/larger_factors", source=SOURCE, size=2 * len(HELD_OUT))
def larger_factor(seed: int, index: int) -> Problem:
    """The held-out integrals with 8 added to b, beyond the range of training."""
    return _perturbed("larger_factors", index, more_b=8)


@benchmark("composed/sums", source=SOURCE, size=2 * len(HELD_OUT))
def sum_of_two(seed: int, index: int) -> Problem:
    """The integrand of a pair's parent plus a held-out integrand of the other family."""
    family, index_of_pair = _original(index)
    second_family = FAMILIES[1 - FAMILIES.index(family)]
    second = HashedRandom("composed/sums", seed, index).choice(range(len(HELD_OUT)))
    terms = ((family, *HELD_OUT[index_of_pair]), (second_family, *HELD_OUT[second]))
    return _problem(
        "sums", index, terms, parents=((family, index_of_pair), (second_family, second))
    )


def _original(index: int) -> tuple[str, int]:
    """The family and the index of a perturbed problem's held-out original."""
    return FAMILIES[index % 2], index // 2


def _perturbed(
    subset: str, index: int, *, variable: str = "x", sign: int = 1, more_k: int = 0, more_b: int = 0
) -> Problem:
    family, index_of_pair = _original(index)
    k, b = HELD_OUT[index_of_pair]
    terms = ((family, sign * (k + more_k), b + more_b),)
    return _problem(subset, index, terms, variable=variable, parents=((family, index_of_pair),))


def _problem(
    subset: str,
    index: int,
    terms: Terms,
    *,
    variable: str = "x",
    parents: tuple[tuple[str, int], ...] = (),
) -> Problem:
    integrand, antiderivative = (
        add(*(_term(*term, variable, integrated=integrated) for term in terms))
        for integrated in (False, True)
    )
    return drill(
        ("composed", subset, index),
        (integrand, antiderivative),
        variable,
        parents,
        tag="composition",
        difficulty=len(terms),
    )


def _term(family: str, k: int, b: int, variable: str, *, integrated: bool) -> Expression:
    inner = mul(number(b), Symbol(variable))
    factor = number(Fraction(k, b) if integrated else k)
    if family == "exponentials":
        return mul(factor, Call("exp", (inner,)))
    return mul(factor, Call("sin" if integrated else "cos", (inner,)))
