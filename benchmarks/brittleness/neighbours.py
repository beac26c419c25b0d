"""Neighbours of a model's solved problems: N1 = {f/k, k f} and N2 = {f + e^x, f + ln x}.

Welleck et al., section 3.1. Functions are pure: the same solved problems and seed give the same
neighbours. ``variant`` chooses between the released code (``code``, the default, behind the
published numbers) and the text (``paper``):

- N1 takes 100 problems and 10 factors: distinct factors from 2 to 99, shared by all problems
  (code), or factors drawn from 1 to 100 for each problem (paper);
- N2 takes all problems (code), or 1,000 (paper).

Problems are sampled by hashes of names: an additional solved problem changes few other problems.
``limit`` bounds the number of neighbours. Neighbours without a proven reference are left out,
because grading of answers would be impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from ...rewards.reading.expression.build import add, div, mul, number
from ...rewards.reading.expression.tree import Call, Expression, Symbol
from ..hashed_random import HashedRandom
from ..payloads import JSON
from ..problem import Parent, Problem
from .integrals import VARIANTS, DerivationError, IntegralTerm, UnprovenError

#: The numbers of scaled problems, and of factors for each.
SCALED, FACTORS = 100, 10
#: The number of problems to which a term is added, by the paper's text.
ADDED = 1000


def neighbours(
    kind: str,
    solved: Sequence[Problem],
    seed: int,
    *,
    variant: str = "code",
    limit: int | None = None,
) -> list[Problem]:
    r"""Neighbours of solved problems f.

    Args:
        kind: ``over_k`` (f/k), ``times_k`` (k f), ``plus_exp`` (f + e^x) or ``plus_ln`` (f + ln x).
        solved: the solved problems.
        seed: the seed.
        variant: ``code`` or ``paper``.
        limit: the largest number of neighbours.

    Returns:
        The neighbours, with their originals as pair parents.

    Raises:
        DerivationError: the kind or variant is unknown, or a problem cannot be used.

    >>> from calculus_harness.benchmarks import load
    >>> solved = load("drills/monomials", limit=2)
    >>> for kind in KINDS:
    ...     neighbour, = neighbours(kind, solved, seed=0, limit=1)
    ...     print(neighbour.inputs.integrand)
    \frac{29 x^{4}}{35}
    1015 x^{4}
    29 x^{4} + e^{x}
    29 x^{4} + \ln\left(x\right)

    """
    for word, value, names in (("kind", kind, KINDS), ("variant", variant, VARIANTS)):
        if value not in names:
            raise DerivationError(f"unknown {word} {value!r}; known: {', '.join(names)}")
    make = _scaled if kind in _SCALINGS else _added
    return list(islice(make(kind, solved, seed, variant), limit))


def sample_solved(
    solved: Sequence[Problem], seed: int, purpose: str, count: int | None
) -> list[Problem]:
    """``count`` of the solved problems, or all, each once, in the order of hashes of their names.

    Raises:
        DerivationError: two different problems have the same id.

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
    neighbour: str, solved: Sequence[Problem], seed: int, variant: str
) -> Iterator[Problem]:
    scale = _SCALINGS[neighbour]
    shared = HashedRandom("brittleness", "factors", seed).shuffled(range(2, 100))[:FACTORS]
    # The same problems and factors for f/k and k f.
    for problem in sample_solved(solved, seed, "N1", SCALED):
        ks = shared
        if variant == "paper":
            rng = HashedRandom("brittleness", "factors", seed, problem.id)
            ks = rng.shuffled(range(1, 101))[:FACTORS]
        integral = IntegralTerm.of(problem)
        f, big_f = integral.integrand, integral.antiderivative
        for k in ks:
            factor = number(k)
            both = scale(f, factor), None if big_f is None else scale(big_f, factor)
            yield from _child(integral, both, neighbour, problem, f"-{k}", {"k": k})


def _added(neighbour: str, solved: Sequence[Problem], seed: int, variant: str) -> Iterator[Problem]:
    for problem in sample_solved(solved, seed, "N2", ADDED if variant == "paper" else None):
        integral = IntegralTerm.of(problem)
        f, big_f = integral.integrand, integral.antiderivative
        g, big_g = _TERMS[neighbour](Symbol(integral.variable))
        both = add(f, g), None if big_f is None else add(big_f, big_g)
        yield from _child(integral, both, neighbour, problem, "", {})


def _child(
    integral: IntegralTerm,
    changed: tuple[Expression, Expression | None],
    neighbour: str,
    parent: Problem,
    suffix: str,
    details: dict[str, JSON],
) -> Iterator[Problem]:
    """The neighbour, if the reference is proven."""
    integrand, antiderivative = changed
    with suppress(UnprovenError):
        yield replace(integral, integrand=integrand, antiderivative=antiderivative).problem(
            f"{parent.id}-{neighbour}{suffix}",
            neighbour,
            parents=(Parent(parent.id, "f"),),
            perturbation=neighbour,
            metadata={**details, "of": parent.name},
        )


def _exponential(x: Symbol) -> tuple[Expression, Expression]:
    power = Call("exp", (x,))
    return power, power


def _logarithm(x: Symbol) -> tuple[Expression, Expression]:
    ln = Call("ln", (x,))
    return ln, mul(x, add(ln, number(-1)))


_SCALINGS: dict[str, Callable[[Expression, Expression], Expression]] = {
    "over_k": div,
    "times_k": lambda f, k: mul(k, f),
}
#: Functions of the variable: the added term, and its antiderivative.
_TERMS: dict[str, Callable[[Symbol], tuple[Expression, Expression]]] = {
    "plus_exp": _exponential,
    "plus_ln": _logarithm,
}
KINDS = (*_SCALINGS, *_TERMS)
