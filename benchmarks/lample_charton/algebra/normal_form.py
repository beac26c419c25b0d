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

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from flint import fmpq, fmpz

from ....rewards.expression.derivative import SLOPES, template
from ....rewards.expression.tree import Call, Expression, Number, Symbol
from ..codec.prefix import Tokens, to_prefix

#: Nodes that one algebra makes before a formula is refused as too large.
MAX_NODES = 20_000
#: Bits of the longest number.
MAX_BITS = 256
#: The number of primes, those below 1000, that are tried to take powers out of roots of numbers.
MAX_PRIMES = 168

_ODD = frozenset(
    "sin tan cot csc asin atan sinh tanh coth csch asinh atanh acoth acsch sgn acsc acot".split()
)
_EVEN = frozenset(("cos", "sec", "cosh", "sech", "abs"))
_REAL = frozenset("exp sin cos tan atan sinh cosh tanh asinh abs sgn".split())
#: Exponents of sums that are expanded.
_EXPANDED = (1, 2, 3)
#: SymPy's order of classes (`sympy.core.basic`), before all functions; numbers by their value.
_ORDER = (
    *((0, 1), (1, 1), (1, 2), (-1, 1), "integer", "rational"),
    *"e pi symbol pow mul add abs".split(),
)
_RANKS = {kind: rank for rank, kind in enumerate(_ORDER)}
#: SymPy's names of functions, by which these are ordered, where they are not ours.
_NAMES = {"ln": "log", "sgn": "sign"}


class UnusableFormulaError(ValueError):
    """A formula without a value, too large, or otherwise of no use."""


def value(node: Expression) -> Any:
    """The exact `fmpq` of a number; None for anything else."""
    return fmpq(node.numerator, node.denominator) if isinstance(node, Number) else None


