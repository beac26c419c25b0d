"""Expression trees, compiled to straight-line programs that compute with balls.

A ball is a number with an error bound. A `Tape` is an expression that is compiled once and run at
many points. Each distinct sub-expression has an index, its slot. A sub-expression without symbols
is computed once per precision. A run of the tape yields the jet (value and derivative) of every
sub-expression. The working precision is a global setting of python-flint: run a tape inside
`precision(...)`.
"""

from __future__ import annotations

import os
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from flint import ctx

from ...reading.expression.tree import Expression, Number
from ...reading.functions import RECORDS
from . import jets
from .functions import RULES
from .jets import Ball, Jet, Rule

_PRECISION_LOCK = threading.RLock()


def _renew_lock() -> None:
    global _PRECISION_LOCK
    _PRECISION_LOCK = threading.RLock()


# A child that is forked while another thread holds the lock would wait forever.
os.register_at_fork(after_in_child=_renew_lock)


class precision:  # noqa: N801  (used as a function)
    """Set python-flint's global precision within a block.

    Blocks may be nested. While one thread is inside a block, other threads wait before they enter a
    block.
    """

    __slots__ = ("_before", "_bits", "_lock")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        self._lock = _PRECISION_LOCK
        self._lock.acquire()
        self._before = ctx.prec
        ctx.prec = self._bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self._before
        self._lock.release()


#: With more bits than this, the time of an elementary function grows with their square. (Measured
#: at 128, 1024 and 4096 bits, in microseconds: a product takes 0.3, 0.5 and 1.5, an arc tangent 4,
#: 12 and 250, the gamma function 29, 200 and 11,000. `Tape.work` follows these.)
LINEAR_BITS = 4096


class UnusableError(ValueError):
    """The expression has over `MAX_SLOTS` distinct sub-expressions, or an invalid condition."""


@dataclass(frozen=True, slots=True)
class Break:
    """A sub-expression that may jump where its argument passes zero or a whole number.

    The sub-expression is not analytic there. ``slot`` is the index of the argument in the compiled
    expression. ``at`` is "zero" if the argument passes zero, "integer" if the argument passes a
    whole number, and "turn" if the argument passes -1, 0 or 1.
    """

    slot: int
    at: Literal["zero", "integer", "turn"]


class Conventions(NamedTuple):
    """The definitions of those functions that authors define differently.

    The integrand f and the answer F have the same conventions.

    Attributes:
        real_roots: whether odd roots of negative numbers are real. Otherwise, all roots are
            principal roots.
        textbook_secants: whether arcsec u and arccsc u for negative u are defined as in some
            textbooks. The derivative of arcsec u is then 1/(u sqrt(u^2 - 1)), without |u|.

    """

    real_roots: bool = True
    textbook_secants: bool = False

    @property
    def name(self) -> str:
        """The names of the conventions that are set, joined by plus signs.

        The sample points are derived from this text. Therefore the form of the text must not
        change.
        """
        return "+".join(name for name, is_set in zip(self._fields, self, strict=True) if is_set)


#: The conventions that are tried first.
USUAL = Conventions()


@dataclass(frozen=True, slots=True)
class Branch:
    """A root, logarithm or other function with several branches, as a part of an expression.

    Attributes:
        argument: the function's argument.
        slot: the slot (index) of a sub-expression. It has the same zeros as the argument.
        root: whether the function is a root or a logarithm. Such a function changes its branch at
            zeros and poles of the argument. For complex arguments, the branch also changes on the
            negative axis.
        turns: whether the function is an inverse function that reverses direction where its
            argument touches 1 or -1.
        outermost: whether the function, up to a constant factor, is a term of the expression.
            Another branch then adds only a constant to the expression.

    """

    argument: Expression
    slot: int
    root: bool
    turns: bool = False
    outermost: bool = False


