r"""Judges references of iterated integrals ``\int_0^1 dy \int_y^1 f dx``.

Two different quadratures of mpmath evaluate the integrals in place of the verifier: a reference
agrees with both values, or is refuted if both values are equal and the reference differs. A
reference is never proved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from ...rewards import ProblemError
from ...rewards.numeric.quadrature import DefiniteIntegral, prepare_definite
from ...rewards.reading.expression.traversal import symbols_of
from ...rewards.reading.expression.tree import Expression, Symbol
from ...rewards.reading.problem import Limit, limit_of, limits_of
from .findings import AGREED, REFUTED, UNDECIDED, Finding
from .second_opinion.comparisons import end_in_python, function, parameters_of, trees_of
from .second_opinion.program import APART, Program, identifiers, python, run

_SIGN = re.compile(r"\\int(?![a-zA-Z])")
_INNER = re.compile(r"\s*(?:\\[,;!])*\s*d\s*(?P<name>[a-zA-Z])\s*(?=\\int)")
_OUTER = re.compile(r"(?:\\[,;! ]|\s)*d\s*(?P<name>[a-zA-Z])\s*$")
#: Digits of the quadratures, and up to which relative difference two values are one.
_DIGITS, _SAME = 15, 1e-11


@dataclass(frozen=True, slots=True)
class Iterated:
    """An outer range, and the integral inside."""

    inner: DefiniteIntegral
    variable: str
    lower: Limit
    upper: Limit


def iterated(text: str, assumptions: Mapping[str, str]) -> Iterated | None:
    """The iterated integral in a formula; None if the formula has no two integral signs.

    Raises:
        ProblemError: an iterated integral is unreadable.

    """
    signs = list(_SIGN.finditer(text))
    if len(signs) != 2:
        return None
    marks, tail = limits_of(text[signs[0].end() :])
    tail = tail.strip()
    if tail.endswith("}") and tail.count("}") > tail.count("{"):  # of \displaystyle{...}
        tail = tail[:-1]
    differential = _INNER.match(tail) or _OUTER.search(tail)
    if differential is None or set(marks) != {"_", "^"}:
        raise ProblemError(f"{text!r}: expected the limits and the differential of the outer range")
    name = differential["name"]
    inner = (
        tail[differential.end() :] if differential.re is _INNER else tail[: differential.start()]
    )
    lower, upper = (limit_of(marks[mark], text, name) for mark in "_^")
    return Iterated(prepare_definite(inner, assumptions), name, lower, upper)


def audited_iterated(problem: Iterated, reference: Expression) -> Finding:
    """The finding on a reference by both quadratures, at two choices of the parameters."""
    inner, ends = problem.inner, (problem.lower, problem.upper)
    bound = {problem.variable, inner.integrand.variable}
    own = set(inner.parameters).union(*map(symbols_of, trees_of(ends))) - bound
    if not symbols_of(reference) <= own:
        return Finding(UNDECIDED, reason="the reference has other symbols than the integral")
    program = _program(problem, reference)
    usual = {name: value for name, (_, value) in program.parameters.items()}
    for point in (usual, {name: value / 2 + 1 for name, value in usual.items()})[: 1 + bool(own)]:
        source = program.source(point)
        runs = [_run(source.replace("mp.quad(", f"mp.{name}(")) for name in ("quadts", "quadgl")]
        if None in runs:
            return Finding(UNDECIDED, reason="no quadrature has a value")
        (value, got), (second, _) = runs  # type: ignore[misc]
        if abs(value - second) > _SAME * abs(value):
            return Finding(UNDECIDED, reason="two quadratures differ")
        if abs(value - got) <= 10 * _SAME * abs(value):
            continue
        if abs(value - got) < APART * (abs(value) + abs(got)):
            return Finding(UNDECIDED, reason="neither equal nor apart")
        values = {"expected": mp.nstr(value, 12), "got": mp.nstr(got, 12)}
        by = ("mpmath", "a second quadrature")
        coordinates = program.point_text(point)
        return Finding(REFUTED, program=source, confirmed_by=by, point=coordinates, **values)
    return Finding(AGREED, reason="two quadratures agree with it")


def _program(problem: Iterated, reference: Expression) -> Program:
    f, y = problem.inner.integrand, problem.variable
    inner_ends, outer_ends = (
        (problem.inner.lower, problem.inner.upper),
        (problem.lower, problem.upper),
    )
    trees = [*trees_of(inner_ends), *trees_of(outer_ends)]
    names = identifiers(f.expression, reference, Symbol(f.variable), Symbol(y), *trees)
    x_name, y_name = names[f.variable], names[y]
    c, d, a, b = (end_in_python(end, names) for end in (*inner_ends, *outer_ends))
    integrand = f"lambda {x_name}: {python(f.expression, names)}"
    lines = (
        *function("f", (y_name,), f"mp.quad({integrand}, [{c}, {d}])"),
        f"value = mp.quad(f, [{a}, {b}])",
        f"reference = {python(reference, names)} + mpf(0)",
    )
    free = {name: names[name] for name in names if name not in (f.variable, y)}
    return Program(lines, parameters_of(free, {}), ("integral", "reference"), digits=_DIGITS)


def _run(source: str) -> tuple[Any, Any] | None:
    try:
        variables = run(source, _DIGITS)
    except Exception:  # mpmath and the formulas raise errors of many classes
        return None
    value, got = variables["value"], variables["reference"]
    if not all(mp.isfinite(number) and not mp.im(number) for number in (value, got)):
        return None
    return value, got
