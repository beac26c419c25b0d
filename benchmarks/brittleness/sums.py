"""Sums f1 + ... + fk of separately solved problems (Welleck et al., section 4).

Integration is linear: a model that integrates the terms should integrate the sum. `sums` is a pure
function of the solved problems. The function draws distinct ordered tuples of problems, possibly
with repetitions (f + f), and combines like terms, as SymPy does in the released code.
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
from .integrals import DerivationError, IntegralTerm, UnprovenError
from .neighbours import sample_solved

#: Sums of each number of terms.
COUNT = 1000


def sums(
    solved: Sequence[Problem], seed: int, *, terms: int, pool: str = "valid", count: int = COUNT
) -> list[Problem]:
    """Sums of solved problems.

    With one term, the sums are the solved problems again. A deterministic model then has no
    failures; failures of a sampled model measure the luck in solving. A sum without a proven
    reference is left out, because answers could not be graded. (An example is x^10000 + x^(1/900):
    at no tested point do both terms matter.)

    Args:
        solved: the solved problems.
        seed: the seed.
        terms: the number of terms.
        pool: the name of the solved problems (``coeff``, ``exp``, ``valid``), which begins the
            subset's name, as in ``valid_sum3``.
        count: the number of sums, or all if there are fewer.

    Returns:
        The sums, with their first terms as pair parents.

    >>> from calculus_harness.benchmarks import load
    >>> solved = load("drills/monomials", limit=2)
    >>> [problem.inputs.integrand for problem in sums(solved, 0, terms=2, count=2)]
    ['58 x^{4}', '20 x^{7}']

    Raises:
        DerivationError: ``terms`` or ``count`` is below 1, or a problem cannot be used.

    """
    if terms < 1 or count < 1:
        raise DerivationError("sums need at least one term, and at least one sum")
    # Antiderivatives are prepared once for each problem, as a problem is in many sums.
    members = sample_solved(solved, seed, f"{pool} pool", None)
    integrals = [_in_x(problem) for problem in members]
    subset = f"{pool}_sum{terms}"
    by_name: dict[str, Problem] = {}
    for indices in _tuples(len(members), terms, seed, subset):
        addends = [integrals[i] for i in indices]
        total = _sum(addends)
        # Terms may cancel, and a sum without a proof could not be graded: both cost a draw.
        if total is None:
            continue
        parents = tuple(Parent(members[i].id, f"f{at}") for at, i in enumerate(indices, 1))
        name = "+".join(parent.id for parent in parents)
        with suppress(UnprovenError):
            by_name[name] = total.problem(
                f"{name}-again" if terms == 1 else name,
                subset,
                parents=parents,
                perturbation=subset,
                metadata={"terms": terms, "pool": pool, "of": members[indices[0]].name},
            )
        if len(by_name) == count:
            break
    return list(by_name.values())


def collect(*terms: Expression) -> Expression:
    """A sum with nested sums flattened and like terms combined: 2x + sin x + 3x is 5x + sin x."""
    total: dict[Expression, Fraction] = {}
    for sign, term in _flattened(terms, Fraction(1)):
        coefficient, core = _split(term)
        if coefficient:
            total[core] = total.get(core, Fraction(0)) + sign * coefficient
    return add(*(mul(number(c), core) for core, c in total.items()))


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
    """The numeric factor of a term, and the cofactor."""
    if isinstance(term, Number):
        return Fraction(term.numerator, term.denominator), ONE
    if isinstance(term, Call) and term.function == "mul":
        numbers = [arg for arg in term.args if isinstance(arg, Number)]
        symbolic = [arg for arg in term.args if not isinstance(arg, Number)]
        coefficient = reduce(
            lambda product, n: product * Fraction(n.numerator, n.denominator), numbers, Fraction(1)
        )
        return coefficient, mul(*symbolic) if symbolic else ONE
    if isinstance(term, Call) and term.function == "div":
        numerator, denominator = (_split(arg) for arg in term.args)
        # A zero in the denominator keeps the quotient as it is.
        if denominator[0]:
            quotient = (
                numerator[1]
                if denominator[1] == ONE
                else Call("div", (numerator[1], denominator[1]))
            )
            return numerator[0] / denominator[0], quotient
    return Fraction(1), term


def _sum(integrals: Sequence[IntegralTerm]) -> IntegralTerm | None:
    """The sum of integrals; None if it is 0, or the assumptions contradict each other."""
    assumptions: Mapping[str, str] = {}
    for integral in integrals:
        if any(
            assumptions.get(name, assumption) != assumption
            for name, assumption in integral.assumptions.items()
        ):
            return None
        assumptions = {**assumptions, **integral.assumptions}
    f = collect(*(integral.integrand for integral in integrals))
    if f == ZERO:
        return None
    antiderivatives = [
        integral.antiderivative for integral in integrals if integral.antiderivative is not None
    ]
    big_f = collect(*antiderivatives) if len(antiderivatives) == len(integrals) else None
    return IntegralTerm(f, big_f, integrals[0].variable, assumptions)


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


def _distinct(rng: HashedRandom, bound: int) -> Iterator[int]:
    seen: set[int] = set()
    while len(seen) < bound:
        drawn = rng.below(bound)
        if drawn not in seen:
            seen.add(drawn)
            yield drawn


def _in_x(problem: Problem) -> IntegralTerm:
    """The problem's integral with the variable renamed to x, for sums of integrals."""
    integral = IntegralTerm.of(problem)
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
