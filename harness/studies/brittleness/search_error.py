"""Search errors and model errors (Welleck et al., section 6).

A problem is a failure at k if its first k candidates are all wrong. A failure is a search error if
a correct solution is more probable under the model than each candidate. A better search would have
found the solution. A failure is a model error if a wrong candidate is more probable than the
correct solution. The log-probability of a text is the sum of the log-probabilities of all tokens,
including the end token. The log-probabilities are computed by teacher forcing: the model reads the
given text and predicts each next token. The scores of a beam search, in contrast, are divided by
the length of the text.

The correct solution is the reference solution of the problem. Another way to write the solution may
be more probable. The number of model errors is therefore an upper bound. `teacher_forcing` computes
the log-probabilities with a model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...stats.metrics.fail_at_k import fail_at_k


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate answer. ``logprob`` is its log-probability in nats, or None if unknown."""

    text: str
    correct: bool
    logprob: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A problem's candidates, best first, and the log-probability of the reference solution.

    The log-probability ``reference`` is None if it is unknown.
    """

    problem: str
    candidates: tuple[RankedCandidate, ...]
    reference: float | None = None

    def fails(self, k: int) -> bool:
        """Whether none of the first k candidates is correct."""
        return bool(fail_at_k([candidate.correct for candidate in self.candidates], k))

    @property
    def first_correct(self) -> int | None:
        """The rank of the best-ranked correct candidate, counted from 1.

        The result is None if no candidate is correct.
        """
        ranks = (rank for rank, c in enumerate(self.candidates, 1) if c.correct)
        return next(ranks, None)


# --- Table 13 ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unresolved:
    """The number of failures that would remain with a perfect beam search.

    A failure is a problem whose first k candidates are all wrong. ``scored`` is the number of
    failures for which both the reference solution and the last of these candidates have a
    log-probability.
    """

    failures: int
    scored: int
    unresolved: int

    @property
    def share(self) -> float | None:
        return self.unresolved / self.scored if self.scored else None


def unresolved_at_k(problems: Iterable[Ranked], k: int) -> Unresolved:
    """Count the failures that would remain with a perfect beam search (Table 13 of Welleck et al.).

    A failure is a problem whose first k candidates are all wrong. A failure would remain if the
    reference solution is less probable than the k-th candidate. If there are fewer than k
    candidates, the reference solution is compared with the last candidate.
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
    return Unresolved(failures, scored, unresolved)


# --- Table 12 ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mass:
    """Mean probabilities of candidates, over several problems.

    p@1 is the mean for the first candidate, p@k for the k-th candidate, and p@{1..k} for the first
    k candidates together. ``problems`` is the number of problems in the means. ``left_out`` is the
    number of problems that are left out. A problem is left out if it has fewer than k candidates.
    It is also left out if one of the first k candidates has an unknown probability.
    """

    problems: int
    left_out: int
    first: float | None
    last: float | None
    total: float | None


def mass(problems: Iterable[Ranked], k: int) -> Mass:
    """Compute the mean probabilities of the first k candidates. In sums, equal texts count once."""
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
    return Mass(len(top), left_out, *map(_mean, (top, kth, total)))


def mass_by_outcome(problems: Sequence[Ranked], k: int) -> dict[bool, Mass]:
    """Compute mean probabilities for failures (key True) and other problems (key False).

    A failure is a problem whose first k candidates are all wrong. Table 12 of Welleck et al. has
    these numbers.
    """
    return {
        failed: mass([problem for problem in problems if problem.fails(k) is failed], k)
        for failed in (True, False)
    }


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


# --- ranks and causes of failures --------------------------------------------------------------


def first_correct_ranks(problems: Iterable[Ranked]) -> dict[int, int]:
    """Count problems by the rank of the best correct candidate (Figure 6 of Welleck et al.).

    Ranks are counted from 1.
    """
    ranks = Counter(problem.first_correct for problem in problems)
    return {rank: ranks[rank] for rank in sorted(rank for rank in ranks if rank is not None)}


@dataclass(frozen=True, slots=True)
class FailureCauses:
    """The number of failures by cause: search errors, model errors, and unknown causes.

    A failure is a problem whose first k candidates are all wrong. The cause is unknown if a
    log-probability is missing.
    """

    search: int
    model: int
    unknown: int


def failure_causes(problems: Iterable[Ranked], k: int) -> FailureCauses:
    """Count the problems whose first k candidates are all wrong, by the cause of the failure.

    The cause is a search error if the reference solution is more probable than each of the k
    candidates. Otherwise the cause is a model error. If a log-probability is missing, the cause is
    unknown.
    """
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
    return FailureCauses(counts["search"], counts["model"], counts["unknown"])


def top_and_correct(problems: Iterable[Ranked]) -> list[tuple[float, float]]:
    """Pair the probabilities of the top candidate and of the best-ranked correct candidate.

    Figure 4 of Welleck et al. shows such pairs. The result has an entry for each problem with a
    wrong top candidate and a correct candidate further down. A problem is left out if one of the
    two probabilities is unknown.
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
    """Rank sampled candidates. The most probable candidate comes first.

    Duplicates are kept. Candidates with equal probabilities keep the order of drawing. If any
    probability is unknown, all candidates keep the order of drawing.
    """
    if any(candidate.logprob is None for candidate in candidates):
        return tuple(candidates)
    return tuple(sorted(candidates, key=lambda c: -(c.logprob or 0.0)))
