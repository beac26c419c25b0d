r"""Solutions in the styles of chat models, written before anything was mended on them.

Each problem stands behind ``===``; ``@@right~wrong@@`` is a place for a slip.
"""

from __future__ import annotations

import re
from pathlib import Path

from calculus_harness.rewards import Judgement, verify_solution
from calculus_harness.rewards.verdict import Status

TEXT = (Path(__file__).parents[2] / "cases" / "model_styles.txt").read_text("utf-8")
SOLUTIONS = [solution.partition("\n") for solution in TEXT.split("=== ")[1:]]
SLIP = re.compile(r"@@(.*?)~(.*?)@@", re.DOTALL)


def planted(marked: str) -> list[tuple[str, int]]:
    """A text with a single slip, for each slip, with the slip's place."""
    texts = []
    for chosen in SLIP.finditer(marked):
        front = SLIP.sub(r"\1", marked[: chosen.start()])
        texts.append((front + chosen[2] + SLIP.sub(r"\1", marked[chosen.end() :]), len(front)))
    return texts


def test_right_texts_are_right() -> None:
    unchecked = claims = 0
    for problem, _, marked in SOLUTIONS:
        solution = verify_solution(SLIP.sub(r"\1", marked), problem)
        assert solution.verdict.status is Status.CORRECT, problem
        assert solution.first_wrong is None, problem
        claims += len(solution.claims)
        unchecked += sum(claim.judgement is Judgement.UNCHECKED for claim in solution.claims)
    assert unchecked < 0.02 * claims


def test_slips_are_found_where_they_are() -> None:
    """Of 83 slips, a slip has no effect: the changed factor is multiplied by sin pi."""
    missed = []
    for problem, _, marked in SOLUTIONS:
        for text, slip in planted(marked):
            solution = verify_solution(text, problem)
            wrong = solution.first_wrong
            claim = solution.claims[wrong] if wrong is not None else None
            if claim is None or not claim.start <= slip <= claim.end:
                missed.append((problem, text[slip - 20 : slip + 20]))
    assert len(missed) <= 1, missed
