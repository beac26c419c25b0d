"""In what sense a reference may be right after all: another reading, a condition, a part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from flint import acb, arb

from ...rewards.numeric.ball_arithmetic.balls import Tape, UnusableError, precision
from ...rewards.numeric.ball_arithmetic.compiler import compile_tape
from ...rewards.numeric.sampling.integrand import Integrand
from ...rewards.reading.expression.build import power
from ...rewards.reading.expression.traversal import is_constant, needs_worker, nodes_of
from ...rewards.reading.expression.tree import Call, Expression, Number

#: Elliptic functions, whose last argument is the parameter m, or the modulus k with m = k^2.
_ELLIPTIC = frozenset(
    ("elliptic_f", "elliptic_e", "elliptic_k", "elliptic_ec", "elliptic_pi", "elliptic_pic")
)
#: Where real values are looked at: both signs, several sizes, no zeros of what people write.
_PLACES = (-7.39, -3.14, -1.83, -0.91, -0.52, -0.13, 0.17, 0.43, 0.87, 1.31, 2.66, 4.19, 8.77)
_BITS = 128
#: Points on both sides of a border that have to say the same, so that none does by chance.
_FEWEST = 3
#: A difference of this relative size is none: far above the rounding of `_BITS` bits.
_NEAR = 1e-25
#: Beyond, functions that saturate, as tanh does, agree to so many digits without being equal.
_MODERATE = 3.0


class Suspicion(NamedTuple):
    """In what sense a reference is right, and how that is seen."""

    kind: str
    reason: str


def other_readings(tree: Expression, text: str) -> Iterator[tuple[Suspicion, Expression]]:
    """What the text may mean where its notation has several customs, with the other meaning.

    Args:
        tree: the text as it was read.
        text: the text of the reference.

    """
    functions = {node.function for node in nodes_of(tree) if isinstance(node, Call)}
    if functions & _ELLIPTIC:
        yield (
            Suspicion("another reading: modulus", "right if the last argument is the modulus k"),
            _replaced(tree, _ELLIPTIC, lambda *args: (*args[:-1], power(args[-1], Number(2)))),
        )
        yield (
            Suspicion("another reading: parameter", "right if the last argument is m = k^2"),
            _replaced(tree, _ELLIPTIC, lambda *args: (*args[:-1], Call("sqrt", args[-1:]))),
        )
    if "log" in text and "ln" in functions:
        for base in (10, 2):
            yield (
                Suspicion("another reading: logarithm", f"right with logarithms to base {base}"),
                _in_base(tree, base),
            )


def _replaced(tree: Expression, names: frozenset[str], change: Any) -> Expression:
    if not isinstance(tree, Call):
        return tree
    args = tuple(_replaced(arg, names, change) for arg in tree.args)
    return Call(tree.function, change(*args) if tree.function in names else args)


def _in_base(tree: Expression, base: int) -> Expression:
    if not isinstance(tree, Call):
        return tree
    args = tuple(_in_base(arg, base) for arg in tree.args)
    if tree.function == "ln":
        return Call("div", (Call("ln", args), Call("ln", (Number(base),))))
    return Call(tree.function, args)


def other_conditions(integrand: Integrand) -> Iterator[tuple[Suspicion, Mapping[str, str]]]:
    """Other kinds of one parameter, with the words for what the reference leaves unsaid."""
    words = {
        "negative": "{0} < 0",
        "integer": "{0} an integer",
        "even": "{0} even",
        "odd": "{0} odd",
    }
    for name in integrand.parameters:
        for kind, said in words.items():
            if kind != integrand.assumptions.get(name, "positive"):
                condition = said.format(name)
                suspicion = Suspicion("missing condition", f"right for {condition}")
                yield suspicion, {**integrand.assumptions, name: kind}


def partly_right(tree: Expression, integrand: Integrand) -> Iterator[Suspicion]:
    """Whether F' = f on one side of a point and not on the other, which is then named."""
    pair = _tapes(tree, integrand)
    if pair is None:
        return
    (answer, f), right = pair, dict[float, bool]()
    for x in _PLACES:
        slope, value = _at(answer, x, 1), _at(f, x, 0)
        if slope is not None and value is not None:
            right[x] = bool(abs(slope - value) <= _NEAR * (abs(slope) + abs(value)))
    good, bad = ([x for x, fits in right.items() if fits is which] for which in (True, False))
    if sum(abs(x) < _MODERATE for x in good) < _FEWEST or len(bad) < _FEWEST:
        return
    name = integrand.variable
    if max(bad) < min(good):
        yield Suspicion("part of the domain", f"right for {name} >= {min(good):g}, not below")
    elif max(good) < min(bad):
        yield Suspicion("part of the domain", f"right for {name} <= {max(good):g}, not above")


def without_modulus(tree: Expression, integrand: Integrand) -> str:
    """Where f is real and a logarithm in F has a negative argument; empty if it is nowhere seen."""
    x = integrand.variable
    inside = [
        node.args[0]
        for node in nodes_of(tree)
        if isinstance(node, Call) and node.function == "ln" and not is_constant(node, x)
    ]
    inside = [each for each in inside if not isinstance(each, Call) or each.function != "abs"]
    if not inside or needs_worker(tree):
        return ""
    pair = _tapes(tree, integrand)
    if pair is None:
        return ""
    places = [at for at in _PLACES if _at(pair[1], at, 0) is not None]
    answered = [at for at in places if _at(pair[0], at, 0) is not None]
    if len(places) < _FEWEST or len(answered) > len(places) - _FEWEST:
        return ""
    for argument in inside:
        try:
            tape = compile_tape(argument, x)
        except UnusableError:
            continue
        values = {at: _at(tape, at, 0) for at in places if at not in answered}
        below = [at for at, value in values.items() if value is not None and value < 0]
        if len(below) >= _FEWEST:
            return f"a logarithm of a negative number at {x} = {below[0]:g}, where f is real"
    return ""


def _tapes(tree: Expression, integrand: Integrand) -> tuple[Tape, Tape] | None:
    if needs_worker(tree) or integrand.needs_worker:
        return None
    try:
        return tuple(
            compile_tape(each, integrand.variable) for each in (tree, integrand.expression)
        )  # type: ignore[return-value]
    except UnusableError:
        return None


def _at(tape: Tape, x: float, order: int) -> Any:
    """A value or a slope that is real, as a ball's midpoint; None for any other."""
    with precision(_BITS):
        names = sorted(tape.symbols)
        parameters = {name: acb(arb(3 + 2 * at) / 7) for at, name in enumerate(names)}
        jet = tape.run(acb(arb(x)), parameters, derivative=order == 1)[tape.root][order]
        if jet is None:
            return arb(0)
        if not jet.is_finite() or not jet.imag.contains(0) or float(jet.imag.rad()) > 1e-12:
            return None
        return jet.real.mid()
