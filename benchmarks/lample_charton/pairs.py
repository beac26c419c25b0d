"""Pairs of integrand and antiderivative, addressable by (method, seed, index), each proven.

An index means a stream of attempts of its own; the first that passes the filters, and that the
verifier proves where the integrand is real, is taken. So a pair depends on nothing but its address
and the settings, and any number of workers may make any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from ...rewards import ProblemError
from ...rewards.decision.balls import UnusableError as UnusableAnswerError
from ...rewards.decision.decide import Policy, decide
from ...rewards.decision.integrand import Integrand
from ...rewards.expression.tree import Expression
from ...rewards.verdict import Status
from ..draws import Draws
from ..problem import JSON
from .algebra.backends import CALLS_PER_SECOND, Kit, OwnKit, SympyKit
from .algebra.normal_form import UnusableError
from .algebra.readable import readable
from .algebra.work_limit import OutOfWorkError, bounded
from .codec.prefix import Tokens, from_prefix
from .generators import ATTEMPTS, METHODS, Draft, Settings, by_parts, draw_parts, integrate_by_parts
from .known_integrals import Known

#: Attempts for one pair before it is given up; one in three to six passes, of IBP one in ten.
MAX_TURNS = 2000
#: The released code's time limit of a whole attempt, in seconds (as calls of functions); and ours
#: where SymPy is called, which gives up sooner: what it can integrate, it mostly does at once.
LIMITS = {"fwd": 3, "bwd": 5, "ibp": 8}
OWN_LIMIT = 1
#: Draws of F and G of which an IBP store is made.
STORE_DRAWS = 800
#: How the verifier marks a proof at points where f, or a part of it, is not real.
_UNREAL = frozenset(("complex_disc", "complex_parts"))


@dataclass(frozen=True, slots=True)
class Pair:
    """An integral in prefix tokens, with the turn at which it was taken and what was drawn.

    ``coverage`` is the share of the real domain on which the proof holds without a change of
    branch, None where it was not measured.
    """

    integrand: Tokens
    antiderivative: Tokens
    operators: int
    turn: int
    simplified: bool = False
    coverage: float | None = None

    @property
    def integrand_tree(self) -> Expression:
        return readable(from_prefix(self.integrand))

    @property
    def antiderivative_tree(self) -> Expression:
        return readable(from_prefix(self.antiderivative))

    def to_row(self) -> dict[str, JSON]:
        row: dict[str, JSON] = asdict(self)
        row["integrand"], row["antiderivative"] = map(
            " ".join, (self.integrand, self.antiderivative)
        )
        return row

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Pair:
        values = dict(row)
        for side in ("integrand", "antiderivative"):
            values[side] = tuple(str(values[side]).split())
        return cls(**values)


def needs_sympy(method: str, settings: Settings) -> bool:
    """Whether attempts call SymPy, and so belong in a worker that can be killed."""
    return method == "fwd" or settings.recipe == "published"


def make(method: str, seed: int, index: int, settings: Settings) -> Pair:
    """The pair at one address."""
    for turn in range(MAX_TURNS):
        pair = attempt(method, seed, index, turn, settings)
        if isinstance(pair, Pair):
            return pair
    raise UnusableError(f"no {method} pair {index} with seed {seed} in {MAX_TURNS} turns")


def attempt(method: str, seed: int, index: int, turn: int, settings: Settings) -> Pair | str:
    """One attempt: a pair, or why there is none. The same for the same arguments.

    Where SymPy is called, that is so in a fresh process with a fixed hash seed: see `isolation`.
    """
    if method not in METHODS:
        raise ValueError(f"no method {method!r}; there are {', '.join(METHODS)}")
    # Both recipes take the same draws.
    draws = Draws("lample_charton", method, seed, index, turn)
    try:
        known = store(seed) if method == "ibp" else Known()
        if needs_sympy(method, settings):
            seconds = OWN_LIMIT if settings.recipe == "own" else LIMITS[method]
            limit = seconds * CALLS_PER_SECOND
            draft = bounded(limit, _draft, method, draws, settings, known)
        else:
            draft = _draft(method, draws, settings, known)
        return proven(draft, turn)
    except OutOfWorkError:
        return "took too long"
    except (UnusableError, RecursionError) as error:
        return str(error)


def _draft(method: str, draws: Draws, settings: Settings, known: Known) -> Draft:
    if method == "ibp":
        return by_parts(_kit(settings), draws, settings, known)
    return ATTEMPTS[method](_kit(settings), draws, settings)


def _kit(settings: Settings) -> Kit[Any]:
    return OwnKit() if settings.recipe == "own" else SympyKit()


def proven(draft: Draft, turn: int) -> Pair:
    """The draft as a pair, if the verifier proves it; `UnusableError` if not."""
    f, big_f = (readable(from_prefix(tokens)) for tokens in (draft.integrand, draft.antiderivative))
    key = " ".join(draft.integrand)
    try:
        outcome = decide(big_f, Integrand(f, "x", {}, key), Policy(), key)
    except (UnusableAnswerError, ProblemError) as error:
        raise UnusableError(f"not proven: {error}") from None
    if outcome.status is not Status.CORRECT:
        raise UnusableError(f"not proven: {outcome.status}")
    if _UNREAL.intersection(outcome.flags):
        raise UnusableError("real nowhere")
    return Pair(
        draft.integrand,
        draft.antiderivative,
        draft.operators,
        turn,
        draft.simplified,
        outcome.coverage,
    )


@lru_cache(maxsize=4)
def store(seed: int) -> Known:
    """What integration by parts builds on: a first pass over draws that belong to the seed.

    It is ours in both recipes: SymPy would need an hour for it.
    """
    known, settings = Known(), Settings()
    for turn in range(STORE_DRAWS):
        draws = Draws("lample_charton", "store", seed, turn)
        kit = OwnKit()
        try:
            parts = draw_parts(kit, draws, settings)
            known.add(kit, parts.f, parts.big_f)
            known.add(kit, parts.g, parts.big_g)
            h, big_h = integrate_by_parts(kit, known, parts)
            known.add(kit, kit.simplify(h, 1), kit.simplify(big_h, 1))
        except (UnusableError, RecursionError):
            continue
    return known
