"""Shared tools of the reader's tests: trees as text, and values of trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import mul
from typing import Any

import mpmath

from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol


def spelled(node: Expression) -> str:
    """A tree as an S-expression, the form of expected trees in the case table."""
    if isinstance(node, Number):
        ending = "" if node.denominator == 1 else f"/{node.denominator}"
        return f"{node.numerator}{ending}"
    if isinstance(node, Symbol):
        return node.name
    if not node.args:
        return node.function
    return f"({node.function} {' '.join(map(spelled, node.args))})"


def _root(x: Any, n: Any) -> Any:
    if mpmath.im(x) == 0 and mpmath.re(x) < 0 and int(n) % 2:
        return -mpmath.root(-x, int(n))
    return mpmath.root(x, int(n))


_VALUES: dict[str, Callable[..., Any]] = {
    "add": lambda *terms: sum(terms),
    "mul": lambda *factors: reduce(mul, factors),
    "neg": lambda x: -x,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: mpmath.power(x, y),
    "sqrt": mpmath.sqrt,
    "root": _root,
    "exp": mpmath.exp,
    "ln": mpmath.log,
    "log": lambda x, base: mpmath.log(x) / mpmath.log(base),
    "pi": lambda: mpmath.pi,
    "e": lambda: mpmath.e,
    "i": lambda: mpmath.mpc(0, 1),
    "euler_gamma": lambda: mpmath.euler,
    "abs": abs,
    "sgn": mpmath.sign,
    "floor": mpmath.floor,
    "ceil": mpmath.ceil,
    "ei": mpmath.ei,
    "li": mpmath.li,
    "si": mpmath.si,
    "ci": mpmath.ci,
    "shi": mpmath.shi,
    "chi": mpmath.chi,
    "expint": mpmath.expint,
    "gamma": mpmath.gamma,
    "gamma_upper": lambda s, x: mpmath.gammainc(s, x),
    "gamma_lower": lambda s, x: mpmath.gammainc(s, 0, x),
    "polylog": mpmath.polylog,
    "fresnel_s": mpmath.fresnels,
    "fresnel_c": mpmath.fresnelc,
    "elliptic_f": mpmath.ellipf,
    "elliptic_e": mpmath.ellipe,
    "elliptic_k": mpmath.ellipk,
    "elliptic_ec": mpmath.ellipe,
    "lambertw": mpmath.lambertw,
    "factorial": mpmath.factorial,
    "binomial": mpmath.binomial,
    "max": max,
    "min": min,
    "gudermannian": lambda x: 2 * mpmath.atan(mpmath.tanh(x / 2)),
    "bessel_j": mpmath.besselj,
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "erfi": mpmath.erfi,
    "hypgeom": lambda p, q, *tail: mpmath.hyper(
        tail[: int(p)], tail[int(p) : int(p) + int(q)], tail[-1]
    ),
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "and": lambda *sides: all(sides),
    "or": lambda *sides: any(sides),
} | {
    name: getattr(mpmath, name)
    for stem in ("sin", "cos", "tan", "cot", "sec", "csc")
    for name in (stem, "a" + stem, stem + "h", "a" + stem + "h")
}


def value(node: Expression, names: Mapping[str, Any]) -> Any:
    """The value of a tree, with ordinary floating point of mpmath's present precision."""
    if isinstance(node, Number):
        return mpmath.mpf(node.numerator) / node.denominator
    if isinstance(node, Symbol):
        return names[node.name]
    if node.function == "piecewise":
        return _piecewise(node.args, names)
    return _VALUES[node.function](*(value(arg, names) for arg in node.args))


def _piecewise(args: tuple[Expression, ...], names: Mapping[str, Any]) -> Any:
    for at in range(0, len(args) - 1, 2):
        if value(args[at + 1], names):
            return value(args[at], names)
    return value(args[-1], names) if len(args) % 2 else mpmath.nan


def call(function: str, *args: Expression) -> Call:
    return Call(function, args)
