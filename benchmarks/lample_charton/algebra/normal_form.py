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

from flint import fmpq

from ....rewards.expression.derivative import SLOPES, template
from ....rewards.expression.tree import Expression, Number, Symbol
from ..codec.prefix import Tokens, from_prefix
from .nodes import HALF, Node, prefix_of
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
        self._made: dict[object, Node] = {}
        self._derivatives: dict[Node, Node] = {}
        self._signs: dict[Node, tuple[bool, bool]] = {}
        self.zero, self.one, self.minus_one = (self.number(i) for i in (0, 1, -1))
        self.two, self.half = self.number(2), self.number(HALF)
        self.variable = self.symbol(variable, varies=True)
        self.pi, self.e = self._node("pi"), self._node("e")

    # --- nodes ---

    def number(self, value: fmpq | int) -> Node:
        exact = fmpq(value)
        p, q = int(exact.p), int(exact.q)
        key = p if q == 1 else (p, q)  # hashing an fmpq takes long
        node = self._made.get(key)
        if node is None:
            if max(abs(p), q).bit_length() > MAX_BITS:
                raise UnusableFormulaError(f"a number of more than {MAX_BITS} bits")
            node = self._keep(key, Node("number", value=exact))
        return node

    def symbol(self, name: str, *, varies: bool = False) -> Node:
        key = ("symbol", name)
        return self._made.get(key) or self._keep(key, Node("symbol", name=name, varies=varies))

    def _node(self, kind: str, *args: Node) -> Node:
        key = (kind, args)
        node = self._made.get(key)
        if node is None:
            varies = any(arg.varies for arg in args)
            node = self._keep(key, Node(kind, args, varies=varies))
        return node

    def _keep(self, key: object, node: Node) -> Node:
        if len(self._made) >= MAX_NODES:
            raise UnusableFormulaError(f"more than {MAX_NODES} parts")
        self._made[key] = node
        return node

    # --- sums and products ---

    def add(self, *terms: Node) -> Node:
        """A sum with like terms collected."""
        constant = fmpq(0)
        coefficients: dict[Node, fmpq] = {}
        stack = list(reversed(terms))
        while stack:
            term = stack.pop()
            if term.kind == "add":
                stack.extend(reversed(term.args))
            elif term.value is not None:
                constant += term.value
            else:
                factor, rest = self.split(term)
                coefficients[rest] = coefficients.get(rest, 0) + factor
        parts = [self._scaled(factor, rest) for rest, factor in coefficients.items() if factor != 0]
        parts.sort(key=_key)
        if constant != 0 or not parts:
            parts.insert(0, self.number(constant))
        return parts[0] if len(parts) == 1 else self._node("add", *parts)

    def split(self, node: Node) -> tuple[fmpq, Node]:
        """A node as its rational factor and the rest."""
        if node.value is not None:
            return node.value, self.one
        if node.kind == "mul" and node.args[0].value is not None:
            rest = node.args[1:]
            return node.args[0].value, rest[0] if len(rest) == 1 else self._node("mul", *rest)
        return fmpq(1), node

    def _scaled(self, factor: fmpq, rest: Node) -> Node:
        """A rational multiple of what has no rational factor and is no sum."""
        if factor == 1:
            return rest
        parts = rest.args if rest.kind == "mul" else (rest,)
        return self._node("mul", self.number(factor), *parts)

    def mul(self, *factors: Node) -> Node:
        """A product with like powers collected; a number times a sum is expanded."""
        coefficient = fmpq(1)
        # Base and irrational part of the exponent -> exponent: e^x e^(2x) is one power of e, but
        # e^x e^(x^2) is two. A power that is not combined with another is kept as it is.
        powers: dict[tuple[Node, Node], tuple[Node, Node | None]] = {}
        stack = list(reversed(factors))
        while stack:
            factor = stack.pop()
            if factor.value is not None:
                coefficient *= factor.value
            elif factor.kind == "mul":
                stack.extend(reversed(factor.args))
            else:
                base, exponent = self.power_of(factor)
                key = (base, self.one if exponent.value is not None else self.split(exponent)[1])
                previous = powers.get(key)
                if previous is None:
                    powers[key] = exponent, factor
                else:
                    powers[key] = self.add(previous[0], exponent), None
        if coefficient == 0:
            return self.zero
        parts: list[Node] = []
        again = False
        for (base, _), (exponent, alone) in powers.items():
            part = self.pow(base, exponent) if alone is None else alone
            if part.value is not None:
                coefficient *= part.value
            else:
                again = again or part.kind == "mul"
                parts.append(part)
        surds = [part for part in parts if part.kind == "pow" and part.args[0].value is not None]
        if len(surds) > 1:
            merged = self._merged(surds)
            again = again or merged != surds
            parts = [part for part in parts if part not in surds] + merged
        if again:
            return self.mul(self.number(coefficient), *parts)
        parts.sort(key=_key)
        if not parts:
            return self.number(coefficient)
        if coefficient == 1:
            return parts[0] if len(parts) == 1 else self._node("mul", *parts)
        if len(parts) == 1 and parts[0].kind == "add":
            scale = self.number(coefficient)
            return self.add(*(self.mul(scale, term) for term in parts[0].args))
        return self._node("mul", self.number(coefficient), *parts)

    def _merged(self, surds: list[Node]) -> list[Node]:
        """Roots of numbers under one exponent are one root: sqrt(2) sqrt(3) is sqrt(6)."""
        bases: dict[Node, fmpq] = {}
        for surd in surds:
            bases[surd.args[1]] = bases.get(surd.args[1], fmpq(1)) * surd.args[0].value
        if len(bases) == len(surds):
            return surds
        return [self.pow(self.number(base), exponent) for exponent, base in bases.items()]

    def power_of(self, node: Node) -> tuple[Node, Node]:
        """A node as base and exponent; an exponential has base e."""
        if node.kind == "pow":
            return node.args[0], node.args[1]
        if node.kind == "exp":
            return self.e, node.args[0]
        return node, self.one

    def neg(self, node: Node) -> Node:
        return self.mul(self.minus_one, node)

    def sub(self, one: Node, other: Node) -> Node:
        return self.add(one, self.neg(other))

    def div(self, above: Node, below: Node) -> Node:
        return self.mul(above, self.pow(below, self.minus_one))

    # --- powers ---

    def sqrt(self, node: Node) -> Node:
        return self.pow(node, self.half)

    def pow(self, base: Node, exponent: Node) -> Node:
        """A power on the principal branch."""
        if exponent is self.zero:
            return self.one
        if exponent is self.one or base is self.one:
            return base
        if base is self.e:
            return self.apply("exp", exponent)
        e = exponent.value
        if base.value is not None and e is not None:
            return self._numeric_power(base.value, e)
        if base is self.zero:
            raise UnusableFormulaError("a power of 0 with a symbolic exponent")
        whole = e is not None and e.q == 1
        if base.kind == "pow" or base.kind == "exp":
            inner, first = self.power_of(base)
            small = first.value is not None and abs(first.value) < 1
            if whole or small or (self.is_positive(inner) and self.is_real(first)):
                return self.pow(inner, self.mul(first, exponent))
        if base.kind == "mul" and e is not None:
            if whole:
                return self.mul(*(self.pow(factor, exponent) for factor in base.args))
            return self._root_of_product(base, exponent)
        return self._node("pow", base, exponent)

    def _root_of_product(self, base: Node, exponent: Node) -> Node:
        """Move positive factors out of a root; the sign of a negative number stays inside."""
        factor, rest = self.split(base)
        outside: list[Node] = []
        inside: list[Node] = []
        for part in rest.args if rest.kind == "mul" else (rest,):
            (outside if self.is_positive(part) else inside).append(part)
        if abs(factor) != 1:
            outside.append(self.number(abs(factor)))
        if not outside:
            return self._node("pow", base, exponent)
        if factor < 0:
            inside.append(self.minus_one)
        powers = [self.pow(part, exponent) for part in outside]
        return self.mul(*powers, self.pow(self.mul(*inside), exponent))

    def _numeric_power(self, base: fmpq, e: fmpq) -> Node:
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
            self._node("mul", *sorted(roots, key=_key))
            if outside == 1
            else self._node("mul", roots[0], *sorted(roots[1:], key=_key))
        )

    # --- functions ---

    def apply(self, name: str, u: Node) -> Node:
        """A function of one argument."""
        if name == "sqrt":
            return self.sqrt(u)
        if name not in _FUNCTIONS:
            raise UnusableFormulaError(f"no rules for {name}")
        special = _EVALUATED.get(name)
        value = special(self, u) if special is not None else None
        if value is not None:
            return value
        if u.value is not None and u.value.q == 1:
            known = _VALUES.get(name, {}).get(int(u.value.p))
            if known == "":
                raise UnusableFormulaError("a function at its pole")
            if known is not None:
                return self.node(template(known))
        undone = _UNDONE.get((name, u.kind))
        if undone is not None:
            return self.node(template(undone), u.args[0])
        if (name in _ODD or name in _EVEN) and self._is_negative_looking(u):
            turned = self._node(name, self.neg(u))
            return turned if name in _EVEN else self.neg(turned)
        return self._node(name, u)

    def _is_negative_looking(self, node: Node) -> bool:
        """Whether a sign is moved out of an argument: SymPy's `could_extract_minus_sign`."""
        if node.kind != "add":
            return bool(self.split(node)[0] < 0)
        negative = [self._is_negative_looking(arg) for arg in node.args]
        if 2 * sum(negative) != len(negative):
            return 2 * sum(negative) > len(negative)
        # SymPy prefers x - 1 to 1 - x by its printing order, which this mostly agrees with.
        return negative[-1 if node.args[0].value is not None else 0]

    def expand(self, node: Node) -> Node:
        """Expand a product of sums and of their small powers."""
        if node.kind == "add":
            return self.add(*map(self.expand, node.args))
        for place, factor in enumerate(node.args if node.kind == "mul" else (node,)):
            others = node.args[:place] + node.args[place + 1 :] if node.kind == "mul" else ()
            base, exponent = self.power_of(factor)
            if base.kind == "add" and exponent.value in _EXPANDED:
                rest = self.mul(*others, self.pow(base, self.add(exponent, self.minus_one)))
                return self.add(*(self.expand(self.mul(term, rest)) for term in base.args))
        return node

    # --- properties of values ---

    def is_real(self, node: Node) -> bool:
        """Whether a node is proven to be real wherever it is finite."""
        return self._sign(node)[0]

    def is_positive(self, node: Node) -> bool:
        """Whether a node is proven to be positive wherever it is finite."""
        return self._sign(node)[1]

    def _sign(self, node: Node) -> tuple[bool, bool]:
        sign = self._signs.get(node)
        if sign is None:
            sign = self._signs[node] = self._find_sign(node)
        return sign

    def _find_sign(self, node: Node) -> tuple[bool, bool]:
        kind, args = node.kind, node.args
        if node.value is not None:
            return True, bool(node.value > 0)
        if kind == "symbol":
            return True, False
        if not args:
            return True, True  # pi and e
        if kind in ("add", "mul"):
            return all(map(self.is_real, args)), self._is_positive_compound(kind, args)
        if kind == "pow":
            base, exponent = args
            e = exponent.value
            whole = e is not None and e.q == 1
            positive = self.is_positive(base) and self.is_real(exponent)
            real = positive or (self.is_real(base) and whole)
            return real or (self._is_even_power(base) and e is not None), positive
        real = kind in _REAL and self.is_real(args[0])
        return real, real and kind in ("exp", "cosh")

    def _is_positive_compound(self, kind: str, args: tuple[Node, ...]) -> bool:
        if kind == "mul":
            return all(map(self.is_positive, args))
        some = any(map(self.is_positive, args))
        return some and all(self.is_positive(arg) or self._is_even_power(arg) for arg in args)

    def _is_even_power(self, node: Node) -> bool:
        """Whether a node is a positive multiple of an even power of something real."""
        factor, rest = self.split(node)
        if factor <= 0 or rest.kind != "pow":
            return False
        base, exponent = rest.args
        even = exponent.value is not None and exponent.value.q == 1 and exponent.value.p % 2 == 0
        return even and self.is_real(base)

    # --- operations of generators ---

    def without_constants(self, node: Node) -> Node:
        """A sum without its terms that are free of the variable; 0 for a constant."""
        if node.kind != "add":
            return node if node.varies else self.zero
        return self.add(*(term for term in node.args if term.varies))

    def without_factor(self, node: Node) -> tuple[Node, Node]:
        """The constant factor of a product, and the rest."""
        if node.kind != "mul":
            return (self.one, node) if node.varies else (node, self.one)
        constant = [factor for factor in node.args if not factor.varies]
        varying = [factor for factor in node.args if factor.varies]
        return self.mul(*constant), self.mul(*varying)

    def derivative(self, node: Node) -> Node:
        """The derivative with respect to the variable."""
        if not node.varies:
            return self.zero
        derivative = self._derivatives.get(node)
        if derivative is None:
            derivative = self._derivatives[node] = self._derivative(node)
        return derivative

    def _derivative(self, node: Node) -> Node:
        kind, args = node.kind, node.args
        if kind == "symbol":
            return self.one
        if kind == "add":
            return self.add(*map(self.derivative, args))
        if kind == "mul":
            return self.add(
                *(
                    self.mul(*args[:place], self.derivative(factor), *args[place + 1 :])
                    for place, factor in enumerate(args)
                    if factor.varies
                )
            )
        if kind == "pow":
            return self._derivative_of_power(node)
        slope = self.node(template(_SLOPES[kind]), args[0])
        return self.mul(self.derivative(args[0]), slope)

    def _derivative_of_power(self, node: Node) -> Node:
        """u^v (v' ln u + v u'/u) as SymPy writes it: a number is multiplied into u' first."""
        base, exponent = node.args
        of_base = self.div(self.mul(exponent, self.derivative(base)), base)
        if not exponent.varies:
            return self.mul(node, of_base)
        of_exponent = self.mul(self.derivative(exponent), self.apply("ln", base))
        return self.mul(node, self.add(of_exponent, of_base))

    # --- trees, and back ---

    def node(self, tree: Expression, u: Node | None = None) -> Node:
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

    def write(self, node: Node) -> Expression:
        """A node as a tree in the usual notation; see `readable`."""
        return readable(from_prefix(prefix_of(node)))


