"""The expressions of derivations: trees that are evaluated on construction as SymPy's are.

Beside the verifier's functions they have functions without a formula, such as f in f(x, y), and
unevaluated derivatives and integrals. The constructors evaluate as SymPy does for plain symbols (2x
+ x is 3x, (xy)^2 is x^2 y^2, -x + y in a cosine is x - y, e^(log x) is x, but log(e^x) stays),
because Meadows et al. used SymPy. This module is faster. Arguments have an order of its own; that
in which they are printed is SymPy's (`printing`). Tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from itertools import chain
from typing import Any, TypeAlias

from ....rewards.expression.traversal import nodes_of
from ....rewards.expression.tree import Call, Expression, Number, Symbol

Rational: TypeAlias = int | Fraction

#: The most bits of a number's numerator and denominator.
MAX_BITS = 64
#: The expressions of which keys, names and texts are kept.
CACHED = 1 << 16


class UndefinedError(ArithmeticError):
    """An expression without a finite real value, such as log 0, 1/0 or log(-2)."""


def number(value: Rational) -> Number:
    """An exact number."""
    if max(abs(value.numerator), value.denominator).bit_length() > MAX_BITS:
        raise UndefinedError("a number too long")
    return _number(value.numerator, value.denominator)


_number = lru_cache(CACHED)(Number)
symbol = cache(Symbol)
ZERO, ONE, MINUS_ONE = map(number, (0, 1, -1))
#: Euler's number.
EULER = Call("exp", (ONE,))


# --- questions ---


def value_of(node: Expression) -> Rational:
    """The value of a number."""
    assert isinstance(node, Number)
    whole = node.denominator == 1
    return node.numerator if whole else Fraction(node.numerator, node.denominator)


def is_whole(term: Expression) -> bool:
    """Whether it is a whole number."""
    return isinstance(term, Number) and term.denominator == 1


def is_negative(term: Expression) -> bool:
    """Whether it is a negative number."""
    return isinstance(term, Number) and term.numerator < 0


def name_of(node: Expression) -> str:
    """The name of a symbol, or of a function without a formula."""
    return node.name if isinstance(node, Symbol) else node.function


def is_applied(node: Expression) -> bool:
    """Whether a node is a function without a formula and its arguments."""
    return bool(node.args) and node.function not in _BUILDERS


@lru_cache(CACHED)
def free(term: Expression) -> frozenset[str]:
    """The names of the symbols in it, without names of functions."""
    if isinstance(term, Symbol):
        return frozenset((term.name,))
    args = term.args[:1] if term.function == "derivative" else term.args
    return frozenset[str]().union(*map(free, args))


def has(term: Expression, *functions: str) -> bool:
    """Whether a node with one of these functions occurs."""
    return any(node.function in functions for node in nodes_of(term))


def has_applied(term: Expression) -> bool:
    """Whether a function without a formula occurs."""
    return any(map(is_applied, nodes_of(term)))


def names_of(term: Expression) -> set[str]:
    """The names of symbols and of functions in it."""
    return {name_of(n) for n in nodes_of(term) if n.function == "symbol" or is_applied(n)}


def _is_constant(term: Expression) -> bool:
    """Whether it is made of numbers and functions with a formula only."""
    return not (free(term) or has(term, "derivative", "integral") or has_applied(term))


# --- parts ---


def coefficient(term: Expression) -> tuple[Rational, Expression]:
    """The number ``c`` and the rest ``t`` such that the term is c t."""
    if isinstance(term, Number):
        return value_of(term), ONE
    if term.function == "mul" and isinstance(term.args[0], Number):
        rest = term.args[1:]
        return value_of(term.args[0]), rest[0] if len(rest) == 1 else Call("mul", rest)
    return 1, term


def base_and_exponent(term: Expression) -> tuple[Expression, Expression]:
    """``b`` and ``e`` such that the term is b^e; for an exponential, b is Euler's number."""
    if term.function == "pow":
        return term.args[0], term.args[1]
    return (EULER, term.args[0]) if term.function == "exp" else (term, ONE)


