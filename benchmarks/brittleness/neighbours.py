"""Neighbours of problems that a model solves: N1 = {f/k, k f} and N2 = {f + e^x, f + ln x}.

Welleck et al., section 3.1. The functions here are pure: the same solved problems and seed give the
same neighbours. ``variant`` chooses between the released code (``code``, the default, which made
the published numbers) and the text (``paper``):

- N1 takes 100 problems and 10 factors: distinct ones of 2 to 99 that all problems share (code), or
  drawn from 1 to 100 for each problem (paper);
- N2 takes all problems (code), or 1,000 (paper).

Problems are sampled by hashes of their names, so that one more solved problem changes few others.
``limit`` bounds the number of neighbours. Those whose references the verifier does not prove are
left out, because answers to them could not be graded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from ...rewards.expression.tree import Call, Expression, Symbol
from ..expressions import add, div, mul, number
from ..hashed_random import HashedRandom
from ..problem import JSON, Parent, Problem
from .integrals import VARIANTS, DerivationError, Integral, UnprovenError

#: Problems that are scaled, and factors for each.
SCALED, FACTORS = 100, 10
#: Problems to which a term is added, in the paper's text.
ADDED = 1000


def over_k(
    solved: Sequence[Problem],
    seed: int,
    *,
    variant: str = "code",
    problems: int = SCALED,
    factors: int = FACTORS,
    limit: int | None = None,
) -> list[Problem]:
    r"""f/k for solved problems f and random factors k (N1).

    Args:
        solved: the solved problems.
        seed: the seed.
        variant: ``code`` or ``paper``.
        problems: how many of the solved problems are used.
        factors: how many factors for each.
        limit: how many neighbours at most.

    Returns:
        The neighbours, with their originals as pair parents.

    Raises:
        DerivationError: if the variant is unknown or a problem cannot be used.

    >>> from calculus_harness.benchmarks import load
    >>> neighbour, = over_k(load("drills/monomials", limit=2), seed=0, limit=1)
    >>> print(neighbour.inputs["integrand"])
    \frac{29 x^{4}}{35}

    """
    made = _scaled("over_k", solved, seed, variant, problems, factors, div)
    return list(islice(made, limit))


def times_k(
    solved: Sequence[Problem],
    seed: int,
    *,
    variant: str = "code",
    problems: int = SCALED,
    factors: int = FACTORS,
    limit: int | None = None,
) -> list[Problem]:
    """k f for solved problems f and random factors k (N1).

    Args:
        solved: the solved problems.
        seed: the seed.
        variant: ``code`` or ``paper``.
        problems: how many of the solved problems are used.
        factors: how many factors for each.
        limit: how many neighbours at most.

    Returns:
        The neighbours, with their originals as pair parents.

    Raises:
        DerivationError: if the variant is unknown or a problem cannot be used.

    >>> from calculus_harness.benchmarks import load
    >>> neighbour, = times_k(load("drills/monomials", limit=2), seed=0, limit=1)
    >>> neighbour.inputs["integrand"]
    '1015 x^{4}'

    """
    made = _scaled("times_k", solved, seed, variant, problems, factors, lambda f, k: mul(k, f))
    return list(islice(made, limit))


def plus_exp(
    solved: Sequence[Problem], seed: int, *, variant: str = "code", limit: int | None = None
) -> list[Problem]:
    """f + e^x for solved problems f (N2).

    Args:
        solved: the solved problems.
        seed: the seed.
        variant: ``code`` or ``paper``.
        limit: how many neighbours at most.

    Returns:
        The neighbours, with their originals as pair parents.

    Raises:
        DerivationError: if the variant is unknown or a problem cannot be used.

    >>> from calculus_harness.benchmarks import load
    >>> neighbour, = plus_exp(load("drills/monomials", limit=2), seed=0, limit=1)
    >>> neighbour.inputs["integrand"]
    '29 x^{4} + e^{x}'

    """
    return list(islice(_added("plus_exp", solved, seed, variant, _exponential), limit))


def plus_ln(
    solved: Sequence[Problem], seed: int, *, variant: str = "code", limit: int | None = None
) -> list[Problem]:
    r"""f + ln x for solved problems f (N2).

    Args:
        solved: the solved problems.
        seed: the seed.
        variant: ``code`` or ``paper``.
        limit: how many neighbours at most.

    Returns:
        The neighbours, with their originals as pair parents.

    Raises:
        DerivationError: if the variant is unknown or a problem cannot be used.

    >>> from calculus_harness.benchmarks import load
    >>> neighbour, = plus_ln(load("drills/monomials", limit=2), seed=0, limit=1)
    >>> print(neighbour.inputs["integrand"])
    29 x^{4} + \ln\left(x\right)

    """
    return list(islice(_added("plus_ln", solved, seed, variant, _logarithm), limit))


def sample_solved(
    solved: Sequence[Problem], seed: int, purpose: str, count: int | None
) -> list[Problem]:
    """``count`` of the solved problems, or all, each once, in the order of hashes of their names.

    Raises:
        DerivationError: if two different problems have the same id.

    """
    by_id: dict[str, Problem] = {}
    for problem in solved:
        if by_id.setdefault(problem.id, problem).content_hash != problem.content_hash:
            raise DerivationError(
                f"two different problems are called {problem.id!r}, in {by_id[problem.id].name} "
                f"and {problem.name}: derive from one of these sets at a time"
            )
    keys = {name: HashedRandom("brittleness", purpose, seed, name).below(1 << 64) for name in by_id}
    order = sorted(by_id, key=lambda name: (keys[name], name))
    return [by_id[name] for name in order[:count]]


def _scaled(
    name: str,
    solved: Sequence[Problem],
    seed: int,
    variant: str,
    problems: int,
    factors: int,
    scale: Callable[[Expression, Expression], Expression],
) -> Iterator[Problem]:
    _check(variant)
    shared = HashedRandom("brittleness", "factors", seed).shuffled(range(2, 100))[:factors]
    # The same problems and factors for f/k and k f.
    for problem in sample_solved(solved, seed, "N1", problems):
        ks = shared
        if variant == "paper":
            rng = HashedRandom("brittleness", "factors", seed, problem.id)
            ks = rng.shuffled(range(1, 101))[:factors]
        integral = Integral.of(problem)
        for k in ks:
            big_f = integral.antiderivative
            scaled = replace(
                integral,
                integrand=scale(integral.integrand, number(k)),
                antiderivative=None if big_f is None else scale(big_f, number(k)),
            )
            yield from _child(scaled, name, problem, f"{problem.id}-{name}-{k}", {"k": k})


def _added(
    name: str,
    solved: Sequence[Problem],
    seed: int,
    variant: str,
    term: Callable[[str], tuple[Expression, Expression]],
) -> Iterator[Problem]:
    _check(variant)
    for problem in sample_solved(solved, seed, "N2", ADDED if variant == "paper" else None):
        integral = Integral.of(problem)
        g, big_g = term(integral.variable)
        big_f = integral.antiderivative
        summed = replace(
            integral,
            integrand=add(integral.integrand, g),
            antiderivative=None if big_f is None else add(big_f, big_g),
        )
        yield from _child(summed, name, problem, f"{problem.id}-{name}", {})


def _child(
    integral: Integral, name: str, parent: Problem, id_: str, details: dict[str, JSON]
) -> Iterator[Problem]:
    """The neighbour, unless its reference is not proven."""
    with suppress(UnprovenError):
        yield integral.problem(
            id_,
            name,
            parents=(Parent(parent.id, "f"),),
            perturbation=name,
            metadata={**details, "of": parent.name},
        )


def _exponential(variable: str) -> tuple[Expression, Expression]:
    power = Call("exp", (Symbol(variable),))
    return power, power


def _logarithm(variable: str) -> tuple[Expression, Expression]:
    x = Symbol(variable)
    ln = Call("ln", (x,))
    return ln, mul(x, add(ln, number(-1)))


def _check(variant: str) -> None:
    if variant not in VARIANTS:
        raise DerivationError(f"unknown variant {variant!r}; known: {', '.join(VARIANTS)}")
