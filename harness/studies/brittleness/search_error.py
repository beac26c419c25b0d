"""Search errors and model errors (Welleck et al., section 6).

A failure is a search error if a correct solution is likelier under the model than all candidates: a
better search would have found the solution. A failure is a model error if a wrong candidate is
likelier. The probability of a text is exp of the sum of the tokens' log-probabilities (teacher
forcing, end token included), unlike the scores of a beam search, which are divided by length.

A reference is one way to write a correct solution, and a likelier way may exist: the number of
model errors is an upper bound. `teacher_forcing` computes the log-probabilities with a model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...stats.metrics.fail_at_k import fail_at_k


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """The candidate at a rank; ``logprob`` is in nats, or None if unknown."""

    text: str
    correct: bool
    logprob: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A problem's candidates, best first, and the log-probability of a correct solution."""

    problem: str
    candidates: tuple[RankedCandidate, ...]
    reference: float | None = None

    def fails(self, k: int) -> bool:
        """Whether none of the first k candidates is correct."""
        return bool(fail_at_k([candidate.correct for candidate in self.candidates], k))

    @property
    def first_correct(self) -> int | None:
        """The rank of the first correct candidate, from 1; None without a correct candidate."""
        ranks = (rank for rank, c in enumerate(self.candidates, 1) if c.correct)
        return next(ranks, None)


# --- Table 13 ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Failures at k that a perfect search would leave unresolved.

    ``scored`` counts the failures whose reference and last candidate have log-probabilities.
    """

    k: int
    failures: int
    scored: int
    unresolved: int

    @property
    def share(self) -> float | None:
        return self.unresolved / self.scored if self.scored else None


def unresolved_at_k(problems: Iterable[Ranked], k: int) -> Unresolved:
    """Failures at k whose reference is less likely than the last of the k candidates: Table 13.

    If there are fewer than k candidates, the reference is compared with the last of them.
    """
    failures = scored = unresolved = 0
    for problem in problems:
        if not problem.candidates or not problem.fails(k):
            continue
        failures += 1
        last_logprob = problem.candidates[:k][-1].logprob
        if last_logprob is not None and problem.reference is not None:
            scored += 1
            unresolved += problem.reference < last_logprob
    return Unresolved(k, failures, scored, unresolved)


# --- Table 12 ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mass:
    """Mean probabilities over problems: of the first candidate (p@1), of the k-th (p@k), and of the
    k together (p@{1..k}). ``problems`` were counted, ``left_out`` had fewer than k candidates or
    some of unknown probability.
    """

    k: int
    problems: int
    left_out: int
    first: float | None
    last: float | None
    total: float | None


def mass(problems: Iterable[Ranked], k: int) -> Mass:
    """`Mass` at k. Repeated texts, as in a sampled list, count once in the sum."""
    top, kth, total, left_out = [], [], [], 0
    for problem in problems:
        best = problem.candidates[:k]
        logprobs = {c.text: c.logprob for c in best if c.logprob is not None}
        if len(best) < k or any(c.text not in logprobs for c in best):
            left_out += 1
            continue
        probabilities = {text: math.exp(logprob) for text, logprob in logprobs.items()}
        top.append(probabilities[best[0].text])
        kth.append(probabilities[best[-1].text])
        total.append(math.fsum(probabilities.values()))
    return Mass(k, len(top), left_out, *map(_mean, (top, kth, total)))


def mass_by_outcome(problems: Sequence[Ranked], k: int) -> dict[bool, Mass]:
    """`Mass` of problems that fail at k (True) and that succeed (False): Table 12."""
    return {
        failed: mass([problem for problem in problems if problem.fails(k) is failed], k)
        for failed in (True, False)
    }


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


# --- ranks and causes of failures --------------------------------------------------------------


def first_correct_ranks(problems: Iterable[Ranked]) -> dict[int, int]:
    """The number of problems by the rank of the first correct candidate, from 1: Figure 6."""
    ranks = Counter(problem.first_correct for problem in problems)
    return {rank: ranks[rank] for rank in sorted(rank for rank in ranks if rank is not None)}


@dataclass(frozen=True, slots=True)
class FailureCauses:
    """The failures at k by cause; ``unknown`` lack a log-probability."""

    k: int
    search: int
    model: int
    unknown: int


def failure_causes(problems: Iterable[Ranked], k: int) -> FailureCauses:
    """A search error: the reference is likelier than every one of the k candidates."""
    counts: Counter[str] = Counter()
    for problem in problems:
        if not problem.fails(k):
            continue
        logprobs = [c.logprob for c in problem.candidates[:k] if c.logprob is not None]
        if problem.reference is None or len(logprobs) < min(k, len(problem.candidates)):
            counts["unknown"] += 1
        else:
            likelier = all(problem.reference > logprob for logprob in logprobs)
            counts["search" if likelier else "model"] += 1
    return FailureCauses(k, counts["search"], counts["model"], counts["unknown"])


def top_and_correct(problems: Iterable[Ranked]) -> list[tuple[float, float]]:
    """The probabilities of the top candidate and of the first correct candidate: Figure 4.

    Includes the problems whose first correct candidate is below the top, with both probabilities
    known.
    """
    pairs = []
    for problem in problems:
        rank = problem.first_correct
        if rank is None or rank == 1:
            continue
        top, correct = problem.candidates[0].logprob, problem.candidates[rank - 1].logprob
        if top is not None and correct is not None:
            pairs.append((math.exp(top), math.exp(correct)))
    return pairs


def by_likelihood(candidates: Sequence[RankedCandidate]) -> tuple[RankedCandidate, ...]:
    """Sampled candidates as a ranked list: likeliest first, duplicates kept, ties as drawn.

    If any probability is unknown, the order of drawing is kept.
    """
    if any(candidate.logprob is None for candidate in candidates):
        return tuple(candidates)
    return tuple(sorted(candidates, key=lambda c: -(c.logprob or 0.0)))