def factors_of(term: Expression) -> tuple[Expression, ...]:
    """The factors of a product."""
    return term.args if term.function == "mul" else (term,)


def terms_of(term: Expression) -> tuple[Expression, ...]:
    """The terms of a sum."""
    return term.args if term.function == "add" else (term,)


@lru_cache(CACHED)
def _order(term: Expression) -> tuple[Any, ...]:
    """A key that orders arguments: numbers, symbols, and the others as `_BUILDERS` has them."""
    if isinstance(term, Number):
        return 0, term.numerator, term.denominator
    if isinstance(term, Symbol):
        return 1, term.name
    rank = _RANKS.get(term.function, 2)
    return rank, term.function, len(term.args), *map(_order, term.args)


# --- sums, products and powers ---


def _compound(function: str, args: list[Expression]) -> Expression:
    return args[0] if len(args) == 1 else Call(function, tuple(args))


def _scaled(value: Rational, term: Expression) -> Expression:
    """A number times a term without a numeric factor."""
    if value == 1:
        return term
    if term == ONE:
        return number(value)
    if term.function == "add":
        return add(*(mul(number(value), part) for part in term.args))
    return Call("mul", (number(value), *factors_of(term)))


def add(*terms: Expression) -> Expression:
    """A sum with like terms collected, ordered without their numeric factors."""
    parts: dict[Expression, Rational] = {}
    for term in chain.from_iterable(map(terms_of, terms)):
        value, rest = coefficient(term)
        parts[rest] = parts.get(rest, 0) + value
    kept = [rest for rest, value in parts.items() if value]
    kept.sort(key=_order)
    return _compound("add", [_scaled(parts[rest], rest) for rest in kept]) if kept else ZERO


def mul(*factors: Expression) -> Expression:
    """A product with like powers collected; a number times a sum is expanded."""
    value: Rational = 1
    powers: dict[tuple[Expression, Expression], Rational] = {}
    for factor in chain.from_iterable(map(factors_of, factors)):
        if isinstance(factor, Number):
            value *= value_of(factor)
        else:
            base, exponent = base_and_exponent(factor)
            times, kind = coefficient(exponent)
            powers[base, kind] = powers.get((base, kind), 0) + times
    if not value:
        return ZERO
    made = [power(base, _scaled(times, kind)) for (base, kind), times in powers.items() if times]
    if any(part.function in ("number", "mul") for part in made):
        return mul(number(value), *made)
    if len(made) < 2:
        return _scaled(value, made[0] if made else ONE)
    made.sort(key=_order)
    return Call("mul", (*([number(value)] * (value != 1)), *made))


def negative(term: Expression) -> Expression:
    """The negative of a term."""
    return mul(MINUS_ONE, term)


def divide(above: Expression, below: Expression) -> Expression:
    """A quotient."""
    return mul(above, power(below, MINUS_ONE))


def power(base: Expression, exponent: Expression) -> Expression:
    """A power."""
    if exponent == ZERO:
        return ONE
    if exponent == ONE:
        return base
    if base == EULER:
        return exp(exponent)
    if isinstance(base, Number):
        return _power_of_number(value_of(base), exponent)
    whole = is_whole(exponent)
    if base.function in ("pow", "exp"):
        inner, first = base_and_exponent(base)
        small = isinstance(first, Number) and abs(first.numerator) < first.denominator
        if whole or small or (base.function == "exp" and _is_constant(first)):
            return power(inner, mul(first, exponent))
    if base.function == "mul" and whole:
        return mul(*(power(factor, exponent) for factor in base.args))
    value, rest = coefficient(base)
    if isinstance(exponent, Number) and value > 0 and value != 1:
        return mul(power(number(value), exponent), power(rest, exponent))
    return Call("pow", (base, exponent))


