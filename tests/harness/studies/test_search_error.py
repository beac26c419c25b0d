"""Search error or model error: each number worked out by hand, and invariants."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.harness.stats.metrics.fail_at_k import fail_at_k
from calculus_harness.harness.studies.brittleness.search_error import (
    FailureCauses,
    Ranked,
    RankedCandidate,
    by_likelihood,
    failure_causes,
    first_correct_ranks,
    mass,
    mass_by_outcome,
    top_and_correct,
    unresolved_at_k,
)


def ranked(candidates: str, logprobs: list[float | None], reference: float | None = None) -> Ranked:
    """``candidates`` has a letter for each: capitals are correct, the same letter the same text."""
    pairs = zip(candidates, logprobs, strict=True)
    return Ranked("p", tuple(RankedCandidate(c, c.isupper(), p) for c, p in pairs), reference)


ln = math.log


def test_the_rank_of_the_first_correct_candidate() -> None:
    problems = [
        ranked("abCd", [None] * 4),
        ranked("A", [None]),
        ranked("abCD", [None] * 4),
        ranked("ab", [None] * 2),
        ranked("", []),
    ]
    assert [problem.first_correct for problem in problems] == [3, 1, 3, None, None]
    assert first_correct_ranks(problems) == {1: 1, 3: 2}
    assert [problem.fails(2) for problem in problems] == [True, False, True, True, True]


def test_unresolved_compares_the_reference_with_the_last_candidate() -> None:
    problems = [
        ranked("abc", [-1.0, -2.0, -3.0], -2.5),  # below the top, above the third
        ranked("abc", [-1.0, -2.0, -3.0], -4.0),  # below all
        ranked("abc", [-1.0, -2.0, -3.0], -0.5),  # above all
        ranked("aBc", [-1.0, -2.0, -3.0], -2.0),  # a failure at 1 only
        ranked("A", [-1.0], -1.0),  # none
        ranked("ab", [-1.0, None], -3.0),  # not known at 2
        ranked("ab", [-1.0, -2.0], None),  # no reference
    ]
    single, triple = unresolved_at_k(problems, 1), unresolved_at_k(problems, 3)
    assert (single.failures, single.scored, single.unresolved) == (6, 5, 4)
    assert single.share == pytest.approx(4 / 5)
    assert (triple.failures, triple.scored, triple.unresolved) == (5, 3, 1)
    assert unresolved_at_k([], 1).share is None


def test_a_reference_as_likely_as_the_last_is_not_below_it() -> None:
    assert unresolved_at_k([ranked("a", [-1.0], -1.0)], 1).unresolved == 0


def test_mass() -> None:
    problems = [
        ranked("abc", [ln(0.5), ln(0.3), ln(0.1)]),
        ranked("Abc", [ln(0.7), ln(0.2), ln(0.1)]),
        ranked("ab", [ln(0.5), ln(0.5)]),  # too few for k = 3
        ranked("abc", [ln(0.5), None, ln(0.1)]),  # not known
    ]
    measured = mass(problems, 3)
    assert (measured.problems, measured.left_out) == (2, 2)
    assert (measured.first, measured.last) == (pytest.approx(0.6), pytest.approx(0.1))
    assert measured.total == pytest.approx((0.9 + 1.0) / 2)
    by_outcome = mass_by_outcome(problems, 3)
    assert by_outcome[True].first == pytest.approx(0.5)
    assert by_outcome[False].total == pytest.approx(1.0)
    assert mass([], 3).first is None


def test_a_duplicate_counts_once_in_the_mass() -> None:
    measured = mass([ranked("aab", [ln(0.6), ln(0.6), ln(0.3)])], 3)
    assert measured.total == pytest.approx(0.9)
    assert measured.last == pytest.approx(0.3)


def test_blame() -> None:
    problems = [
        ranked("ab", [-1.0, -2.0], -0.5),  # likelier than all, and not found: the search
        ranked("ab", [-1.0, -2.0], -1.5),  # the top is likelier: the model
        ranked("ab", [-3.0, -1.0], -2.0),  # so is the second, whatever the search's order
        ranked("ab", [-1.0, None], -0.5),
        ranked("ab", [-1.0, -2.0]),
        ranked("aB", [-1.0, -2.0], -0.5),  # not a failure
    ]
    assert failure_causes(problems, 2) == FailureCauses(search=1, model=2, unknown=2)


def test_top_and_first_correct() -> None:
    problems = [
        ranked("abC", [ln(0.9), ln(0.05), ln(0.01)]),
        ranked("Abc", [0.0, 0.0, 0.0]),
        ranked("ab", [0.0, 0.0]),
        ranked("aB", [ln(0.9), None]),
    ]
    ((top, correct),) = top_and_correct(problems)
    assert (top, correct) == (pytest.approx(0.9), pytest.approx(0.01))


def test_samples_are_ranked_by_likelihood_with_their_duplicates() -> None:
    drawn = ranked("abaC", [-2.0, -1.0, -2.0, -3.0]).candidates
    assert "".join(c.text for c in by_likelihood(drawn)) == "baaC"
    unknown = ranked("ab", [None, -1.0]).candidates
    assert by_likelihood(unknown) == unknown


CANDIDATES = st.lists(
    st.builds(RankedCandidate, st.sampled_from("abcdef"), st.booleans(), st.floats(-20, 0)),
    min_size=1,
    max_size=8,
)
PROBLEMS = st.lists(
    st.builds(Ranked, st.just("p"), CANDIDATES.map(tuple), st.floats(-20, 0)), max_size=8
)


@given(PROBLEMS, st.integers(1, 8))
def test_the_parts_add_up(problems: list[Ranked], k: int) -> None:
    failures = [p for p in problems if fail_at_k([c.correct for c in p.candidates], k)]
    measured, fault = unresolved_at_k(problems, k), failure_causes(problems, k)
    assert measured.failures == len(failures) == fault.search + fault.model + fault.unknown
    assert 0 <= measured.unresolved <= measured.scored <= measured.failures
    # Whose reference beats all of the candidates is no problem that a search would leave.
    assert measured.unresolved <= fault.model
    halves = mass_by_outcome(problems, k)
    assert sum(half.problems + half.left_out for half in halves.values()) == len(problems)
    solved = sum(first_correct_ranks(problems).values())
    assert solved == len(problems) - len([p for p in problems if p.fails(100)])
