"""The search for wrong verdicts: cases are reproducible, labels hold, finds are real and small."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import mpmath
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.algebra.formulas import parse
from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.harness.cli.studies.redteam import redteam
from calculus_harness.harness.studies.redteam import (
    GENERATORS,
    Case,
    Judge,
    Result,
    branches,
    case_at,
    numeric,
    search,
)
from calculus_harness.harness.studies.redteam.case import Formulas
from calculus_harness.harness.studies.redteam.minimise import label_holds, minimise, size
from calculus_harness.rewards import Status, Verdict
from calculus_harness.rewards.reading.expression.build import ZERO
from calculus_harness.rewards.reading.expression.derivative import differentiate
from calculus_harness.rewards.reading.latex import read
from tests.examples import examples

NAMES = sorted(GENERATORS)
#: Generators whose cases are trees, so that mpmath can check their labels.
WITH_TREES = [name for name in NAMES if case_at(name, 0, 0).formulas is not None]


# --- generators -----------------------------------------------------------------------------


@examples(60)
@given(st.sampled_from(NAMES), st.integers(0, 10**9), st.integers(0, 10**6))
def test_a_case_has_an_address(name: str, seed: int, index: int) -> None:
    assert case_at(name, seed, index) == case_at(name, seed, index)


@pytest.mark.parametrize("name", NAMES)
def test_indices_and_seeds_make_different_cases(name: str) -> None:
    by_index = {case_at(name, 0, index).completion for index in range(40)}
    by_seed = {case_at(name, seed, 0).completion for seed in range(40)}
    assert len(by_index) > 8
    assert len(by_seed) > 8


def test_cases_of_today() -> None:
    """A change of the draws would make the seeds of earlier searches worthless."""
    assert case_at("hedge", 0, 0).completion == r"\boxed{x^2\text{ divided by }9}"
    assert case_at("parameter", 0, 0).completion == r"\frac{(9-a)x^2}{2}"


@pytest.mark.parametrize("name", WITH_TREES)
def test_labels_hold(name: str) -> None:
    for index in range(5):
        case = case_at(name, 7, index)
        assert label_holds(case), case


@pytest.mark.parametrize("name", ["bars", "faint_constant", "scale_template", "parameter"])
def test_labels_of_templates_hold(name: str) -> None:
    """Where mpmath has values: right answers are not refuted, and most wrong answers are."""
    refuted = []
    for index in range(12):
        case = case_at(name, 7, index)
        text = case.completion.removesuffix("+C")
        trees = [parse(case.integrand), read(text, symbols=["x", "a", "b", "n"])[0].expression]
        refuted.append(numeric.refuted(trees[0], trees[1], case.assumptions))
    assert sum(refuted) == 0 if case.wanted else sum(refuted) >= 4


def test_a_misplaced_branch_changes_sign_on_one_side_of_that_of_the_integrand() -> None:
    for index in range(16):
        case = case_at("misplaced_branch", 7, index)
        integrand = parse(case.integrand)
        slope = differentiate(parse(case.completion.removeprefix(r"\boxed{").removesuffix("}")))
        signs = []
        for number in range(-1200, 1200, 23):
            at = {"x": Fraction(number, 97) + Fraction(1, 1009)}
            with mpmath.workdps(300), suppress(numeric.NoValueError):
                ours, theirs = numeric.value(slope, at), numeric.value(integrand, at)
                assert mpmath.almosteq(abs(ours), abs(theirs), rel_eps=1e-9)
                signs.append(mpmath.sign(ours * theirs))
        changes = sum(sign != next_sign for sign, next_sign in pairwise(signs))
        assert (changes == 1) is case.wanted, case


@pytest.mark.parametrize(("name", "digits"), [("hidden_step", 6), ("tiny_step", 1000)])
def test_steps_are_constant_but_for_jumps(
    monkeypatch: pytest.MonkeyPatch, name: str, digits: int
) -> None:
    """Beside an antiderivative of zero, an answer of the generators is the step alone."""
    monkeypatch.setattr(branches, "smooth", lambda rng: ZERO)
    for index in range(40):
        case = case_at(name, 7, index)
        if "floor" in case.completion:
            continue  # the generators' own values have none
        step = parse(case.completion.removeprefix(r"\boxed{").removesuffix("}"))
        heights = set()
        for number in range(-1200, 1200, 97):
            x = Fraction(number, 97) + Fraction(1, 1009)
            with mpmath.workdps(300 + digits), suppress(numeric.NoValueError):
                y, near = (numeric.value(step, {"x": at}) for at in (x, x + Fraction(1, 10**40)))
                assert abs(near - y) < mpmath.mpf(10) ** -100, case
                heights.add(mpmath.nstr(y, digits))
        assert len(heights) > 1, case


@pytest.mark.parametrize(
    ("integrand", "answer", "right"),
    [
        ("2x", "x^2", True),
        ("2x", "x^2+x", False),
        ("e^{1000x}", r"\frac{e^{1000x}}{1000}", True),
        ("1", r"x(1+e^{-200(1+x^2)})", False),
        (r"\tanh(2016x)", r"\frac{1}{4032}\ln\cosh(4032x)", False),
        (r"\frac{1}{x}", r"\ln|x|", True),
        (r"|a-b|x", r"\frac{(a-b)x^2}{2}", False),
    ],
)
def test_labels_by_numbers(integrand: str, answer: str, right: bool) -> None:
    trees = parse(integrand), parse(answer)
    assert numeric.refuted(*trees) is not right
    assert numeric.confirmed(*trees) or not right


def test_another_branch_of_the_integrand_is_no_slip() -> None:
    sign = r"\frac{\sqrt{xx}}{x}"
    assert numeric.on_another_branch(parse(rf"-\frac{{2}}{{{sign}x^2}}"), parse(r"\frac{2}{x}"))
    assert not numeric.on_another_branch(parse(r"-\frac{2}{x^2}"), parse(r"-\frac{2}{x}"))
    assert not numeric.on_another_branch(parse(sign), parse(r"\frac{x^2}{2}"))


def test_an_infinite_answer_is_not_right() -> None:
    assert not numeric.confirmed(parse("1"), parse(r"x+\operatorname{artanh}(1)"))
    hidden = r"\frac{1}{\operatorname{artanh}(1)-3}"
    assert not numeric.confirmed(parse(hidden), parse(rf"x{hidden}"))
    assert not numeric.confirmed(parse(r"\tan(\arcsin(1))"), parse(r"x\tan(\arcsin(1))"))
    assert not numeric.confirmed(parse("1"), parse(r"x+\ln(\sqrt{\cos(\arcsin(1))})"))


@pytest.mark.parametrize("name", ["mutation", "mutation_at_scale", "rewrite"])
def test_derivatives_agree_with_differences(name: str) -> None:
    """The rules of differentiation behind the labels, against mpmath's differences."""
    for index in range(5):
        formulas = case_at(name, 3, index).formulas
        assert formulas is not None
        at, step = Fraction(1, 10_007), Fraction(1, 10**25)
        with mpmath.workdps(60):
            above, below = (numeric.value(formulas.truth, {"x": at + s}) for s in (step, -step))
            slope = numeric.value(differentiate(formulas.truth), {"x": at})
            difference = (above - below) * 10**25 / 2
            assert mpmath.almosteq(difference, slope, rel_eps=mpmath.mpf(10) ** -12), formulas


