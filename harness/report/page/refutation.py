"""A small plot for a wrong answer F: F' and f around the point that refutes F.

F' and f are evaluated in ball arithmetic with few bits at a fixed number of points. A function that
cannot be evaluated quickly has no plot. A plot decides nothing. It is shown only if the curves
agree with the verifier's values at the refuting point.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from flint import acb, arb

from ....benchmarks.payloads import IntegrationTarget
from ....benchmarks.problem import Problem
from ....rewards import ProblemError
from ....rewards.numeric.ball_arithmetic.balls import Conventions, Tape, UnusableError, precision
from ....rewards.numeric.ball_arithmetic.compiler import compile_tape
from ....rewards.numeric.sampling.integrand import prepare
from ....rewards.reading.expression.traversal import needs_worker
from ....rewards.reading.latex import ReadError, read
from ....rewards.verdict import Witness

#: Points of each curve, half the width of the plot, and the size up to which formulas are plotted.
POINTS, REACH, LARGEST = 61, 1.5, 600
_BITS = 64
_NUMBER = re.compile(r"\[?([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: \+/- [^\]]*)?\]?")
_NEAR = 1e-3

Curve = list[float | None]


@lru_cache(maxsize=4096)
def plot(problem: Problem, answer: str | None, witness: Witness | None) -> dict[str, Any] | None:
    """The curves as numbers: ``x``, ``f`` and ``F`` (F'), the point ``at``, and the values at the
    point.

    If a jump refutes the answer, ``jump`` is true and ``F`` is the answer itself. The result is
    None without a plot.
    """
    if not isinstance(problem.target, IntegrationTarget) or answer is None or witness is None:
        return None
    try:
        return _plot(problem, answer, witness)
    except (ProblemError, ReadError, UnusableError, ValueError, ArithmeticError, RecursionError):
        return None


def _plot(problem: Problem, answer: str, witness: Witness) -> dict[str, Any] | None:
    target = problem.target_as(IntegrationTarget)
    variable = target.variable
    values = _values(witness.point)
    if values is None or variable not in values:
        return None
    at = values.pop(variable)
    expected, got = _number(witness.expected), _number(witness.got)
    if expected is None or got is None:
        return None
    jump = "just above" in witness.point
    assumptions = tuple(sorted(problem.assumptions.items()))
    for conventions in (Conventions(), Conventions(real_roots=False)):
        f = _integrand(target.integrand, variable, assumptions, conventions)
        if f is None:
            return None
        for reading in _readings(answer, (variable, *problem.assumptions)):
            tape = _compiled(reading, variable, conventions)
            if tape is None:
                continue
            # A witness leaves out constants that F' does not depend on, as those of integration.
            values = dict.fromkeys(tape.symbols, 0.5) | values
            xs = [at + REACH * (2 * i / (POINTS - 1) - 1) for i in range(POINTS)]
            order = 0 if jump else 1
            if jump:
                point_value = _curve(tape, [at], values, 0)[0]
                fits = _near(point_value, expected) or _near(point_value, got)
            else:
                fits = _near(_curve(tape, [at], values, 1)[0], got) and _near(
                    _curve(f, [at], values, 0)[0], expected
                )
            if fits:
                return {
                    "x": [_short(x) for x in xs],
                    "f": [] if jump else _curve(f, xs, values, 0),
                    "F": _curve(tape, xs, values, order),
                    "at": _short(at),
                    "expected": expected,
                    "got": got,
                    "jump": jump,
                    "variable": variable,
                }
    return None


def _values(point: str) -> dict[str, float] | None:
    """The real values in a text such as ``x=[0.25 +/- 1e-9], a=1.5``; None for a non-real value."""
    values = {}
    for assignment in point.removesuffix(" and just above").split(", "):
        name, _, text = assignment.partition("=")
        value = _number(text)
        if value is None:
            return None
        values[name] = value
    return values


def _number(text: str) -> float | None:
    match = _NUMBER.fullmatch(text.strip())
    value = float(match[1]) if match else math.nan
    return value if math.isfinite(value) else None


@lru_cache(maxsize=256)
def _integrand(
    text: str, variable: str, assumptions: tuple[tuple[str, str], ...], conventions: Conventions
) -> Tape | None:
    integrand = prepare(text, variable, dict(assumptions))
    if integrand.needs_worker:
        return None
    tape = integrand.tape(conventions)
    return tape if tape.size <= LARGEST else None


def _readings(answer: str, symbols: Sequence[str]) -> Iterator[Any]:
    for reading in read(answer, symbols=list(symbols))[:4]:
        yield reading.expression


def _compiled(expression: Any, variable: str, conventions: Conventions) -> Tape | None:
    if needs_worker(expression):
        return None
    tape = compile_tape(expression, variable, conventions)
    return tape if tape.size <= LARGEST else None


def _curve(tape: Tape, xs: Sequence[float], values: Mapping[str, float], order: int) -> Curve:
    """The value (order 0) or the slope (order 1) at each point; None for a non-finite number."""
    curve: Curve = []
    with precision(_BITS):
        balls = {name: acb(arb(value)) for name, value in values.items()}
        for x in xs:
            jet = tape.run(acb(arb(x)), balls, derivative=order == 1)[tape.root][order]
            curve.append(0.0 if jet is None else _real(jet))
    return curve


def _real(value: Any) -> float | None:
    if not value.is_finite():
        return None
    real, imag = float(value.real.mid()), float(value.imag.mid())
    if not math.isfinite(real) or abs(imag) > _NEAR * (abs(real) + 1e-9):
        return None
    return _short(real)


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def _near(value: float | None, target: float) -> bool:
    return value is not None and abs(value - target) <= _NEAR * (abs(target) + _NEAR)
