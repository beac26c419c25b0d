"""Sums f1 + ... + fk of problems that a model solves separately (Welleck et al., section 4).

Integration is linear, so a model that integrates the terms should integrate the sum. `sums` is a
pure function of the solved problems. It draws distinct ordered tuples of problems, in which one may
occur twice (f + f), and combines like terms, as SymPy does in the released code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import reduce

from ...rewards.reading.expression.build import ONE, ZERO, add, mul, number
from ...rewards.reading.expression.traversal import substitute, symbols_of
from ...rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ..hashed_random import HashedRandom
from ..problem import Parent, Problem
from .integrals import DerivationError, Integral, UnprovenError
from .neighbours import sample_solved

#: Sums of each number of terms.
COUNT = 1000


def sums(
    solved: Sequence[Problem], seed: int, *, terms: int, pool: str = "valid", count: int = COUNT
) -> list[Problem]:
    """Sums of solved problems.

    With one term they are the solved problems again. A model that is not sampled then has no
    failures; the failures of one that is sampled measure its luck in solving them. A sum whose
    reference the verifier does not prove is left out, because answers to it could not be graded.
    (An example is x^10000 + x^(1/900): at no tested point do both terms matter.)

    Args:
        solved: the solved problems.
        seed: the seed.
        terms: the number of terms.
        pool: the name of the solved problems (``coeff``, ``exp``, ``valid``), which begins the
            subset's name, as in ``valid_sum3``.
        count: how many sums, or all if there are fewer.

    Returns:
        The sums, with their first terms as pair parents.

    >>> from calculus_harness.benchmarks import load
    >>> solved = load("drills/monomials", limit=2)
    >>> [problem.inputs.integrand for problem in sums(solved, 0, terms=2, count=2)]
    ['58 x^{4}', '20 x^{7}']

    Raises:
        DerivationError: if ``terms`` or ``count`` is below 1, or a problem cannot be used.

    """
    if terms < 1 or count < 1:
        raise DerivationError("sums need at least one term, and at least one sum")
    members = sample_solved(solved, seed, f"{pool} pool", None)
    integrals = [_in_x(problem) for problem in members]
    subset = f"{pool}_sum{terms}"
    made: dict[str, Problem] = {}
    for indices in _tuples(len(members), terms, seed, subset):
        parts = [integrals[i] for i in indices]
        whole = _sum(parts)
        if whole is None:
            continue
        parents = tuple(Parent(members[i].id, f"f{at}") for at, i in enumerate(indices, 1))
        name = "+".join(parent.id for parent in parents)
        with suppress(UnprovenError):
            made[name] = whole.problem(
                f"{name}-again" if terms == 1 else name,
                subset,
                parents=parents,
                perturbation=subset,
                metadata={"terms": terms, "pool": pool, "of": members[indices[0]].name},
            )
        if len(made) == count:
            break
    return list(made.values())


def collect(*terms: Expression) -> Expression:
    """A sum with nested sums flattened and like terms combined: 2x + sin x + 3x is 5x + sin x."""
    total: dict[Expression, Fraction] = {}
    for sign, term in _flattened(terms, Fraction(1)):
        coefficient, rest = _split(term)
        if coefficient:
            total[rest] = total.get(rest, Fraction(0)) + sign * coefficient
    return add(*(mul(number(c), rest) for rest, c in total.items()))


def _flattened(terms: Sequence[Expression], sign: Fraction) -> list[tuple[Fraction, Expression]]:
    flat: list[tuple[Fraction, Expression]] = []
    for term in terms:
        if isinstance(term, Call) and term.function == "add":
            flat += _flattened(term.args, sign)
        elif isinstance(term, Call) and term.function == "neg":
            flat += _flattened(term.args, -sign)
        else:
            flat.append((sign, term))
    return flat


def _split(term: Expression) -> tuple[Fraction, Expression]:
    """The numeric factor of a term, and the rest."""
    if isinstance(term, Number):
        return Fraction(term.numerator, term.denominator), ONE
    if isinstance(term, Call) and term.function == "mul":
        numbers = [arg for arg in term.args if isinstance(arg, Number)]
        others = [arg for arg in term.args if not isinstance(arg, Number)]
        coefficient = reduce(
            lambda product, n: product * Fraction(n.numerator, n.denominator), numbers, Fraction(1)
        )
        return coefficient, mul(*others) if others else ONE
    if isinstance(term, Call) and term.function == "div":
        above, below = (_split(arg) for arg in term.args)
        if below[0]:
            rest = above[1] if below[1] == ONE else Call("div", (above[1], below[1]))
            return above[0] / below[0], rest
    return Fraction(1), term


def _sum(parts: Sequence[Integral]) -> Integral | None:
    """The sum of integrals; None if it is 0, or the assumptions contradict each other."""
    assumptions: Mapping[str, str] = {}
    for part in parts:
        if any(
            assumptions.get(name, assumption) != assumption
            for name, assumption in part.assumptions.items()
        ):
            return None
        assumptions = {**assumptions, **part.assumptions}
    f = collect(*(part.integrand for part in parts))
    if f == ZERO:
        return None
    antiderivatives = [part.antiderivative for part in parts if part.antiderivative is not None]
    big_f = collect(*antiderivatives) if len(antiderivatives) == len(parts) else None
    return Integral(f, big_f, parts[0].variable, assumptions)


def _tuples(size: int, terms: int, seed: int, purpose: str) -> Iterator[tuple[int, ...]]:
    """All tuples of indices, in random order."""
    every = size**terms
    rng = HashedRandom("brittleness", purpose, seed)
    if every <= 1 << 14:
        numbers: Iterator[int] = iter(rng.shuffled(range(every)))
    else:
        numbers = _distinct(rng, every)
    for drawn in numbers:
        indices = []
        for _ in range(terms):
            drawn, index = divmod(drawn, size)
            indices.append(index)
        yield tuple(indices)


def _distinct(rng: HashedRandom, below: int) -> Iterator[int]:
    seen: set[int] = set()
    while len(seen) < below:
        drawn = rng.below(below)
        if drawn not in seen:
            seen.add(drawn)
            yield drawn


def _in_x(problem: Problem) -> Integral:
    """The problem's integral with the variable renamed to x, so that integrals can be added."""
    integral = Integral.of(problem)
    if integral.variable == "x":
        return integral
    if "x" in symbols_of(integral.integrand):
        raise DerivationError(
            f"{problem.id}: x is a parameter, so the variable cannot be renamed to x"
        )
    x, big_f = Symbol("x"), integral.antiderivative
    return replace(
        integral,
        integrand=substitute(integral.integrand, integral.variable, x),
        antiderivative=None if big_f is None else substitute(big_f, integral.variable, x),
        variable="x",
    )
