"""Problem sets that test robustness, composition and extrapolation.

The sets follow Welleck et al., "Symbolic Brittleness in Sequence Models" (2022);
docs/brittleness.md has descriptions and differences. `primitives` and `operators` are fixed sets;
`neighbours` and `sums` are pure functions of the problems that a model solved.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ..problem import Problem
from . import operators, primitives
from .integrals import DerivationError
from .neighbours import KINDS as NEIGHBOURS
from .neighbours import neighbours
from .sums import sums

#: Subset -> the function that makes the subset from any problems and a seed.
KINDS: dict[str, Callable[[Sequence[Problem], int], list[Problem]]] = {
    **{neighbour: partial(neighbours, neighbour) for neighbour in NEIGHBOURS},
    **{f"valid_sum{terms}": partial(sums, terms=terms) for terms in (1, 2, 3, 4)},
}

__all__ = [
    "KINDS",
    "NEIGHBOURS",
    "DerivationError",
    "neighbours",
    "operators",
    "primitives",
    "sums",
]