# --- the search -----------------------------------------------------------------------------


def judging(accepts: str) -> Judge:
    """A verifier that accepts every completion with a given text, and no other."""

    def judge(cases: Sequence[Case]) -> list[Verdict]:
        statuses = (
            Status.CORRECT if accepts in case.completion else Status.INCORRECT for case in cases
        )
        return [Verdict(status, float(status is Status.CORRECT)) for status in statuses]

    return judge


def test_a_planted_bug_is_found_and_made_small() -> None:
    names = ["mutation_at_scale", "near_miss_term"]
    result = search(tries=120, seed=1, generators=names, judge=judging("2016"), minimised=1)
    accepted = [find for find in result.finds if find.kind == "accepted"]
    assert accepted
    assert all("2016" in find.minimal.completion for find in accepted)
    smallest = min(accepted, key=lambda find: size(find.minimal))
    assert size(smallest.minimal) < size(smallest.case)
    assert size(smallest.minimal) <= 20
    assert label_holds(smallest.minimal)


def test_right_answers_that_are_refused_are_found() -> None:
    result = search(tries=30, generators=["rewrite"], judge=judging("no such text"), minimised=0)
    assert [find.kind for find in result.finds] == ["refused"] * 30
    assert result.faults["rewrite", "refused"] == 30


