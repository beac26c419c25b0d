"""A small computer algebra: the normal form of formulas, and their derivatives.

The released generators construct formulas in SymPy, and SymPy evaluates the formulas: like terms
and like powers are collected, numbers computed, and ``exp(ln u)`` and ``sin(-u)`` rewritten. This
module does the same for the verifier's trees, about ten times faster. Arguments are in SymPy's
order, so most formulas are printed as by SymPy (the tests measure how many). Rules hold on the
principal branches for every real variable; rules for real or positive subterms are applied only to
subterms with a proof. Work is bounded without a time limit: an algebra makes at most
`Algebra.max_nodes` nodes, and refuses larger formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations, product
from math import prod
from typing import Any, ClassVar, TypeGuard

from flint import fmpq, fmpz

from ...rewards.reading.expression.build import mul, rational_power
from ...rewards.reading.expression.formulas import template
from ...rewards.reading.expression.tree import Call, Expression, Number, Symbol
from .function_rules import EVEN_FUNCTIONS, ODD_FUNCTIONS, SLOPES, VALUES_AT

#: The largest number of bits of an integer.
MAX_BITS = 256
#: The number of primes (all below 1000) for trial division of radicands.
MAX_PRIMES = 168
#: The largest number of terms of an expansion.
MAX_TERMS = 200

#: Proven properties of finite values; each property includes the earlier ones.
_UNKNOWN, _REAL, _NOT_NEGATIVE, _POSITIVE = range(4)
#: The signs of functions of real values.
_SIGNS = dict.fromkeys("sin cos tan atan sinh tanh asinh abs sgn".split(), _REAL)
_SIGNS |= {"exp": _POSITIVE, "cosh": _POSITIVE}
#: SymPy's order of classes (`sympy.core.basic`), before all functions; numbers by their value.
_ORDER = ((0, 1), (1, 1), (1, 2), (-1, 1), *"integer rational e pi symbol pow mul add abs".split())
_RANKS = {function: rank for rank, function in enumerate(_ORDER)}
#: SymPy's names of functions, for the order of functions, if different from ours.
_NAMES = {"ln": "log", "sgn": "sign"}


class UnusableFormulaError(ValueError):
    """A formula without a value, too large, or otherwise of no use."""


def value(node: Expression) -> Any:
    """The exact `fmpq` of a number; None for other nodes."""
    return fmpq(node.numerator, node.denominator) if type(node) is Number else None


def is_whole(node: Expression) -> TypeGuard[Number]:
    """Whether a node is an integer."""
    return type(node) is Number and node.denominator == 1


def terms_of(node: Expression) -> tuple[Expression, ...]:
    """The terms of a sum."""
    return node.args if node.function == "add" else (node,)


def factors_of(node: Expression) -> tuple[Expression, ...]:
    """The factors of a product."""
    return node.args if node.function == "mul" else (node,)


def readable(tree: Expression) -> Expression:
    """A normal form in the usual notation: quotients, roots and signs; factors keep their order."""
    if not tree.args:
        return tree
    args = tuple(map(readable, tree.args))
    if tree.function == "pow" and isinstance(args[1], Number):
        return rational_power(args[0], Fraction(args[1].numerator, args[1].denominator))
    return mul(*args) if tree.function == "mul" else Call(tree.function, args)


class Algebra:
    """Makes nodes in normal form; equal nodes are the same object while cached.

    Cached properties of a node: the ``key``, which orders arguments; the rational factor and the
    cofactor (``split``); the names of symbols (``free``); the proven ``sign``; the ``derivative``.
    """

    #: The number of nodes of an algebra after which a formula is refused as too large.
    max_nodes: ClassVar[float] = 20_000
    #: Whether symbols have real values only.
    real: ClassVar[bool] = True
    #: The sizes of caches; None for unlimited caches.
    cached: ClassVar[int | None] = None

    def __init__(self, variable: str = "x") -> None:
        keep = lru_cache(self.cached)
        self._made = 0
        self._node: Callable[..., Expression] = keep(self._make)
        self.key: Callable[[Expression], tuple[Any, ...]] = keep(self._key)
        self.split: Callable[[Expression], tuple[fmpq, Expression]] = keep(self._split)
        self.free: Callable[[Expression], frozenset[str]] = keep(self._free)
        self.sign: Callable[[Expression], int] = keep(self._sign)
        self.derivative: Callable[..., Expression] = keep(self._derivative)
        self.zero, self.one, self.minus_one, self.two = map(self.number, (0, 1, -1, 2))
        self.half, self.variable = self.number(fmpq(1, 2)), self.symbol(variable)
        self.pi, self.e = self._node("pi"), self._node("e")

    # --- nodes ---

    def number(self, value: fmpq | int) -> Expression:
        p, q = (value, 1) if isinstance(value, int) else (int(value.p), int(value.q))
        return self._node("number", p, q)  # hashing an fmpq takes long

    def symbol(self, name: str) -> Expression:
        return self._node("symbol", name)

    def _make(self, function: str, *arguments: Any) -> Expression:
        self._made += 1
        if self._made > self.max_nodes:
            raise UnusableFormulaError(f"more than {self.max_nodes} parts")
        if function == "symbol":
            return Symbol(*arguments)
        if function != "number":
            return Call(function, arguments)
        if max(map(abs, arguments)).bit_length() > MAX_BITS:
            raise UnusableFormulaError(f"a number of more than {MAX_BITS} bits")
        return Number(*arguments)

    def _compound(self, function: str, arguments: list[Expression]) -> Expression:
        """A sum or a product of at least one argument, in normal form."""
        if len(arguments) == 1:
            return arguments[0]
        return self._node(function, *sorted(arguments, key=self.key))

    def _key(self, node: Expression) -> tuple[Any, ...]:
        """Orders arguments as SymPy: by class, by the number of arguments, by the arguments."""
        if isinstance(node, Number):
            p, q = node.numerator, node.denominator
            return _RANKS.get((p, q), _RANKS["integer" if q == 1 else "rational"]), p, q
        if isinstance(node, Symbol):
            return _RANKS["symbol"], node.name
        name = node.function
        rank, label = _RANKS.get(name, len(_RANKS)), _NAMES.get(name, name)
        return rank, label, len(node.args), *map(self.key, node.args)

    def _free(self, node: Expression) -> frozenset[str]:
        if isinstance(node, Symbol):
            return frozenset((node.name,))
        return frozenset[str]().union(*map(self.free, node.args))

    def varies(self, node: Expression, x: Expression | None = None) -> bool:
        """Whether a symbol, by default the variable, occurs."""
        return (x or self.variable).name in self.free(node)  # type: ignore[union-attr]

    # --- sums and products ---

    def add(self, *terms: Expression) -> Expression:
        """A sum with like terms collected."""
        factors: dict[Expression, fmpq] = {}
        for term in chain.from_iterable(map(terms_of, terms)):
            factor, core = self.split(term)
            factors[core] = factors.get(core, 0) + factor
        collected = [self._scaled(factor, core) for core, factor in factors.items() if factor]
        return self._compound("add", collected or [self.zero])

    def _split(self, node: Expression) -> tuple[fmpq, Expression]:
        if type(node) is Number:
            return value(node), self.one
        if node.function == "mul" and type(node.args[0]) is Number:
            _, *factors = node.args
            return value(node.args[0]), factors[0] if len(factors) == 1 else self._node(
                "mul", *factors
            )
        return fmpq(1), node

    def _scaled(self, factor: fmpq, node: Expression) -> Expression:
        """A rational multiple of a node without rational factor; a sum is expanded."""
        if factor == 1:
            return node
        number = self.number(factor)
        if node.function == "add":
            return self.add(*(self.mul(number, term) for term in node.args))
        return number if type(node) is Number else self._node("mul", number, *factors_of(node))

    def mul(self, *factors: Expression) -> Expression:
        """A product with like powers collected; a number times a sum is expanded."""
        coefficient = fmpq(1)
        # Powers are collected by base and irrational factor of the exponent: e^x e^(2x) is one
        # power of e, but e^x e^(x^2) is two. A single power is kept unchanged.
        powers: dict[tuple[Expression, Expression], list[Expression]] = {}
        for factor in chain.from_iterable(map(factors_of, factors)):
            if type(factor) is Number:
                coefficient *= fmpq(factor.numerator, factor.denominator)
            else:
                base, exponent = self.power_of(factor)
                powers.setdefault((base, self.split(exponent)[1]), []).append(factor)
        if not coefficient:
            return self.zero
        merged: list[Expression] = []
        again = False
        for (base, _), alike in powers.items():
            product = alike[0]
            if len(alike) > 1:
                product = self.pow(base, self.add(*(self.power_of(p)[1] for p in alike)))
                again = again or product.function in ("number", "mul")
            merged.append(product)
        surds = [p for p in merged if p.function == "pow" and type(p.args[0]) is Number]
        for surd, second_surd in combinations(surds, 2):  # sqrt(2) sqrt(3) is sqrt(6)
            if surd.args[1] == second_surd.args[1]:
                root = self.pow(self.mul(surd.args[0], second_surd.args[0]), surd.args[1])
                remaining = (p for p in merged if p not in (surd, second_surd))
                return self.mul(self.number(coefficient), root, *remaining)
        if again:
            return self.mul(self.number(coefficient), *merged)
        return self._scaled(coefficient, self._compound("mul", merged or [self.one]))

    def power_of(self, node: Expression) -> tuple[Expression, Expression]:
        """A node as base and exponent; an exponential has base e."""
        if node.function == "pow":
            return node.args[0], node.args[1]
        return (self.e, node.args[0]) if node.function == "exp" else (node, self.one)

    def neg(self, node: Expression) -> Expression:
        return self.mul(self.minus_one, node)

    def div(self, expression: Expression, divisor: Expression) -> Expression:
        return self.mul(expression, self.pow(divisor, self.minus_one))

    # --- powers ---

    def pow(self, base: Expression, exponent: Expression) -> Expression:
        """A power on the principal branch."""
        e, number = value(exponent), value(base)
        if e == 0:
            return self.one
        if e == 1 or number == 1:
            return base
        # Numbers and e have forms of their own; other rules would hide these forms.
        if base.function == "e":
            return self.apply("exp", exponent)
        if number is not None and e is not None:
            return self._numeric_power(number, e)
        if number == 0:
            raise UnusableFormulaError("a power of 0 with a symbolic exponent")
        # 1/n to a power becomes n to the negative power: equal powers have a single form.
        if number is not None and number.p == 1:
            return self.pow(self.number(int(number.q)), self.neg(exponent))
        # (u^a)^b is u^(ab) on the principal branch only for whole b, for small a, or for positive u
        # and real a.
        if base.function in ("pow", "exp"):
            inner, power = self.power_of(base)
            small = type(power) is Number and abs(power.numerator) < power.denominator
            if is_whole(exponent) or small or (self.sign(inner) == _POSITIVE and self.sign(power)):
                return self.pow(inner, self.mul(power, exponent))
        if base.function == "mul" and e is not None:
            return self._power_of_product(base, exponent)
        return self._node("pow", base, exponent)

    def _power_of_product(self, base: Expression, exponent: Expression) -> Expression:
        """A power of a product: only positive factors leave a root, the sign of a number stays
        inside.
        """
        factor, core = self.split(base)
        factors = (self.number(abs(factor)), *[self.minus_one] * (factor < 0), *factors_of(core))
        movable = [f for f in factors if is_whole(exponent) or self.sign(f) == _POSITIVE]
        if movable == [self.one]:
            return self._node("pow", base, exponent)
        fixed = (f for f in factors if f not in movable)
        powers = [self.pow(f, exponent) for f in movable]
        return self.mul(*powers, self.pow(self.mul(*fixed), exponent))

    def _numeric_power(self, base: fmpq, e: fmpq) -> Expression:
        # Powers without a real value, or with too many digits, are refused before any work.
        if base == 0 and e < 0:
            raise UnusableFormulaError("division by 0")
        if base < 0 and e.q != 1:
            raise UnusableFormulaError("a root of a negative number")
        if (max(abs(base.p), base.q).bit_length() - 1) * abs(e) > MAX_BITS:
            raise UnusableFormulaError(f"a number of more than {MAX_BITS} bits")
        if e.q == 1 or base == 0:
            return self.number(base ** int(e.p))
        # The rational part leaves the root: each prime keeps the fractional part of its exponent.
        # Primes with the same exponent share a root, as 2^(1/2) 3^(1/2) = 6^(1/2).
        rational = fmpq(1)
        radicands: dict[fmpq, int] = {}
        for integer, sign in ((base.p, 1), (base.q, -1)):
            for prime, times in fmpz(integer).factor(trial_limit=MAX_PRIMES):
                power = e * sign * times
                fraction = power - power.floor()
                rational *= fmpq(prime) ** int(power.floor())
                radicands[fraction] = radicands.get(fraction, 1) * int(prime)
        roots = [
            self._node("pow", self.number(b), self.number(r)) for r, b in radicands.items() if r
        ]
        return self._scaled(rational, self._compound("mul", roots or [self.one]))

    # --- functions ---

    def apply(self, name: str, *args: Expression) -> Expression:
        """A function of nodes."""
        if name in _READ:
            return _READ[name](self, *args)
        if name not in SLOPES or len(args) != 1:
            return self.other(name, *args)
        (u,) = args
        turned = (name in ODD_FUNCTIONS or name in EVEN_FUNCTIONS) and self.leads_with_minus(u)
        evaluated = self._evaluated(name, self.neg(u) if turned else u)
        return self.neg(evaluated) if turned and name in ODD_FUNCTIONS else evaluated

    def _evaluated(self, name: str, u: Expression) -> Expression:
        """A function of a single argument, by `function_rules` and the rules below the class."""
        table_value = VALUES_AT.get((name, u.numerator if is_whole(u) else u.function))
        if table_value == "pole":
            raise UnusableFormulaError("a function at its pole")
        if table_value is not None:
            return self.node(template(table_value), *u.args)
        if u.function == f"a{name}":
            return u.args[0]
        if name in ("abs", "sgn") and self.sign(u) == _POSITIVE:
            return u if name == "abs" else self.one
        by_rule = _EVALUATED[name](self, u) if name in _EVALUATED else None
        return self._node(name, u) if by_rule is None else by_rule

    def other(self, function: str, *args: Expression) -> Expression:
        """A function without rules."""
        raise UnusableFormulaError(f"no rules for {function}")

    def leads_with_minus(self, node: Expression) -> bool:
        """Whether a sign is moved out of an argument: SymPy's `could_extract_minus_sign`."""
        if node.function != "add":
            return bool(self.split(node)[0] < 0)
        negative = [self.leads_with_minus(arg) for arg in node.args]
        if 2 * sum(negative) != len(negative):
            return 2 * sum(negative) > len(negative)
        # SymPy prefers x - 1 to 1 - x by its printing order, which this rule mostly matches.
        return negative[-1 if isinstance(node.args[0], Number) else 0]

    def expand(self, node: Expression) -> Expression:
        """Expand a product of sums and of small powers of sums, up to `MAX_TERMS` terms."""
        if node.function == "add":
            return self.add(*map(self.expand, node.args))
        sums: list[tuple[Expression, ...]] = []
        for factor in factors_of(node):
            base, exponent = self.power_of(factor)
            times = exponent.numerator if is_whole(exponent) and base.function == "add" else 0
            sums += [base.args] * times if 0 < times < MAX_TERMS.bit_length() else [(factor,)]
        if not 1 < prod(map(len, sums)) <= MAX_TERMS:
            return node
        return self.add(*(self.expand(self.mul(*choice)) for choice in product(*sums)))

    # --- properties of values ---

    def _sign(self, node: Expression) -> int:
        function, args = node.function, node.args
        if isinstance(node, Number):
            return _POSITIVE if node.numerator > 0 else _REAL
        if not args:
            return _POSITIVE if function != "symbol" else _REAL * self.real
        # A sum or product is at most as certain as the least certain argument; a non-negative sum
        # with a positive addend is positive.
        signs = list(map(self.sign, args))
        least = min(signs)
        if function in ("add", "mul"):
            return max(signs) if function == "add" and least == _NOT_NEGATIVE else least
        if function != "pow":
            return _SIGNS.get(function, _UNKNOWN) if least else _UNKNOWN
        base, exponent = signs[0], args[1]
        if is_whole(exponent):
            return max(base, _NOT_NEGATIVE) if base and exponent.numerator % 2 == 0 else base
        # Roots need a non-negative base, symbolic exponents a positive base.
        needed = _NOT_NEGATIVE if type(exponent) is Number else _POSITIVE
        return base if least and base >= needed else _UNKNOWN

    # --- operations of generators ---

    def without_constants(self, node: Expression) -> Expression:
        """A sum without the terms free of the variable; 0 for a constant."""
        return self.add(*filter(self.varies, terms_of(node)))

    def without_factor(self, node: Expression) -> tuple[Expression, Expression]:
        """The constant factor of a product, and the rest."""
        factors = factors_of(node)
        constant = (factor for factor in factors if not self.varies(factor))
        return self.mul(*constant), self.mul(*filter(self.varies, factors))

    def _derivative(self, node: Expression, x: Expression | None = None) -> Expression:
        """The derivative by a symbol, by default the variable, in SymPy's form."""
        function, args = node.function, node.args
        if not self.varies(node, x):
            return self.zero
        if not args:
            return self.one
        if function == "add":
            return self.add(*(self.derivative(arg, x) for arg in args))
        if function == "mul":
            slopes = [self.derivative(arg, x) for arg in args]
            return self.add(*(self.mul(*args[:i], s, *args[i + 1 :]) for i, s in enumerate(slopes)))
        if function == "pow":  # a number is multiplied into u' first
            base, exponent = args
            slope = self.div(self.mul(exponent, self.derivative(base, x)), base)
            if self.varies(exponent, x):
                of_exponent = self.mul(self.derivative(exponent, x), self.apply("ln", base))
                slope = self.add(of_exponent, slope)
            return self.mul(node, slope)
        return self.mul(self.derivative(args[0], x), self.node(template(SLOPES[function]), args[0]))

    # --- trees ---

    def node(self, tree: Expression, u: Expression | None = None) -> Expression:
        """The normal form of a tree, of a template at u.

        Raises:
            UnusableFormulaError: a function has no rules.

        """
        if type(tree) is Number:
            return self._node("number", tree.numerator, tree.denominator)
        if type(tree) is Symbol:
            return u or self.symbol(tree.name)
        return self.apply(tree.function, *[self.node(arg, u) for arg in tree.args])


