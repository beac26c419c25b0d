"""Wrong references to questions of the course: found, confirmed by a second computation, named."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.harness.audits import course
from calculus_harness.harness.audits.corrections.differences import slip_between
from calculus_harness.harness.audits.corrections.systems import with_corrections
from calculus_harness.harness.audits.findings import DISPUTED, REFUTED, SUSPECT, UNDECIDED
from calculus_harness.harness.audits.items import AuditItem, task_of
from calculus_harness.harness.audits.judge import audited
from calculus_harness.harness.studies.redteam.case import Case, DiscardedError
from calculus_harness.harness.studies.redteam.questions.stated import course_case
from calculus_harness.rewards import Status
from calculus_harness.rewards.questions import COURSE
from calculus_harness.rewards.verdict import Evidence, Verdict

CASES = 40


@pytest.fixture(autouse=True)
def memory() -> Iterator[None]:
    """As in workers: a power tower near a pole takes no more memory than available."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, limits)


def finding(problem: str, reference: str, task: str = "", **fields: Any) -> dict[str, Any]:
    task = f"course {task}" if task else task_of(problem)
    item = AuditItem(0, "row 1", "row 1", task=task, problem=problem, reference=reference)
    return audited(item.to_dict() | fields)


def _reference(case: Case) -> str:
    boxed = re.search(r"\\boxed\{(.*)\}\${0,2}\.?(?: This was checked\.)?\Z", case.completion, re.S)
    assert boxed is not None
    return boxed[1]


@cache
def drawn(task: str) -> tuple[tuple[Case, dict[str, Any]], ...]:
    rng, cases = HashedRandom("audits of the course", task), []
    while len(cases) < CASES:
        try:
            case = course_case(task, rng)
        except (DiscardedError, ValueError):
            continue
        assumptions = dict(case.assumptions)
        row = finding(case.integrand, _reference(case), task, assumptions=assumptions)
        cases.append((case, row))
    return tuple(cases)


