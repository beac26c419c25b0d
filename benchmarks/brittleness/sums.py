"""Sums of problems that a model solves, each by itself: f1 + ... + fk (Welleck et al., section 4).

As integration is linear, who integrates the parts should integrate the whole. Pure functions of
what was solved: `sums` draws distinct ordered tuples of problems, within which one may come twice
(f + f), and combines like terms, as the released code does, where SymPy evaluates the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import reduce

from ...rewards.expression.tree import Call, Expression, Number, Symbol
from ..draws import Draws
from ..expressions import ONE, ZERO, add, mul, number, substitute, symbols
from ..problem import Parent, Problem
from .integrals import DerivationError, Integral, UnprovenError
from .neighbours import taken

#: Sums of each number of terms.
COUNT = 1000


def sums(
    solved: Sequence[Problem], seed: int, *, terms: int, pool: str = "valid", count: int = COUNT
) -> list[Problem]:
    """``count`` sums of ``terms`` of the solved, or all that there are.

    ``pool`` names what was solved (``coeff``, ``exp``, ``valid``) and so the subset, as in
    ``valid_sum3``. With one term they are the pool again: 0 failures by construction for a model
    that says the same again, and for one that is sampled the luck in having solved them.
    A sum whose reference the verifier cannot prove (x^10000 + x^(1/900), say: no point that it
    looks at shows both terms) is left out, because no answer to it could be judged.
    """
    if terms < 1 or count < 1:
        raise DerivationError("sums need at least one term, and at least one sum")
    members = taken(solved, seed, f"{pool} pool", None)
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
    """A sum with its sums opened and like terms combined: 2x + sin x + 3x is 5x + sin x."""
    total: dict[Expression, Fraction] = {}
    for term in _opened(terms, Fraction(1)):
        coefficient, rest = _split(term[1])
        total[rest] = total.get(rest, Fraction(0)) + term[0] * coefficient
    return add(*(mul(number(c), rest) for rest, c in total.items()))


def _opened(terms: Sequence[Expression], sign: Fraction) -> list[tuple[Fraction, Expression]]:
    found: list[tuple[Fraction, Expression]] = []
    for term in terms:
        if isinstance(term, Call) and term.function == "add":
            found += _opened(term.args, sign)
        elif isinstance(term, Call) and term.function == "neg":
            found += _opened(term.args, -sign)
        else:
            found.append((sign, term))
    return found


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
    """The sum of integrals; None if it is no problem: 0, or parameters that contradict."""
    assumptions: Mapping[str, str] = {}
    for part in parts:
        if any(assumptions.get(name, kind) != kind for name, kind in part.assumptions.items()):
            return None
        assumptions = {**assumptions, **part.assumptions}
    f = collect(*(part.integrand for part in parts))
    if f == ZERO:
        return None
    known = [part.antiderivative for part in parts if part.antiderivative is not None]
    big_f = collect(*known) if len(known) == len(parts) else None
    return Integral(f, big_f, parts[0].variable, assumptions)


def _tuples(size: int, terms: int, seed: int, purpose: str) -> Iterator[tuple[int, ...]]:
    """Distinct tuples of indices, in a drawn order, until there are no more."""
    every = size**terms
    if every <= 1 << 14:
        numbers: Iterator[int] = iter(Draws("brittleness", purpose, seed).shuffled(range(every)))
    else:
        numbers = _distinct(Draws("brittleness", purpose, seed), every)
    for drawn in numbers:
        indices = []
        for _ in range(terms):
            drawn, index = divmod(drawn, size)
            indices.append(index)
        yield tuple(indices)


def _distinct(draws: Draws, below: int) -> Iterator[int]:
    seen: set[int] = set()
    while len(seen) < below:
        drawn = draws.below(below)
        if drawn not in seen:
            seen.add(drawn)
            yield drawn


def _in_x(problem: Problem) -> Integral:
    """The problem's integral in the variable x, so that any can be added to any other."""
    integral = Integral.of(problem)
    if integral.variable == "x":
        return integral
    if "x" in symbols(integral.integrand):
        raise DerivationError(f"{problem.id}: x is a parameter there, and cannot be the variable")
    x, big_f = Symbol("x"), integral.antiderivative
    return replace(
        integral,
        integrand=substitute(integral.integrand, integral.variable, x),
        antiderivative=None if big_f is None else substitute(big_f, integral.variable, x),
        variable="x",
    )
