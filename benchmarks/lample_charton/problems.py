"""Random integrals as problems, and the subsets of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import count

from ...rewards.reading.latex import to_latex
from ..payloads import JSON, IntegrationInputs, IntegrationTarget
from ..problem import Problem
from ..registry import benchmark
from .codec.prefix import operator_count
from .decisions import shipped_count
from .generators import METHODS, GeneratorSettings
from .pairs import IntegralPair
from .parallel import distinct, pair_at

NAME = "lample_charton"
SOURCE = "Lample and Charton 2019, section 4 and appendix C; the released code's settings"
#: The number of problems of a subset without a limit; for FWD, the number of recorded pairs.
SIZE = 200

_SUMMARIES = {
    "fwd": "Random expressions that SymPy's Risch algorithm can integrate.",
    "bwd": "Derivatives of random expressions.",
    "ibp": "What integration by parts makes of known integrals of random expressions.",
}


def problem_from_pair(
    pair: IntegralPair, method: str, seed: int, index: int, settings: GeneratorSettings
) -> Problem:
    """A pair as a problem, with the prefix forms for sequence models in the metadata."""
    integrand = to_latex(pair.integrand_tree)
    metadata: dict[str, JSON] = {
        "prefix": " ".join(pair.integrand),
        "antiderivative_prefix": " ".join(pair.antiderivative),
        "operators": {
            "drawn": pair.operators,
            "integrand": operator_count(pair.integrand),
            "antiderivative": operator_count(pair.antiderivative),
        },
        "recipe": settings.recipe,
        "simplified": pair.simplified,
        "seed": seed,
        "draw": pair.attempt_number,
    }
    if pair.coverage is not None and pair.coverage < 1:
        metadata["coverage"] = pair.coverage
    return Problem(
        id=f"{name_of(method, settings)}-s{seed}-{index}",
        task="integration",
        benchmark=NAME,
        subset=method,
        inputs=IntegrationInputs(integrand, "x"),
        target=IntegrationTarget(integrand, "x", to_latex(pair.antiderivative_tree)),
        metadata=metadata,
    )


def name_of(method: str, settings: GeneratorSettings) -> str:
    """The method with settings other than the defaults, as in ``bwd-published``."""
    defaults = GeneratorSettings()
    words = [method]
    if settings.recipe != defaults.recipe:
        words.append(settings.recipe)
    if settings.operators is not None:
        words.append(f"o{settings.operators}")
    elif settings.max_operators != defaults.max_operators:
        words.append(f"m{settings.max_operators}")
    if settings.max_length != defaults.max_length:
        words.append(f"l{settings.max_length}")
    if settings.grammar != defaults.grammar:
        words.append(settings.grammar)
    return "-".join(words)


def random_integrals(
    method: str,
    seed: int,
    number: int,
    settings: GeneratorSettings | None = None,
    *,
    workers: int = 1,
) -> Iterator[Problem]:
    """The first ``number`` distinct problems of a seed, the same for any number of workers.

    Args:
        method: ``fwd``, ``bwd`` or ``ibp``.
        seed: the seed.
        number: the number of problems.
        settings: the generator's settings, by default of the published data.
        workers: the number of worker processes.

    Returns:
        The problems, made during the iteration.

    Raises:
        ValueError: if there is no such method.

    >>> problem, = random_integrals("bwd", 0, 1)
    >>> problem.id
    'bwd-s0-0'

    """
    chosen = settings or GeneratorSettings()
    for index, pair in distinct(method, seed, number, chosen, workers=workers):
        yield problem_from_pair(pair, method, seed, index, chosen)


def _make(method: str, seed: int, index: int) -> Problem:
    settings = GeneratorSettings()
    return problem_from_pair(pair_at(method, seed, index, settings), method, seed, index, settings)


#: The number of validation problems of Welleck et al., and the tokens of dropped problems.
VALIDATION_SIZE = 1000
DROPPED = frozenset(
    ("I", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")
)


@benchmark(
    f"{NAME}/fwd_valid",
    source="Welleck et al. 2022, section 3 and appendix B; the released code's filter",
    size=VALIDATION_SIZE,
    endless=True,
    default=False,
)
def validation(seed: int, index: int) -> Problem:
    """The problems of fwd without repetitions and without arc- and hyperbolic functions."""
    chosen, further = _validation_indices(seed)
    while len(chosen) <= index:
        chosen.append(next(further))
    return replace(_make("fwd", seed, chosen[index]), subset="fwd_valid")


@cache
def _validation_indices(seed: int) -> tuple[list[int], Iterator[int]]:
    """The known indices in `fwd`, and an iterator of further indices."""

    def search() -> Iterator[int]:
        seen = set()
        for index in count():
            pair = pair_at("fwd", seed, index, GeneratorSettings())
            tokens = pair.integrand + pair.antiderivative
            if pair.integrand not in seen and DROPPED.isdisjoint(tokens):
                seen.add(pair.integrand)
                yield index

    return [], search()


def _shipped_fwd() -> int:
    return shipped_count("fwd")


def _declare(method: str) -> None:
    make = partial(_make, method)
    make.__doc__ = _SUMMARIES[method]
    benchmark(
        f"{NAME}/{method}",
        source=SOURCE,
        size=_shipped_fwd if method == "fwd" else SIZE,
        endless=True,
    )(make)


for _method in METHODS:
    _declare(_method)
