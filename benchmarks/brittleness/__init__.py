"""A model that passes a test set may fail next door: robustness, composition, extrapolation.

Problem sets of Welleck et al., "Symbolic Brittleness in Sequence Models" (2022);
docs/brittleness.md says what each is and where it departs. `primitives` and `operators` need
nothing of a model; `neighbours` and `sums` are pure functions of the problems that one solved.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ..problem import Problem
from . import operators, primitives
from .integrals import DerivationError
from .neighbours import over_k, plus_exp, plus_ln, times_k
from .sums import sums

#: What can be made of any problems, by its subset's name: a function of them and a seed.
KINDS: dict[str, Callable[[Sequence[Problem], int], list[Problem]]] = {
    "over_k": over_k,
    "times_k": times_k,
    "plus_exp": plus_exp,
    "plus_ln": plus_ln,
    **{f"valid_sum{terms}": partial(sums, terms=terms) for terms in (1, 2, 3, 4)},
}

__all__ = [
    "KINDS",
    "DerivationError",
    "operators",
    "over_k",
    "plus_exp",
    "plus_ln",
    "primitives",
    "sums",
    "times_k",
]
