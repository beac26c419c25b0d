"""Expression trees as straight-line programs over balls.

A `Tape` is an expression compiled once and run at many points: each distinct sub-expression has one
slot, and slots without symbols are computed once per precision. Running it yields the jet (value
and derivative) of every slot. The working precision is python-flint's, which is global to the
process: run a tape inside `precision(...)`.
"""

from __future__ import annotations

import math
import os
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import partial
from operator import itemgetter
from typing import Any, Literal

from flint import acb, ctx, fmpq

from ..expression.traversal import (
    SLOW,
    additive_terms,
    fold,
    is_written_with,
    may_have_pole,
    symbols_of,
    without_factor,
)
from ..expression.tree import Call, Expression, Number, Symbol
from . import jets
from .jets import Ball, Jet, Rule

#: More slots than any realistic answer has; a deterministic bound on the work.
MAX_SLOTS = 12_000
#: Long numbers raise the working precision, up to this length in bits.
MAX_LITERAL_BITS = 704

_PRECISION_LOCK = threading.RLock()


def _renew_lock() -> None:
    global _PRECISION_LOCK
    _PRECISION_LOCK = threading.RLock()


# A child that is forked while another thread holds the lock would wait forever.
os.register_at_fork(after_in_child=_renew_lock)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set python-flint's global precision within a block (reentrant, one thread at a time)."""
    with _PRECISION_LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


class UnusableError(ValueError):
    """The expression cannot be compiled: more than `MAX_SLOTS`, or an invalid condition."""


#: Functions whose argument must stay in part of the real line for a real value.
_DOMAIN = frozenset(
    "sqrt root ln log asin acos acosh atanh acoth asec acsc asech pow_rational power lgamma".split()
)
#: Derivatives of these change branch where their argument passes a special value (a double zero,
#: say), so agreement on one interval says nothing about the next.
_BRANCHING = frozenset("asin acos asec acsc asinh acosh asech acsch".split())
#: Not analytic: their argument's zeros (or, for rounding, whole numbers) are breakpoints.
_BREAKS_AT_ZERO = frozenset(("abs", "sgn", "heaviside", "arg"))
_BREAKS_AT_INTEGERS = frozenset(("floor", "ceil", "frac"))
_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))


@dataclass(frozen=True, slots=True)
class Break:
    """A non-analytic part: it may jump where slot ``slot`` passes zero, or a whole number."""

    slot: int
    at: Literal["zero", "integer"]


@dataclass(frozen=True, slots=True)
class Conventions:
    """Definitions of functions on which usage differs; one choice holds for f and F together.

    Attributes:
        real_roots: odd roots of negative numbers are real, else principal.
        textbook_secants: arcsec and arccsc have the range that some textbooks choose for negative
            arguments, so that the derivative of arcsec u is 1/(u sqrt(u^2 - 1)), without |u|.
        real_bars: ln|u| is real even where u is not; else it is ln u up to a constant.

    """

    real_roots: bool = True
    textbook_secants: bool = False
    real_bars: bool = False

    @property
    def name(self) -> str:
        """The names of those that are set. It seeds sample points, so it must not change."""
        return "+".join(each.name for each in fields(self) if getattr(self, each.name))


@dataclass(frozen=True, slots=True)
class Branch:
    """A function whose branch matters.

    Attributes:
        argument: its argument.
        slot: a slot with the zeros of the argument.
        root: whether it is a root or a logarithm, whose branch changes at zeros only.

    """

    argument: Expression
    slot: int
    root: bool


