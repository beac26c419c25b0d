"""Random integrals as problems, and the registry's three endless subsets of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...rewards.latex import to_latex
from ..problem import JSON, Problem
from ..registry import benchmark
from .codec.prefix import operator_count
from .generators import METHODS, Settings
from .pairs import Pair
from .parallel import distinct, pair_at
from .records import ledger

NAME = "lample_charton"
SOURCE = "Lample and Charton 2019, section 4 and appendix C; the released code's settings"
#: How many problems of a subset are taken when no limit is given; of FWD, those on record.
SIZE = 200

_SUMMARIES = {
    "fwd": "Random expressions that SymPy's Risch algorithm can integrate.",
    "bwd": "Derivatives of random expressions.",
    "ibp": "What integration by parts makes of known integrals of random expressions.",
}


def problem_of(pair: Pair, method: str, seed: int, index: int, settings: Settings) -> Problem:
    """A pair as a problem; its metadata holds the prefix forms that sequence models see."""
    shown: dict[str, JSON] = {"integrand": to_latex(pair.integrand_tree), "variable": "x"}
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
        "draw": pair.turn,
    }
    if pair.coverage is not None and pair.coverage < 1:
        metadata["coverage"] = pair.coverage
    return Problem(
        id=f"{name_of(method, settings)}-s{seed}-{index}",
        task="integration",
        benchmark=NAME,
        subset=method,
        inputs=shown,
        target={**shown, "antiderivative": to_latex(pair.antiderivative_tree)},
        metadata=metadata,
    )


def name_of(method: str, settings: Settings) -> str:
    """The method with what is not default, as in ``bwd-published`` or ``bwd-o20``."""
    usual = Settings()
    parts = [method]
    if settings.recipe != usual.recipe:
        parts.append(settings.recipe)
    if settings.operators is not None:
        parts.append(f"o{settings.operators}")
    elif settings.max_operators != usual.max_operators:
        parts.append(f"m{settings.max_operators}")
    if settings.max_length != usual.max_length:
        parts.append(f"l{settings.max_length}")
    return "-".join(parts)


def random_integrals(
    method: str, seed: int, number: int, settings: Settings | None = None, *, workers: int = 1
) -> Iterator[Problem]:
    """The first so many distinct problems of a seed, the same for any number of workers."""
    chosen = settings or Settings()
    for index, pair in distinct(method, seed, number, chosen, workers=workers):
        yield problem_of(pair, method, seed, index, chosen)


def _make(method: str, seed: int, index: int) -> Problem:
    settings = Settings()
    return problem_of(pair_at(method, seed, index, settings), method, seed, index, settings)


def _recorded() -> int:
    return ledger().shipped("fwd")


def _declare(method: str) -> None:
    make = partial(_make, method)
    make.__doc__ = _SUMMARIES[method]
    benchmark(
        f"{NAME}/{method}", source=SOURCE, size=_recorded if method == "fwd" else SIZE, endless=True
    )(make)


for _method in METHODS:
    _declare(_method)
