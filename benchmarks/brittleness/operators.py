"""Problems with more operators than a model was trained on: extrapolation by size (Table 9).

Problems are made by Lample and Charton's generation by differentiation, with more operators than
the 15 of their data. The paper raised the generator's ``max_ops`` to 20, 25, 30 and 35, with the
table heading "nodes". The paper does not state the generator, the number of problems, and whether
the numbers are exact or upper bounds. Here the antiderivative of ``operators_20`` is drawn with
exactly 20 operators, that of ``operators_up_to_20`` with up to 20, as by ``max_ops``.
``operators_15`` is the training range, 1 to 15. Every problem has a proven reference.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..lample_charton.generators import GeneratorSettings
from ..lample_charton.parallel import pair_at
from ..lample_charton.problems import problem_from_pair
from ..problem import Problem
from ..registry import benchmark
from .integrals import BENCHMARK
from .primitives import COUNT, PAPER

METHOD = "bwd"
#: The number of operators in training, and the larger numbers.
TRAINED, LARGER = 15, (20, 25, 30, 35)


def _make(subset: str, settings: GeneratorSettings, seed: int, index: int) -> Problem:
    pair = pair_at(METHOD, seed, index, settings)
    problem = problem_from_pair(pair, METHOD, seed, index, settings)
    return replace(problem, benchmark=BENCHMARK, subset=subset)


def _declare(subset: str, settings: GeneratorSettings, what: str) -> None:
    make = partial(_make, subset, settings)
    make.__doc__ = f"Derivatives of random expressions of {what} operators."
    benchmark(
        f"{BENCHMARK}/{subset}", source=f"{PAPER}, table 9", size=COUNT, endless=True, default=False
    )(make)


_declare(f"operators_{TRAINED}", GeneratorSettings(max_operators=TRAINED), f"up to {TRAINED}")
for _count in LARGER:
    _declare(f"operators_{_count}", GeneratorSettings(operators=_count), f"exactly {_count}")
for _count in LARGER:
    _declare(
        f"operators_up_to_{_count}", GeneratorSettings(max_operators=_count), f"up to {_count}"
    )
