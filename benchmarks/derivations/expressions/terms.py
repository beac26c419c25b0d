"""The expressions of derivations: trees that are evaluated on construction as SymPy's are.

Beside the verifier's functions they have functions without a formula, such as f in f(x, y), and
unevaluated derivatives and integrals. The constructors evaluate as SymPy does for plain symbols (2x
+ x is 3x, (xy)^2 is x^2 y^2, cos(y - x) is cos(x - y), e^(log x) is x, but log(e^x) stays), because
Meadows et al. used SymPy. This module is faster, and its results do not depend on SymPy's version.
Tests compare the two.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, TypeAlias

from ....rewards.expression.traversal import nodes_of
from ....rewards.expression.tree import Call, Expression, Number, Symbol

Rational: TypeAlias = int | Fraction

#: The functions with rules. An unevaluated derivative or integral has the expression and then the
#: variables as its arguments; any other function has no formula.
_HEADS = frozenset(("add", "mul", "pow", "exp", "ln", "sin", "cos", "derivative", "integral"))
#: The most bits of a number's numerator and denominator.
MAX_BITS = 64
#: The expressions of which keys, names and texts are kept.
CACHED = 1 << 16


class UndefinedError(ArithmeticError):
    """An expression without a finite real value, such as log 0, 1/0 or log(-2)."""


def number(value: Rational) -> Number:
    """An exact number."""
    size = max(abs(value.numerator), value.denominator)
    if size <= _SMALL:
        return _small(value.numerator, value.denominator)
    if size.bit_length() > MAX_BITS:
        raise UndefinedError("a number too long")
    return Number(value.numerator, value.denominator)


_SMALL = 64
_small = cache(Number)
symbol = cache(Symbol)
ZERO, ONE, MINUS_ONE = number(0), number(1), number(-1)


def value_of(node: Expression) -> Rational:
    """The value of a number."""
    assert isinstance(node, Number)
    whole = node.denominator == 1
    return node.numerator if whole else Fraction(node.numerator, node.denominator)


def name_of(node: Expression) -> str:
    """The name of a symbol, or of a function without a formula."""
    return node.name if isinstance(node, Symbol) else node.function


def is_applied(node: Expression) -> bool:
    """Whether a node is a function without a formula and its arguments."""
    return bool(node.args) and node.function not in _HEADS


@lru_cache(CACHED)
def free(term: Expression) -> frozenset[str]:
    """The names of the symbols in it, without names of functions."""
    if isinstance(term, Symbol):
        return frozenset((term.name,))
    args = term.args[:1] if term.function == "derivative" else term.args
    names: frozenset[str] = frozenset()
    return names.union(*map(free, args))


def has(term: Expression, *functions: str) -> bool:
    """Whether a node with one of these functions occurs."""
    return any(node.function in functions for node in nodes_of(term))


def has_applied(term: Expression) -> bool:
    """Whether a function without a formula occurs."""
    return any(map(is_applied, nodes_of(term)))


def names_of(term: Expression) -> set[str]:
    """The names of symbols and of functions in it."""
    return {name_of(n) for n in nodes_of(term) if n.function == "symbol" or is_applied(n)}


# --- parts ---


def coefficient(term: Expression) -> tuple[Rational, Expression]:
    """The number ``c`` and the rest ``t`` such that the term is c t."""
    if term.function == "number":
        return value_of(term), ONE
    if term.function == "mul" and term.args[0].function == "number":
        rest = term.args[1:]
        return value_of(term.args[0]), rest[0] if len(rest) == 1 else Call("mul", rest)
    return 1, term


def base_and_exponent(term: Expression) -> tuple[Expression, Expression]:
    """``b`` and ``e`` such that the term is b^e; for an exponential, b is Euler's number."""
    if term.function == "pow":
        return term.args[0], term.args[1]
    if term.function == "exp":
        return EULER, term.args[0]
    return term, ONE