@dataclass(slots=True)
class Tape:
    """A compiled expression, made by `compile_tape`. Each distinct sub-expression has an index, its
    slot.

    Attributes:
        root: slot of the whole expression.
        terms: slots of the top-level additive terms that depend on a symbol.
        domain: slots whose values must be real on the real domain.
        radicals: roots, as (slot, order, slot of the radicand).
        branches: functions for which the choice of a branch matters.
        breaks: sub-expressions that are not analytic everywhere.
        poles: slots of the arguments of arc tangents and arc cotangents, if the argument may have a
            pole. The function jumps at such a pole.
        uncertain: slots of functions in `SLOW`. Such functions cannot be computed everywhere.
        special: whether the expression has a function of `SLOW`.
        pointwise: whether a condition says that two functions of the variable are equal, or that
            they are not, or a power of 0 has a variable exponent. This singles out values of the
            variable.
        literal_bits: the bit length of the longest number.
        literals: maps (number, exponent) to the bit length of this power of the number.
        elementary: slots that depend on a symbol and take longer than sums and products, in
            ascending order.
        costly: slots that depend on a symbol and take longer than elementary functions, in
            ascending order.
        constant: how many slots that depend on no symbol are elementary, and how many are costly.
        longest: the largest number of terms in a sum, or of factors in a product.
        odd_roots: whether `Conventions.real_roots` matters.
        secants: whether `Conventions.textbook_secants` matters.
        bars: whether the expression contains ln|u|. Outside the real line, ln u is used instead.
        nonmeromorphic: slots of non-meromorphic functions that are not in ``domain`` or ``breaks``.

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
    elementary: list[int] = field(default_factory=list)
    costly: list[int] = field(default_factory=list)
    constant: tuple[int, int] = (0, 0)
    odd_roots: bool = False
    secants: bool = False
    bars: bool = False
    nonmeromorphic: list[int] = field(default_factory=list)
    special: bool = False
    pointwise: bool = False
    literal_bits: int = 0
    longest: int = 0
    literals: dict[tuple[Number, int], int] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)
    _operands: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _varying: list[bool] = field(default_factory=list)
    _along: list[bool] = field(default_factory=list)
    _static: list[tuple[int, Rule, int, int]] = field(default_factory=list)
    _dynamic: list[tuple[int, Rule, int, int]] = field(default_factory=list)
    _leaves: list[tuple[int, Callable[[], Ball]]] = field(default_factory=list)
    _base: dict[int, list[Any]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of slots. A slot is the index of a sub-expression."""
        return len(self._varying)

    def work(self, bits: int, until: int | None = None) -> int:
        """The work units of one evaluation. A sum or product at 128 bits takes one unit."""
        last_slot = self.size - 1 if until is None else until
        elementary = bisect_right(self.elementary, last_slot)
        costly = bisect_right(self.costly, last_slot)
        if bits not in self._base:  # constant slots are computed once
            elementary, costly = elementary + self.constant[0], costly + self.constant[1]
        slower = 12 * elementary + 64 * costly * (1 + min(bits, LINEAR_BITS) // 128)
        return (1 + bits // 256) * (last_slot + 1 + slower * max(1, bits // LINEAR_BITS))

    def run(
        self,
        x: Ball,
        values: Mapping[str, Ball],
        *,
        derivative: bool = True,
        overrides: Mapping[int, Ball] | None = None,
        until: int | None = None,
        real: bool = False,
    ) -> list[Jet]:
        """The value and the derivative (the jet) of every sub-expression at ``x``, listed by slot.

        ``values`` holds the values of all other symbols. If ``until`` is given, it is the last slot
        that is computed. ``overrides`` maps slots to factors. The value of each such slot is
        multiplied by the factor. This selects another branch of a root. If ``overrides`` is given,
        ``derivative`` must be false. If ``real`` is true, the run stops at a slot of `domain` that
        is certainly not real, and the result is an empty list.
        """
        watched = frozenset(self.domain) if real else overrides
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
            if watched is not None and slot in watched:
                if overrides is not None:
                    jets_[slot] = (jets_[slot][0] * overrides[slot], None)
                elif jets.is_unreal(jets_[slot][0]):
                    return []
        return jets_

    def at(self, slot: int, x: Ball, values: Mapping[str, Ball], *, derivative: bool = True) -> Jet:
        """The value and the derivative (the jet) of the sub-expression with index ``slot``."""
        return self.run(x, values, derivative=derivative, until=slot)[slot]

    def value(self, x: Ball, values: Mapping[str, Ball]) -> Ball:
        """The value of the whole expression at ``x``. ``values`` is as for `run`."""
        value: Ball = self.run(x, values, derivative=False)[self.root][0]
        return value

    @property
    def varying(self) -> Sequence[bool]:
        """For each slot, whether its sub-expression depends on a symbol."""
        return self._varying

    def constants(self) -> list[Ball]:
        """The values of all constant sub-expressions."""
        jets_ = self._start()
        slots = (*(slot for slot, _ in self._leaves), *(slot for slot, *_ in self._static))
        return [jets_[slot][0] for slot in slots]

    def operations(self) -> Iterator[tuple[int, Rule | None, tuple[int, ...]]]:
        """Yield the slot, the rule and the argument slots of every operation. The last operation
        comes first.

        The rule is None for piecewise functions and for functions of three or more arguments.
        """
        program = sorted((*self._static, *self._dynamic), key=itemgetter(0), reverse=True)
        for slot, rule, a, b in program:
            if b == -2:
                yield slot, None, self._operands[slot]
            else:
                yield slot, rule, (a,) if b == -1 else (a, b)

    def undefined(self, values: Sequence[Jet]) -> bool:
        """Whether the expression has no value at a point, given the result of `run` there.

        The result is false if the value is missing because a special function was not computed.
        """
        without = (slot for slot, (value, slope) in enumerate(values) if not _finite(value, slope))
        return next(without, self.root) not in self.uncertain

    def depends(self, slot: int) -> bool:
        """Whether a sub-expression depends on the variable. The result may be true if not."""
        if not self._along:
            self._along = self._reached({self.variable})
        return self._along[slot]

    def _reached(self, names: Set[str]) -> list[bool]:
        reached = [False] * self.size
        for name in names & self.symbols.keys():
            reached[self.symbols[name]] = True
        for at, _, a, b in self._dynamic:  # conditions are no operands of a piecewise function
            reached[at] = b == -2 or reached[a] or (b >= 0 and reached[b])
        return reached

    @property
    def is_analytic(self) -> bool:
        """Whether the expression, for fixed parameters, has no breakpoints on the line."""
        return not any(self.depends(brk.slot) for brk in self.breaks)

    @property
    def is_meromorphic(self) -> bool:
        """Whether the expression, for fixed parameters, is meromorphic in the whole plane."""
        return self.is_analytic and not any(map(self.depends, (*self.domain, *self.nonmeromorphic)))

    def is_domain_fixed(self) -> bool:
        """Whether the expression is real at the same points for almost all values of parameters."""
        reached = self._reached(self.symbols.keys() - {self.variable})
        slots = (*self.domain, *self.nonmeromorphic)
        return not (self.has_complex_constants() or any(reached[slot] for slot in slots))

    def has_complex_constants(self) -> bool:
        return any(jet is not None and not jet[0].imag.is_zero() for jet in self._start())

    def faintness(
        self,
        max_bits: int,
        x: Ball | None = None,
        values: Mapping[str, Ball] | None = None,
        spend: Callable[[int], None] | None = None,
    ) -> int:
        r"""The number of binary digits that distinguish sub-expressions from integers.

        Without ``x``, only constant sub-expressions count. With ``x``, all sub-expressions count,
        at ``x`` and at the values ``values`` of the other symbols. ``spend`` is called with the
        work units of each evaluation.

        ``e^{-100}`` and ``\tanh 50`` need 145 digits. With fewer digits they look like 0 and 1. A
        constant such as ``\sin\pi`` agrees with an integer to ``max_bits`` bits. Such a constant
        counts as an integer and needs no digits. Functions such as tanh are an exception, because
        these functions approach integers without reaching them. Suppose that such a function agrees
        with an integer to ``max_bits`` bits, as ``\tanh 5000`` may. The result is then ``max_bits``
        + 1.
        """
        operations = self._static if x is None else [*self._static, *self._dynamic]
        slots = [slot for slot, _ in self._leaves] + [slot for slot, *_ in operations]
        near = {slot for slot, rule, *_ in operations if rule in _NEARING}
        shown_at = 0
        for bits in (ctx.prec, 4 * ctx.prec, max_bits):
            with precision(bits):
                jets_ = self._start() if x is None else self.run(x, values or {}, derivative=False)
                gaps = [(slot, _off_whole(jets_[slot][0])) for slot in slots]
            shown_at = max([shown_at, *(gap for _, gap in gaps if gap is not None)])
            slots = [slot for slot, gap in gaps if gap is None]
            if not slots:
                break
        return max_bits + 1 if near.intersection(slots) else shown_at

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


def _off_whole(value: Ball) -> int | None:
    """The position of the first binary digit in which a constant differs from the nearest integer.

    The result is None if the constant's ball contains the integer.
    """
    real = value.real
    if not value.is_finite() or real.abs_lower() > _LARGE:
        return 0
    if real.abs_upper() > 2 * _LARGE:
        return None
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
_NEARING = frozenset(RULES[f.name] for f in RECORDS.values() if f.nears)


def _finite(value: Ball, slope: Ball | None) -> bool:
    return value.is_finite() and (slope is None or slope.is_finite())