def _key(node: Node) -> tuple[object, ...]:
    return node.key


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
    return tuple(prefix_of(Algebra().node(tree)))


_READ: dict[str, Callable[..., Node]] = {
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


def _exp(a: Algebra, u: Node) -> Node | None:
    if u is a.zero:
        return a.one
    if u is a.one:
        return a.e
    outside: list[Node] = []
    inside: list[Node] = []
    for term in u.args if u.kind == "add" else (u,):
        factor, rest = a.split(term)
        if rest.kind == "ln":
            outside.append(a.pow(rest.args[0], a.number(factor)))
        else:
            inside.append(term)
    if not outside:
        return None
    return a.mul(*outside, a.apply("exp", a.add(*inside)))


def _ln(a: Algebra, u: Node) -> Node | None:
    if u is a.one:
        return a.zero
    if u is a.e:
        return a.one
    if u.value is not None:
        if u.value <= 0:
            raise UnusableFormulaError("a logarithm of what is not positive")
        return a.neg(a.apply("ln", a.number(int(u.value.q)))) if u.value.p == 1 else None
    return u.args[0] if u.kind == "exp" and a.is_real(u.args[0]) else None


def _abs(a: Algebra, u: Node) -> Node | None:
    if u.value is not None:
        return a.number(abs(u.value))
    return u if a.is_positive(u) else None


def _sgn(a: Algebra, u: Node) -> Node | None:
    if u.value is not None:
        return a.number((u.value > 0) - (u.value < 0))
    return a.one if a.is_positive(u) else None


_EVALUATED: dict[str, Callable[[Algebra, Node], Node | None]] = {
    "exp": _exp,
    "ln": _ln,
    "abs": _abs,
    "sgn": _sgn,
}