def factors_of(term: Expression) -> tuple[Expression, ...]:
    """The factors of a product."""
    return term.args if term.function == "mul" else (term,)


def terms_of(term: Expression) -> tuple[Expression, ...]:
    """The terms of a sum."""
    return term.args if term.function == "add" else (term,)


# --- constructors ---


def _scaled(value: Rational, term: Expression) -> Expression:
    """value * term for a term without a numeric factor; a sum is not expanded."""
    if value == 1:
        return term
    if term is ONE:
        return number(value)
    return Call("mul", (number(value), *factors_of(term)))


def add(*terms: Expression) -> Expression:
    """A sum with like terms collected."""
    total: Rational = 0
    parts: dict[Expression, Rational] = {}
    for outer in terms:
        for term in terms_of(outer):
            value, rest = coefficient(term)
            if rest is ONE:
                total += value
            else:
                parts[rest] = parts.get(rest, 0) + value
    flat = [_scaled(value, rest) for rest, value in parts.items() if value]
    if total:
        flat.append(number(total))
    if len(flat) < 2:
        return flat[0] if flat else ZERO
    flat.sort(key=sort_key)
    return Call("add", tuple(flat))


def mul(*factors: Expression) -> Expression:
    """A product with like powers collected."""
    value: Rational = 1
    powers: dict[Expression, dict[Expression, Rational]] = {}
    stack = list(reversed(factors))
    again = 4  # a power that evaluates to a product is split again
    while True:
        while stack:
            factor = stack.pop()
            if factor.function == "number":
                value *= value_of(factor)
            elif factor.function == "mul":
                stack.extend(reversed(factor.args))
            else:
                base, exponent = base_and_exponent(factor)
                times, kind = coefficient(exponent)
                group = powers.setdefault(base, {})
                group[kind] = group.get(kind, 0) + times
        if not value:
            return ZERO
        flat: list[Expression] = []
        for base, group in powers.items():
            for kind, times in group.items():
                if times:
                    made = power(base, _scaled(times, kind))
                    (stack if made.function in ("number", "mul") else flat).append(made)
        if not stack or not again:
            break
        again -= 1
        powers = {}
        stack += flat
    flat += stack
    if not flat:
        return number(value)
    if len(flat) == 1:
        if value == 1:
            return flat[0]
        if flat[0].function == "add":
            return add(*(mul(number(value), term) for term in flat[0].args))
    flat.sort(key=sort_key)
    if value != 1:
        flat.insert(0, number(value))
    return Call("mul", tuple(flat))


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
    if base.function == "number":
        return _power_of_number(base, exponent)
    if exponent.function == "number":
        whole = is_whole(exponent)
        inner, upper = base_and_exponent(base)
        if base.function in ("pow", "exp") and (whole or _is_small(upper)):
            return power(inner, mul(upper, exponent))
        if base.function == "mul":
            if whole:
                return mul(*(power(factor, exponent) for factor in base.args))
            value, rest = coefficient(base)
            if value > 0 and value != 1:
                return mul(power(number(value), exponent), power(rest, exponent))
    elif base.function == "exp" and _float_of(base.args[0]) is not None:
        return exp(mul(base.args[0], exponent))
    elif base.function == "pow" and _is_small(base.args[1]):
        return power(base.args[0], mul(base.args[1], exponent))
    return Call("pow", (base, exponent))


def is_whole(term: Expression) -> bool:
    """Whether it is a whole number."""
    return isinstance(term, Number) and term.denominator == 1


def is_negative(term: Expression) -> bool:
    """Whether it is a negative number."""
    return isinstance(term, Number) and term.numerator < 0


def _is_small(term: Expression) -> bool:
    return isinstance(term, Number) and abs(term.numerator) < term.denominator


def _power_of_number(base: Expression, exponent: Expression) -> Expression:
    value = value_of(base)
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
    return Call("pow", (base, exponent))


