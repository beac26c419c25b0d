"""Measurements of the verifier of steps on the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from calculus_harness.rewards.verify.solution_steps import Judgement, Solution, verify_solution

from .corpus import Labelled

#: Characters of punctuation between the end of a claim and of what was planted.
SLACK = 3


@dataclass
class Measured:
    """Counts over a corpus."""

    planted: int = 0
    found: int = 0
    kinds: int = 0
    claims: int = 0
    alarms: int = 0
    displayed: int = 0
    judged: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    missed: list[tuple[Labelled, Solution]] = field(default_factory=list)
    false: list[tuple[Labelled, Solution]] = field(default_factory=list)


def finds(solution: Solution, start: int, end: int) -> bool:
    """Whether the first wrong claim ends in a given place."""
    if solution.first_wrong is None:
        return False
    claim = solution.claims[solution.first_wrong]
    return abs(claim.end - end) <= SLACK and claim.start <= max(start, claim.end)


def measure(solutions: Iterable[Labelled]) -> Measured:
    """Verify every solution, and compare with the label."""
    measured = Measured()
    for labelled in solutions:
        solution = verify_solution(labelled.text, labelled.integrand)
        measured.outcomes[labelled.label, solution.outcome] += 1
        claims: Sequence[object] = solution.claims
        displayed = [claim for claim in solution.claims if claim.displayed]
        measured.displayed += len(displayed)
        measured.judged += sum(claim.judgement is not Judgement.UNCHECKED for claim in displayed)
        # Right solutions measure false alarms, wrong solutions measure found errors.
        if labelled.label == "right":
            wrong = sum(claim.judgement is Judgement.INCORRECT for claim in solution.claims)
            measured.claims += len(claims)
            measured.alarms += wrong
            if wrong:
                measured.false.append((labelled, solution))
            continue
        measured.planted += 1
        if finds(solution, labelled.start, labelled.end):
            measured.found += 1
            assert solution.first_wrong is not None
            measured.kinds += solution.claims[solution.first_wrong].kind == labelled.kind
        else:
            measured.missed.append((labelled, solution))
    return measured
