"""Proven pairs of integrand and antiderivative, addressed by (method, seed, index).

Each address has a separate sequence of attempts. The result is the first pair that passes the
filters and has the verifier's proof where the integrand is real. The result depends only on the
address and the settings, not on the number of workers.
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

#: The largest number of attempts at a pair. One attempt in three to six succeeds, for IBP one in
#: ten.
MAX_ATTEMPTS = 2000
#: The released code's time limit for an attempt in seconds, converted to function calls.
LIMITS = {"fwd": 3, "bwd": 5, "ibp": 8}
#: The limit of the recipe ``own``, within which SymPy finds most of its integrals.
OWN_LIMIT = 1
#: The number of draws of F and G for a table of known integrals.
KNOWN_INTEGRALS_DRAWS = 800
#: Flags of a proof at points where f, or a subterm, is not real.
_UNREAL = frozenset(("complex_disc", "complex_parts"))


class IntegralPair(Struct, frozen=True, rename={"attempt_number": "turn"}):
    """A proven integral in prefix tokens.

    Attributes:
        integrand: the tokens of the integrand.
        antiderivative: the tokens of the antiderivative.
        operators: the number of drawn operators.
        attempt_number: the number of the successful attempt.
        simplified: whether the integrand was simplified.
        coverage: the share of the real domain on which the proof holds without a change of branch;
            None if not measured.

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
        """A JSON-serialisable dictionary, for `from_row`.

        Returns:
            The row.

        """
        return {**plain(self), **{side: " ".join(getattr(self, side)) for side in _SIDES}}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> IntegralPair:
        """Make a pair of a `to_row` dictionary.

        Args:
            row: a result of `to_row`.

        Returns:
            The pair.

        Raises:
            UserError: a field is missing or of a wrong type.

        """
        return convert({**row, **{side: row[side].split() for side in _SIDES}}, cls)


_SIDES = ("integrand", "antiderivative")


def needs_sympy(method: str, settings: GeneratorSettings) -> bool:
    """Whether attempts call SymPy, and so run in killable workers."""
    return method == "fwd" or settings.recipe == "published"


def make(method: str, seed: int, index: int, settings: GeneratorSettings) -> IntegralPair:
    """The pair at an address.

    Raises:
        UnusableFormulaError: no attempt succeeds.

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
    """An attempt: a pair, or the reason of failure. Deterministic in the arguments.

    For determinism, attempts that call SymPy need a fresh process with a fixed hash seed; see
    `isolation`.

    Raises:
        ValueError: the method is unknown.

    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; {suggest(method, METHODS)}")
    # Both recipes use the same random numbers.
    rng = HashedRandom("lample_charton", method, seed, index, number)
    try:
        table = known_integrals(seed, settings.grammar) if method == "ibp" else KnownIntegrals()
        if needs_sympy(method, settings):
            seconds = OWN_LIMIT if settings.recipe == "own" else LIMITS[method]
            limit = seconds * CALLS_PER_SECOND
            unproven = call_limited(limit, _generate, method, rng, settings, table)
        else:
            unproven = _generate(method, rng, settings, table)
        return proven(unproven, number)
    except CallLimitError:
        return "took too long"
    except (UnusableFormulaError, RecursionError) as error:
        return str(error)


def _generate(
    method: str, rng: HashedRandom, settings: GeneratorSettings, table: KnownIntegrals
) -> UnprovenPair:
    if method == "ibp":
        return by_parts(_backend(settings), rng, settings, table)
    return GENERATORS[method](_backend(settings), rng, settings)


def _backend(settings: GeneratorSettings) -> Backend:
    return OwnBackend() if settings.recipe == "own" else SympyBackend()


def proven(unproven: UnprovenPair, attempt_number: int) -> IntegralPair:
    """The pair, if proved by the verifier; else raises `UnusableFormulaError`."""
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

    Both recipes use our algebra for the table: SymPy would need an hour.
    """
    table, settings = KnownIntegrals(), GeneratorSettings(grammar=grammar)
    for number in range(KNOWN_INTEGRALS_DRAWS):
        rng = HashedRandom("lample_charton", "store", seed, number)
        backend = OwnBackend()
        try:
            factors = draw_parts(backend, rng, settings)
            for f, big_f in factors.integrals:
                table.add(backend, f, big_f)
            h, big_h = integrate_by_parts(backend, table, factors)
            table.add(backend, backend.simplify(h, 1), backend.simplify(big_h, 1))
        except (UnusableFormulaError, RecursionError):
            continue
    return table