def exp(x: Expression) -> Expression:
    """The exponential function."""
    if x == ZERO:
        return ONE
    if x.function == "ln":
        return x.args[0]
    value, rest = coefficient(x)
    if rest.function == "ln":
        return power(rest.args[0], number(value))
    if x.function == "add":
        outside = [made for term in x.args if (made := exp(term)).function != "exp"]
        if outside:
            inside = [term for term in x.args if exp(term).function == "exp"]
            return mul(*outside, exp(add(*inside)))
    return Call("exp", (x,))


#: Euler's number.
EULER = Call("exp", (ONE,))


def log(x: Expression) -> Expression:
    """The natural logarithm; `UndefinedError` for numbers that are not positive."""
    if isinstance(x, Number):
        if x.numerator <= 0:
            raise UndefinedError("a logarithm of zero or less")
        if x == ONE:
            return ZERO
        if x.numerator == 1:
            return negative(log(number(x.denominator)))
    if x.function == "exp" and _float_of(x.args[0]) is not None:
        return x.args[0]
    return Call("ln", (x,))


def sin(x: Expression) -> Expression:
    """The sine."""
    if x == ZERO:
        return ZERO
    if leads_with_minus(x):
        return negative(sin(negative(x)))
    return Call("sin", (x,))


def cos(x: Expression) -> Expression:
    """The cosine."""
    if x == ZERO:
        return ONE
    return Call("cos", (negative(x) if leads_with_minus(x) else x,))


def apply(name: str, args: tuple[Expression, ...]) -> Expression:
    """A function without a formula, as in ``f(x, y)``."""
    return Call(name, args)


def derivative(term: Expression, variable: Expression) -> Expression:
    """An unevaluated derivative."""
    inner = term.args if term.function == "derivative" else (term,)
    return Call("derivative", (*inner, variable))


def integral(term: Expression, variable: Expression) -> Expression:
    """An unevaluated indefinite integral."""
    inner = term.args if term.function == "integral" else (term,)
    return Call("integral", (*inner, variable))


#: The functions of one argument by the names that derivations have for them.
CONSTRUCTORS = {"cos": cos, "sin": sin, "exp": exp, "log": log}
UNARY = tuple(CONSTRUCTORS)


_UNARY = {**CONSTRUCTORS, "ln": log}


def rebuild(term: Expression, args: tuple[Expression, ...]) -> Expression:
    """The node with other arguments, evaluated."""
    if args == term.args:
        return term
    head = term.function
    if head == "add":
        return add(*args)
    if head == "mul":
        return mul(*args)
    if head == "pow":
        return power(*args)
    if head in _UNARY:
        return _UNARY[head](args[0])
    if head in ("derivative", "integral"):
        built = args[0]
        for variable in args[1:]:
            built = (
                derivative(built, variable) if head == "derivative" else integral(built, variable)
            )
        return built
    return Call(head, args)


def leads_with_minus(term: Expression) -> bool:
    """Whether SymPy writes it with a leading minus (``could_extract_minus_sign``)."""
    if term.function == "mul":
        return is_negative(term.args[0])
    if term.function == "add":
        minus = sum(map(leads_with_minus, term.args))
        if 2 * minus != len(term.args):
            return 2 * minus > len(term.args)
        return bool(sort_key(term) < sort_key(negative(term)))
    return is_negative(term)


# --- SymPy's order, in which sums and products are printed ---

_ATOM = {"number": (1, 0, "Number"), "symbol": (2, 0, "Symbol")}
_KINDS = {
    "add": (3, 1, "Add"),
    "mul": (3, 0, "Mul"),
    "pow": (3, 2, "Pow"),
    "exp": (4, 10, "exp"),
    "ln": (4, 11, "log"),
    "sin": (4, 20, "sin"),
    "cos": (4, 21, "cos"),
    "derivative": (5, 0, "Derivative"),
    "integral": (5, 0, "Integral"),
}
_ONE_KEY = (_ATOM["number"], (0, ()), (), 1)


