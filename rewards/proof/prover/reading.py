"""Reading of all exponents, angles and radicands, before the prover makes the first generator.

A generator is a new element of the field, such as ``exp(x/2)`` (see `field`). An angle is the
argument of a sine or a cosine. A radicand is the base of a root.

Letters: F is the answer, f is the integrand. The *height* of a function's value in the tower is the
height of the argument, plus 1 for an exponential, a sine or a radical.

First, the functions in F and f are read once, and so are the functions in their formulas (the
derivative of erf u has ``exp(-u^2)``). Then the arguments become elements of the field, height by
height. The arguments of one height are noted, and a basis of the lattice that they span is computed
(`lattice`). Only then is a generator of this height made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from ...reading.expression.formulas import parts_of
from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import HYPERBOLIC, RECORDS, TRIGONOMETRIC
from .field import MAX_GENERATORS
from .quotients import NotProvedError, Quotient
from .rules import special  # noqa: F401  (functions are registered)
from .rules.exponentials import exponent
from .rules.logarithms import exponent_of
from .rules.radicals import note_radicand
from .rules.trigonometry import angle
from .tower import Tower

#: Variables of a ring, and how many a proof needs beyond the functions that are read: small vectors
#: of exponents, which FLINT packs eight to a word, are faster. Where a ring is too small there is
#: no proof. Of 2,970 proofs of the corpora none needs more without cases of signs, and in cases one
#: with four functions five more.
WORD, SPARE = 8, 3
#: Most functions that are read of one expression; what comes after them is not.
MAX_READ = 120
HALF, IMAGINARY = Number(1, 2), Call("i")
#: Sine to cosecant, and the hyperbolic ones, without what comes after these.
_EXPONENTIAL = frozenset(("exp", *(function.name for function in HYPERBOLIC[:6])))
_CIRCULAR = frozenset(function.name for function in TRIGONOMETRIC[:6])
RADICAL = frozenset(("sqrt", "root", "pow"))
_READ = _EXPONENTIAL | _CIRCULAR | RADICAL
#: What has neither a generator of its own nor a formula that is read.
_SILENT = frozenset(("number", "symbol", "add", "mul", "neg", "div", "e", "abs"))

#: Whether an argument belongs to f, how the argument is noted, and the expressions of the argument.
Note: TypeAlias = tuple[bool, Callable[..., None], tuple[Expression, ...]]


class ArgumentReading:
    """The arguments of the functions in F and f.

    ``functions`` are the functions in f. ``parameters`` is the number of parameters for which the
    polynomial ring of the proof reserves variables. A caller that computes normal forms does not
    state the number. The ring then reserves four variables.
    """

    __slots__ = ("_notes", "answer", "functions", "integrand", "is_trivial", "size", "split_size")

    def __init__(self, answer: Expression, integrand: Expression, parameters: int = 4) -> None:
        self.answer, self.integrand = answer, integrand
        self._notes: _Notes | None = None
        exponents: set[Expression] = set()
        angles: set[Expression] = set()
        elements: set[Expression] = set()
        orders: set[int] = set()
        has_formulas = False
        self.functions = _functions(integrand)
        for node in self.functions + _functions(answer):
            name, args = node.function, node.args
            if name in _EXPONENTIAL:
                exponents.add(args[0])
            elif name in _CIRCULAR:
                angles.add(args[0])
            elif name in RADICAL:
                if name == "pow" and type(args[1]) is Number and args[1].denominator == 1:
                    continue  # nearly always
                base, power, ratio = as_power(node)
                if ratio is None:
                    exponents.add(power if base.function == "e" else node)
                elif ratio.denominator != 1:
                    orders.add(ratio.denominator)
                    elements.add(base)
            else:
                elements.add(node)
                for inner in _in_formulas(name):
                    orders.add(2)
                    has_formulas = has_formulas or inner != "sqrt"
        # One exponent, or one angle, is its own unit, and so are roots of one order.
        self.is_trivial = not has_formulas and max(len(exponents), len(angles), len(orders)) < 2
        count = 1 + parameters + len(exponents) + 2 * len(angles) + len(elements)
        if IMAGINARY in elements:  # angles become exponentials
            count += 2
        words = (count + SPARE + WORD - 1) // WORD
        self.size = min(words * WORD, MAX_GENERATORS)
        self.split_size = max(self.size, 2 * WORD)  # cases of signs have some more

    def note(self, tower: Tower, *, real_parts: bool) -> None:
        """Record the arguments in the `Tower` of the proof, and compute the bases of their
        lattices.

        The arguments are sorted by their depth of nesting, which is called height. At each height,
        the arguments in f come before those in F.
        """
        if self.is_trivial:
            return
        conditions, notes = len(tower.conditions), self._notes
        if notes is None:
            notes = self._notes = _Notes()
            for notes.of_f, tree in ((True, self.integrand), (False, self.answer)):
                notes.height(tree)
        values_of_f = tower.values
        values: dict[Expression, Quotient] = {}  # parts of F may be parts of f, which are real
        for height in notes.heights:
            for of_f, note, trees in height:
                tower.values = values_of_f if of_f else values
                tower.real_parts = of_f and real_parts
                with suppress(NotProvedError):
                    note(tower, *trees)
            tower.exponents.settle()
            tower.angles.settle()
        tower.values, tower.real_parts = values_of_f, False
        if len(tower.conditions) > conditions:  # signs are asked for in the order of f and F
            del tower.conditions[conditions:]
            for memory in (tower.values, tower.powers, tower.sines):
                memory.clear()


@dataclass(slots=True)
class _Notes:
    """Collects the arguments in f and F that the tower must record, by nesting depth (height)."""

    of_f: bool = True
    heights: list[list[Note]] = field(default_factory=list)
    known: dict[Expression, int] = field(default_factory=dict)

    def height(self, node: Expression) -> int:
        """Collect the arguments in an expression, and return the expression's height."""
        name, args = node.function, node.args
        if name == "e":
            return self._add(0, _note_exponent, Number(1))
        if name == "piecewise" or not args:  # not every case is reached
            return 0
        if name in _SILENT:
            return max([self.height(arg) for arg in args])
        if node not in self.known and len(self.known) < MAX_READ:
            self.known[node] = self._height(node)
        return self.known.get(node, 0)

    def _height(self, node: Expression) -> int:
        name, args = node.function, node.args
        if name in RADICAL:
            return self._height_of_power(name, *as_power(node))
        formulas = parts_of(node, _READ) if name in _FORMULAS and type(node) is Call else []
        height = max([self.height(tree) for tree in (*args, *formulas)])
        if name in _EXPONENTIAL:
            return self._add(height, _note_exponent, args[0])
        return self._add(height, _note_angle, args[0]) if name in _CIRCULAR else height

    def _height_of_power(
        self, name: str, base: Expression, power: Expression, ratio: Fraction | None
    ) -> int:
        if base.function == "e":
            return self._add(self.height(power), _note_exponent, power)
        if ratio is not None:
            height = self.height(base)
            if ratio.denominator == 1:
                return height
            return self._add(height, _note_root, base, Number(ratio.denominator))
        # With a constant exponent, as of (sqrt x)^n, what the base is made of need not be real.
        of_f, self.of_f = self.of_f, False
        height = max(self.height(base), self.height(power))
        height = self._add(height, _note_power, base, power) if name == "pow" else height
        self.of_f = of_f
        return height

    def _add(self, height: int, note: Callable[..., None], *trees: Expression) -> int:
        self.heights += [[] for _ in range(height + 1 - len(self.heights))]
        self.heights[height].append((self.of_f, note, trees))
        return height + 1


