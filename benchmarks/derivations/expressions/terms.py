"""The expressions of derivations: immutable trees that are evaluated on construction as SymPy's.

They have what the verifier's trees lack: functions without a formula, unevaluated derivatives and
integrals. The constructors evaluate as SymPy does for plain symbols (2x + x is 3x, (xy)^2 is
x^2 y^2, cos(y - x) is cos(x - y), e^(log x) is x, but log(e^x) stays), because Meadows et al. used
SymPy. This module is faster, and its results do not depend on SymPy's version. Tests compare the
two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

Rational: TypeAlias = int | Fraction

NUMBER, SYMBOL, ADD, MUL, POW = "number", "symbol", "add", "mul", "pow"
EXP, LOG, SIN, COS = "exp", "log", "sin", "cos"
#: A function without a formula, as f in f(x, y); an unevaluated derivative or integral, whose
#: arguments are the expression and then the variables.
APPLY, DERIVATIVE, INTEGRAL = "apply", "derivative", "integral"
UNARY = (COS, SIN, EXP, LOG)

#: The most bits of a number's numerator and denominator.
MAX_BITS = 64


class UndefinedError(ArithmeticError):
    """An expression without a finite real value, such as log 0, 1/0 or log(-2)."""


class Term:
    """A node. Use the functions of this module to make one: they evaluate. Compare with ``==``."""

    __slots__ = ("_free", "_hash", "_key", "_latex", "_plain", "args", "head", "value")

    def __init__(self, head: str, args: tuple[Term, ...] = (), value: Any = None) -> None:
        self.head = head
        self.args = args
        self.value = value
        self._hash = hash((head, args, value))
        self._free: frozenset[str] | None = None
        self._key: Any = None
        self._latex: str | None = None
        self._plain: str | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Term)
            and self._hash == other._hash
            and self.head == other.head
            and self.value == other.value
            and self.args == other.args
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.head, self.args, self.value)

    def __repr__(self) -> str:
        parts = [repr(self.value)] * (self.value is not None) + list(map(repr, self.args))
        return f"{self.head}({', '.join(parts)})"

    @property
    def free(self) -> frozenset[str]:
        """The names of the symbols in it, without names of functions."""
        if self._free is None:
            args = self.args[:1] if self.head == DERIVATIVE else self.args
            names = frozenset((self.value,)) if self.head == SYMBOL else frozenset()
            self._free = names.union(*(arg.free for arg in args))
        return self._free


def number(value: Rational) -> Term:
    """An exact number."""
    if isinstance(value, Fraction) and value.denominator == 1:
        value = value.numerator
    if isinstance(value, int) and -_SMALL <= value <= _SMALL:
        return _small(value)
    size = max(abs(value.numerator), value.denominator).bit_length()
    if size > MAX_BITS:
        raise UndefinedError("a number too long")
    return Term(NUMBER, (), value)


_SMALL = 64


@cache
def _small(value: int) -> Term:
    return Term(NUMBER, (), value)


@cache
def symbol(name: str) -> Term:
    """A symbol."""
    return Term(SYMBOL, (), name)


ZERO, ONE, MINUS_ONE = number(0), number(1), number(-1)


def walk(*terms: Term) -> Iterator[Term]:
    """Every node, parents first."""
    stack = list(reversed(terms))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.args))


def has(term: Term, *heads: str) -> bool:
    """Whether a node with one of these heads occurs."""
    return any(node.head in heads for node in walk(term))


def names_of(term: Term) -> set[str]:
    """The names of symbols and of functions in it."""
    return {node.value for node in walk(term) if node.head in (SYMBOL, APPLY)}


# --- parts ---


def coefficient(term: Term) -> tuple[Rational, Term]:
    """The number ``c`` and the rest ``t`` such that the term is c t."""
    if term.head == NUMBER:
        return term.value, ONE
    if term.head == MUL and term.args[0].head == NUMBER:
        rest = term.args[1:]
        return term.args[0].value, rest[0] if len(rest) == 1 else Term(MUL, rest)
    return 1, term


def base_and_exponent(term: Term) -> tuple[Term, Term]:
    """``b`` and ``e`` such that the term is b^e; for an exponential, b is Euler's number."""
    if term.head == POW:
        return term.args[0], term.args[1]
    if term.head == EXP:
        return EULER, term.args[0]
    return term, ONE


