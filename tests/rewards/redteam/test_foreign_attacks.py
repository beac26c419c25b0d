"""Attacks, and honest answers in odd forms, of a writer who knew no code (`foreign_attacks.json`).

Of 130 answers that are wrong or none, the verifier accepted 32 at the first run: words denied the
box ("the box in this line is a decoy"), or a macro, a comment or a definition changed its meaning.
Since then the words of a box's sentence have to be in the closed lists of words, and text that is
not displayed is left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import rewards
from calculus_harness.rewards import ProblemError, Status

ROWS = json.loads((Path(__file__).parents[1] / "cases" / "foreign_attacks.json").read_text("utf-8"))
#: Wrong answers that are accepted: other sentences give letters another meaning (R030, R031, R038),
#: "if the question were .." (R013), a per cent sign behind the box (R028), and parameters that are
#: positive by default (R065, R066).
ACCEPTED = frozenset("R013 R028 R030 R031 R038 R065 R066".split())
#: Right answers that are not accepted. The words of their sentences are in no list (R137, R138), or
#: deny in general (R134); cases of a parameter (R169) and a series as a value (R172) are not read.
REFUSED = frozenset("R134 R137 R138 R169 R172".split())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_foreign_attack(row: dict[str, Any]) -> None:
    try:
        status = getattr(rewards, row["function"])(row["completion"], row["problem"]).status
    except ProblemError:
        status = Status.NO_ANSWER
    is_misjudged = row["id"] in (REFUSED if row["right"] else ACCEPTED)
    assert (status is Status.CORRECT) is (row["right"] is not is_misjudged)