def test_a_verifier_without_faults_is_cleared() -> None:
    statuses = {}
    for name in NAMES:
        for index in range(3):
            case = case_at(name, 0, index)
            statuses[case.completion] = case.wanted

    def perfect(cases: Sequence[Case]) -> list[Verdict]:
        outcomes = (Status.CORRECT if statuses[c.completion] else Status.INCORRECT for c in cases)
        return [Verdict(status, 0.0) for status in outcomes]

    assert search(tries=3 * len(NAMES), judge=perfect).finds == []


def test_any_number_of_workers_finds_the_same() -> None:
    names = ["hedge", "near_miss_factor", "voice"]
    single, double = (search(tries=45, generators=names, workers=n, minimised=1) for n in (1, 2))
    assert [find.to_dict() for find in single.finds] == [find.to_dict() for find in double.finds]
    assert single.tries == double.tries


@pytest.mark.parametrize("limits", [{}, {"tries": 1, "generators": ["nonsense"]}])
def test_mistakes_are_named(limits: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"a number of tries|'nonsense'; there are bank_limits"):
        search(**limits)  # type: ignore[arg-type]


# --- making finds small ---------------------------------------------------------------------


def test_edits_keep_label_and_fault() -> None:
    truth = parse(r"3x^2\sin(2016x)+x e^{5x}")
    answer = parse(r"3x^2\cos(2016x)+x e^{5x}")
    case = Case.of(Formulas(truth, answer), False, "a swap")
    cases: list[Case] = []

    def still(smaller: Case) -> bool:
        cases.append(smaller)
        return "cos" in smaller.completion

    small = minimise(case, still)
    assert "cos" in small.completion
    assert size(small) < size(case) / 2
    assert label_holds(small)
    assert all(label_holds(smaller) for smaller in cases)
    assert minimise(small, still) == small


@pytest.mark.parametrize(
    ("answer", "right"), [(r"\sinh(2024x)", False), (r"\sinh(2024x)+x^{2025}/x", True)]
)
def test_a_large_term_hides_no_small_one(answer: str, right: bool) -> None:
    truth = parse(r"\sinh(2024x)+x^{2024}")
    assert label_holds(Case.of(Formulas(truth, parse(answer)), True, "a rewrite")) is right


def test_nothing_smaller_shows_the_fault() -> None:
    case = case_at("mutation", 0, 0)
    assert minimise(case, lambda smaller: False) == case


def test_texts_stay_as_they_are() -> None:
    case = case_at("hedge", 0, 0)
    assert minimise(case, lambda smaller: True) == case


# --- the command ----------------------------------------------------------------------------


def test_command(tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    arguments = ["--tries", "8", "--generator", "mutation", "--workers", "1", "--out", str(out)]
    done = CliRunner().invoke(redteam, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert "mutation" in done.output
    assert "8" in done.output
    for line in out.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert row["generator"] == "mutation"


def test_an_interrupted_search_prints_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(judged: Result, *_: object) -> None:
        if judged.tries.total() > 256:
            raise KeyboardInterrupt

    module = import_module("calculus_harness.harness.studies.redteam.search")
    monkeypatch.setattr(module, "_count", stopped)
    done = CliRunner().invoke(redteam, ["--tries", "600", "--generator", "horner"])
    assert done.exit_code == 1
    assert "horner" in done.output


def test_draws_are_named_by_their_address() -> None:
    assert HashedRandom("redteam", "a", 0).below(10**9) != HashedRandom("redteam", "b", 0).below(
        10**9
    )
