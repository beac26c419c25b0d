"""A small computer algebra: the normal form of elementary formulas, and their derivatives.

The released generator gives every formula to SymPy, which evaluates it on construction: it collects
like terms and like powers, computes numbers, and rewrites ``exp(ln u)`` and ``sin(-u)``. This
module does the same to its own nodes, about ten times faster. Arguments are in SymPy's order, so
most formulas are printed as by SymPy (the tests measure how many). Rules hold on the principal
branches for every real variable; rules that need a part to be real or positive are applied only
where that is proven. Work is bounded without a time limit: an algebra makes at most `MAX_NODES`
nodes, and refuses formulas that need more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flint import fmpq

from ....rewards.expression.derivative import SLOPES, template
from ....rewards.expression.tree import Call, Expression, Number, Symbol
from ..codec.prefix import Tokens, to_prefix
from .nodes import sort_key, value
from .readable import readable

#: Nodes that one algebra makes before a formula is refused as too large.
MAX_NODES = 20_000
#: Bits of the longest number.
MAX_BITS = 256
#: The largest divisor that is tried to take powers out of roots of numbers.
MAX_DIVISOR = 1000

_ODD = frozenset(
    "sin tan cot csc asin atan sinh tanh coth csch asinh atanh acoth acsch sgn acsc acot".split()
)
_EVEN = frozenset(("cos", "sec", "cosh", "sech", "abs"))
_REAL = frozenset("exp sin cos tan atan sinh cosh tanh asinh abs sgn".split())
#: Exponents of sums that are expanded.
_EXPANDED = (1, 2, 3)
_FUNCTIONS = frozenset(
    """exp ln abs sgn sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh coth
    sech csch asinh acosh atanh acoth asech acsch""".split()
)


class UnusableFormulaError(ValueError):
    """A formula without a value, too large, or otherwise of no use."""


class Algebra:
    """Makes nodes in normal form. Equal formulas of one algebra are the same node."""

    def __init__(self, variable: str = "x") -> None:
        # Equal nodes are one object, so that their ids serve as keys.
        self._made: dict[object, Expression] = {}
        self._keys: dict[int, tuple[Any, ...]] = {}
        self._varies: dict[int, bool] = {}
        self._derivatives: dict[int, Expression] = {}
        self._signs: dict[int, tuple[bool, bool]] = {}
        self.zero, self.one, self.minus_one = (self.number(i) for i in (0, 1, -1))
        self.two, self.half = self.number(2), self.number(fmpq(1, 2))
        self.variable = self.symbol(variable)
        self.pi, self.e = self._node("pi"), self._node("e")

    # --- nodes ---

    def number(self, value: fmpq | int) -> Expression:
        exact = fmpq(value)
        p, q = int(exact.p), int(exact.q)
        node = self._made.get((p, q))  # hashing an fmpq takes long
        if node is None:
            if max(abs(p), q).bit_length() > MAX_BITS:
                raise UnusableFormulaError(f"a number of more than {MAX_BITS} bits")
            node = self._keep((p, q), Number(p, q))
        return node

    def symbol(self, name: str) -> Expression:
        return self._made.get(name) or self._keep(name, Symbol(name))

    def _node(self, function: str, *args: Expression) -> Expression:
        key = (function, *map(id, args))
        return self._made.get(key) or self._keep(key, Call(function, args))

    def _keep(self, key: object, node: Expression) -> Expression:
        if len(self._made) >= MAX_NODES:
            raise UnusableFormulaError(f"more than {MAX_NODES} parts")
        self._made[key] = node
        return node

    def key(self, node: Expression) -> tuple[Any, ...]:
        """Orders arguments; see `nodes.sort_key`."""
        key = self._keys.get(id(node))
        if key is None:
            key = self._keys[id(node)] = sort_key(node, map(self.key, node.args))
        return key

    def varies(self, node: Expression) -> bool:
        """Whether the variable occurs."""
        if not node.args:
            return node is self.variable
        varies = self._varies.get(id(node))
        if varies is None:
            varies = self._varies[id(node)] = any(map(self.varies, node.args))
        return varies

    # --- sums and products ---

    def add(self, *terms: Expression) -> Expression:
        """A sum with like terms collected."""
        constant = fmpq(0)
        coefficients: dict[int, tuple[fmpq, Expression]] = {}
        stack = list(reversed(terms))
        while stack:
            term = stack.pop()
            if term.function == "add":
                stack.extend(reversed(term.args))
            elif type(term) is Number:
                constant += fmpq(term.numerator, term.denominator)
            else:
                factor, rest = self.split(term)
                known = coefficients.get(id(rest))
                coefficients[id(rest)] = (known[0] + factor if known else factor), rest
        parts = [self._scaled(*part) for part in coefficients.values() if part[0] != 0]
        if len(parts) > 1:
            parts.sort(key=self.key)
        if constant != 0 or not parts:
            parts.insert(0, self.number(constant))
        return parts[0] if len(parts) == 1 else self._node("add", *parts)

    def split(self, node: Expression) -> tuple[fmpq, Expression]:
        """A node as its rational factor and the rest."""
        if type(node) is Number:
            return value(node), self.one
        if node.function == "mul" and type(node.args[0]) is Number:
            rest = node.args[1:]
            return value(node.args[0]), rest[0] if len(rest) == 1 else self._node("mul", *rest)
        return fmpq(1), node

    def _scaled(self, factor: fmpq, rest: Expression) -> Expression:
        """A rational multiple of what has no rational factor and is no sum."""
        if factor == 1:
            return rest
        parts = rest.args if rest.function == "mul" else (rest,)
        return self._node("mul", self.number(factor), *parts)

    def mul(self, *factors: Expression) -> Expression:
        """A product with like powers collected; a number times a sum is expanded."""
        coefficient = fmpq(1)
        # Base and irrational part of the exponent -> exponent: e^x e^(2x) is one power of e, but
        # e^x e^(x^2) is two. A power that is not combined with another is kept as it is.
        powers: dict[tuple[int, int], tuple[Expression, Expression, Expression | None]] = {}
        stack = list(reversed(factors))
        while stack:
            factor = stack.pop()
            if type(factor) is Number:
                coefficient *= fmpq(factor.numerator, factor.denominator)
            elif factor.function == "mul":
                stack.extend(reversed(factor.args))
            else:
                base, exponent = self.power_of(factor)
                whole = type(exponent) is Number
                like = id(base), id(self.one if whole else self.split(exponent)[1])
                previous = powers.get(like)
                if previous is None:
                    powers[like] = base, exponent, factor
                else:
                    powers[like] = base, self.add(previous[1], exponent), None
        if coefficient == 0:
            return self.zero
        parts: list[Expression] = []
        again = False
        for base, exponent, alone in powers.values():
            part = self.pow(base, exponent) if alone is None else alone
            if type(part) is Number:
                coefficient *= fmpq(part.numerator, part.denominator)
            else:
                again = again or part.function == "mul"
                parts.append(part)
        powers_ = [part for part in parts if part.function == "pow"]
        surds = [power for power in powers_ if type(power.args[0]) is Number]
        if len(surds) > 1:
            merged = self._merged(surds)
            again = again or merged != surds
            parts = [part for part in parts if part not in surds] + merged
        if again:
            return self.mul(self.number(coefficient), *parts)
        if len(parts) > 1:
            parts.sort(key=self.key)
        if not parts:
            return self.number(coefficient)
        if coefficient == 1:
            return parts[0] if len(parts) == 1 else self._node("mul", *parts)
        if len(parts) == 1 and parts[0].function == "add":
            scale = self.number(coefficient)
            return self.add(*(self.mul(scale, term) for term in parts[0].args))
        return self._node("mul", self.number(coefficient), *parts)

    def _merged(self, surds: list[Expression]) -> list[Expression]:
        """Roots of numbers under one exponent are one root: sqrt(2) sqrt(3) is sqrt(6)."""
        bases: dict[Expression, fmpq] = {}
        for surd in surds:
            bases[surd.args[1]] = bases.get(surd.args[1], fmpq(1)) * value(surd.args[0])
        if len(bases) == len(surds):
            return surds
        return [self.pow(self.number(base), exponent) for exponent, base in bases.items()]

    def power_of(self, node: Expression) -> tuple[Expression, Expression]:
        """A node as base and exponent; an exponential has base e."""
        if node.function == "pow":
            return node.args[0], node.args[1]
        if node.function == "exp":
            return self.e, node.args[0]
        return node, self.one

    def neg(self, node: Expression) -> Expression:
        return self.mul(self.minus_one, node)

    def sub(self, one: Expression, other: Expression) -> Expression:
        return self.add(one, self.neg(other))

    def div(self, above: Expression, below: Expression) -> Expression:
        return self.mul(above, self.pow(below, self.minus_one))

    # --- powers ---

    def sqrt(self, node: Expression) -> Expression:
        return self.pow(node, self.half)

    def pow(self, base: Expression, exponent: Expression) -> Expression:
        """A power on the principal branch."""
        if exponent is self.zero:
            return self.one
        if exponent is self.one or base is self.one:
            return base
        if base is self.e:
            return self.apply("exp", exponent)
        e = value(exponent)
        if isinstance(base, Number) and e is not None:
            return self._numeric_power(value(base), e)
        if base is self.zero:
            raise UnusableFormulaError("a power of 0 with a symbolic exponent")
        whole = e is not None and e.q == 1
        if base.function == "pow" or base.function == "exp":
            inner, first = self.power_of(base)
            small = isinstance(first, Number) and abs(first.numerator) < first.denominator
            if whole or small or (self.is_positive(inner) and self.is_real(first)):
                return self.pow(inner, self.mul(first, exponent))
        if base.function == "mul" and e is not None:
            if whole:
                return self.mul(*(self.pow(factor, exponent) for factor in base.args))
            return self._root_of_product(base, exponent)
        return self._node("pow", base, exponent)

    def _root_of_product(self, base: Expression, exponent: Expression) -> Expression:
        """Move positive factors out of a root; the sign of a negative number stays inside."""
        factor, rest = self.split(base)
        outside: list[Expression] = []
        inside: list[Expression] = []
        for part in rest.args if rest.function == "mul" else (rest,):
            (outside if self.is_positive(part) else inside).append(part)
        if abs(factor) != 1:
            outside.append(self.number(abs(factor)))
        if not outside:
            return self._node("pow", base, exponent)
        if factor < 0:
            inside.append(self.minus_one)
        powers = [self.pow(part, exponent) for part in outside]
        return self.mul(*powers, self.pow(self.mul(*inside), exponent))

    def _numeric_power(self, base: fmpq, e: fmpq) -> Expression:
        if base == 0:
            if e < 0:
                raise UnusableFormulaError("division by 0")
            return self.zero
        if e.q == 1:
            n = int(e.p)
            if abs(n) * max(abs(base.p), base.q).bit_length() > MAX_BITS + abs(n):
                raise UnusableFormulaError(f"a number of more than {MAX_BITS} bits")
            return self.number(base**n)
        if base < 0:
            raise UnusableFormulaError("a root of a negative number")
        if max(base.p, base.q).bit_length() * max(1, abs(int(e.p)) // int(e.q)) > MAX_BITS:
            raise UnusableFormulaError(f"a number of more than {MAX_BITS} bits")
        outside = fmpq(1)
        inside: dict[fmpq, int] = {}
        for number, sign in ((int(base.p), 1), (int(base.q), -1)):
            for prime, times in _factors(number):
                power = e * sign * times
                floor = power.floor()
                outside *= fmpq(prime) ** int(floor)
                rest = power - floor
                if rest != 0:
                    inside[rest] = inside.get(rest, 1) * prime
        roots = [self._node("pow", self.number(b), self.number(r)) for r, b in inside.items()]
        if outside != 1:
            roots.insert(0, self.number(outside))
        if len(roots) == 1:
            return roots[0]
        return (
            self._node("mul", *sorted(roots, key=self.key))
            if outside == 1
            else self._node("mul", roots[0], *sorted(roots[1:], key=self.key))
        )

    # --- functions ---

    def apply(self, name: str, u: Expression) -> Expression:
        """A function of one argument."""
        if name == "sqrt":
            return self.sqrt(u)
        if name not in _FUNCTIONS:
            raise UnusableFormulaError(f"no rules for {name}")
        special = _EVALUATED.get(name)
        evaluated = special(self, u) if special is not None else None
        if evaluated is not None:
            return evaluated
        if isinstance(u, Number) and u.denominator == 1:
            known = _VALUES.get(name, {}).get(u.numerator)
            if known == "":
                raise UnusableFormulaError("a function at its pole")
            if known is not None:
                return self.node(template(known))
        undone = _UNDONE.get((name, u.function))
        if undone is not None:
            return self.node(template(undone), u.args[0])
        if (name in _ODD or name in _EVEN) and self._is_negative_looking(u):
            turned = self._node(name, self.neg(u))
            return turned if name in _EVEN else self.neg(turned)
        return self._node(name, u)

    def _is_negative_looking(self, node: Expression) -> bool:
        """Whether a sign is moved out of an argument: SymPy's `could_extract_minus_sign`."""
        if node.function != "add":
            return bool(self.split(node)[0] < 0)
        negative = [self._is_negative_looking(arg) for arg in node.args]
        if 2 * sum(negative) != len(negative):
            return 2 * sum(negative) > len(negative)
        # SymPy prefers x - 1 to 1 - x by its printing order, which this mostly agrees with.
        return negative[-1 if isinstance(node.args[0], Number) else 0]

    def expand(self, node: Expression) -> Expression:
        """Expand a product of sums and of their small powers."""
        if node.function == "add":
            return self.add(*map(self.expand, node.args))
        for place, factor in enumerate(node.args if node.function == "mul" else (node,)):
            others = node.args[:place] + node.args[place + 1 :] if node.function == "mul" else ()
            base, exponent = self.power_of(factor)
            if base.function == "add" and value(exponent) in _EXPANDED:
                rest = self.mul(*others, self.pow(base, self.add(exponent, self.minus_one)))
                return self.add(*(self.expand(self.mul(term, rest)) for term in base.args))
        return node

    # --- properties of values ---

    def is_real(self, node: Expression) -> bool:
        """Whether a node is proven to be real wherever it is finite."""
        return self._sign(node)[0]

    def is_positive(self, node: Expression) -> bool:
        """Whether a node is proven to be positive wherever it is finite."""
        return self._sign(node)[1]

    def _sign(self, node: Expression) -> tuple[bool, bool]:
        sign = self._signs.get(id(node))
        if sign is None:
            sign = self._signs[id(node)] = self._find_sign(node)
        return sign

    def _find_sign(self, node: Expression) -> tuple[bool, bool]:
        kind, args = node.function, node.args
        if isinstance(node, Number):
            return True, node.numerator > 0
        if kind == "symbol":
            return True, False
        if not args:
            return True, True  # pi and e
        if kind in ("add", "mul"):
            return all(map(self.is_real, args)), self._is_positive_compound(kind, args)
        if kind == "pow":
            base, exponent = args
            e = value(exponent)
            whole = e is not None and e.q == 1
            positive = self.is_positive(base) and self.is_real(exponent)
            real = positive or (self.is_real(base) and whole)
            return real or (self._is_even_power(base) and e is not None), positive
        real = kind in _REAL and self.is_real(args[0])
        return real, real and kind in ("exp", "cosh")

    def _is_positive_compound(self, kind: str, args: tuple[Expression, ...]) -> bool:
        if kind == "mul":
            return all(map(self.is_positive, args))
        some = any(map(self.is_positive, args))
        return some and all(self.is_positive(arg) or self._is_even_power(arg) for arg in args)

    def _is_even_power(self, node: Expression) -> bool:
        """Whether a node is a positive multiple of an even power of something real."""
        factor, rest = self.split(node)
        if factor <= 0 or rest.function != "pow":
            return False
        base, exponent = rest.args
        even = (
            isinstance(exponent, Number)
            and exponent.denominator == 1
            and exponent.numerator % 2 == 0
        )
        return even and self.is_real(base)

    # --- operations of generators ---

    def without_constants(self, node: Expression) -> Expression:
        """A sum without its terms that are free of the variable; 0 for a constant."""
        if node.function != "add":
            return node if self.varies(node) else self.zero
        return self.add(*(term for term in node.args if self.varies(term)))

    def without_factor(self, node: Expression) -> tuple[Expression, Expression]:
        """The constant factor of a product, and the rest."""
        if node.function != "mul":
            return (self.one, node) if self.varies(node) else (node, self.one)
        constant = [factor for factor in node.args if not self.varies(factor)]
        varying = [factor for factor in node.args if self.varies(factor)]
        return self.mul(*constant), self.mul(*varying)

    def derivative(self, node: Expression) -> Expression:
        """The derivative with respect to the variable."""
        if not self.varies(node):
            return self.zero
        derivative = self._derivatives.get(id(node))
        if derivative is None:
            derivative = self._derivatives[id(node)] = self._derivative(node)
        return derivative

    def _derivative(self, node: Expression) -> Expression:
        kind, args = node.function, node.args
        if kind == "symbol":
            return self.one
        if kind == "add":
            return self.add(*map(self.derivative, args))
        if kind == "mul":
            return self.add(
                *(
                    self.mul(*args[:place], self.derivative(factor), *args[place + 1 :])
                    for place, factor in enumerate(args)
                    if self.varies(factor)
                )
            )
        if kind == "pow":
            return self._derivative_of_power(node)
        slope = self.node(template(_SLOPES[kind]), args[0])
        return self.mul(self.derivative(args[0]), slope)

    def _derivative_of_power(self, node: Expression) -> Expression:
        """u^v (v' ln u + v u'/u) as SymPy writes it: a number is multiplied into u' first."""
        base, exponent = node.args
        of_base = self.div(self.mul(exponent, self.derivative(base)), base)
        if not self.varies(exponent):
            return self.mul(node, of_base)
        of_exponent = self.mul(self.derivative(exponent), self.apply("ln", base))
        return self.mul(node, self.add(of_exponent, of_base))

    # --- trees, and back ---

    def node(self, tree: Expression, u: Expression | None = None) -> Expression:
        """The normal form of a tree, of a template at u.

        Raises:
            UnusableFormulaError: a function has no rules.

        """
        if isinstance(tree, Number):
            return self.number(fmpq(tree.numerator, tree.denominator))
        if isinstance(tree, Symbol):
            return u or self.symbol(tree.name)
        build = _READ.get(tree.function)
        args = [self.node(arg, u) for arg in tree.args]
        return build(self, *args) if build is not None else self.apply(tree.function, *args)

    def write(self, node: Expression) -> Expression:
        """A node as a tree in the usual notation; see `readable`."""
        return readable(node)


