r"""Equations that look right to floats, or at the usual sample points: `step_traps.txt`.

A case begins with ``=== want | problem``. The claims in question stand between ``<<`` and ``>>``.
They are ``not right`` (numbers that agree to many digits, equality on a part of the line, letters
that are defined to suit), or ``not wrong``. A text with ``no gain`` has right steps that settle
nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from calculus_harness.rewards import Judgement, verify_solution

TEXT = (Path(__file__).parents[3] / "cases" / "step_traps.txt").read_text("utf-8")
MARK = re.compile(r"<<(.*?)>>", re.DOTALL)
CASES = [
    (want, problem, text)
    for section in TEXT.split("=== ")[1:]
    for head, _, text in [section.partition("\n")]
    for want, _, problem in [head.partition(" | ")]
]


@pytest.mark.parametrize(("want", "problem", "marked"), CASES)
def test_traps(want: str, problem: str, marked: str) -> None:
    solution = verify_solution(MARK.sub(r"\1", marked), problem)
    if want == "no gain":
        assert solution.progress == 0
        return
    spans = [
        (mark.start() - 4 * before, mark.end() - 4 * (before + 1))
        for before, mark in enumerate(MARK.finditer(marked))
    ]
    judged = [
        claim.judgement
        for claim in solution.claims
        if claim.kind != "final" and any(start <= claim.start < end for start, end in spans)
    ]
    assert judged
    assert (Judgement.CORRECT if want == "not right" else Judgement.INCORRECT) not in judged