_READ: dict[str, Callable[..., Expression]] = {
    "add": Algebra.add,
    "mul": Algebra.mul,
    "neg": Algebra.neg,
    "div": Algebra.div,
    "pow": Algebra.pow,
    "sqrt": lambda a, u: a.pow(u, a.half),
    "root": lambda a, u, n: a.pow(u, a.pow(n, a.minus_one)),
    "log": lambda a, u, b: a.div(a.apply("ln", u), a.apply("ln", b)),
    "pi": lambda a: a.pi,
    "e": lambda a: a.e,
}


# --- rules that depend on the argument ---


def _exp(a: Algebra, u: Expression) -> Expression | None:
    """The exponential of c ln v + w is v^c e^w."""
    logarithms = [term for term in terms_of(u) if a.split(term)[1].function == "ln"]
    if not logarithms:
        return None
    powers = (
        a.pow(logarithm.args[0], a.number(factor)) for factor, logarithm in map(a.split, logarithms)
    )
    further_terms = (term for term in terms_of(u) if term not in logarithms)
    return a.mul(*powers, a.apply("exp", a.add(*further_terms)))


def _ln(a: Algebra, u: Expression) -> Expression | None:
    if isinstance(u, Number):
        if u.numerator <= 0:
            raise UnusableFormulaError("a logarithm of what is not positive")
        return a.neg(a.apply("ln", a.number(u.denominator))) if u.numerator == 1 else None
    base, exponent = a.power_of(u)
    return exponent if base.function == "e" and a.sign(exponent) else None


_EVALUATED = {"exp": _exp, "ln": _ln}
