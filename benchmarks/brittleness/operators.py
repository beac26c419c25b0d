"""Problems with more operators than a model was trained on: extrapolation by size (Table 9).

Lample and Charton's generation by differentiation, with more operators than the 15 of their data.
The paper says that it raised the generator's ``max_ops`` to 20, 25, 30 and 35, and heads its table
"nodes"; by which generator, how many problems, and whether it means exactly so many operators or up
to so many is not said. Here ``operators_20`` has exactly 20 drawn for the antiderivative, and
``operators_up_to_20`` up to 20, as ``max_ops`` does; ``operators_15`` is the training range, 1 to
15. Every problem has its reference, proven.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..lample_charton.generators import Settings
from ..lample_charton.parallel import pair_at
from ..lample_charton.problems import problem_of
from ..problem import Problem
from ..registry import benchmark
from .integrals import BENCHMARK
from .primitives import COUNT, PAPER

METHOD = "bwd"
#: Operators that the model was trained on, and the larger numbers.
TRAINED, LARGER = 15, (20, 25, 30, 35)


def _make(subset: str, settings: Settings, seed: int, index: int) -> Problem:
    pair = pair_at(METHOD, seed, index, settings)
    problem = problem_of(pair, METHOD, seed, index, settings)
    return replace(problem, benchmark=BENCHMARK, subset=subset)


def _declare(subset: str, settings: Settings, what: str) -> None:
    make = partial(_make, subset, settings)
    make.__doc__ = f"Derivatives of random expressions of {what} operators."
    benchmark(
        f"{BENCHMARK}/{subset}", source=f"{PAPER}, table 9", size=COUNT, endless=True, default=False
    )(make)


_declare(f"operators_{TRAINED}", Settings(max_operators=TRAINED), f"up to {TRAINED}")
for _count in LARGER:
    _declare(f"operators_{_count}", Settings(operators=_count), f"exactly {_count}")
for _count in LARGER:
    _declare(f"operators_up_to_{_count}", Settings(max_operators=_count), f"up to {_count}")