def factors_of(term: Term) -> tuple[Term, ...]:
    """The factors of a product."""
    return term.args if term.head == MUL else (term,)


def terms_of(term: Term) -> tuple[Term, ...]:
    """The terms of a sum."""
    return term.args if term.head == ADD else (term,)


# --- constructors ---


def _scaled(value: Rational, term: Term) -> Term:
    """value * term for a term without a numeric factor; a sum is not expanded."""
    if value == 1:
        return term
    if term is ONE:
        return number(value)
    return Term(MUL, (number(value), *factors_of(term)))


def add(*terms: Term) -> Term:
    """A sum with like terms collected."""
    total: Rational = 0
    parts: dict[Term, Rational] = {}
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
    return Term(ADD, tuple(flat))


def mul(*factors: Term) -> Term:
    """A product with like powers collected."""
    value: Rational = 1
    powers: dict[Term, dict[Term, Rational]] = {}
    stack = list(reversed(factors))
    again = 4  # a power that evaluates to a product is split again
    while True:
        while stack:
            factor = stack.pop()
            if factor.head == NUMBER:
                value *= factor.value
            elif factor.head == MUL:
                stack.extend(reversed(factor.args))
            else:
                base, exponent = base_and_exponent(factor)
                times, kind = coefficient(exponent)
                group = powers.setdefault(base, {})
                group[kind] = group.get(kind, 0) + times
        if not value:
            return ZERO
        flat: list[Term] = []
        for base, group in powers.items():
            for kind, times in group.items():
                if times:
                    made = power(base, _scaled(times, kind))
                    (stack if made.head in (NUMBER, MUL) else flat).append(made)
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
        if flat[0].head == ADD:
            return add(*(mul(number(value), term) for term in flat[0].args))
    flat.sort(key=sort_key)
    if value != 1:
        flat.insert(0, number(value))
    return Term(MUL, tuple(flat))


def negative(term: Term) -> Term:
    """The negative of a term."""
    return mul(MINUS_ONE, term)


def divide(above: Term, below: Term) -> Term:
    """A quotient."""
    return mul(above, power(below, MINUS_ONE))


def power(base: Term, exponent: Term) -> Term:
    """A power."""
    if exponent.head == NUMBER:
        if exponent.value == 0:
            return ONE
        if exponent.value == 1:
            return base
    if base == EULER:
        return exp(exponent)
    if base.head == NUMBER:
        return _power_of_number(base, exponent)
    if exponent.head == NUMBER:
        whole = isinstance(exponent.value, int)
        inner, upper = base_and_exponent(base)
        if base.head in (POW, EXP) and (whole or (upper.head == NUMBER and abs(upper.value) < 1)):
            return power(inner, mul(upper, exponent))
        if base.head == MUL:
            if whole:
                return mul(*(power(factor, exponent) for factor in base.args))
            value, rest = coefficient(base)
            if value > 0 and value != 1:
                return mul(power(number(value), exponent), power(rest, exponent))
    elif base.head == EXP and _float_of(base.args[0]) is not None:
        return exp(mul(base.args[0], exponent))
    elif base.head == POW and base.args[1].head == NUMBER and abs(base.args[1].value) < 1:
        return power(base.args[0], mul(base.args[1], exponent))
    return Term(POW, (base, exponent))


def _power_of_number(base: Term, exponent: Term) -> Term:
    value = base.value
    if value == 1:
        return ONE
    if value == 0:
        if exponent.head == NUMBER and exponent.value > 0:
            return ZERO
        raise UndefinedError("a power of zero")
    if exponent.head == NUMBER:
        if not isinstance(exponent.value, int):
            raise UndefinedError("a root of a number")  # they do not arise
        if abs(exponent.value) > MAX_BITS:
            raise UndefinedError("a number too long")
        return number(Fraction(value) ** exponent.value)
    if isinstance(value, Fraction):
        below = power(number(value.denominator), negative(exponent))
        return mul(power(number(value.numerator), exponent), below)
    return Term(POW, (base, exponent))


