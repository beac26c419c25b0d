"""The labelled corpus: the share of found planted errors, and of false alarms."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from calculus_harness.rewards import Judgement, verify_antiderivative, verify_solution
from tests.rewards.verify.solution_steps.corpus import SIZE, VOICES, corpus
from tests.rewards.verify.solution_steps.measure import measure
from tests.rewards.verify.solution_steps.templates import TEMPLATES

RESPONSES = Path(__file__).parents[2] / "cases" / "responses.json"
#: Right answers beside statements that are wrong indeed: a first try, a rule quoted wrongly.
WRONG_INDEED = {663, 1440, 1509, 1521, 1523, 1596}


def test_the_corpus_is_labelled_rightly() -> None:
    rows = list(islice(corpus(), 0, SIZE, 7))
    assert {row.label for row in rows} == {"right", "lucky", "last", "carried"}
    for row in rows:
        answer = verify_antiderivative(row.text, row.integrand)
        assert answer.correct == (row.label in ("right", "lucky")), row


def test_the_corpus_is_the_same_for_the_same_seed() -> None:
    assert list(corpus(30)) == list(corpus(30))
    assert list(corpus(30)) != list(corpus(30, seed=1))


def test_a_part_of_the_corpus() -> None:
    assert SIZE >= 300
    measured = measure(islice(corpus(), 0, SIZE, 4))
    assert measured.found / measured.planted >= 0.9
    assert measured.alarms <= 0.01 * measured.claims
    assert measured.judged / measured.displayed >= 0.7


@pytest.mark.slow
@pytest.mark.parametrize("seed", [22, 1, 2])
def test_the_corpus(seed: int) -> None:
    measured = measure(corpus(1000, seed))
    assert {row.voice for row in corpus(50)} == {voice.__name__ for voice in VOICES}
    assert len(TEMPLATES) >= 15
    assert measured.found / measured.planted >= 0.97
    assert measured.alarms == 0
    assert measured.judged / measured.displayed >= 0.95


def test_responses_that_were_not_written_for_this() -> None:
    """Models' right answers: no right step is called wrong."""
    claims = unchecked = 0
    for number, row in enumerate(json.loads(RESPONSES.read_text("utf-8")), 1):
        if row["label"] != "right" or number % 8:
            continue
        solution = verify_solution(row["response"], row["integrand"])
        wrong = [claim for claim in solution.claims if claim.failed]
        assert bool(wrong) == (number in WRONG_INDEED), row
        claims += len(solution.claims)
        unchecked += sum(claim.judgement is Judgement.UNCHECKED for claim in solution.claims)
    assert unchecked < 0.1 * claims
