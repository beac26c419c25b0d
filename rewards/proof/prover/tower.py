"""The tower of one proof: a differential field, and the functions whose values are in it.

Each generator t has an element u of the field of the earlier generators: an exponential (t'/t =
u'), a logarithm (t' = u'/u), algebraic (with a relation), or a function whose derivative is in the
tower (Bronstein, *Symbolic Integration I*, chapter 3). The modules of `rules` register functions.
A rule computes a value by an equation that holds wherever both sides are defined. Branches are
those of `rewards.numeric.ball_arithmetic.jets`: principal, except that odd roots of negative
numbers are real. Equations that hold for certain *signs* only are left to a second search
(``split``), which factors radicands and arguments of logarithms. A *case* assumes a sign for every
factor, and F' = f has to be proved in all cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from dataclasses import field as new
from functools import reduce
from operator import add, mul
from typing import Any, Generic, TypeAlias, TypeVar

from flint import fmpq

from ...reading.expression.formulas import template
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import RECORDS
from ...reading.functions.record import ODD
from .field import Field, Generator, Slope
from .lattice import Lattice, Vector
from .quotients import RINGS, NotProvedError, Poly, Quotient, quotient, rational

#: Most terms of a sum in an exponent or angle that is taken apart: each is a row of a matrix.
MAX_ADDENDS = 24
#: Assumptions that make a parameter positive (see `rewards.numeric.sampling.pool.ASSUMPTIONS`).
POSITIVE = frozenset(("positive", "integer", "even", "odd"))
_ARITHMETIC = frozenset(("add", "mul", "neg", "div"))
T = TypeVar("T")
#: Signs of real expressions.
Signs: TypeAlias = tuple[tuple[Expression, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Law(Generic[T]):
    """How values of a function f with f(u + v) = f(u) * f(v) are computed.

    ``by_rule`` is f(c g) for a number c and a monomial g, which may be a generator, or None without
    a rule. ``of_unit`` makes the generators of f(u), ``multiple`` computes f(n u) for a small n.
    """

    by_rule: Callable[[Tower, fmpq, Quotient, Generator | None], T | None]
    of_unit: Callable[[Tower, Quotient], T]
    multiple: Callable[[Tower, T, int], T]
    of_zero: Callable[[Field], T]
    max_multiple: int


@dataclass(slots=True)
class Tower:
    """The state of one proof.

    ``case`` gives signs to expressions; all others are positive. ``conditions`` are the signs that
    rules have requested. ``nowhere`` says that f has no real value under these signs, so that
    nothing remains to be proved.
    ``monomials`` has the monomials of the coordinates of exponents and angles (`lattice`), and
    ``known_units`` the units of an earlier tower (`attempted`). ``values`` has the elements of
    nodes, and the nodes, so that no other node gets the same identity.
    """

    field: Field
    variable: str
    assumptions: Mapping[str, str]
    split: bool = False
    case: Signs = ()
    principal_roots: bool = False
    splittable: bool = False
    is_coarse: bool = False
    nowhere: bool = False
    rules: set[str] = new(default_factory=set)
    conditions: list[tuple[Poly, Expression, int]] = new(default_factory=list)
    known_units: Sequence[tuple[Law[Any], Expression]] = ()
    values: dict[Any, tuple[Expression, Quotient]] = new(default_factory=dict)
    monomials: list[Quotient] = new(default_factory=list)
    lattices: dict[Law[Any], Lattice] = new(default_factory=dict)
    symbols: dict[str, Quotient] = new(default_factory=dict)
    unit_i: Quotient | None = None

    @property
    def signs(self) -> Signs:
        return tuple((tree, sign) for _, tree, sign in self.conditions)

    def symbol(self, name: str) -> Quotient:
        slope = (lambda: self.field.ring.one) if name == self.variable else None
        positive = slope is None and self.assumptions.get(name) in POSITIVE
        generator = self.field.get("symbol", (name,), slope, real=True, positive=positive)
        self.symbols[name] = generator.element
        return generator.element

    def named(self, name: str) -> Quotient:
        """A positive number that counts as transcendental, such as pi."""
        return self.field.get(name, real=True, positive=True).element

    @property
    def i(self) -> Quotient:
        if self.unit_i is None:
            generator = self.field.get("i", order=2)
            self.unit_i = generator.element
            self.field.relate(generator, -self.field.ring.one.num)
        return self.unit_i

    def without_i(self, arg: Quotient) -> Quotient | None:
        """An element divided by i, or None if the numerator is not a monomial with the factor i."""
        if self.unit_i is None or len(arg.num) != 1:
            return None
        i = self.unit_i.num
        return Quotient(arg.num / i, arg.den) if arg.num.term_content().gcd(i) == i else None

    def addends(self, element: Quotient) -> list[tuple[fmpq, Quotient]]:
        """Write an element as numbers times monomials. A long sum counts as one monomial."""
        element = self.field.normal(element)
        num, den = element.num, element.den
        if len(num) == 1 or len(num) > MAX_ADDENDS:
            c = num.leading_coefficient()
            return [(c, element if c == 1 else Quotient(num / c, den, element.support))]
        return [(c, quotient(num.context().term(exp_vec=at), den)) for at, c in num.terms()]

    def _sum(self, vector: Vector) -> Quotient:
        return reduce(add, (self.monomials[key] * c for key, c in vector.items()))

    def finest(self) -> list[tuple[Law[Any], Expression]]:
        """All units of the lattices, sorted by their latest monomial, which may contain earlier."""
        units = [(law, unit) for law, lattice in self.lattices.items() for unit in lattice.basis()]
        units.sort(key=lambda pair: max(pair[1]))
        return [(law, self.field.tree(self._sum(unit))) for law, unit in units]

    def of_sum(self, law: Law[T], u: Quotient) -> T:
        """Compute f(u) from f at multiples of units, and at addends of u that have rules."""
        units, self.known_units = self.known_units, ()
        for unit_law, tree in units:
            with self.no_part():
                vector, *_ = self._vector(unit_law, self.value(tree))
            self.lattices.setdefault(unit_law, Lattice(unit_law.max_multiple)).add(vector)
        lattice = self.lattices.get(law) or self.lattices.setdefault(law, Lattice(law.max_multiple))
        for argument, value in lattice.values:  # the same sum often occurs again
            if argument.num == u.num and argument.den == u.den:
                return value  # type: ignore[no-any-return]
        vector, sign, images = self._vector(law, u)
        multiples = lattice.add(vector)
        self.is_coarse |= len(lattice.vectors) > len(lattice.units)
        if multiples is None:  # a proof may be missed
            images.append(law.multiple(self, law.of_unit(self, self._sum(vector)), sign))
        for at, n in multiples or ():
            if at not in lattice.generators:
                lattice.generators[at] = law.of_unit(self, self._sum(lattice.units[at]))
            images.append(law.multiple(self, lattice.generators[at], sign * int(n.p)))
        result = reduce(mul, images) if images else law.of_zero(self.field)
        lattice.values.append((u, result))
        return result

    def _vector(self, law: Law[T], u: Quotient) -> tuple[Vector, int, list[Any]]:
        """The vector of plus or minus the addends without rules, the sign, and f at the others."""
        vector: Vector = {}
        images: list[Any] = []
        for c, arg in self.addends(u):
            by_rule = law.by_rule(self, c, arg, self.field.single(arg))
            if by_rule is not None:
                images.append(by_rule)
                continue
            if arg not in self.monomials:
                self.monomials.append(arg)
            vector[self.monomials.index(arg)] = c
        sign = 1 if next(iter(vector.values()), 1) > 0 else -1
        return {key: sign * c for key, c in vector.items()}, sign, images

    @contextmanager
    def no_part(self, *, only_if: bool = True) -> Iterator[None]:
        """Evaluate an expression that need not be real where the integrand is."""
        outer = self.field.real_parts
        self.field.real_parts = outer and not only_if
        try:
            yield
        finally:
            self.field.real_parts = outer

    def function(
        self, name: str, args: tuple[Quotient, ...], rate: Slope, *, at: int = 0, real: bool = False
    ) -> Quotient:
        """Make a generator for f(args), where u = args[at] may vary, with the slope rate() u'."""
        u = args[at]
        if not all(map(self.field.is_constant, args[:at] + args[at + 1 :])):
            raise NotProvedError(f"{name} with a parameter that varies")
        self.rules.add(name)
        slope = lambda: rate() * self.field.derivative(u)  # noqa: E731
        return self.field.get(name, args, slope, real=real).element

    def value(self, node: Expression) -> Quotient:
        if type(node) is Symbol:
            name = node.name
            return self.symbols[name] if name in self.symbols else self.symbol(name)
        if type(node) is Number:
            return rational(self.field.ring, node.numerator, node.denominator)
        name = node.function
        # A shared sum is computed once. An equal one, apart from the same, is seldom met.
        key = id(node) if name in _ARITHMETIC else node
        if (known := self.values.get(key)) is not None:
            return known[1]
        if (form := FORMS.get(name)) is not None:
            element = form(self, node)
        elif (rule := RULES.get(name)) is not None:
            element = rule(self, *map(self.value, node.args))
        else:
            element = self.by_record(name, *map(self.value, node.args))
        self.values[key] = node, element
        return self.field.spend(element)

    def applied(self, name: str, *values: Quotient) -> Quotient:
        rule = RULES.get(name)
        return self.by_record(name, *values) if rule is None else rule(self, *values)

    def by_record(self, name: str, *values: Quotient) -> Quotient:
        """A value by the definition in `RECORDS`, or a generator with the derivative there."""
        record = RECORDS[name]
        arguments = record.arguments.split()
        if record.definition:
            bindings = dict(zip(arguments, values, strict=True))
            return self.formula(template(record.definition), bindings)
        values = tuple(map(self.field.normal, values))
        if not record.derivative or len(arguments) != len(values):
            if all(map(self.field.is_constant, values)):  # a number, such as zeta(3)
                return self.function(name, values, lambda: self.field.ring.zero)
            raise NotProvedError(f"no rule for {name}")
        if record.parity == ODD:  # of arguments with a positive leading coefficient only
            (u,) = values
            if u.is_zero() or u.num.leading_coefficient() < 0:
                return u if u.is_zero() else -self.by_record(name, -u)
        bindings = dict(zip(arguments, values, strict=True))
        slope = lambda: self.formula(template(record.derivative), bindings)  # noqa: E731
        real = len(values) == 1 and not record.domain
        return self.function(name, values, slope, at=arguments.index("u"), real=real)

    def formula(self, tree: Expression, variables: Mapping[str, Quotient]) -> Quotient:
        """The value of a formula at values of the variables."""
        if type(tree) is Symbol:
            return variables[tree.name]
        if type(tree) is Number:
            return rational(self.field.ring, tree.numerator, tree.denominator)
        return self.applied(tree.function, *[self.formula(arg, variables) for arg in tree.args])