def exp(x: Term) -> Term:
    """The exponential function."""
    if x == ZERO:
        return ONE
    if x.head == LOG:
        return x.args[0]
    value, rest = coefficient(x)
    if rest.head == LOG:
        return power(rest.args[0], number(value))
    if x.head == ADD:
        outside = [made for term in x.args if (made := exp(term)).head != EXP]
        if outside:
            inside = [term for term in x.args if exp(term).head == EXP]
            return mul(*outside, exp(add(*inside)))
    return Term(EXP, (x,))


#: Euler's number.
EULER = Term(EXP, (ONE,))


def log(x: Term) -> Term:
    """The natural logarithm; `UndefinedError` for numbers that are not positive."""
    if x.head == NUMBER:
        if x.value <= 0:
            raise UndefinedError("a logarithm of zero or less")
        if x.value == 1:
            return ZERO
        if isinstance(x.value, Fraction) and x.value.numerator == 1:
            return negative(log(number(x.value.denominator)))
    if x.head == EXP and _float_of(x.args[0]) is not None:
        return x.args[0]
    return Term(LOG, (x,))


def sin(x: Term) -> Term:
    """The sine."""
    if x == ZERO:
        return ZERO
    if leads_with_minus(x):
        return negative(sin(negative(x)))
    return Term(SIN, (x,))


def cos(x: Term) -> Term:
    """The cosine."""
    if x == ZERO:
        return ONE
    return Term(COS, (negative(x) if leads_with_minus(x) else x,))


def apply(name: str, args: tuple[Term, ...]) -> Term:
    """A function without a formula, as in ``f(x, y)``."""
    return Term(APPLY, args, name)


def derivative(term: Term, variable: Term) -> Term:
    """An unevaluated derivative."""
    inner = term.args if term.head == DERIVATIVE else (term,)
    return Term(DERIVATIVE, (*inner, variable))


def integral(term: Term, variable: Term) -> Term:
    """An unevaluated indefinite integral."""
    inner = term.args if term.head == INTEGRAL else (term,)
    return Term(INTEGRAL, (*inner, variable))


CONSTRUCTORS = {EXP: exp, LOG: log, SIN: sin, COS: cos}


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The node with other arguments, evaluated."""
    if args == term.args:
        return term
    head = term.head
    if head == ADD:
        return add(*args)
    if head == MUL:
        return mul(*args)
    if head == POW:
        return power(*args)
    if head in CONSTRUCTORS:
        return CONSTRUCTORS[head](args[0])
    if head in (DERIVATIVE, INTEGRAL):
        built = args[0]
        for variable in args[1:]:
            built = derivative(built, variable) if head == DERIVATIVE else integral(built, variable)
        return built
    return Term(head, args, term.value)


def leads_with_minus(term: Term) -> bool:
    """Whether SymPy writes it with a leading minus (``could_extract_minus_sign``)."""
    if term.head == NUMBER:
        return bool(term.value < 0)
    if term.head == MUL:
        first = term.args[0]
        return first.head == NUMBER and bool(first.value < 0)
    if term.head == ADD:
        minus = sum(map(leads_with_minus, term.args))
        if 2 * minus != len(term.args):
            return 2 * minus > len(term.args)
        return bool(sort_key(term) < sort_key(negative(term)))
    return False


# --- SymPy's order, in which sums and products are printed ---

_ATOM = {NUMBER: (1, 0, "Number"), SYMBOL: (2, 0, "Symbol")}
_KINDS = {
    ADD: (3, 1, "Add"),
    MUL: (3, 0, "Mul"),
    POW: (3, 2, "Pow"),
    EXP: (4, 10, "exp"),
    LOG: (4, 11, "log"),
    SIN: (4, 20, "sin"),
    COS: (4, 21, "cos"),
    DERIVATIVE: (5, 0, "Derivative"),
    INTEGRAL: (5, 0, "Integral"),
}
_ONE_KEY = (_ATOM[NUMBER], (0, ()), (), 1)


def sort_key(term: Term) -> Any:
    """SymPy's key for sorting factors (``sort_key``); coefficients are compared last."""
    if term._key is None:
        term._key = _sort_key(term)
    return term._key


