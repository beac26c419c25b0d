r"""Solutions in the styles of chat models and of textbooks, written before they were tried.

``model_styles.txt`` has integrals, by an author who knew the reader. ``mixed_styles.txt`` has all
kinds of questions, by an author who did not. Each problem stands behind ``===``;
``@@right~wrong@@`` is a place for a slip.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from calculus_harness.rewards import Judgement, verify_solution
from calculus_harness.rewards.verdict import Status

CASES = Path(__file__).parents[2] / "cases"
SLIP = re.compile(r"@@(.*?)~(.*?)@@", re.DOTALL)


def solutions(name: str) -> list[tuple[str, str]]:
    """The problems of a file, each with a solution."""
    sections = (CASES / f"{name}.txt").read_text("utf-8").split("=== ")[1:]
    parts = [section.partition("\n") for section in sections]
    return [(problem, marked) for problem, _, marked in parts]


def planted(marked: str) -> list[tuple[str, int]]:
    """A text with a single slip, for each slip, with the slip's place."""
    texts = []
    for chosen in SLIP.finditer(marked):
        front = SLIP.sub(r"\1", marked[: chosen.start()])
        texts.append((front + chosen[2] + SLIP.sub(r"\1", marked[chosen.end() :]), len(front)))
    return texts


@pytest.mark.parametrize(("name", "unread"), [("model_styles", 0), ("mixed_styles", 1)])
def test_right_texts_are_right(name: str, unread: int) -> None:
    """Of one text the answer is not found: "let me double-check" stands before it."""
    unchecked = claims = refused = 0
    for problem, marked in solutions(name):
        solution = verify_solution(SLIP.sub(r"\1", marked), problem)
        refused += solution.verdict.status is not Status.CORRECT
        assert solution.first_wrong is None, problem
        claims += len(solution.claims)
        unchecked += sum(claim.judgement is Judgement.UNCHECKED for claim in solution.claims)
    assert refused <= unread
    assert unchecked < 0.03 * claims


@pytest.mark.parametrize(("name", "without"), [("model_styles", 1), ("mixed_styles", 3)])
def test_slips_are_found_where_they_are(name: str, without: int) -> None:
    """Of four slips that are not named two have no effect: a factor sin pi, the sign of a limit 0.

    "Oops" takes one back, and a value of k solves an equation that the text does not state.
    """
    missed = []
    for problem, marked in solutions(name):
        for text, slip in planted(marked):
            solution = verify_solution(text, problem)
            wrong = solution.first_wrong
            claim = solution.claims[wrong] if wrong is not None else None
            if claim is None or not claim.start <= slip <= claim.end:
                missed.append((problem, text[slip - 20 : slip + 20]))
    assert len(missed) <= without, missed