@pytest.mark.parametrize("task", COURSE)
def test_of_the_red_teams_slips_all_but_a_few_are_found_and_no_right_answer(task: str) -> None:
    wrong = [(case, row) for case, row in drawn(task) if not case.wanted]
    missed = [
        (case.integrand, case.completion, row["status"], row["reason"])
        for case, row in wrong
        if row["status"] not in (REFUTED, SUSPECT)
    ]
    assert len(missed) <= max(1, len(wrong) // 100), missed
    for case, row in drawn(task):
        assert not (case.wanted and row["status"] in (REFUTED, DISPUTED)), case


@pytest.mark.parametrize("task", COURSE)
def test_a_refutation_has_a_program_that_shows_it(task: str) -> None:
    rows = [row for _, row in drawn(task) if row["status"] == REFUTED]
    assert len(rows) > CASES // 4
    for row in rows[:12]:
        assert "mpmath" in row["confirmed_by"]
        assert "calculus" not in row["program"]
        exec(row["program"], {"print": lambda *_: None})


#: A question of every form that has a second computation, a right reference and a wrong one.
FORMS = [
    (r"\frac{d}{dx} x^2 \sin x + 3", r"2x\sin x + x^2\cos x", r"2x\sin x - x^2\cos x"),
    (r"\frac{d^2}{dx^2} \sin(x^2)", r"2\cos x^2 - 4x^2 \sin x^2", r"2\cos x^2"),
    (r"f(x) = e^{-x^2},\ f'(1)", r"-\frac{2}{e}", r"\frac{2}{e}"),
    (r"y = x^x,\ \frac{dy}{dx}", r"y(1+\ln x)", r"y \ln x"),
    (r"x^2+y^2=25,\ \frac{dy}{dx}", r"-\frac{x}{y}", r"\frac{x}{y}"),
    (r"x^2+y^2=25,\ \frac{dy}{dx} at (3,4)", r"-\frac34", r"\frac34"),
    (r"x=t^2,\ y=t^3,\ \frac{d^2y}{dx^2}", r"\frac{3}{4t}", r"\frac{3}{5t}"),
    (r"f(x,y) = x^2 y^3,\ f_{xy}(1,2)", "24", "12"),
    (r"\lim_{x\to0} \frac{\sin x - x}{x^3}", r"-\frac16", r"\frac16"),
    (r"\lim_{x\to0^+} \frac1x", r"\infty", "0"),
    (r"\lim_{x\to\infty} x - \ln x", r"\infty", r"-\infty"),
    (r"\lim_{n\to\infty} \left(1+\frac{a}{n}\right)^n", "e^a", "e"),
    (r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}", r"\frac{n(n-1)}{2}"),
    (
        r"\sum_{n=0}^{\infty} \frac{1}{4^n(2n+1)}\binom{2n}{n}",
        r"\frac{\pi}{2}",
        r"\frac{3927}{2500}",
    ),
    (r"\sum_{n=1}^{\infty} n", r"\infty", r"-\frac{1}{12}"),
    (
        r"Maclaurin polynomial of degree 2 for $\frac{x}{e^x-1}$",
        r"1-\frac x2+\frac{x^2}{12}",
        r"1-\frac x2",
    ),
    (r"y'' + y = 0, y(0) = 1, y'(0) = 0", r"y = \cos x", r"y = \sin x"),
    (r"y' = -\frac{x}{y}", "x^2+y^2 = C", "x^2-y^2 = C"),
    (
        r"x' = y,\ y' = -x",
        r"x = A\sin t + B\cos t, y = A\cos t - B\sin t",
        r"x = A\sin t + B\cos t, y = A\cos t + B\sin t",
    ),
]


@pytest.mark.parametrize(("problem", "right", "wrong"), FORMS)
def test_questions_of_every_form(problem: str, right: str, wrong: str) -> None:
    assert finding(problem, right)["status"] in ("proved", "agreed")
    row = finding(problem, wrong)
    assert (row["status"], tuple(row["confirmed_by"])) == (REFUTED, ("mpmath",)), row


@pytest.mark.parametrize(("problem", "right", "wrong"), FORMS)
def test_a_false_refutation_is_disputed(
    problem: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong refutation of a right reference is contradicted, or at least not confirmed."""

    def refuting(*arguments: Any, **options: Any) -> Verdict:
        return Verdict(Status.INCORRECT, 0.0, right, Evidence(detail="by mistake"))

    broken = {
        name: replace(question, judge=f"{__name__}:refuting") for name, question in COURSE.items()
    }
    monkeypatch.setattr(course, "COURSE", broken)
    monkeypatch.setattr("calculus_harness.rewards.questions._resolved", lambda _: refuting)
    row = finding(problem, right)
    unseen = "infty" in right  # sums and limits whose growth is no power
    assert row["status"] == DISPUTED or (unseen and row["status"] == UNDECIDED), row


def test_a_particular_solution_is_suspect() -> None:
    row = finding("y'' + y = 0", r"y = C \sin x")
    assert (row["status"], row["kind"]) == (SUSPECT, "not the general solution")


def test_a_wrong_derivative_is_named_and_corrected() -> None:
    row = finding(r"\frac{d}{dx} \cos x^2", r"2x \sin x^2")
    assert row["kind"] == "a sign"
    assert finding(r"\frac{d}{dx} \cos x^2", row["correction"])["status"] == "proved"
    row = finding(r"\frac{d}{dx} \cos x^2", r"\tan x")
    assert finding(r"\frac{d}{dx} \cos x^2", row["correction"])["status"] == "proved"


@pytest.mark.parametrize(
    ("problem", "reference", "why"),
    [
        (r"\sum_{k=1}^{3} k", "diverges", "a finite sum does not diverge"),
        (r"\lim_{x\to0} \frac{\sin x}{x}", "does not exist", "the limit is 1"),
        (r"\sum_{n=1}^\infty \frac1n", "2", "the sum diverges"),
        (r"\lim_{x\to0} \sin\frac1x", "0", "the limit does not exist"),
    ],
)
def test_what_has_no_second_computation_is_undecided(
    problem: str, reference: str, why: str
) -> None:
    row = finding(problem, reference)
    assert row["status"] == UNDECIDED
    assert row["reason"].startswith(f"refuted ({why}")


def test_a_missed_condition_and_a_decimal_have_names() -> None:
    row = finding("y' + y = x, y(0) = 2", "y = x - 1")  # without 3 e^{-x}, which no slip tells
    assert (row["status"], row["kind"]) == (REFUTED, "a condition")
    row = finding(r"\lim_{x\to0} \frac{\sin x - x}{x^3}", "-0.1667")
    assert (row["status"], row["kind"]) == (REFUTED, "a decimal")


def test_values_are_those_of_the_problem_or_said_to_be_others() -> None:
    row = finding(r"\sum_{n=1}^{\infty} n", r"-\frac{1}{12}")
    assert (row["point"], row["expected"]) == ("of 10,000 terms", "50005000.0")
    row = finding("y' = 2x, y(0) = 1", "y = x^2")
    assert (row["point"], float(row["expected"]), float(row["got"])) == ("", 1, 0)
    row = finding(r"\lim_{x\to0} \frac{|x|}{x}", "1")
    assert (row["status"], row["kind"]) == (REFUTED, "")


def test_a_note_counts_for_questions_of_the_course() -> None:
    problem, reference = r"\lim_{x\to\infty} e^{a x}", "0"
    assert finding(problem, reference)["status"] in (REFUTED, UNDECIDED)
    assert finding(problem, reference, note="a < 0")["status"] == "agreed"


def _is_explained(case: Case, row: dict[str, Any]) -> bool:
    """Whether a slip of the named kind is the planted one, or is shown by a right answer.

    Two slips can turn two right forms into the same wrong one: 3 x is 2 x after "a number", and x
    after "a factor 3".
    """
    planted = {"a lost constant": "not the general solution"}.get(case.note, case.note)
    unexplained = row["correction"] or row["kind"] == "not the general solution"
    return bool(row["kind"]) and (row["kind"].startswith(planted) or bool(unexplained))


@pytest.mark.parametrize(
    ("task", "share"),
    [("derivative", 0.85), ("limit", 0.85), ("sum", 0.8), ("differential_equation", 0.65)],
)
def test_slips_have_names(task: str, share: float) -> None:
    explained = [
        _is_explained(case, row)
        for case, row in drawn(task)
        if not case.wanted and row["status"] in (REFUTED, SUSPECT)
    ]
    assert sum(explained) >= share * len(explained), f"{sum(explained)} of {len(explained)}"


@pytest.mark.slow
def test_with_the_right_answers_of_systems_90_percent_of_slips_have_the_right_name() -> None:
    named = [named for task in COURSE for named in _named_with_systems(task)]
    assert sum(named) >= 0.9 * len(named), f"{sum(named)} of {len(named)}"


def _named_with_systems(task: str) -> list[bool]:
    cases = [case for case, _ in drawn(task)]
    rows = [
        row
        | {"number": at, "task": f"course {task}", "problem": case.integrand}
        | {"reference": _reference(case), "assumptions": dict(case.assumptions)}
        for at, (case, row) in enumerate(drawn(task))
    ]
    wrong = [
        row
        for case, row in zip(cases, rows, strict=True)
        if not case.wanted and row["status"] in (REFUTED, SUSPECT)
    ]
    for at, row in enumerate(with_corrections(wrong, len(wrong))):
        wrong[at] = row
        if row["status"] == REFUTED and row["correction"]:
            assumptions = row["assumptions"]
            corrected = finding(row["problem"], row["correction"], task, assumptions=assumptions)
            assert corrected["status"] in ("proved", "agreed"), row
    return [_is_explained(cases[row["number"]], row) for row in wrong]


@pytest.mark.parametrize(
    ("problem", "wrong", "right", "slip"),
    [
        ("y' + y = x, y(0) = 2", "y = x - 1", "y = x - 1 + 3 e^{-x}", "a dropped term"),
        ("(x+1) y'' + y' = 0", r"y = \frac{A}{x+1}", r"y = A + B \ln(x+1)", "another order"),
        ("y'' + y = x", r"y = A\cos x + B\sin x", r"y = A\sin x + B\cos x + x", "a dropped term"),
        ("y'' + y = x", r"y = A\cos x + B\sin x - x", r"y = A\sin x + B\cos x + x",
         "a coefficient"),
        ("y' = y^2", r"y = \frac{1}{x + C}", r"y = -\frac{1}{x + A}", "a sign"),
        ("y' = y", r"y = C e^{x} + \sin^2 x \ln x", "y = A e^{x}", "an extra term"),
        ("x' = y, y' = -x", r"x = A\cos t + B\sin t, y = A\sin t + B\cos t",
         r"x = A\sin t + B\cos t, y = A\cos t - B\sin t", "a sign"),
    ],
)  # fmt: skip
def test_a_slip_is_told_from_a_right_family(
    problem: str, wrong: str, right: str, slip: str
) -> None:
    assert slip_between("differential_equation", problem, wrong, right) == slip
