r"""Iterated integrals ``\int_0^1 dy \int_y^1 f dx``, of which the verifier has no value.

They are computed by two quadratures that have nothing in common but the integrand. So a reference
is never proved: it agrees, or is refuted where both say the same other value.
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
from .program import names_of, python, run

_SIGN = re.compile(r"\\int(?![a-zA-Z])")
_FIRST = re.compile(r"\s*(?:\\[,;!])*\s*d\s*(?P<name>[a-zA-Z])\s*(?=\\int)")
_LAST = re.compile(r"(?:\\[,;! ]|\s)*d\s*(?P<name>[a-zA-Z])\s*$")
#: Values of parameters, two draws: nothing that cancels.
_DRAWS = (("1.4", "0.7", "2.3", "0.9", "1.9"), ("0.6", "1.8", "1.1", "2.6", "0.8"))
#: Digits, and the relative differences of values that are one, and of values that are not.
_DIGITS, _SAME, _APART = 15, 1e-11, 1e-6


@dataclass(frozen=True, slots=True)
class Iterated:
    """An outer range, and the integral inside."""

    inner: DefiniteIntegral
    variable: str
    lower: Limit
    upper: Limit


def iterated(text: str, assumptions: Mapping[str, str]) -> Iterated | None:
    """The iterated integral in a formula; None if it has not two integral signs.

    Raises:
        ProblemError: it has two and cannot be read.

    """
    signs = list(_SIGN.finditer(text))
    if len(signs) != 2:
        return None
    marks, rest = limits_of(text[signs[0].end() :])
    rest = rest.strip()
    if rest.endswith("}") and rest.count("}") > rest.count("{"):  # of \displaystyle{...}
        rest = rest[:-1]
    found = _FIRST.match(rest) or _LAST.search(rest)
    if found is None or set(marks) != {"_", "^"}:
        raise ProblemError(f"{text!r}: expected the limits and the differential of the outer range")
    name = found["name"]
    inner = rest[found.end() :] if found.re is _FIRST else rest[: found.start()]
    lower, upper = (limit_of(marks[mark], text, name) for mark in "_^")
    return Iterated(prepare_definite(inner, assumptions), name, lower, upper)


def audited_iterated(problem: Iterated, reference: Expression) -> Finding:
    """What both quadratures say of a reference, at each draw of the parameters."""
    bound = {problem.variable, problem.inner.integrand.variable}
    known = set(problem.inner.parameters) | {problem.variable}
    for limit in (problem.lower, problem.upper):
        known |= set() if isinstance(limit, int) else symbols_of(limit)
    parameters = sorted((known | symbols_of(reference)) - bound)
    if not symbols_of(reference) <= known - bound or len(parameters) > len(_DRAWS[0]):
        return Finding(UNDECIDED, reason="the reference has other symbols than the integral")
    for draw in _DRAWS[: 2 if parameters else 1]:
        point = dict(zip(parameters, draw, strict=False))
        source = _written(problem, reference, point)
        runs = [_run(source.replace("mp.quad(", f"mp.{name}(")) for name in ("quadts", "quadgl")]
        if None in runs:
            return Finding(UNDECIDED, reason="no quadrature has a value")
        (value, got), (other, _) = runs  # type: ignore[misc]
        if abs(value - other) > _SAME * abs(value):
            return Finding(UNDECIDED, reason="two quadratures differ")
        if abs(value - got) <= 10 * _SAME * abs(value):
            continue
        if abs(value - got) < _APART * abs(value):
            return Finding(UNDECIDED, reason="neither equal nor apart")
        at = ", ".join(f"{name} = {text}" for name, text in point.items())
        values = {"expected": mp.nstr(value, 12), "got": mp.nstr(got, 12), "point": at}
        by = ("mpmath", "a second quadrature")
        return Finding(REFUTED, program=source, confirmed_by=by, **values)
    return Finding(AGREED, reason="two quadratures agree with it")


def _written(problem: Iterated, reference: Expression, point: Mapping[str, str]) -> str:
    inner = problem.inner
    ends = (inner.lower, inner.upper, problem.lower, problem.upper)
    trees = [end for end in ends if not isinstance(end, int)]
    x, y = inner.integrand.variable, problem.variable
    names = names_of(inner.integrand.expression, reference, Symbol(x), Symbol(y), *trees)
    c, d, a, b = (
        python(end, names) if not isinstance(end, int) else ("mp.inf" if end > 0 else "-mp.inf")
        for end in ends
    )
    lines = ["from mpmath import mp, mpf", "", f"mp.dps = {_DIGITS}"]
    lines += [f'{names[name]} = mpf("{text}")' for name, text in point.items()]
    lines += ["", f"def f({names[x]}, {names[y]}):"]
    lines += [f"    return {python(inner.integrand.expression, names)}", ""]
    lines += [f"def inner({names[y]}):"]
    lines += [f"    return mp.quad(lambda {names[x]}: f({names[x]}, {names[y]}), [{c}, {d}])", ""]
    lines += [f"value = mp.quad(inner, [{a}, {b}])"]
    lines += [f"reference = {python(reference, names)} + mpf(0)"]
    lines += ['print("reference:", mp.nstr(reference, 12))']
    lines += ['print("integral:", mp.nstr(value, 12))']
    lines += [f"assert abs(reference - value) > {_APART}*abs(value)"]
    return "\n".join(lines) + "\n"


def _run(source: str) -> tuple[Any, Any] | None:
    try:
        names = run(source, _DIGITS)
    except Exception:  # mpmath and the formulas raise errors of many classes
        return None
    value, got = names["value"], names["reference"]
    if not all(mp.isfinite(each) and not mp.im(each) for each in (value, got)):
        return None
    return value, got
