"""Finds senses in which a refuted reference is right: a reading, a condition, an interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from flint import acb, arb

from ...rewards.numeric.ball_arithmetic.balls import Tape, UnusableError, precision
from ...rewards.numeric.ball_arithmetic.compiler import compile_tape
from ...rewards.numeric.sampling.integrand import Integrand
from ...rewards.numeric.sampling.pool import draw
from ...rewards.reading.expression.build import div, power
from ...rewards.reading.expression.traversal import (
    is_constant,
    needs_worker,
    nodes_of,
    symbols_of,
)
from ...rewards.reading.expression.tree import Call, Expression, Number

#: Elliptic functions: the last argument is the parameter m, or by another custom k with m = k^2.
_ELLIPTIC = frozenset(
    ("elliptic_f", "elliptic_e", "elliptic_k", "elliptic_ec", "elliptic_pi", "elliptic_pic")
)
#: Values of the variable at which F and f are compared: both signs, several sizes.
_POINTS = (
    *(-41.7, -17.3, -7.39, -3.14, -1.83, -0.91, -0.52, -0.13),
    *(0.17, 0.43, 0.87, 1.31, 2.66, 4.19, 8.77, 19.1, 38.9),
)
_BITS = 128
#: The smallest number of values on each side of a border that have to agree.
_MIN_POINTS = 3
#: Relative differences up to this size count as rounding of `_BITS` bits.
_NEAR = 1e-25
#: The sign of a variable by its kind.
_SIGNS = {"positive": 1, "integer": 1, "even": 1, "odd": 1, "negative": -1}
#: Up to `_MODERATE`, values count as agreement: beyond, functions such as tanh agree with their
#: limits to all digits. Up to `_AROUND`, a border between right and wrong values is searched.
_MODERATE, _AROUND = 3.0, 10.0


class Suspicion(NamedTuple):
    """A sense in which a reference is right, with the reason."""

    kind: str
    reason: str


def other_readings(tree: Expression, text: str) -> Iterator[tuple[Suspicion, Expression]]:
    """Other readings of a text with ambiguous notation.

    Args:
        tree: the text as read.
        text: the text of the reference.

    """
    functions = {node.function for node in nodes_of(tree) if isinstance(node, Call)}
    # Elliptic integrals are written with the modulus k or the parameter m = k^2.
    if functions & _ELLIPTIC:
        yield (
            Suspicion("another reading: modulus", "right if the last argument is the modulus k"),
            _rewritten(tree, lambda node: _elliptic(node, lambda k: power(k, Number(2)))),
        )
        yield (
            Suspicion("another reading: parameter", "right if the last argument is m = k^2"),
            _rewritten(tree, lambda node: _elliptic(node, lambda m: Call("sqrt", (m,)))),
        )
    if "log" in text and "ln" in functions:
        for base in (10, 2):
            yield (
                Suspicion("another reading: logarithm", f"right with logarithms to base {base}"),
                _rewritten(tree, partial(_in_base, base)),
            )


def _rewritten(tree: Expression, change: Callable[[Call], Expression]) -> Expression:
    """The formula with all calls changed, inner calls first."""
    if not isinstance(tree, Call):
        return tree
    return change(Call(tree.function, tuple(_rewritten(arg, change) for arg in tree.args)))


def _in_base(base: int, node: Call) -> Expression:
    return div(node, Call("ln", (Number(base),))) if node.function == "ln" else node


def _elliptic(node: Call, change: Callable[[Expression], Expression]) -> Expression:
    """An elliptic function with another last argument."""
    if node.function not in _ELLIPTIC:
        return node
    return Call(node.function, (*node.args[:-1], change(node.args[-1])))


def other_conditions(integrand: Integrand) -> Iterator[tuple[Suspicion, Mapping[str, str]]]:
    """Conditions on a parameter beyond the conditions of the row."""
    words = {
        "negative": "{0} < 0",
        "integer": "{0} an integer",
        "even": "{0} even",
        "odd": "{0} odd",
    }
    for name in integrand.parameters:
        for assumption, template in words.items():
            if assumption != integrand.assumptions.get(name, "positive"):
                condition = template.format(name)
                suspicion = Suspicion("missing condition", f"right for {condition}")
                yield suspicion, {**integrand.assumptions, name: assumption}


@dataclass(frozen=True)
class ReferenceOnLine:
    """F and f at the real values of the variable that the conditions of a row allow.

    Attributes:
        tree: F.
        integrand: f.
        comparisons: the conditions of the row, as trees of ``lt``, ``le`` and ``ne``.

    """

    tree: Expression
    integrand: Integrand
    comparisons: tuple[Expression, ...] = ()

    @property
    def limited(self) -> bool:
        """Whether the row has a condition on the variable."""
        x = self.integrand.variable
        signed = self.integrand.assumptions.get(x) in _SIGNS
        return signed or any(x in symbols_of(comparison) for comparison in self.comparisons)

    def allows(self, x: float) -> bool:
        """Whether the conditions of the row hold at a value of the variable."""
        sign = _SIGNS.get(self.integrand.assumptions.get(self.integrand.variable, ""), 0)
        return x * sign >= 0 and all(self._holds(comparison, x) for comparison in self.comparisons)

    def _holds(self, comparison: Expression, x: float) -> bool:
        """Whether a comparison holds at a value; an undecided comparison counts as true."""
        assert isinstance(comparison, Call)
        if self.integrand.variable not in symbols_of(comparison):
            return True
        low, high = (self._value(side, x) for side in comparison.args)
        if low is None or high is None:
            return True
        return bool(low != high if comparison.function == "ne" else low <= high)

    @cached_property
    def real_points(self) -> tuple[float, ...]:
        """Values of the variable at which f is real."""
        return tuple(x for x in _POINTS if self.allows(x) and self._at(self._f, x, 0) is not None)

    @cached_property
    def _f(self) -> Tape:
        return compile_tape(self.integrand.expression, self.integrand.variable)

    @cached_property
    def _parameters(self) -> Mapping[str, Any]:
        names = symbols_of(self.tree) | {*self.integrand.parameters}
        names = names.union(*map(symbols_of, self.comparisons)) - {self.integrand.variable}
        return draw(sorted(names), self.integrand.assumptions, "audit")

    def described(self, x: float) -> str:
        """The values of the variable and the parameters, for messages."""
        values_of = {name: self._parameters[name].real for name in self.integrand.parameters}
        values = [f"{name} = {float(value):.3g}" for name, value in values_of.items()]
        return ", ".join([f"{self.integrand.variable} = {x:g}", *values])

    def right(self, tree: Expression) -> dict[float, bool]:
        """Whether F' = f, for each value at which F is real."""
        answer, right = compile_tape(tree, self.integrand.variable), dict[float, bool]()
        for x in self.real_points:
            slope, value = self._at(answer, x, 1), self._at(self._f, x, 0)
            if slope is not None and self._at(answer, x, 0) is not None:
                right[x] = bool(abs(slope - value) <= _NEAR * (abs(slope) + abs(value)))
        return right

    def _value(self, tree: Expression, x: float) -> Any:
        try:
            return self._at(compile_tape(tree, self.integrand.variable), x, 0)
        except UnusableError:
            return None

    def _at(self, tape: Tape, x: float, order: int) -> Any:
        """The midpoint of a real value or slope; None for a non-real value."""
        with precision(_BITS):
            parameters = {
                name: self._parameters[name]
                for name in tape.symbols
                if name != self.integrand.variable
            }
            jet = tape.run(acb(arb(x)), parameters, derivative=order == 1)[tape.root][order]
            if jet is None:
                return arb(0)
            if not jet.is_finite() or not jet.imag.contains(0) or float(jet.imag.rad()) > 1e-12:
                return None
            return jet.real.mid()