def _power_of_number(value: Rational, exponent: Expression) -> Expression:
    if value == 1:
        return ONE
    if value == 0:
        if isinstance(exponent, Number) and exponent.numerator > 0:
            return ZERO
        raise UndefinedError("a power of zero")
    if isinstance(exponent, Number):
        if exponent.denominator != 1:
            raise UndefinedError("a root of a number")  # they do not arise
        if abs(exponent.numerator) > MAX_BITS:
            raise UndefinedError("a number too long")
        return number(Fraction(value) ** exponent.numerator)
    if isinstance(value, Fraction):
        below = power(number(value.denominator), negative(exponent))
        return mul(power(number(value.numerator), exponent), below)
    return Call("pow", (number(value), exponent))


# --- functions ---


def exp(x: Expression) -> Expression:
    """The exponential function."""
    if x == ZERO:
        return ONE
    outside: list[Expression] = []
    inside: list[Expression] = []
    for term in terms_of(x):
        value, rest = coefficient(term)
        if rest.function == "ln":
            outside.append(power(rest.args[0], number(value)))
        else:
            inside.append(term)
    return mul(*outside, exp(add(*inside))) if outside else Call("exp", (x,))


def log(x: Expression) -> Expression:
    """The natural logarithm; `UndefinedError` for numbers that are not positive."""
    if isinstance(x, Number):
        if x.numerator <= 0:
            raise UndefinedError("a logarithm of zero or less")
        if x == ONE:
            return ZERO
        if x.numerator == 1:
            return negative(log(number(x.denominator)))
    if x.function == "exp" and _is_constant(x.args[0]):
        return x.args[0]
    return Call("ln", (x,))


def sin(x: Expression) -> Expression:
    """The sine."""
    if leads_with_minus(x):
        return negative(sin(negative(x)))
    return ZERO if x == ZERO else Call("sin", (x,))


def cos(x: Expression) -> Expression:
    """The cosine."""
    if x == ZERO:
        return ONE
    return Call("cos", (negative(x) if leads_with_minus(x) else x,))


def leads_with_minus(term: Expression) -> bool:
    """Whether most of its terms have a minus; of as many with as without, the first."""
    minus = [coefficient(part)[0] < 0 for part in terms_of(term)]
    return 2 * sum(minus) > len(minus) - minus[0]


def apply(name: str, args: tuple[Expression, ...]) -> Expression:
    """A function without a formula, as in ``f(x, y)``."""
    return Call(name, args)


def derivative(term: Expression, *variables: Expression) -> Expression:
    """An unevaluated derivative."""
    return _nested("derivative", term, variables)


def integral(term: Expression, *variables: Expression) -> Expression:
    """An unevaluated indefinite integral."""
    return _nested("integral", term, variables)


def _nested(head: str, term: Expression, variables: tuple[Expression, ...]) -> Expression:
    inner = term.args if term.function == head else (term,)
    return Call(head, (*inner, *variables)) if variables else term


#: The functions of one argument by the names that derivations have for them.
CONSTRUCTORS = {"cos": cos, "sin": sin, "exp": exp, "log": log}
UNARY = tuple(CONSTRUCTORS)
#: The functions with rules. An unevaluated derivative or integral has the expression and then the
#: variables as its arguments; any other function has no formula.
_BUILDERS: dict[str, Callable[..., Expression]] = {
    "add": add,
    "mul": mul,
    "pow": power,
    "exp": exp,
    "ln": log,
    "sin": sin,
    "cos": cos,
    "derivative": derivative,
    "integral": integral,
}
_RANKS = {function: rank for rank, function in enumerate(_BUILDERS, 3)}


def rebuild(term: Expression, args: tuple[Expression, ...]) -> Expression:
    """The node with other arguments, evaluated."""
    if args == term.args:
        return term
    build = _BUILDERS.get(term.function)
    return build(*args) if build else Call(term.function, args)
