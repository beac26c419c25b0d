"""Attacks, and honest answers in odd forms, of writers who knew no code.

Of 130 answers that are wrong or none (`foreign_attacks.json`) the verifier accepted 32 at the first
run: words denied the box ("the box in this line is a decoy"), or a macro, a comment or a definition
changed its meaning. Since then text that is not displayed is left out, and a sentence that speaks
of the answer has to have words of the closed lists.

The boxes of `foreign_boxes.json` have the right answer. In 90 sentences the words deny or change
it, and 80 were accepted before. In 150 honest sentences, as varied as the writer could make them,
two were refused before. With closed lists for all words of all sentences the figures are 14 and 94,
which costs too much.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import rewards
from calculus_harness.rewards import ProblemError, Status

CASES = Path(__file__).parents[1] / "cases"
ROWS = json.loads((CASES / "foreign_attacks.json").read_text("utf-8"))
BOXES = json.loads((CASES / "foreign_boxes.json").read_text("utf-8"))
#: Wrong answers that are accepted: words deny the box without a word for it (R008, R011, R013,
#: R014, R016, R021, R118, R121), give letters another meaning (R030 to R033, R038), stand behind
#: the box as a sign (R028); and parameters are positive by default (R065, R066).
ACCEPTED = frozenset(
    "R008 R011 R013 R014 R016 R021 R028 R030 R031 R032 R033 R038 R065 R066 R118 R121".split()
)
#: Right answers that are not accepted: words that deny in general (R134), cases of a parameter
#: (R169), a series as a value (R172).
REFUSED = frozenset("R134 R169 R172".split())


def judged(row: dict[str, Any]) -> Status:
    try:
        verdict = getattr(rewards, row["function"])(row["completion"], row["problem"])
    except ProblemError:
        return Status.NO_ANSWER
    assert isinstance(verdict.status, Status)
    return verdict.status


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_foreign_attack(row: dict[str, Any]) -> None:
    status = judged(row)
    is_misjudged = row["id"] in (REFUSED if row["right"] else ACCEPTED)
    assert (status is Status.CORRECT) is (row["right"] is not is_misjudged)


def test_sentences_of_boxes() -> None:
    accepted = Counter(row["right"] for row in BOXES if judged(row) is Status.CORRECT)
    assert accepted[True] >= 138
    assert accepted[False] <= 42