def _factors(number: int) -> Iterable[tuple[int, int]]:
    """Small prime factors with their powers; the cofactor counts as one factor."""
    divisor = 2
    while number > 1 and divisor <= MAX_DIVISOR:
        times = 0
        while number % divisor == 0:
            number //= divisor
            times += 1
        if times:
            yield divisor, times
        divisor += 1 + (divisor > 2)
    if number > 1:
        yield number, 1


def prefix(tree: Expression) -> Tokens:
    """The tokens of a tree's normal form, for most formulas those of the published data."""
    return to_prefix(Algebra().node(tree))


_READ: dict[str, Callable[..., Expression]] = {
    "add": Algebra.add,
    "mul": Algebra.mul,
    "neg": Algebra.neg,
    "div": Algebra.div,
    "pow": Algebra.pow,
    "root": lambda a, u, n: a.pow(u, a.pow(n, a.minus_one)),
    "log": lambda a, u, b: a.div(a.apply("ln", u), a.apply("ln", b)),
    "pi": lambda a: a.pi,
    "e": lambda a: a.e,
}


# --- rules, as templates in u ---

#: Derivatives that SymPy writes otherwise than `rewards.expression.derivative`.
_SLOPES = {
    **SLOPES,
    "sgn": "0",
    "tan": "1 + tan(u)**2",
    "cot": "-1 - cot(u)**2",
    "tanh": "1 - tanh(u)**2",
    "coth": "-1/sinh(u)**2",
}
#: Values at whole numbers; "" is a pole.
_VALUES: dict[str, dict[int, str]] = {
    **{name: {0: "0"} for name in ("sin", "tan", "sinh", "tanh")},
    **{name: {0: "1"} for name in ("cos", "sec", "cosh", "sech")},
    **{name: {0: ""} for name in ("cot", "csc", "coth", "csch", "acsch")},
    "asin": {0: "0", 1: "pi/2", -1: "-pi/2"},
    "acos": {0: "pi/2", 1: "0", -1: "pi"},
    "atan": {0: "0", 1: "pi/4", -1: "-pi/4"},
    "acot": {1: "pi/4", -1: "-pi/4"},
    "asec": {1: "0", -1: "pi"},
    "acsc": {1: "pi/2", -1: "-pi/2"},
    "asinh": {0: "0", 1: "log(1 + sqrt(2))"},
    "acosh": {1: "0"},
    "atanh": {0: "0", 1: "", -1: ""},
    "acoth": {1: "", -1: ""},
    "asech": {0: "", 1: "0"},
}
#: (function, inverse function) -> their composition at u.
_UNDONE = {
    **{
        (name, "a" + name): "u"
        for name in "sin cos tan cot sec csc sinh cosh tanh coth sech csch".split()
    },
    ("sin", "acos"): "sqrt(1 - u**2)",
    ("cos", "asin"): "sqrt(1 - u**2)",
    ("tan", "asin"): "u/sqrt(1 - u**2)",
    ("tan", "acos"): "sqrt(1 - u**2)/u",
    ("sin", "atan"): "u/sqrt(1 + u**2)",
    ("cos", "atan"): "1/sqrt(1 + u**2)",
    ("sinh", "acosh"): "sqrt(u - 1)*sqrt(u + 1)",  # not sqrt(u^2 - 1), below -1
    ("cosh", "asinh"): "sqrt(1 + u**2)",
    ("sinh", "atanh"): "u/sqrt(1 - u**2)",
    ("cosh", "atanh"): "1/sqrt(1 - u**2)",
    ("tanh", "asinh"): "u/sqrt(1 + u**2)",
    ("tanh", "acosh"): "sqrt(u - 1)*sqrt(u + 1)/u",
}


