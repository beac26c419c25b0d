"""Proves values of definite integrals by the fundamental theorem of calculus.

An enclosure shows that a closed form agrees with the integral to many digits. The agreement does
not prove that both are equal. Equality follows from three proofs. First, F' = f. Second, F has a
finite slope on the closed range from a to b. F is then continuous. Isolated points at which the
first proof fails therefore do not matter. Third, the answer equals F(b) - F(a). A table proposes F
term by term, and every proposal has to be proved.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from flint import acb

from ..numeric.ball_arithmetic.balls import Tape, UnusableError, precision
from ..numeric.ball_arithmetic.compiler import compile_tape
from ..numeric.ball_arithmetic.domain import real_everywhere
from ..numeric.ball_arithmetic.jets import ZERO, Ball
from ..numeric.outcome import Outcome
from ..numeric.quadrature import DefiniteIntegral
from ..numeric.quadrature.line import limit_value
from ..proof.equality import equality
from ..proof.prover import prove
from ..reading.expression.build import ONE, add, div, mul, neg, number, power
from ..reading.expression.derivative import differentiate
from ..reading.expression.formulas import template
from ..reading.expression.traversal import (
    additive_terms,
    fold,
    is_constant,
    substitute,
)
from ..reading.expression.tree import Call, Expression, Symbol
from ..reading.functions import RECORDS

#: Intervals that a range is cut into at most, which bounds the work; one is enough for every row of
#: `test_fundamental_theorem.py` that is proved. A range that needs more has no proof.
MAX_INTERVALS: Final = 64
#: The precision of the intervals, which only tell finite slopes from others.
BITS: Final = 128


def with_theorem(outcome: Outcome, integral: DefiniteIntegral, answer: Expression) -> Outcome:
    """Add a proof by the fundamental theorem to the outcome, if a proof is found.

    Args:
        outcome: the outcome of an answer that agrees with the value.
        integral: the integral.
        answer: the closed form.

    """
    low, high, f = integral.lower, integral.upper, integral.integrand
    if isinstance(low, int) or isinstance(high, int) or integral.parameters:
        return outcome
    primitive = _antiderivative(f.expression, f.variable)
    if primitive is None or not _has_slope(primitive, f.variable, low, high):
        return outcome
    proof = prove(primitive, f.expression, f.variable, {})
    value = add(
        substitute(primitive, f.variable, high), neg(substitute(primitive, f.variable, low))
    )
    equal = equality(answer, value) if proof else None
    if proof is None or equal is None:
        return outcome
    rules = tuple(sorted({*proof.rules, *equal.rules}))
    return replace(outcome, proof="fundamental theorem", rules=rules)


def _antiderivative(f: Expression, x: str) -> Expression | None:
    """A candidate for an antiderivative of f.

    The result is None if the table of antiderivatives has no entry for a term of f.
    """
    terms = [_of_term(term, x) for term in additive_terms(f, x)]
    antiderivatives = [term for term in terms if term is not None]
    return add(*antiderivatives) if len(antiderivatives) == len(terms) else None


def _of_term(term: Expression, x: str) -> Expression | None:
    """An antiderivative of a term.

    The term must be a constant times a power, or a constant times a known function of a linear
    expression. For any other term, the result is None.
    """
    if is_constant(term, x):
        return mul(term, Symbol(x))
    factor, core = _split(term, x)
    primitive = _of_core(core, x)
    return primitive and mul(factor, primitive)


def _split(term: Expression, x: str) -> tuple[Expression, Expression]:
    """Split a term into a constant factor and a factor that depends on x: c/u is c times 1/u."""
    name, args = term.function, term.args
    varying = [arg for arg in args if not is_constant(arg, x)]
    if name not in ("neg", "mul", "div") or len(varying) != 1 or args == (ONE, varying[0]):
        return ONE, term
    inverted = name == "div" and varying[0] is args[1]
    factor, core = _split(Call("div", (ONE, varying[0])) if inverted else varying[0], x)
    if name == "neg":
        return neg(factor), core
    if name == "div":
        return mul(args[0], factor) if inverted else div(factor, args[1]), core
    return mul(*(arg for arg in args if arg is not varying[0]), factor), core


def _of_core(core: Expression, x: str) -> Expression | None:
    for name, factor, pattern in _TABLE:
        u = _argument(pattern, core)
        slope = _slope(u, x) if u is not None else None
        if u is not None and slope is not None:
            return div(Call(name, (u,)), mul(factor, slope))
    base, exponent = _as_power(core)
    slope = _slope(base, x)
    if exponent == -1:
        return slope and div(Call("ln", (Call("abs", (base,)),)), slope)
    raised = power(base, number(exponent + 1))
    return slope and div(raised, mul(number(exponent + 1), slope))


def _argument(pattern: Expression, tree: Expression) -> Expression | None:
    """Find an expression u such that ``pattern``, which contains ``u``, equals ``tree``.

    The result is None if there is no such u. The terms of a sum are tried in both orders.
    """
    if pattern == _U:
        return tree
    if not isinstance(tree, Call) or pattern.function != tree.function:
        return None
    orders = [tree.args, tree.args[::-1]] if tree.function == "add" else [tree.args]
    for args in orders:
        if len(args) != len(pattern.args):
            return None
        pairs = list(zip(pattern.args, args, strict=True))
        arguments = {_argument(p, arg) for p, arg in pairs if not is_constant(p, "u")}
        if len(arguments) == 1 and all(p == arg for p, arg in pairs if is_constant(p, "u")):
            return arguments.pop()
    return None


def _as_power(node: Expression) -> tuple[Expression, Fraction]:
    """Write an expression as a power with a rational exponent. Return the base and the exponent."""
    if node.function == "sqrt":
        return node.args[0], Fraction(1, 2)
    if node.function == "pow" and (ratio := fold(node.args[1])) is not None:
        return node.args[0], ratio
    if node.function == "div" and node.args[0] == ONE:
        base, ratio = _as_power(node.args[1])
        return base, -ratio
    return node, Fraction(1)


def _slope(u: Expression, x: str) -> Expression | None:
    """The slope of a linear expression, or None if the slope is 0 or not rational."""
    try:
        slope = fold(differentiate(u, x))
    except ValueError:
        return None
    return number(slope) if slope else None


def _has_slope(primitive: Expression, x: str, low: Expression, high: Expression) -> bool:
    """Whether intervals prove that ``primitive`` is real with a finite slope on a range."""
    try:
        tape = compile_tape(primitive, x)
        with precision(BITS):
            ends = limit_value(low, {}), limit_value(high, {})
    except UnusableError:
        return False
    if tape.breaks or any(not end.is_finite() for end in ends):
        return False
    with precision(BITS):
        lower, upper = min(ends[0].lower(), ends[1].lower()), max(ends[0].upper(), ends[1].upper())
        pending = [(lower, upper)]
        for _ in range(MAX_INTERVALS):
            if not pending:
                return True
            a, b = pending.pop()
            if not _is_smooth(tape, acb(a.union(b))):
                middle = ((a + b) / 2).mid()
                if not a < middle < b:
                    return False
                pending += [(a, middle), (middle, b)]
    return not pending


def _is_smooth(tape: Tape, interval: Ball) -> bool:
    jets = tape.run(interval, {})
    slope = jets[tape.root][1] or ZERO
    return real_everywhere(tape, jets) and bool(slope.is_finite())


_U: Final = Symbol("u")
#: Functions of u, with the constant factors and the varying parts of their derivatives.
_TABLE: Final = tuple(
    (record.name, *_split(template(record.derivative), "u"))
    for record in RECORDS.values()
    if record.arguments == "u" and record.derivative and record.name != "ln"  # of a power: ln|u|
)