@lru_cache(CACHED)
def sort_key(term: Expression) -> Any:
    """SymPy's key for sorting factors (``sort_key``); coefficients are compared last."""
    if term.function == "number":
        return (_ATOM["number"], (0, ()), (), value_of(term))
    value, core = coefficient(term)
    exponent: Any = _ONE_KEY
    if core.function == "pow":
        core, upper = core.args
        exponent = sort_key(upper)
    if core.function == "symbol":
        return (_ATOM["symbol"], (1, (name_of(core),)), exponent, value)
    if core.function == "number":
        return (_ATOM["number"], (1, (str(value_of(core)),)), exponent, value)
    if core == EULER:
        return ((2, 0, "Exp1"), (1, ("E",)), exponent, value)
    kind = _KINDS.get(core.function) or (4, 0, core.function)
    if core.function == "add":
        args = [sort_key(arg) for arg in ordered_terms(core)]
    elif core.function in ("derivative", "integral"):
        limits = [_limit_key(variable, core.function) for variable in core.args[1:]]
        args = [sort_key(core.args[0]), *limits]
    else:
        args = [sort_key(arg) for arg in core.args]
    return (kind, (len(args), tuple(args)), exponent, value)


def _limit_key(variable: Expression, head: str) -> Any:
    inside = (sort_key(variable), _ONE_KEY) if head == "derivative" else (sort_key(variable),)
    return ((5, 0, "Tuple"), (len(inside), inside), _ONE_KEY, 1)


def ordered_terms(term: Expression) -> list[Expression]:
    """The terms of a sum in SymPy's order: lexicographically by the exponents of the factors."""
    terms = term.args
    if len(terms) == 2:
        first, second = sorted(terms, key=lambda t: t.function != "number" and t != EULER)
        positive = isinstance(first, Number) and first.numerator > 0
        minus = second.function == "mul" and len(second.args) == 2 and coefficient(second)[0] < 0
        if (first == EULER or positive) and minus:
            return [first, second]
    parts: list[tuple[Expression, float, dict[Expression, int]]] = []
    bases: set[Expression] = set()
    for one in terms:
        value, core = coefficient(one)
        size = float(value)
        exponents: dict[Expression, int] = {}
        for factor in factors_of(core) if core is not ONE else ():
            constant = _float_of(factor)
            if constant is not None:
                size *= constant
                continue
            base, times = _decomposed(factor)
            exponents[base] = times
            bases.add(base)
        parts.append((one, size, exponents))
    ranked = sorted(bases, key=sort_key)

    def key(part: tuple[Expression, float, dict[Expression, int]]) -> Any:
        _, size, exponents = part
        return tuple(-exponents.get(base, 0) for base in ranked), size

    return [part[0] for part in sorted(parts, key=key)]


def _decomposed(factor: Expression) -> tuple[Expression, int]:
    """Base and integer exponent, as in e^(2x) = (e^x)^2."""
    base, exponent = base_and_exponent(factor)
    value, kind = coefficient(exponent)
    if value == 1:
        return factor, 1
    exact = Fraction(value)
    tail = _scaled(Fraction(1, exact.denominator), kind) if exact.denominator != 1 else kind
    return (base if tail is ONE else power(base, tail)), exact.numerator


def _float_of(term: Expression) -> float | None:
    """The value of a term made of numbers only, else None."""
    if free(term) or has(term, "derivative", "integral") or has_applied(term):
        return None
    if term.function == "number":
        return float(value_of(term))
    try:
        values = [value for arg in term.args if (value := _float_of(arg)) is not None]
        if term.function == "add":
            return math.fsum(values)
        if term.function == "mul":
            return math.prod(values)
        if term.function == "pow":
            return float(values[0] ** values[1])
        return float(getattr(math, "log" if term.function == "ln" else term.function)(*values))
    except (ValueError, ArithmeticError, TypeError):  # a part has no value
        return None