def _exp(a: Algebra, u: Expression) -> Expression | None:
    if u is a.zero:
        return a.one
    if u is a.one:
        return a.e
    outside: list[Expression] = []
    inside: list[Expression] = []
    for term in u.args if u.function == "add" else (u,):
        factor, rest = a.split(term)
        if rest.function == "ln":
            outside.append(a.pow(rest.args[0], a.number(factor)))
        else:
            inside.append(term)
    if not outside:
        return None
    return a.mul(*outside, a.apply("exp", a.add(*inside)))


def _ln(a: Algebra, u: Expression) -> Expression | None:
    if u is a.one:
        return a.zero
    if u is a.e:
        return a.one
    if isinstance(u, Number):
        if u.numerator <= 0:
            raise UnusableFormulaError("a logarithm of what is not positive")
        return a.neg(a.apply("ln", a.number(u.denominator))) if u.numerator == 1 else None
    return u.args[0] if u.function == "exp" and a.is_real(u.args[0]) else None


def _abs(a: Algebra, u: Expression) -> Expression | None:
    if isinstance(u, Number):
        return a.number(abs(value(u)))
    return u if a.is_positive(u) else None


def _sgn(a: Algebra, u: Expression) -> Expression | None:
    if isinstance(u, Number):
        return a.number((u.numerator > 0) - (u.numerator < 0))
    return a.one if a.is_positive(u) else None


_EVALUATED: dict[str, Callable[[Algebra, Expression], Expression | None]] = {
    "exp": _exp,
    "ln": _ln,
    "abs": _abs,
    "sgn": _sgn,
}
