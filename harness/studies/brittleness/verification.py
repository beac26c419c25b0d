"""The time to verify candidates (Table 14 of Welleck et al.), and the effect of a time limit."""

from __future__ import annotations

from collections.abc import Sequence, Set

from ....benchmarks.problem import Problem
from ....rewards.verdict import Status
from ...report.numbers import percent
from ...report.sections import Section
from .answers import KS, NOT_RUN, ModelAnswers, named, of_other_benchmarks, published

#: The paper's limit for a candidate, in seconds, for the worst case.
LIMIT = 1.0


def verification(source: ModelAnswers) -> Section:
    """Make Table 14 of Welleck et al.: the time to verify the sums of powers and roots."""
    keys = set(source.keys(_is_sum))
    counts = [k for k in KS if k <= source.samples]
    ours = _seconds(source, source.policy, keys, counts)
    theirs = _seconds(source, source.scorer, keys, counts) if source.scorer else {}
    rows = []
    for k in KS:
        published_key = ("table 14", "exp sums", str(k))
        rows.append(
            (
                str(k),
                str(len(keys)),
                _hours(ours.get(k)),
                _hours(theirs.get(k)),
                _hours(k * LIMIT * len(keys) if keys else None),
                published()[*published_key, "hours"],
                published()[*published_key, "worst case hours"],
            )
        )
    return Section(
        "Time to verify the sums of powers and roots (Table 14)",
        (
            "candidates",
            "problems",
            "our verifier, hours",
            "their scorer, hours",
            "worst case, hours",
            "paper, hours",
            "paper worst case",
        ),
        tuple(rows),
        (
            "Summed over candidates, stopping at a problem's first correct one; the worst case is "
            "one second for each candidate. The paper's are for 3,000 problems.",
        ),
    )


def cancelled(source: ModelAnswers) -> Section:
    """Count the problems whose time limit ended before a candidate was accepted."""
    groups = {
        "problems to perturb": of_other_benchmarks,
        "f/k": named("over_k"),
        "k*f": named("times_k"),
        "f+exp(x)": named("plus_exp"),
        "f+ln(x)": named("plus_ln"),
        **{f"valid, {terms} terms": named(f"valid_sum{terms}") for terms in (2, 3, 4)},
    }
    ks = sorted({k for k in KS if k <= source.samples} | {max(source.samples, 1)})
    rows = []
    for name, where in groups.items():
        keys = source.keys(where) if source.protocol else []
        ends = [source.endings.get(key) for key in keys]
        counts = [sum(end.cancelled and end.rank < k for end in ends if end) for k in ks]
        cells = [percent(count / len(keys)) if keys else NOT_RUN for count in counts]
        rows.append((name, str(len(keys)), *cells))
    limit = f"{source.limit:g} s" if source.protocol else "10 s"
    covered = "decoding and all candidates" if source.with_decoding else "all candidates"
    return Section(
        f"Validation problems that a limit of {limit} for {covered} cancels",
        ("problem", "problems", *(f"cancelled@{k}" for k in ks)),
        tuple(rows),
        (
            "Percent; needs ranked candidates and `score --method welleck --deadline 10`. The "
            "paper's scorer counts these problems as correct, but for sums at k = 50.",
        ),
    )


def _is_sum(problem: Problem) -> bool:
    """Whether a problem is a sum of powers and roots.

    A single term (``exp_sum1``) does not count as a sum.
    """
    return problem.metadata.get("pool") == "exp" and problem.metadata.get("terms") != 1


def _seconds(
    source: ModelAnswers, policy: str | None, keys: Set[str], counts: Sequence[int]
) -> dict[int, float]:
    """The time in seconds to judge at most n candidates of each problem, over all problems.

    Candidates are judged by rank, until one is correct. The result has a time for each n in
    ``counts``.
    """
    spent: dict[str, dict[int, tuple[float, bool]]] = {}
    for row in source.run.verdicts(policy).rows():
        if row["model"] == source.model and row["problem"] in keys:
            correct = row["status"] == Status.CORRECT
            candidates = spent.setdefault(row["problem"], {})
            candidates[row["sample"]] = row["evidence"]["seconds"], correct
    totals = dict.fromkeys(counts, 0.0) if spent else {}
    for count in totals:
        for candidates in spent.values():
            for rank in range(count):
                seconds, correct = candidates.get(rank, (0.0, False))
                totals[count] += seconds
                if correct:
                    break
    return totals


def _hours(seconds: float | None) -> str:
    if seconds is None:
        return NOT_RUN
    hours = seconds / 3600
    return f"{hours:.3f}" if hours >= 0.001 else f"{hours:.1e}"