@dataclass(slots=True)
class Tape:
    """A compiled expression, made by `compile_tape`.

    Attributes:
        root: slot of the whole expression.
        terms: slots of the top-level additive terms that depend on the variable.
        domain: slots that are real on the real domain.
        radicals: roots, as (slot, order, slot of the radicand).
        branches: functions whose branch matters.
        breaks: non-analytic parts.
        poles: arguments of inverse functions that jump at a pole of their argument.
        uncertain: slots of functions of `SLOW`, which cannot be computed everywhere.
        special: whether there are such functions.
        pointwise: whether a condition singles out points of the line.
        literal_bits: length of the longest number.
        literals: numbers with the exponents of their powers, and the lengths of these.
        longest: most terms of a sum or factors of a product.
        odd_roots, secants, bars: whether the `Conventions` matter.

    """

    variable: str
    conventions: Conventions
    root: int = -1
    terms: list[int] = field(default_factory=list)
    domain: list[int] = field(default_factory=list)
    radicals: list[tuple[int, int, int]] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    poles: list[int] = field(default_factory=list)
    uncertain: set[int] = field(default_factory=set)
    odd_roots: bool = False
    secants: bool = False
    bars: bool = False
    special: bool = False
    pointwise: bool = False
    literal_bits: int = 0
    longest: int = 0
    literals: dict[tuple[Number, int], int] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)
    _operands: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _varying: list[bool] = field(default_factory=list)
    _static: list[tuple[int, Rule, int, int]] = field(default_factory=list)
    _dynamic: list[tuple[int, Rule, int, int]] = field(default_factory=list)
    _leaves: list[tuple[int, Callable[[], Ball]]] = field(default_factory=list)
    _base: dict[int, list[Any]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of slots: the unit of the work budget."""
        return len(self._varying)

    def run(
        self,
        x: Ball,
        values: Mapping[str, Ball],
        *,
        derivative: bool = True,
        overrides: Mapping[int, Ball] | None = None,
        until: int | None = None,
    ) -> list[Jet]:
        """The jet of every slot (up to ``until``) at ``x``, with the other symbols at ``values``.

        ``overrides`` multiplies the value of given slots (another branch of a root); only without
        derivative.
        """
        jets_ = self._start()
        for name, slot in self.symbols.items():
            if name == self.variable:
                jets_[slot] = (x, jets.ONE if derivative else None)
            else:
                jets_[slot] = (values[name], None)
        program = self._dynamic
        if until is not None:
            program = program[: bisect_right(program, until, key=itemgetter(0))]
        for slot, rule, a, b in program:
            if b >= 0:
                jets_[slot] = rule(jets_[a], jets_[b])
            elif b == -1:
                jets_[slot] = rule(jets_[a])
            else:
                jets_[slot] = rule(jets_)
            if overrides is not None and slot in overrides:
                jets_[slot] = (jets_[slot][0] * overrides[slot], None)
        return jets_

    @property
    def varying(self) -> Sequence[bool]:
        """Whether each slot depends on a symbol."""
        return self._varying

    def operations(self) -> Iterator[tuple[int, Rule | None, tuple[int, ...]]]:
        """Every operation, the last first: slot, rule of its arguments' jets, their slots.

        The rule is None for piecewise functions and for functions of three or more arguments.
        """
        program = sorted((*self._static, *self._dynamic), key=itemgetter(0), reverse=True)
        for slot, rule, a, b in program:
            if b == -2:
                yield slot, None, self._operands[slot]
            else:
                yield slot, rule, (a,) if b == -1 else (a, b)

    def undefined(self, values: Sequence[Jet]) -> bool:
        """Whether the expression has no value here.

        A special function that could not be computed is not such a case.
        """
        without = (slot for slot, (value, slope) in enumerate(values) if not _finite(value, slope))
        return next(without, self.root) not in self.uncertain

    def faintness(self, most: int) -> int:
        r"""Binary places after which the constant parts show that they are not whole numbers.

        ``e^{-100}`` and ``\tanh 50`` need 145: with fewer they pass for 0 and 1. A constant that
        agrees with a whole number to ``most`` bits is taken for it, as ``\sin\pi`` is, unless it is
        of a function that only comes near to one, as ``\tanh 5000``: that needs more than ``most``.
        """
        slots = [slot for slot, _ in self._leaves] + [slot for slot, *_ in self._static]
        near = {slot for slot, rule, *_ in self._static if rule in _NEARING}
        places = 0
        for bits in (ctx.prec, 4 * ctx.prec, most):
            with precision(bits):
                jets_ = self._start()
                gaps = [(slot, _off_whole(jets_[slot][0])) for slot in slots]
            places = max([places, *(gap for _, gap in gaps if gap is not None)])
            slots = [slot for slot, gap in gaps if gap is None]
            if not slots:
                break
        return most + 1 if near.intersection(slots) else places

    def _start(self) -> list[Any]:
        base = self._base.get(ctx.prec)
        if base is None:
            base = [None] * self.size
            for slot, constant in self._leaves:
                base[slot] = (constant(), None)
            for slot, rule, a, b in self._static:
                if b >= 0:
                    base[slot] = rule(base[a], base[b])
                elif b == -1:
                    base[slot] = rule(base[a])
                else:
                    base[slot] = rule(base)
            self._base[ctx.prec] = base
        return base.copy()


def compile_tape(
    expression: Expression, variable: str, conventions: Conventions = Conventions()
) -> Tape:
    """Compile ``expression`` in ``variable``.

    Raises `UnusableError`; recursion is as deep as the tree, which the reader bounds.
    """
    tape = Tape(variable, conventions)
    compiler = _Compiler(tape)
    terms = additive_terms(expression, variable)
    compiler.outermost = {id(without_factor(term, variable)) for term in terms}
    slots = [compiler.slot(term) for term in terms]
    tape.terms = [slot for slot in slots if tape._varying[slot]]
    tape.root = compiler.chain("add", slots)
    return tape


def _off_whole(value: Ball) -> int | None:
    """Binary places to the distance between a constant and a whole number; None: cannot be seen."""
    real = value.real
    if not value.is_finite() or real.abs_lower() > _LARGE:
        return 0
    gap = value - round(float(real.mid()))
    if gap.is_zero():
        return 0
    if gap.contains(0):
        return None
    mantissa, exponent = gap.abs_lower().man_exp()
    return max(0, -(int(mantissa).bit_length() + int(exponent)))


#: Larger constants are not compared with whole numbers.
_LARGE = 2**60


#: Functions whose values come near to whole numbers without reaching them.
_NEARING = frozenset(jets.RULES[name] for name in ("tanh", "coth", "erf"))


def _finite(value: Ball, slope: Ball | None) -> bool:
    return value.is_finite() and (slope is None or slope.is_finite())


def _gather(rule: Rule, slots: Sequence[int]) -> Rule:
    """A rule of many arguments, as a function of all slots."""
    return lambda all_: rule(*(all_[slot] for slot in slots))


class _Compiler:
    """Gives every distinct sub-expression a slot (hash-consing on rule and argument slots)."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.known: dict[Any, int] = {}
        self.outermost: set[int] = set()

    def slot(self, node: Expression) -> int:
        if isinstance(node, Number):
            return self._number(node)
        if isinstance(node, Symbol):
            return self._symbol(node.name)
        special = _SPECIAL_FORMS.get(node.function)
        if special is not None:
            return special(self, node)
        if not node.args:
            return self.leaf(node.function, jets.CONSTANTS[node.function])
        slots = [self.slot(arg) for arg in node.args]
        if node.function in jets.TEXTBOOK:
            self.tape.secants = True
        if node.function in _BRANCHING or node.function in SLOW:
            for i in range(len(slots)):
                self._branch(node, slots[i], at=i)
        return self.apply(node.function, slots)

    def _branch(self, node: Call, argument: int, *, root: bool = False, at: int = 0) -> None:
        if not self.tape._varying[argument]:
            return
        # A power vanishes where its base does, and simple zeros of the base are easier to isolate.
        inner = node.args[at]
        while root and isinstance(inner, Call) and inner.function == "pow":
            if (fold(inner.args[1]) or 0) <= 0:
                break
            inner = inner.args[0]
        self.tape.branches.append(Branch(node.args[at], self.slot(inner), root))

    def chain(self, name: str, slots: Sequence[int]) -> int:
        """A left fold of a two-argument rule."""
        result = slots[0]
        for slot in slots[1:]:
            result = self.emit(name, jets.RULES[name], result, slot)
        return result

    def apply(self, name: str, slots: list[int], rule: Rule | None = None) -> int:
        """The slot of a function of slots; records on the tape what the decision needs."""
        tape, argument = self.tape, slots[0]
        if rule is None:
            textbook = tape.conventions.textbook_secants and name in jets.TEXTBOOK
            rule = jets.TEXTBOOK[name] if textbook else jets.RULES[name]
        tape.special |= name in SLOW
        if tape._varying[argument] or any(tape._varying[s] for s in slots):
            if name in _BREAKS_AT_ZERO:
                tape.breaks.append(Break(argument, "zero"))
            elif name in _BREAKS_AT_INTEGERS:
                tape.breaks.append(Break(argument, "integer"))
        if len(slots) == 1:
            slot = self.emit(name, rule, argument, -1)
        elif len(slots) == 2:
            slot = self.emit(name, rule, argument, slots[1])
        else:
            slot = self.emit_many(name, _gather(rule, slots), slots)
        if name in SLOW:
            tape.uncertain.add(slot)
        if name in _DOMAIN and tape._varying[slot]:
            tape.domain.append(slot)
        return slot

    def emit(self, key: Any, rule: Rule, a: int, b: int) -> int:
        known = (key, a, b)
        slot = self.known.get(known)
        if slot is None:
            varying = self.tape._varying
            moves = varying[a] or (b >= 0 and varying[b])
            slot = self._new(known, moves)
            (self.tape._dynamic if moves else self.tape._static).append((slot, rule, a, b))
        return slot

    def emit_many(self, key: Any, rule: Rule, slots: Sequence[int]) -> int:
        known = (key, *slots)
        slot = self.known.get(known)
        if slot is None:
            moves = any(self.tape._varying[s] for s in slots)
            slot = self._new(known, moves)
            (self.tape._dynamic if moves else self.tape._static).append((slot, rule, 0, -2))
            self.tape._operands[slot] = tuple(slots)
        return slot

    def leaf(self, key: Any, constant: Callable[[], Ball]) -> int:
        slot = self.known.get(key)
        if slot is None:
            slot = self._new(key, varying=False)
            self.tape._leaves.append((slot, constant))
        return slot

    def _new(self, key: Any, varying: bool) -> int:
        slot = len(self.tape._varying)
        if slot >= MAX_SLOTS:
            raise UnusableError(f"more than {MAX_SLOTS} distinct sub-expressions")
        self.known[key] = slot
        self.tape._varying.append(varying)
        return slot

    def _number(self, node: Number) -> int:
        self._count_bits(node)
        if node.denominator == 1:
            return self.leaf(node, partial(acb, node.numerator))
        return self.leaf(node, lambda: acb(fmpq(node.numerator, node.denominator)))

    def _count_bits(self, node: Number, times: int = 1) -> None:
        """Note the size of a number: 10^{-40} needs more bits to be seen than 0.1."""
        bits = max(abs(node.numerator), node.denominator).bit_length() * times
        self.tape.literal_bits = max(self.tape.literal_bits, min(bits, MAX_LITERAL_BITS))
        length = math.log2(max(abs(node.numerator), 1)) + math.log2(node.denominator)
        self.tape.literals[node, times] = math.ceil(length * times)

    def _symbol(self, name: str) -> int:
        slot = self.tape.symbols.get(name)
        if slot is None:
            slot = self.tape.symbols[name] = self._new(("symbol", name), varying=True)
        return slot

    # --- functions that are more than one rule ---

    def chained(self, node: Call) -> int:
        slots = [self.slot(arg) for arg in node.args]
        self.tape.longest = max(self.tape.longest, len(slots))
        if node.function in ("max", "min"):
            result = slots[0]
            for slot in slots[1:]:
                if slot == result:
                    continue
                self._break_between(result, slot)
                result = self.emit(node.function, jets.RULES[node.function], result, slot)
            return result
        return self.chain(node.function, slots)

    def _break_between(self, a: int, b: int) -> None:
        gap = self.emit("sub", jets.sub, a, b)
        if self.tape._varying[gap]:
            self.tape.breaks.append(Break(gap, "zero"))

    def power(self, node: Call) -> int:
        base, exponent = node.args
        if isinstance(base, Call) and base.function == "e":
            return self.apply("exp", [self.slot(exponent)])
        return self._power(node, fold(exponent), exponent)

    def nth_root(self, node: Call) -> int:
        exponent = Call("div", (Number(1), node.args[1]))
        return self._power(node, fold(exponent), exponent)

    def _power(self, node: Call, ratio: Fraction | None, exponent: Expression) -> int:
        base = self.slot(node.args[0])
        if ratio is None or ratio.denominator != 1:
            self._branch(node, base, root=True)
        if ratio is None:
            return self.apply("power", [base, self.slot(exponent)], jets.power)
        p, q = ratio.numerator, ratio.denominator
        if q == 1:
            if isinstance(node.args[0], Number):
                self._count_bits(node.args[0], abs(p))
            return self.emit(("pow", p), jets.pow_integer(p), base, -1)
        if p == 1 and q == 2:
            return self._radical(self.apply("sqrt", [base]), 2, base)
        self._count_bits(Number(p, q))  # x^{2 + 10^{-60}} is not x^2
        tape = self.tape
        odd = q % 2 == 1
        slot = self.emit(
            ("pow", p, q), jets.pow_rational(p, q, tape.conventions.real_roots), base, -1
        )
        if tape._varying[base]:
            tape.odd_roots |= odd
            tape.domain.append(slot)
        return self._radical(slot, q, base)

    def square_root(self, node: Call) -> int:
        base = self.slot(node.args[0])
        self._branch(node, base, root=True)
        return self._radical(self.apply("sqrt", [base]), 2, base)

    def _radical(self, slot: int, order: int, radicand: int) -> int:
        if self.tape._varying[slot] and (slot, order, radicand) not in self.tape.radicals:
            self.tape.radicals.append((slot, order, radicand))
        return slot

    def logarithm(self, node: Call) -> int:
        argument = node.args[0]
        if isinstance(argument, Call) and argument.function == "abs":
            inner = self.slot(argument.args[0])
            self.tape.bars |= is_written_with(argument, "i")
            if self.tape.conventions.real_bars:
                top = self.emit("ln_size", jets.ln_size, inner, -1)
            else:
                top = self.emit("ln_abs", jets.ln_abs, inner, -1)
        else:
            inner = self.slot(argument)
            top = self.apply("ln", [inner])
        if id(node) not in self.outermost:
            self._branch(node, inner, root=True)
        if node.function == "ln":
            return top
        base = self.apply("ln", [self.slot(node.args[1])])
        return self.emit("div", jets.div, top, base)

    def jumping(self, node: Call) -> int:
        """An arc tangent or cotangent, which jumps where its argument has a pole."""
        argument = self.slot(node.args[0])
        if self.tape._varying[argument] and may_have_pole(node.args[0], self.tape.variable):
            self.tape.poles.append(argument)
            if id(node) not in self.outermost:
                self._branch(node, argument)
        return self.apply(node.function, [argument])

    def zeta(self, node: Call) -> int:
        name = "zeta" if len(node.args) == 1 else "hurwitz_zeta"
        return self.apply(name, [self.slot(arg) for arg in node.args])

    def lambertw(self, node: Call) -> int:
        if len(node.args) == 2 and fold(node.args[1]) != 0:
            return self.leaf("nan", lambda: jets.NAN)
        return self.apply("lambertw", [self.slot(node.args[0])])

    def piecewise(self, node: Call) -> int:
        """Values and conditions in turn; the first condition that holds gives the value."""
        values = [self.slot(arg) for arg in node.args[::2]]
        tests = [self._condition(arg) for arg in node.args[1::2]]

        def choose(all_: list[Jet]) -> Jet:
            for value, test in zip(values, tests, strict=False):
                holds = test(all_)
                if holds is None:
                    return jets.UNKNOWN
                if holds:
                    return all_[value]
            return all_[values[-1]] if len(values) > len(tests) else jets.UNKNOWN

        # The conditions' slots are in `choose`; slots of the values suffice as a key
        # together with the node, which is unique to these conditions.
        slot = self.known.get(node)
        if slot is None:
            slot = self._new(node, varying=True)
            self.tape._dynamic.append((slot, choose, 0, -2))
            self.tape._operands[slot] = tuple(values)
        return slot

    def _condition(self, node: Expression) -> Callable[[list[Jet]], bool | None]:
        if not isinstance(node, Call):
            raise UnusableError("a condition must be a comparison")
        if node.function in ("and", "or"):
            parts = [self._condition(arg) for arg in node.args]
            return partial(_join, node.function == "and", parts)
        if node.function not in _COMPARISONS:
            raise UnusableError(f"a condition must be a comparison, not {node.function}")
        a, b = (self.slot(arg) for arg in node.args)
        if node.function in ("eq", "ne") and self.tape.variable in symbols_of(node):
            self.tape.pointwise = True
        self._break_between(a, b)
        return partial(_holds, node.function, a, b)


def _join(
    every: bool, parts: list[Callable[[list[Jet]], bool | None]], all_: list[Jet]
) -> bool | None:
    results = [part(all_) for part in parts]
    if (False in results) if every else (True in results):
        return not every
    return None if None in results else every


def _holds(name: str, a: int, b: int, all_: list[Jet]) -> bool | None:
    order = jets.compare(all_[a], all_[b])
    if order is None:
        return None
    return {
        "lt": order < 0,
        "le": order <= 0,
        "gt": order > 0,
        "ge": order >= 0,
        "eq": order == 0,
        "ne": order != 0,
    }[name]


_SPECIAL_FORMS: dict[str, Callable[[_Compiler, Call], int]] = {
    "add": _Compiler.chained,
    "mul": _Compiler.chained,
    "max": _Compiler.chained,
    "min": _Compiler.chained,
    "pow": _Compiler.power,
    "root": _Compiler.nth_root,
    "sqrt": _Compiler.square_root,
    "ln": _Compiler.logarithm,
    "log": _Compiler.logarithm,
    "zeta": _Compiler.zeta,
    "atan": _Compiler.jumping,
    "acot": _Compiler.jumping,
    "lambertw": _Compiler.lambertw,
    "piecewise": _Compiler.piecewise,
}