class Algebra:
    """Makes nodes in normal form. Equal formulas of one algebra are the same node.

    Of a node are kept: its ``key``, which orders arguments; its rational factor and the rest
    (``split``); whether the variable occurs (``varies``); whether it is proven to be real, and to
    be positive, wherever it is finite (``sign``); its ``derivative`` with respect to the variable.
    """

    def __init__(self, variable: str = "x") -> None:
        # Equal nodes are one object, so that their ids serve as keys.
        self._made: dict[object, Expression] = {}
        self.key: Callable[[Expression], tuple[Any, ...]] = cache(self._key)
        self.split: Callable[[Expression], tuple[fmpq, Expression]] = cache(self._split)
        self.varies: Callable[[Expression], bool] = cache(self._varies)
        self.sign: Callable[[Expression], tuple[bool, bool]] = cache(self._sign)
        self.derivative: Callable[[Expression], Expression] = cache(self._derivative)
        self.zero, self.one, self.minus_one = (self.number(i) for i in (0, 1, -1))
        self.two, self.half = self.number(2), self.number(fmpq(1, 2))
        self.variable = self.symbol(variable)
        self.pi, self.e = self._node("pi"), self._node("e")

    # --- nodes ---

    def number(self, value: fmpq | int) -> Expression:
        p, q = (value, 1) if isinstance(value, int) else (int(value.p), int(value.q))
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

    def _compound(self, function: str, parts: Sequence[Expression]) -> Expression:
        return parts[0] if len(parts) == 1 else self._node(function, *parts)

    def _key(self, node: Expression) -> tuple[Any, ...]:
        """Orders arguments as SymPy: by class, by the number of arguments, by the arguments."""
        if isinstance(node, Number):
            p, q = node.numerator, node.denominator
            rank = _RANKS.get((p, q), _RANKS["integer" if q == 1 else "rational"])
            return rank, "", 2, p, q
        if isinstance(node, Symbol):
            return _RANKS["symbol"], "", 1, node.name
        name, last = node.function, len(_RANKS)
        rank = _RANKS.get(name, last)
        label = _NAMES.get(name, name) if rank == last else ""
        return rank, label, len(node.args), *map(self.key, node.args)

    def _varies(self, node: Expression) -> bool:
        return node is self.variable or any(map(self.varies, node.args))

    # --- sums and products ---

    def add(self, *terms: Expression) -> Expression:
        """A sum with like terms collected."""
        coefficients: dict[int, tuple[fmpq, Expression]] = {}
        stack = list(reversed(terms))
        while stack:
            term = stack.pop()
            if term.function == "add":
                stack.extend(reversed(term.args))
            else:
                factor, rest = self.split(term)
                known = coefficients.get(id(rest))
                coefficients[id(rest)] = (known[0] + factor if known else factor), rest
        constant, _ = coefficients.pop(id(self.one), (0, self.one))
        parts = [self._scaled(*part) for part in coefficients.values() if part[0] != 0]
        if len(parts) > 1:
            parts.sort(key=self.key)
        if constant != 0 or not parts:
            parts.insert(0, self.number(constant))
        return self._compound("add", parts)

    def _split(self, node: Expression) -> tuple[fmpq, Expression]:
        if type(node) is Number:
            return value(node), self.one
        if node.function == "mul" and type(node.args[0]) is Number:
            return value(node.args[0]), self._compound("mul", node.args[1:])
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
        # By base and irrational part of the exponent: e^x e^(2x) is one power of e, but e^x e^(x^2)
        # is two. A power that is not combined with another is kept as it is.
        powers: dict[tuple[int, int], list[Expression]] = {}
        stack = list(reversed(factors))
        while stack:
            factor = stack.pop()
            if type(factor) is Number:
                coefficient *= fmpq(factor.numerator, factor.denominator)
            elif factor.function == "mul":
                stack.extend(reversed(factor.args))
            else:
                base, exponent = self.power_of(factor)
                rest = self.one if type(exponent) is Number else self.split(exponent)[1]
                powers.setdefault((id(base), id(rest)), []).append(factor)
        if coefficient == 0:
            return self.zero
        parts: list[Expression] = []
        surds: list[Expression] = []
        again = False
        for alike in powers.values():
            part = alike[0]
            if len(alike) > 1:
                bases, exponents = zip(*map(self.power_of, alike), strict=True)
                part = self.pow(bases[0], self.add(*exponents))
                again = again or type(part) is Number or part.function == "mul"
            surd = part.function == "pow" and type(part.args[0]) is Number
            (surds if surd else parts).append(part)
        merged = self._merged(surds)
        parts += merged
        if again or merged is not surds:
            return self.mul(self.number(coefficient), *parts)
        if len(parts) > 1:
            parts.sort(key=self.key)
        if coefficient != 1 or not parts:
            number = self.number(coefficient)
            if len(parts) == 1 and parts[0].function == "add":
                return self.add(*(self.mul(number, term) for term in parts[0].args))
            parts.insert(0, number)
        return self._compound("mul", parts)

    def _merged(self, surds: list[Expression]) -> list[Expression]:
        """Roots of numbers under one exponent are one root: sqrt(2) sqrt(3) is sqrt(6)."""
        bases: dict[Expression, fmpq] = {}
        for surd in surds:
            bases[surd.args[1]] = bases.get(surd.args[1], fmpq(1)) * value(surd.args[0])
        if len(bases) == len(surds):  # also where there are none
            return surds
        return [self.pow(self.number(base), exponent) for exponent, base in bases.items()]

    def power_of(self, node: Expression) -> tuple[Expression, Expression]:
        """A node as base and exponent; an exponential has base e."""
        if node.function == "pow":
            return node.args[0], node.args[1]
        return (self.e, node.args[0]) if node.function == "exp" else (node, self.one)

    def neg(self, node: Expression) -> Expression:
        return self.mul(self.minus_one, node)

    def sub(self, one: Expression, other: Expression) -> Expression:
        return self.add(one, self.neg(other))

    def div(self, above: Expression, below: Expression) -> Expression:
        return self.mul(above, self.pow(below, self.minus_one))

    # --- powers ---

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
        if base.function in ("pow", "exp"):
            inner, first = self.power_of(base)
            small = isinstance(first, Number) and abs(first.numerator) < first.denominator
            if whole or small or (self.sign(inner)[1] and self.sign(first)[0]):
                return self.pow(inner, self.mul(first, exponent))
        if base.function == "mul" and whole:
            return self.mul(*(self.pow(factor, exponent) for factor in base.args))
        if base.function == "mul" and e is not None:
            return self._root_of_product(base, exponent)
        return self._node("pow", base, exponent)

    def _root_of_product(self, base: Expression, exponent: Expression) -> Expression:
        """Move positive factors out of a root; the sign of a negative number stays inside."""
        factor, rest = self.split(base)
        parts = rest.args if rest.function == "mul" else (rest,)
        outside = [part for part in parts if self.sign(part)[1]]
        inside = [part for part in parts if not self.sign(part)[1]]
        if abs(factor) != 1:
            outside.append(self.number(abs(factor)))
        if not outside:
            return self._node("pow", base, exponent)
        if factor < 0:
            inside.append(self.minus_one)
        powers = [self.pow(part, exponent) for part in outside]
        return self.mul(*powers, self.pow(self.mul(*inside), exponent))

    def _numeric_power(self, base: fmpq, e: fmpq) -> Expression:
        if base == 0 and e < 0:
            raise UnusableFormulaError("division by 0")
        if base == 0:
            return self.zero
        if base < 0 and e.q != 1:
            raise UnusableFormulaError("a root of a negative number")
        size, times = max(abs(base.p), base.q).bit_length(), int(abs(e).floor())
        if size * max(1, times) > MAX_BITS + (times if e.q == 1 else 0):
            raise UnusableFormulaError(f"a number of more than {MAX_BITS} bits")
        if e.q == 1:
            return self.number(base ** int(e.p))
        outside = fmpq(1)
        inside: dict[fmpq, int] = {}
        for part, sign in ((base.p, 1), (base.q, -1)):
            for prime, times in fmpz(part).factor(trial_limit=MAX_PRIMES):
                power = e * sign * times
                outside *= fmpq(prime) ** int(power.floor())
                if power.q != 1:
                    rest = power - power.floor()
                    inside[rest] = inside.get(rest, 1) * int(prime)
        roots = [self._node("pow", self.number(b), self.number(r)) for r, b in inside.items()]
        roots.sort(key=self.key)
        return self._compound("mul", [self.number(outside)] * (outside != 1) + roots)

    # --- functions ---

    def apply(self, name: str, u: Expression) -> Expression:
        """A function of one argument."""
        if name == "sqrt":
            return self.pow(u, self.half)
        if name not in _FUNCTIONS:
            raise UnusableFormulaError(f"no rules for {name}")
        if isinstance(u, Number) and u.denominator == 1:
            known = _AT.get((name, u.numerator))
            if known == "pole":
                raise UnusableFormulaError("a function at its pole")
            if known is not None:
                return self.node(template(known))
        evaluated = _EVALUATED[name](self, u) if name in _EVALUATED else None
        if evaluated is not None:
            return evaluated
        if u.function == f"a{name}":
            return u.args[0]
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
        factors = node.args if node.function == "mul" else (node,)
        for place, factor in enumerate(factors):
            base, exponent = self.power_of(factor)
            if base.function == "add" and value(exponent) in _EXPANDED:
                less = self.pow(base, self.add(exponent, self.minus_one))
                rest = self.mul(*factors[:place], *factors[place + 1 :], less)
                return self.add(*(self.expand(self.mul(term, rest)) for term in base.args))
        return node

    # --- properties of values ---

    def _sign(self, node: Expression) -> tuple[bool, bool]:
        kind, args = node.function, node.args
        if not args:
            positive = isinstance(node, Number) and node.numerator > 0
            return True, positive or kind in ("pi", "e")
        signs = [self.sign(arg) for arg in args]
        real, positive = all(r for r, _ in signs), all(p for _, p in signs)
        if kind == "add":
            each = (p or self._is_even_power(arg) for (_, p), arg in zip(signs, args, strict=True))
            return real, any(p for _, p in signs) and all(each)
        if kind == "mul":
            return real, positive
        if kind == "pow":
            positive, e = signs[0][1] and signs[1][0], value(args[1])
            whole = e is not None and e.q == 1 and signs[0][0]
            return positive or whole or (e is not None and self._is_even_power(args[0])), positive
        real = real and kind in _REAL
        return real, real and kind in ("exp", "cosh")

    def _is_even_power(self, node: Expression) -> bool:
        """Whether a node is a positive multiple of an even power of something real."""
        factor, rest = self.split(node)
        e = value(rest.args[1]) if rest.function == "pow" else None
        even = factor > 0 and e is not None and e.q == 1 and e.p % 2 == 0
        return even and self.sign(rest.args[0])[0]

    # --- operations of generators ---

    def without_constants(self, node: Expression) -> Expression:
        """A sum without its terms that are free of the variable; 0 for a constant."""
        return self.add(*filter(self.varies, node.args if node.function == "add" else (node,)))

    def without_factor(self, node: Expression) -> tuple[Expression, Expression]:
        """The constant factor of a product, and the rest."""
        factors = node.args if node.function == "mul" else (node,)
        constant = (factor for factor in factors if not self.varies(factor))
        return self.mul(*constant), self.mul(*filter(self.varies, factors))

    def _derivative(self, node: Expression) -> Expression:
        kind, args = node.function, node.args
        if not self.varies(node):
            return self.zero
        if not args:
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
        if kind == "pow":  # as SymPy writes it: a number is multiplied into u' first
            base, exponent = args
            slope = self.div(self.mul(exponent, self.derivative(base)), base)
            if self.varies(exponent):
                of_exponent = self.mul(self.derivative(exponent), self.apply("ln", base))
                slope = self.add(of_exponent, slope)
            return self.mul(node, slope)
        return self.mul(self.derivative(args[0]), self.node(template(_SLOPES[kind]), args[0]))

    # --- trees ---

    def node(self, tree: Expression, u: Expression | None = None) -> Expression:
        """The normal form of a tree, of a template at u.

        Raises:
            UnusableFormulaError: a function has no rules.

        """
        if isinstance(tree, Number):
            return self.number(fmpq(tree.numerator, tree.denominator))
        if isinstance(tree, Symbol):
            return u or self.symbol(tree.name)
        return self.build(tree.function, *(self.node(arg, u) for arg in tree.args))

    def build(self, function: str, *args: Expression) -> Expression:
        """A function of nodes."""
        rule = _READ.get(function)
        if rule is not None:
            return rule(self, *args)
        if len(args) != 1:
            raise UnusableFormulaError(f"no rules for {function}")
        return self.apply(function, args[0])


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
_FUNCTIONS = _SLOPES.keys() - {"sqrt", "erf", "erfi"}
#: Values, and the functions that have them at a whole number.
_VALUES = {
    "0": "sin tan sinh tanh asin atan asinh atanh 0, acos asec acosh asech ln 1",
    "1": "cos sec cosh sech exp 0",
    "E": "exp 1",
    "pi/2": "acos 0, asin acsc 1",
    "-pi/2": "asin acsc -1",
    "pi/4": "atan acot 1",
    "-pi/4": "atan acot -1",
    "pi": "acos asec -1",
    "log(1 + sqrt(2))": "asinh 1",
    "pole": "cot csc coth csch acsch asech 0, atanh acoth 1, atanh acoth -1",
}
_AT = {
    (name, int(names[-1])): known
    for known, groups in _VALUES.items()
    for names in map(str.split, groups.split(","))
    for name in names[:-1]
}
#: (function, another's inverse function) -> their composition at u.
_UNDONE = {
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


# --- rules that depend on the argument ---


def _exp(a: Algebra, u: Expression) -> Expression | None:
    """The exponential of c ln v + w is v^c e^w."""
    terms = u.args if u.function == "add" else (u,)
    others = [term for term in terms if a.split(term)[1].function != "ln"]
    if len(others) == len(terms):
        return None
    logarithms = (a.split(term) for term in terms if term not in others)
    powers = (a.pow(rest.args[0], a.number(factor)) for factor, rest in logarithms)
    return a.mul(*powers, a.apply("exp", a.add(*others)))


def _ln(a: Algebra, u: Expression) -> Expression | None:
    if isinstance(u, Number):
        if u.numerator <= 0:
            raise UnusableFormulaError("a logarithm of what is not positive")
        return a.neg(a.apply("ln", a.number(u.denominator))) if u.numerator == 1 else None
    base, exponent = a.power_of(u)
    return exponent if base is a.e and a.sign(exponent)[0] else None


def _abs(a: Algebra, u: Expression) -> Expression | None:
    if a.sign(u)[1]:
        return u
    return a.neg(u) if isinstance(u, Number) else None


def _sgn(a: Algebra, u: Expression) -> Expression | None:
    if a.sign(u)[1]:
        return a.one
    return a.number(-1 if u.numerator else 0) if isinstance(u, Number) else None


_EVALUATED = {"exp": _exp, "ln": _ln, "abs": _abs, "sgn": _sgn}
