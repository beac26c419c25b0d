r"""Proofs that a closed form F(n) equals the sum of the terms a(k) for k up to n.

A proof has two steps: the identity F(n) - F(n - 1) = a(n), and the value of F for one n. Before the
prover sees the identity, functions of n + 1, n + 2, ... are expressed by functions of n. These
functions of n are called *atoms*. For example, Gamma(n + 2) becomes (n + 1) n Gamma(n), and b^{2n +
1} becomes b (b^n)^2. The digamma function psi(n + 1) becomes psi(n) + 1/n. Each atom becomes a
symbol. (-1)^n is 1 or -1, and both cases are proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import floor
from typing import Final

from ...reading.expression.build import ONE, ZERO, add, div, mul, neg, number, power
from ...reading.expression.derivative import differentiate
from ...reading.expression.traversal import (
    fold,
    is_constant,
    nodes_of,
    size,
    substitute,
    symbols_of,
)
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import ARITHMETIC, CONSTANTS, names
from ...reading.problem.sums import SumProblem
from ..prover import prove

#: Nodes of a difference that is proved: those of textbooks have up to 150.
MAX_NODES: Final = 1_500
#: Steps by which an argument is moved, and terms of one step of a sum up to p n + q.
MAX_STEPS: Final = 24
#: Prime factors of bases up to this one are found; 4^n is (2^n)^2.
MAX_PRIME: Final = 200
#: The functions that are analytic on the line but for poles, or on the side of it where they are
#: real: an identity holds at all whole numbers at which both sides are finite.
_ANALYTIC: Final = {"number", "symbol", "double_factorial"} | names(
    lambda f: (
        f in (*ARITHMETIC, *CONSTANTS)
        or (bool(f.derivative) and not f.breaks and not f.domain and not f.branch)
        or f.branch in ("root", "logarithm")
    )
)
#: A name that no text has.
_FRESH: Final = "t of the difference"


#: Joins terms: `add` for a sum, `mul` for a product.
Join = Callable[..., Expression]


def prove_sum(
    problem: SumProblem, answer: Expression, kinds: Mapping[str, str], join: Join = add
) -> tuple[str, ...] | None:
    """Prove a closed form of a finite sum by induction on a variable in the upper limit.

    Args:
        problem: the sum. The variable of the induction must not occur in the term.
        answer: the closed form. It includes the problem's factor and addend.
        kinds: assumptions on the parameters.
        join: `mul` if the terms are multiplied, not added.

    Returns:
        The rules of the proof. The result is None if no proof was found.

    """
    upper, lower = problem.upper, problem.lower
    if isinstance(upper, int) or isinstance(lower, int):
        return None
    inner = answer if problem.outside == ZERO else add(answer, neg(problem.outside))
    inner = inner if problem.factor == ONE else div(inner, problem.factor)
    assumptions = {
        name: assumption for name, assumption in kinds.items() if assumption in ("positive", "real")
    }
    for variable in sorted(symbols_of(upper) - symbols_of(lower) - symbols_of(problem.term)):
        rules = telescopes(inner, problem.term, problem.counter, upper, variable, assumptions, join)
        if rules is None:
            continue
        base = _base(problem, inner, variable, upper, lower, assumptions, join)
        if base is not None:
            return tuple(sorted({*rules, *base}))
    return None


def _base(
    problem: SumProblem,
    answer: Expression,
    variable: str,
    upper: Expression,
    lower: Expression,
    kinds: Mapping[str, str],
    join: Join,
) -> tuple[str, ...] | None:
    """Prove the base case of the induction. Return the rules used. None means no proof."""
    shift = substitute(upper, variable, ZERO)
    start, slope, low = fold(shift), fold(differentiate(upper, variable)), fold(lower)
    if slope == 1:
        lowest = add(lower, neg(shift))
        folded = fold(lowest)
        value = substitute(problem.term, problem.counter, lower)
        at = lowest if folded is None else number(folded)
        return identical(substitute(answer, variable, at), value, kinds)
    if start is None or slope is None or low is None:
        return None
    n = max(0, -((start - low) // slope))
    highest = int(start + slope * n)
    terms = [
        substitute(problem.term, problem.counter, Number(k)) for k in range(int(low), highest + 1)
    ]
    return identical(substitute(answer, variable, Number(int(n))), join(*terms), kinds)


def telescopes(
    answer: Expression,
    term: Expression,
    index: str,
    upper: Expression,
    variable: str,
    kinds: Mapping[str, str],
    join: Join = add,
) -> tuple[str, ...] | None:
    r"""Prove that a closed form F satisfies the recurrence of a sum.

    F(n) - F(n-1) must equal the sum of the terms that are added when n - 1 becomes n.

    Args:
        answer: F, a function of the variable.
        term: the term a(k), where k is the index. The variable must not occur in the term.
        index: the name of the index.
        upper: the upper limit p n + q, with whole numbers p > 0 and q.
        variable: n.
        kinds: assumptions on the parameters.
        join: as for `prove_sum`.

    Returns:
        The rules of the proof. The result is None if no proof was found.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> square = read("n^2", symbols="n")[0].expression
    >>> odd = read("2k - 1", symbols="k")[0].expression
    >>> telescopes(square, odd, "k", Symbol("n"), "n", {}) is not None
    True

    """
    steps = fold(differentiate(upper, variable))
    if steps is None or steps.denominator != 1 or not 0 < steps <= MAX_STEPS:
        return None
    n = Symbol(variable)
    preceding = substitute(answer, variable, add(n, Number(-1)))
    added = [substitute(term, index, add(upper, Number(-i))) for i in range(int(steps))]
    return identical(answer, join(preceding, *added), {**kinds, variable: "positive"})


def identical(
    left: Expression, right: Expression, kinds: Mapping[str, str]
) -> tuple[str, ...] | None:
    """Prove that two expressions are equal for all whole-number values of their symbols.

    Return the rules used. If no proof is found, return None.
    """
    if not {node.function for tree in (left, right) for node in nodes_of(tree)} <= _ANALYTIC:
        return None
    atoms = _Atoms()
    left, right = atoms.written(left), atoms.written(right)
    if size(left) + size(right) > MAX_NODES:
        return None
    rules: set[str] = set()
    for signs in product((1, -1), repeat=len(atoms.signs)):
        sides = []
        for side in (left, right):
            for name, sign in zip(atoms.signs, signs, strict=True):
                side = substitute(side, name, Number(sign))
            sides.append(side)
        # both are equal if t times one is an antiderivative of the other
        proof = prove(mul(sides[0], Symbol(_FRESH)), sides[1], _FRESH, kinds, real_parts=True)
        if proof is None:
            return None
        rules.update(proof.rules)
    return tuple(sorted(rules))


@dataclass(slots=True)
class _Atoms:
    """Rewrites expressions in terms of a few functions (atoms), such as Gamma(n) and b^n.

    A symbol replaces each atom. Equal atoms get the same symbol.

    Attributes:
        names: the names of the symbols for atoms.
        signs: the names of the symbols for atoms that are 1 or -1.

    """

    names: dict[Expression, str] = field(default_factory=dict)
    signs: list[str] = field(default_factory=list)

    def written(self, node: Expression) -> Expression:
        if not isinstance(node, Call) or not node.args:
            return node
        name, args = node.function, node.args
        if name == "factorial":
            return self._gamma(add(args[0], ONE))
        if name == "gamma":
            return self._gamma(args[0])
        if name == "binomial":
            u, k = args
            denominator = mul(self._gamma(add(k, ONE)), self._gamma(add(u, neg(k), ONE)))
            return div(self._gamma(add(u, ONE)), denominator)
        if name == "double_factorial":
            return self._double_factorial(args[0])
        if name == "digamma":
            return self._digamma(args[0])
        if name == "exp":
            return self._power(Call("e"), args[0])
        if name == "pow":
            return self._power(*args)
        return Call(name, tuple(map(self.written, args)))

    def _atom(self, node: Expression) -> Expression:
        name = self.names.setdefault(node, f"atom {len(self.names)}")
        return Symbol(name)

    def _gamma(self, argument: Expression) -> Expression:
        moved, steps = _moved(argument)
        if not symbols_of(argument):
            value = fold(argument)
            if value is not None and value.denominator == 1 and 0 < value <= MAX_STEPS:
                return _whole_factorial(int(value) - 1)
        base = self._atom(Call("gamma", (moved,)))
        if moved == Number(1, 2):
            base = Call("sqrt", (Call("pi"),))
        factors = [add(moved, Number(i)) for i in range(min(steps, 0), max(steps, 0))]
        scale = mul(*factors) if factors else ONE
        return mul(base, scale) if steps >= 0 else div(base, scale)

    def _digamma(self, argument: Expression) -> Expression:
        value = fold(argument)
        if value is not None and value.denominator == 1 and 0 < value <= MAX_STEPS:
            harmonic = sum((Fraction(1, i) for i in range(1, int(value))), Fraction(0))
            return add(number(harmonic), neg(Call("euler_gamma")))
        moved, steps = _moved(argument)
        base = self._atom(Call("digamma", (moved,)))
        fractions = [div(ONE, add(moved, Number(i))) for i in range(min(steps, 0), max(steps, 0))]
        return add(base, *fractions) if steps >= 0 else add(base, *map(neg, fractions))

    def _double_factorial(self, argument: Expression) -> Expression:
        """Express u!! by Gamma functions.

        If u = 2v is even, u!! is 2^v Gamma(v + 1). If u = 2v - 1 is odd, u!! is
        2^v Gamma(v + 1/2) / sqrt(pi).
        """
        linear = _linear(argument)
        if linear is None or any(q % 2 for q in linear[0].values()) or linear[1].denominator != 1:
            return self._atom(Call("double_factorial", (argument,)))
        odd = linear[1] % 2 == 1
        half = _tree({name: q / 2 for name, q in linear[0].items()}, (linear[1] + odd) / 2)
        scale = div(ONE, Call("sqrt", (Call("pi"),))) if odd else ONE
        shift = number(Fraction(1, 2)) if odd else ONE
        return mul(self._power(Number(2), half), self._gamma(add(half, shift)), scale)

    def _power(self, base: Expression, exponent: Expression) -> Expression:
        """Write a power as a product of simple powers: b^{2n+1} is (b^n)^2 b."""
        inner = self.written(base)
        linear = _linear(exponent)
        if is_constant(exponent) or linear is None:
            return power(inner, exponent) if base != Call("e") else Call("exp", (exponent,))
        result: list[Expression] = []
        for prime, times in _factors(inner):
            for name, q in linear[0].items():
                result.append(self._power_of_symbol(prime, name, q * times))
            if linear[1]:
                constant = number(linear[1] * times)
                raised = power(prime, constant)
                result.append(Call("exp", (constant,)) if prime == Call("e") else raised)
        return mul(*result)

    def _power_of_symbol(self, base: Expression, name: str, slope: Fraction) -> Expression:
        if base == Number(-1) and slope.denominator == 1:
            if slope % 2 == 0:
                return ONE
            sign = self._atom(Call("pow", (base, Symbol(name))))
            assert isinstance(sign, Symbol)
            if sign.name not in self.signs:
                self.signs.append(sign.name)
            return sign
        unit = Fraction(1, slope.denominator)
        atom = self._atom(Call("pow", (base, mul(number(unit), Symbol(name)))))
        return power(atom, number(slope / unit))


def _whole_factorial(n: int) -> Expression:
    value = 1
    for k in range(2, n + 1):
        value *= k
    return Number(value)


def _moved(argument: Expression) -> tuple[Expression, int]:
    """Write an argument as an expression plus an integer: n + 3 gives n and 3."""
    linear = _linear(argument)
    if linear is None:
        return argument, 0
    steps = floor(linear[1])
    if abs(steps) > MAX_STEPS:
        return argument, 0
    return _tree(linear[0], linear[1] - steps), steps


def _linear(node: Expression) -> tuple[dict[str, Fraction], Fraction] | None:
    """The coefficients and the constant of a linear expression. None means not linear."""
    coefficients: dict[str, Fraction] = {}
    constant = node
    for name in sorted(symbols_of(node)):
        try:
            slope = fold(differentiate(node, name))
        except ValueError:
            return None
        if slope is None:
            return None
        coefficients[name] = slope
        constant = substitute(constant, name, ZERO)
    value = fold(constant)
    return None if value is None else ({k: q for k, q in coefficients.items() if q}, value)


def _tree(coefficients: Mapping[str, Fraction], constant: Fraction) -> Expression:
    return add(
        *(mul(number(q), Symbol(name)) for name, q in coefficients.items()), number(constant)
    )


def _factors(base: Expression) -> Sequence[tuple[Expression, int]]:
    """Split the base of a power into factors with exponents: 12 becomes 2^2 and 3^1."""
    value = fold(base)
    if value is None or value == 0:
        return list(_written_factors(base, 1))
    factors: list[tuple[Expression, int]] = [(Number(-1), 1)] if value < 0 else []
    for remaining, sign in ((abs(value.numerator), 1), (value.denominator, -1)):
        for prime in range(2, MAX_PRIME):
            times = 0
            while remaining % prime == 0:
                remaining //= prime
                times += 1
            if times:
                factors.append((Number(prime), sign * times))
        if remaining > 1:
            factors.append((Number(remaining), sign))
    return factors or [(ONE, 1)]


def _written_factors(base: Expression, times: int) -> Iterator[tuple[Expression, int]]:
    """Yield the factors of base^times, each with its exponent.

    The exponent ``times`` is an integer. The rule (a b)^times = a^times b^times therefore holds for
    a and b of any sign.
    """
    if base.function == "div":
        yield from _factors(base.args[0]) if times > 0 else _written_factors(base.args[0], times)
        for factor, power_ in _factors(base.args[1]):
            yield factor, -power_ * times
    elif base.function == "neg":
        yield Number(-1), times
        yield from _written_factors(base.args[0], times)
    elif base.function == "mul":
        for arg in base.args:
            for factor, power_ in _factors(arg):
                yield factor, power_ * times
    else:
        yield base, times
