"""Proven pairs of integrand and antiderivative, addressed by (method, seed, index).

Each address has its own sequence of attempts. The first pair that passes the filters, and that the
verifier proves where the integrand is real, is the result. It depends only on the address and the
settings, so any number of workers makes the same pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from ...rewards import ProblemError
from ...rewards.errors import suggest
from ...rewards.numeric.ball_arithmetic.balls import UnusableError
from ...rewards.numeric.outcome import DecisionPolicy
from ...rewards.numeric.sampling.integrand import Integrand
from ...rewards.reading.expression.tree import Expression
from ...rewards.records import convert, plain
from ...rewards.verdict import Status
from ...rewards.verify.decision.decide import decide
from ..algebra.normal_form import UnusableFormulaError, readable
from ..hashed_random import HashedRandom
from .algebra.backends import CALLS_PER_SECOND, Backend, OwnBackend, SympyBackend
from .algebra.work_limit import CallLimitError, call_limited
from .codec.prefix import Tokens, from_prefix
from .generators import (
    GENERATORS,
    METHODS,
    GeneratorSettings,
    UnprovenPair,
    by_parts,
    draw_parts,
    integrate_by_parts,
)
from .known_integrals import KnownIntegrals

#: Attempts at one pair before it is given up. One in three to six succeeds, of IBP one in ten.
MAX_ATTEMPTS = 2000
#: The released code's time limit for an attempt in seconds, which are counted as function calls.
LIMITS = {"fwd": 3, "bwd": 5, "ibp": 8}
#: The limit of the recipe ``own``: SymPy integrates most of what it can within it.
OWN_LIMIT = 1
#: Draws of F and G from which a table of known integrals is made.
KNOWN_INTEGRALS_DRAWS = 800
#: Flags of a proof at points where f, or a part of it, is not real.
_UNREAL = frozenset(("complex_disc", "complex_parts"))


class IntegralPair(Struct, frozen=True, rename={"attempt_number": "turn"}):
    """A proven integral in prefix tokens.

    Attributes:
        integrand: the tokens of the integrand.
        antiderivative: the tokens of the antiderivative.
        operators: how many operators were drawn.
        attempt_number: the number of the attempt that gave it.
        simplified: whether the integrand was simplified.
        coverage: the share of the real domain on which the proof holds without a change of branch;
            None if it was not measured.

    >>> pair = IntegralPair(("mul", "INT+", "2", "x"), ("pow", "x", "INT+", "2"), 1, 0)
    >>> pair.coverage is None
    True

    """

    integrand: Tokens
    antiderivative: Tokens
    operators: int
    attempt_number: int
    simplified: bool = False
    coverage: float | None = None

    @property
    def integrand_tree(self) -> Expression:
        return readable(from_prefix(self.integrand))

    @property
    def antiderivative_tree(self) -> Expression:
        return readable(from_prefix(self.antiderivative))

    def to_row(self) -> dict[str, Any]:
        """A JSON-serialisable dictionary, which `from_row` reads.

        Returns:
            The row.

        """
        return {**plain(self), **{side: " ".join(getattr(self, side)) for side in _SIDES}}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> IntegralPair:
        """Make a pair of a `to_row` dictionary.

        Args:
            row: as `to_row` returns it.

        Returns:
            The pair.

        Raises:
            UserError: a field is missing or of a wrong type.

        """
        return convert({**row, **{side: row[side].split() for side in _SIDES}}, cls)


_SIDES = ("integrand", "antiderivative")


def needs_sympy(method: str, settings: GeneratorSettings) -> bool:
    """Whether attempts call SymPy. These are run in workers, which can be killed."""
    return method == "fwd" or settings.recipe == "published"


def make(method: str, seed: int, index: int, settings: GeneratorSettings) -> IntegralPair:
    """The pair at one address.

    Raises:
        UnusableFormulaError: if no attempt succeeds.

    """
    for number in range(MAX_ATTEMPTS):
        pair = attempt(method, seed, index, number, settings)
        if isinstance(pair, IntegralPair):
            return pair
    raise UnusableFormulaError(
        f"no {method} pair {index} with seed {seed} in {MAX_ATTEMPTS} attempts"
    )


def attempt(
    method: str, seed: int, index: int, number: int, settings: GeneratorSettings
) -> IntegralPair | str:
    """One attempt: a pair, or the reason why there is none. The same for the same arguments.

    Attempts that call SymPy need a fresh process with a fixed hash seed for that; see `isolation`.

    Raises:
        ValueError: if there is no such method.

    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; {suggest(method, METHODS)}")
    # Both recipes use the same random numbers.
    rng = HashedRandom("lample_charton", method, seed, index, number)
    try:
        known = known_integrals(seed, settings.grammar) if method == "ibp" else KnownIntegrals()
        if needs_sympy(method, settings):
            seconds = OWN_LIMIT if settings.recipe == "own" else LIMITS[method]
            limit = seconds * CALLS_PER_SECOND
            unproven = call_limited(limit, _generate, method, rng, settings, known)
        else:
            unproven = _generate(method, rng, settings, known)
        return proven(unproven, number)
    except CallLimitError:
        return "took too long"
    except (UnusableFormulaError, RecursionError) as error:
        return str(error)


def _generate(
    method: str, rng: HashedRandom, settings: GeneratorSettings, known: KnownIntegrals
) -> UnprovenPair:
    if method == "ibp":
        return by_parts(_backend(settings), rng, settings, known)
    return GENERATORS[method](_backend(settings), rng, settings)


def _backend(settings: GeneratorSettings) -> Backend:
    return OwnBackend() if settings.recipe == "own" else SympyBackend()


def proven(unproven: UnprovenPair, attempt_number: int) -> IntegralPair:
    """The pair, if the verifier proves it; `UnusableFormulaError` if not."""
    sides = unproven.integrand, unproven.antiderivative
    f, big_f = (readable(from_prefix(tokens)) for tokens in sides)
    key = " ".join(unproven.integrand)
    try:
        outcome = decide(big_f, Integrand(f, "x", {}, key), DecisionPolicy(), key)
    except (UnusableError, ProblemError) as error:
        raise UnusableFormulaError(f"not proven: {error}") from None
    if outcome.status is not Status.CORRECT:
        raise UnusableFormulaError(f"not proven: {outcome.status}")
    if _UNREAL.intersection(outcome.flags):
        raise UnusableFormulaError("real nowhere")
    return IntegralPair(
        unproven.integrand,
        unproven.antiderivative,
        unproven.operators,
        attempt_number,
        unproven.simplified,
        outcome.coverage,
    )


@lru_cache(maxsize=4)
def known_integrals(seed: int, grammar: str = "published") -> KnownIntegrals:
    """The table of known integrals for IBP, made from random numbers of the seed.

    Both recipes use this package's algebra for it: SymPy would need an hour.
    """
    known, settings = KnownIntegrals(), GeneratorSettings(grammar=grammar)
    for number in range(KNOWN_INTEGRALS_DRAWS):
        rng = HashedRandom("lample_charton", "store", seed, number)
        backend = OwnBackend()
        try:
            parts = draw_parts(backend, rng, settings)
            for f, big_f in parts.integrals:
                known.add(backend, f, big_f)
            h, big_h = integrate_by_parts(backend, known, parts)
            known.add(backend, backend.simplify(h, 1), backend.simplify(big_h, 1))
        except (UnusableFormulaError, RecursionError):
            continue
    return known
