r"""Writes the term of a sum as a sum of summands: hypergeometric terms times slow factors.

A summand is c z^n R(n) prod Gamma(p n + b)^e times a factor that varies slowly (a slow factor).
Here c and z are constants, and R is a rational function with rational coefficients. A product of
factorials, binomial coefficients, powers with the index as exponent, sines and cosines is a sum of
such summands. Summands without a slow factor are called hypergeometric terms (Petkovsek, Wilf and
Zeilberger, *A = B*, chapter 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Final

from flint import fmpq, fmpq_poly

from ...reading.expression.build import IMAGINARY, ONE, PI, TWO, add, div, mul, neg, number, power
from ...reading.expression.derivative import differentiate
from ...reading.expression.formulas import filled
from ...reading.expression.traversal import fold, is_constant, substitute
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ..expansions.forms import linear_in_pi
from ..expansions.functions import FORMULAS
from ..quadrature.work import QuadratureError, spend

#: Summands that a product of sums may be multiplied out to. Terms of the bank and of SymPy's tests
#: of sums have 2; a product of five sines, the most of a textbook, has 32.
MAX_PARTS: Final = 32
#: Largest power of a sum that is multiplied out, and largest slope of n inside of a factorial. The
#: bank and SymPy's tests have powers up to 4 and slopes up to 2; (12n)! stands in formulas for pi.
MAX_POWER: Final = 12
#: Largest shift of an argument of the gamma function that becomes a rational function, of that
#: degree; the bank and SymPy's tests have shifts up to 9.
MAX_SHIFT: Final = 64

#: (p, b), which stand for Gamma(p n + b) with 0 < b <= 1, and the exponent.
Gammas = tuple[tuple[tuple[int, Fraction], int], ...]
_N: Final = fmpq_poly([0, 1])


@dataclass(frozen=True, slots=True)
class Summand:
    """One summand of the term of a sum. The module's docstring explains the letters.

    Attributes:
        numerator: the numerator of R.
        denominator: the denominator of R.
        base: z.
        gammas: the gamma functions with their exponents, as ((p, b), e).
        coefficient: c.
        slow: the slow factor.

    """

    numerator: fmpq_poly = field(default_factory=lambda: fmpq_poly([1]))
    denominator: fmpq_poly = field(default_factory=lambda: fmpq_poly([1]))
    base: Expression = ONE
    gammas: Gammas = ()
    coefficient: Expression = ONE
    slow: Expression = ONE

    def times(self, factor: Summand) -> Summand:
        """The product of two summands."""
        exponents = dict(self.gammas)
        for key, exponent in factor.gammas:
            exponents[key] = exponents.get(key, 0) + exponent
        return Summand(
            self.numerator * factor.numerator,
            self.denominator * factor.denominator,
            base_product(self.base, factor.base),
            tuple(sorted((key, e) for key, e in exponents.items() if e)),
            mul(self.coefficient, factor.coefficient),
            mul(self.slow, factor.slow),
        )

    def inverse(self) -> Summand:
        """One divided by the summand."""
        if self.numerator.is_zero():
            raise QuadratureError("the term has a zero denominator")
        return Summand(
            self.denominator,
            self.numerator,
            _folded(div(ONE, self.base)),
            tuple((key, -exponent) for key, exponent in self.gammas),
            div(ONE, self.coefficient),
            div(ONE, self.slow),
        )

    @property
    def kind(self) -> tuple[Expression, Gammas, Expression, Expression]:
        """All factors except the rational function R(n). Summands of equal kind can be added."""
        return self.base, self.gammas, self.coefficient, self.slow

    def tree(self, index: str) -> Expression:
        """The product of coefficient, rational function and slow factor, as an expression."""
        rational = div(
            _polynomial_tree(self.numerator, index), _polynomial_tree(self.denominator, index)
        )
        return mul(self.coefficient, rational, self.slow)


def summands_of(term: Expression, index: str) -> list[Summand]:
    """Write a term without parameters as a list of summands.

    Args:
        term: the term.
        index: the name of the index.

    Returns:
        The summands. If summands differ only in the rational function R, they are added and form
        one summand.

    Raises:
        QuadratureError: the term has too many summands, or a denominator is zero.

    Example:
        >>> from calculus_harness.rewards.reading.latex import read
        >>> [each.base for each in summands_of(read("(2^n+1)/3^n", symbols="n")[0].expression, "n")]
        [Number(numerator=2, denominator=3), Number(numerator=1, denominator=3)]

    """
    return _merged(_TermReader(index).summands(term))


def _merged(summands: Iterable[Summand]) -> list[Summand]:
    merged: dict[tuple[Expression, Gammas, Expression, Expression], Summand] = {}
    for summand in summands:
        earlier = merged.get(summand.kind)
        if earlier is not None:
            numerator = (
                earlier.numerator * summand.denominator + summand.numerator * earlier.denominator
            )
            summand = replace(
                summand, numerator=numerator, denominator=earlier.denominator * summand.denominator
            )
        # the denominator begins with 1, so that coefficients that cancel are seen to
        common = (
            summand.numerator.gcd(summand.denominator)
            * summand.denominator[summand.denominator.degree()]
        )
        merged[summand.kind] = replace(
            summand, numerator=summand.numerator / common, denominator=summand.denominator / common
        )
    return [summand for summand in merged.values() if not summand.numerator.is_zero()]


@dataclass(frozen=True, slots=True)
class _TermReader:
    """Reads an expression tree as a list of summands. ``index`` is the index of the sum."""

    index: str

    def summands(self, node: Expression) -> list[Summand]:
        spend(1)
        if is_constant(node, self.index):
            return [_constant(node)]
        if isinstance(node, Symbol):
            return [Summand(numerator=_N)]
        assert isinstance(node, Call)
        name, args = node.function, node.args
        if name == "add":
            return _merged(summand for arg in args for summand in self.summands(arg))
        if name == "neg":
            return self._product([[_constant(Number(-1))], self.summands(args[0])])
        if name == "mul":
            return self._product([self.summands(arg) for arg in args])
        if name == "div":
            return self._product([self.summands(args[0]), self._inverse(args[1])])
        formula = filled(_FORMULAS.get(name, ""), node)
        if formula is not None:
            return self.summands(formula)
        reader = _READERS.get(name)
        read = reader(self, args) if reader is not None else None
        return [Summand(slow=node)] if read is None else read

    def _product(self, factors: list[list[Summand]]) -> list[Summand]:
        result = [Summand()]
        for factor in factors:
            if len(result) * len(factor) > MAX_PARTS:
                raise QuadratureError(f"the term has more than {MAX_PARTS} summands")
            result = _merged(a.times(b) for a, b in product(result, factor))
        return result

    def _inverse(self, node: Expression) -> list[Summand]:
        summands = self.summands(node)
        if len(summands) != 1:
            return [Summand(slow=div(ONE, node))]
        return [summands[0].inverse()]

    def linear(self, node: Expression) -> tuple[Expression, Expression] | None:
        """Read an expression as slope * n + constant, and return the slope and the constant.

        If the expression is not linear in the index n, the result is None.
        """
        try:
            slope = differentiate(node, self.index)
        except ValueError:
            return None
        if not is_constant(slope, self.index):
            return None
        return _folded(slope), _folded(substitute(node, self.index, Number(0)))

    def power(self, args: tuple[Expression, ...]) -> list[Summand] | None:
        base, exponent = args
        if is_constant(base, self.index):
            return self._exponential(base, exponent)
        integer_exponent = fold(exponent)
        if integer_exponent is None or integer_exponent.denominator != 1:
            return self.radical(base, exponent)
        summands = self._inverse(base) if integer_exponent < 0 else self.summands(base)
        if len(summands) == 1 and abs(integer_exponent) <= MAX_SHIFT:
            return [_raised(summands[0], abs(int(integer_exponent)))]
        if abs(integer_exponent) > MAX_POWER:
            return None
        return self._product([summands] * abs(int(integer_exponent)))

    def _exponential(self, base: Expression, exponent: Expression) -> list[Summand] | None:
        linear_form = self.linear(exponent)
        if linear_form is None:
            return None
        slope, constant = linear_form
        return self._product(
            [[Summand(base=_folded(power_of(base, slope)))], [_constant(power_of(base, constant))]]
        )

    def radical(self, base: Expression, exponent: Expression) -> list[Summand] | None:
        """Split off the factor z^n from a power with a fractional exponent.

        If the base has no such factor, the power is a slow factor, and the result is None.
        """
        summands = self.summands(base)
        if len(summands) != 1 or summands[0].gammas or not is_constant(exponent, self.index):
            return None
        summand = summands[0]
        if summand.base == ONE:
            return None
        inner = Call("pow", (summand.tree(self.index), exponent))
        root = Summand(base=_folded(power_of(summand.base, exponent)))
        return [root.times(summand) for summand in self.summands(inner)]

    def gamma(self, node: Expression, exponent: int = 1) -> list[Summand] | None:
        """Write Gamma(u)^exponent as summands, for a u that is linear in n.

        The result is None if the slope of u is not a positive whole number. It is also None if the
        slope or the constant term of u is too large.
        """
        linear_form = self.linear(node)
        slope, shift = (None, None) if linear_form is None else map(fold, linear_form)
        if slope is None or shift is None or slope.denominator != 1 or not 0 < slope <= MAX_POWER:
            return None
        steps = -(-shift.numerator // shift.denominator) - 1  # the shift is steps + (0, 1]
        if abs(steps) > MAX_SHIFT:
            return None
        cutoff = shift - steps
        rational = fmpq_poly([1])
        for k in range(min(steps, 0), max(steps, 0)):
            rational *= int(slope) * _N + exact_fmpq(cutoff + k)
        summand = Summand(gammas=(((int(slope), cutoff), 1),))
        summand = summand.times(
            Summand(numerator=rational) if steps >= 0 else Summand(denominator=rational)
        )
        return [summand if exponent > 0 else summand.inverse()]

    def binomial(self, args: tuple[Expression, ...]) -> list[Summand] | None:
        u, k = args
        if is_constant(u, self.index):
            return self._generalised_binomial(u, k)
        difference = add(u, neg(k))
        factors = [self.gamma(add(u, ONE))]
        for lower in (k, difference):
            if is_constant(lower, self.index):
                factors.append([_constant(div(ONE, Call("factorial", (lower,))))])
            else:
                factors.append(self.gamma(add(lower, ONE), -1))
        gamma_factors = [factor for factor in factors if factor is not None]
        return self._product(gamma_factors) if len(gamma_factors) == len(factors) else None

    def _generalised_binomial(self, u: Expression, k: Expression) -> list[Summand] | None:
        """Write (u choose k) by gamma functions, for a constant u that is not 0, 1, 2, ...

        The formula is (-1)^k Gamma(k - u) / (Gamma(-u) k!).
        """
        value = fold(u)
        if value is None or (value >= 0 and value.denominator == 1):
            return None
        sign = self._exponential(Number(-1), k)
        numerator, denominator = self.gamma(add(k, neg(u))), self.gamma(add(k, ONE), -1)
        if sign is None or numerator is None or denominator is None:
            return None
        scale = _constant(div(ONE, Call("gamma", (number(-value),))))
        return self._product([sign, numerator, denominator, [scale]])

    def double_factorial(self, args: tuple[Expression, ...]) -> list[Summand] | None:
        """Write the double factorial u!! by the gamma function, if u is always even or odd."""
        linear_form = self.linear(args[0])
        slope, shift = (None, None) if linear_form is None else map(fold, linear_form)
        if slope is None or shift is None or slope % 2 or shift.denominator != 1:
            return None
        return self.summands(double_factorial(args[0], is_odd=bool(shift % 2)))

    def waves(self, angle: Expression, parity: int) -> list[Summand] | None:
        """Write cos or sin of s n + c as a sum of multiples of e^{i(s n + c)} and e^{-i(s n + c)}.

        ``parity`` is 1 for cos and -1 for sin. If s is an integer multiple of pi, there is at most
        one summand. The base of this summand is 1 or -1.
        """
        linear_form = self.linear(angle)
        if linear_form is None:
            return None
        slope, constant = linear_form
        name = "cos" if parity > 0 else "sin"
        turns = linear_in_pi(slope)
        if turns is not None and not turns[0] and turns[1].denominator == 1:
            # sin(pi m n + c) is (-1)^{m n} sin c exactly
            alternating = Number(-1 if turns[1] % 2 else 1)
            if fold(constant) == 0:
                return [Summand(base=alternating)] if parity > 0 else []
            return [Summand(base=alternating, coefficient=Call(name, (constant,)))]
        if turns is not None:  # pi/3 + pi/6 is pi/2
            slope = add(number(turns[0]), mul(number(turns[1]), PI))
        waves: list[Summand] = []
        for sign in (1, -1):
            scale = TWO if parity > 0 else mul(TWO, Number(sign), IMAGINARY)
            rotation = mul(Number(sign), IMAGINARY)
            base = base_product(ONE, Call("exp", (mul(rotation, slope),)))
            shift = ONE if fold(constant) == 0 else Call("exp", (mul(rotation, constant),))
            waves.append(Summand(base=base, coefficient=div(shift, scale)))
        return waves


_READERS: Final[
    dict[str, Callable[[_TermReader, tuple[Expression, ...]], list[Summand] | None]]
] = {
    "pow": _TermReader.power,
    "exp": lambda reader, args: reader._exponential(Call("e"), args[0]),
    "gamma": lambda reader, args: reader.gamma(args[0]),
    "binomial": _TermReader.binomial,
    "double_factorial": _TermReader.double_factorial,
    "cos": lambda reader, args: reader.waves(args[0], 1),
    "sin": lambda reader, args: reader.waves(args[0], -1),
}
#: Functions that are read as formulas in other functions.
_FORMULAS: Final = {name: FORMULAS[name] for name in ("sqrt", "root", "factorial", "cosh", "sinh")}


def base_product(a: Expression, b: Expression) -> Expression:
    """The product of two bases of powers z^n. Exponentials in the bases are combined into one.

    Equal terms in the exponent of the exponential are collected.
    """
    (number_, exponents), (further_number, further_exponents) = map(factors_of_base, (a, b))
    for bare, q in further_exponents.items():
        exponents[bare] = exponents.get(bare, Fraction(0)) + q
    number_ = _folded(mul(number_, further_number))
    exponent = add(*(mul(number(q), bare) for bare, q in exponents.items() if q))
    if exponent == Number(0):
        return number_
    exponential = Call("exp", (exponent,))
    return exponential if number_ == ONE else Call("mul", (number_, exponential))


def factors_of_base(base: Expression) -> tuple[Expression, dict[Expression, Fraction]]:
    """Write a base as a number times e^v, where v is a sum of constants with rational factors.

    The result is the number, and the rational factors by their constants.
    """
    exponents: dict[Expression, Fraction] = {}
    algebraic: list[Expression] = []
    for factor in base.args if base.function == "mul" else (base,):
        if factor.function != "exp":
            algebraic.append(factor)
            continue
        inner = factor.args[0]
        for term in inner.args if inner.function == "add" else (inner,):
            scale, bare = _split(term)
            exponents[bare] = exponents.get(bare, Fraction(0)) + scale
    return mul(*algebraic), exponents


def double_factorial(u: Expression, *, is_odd: bool) -> Expression:
    """A formula for the double factorial u!! of an even or odd number u.

    If u = 2v, then u!! = 2^v Gamma(v + 1). If u = 2v - 1, then u!! = 2^v Gamma(v + 1/2) / sqrt(pi).
    """
    half = div(add(u, ONE) if is_odd else u, TWO)
    gamma = Call("gamma", (add(half, Number(1, 2) if is_odd else ONE),))
    value = mul(Call("pow", (TWO, half)), gamma)
    return div(value, Call("sqrt", (PI,))) if is_odd else value


def _split(term: Expression) -> tuple[Fraction, Expression]:
    """Split a product into a rational number and the product of all other factors."""
    value = fold(term)
    if value is not None:
        return value, ONE
    if term.function == "neg":
        scale, bare = _split(term.args[0])
        return -scale, bare
    if term.function == "div":
        scale, bare = _split(term.args[0])
        divisor, denominator = _split(term.args[1])
        return scale / divisor, div(bare, denominator)
    if term.function != "mul":
        return Fraction(1), term
    scale, factors = Fraction(1), []
    for factor in term.args:
        inner, bare = _split(factor)
        scale *= inner
        if bare != ONE:
            factors.append(bare)
    return scale, mul(*factors) if factors else ONE


def _constant(node: Expression) -> Summand:
    value = fold(node)
    return (
        Summand(coefficient=node)
        if value is None
        else Summand(numerator=fmpq_poly([exact_fmpq(value)]))
    )


def _raised(summand: Summand, exponent: int) -> Summand:
    return Summand(
        summand.numerator**exponent,
        summand.denominator**exponent,
        _folded(power_of(summand.base, Number(exponent))),
        tuple((key, e * exponent) for key, e in summand.gammas if exponent),
        power_of(summand.coefficient, Number(exponent)),
        power_of(summand.slow, Number(exponent)),
    )


def power_of(base: Expression, exponent: Expression) -> Expression:
    """A power, in which e^v is written with the exponential function."""
    if base == ONE or exponent == Number(0):
        return ONE
    if base == Call("e"):
        return Call("exp", (exponent,))
    if base.function == "exp":
        return Call("exp", (mul(base.args[0], exponent),))
    return power(base, exponent)


def _folded(node: Expression) -> Expression:
    value = fold(node)
    return node if value is None else number(value)


def exact_fmpq(value: Fraction) -> fmpq:
    """Convert a fraction to python-flint's type."""
    return fmpq(value.numerator, value.denominator)


def _polynomial_tree(polynomial: fmpq_poly, index: str) -> Expression:
    terms = [
        mul(Number(int(c.p), int(c.q)), power(Symbol(index), Number(k)))
        for k, c in enumerate(polynomial.coeffs())
        if c != 0
    ]
    return add(*terms) if terms else Number(0)