def attempted(use: Callable[[Tower], T], **state: Any) -> tuple[Tower, T | None]:
    """Apply ``use`` to a tower with the attributes in ``state``. Return tower and value, or None.

    The first tower makes a generator for each unit when it is read. If an exponent or angle is no
    integer combination of units, a second tower gets the ``units`` of all exponents and angles. The
    first cannot be extended: ``sqrt(1 + cos x)`` has become a root, and is ``sqrt(2)|cos(x/2)|``. A
    ring with too few variables is another reason for a second tower.
    """
    units = state.pop("units", [])
    for ring in RINGS:
        tower, value = Tower(Field(ring), known_units=tuple(units), **state), None
        with suppress(NotProvedError):
            value = use(tower)
        if tower.is_coarse:
            value = None
            with suppress(NotProvedError):
                units[:] = tower.finest()
        elif value is not None or len(tower.field.generators) < ring.size:
            break
    return tower, value


#: Functions that are not merely applied to the values of their arguments.
FORMS: dict[str, Callable[[Tower, Call], Quotient]] = {
    "div": lambda t, node: t.value(node.args[0]) / t.field.normal(t.value(node.args[1]))
}
#: Functions of values.
RULES: dict[str, Callable[..., Quotient]] = {
    "add": lambda t, *values: reduce(add, values),
    "mul": lambda t, *values: reduce(mul, values),
    "neg": lambda t, u: -u,
    "div": lambda t, u, v: u / v,  # in a derivative, which a certificate states as it is
}
