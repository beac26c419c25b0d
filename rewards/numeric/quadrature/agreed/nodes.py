"""Nodes and weights of the quadratures, computed once for each precision.

Sources: Takahasi and Mori 1974 (double exponential formulas); Gauss-Legendre from python-flint.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from flint import arb

#: The trapezoidal step of level 0 is 2^{-FIRST_STEP}; each level halves it.
FIRST_STEP = 3
#: Nodes of a Gauss-Legendre panel: enough for 28 digits where the integrand is analytic up to
#: half the panel's length times pi from its middle.
GAUSS_NODES = 28
#: Rules that are kept: the seven levels at nine precisions; and precisions of Gauss-Legendre rules.
RULES, PRECISIONS = 64, 16

#: x and dx/dt for each t.
Nodes = list[tuple[arb, arb]]


def _grid(level: int, is_inside: Callable[[arb], bool]) -> list[arb]:
    """The grid points t that a refinement level adds to the points of lower levels.

    The points are visited outwards from 0 until ``is_inside`` is false.
    """
    step = arb(2) ** -(FIRST_STEP + level)
    stride = 1 if level == 0 else 2
    points = [arb(0)] if level == 0 else []
    for sign in (1, -1):
        k = 1
        while is_inside(t := sign * k * step):
            points.append(t)
            k += stride
    return points


@lru_cache(maxsize=RULES)
def tanh_sinh(bits: int, depth: int, level: int) -> Nodes:
    r"""The nodes and weights that a refinement level adds to the tanh-sinh rule on [0, 1].

    A node is x = 1 / (1 + e^{-2w}) for w = (pi/2) sinh t. The result has the distance of x from the
    nearer end instead of x. The distance is negative if the left end is nearer.

    Args:
        bits: the working precision.
        depth: the smallest distance of a node from an end is about 2^{-depth}.
        level: the refinement level. Nodes of lower levels are left out.

    """
    pi = arb.pi()

    def decay(t: arb) -> arb:
        return (-pi * abs(t.sinh())).exp()

    nodes: Nodes = []
    for t in _grid(level, lambda t: decay(t) > arb(2) ** -depth):
        e = decay(t)
        near = e / (1 + e)
        nodes.append((-near if t < 0 else near, pi * t.cosh() * e / (1 + e) ** 2))
    return nodes


@lru_cache(maxsize=RULES)
def exp_sinh(bits: int, depth: int, level: int) -> Nodes:
    r"""The nodes x = exp((pi/2) sinh t) in (0, oo), with weights, for algebraic decay."""
    half = arb.pi() / 2
    limit = arb(2).log() * depth
    return [
        ((half * t.sinh()).exp(), half * t.cosh() * (half * t.sinh()).exp())
        for t in _grid(level, lambda t: half * abs(t.sinh()) < limit)
    ]


@lru_cache(maxsize=RULES)
def exp_exp(bits: int, depth: int, level: int) -> Nodes:
    r"""The nodes x = exp(t - exp(-t)) in (0, oo), with weights, for exponential decay."""
    limit = arb(2).log() * depth

    def inside(t: arb) -> bool:
        return bool((-t).exp() - t < limit and t < limit.log() + 2)

    return [
        ((t - (-t).exp()).exp(), (1 + (-t).exp()) * (t - (-t).exp()).exp())
        for t in _grid(level, inside)
    ]


@lru_cache(maxsize=PRECISIONS)
def gauss_legendre(bits: int) -> Nodes:
    """The nodes in [-1, 1] and the weights of Gauss-Legendre quadrature."""
    nodes: Nodes = []
    for k in range(GAUSS_NODES):
        x, weight = arb.legendre_p_root(GAUSS_NODES, k, weight=True)
        nodes.append((x, weight))
    return nodes