def real_line(
    tree: Expression, integrand: Integrand, comparisons: tuple[Expression, ...] = ()
) -> ReferenceOnLine | None:
    """The real line of F and f; None if a formula has no evaluation here."""
    if needs_worker(tree) or integrand.needs_worker:
        return None
    try:
        line = ReferenceOnLine(tree, integrand, comparisons)
        compile_tape(tree, integrand.variable)
        return line if line.real_points else None
    except UnusableError:
        return None


def right_as_asked(line: ReferenceOnLine | None) -> bool:
    """Whether F' = f at all values allowed by the row's condition on the variable."""
    if line is None or not line.limited:
        return False
    right = line.right(line.tree)
    return _moderate(right) >= _MIN_POINTS and all(right.values())


def _moderate(points: Iterable[float]) -> int:
    return sum(abs(x) < _MODERATE for x in points)


def partly_right(line: ReferenceOnLine | None) -> Iterator[Suspicion]:
    """A suspicion if F' = f on one side of a value of the variable, and not on the other side."""
    # A periodic reference may be right on every second interval: the interval at zero decides.
    fits_at = line.right(line.tree) if line is not None else {}
    right = {x: fits for x, fits in fits_at.items() if abs(x) < _AROUND}
    good, bad = ([x for x, fits in right.items() if fits is which] for which in (True, False))
    if line is None or _moderate(good) < _MIN_POINTS or len(bad) < _MIN_POINTS:
        return
    name = line.integrand.variable
    if max(bad) < min(good):
        yield Suspicion("part of the domain", f"right for {name} >= {min(good):g}, not below")
    elif max(good) < min(bad):
        yield Suspicion("part of the domain", f"right for {name} <= {max(good):g}, not above")


def without_modulus(line: ReferenceOnLine | None) -> str:
    r"""A value where f is real and F is not, if F with \ln|u| for \ln u is right; else empty."""
    if line is None:
        return ""
    # Nothing to mend where F is real at nearly all points.
    answered = line.right(line.tree)
    if len(answered) > len(line.real_points) - _MIN_POINTS:
        return ""
    variable = line.integrand.variable

    def with_modulus(node: Call) -> Expression:
        varies = node.function == "ln" and not is_constant(node, variable)
        return Call("ln", (Call("abs", node.args),)) if varies else node

    mended = line.right(_rewritten(line.tree, with_modulus))
    mended_at = [x for x, fits in mended.items() if fits and x not in answered]
    if len(mended_at) < _MIN_POINTS or not all(mended.values()) or not _moderate(mended):
        return ""
    where = line.described(min(mended_at, key=abs))
    return f"not real at {where}, where the integrand is; ln|u| in place of ln u is right there"