def _sort_key(term: Term) -> Any:
    if term.head == NUMBER:
        return (_ATOM[NUMBER], (0, ()), (), term.value)
    value, core = coefficient(term)
    exponent: Any = _ONE_KEY
    if core.head == POW:
        core, upper = core.args
        exponent = sort_key(upper)
    if core.head == SYMBOL:
        return (_ATOM[SYMBOL], (1, (core.value,)), exponent, value)
    if core.head == NUMBER:
        return (_ATOM[NUMBER], (1, (str(core.value),)), exponent, value)
    if core == EULER:
        return ((2, 0, "Exp1"), (1, ("E",)), exponent, value)
    kind = _KINDS[core.head] if core.head != APPLY else (4, 0, core.value)
    if core.head == ADD:
        args = [sort_key(arg) for arg in ordered_terms(core)]
    elif core.head in (DERIVATIVE, INTEGRAL):
        limits = [_limit_key(variable, core.head) for variable in core.args[1:]]
        args = [sort_key(core.args[0]), *limits]
    else:
        args = [sort_key(arg) for arg in core.args]
    return (kind, (len(args), tuple(args)), exponent, value)


def _limit_key(variable: Term, head: str) -> Any:
    inside = (sort_key(variable), _ONE_KEY) if head == DERIVATIVE else (sort_key(variable),)
    return ((5, 0, "Tuple"), (len(inside), inside), _ONE_KEY, 1)


def ordered_terms(term: Term) -> list[Term]:
    """The terms of a sum in SymPy's order: lexicographically by the exponents of the factors."""
    terms = term.args
    if len(terms) == 2:
        first, second = sorted(terms, key=lambda t: t.head != NUMBER and t != EULER)
        if (
            (first == EULER or (first.head == NUMBER and first.value > 0))
            and second.head == MUL
            and len(second.args) == 2
            and second.args[0].head == NUMBER
            and second.args[0].value < 0
        ):
            return [first, second]
    parts: list[tuple[Term, float, dict[Term, int]]] = []
    bases: set[Term] = set()
    for one in terms:
        value, core = coefficient(one)
        size = float(value)
        exponents: dict[Term, int] = {}
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

    def key(part: tuple[Term, float, dict[Term, int]]) -> Any:
        _, size, exponents = part
        return tuple(-exponents.get(base, 0) for base in ranked), size

    return [part[0] for part in sorted(parts, key=key)]


def _decomposed(factor: Term) -> tuple[Term, int]:
    """Base and integer exponent, as in e^(2x) = (e^x)^2."""
    base, exponent = base_and_exponent(factor)
    value, kind = coefficient(exponent)
    if value == 1:
        return factor, 1
    exact = Fraction(value)
    tail = _scaled(Fraction(1, exact.denominator), kind) if exact.denominator != 1 else kind
    return (base if tail is ONE else power(base, tail)), exact.numerator


def _float_of(term: Term) -> float | None:
    """The value of a term made of numbers only, else None."""
    if term.free or has(term, APPLY, DERIVATIVE, INTEGRAL):
        return None
    if term.head == NUMBER:
        return float(term.value)
    try:
        values = [value for arg in term.args if (value := _float_of(arg)) is not None]
        if term.head == ADD:
            return math.fsum(values)
        if term.head == MUL:
            return math.prod(values)
        if term.head == POW:
            return float(values[0] ** values[1])
        return float(getattr(math, term.head)(*values))
    except (ValueError, ArithmeticError, TypeError):  # a part has no value
        return None
