r"""Proofs that a closed form F(n) equals the sum of the terms a(k) for k up to n.

A proof has two steps: the identity F(n) - F(n - 1) = a(n), and the value of F for one n. Before the
prover sees the identity, functions of n + 1, n + 2, ... are expressed by functions of n. These
functions of n are called *atoms*. For example, Gamma(n + 3) becomes (n + 2) (n + 1) Gamma(n + 1),
and b^{2n + 1} becomes b (b^n)^2. The digamma function psi(n + 2) becomes psi(n + 1) + 1/(n + 1).
Each atom becomes a symbol. (-1)^n is 1 or -1, and both cases are proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Final

from flint import fmpz

from ...numeric.summation.terms import double_factorial, power_of
from ...reading.expression.build import ONE, PI, ZERO, E, add, div, mul, neg, number, power
from ...reading.expression.derivative import differentiate
from ...reading.expression.traversal import (
    fold,
    is_constant,
    nodes_of,
    size,
    substitute,
    substitute_all,
    symbols_of,
)
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import ARITHMETIC, CONSTANTS, names
from ...reading.problem.sums import SumProblem
from ..equality import equality

#: Nodes of a difference that is proved: those of textbooks have up to 150.
MAX_NODES: Final = 1_500
#: Steps by which an argument is moved, and terms of one step of a sum up to p n + q.
MAX_STEPS: Final = 24
#: Primes that are tried as factors of bases, the smallest first: those below 200. 4^n is (2^n)^2.
MAX_PRIMES: Final = 46
#: The functions that are analytic on the line but for poles, or on the side of it where they are
#: real: an identity holds at all whole numbers at which both sides are finite.
_ANALYTIC: Final = {"number", "symbol", "double_factorial"} | names(
    lambda f: (
        f in (*ARITHMETIC, *CONSTANTS)
        or (bool(f.derivative) and not f.breaks and not f.domain and not f.branch)
        or f.branch in ("root", "logarithm")
    )
)
#: Values of the gamma function.
_GAMMAS: Final[Mapping[Expression, Expression]] = {ONE: ONE, Number(1, 2): Call("sqrt", (PI,))}


#: Joins terms: `add` for a sum, `mul` for a product.
Join = Callable[..., Expression]


def prove_sum(problem: SumProblem, answer: Expression, join: Join = add) -> tuple[str, ...] | None:
    """Prove a closed form of a finite sum by induction on a variable in the upper limit.

    Args:
        problem: the sum. The variable of the induction must not occur in the term.
        answer: the closed form, with the problem's factor and addend.
        join: `mul` if the terms are multiplied, not added.

    Returns:
        The rules of the proof. The result is None if no proof was found.

    """
    if problem.is_infinite:
        return None
    lower, upper = problem.limits
    inner = answer if problem.outside == ZERO else add(answer, neg(problem.outside))
    inner = inner if problem.factor == ONE else div(inner, problem.factor)
    assumptions = problem.assumptions
    # the prover knows no integers: a parameter that is one is a real number to the induction
    assumptions = {n: a for n, a in assumptions.items() if a in ("positive", "real")}
    for variable in sorted(symbols_of(upper) - symbols_of(lower) - symbols_of(problem.term)):
        induction = _Induction(problem, inner, variable, assumptions, join)
        rules = induction.step()
        base = None if rules is None else induction.base()
        if rules is not None and base is not None:
            return tuple(sorted({*rules, *base}))
    return None


@dataclass(frozen=True, slots=True)
class _Induction:
    """A proof that F(n) is a sum up to p n + q. A proof is the names of the rules, or None.

    Attributes:
        problem: the sum. The variable must not occur in the term.
        answer: F, without the problem's factor and addend.
        variable: n.
        assumptions: assumptions on the parameters.
        join: as for `prove_sum`.

    """

    problem: SumProblem
    answer: Expression
    variable: str
    assumptions: Mapping[str, str]
    join: Join

    def step(self) -> tuple[str, ...] | None:
        """Prove that F(n) is F(n-1) and the terms that are added when n - 1 becomes n."""
        _, upper = self.problem.limits
        steps = fold(differentiate(upper, self.variable))
        if steps is None or steps.denominator != 1 or not 0 < steps <= MAX_STEPS:
            return None
        n = Symbol(self.variable)
        preceding = substitute(self.answer, self.variable, add(n, Number(-1)))
        added = [self._term(add(upper, Number(-i))) for i in range(int(steps))]
        assumptions = {**self.assumptions, self.variable: "positive"}
        return identical(self.answer, self.join(preceding, *added), assumptions)

    def base(self) -> tuple[str, ...] | None:
        """Prove the value of F for one n."""
        lower, upper = self.problem.limits
        shift, slope = (
            substitute(upper, self.variable, ZERO),
            fold(differentiate(upper, self.variable)),
        )
        start, low = fold(shift), fold(lower)
        if slope == 1:
            lowest = add(lower, neg(shift))
            folded = fold(lowest)
            at = lowest if folded is None else number(folded)
            terms = [self._term(lower)]
        elif start is None or slope is None or low is None:
            return None
        else:
            n = max(0, -((start - low) // slope))
            at = Number(int(n))
            terms = [self._term(Number(k)) for k in range(int(low), int(start + slope * n) + 1)]
        value = substitute(self.answer, self.variable, at)
        return identical(value, self.join(*terms), self.assumptions)

    def _term(self, index: Expression) -> Expression:
        return substitute(self.problem.term, self.problem.counter, index)


def identical(
    lhs: Expression, rhs: Expression, assumptions: Mapping[str, str]
) -> tuple[str, ...] | None:
    """Prove that two expressions are equal for all whole-number values of their symbols.

    Return the rules used. If no proof is found, return None.
    """
    if not {node.function for tree in (lhs, rhs) for node in nodes_of(tree)} <= _ANALYTIC:
        return None
    atoms = _Atoms()
    lhs, rhs = atoms.written(lhs), atoms.written(rhs)
    if size(lhs) + size(rhs) > MAX_NODES:
        return None
    rules: set[str] = set()
    for signs in product((1, -1), repeat=len(atoms.signs)):
        values = [*zip(atoms.signs, map(Number, signs), strict=True)]
        a, b = (substitute_all(side, values) for side in (lhs, rhs))
        proof = equality(a, b, assumptions)
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
        if name == "binomial":
            u, k = args
            denominator = mul(self._gamma(add(k, ONE)), self._gamma(add(u, neg(k), ONE)))
            return div(self._gamma(add(u, ONE)), denominator)
        if name == "double_factorial":
            linear = _linear(args[0])
            if linear is None or any(q % 2 for q in linear[0].values()) or linear[1] % 1:
                return self._atom(node)
            return self.written(double_factorial(args[0], is_odd=bool(linear[1] % 2)))
        rule = _RULES.get(name)
        return Call(name, tuple(map(self.written, args))) if rule is None else rule(self, *args)

    def _atom(self, node: Expression) -> Expression:
        name = self.names.setdefault(node, f"atom {len(self.names)}")
        return Symbol(name)

    def _gamma(self, argument: Expression) -> Expression:
        moved, steps, factors = _moved(argument)
        base = _GAMMAS.get(moved) or self._atom(Call("gamma", (moved,)))
        scale = mul(*factors)
        return mul(base, scale) if steps >= 0 else div(base, scale)

    def _digamma(self, argument: Expression) -> Expression:
        moved, steps, factors = _moved(argument)
        at_one = neg(Call("euler_gamma"))
        base = at_one if moved == ONE else self._atom(Call("digamma", (moved,)))
        fractions = [div(ONE, factor) for factor in factors]
        return add(base, *(fractions if steps >= 0 else map(neg, fractions)))

    def _power(self, base: Expression, exponent: Expression) -> Expression:
        """Write a power as a product of simple powers: b^{2n+1} is (b^n)^2 b."""
        inner = self.written(base)
        linear = _linear(exponent)
        if is_constant(exponent) or linear is None:
            return power_of(inner, exponent)
        result: list[Expression] = []
        for prime, times in _factors(inner):
            for name, q in linear[0].items():
                result.append(self._power_of_symbol(prime, name, q * times))
            if linear[1]:
                result.append(power_of(prime, number(linear[1] * times)))
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


#: Functions that are written as powers and gamma functions.
_RULES: Final[dict[str, Callable[..., Expression]]] = {
    "factorial": lambda atoms, u: atoms._gamma(add(u, ONE)),
    "gamma": _Atoms._gamma,
    "digamma": _Atoms._digamma,
    "exp": lambda atoms, u: atoms._power(E, u),
    "pow": _Atoms._power,
}


def _moved(argument: Expression) -> tuple[Expression, int, list[Expression]]:
    """Write an argument as u plus an integer: n + 3 gives n + 1 and 2.

    The last result has the factors between: (n + 1) and (n + 2), as Gamma(n + 3) has.
    """
    linear = _linear(argument)
    steps = 0 if linear is None else ceil(linear[1]) - 1
    if linear is None or abs(steps) > MAX_STEPS:
        return argument, 0, []
    moved = _tree(linear[0], linear[1] - steps)
    return moved, steps, [add(moved, Number(i)) for i in range(min(steps, 0), max(steps, 0))]


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


def _factors(base: Expression, times: int = 1) -> Iterator[tuple[Expression, int]]:
    """Yield factors of base^times with their exponents: 12^1 has 2^2 and 3^1.

    The exponent ``times`` is an integer. The rule (a b)^times = a^times b^times therefore holds for
    a and b of any sign.
    """
    value = fold(base)
    if value:
        if value < 0:
            yield Number(-1), times
        for integer, sign in ((value.numerator, times), (value.denominator, -times)):
            for prime, exponent in fmpz(integer).factor(trial_limit=MAX_PRIMES):
                yield Number(int(prime)), sign * int(exponent)
    elif base.function == "div":
        yield from _factors(base.args[0], times)
        yield from _factors(base.args[1], -times)
    elif base.function == "neg":
        yield Number(-1), times
        yield from _factors(base.args[0], times)
    elif base.function == "mul":
        for arg in base.args:
            yield from _factors(arg, times)
    else:
        yield base, times