def _functions(tree: Expression) -> list[Expression]:
    """The nodes of a tree that are functions, level by level from the root."""
    nodes, functions = [tree], []
    for node in nodes:
        nodes += node.args
        if node.function not in _SILENT:
            functions.append(node)
    return functions


@cache
def _in_formulas(name: str) -> frozenset[str]:
    """Find the functions in the formulas of ``name`` whose arguments must be read as well."""
    if name not in _FORMULAS:
        return frozenset()
    symbols = tuple(map(Symbol, RECORDS[name].arguments.split()))
    subtrees = parts_of(Call(name, symbols), _READ)
    return frozenset(node.function for node in subtrees if type(node.args[-1]) is not Number)


def as_power(node: Expression) -> tuple[Expression, Expression, Fraction | None]:
    """The base and the exponent of a power or root, and the exponent's rational value.

    If the exponent is not a rational number, the third item is None.
    """
    if node.function == "sqrt":
        return node.args[0], HALF, Fraction(1, 2)
    base, power = node.args
    power = power if node.function == "pow" else Call("div", (Number(1), power))
    return base, power, fold(power)


def _note_exponent(t: Tower, tree: Expression) -> None:
    _note_value(t, t.value(tree))


def _note_power(t: Tower, base: Expression, power: Expression) -> None:
    _note_value(t, exponent_of(t, base, power))


def _note_value(t: Tower, value: Quotient) -> None:
    vector, _, turn = exponent(t, value)
    t.exponents.vectors.append(vector)
    if turn is not None:
        t.angles.vectors.append(angle(t, turn)[0])


def _note_angle(t: Tower, tree: Expression) -> None:
    vector, multiples = angle(t, t.value(tree))
    t.angles.vectors.append(vector)
    for c, arg, _ in multiples:
        real_argument = t.without_i(arg)
        if real_argument is not None:
            _note_value(t, real_argument * t.field.constant(c))


def _note_root(t: Tower, base: Expression, order: Number) -> None:
    note_radicand(t, t.value(base), order.numerator)


_FORMULAS = frozenset(
    name
    for name, record in RECORDS.items()
    if (record.derivative or record.definition) and name not in _READ | {"ln", "log", "abs"}
)
