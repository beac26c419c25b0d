"""Planted errors: every kind is found, named, and confirmed by a standalone program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.harness.audits.findings import PROVED, REFUTED, SUSPECT, UNREAD
from calculus_harness.harness.audits.items import AuditItem, task_of
from calculus_harness.harness.audits.judge import audited
from calculus_harness.harness.studies.redteam.antiderivatives import antiderivative
from calculus_harness.harness.studies.redteam.case import DiscardedError, Formulas
from calculus_harness.harness.studies.redteam.numeric import on_another_branch, refuted
from calculus_harness.harness.studies.redteam.slips import slips
from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.reading.expression.build import mul, neg
from calculus_harness.rewards.reading.expression.tree import Number
from calculus_harness.rewards.reading.latex import to_latex

#: Problem, wrong reference and kind, written by hand before the red team's slips were read.
BY_HAND = json.loads((Path(__file__).parent / "planted_by_hand.json").read_text())
#: How the kinds of the list are called by an audit: one slip may be told in two ways.
NAMES = {
    "sign": ("a sign",),
    "factor": ("a factor", "a derivative"),
    "term sign": ("a sign",),
    "term factor": ("a coefficient",),
    "missing term": ("a dropped term",),
    "derivative": ("a derivative",),
    "absolute value": ("absolute value",),
}


def finding(problem: str, reference: str, **fields: Any) -> dict[str, Any]:
    task = task_of(problem)
    item = AuditItem(0, "row 1", "row 1", task=task, problem=problem, reference=reference)
    return audited(item.to_dict() | fields)


@cache
def by_hand() -> list[tuple[str, str, str, dict[str, Any]]]:
    return [(slip, p, r, finding(p, r)) for _, p, r, slip in BY_HAND]


def test_of_errors_written_by_hand_95_percent_are_found_and_90_percent_named() -> None:
    noticed = [slip for slip, _, _, row in by_hand() if row["status"] in (REFUTED, SUSPECT)]
    assert len(noticed) >= 0.95 * len(BY_HAND)
    named = [row["kind"].startswith(NAMES[slip]) for slip, _, _, row in by_hand() if slip in NAMES]
    assert sum(named) >= 0.9 * len(named)


@cache
def mutated() -> tuple[tuple[str, dict[str, Any], str], ...]:
    """A slip in each of 150 random antiderivatives: the kind, the finding and the truth."""
    findings = []
    for index in range(400):
        rng = HashedRandom("audit", index)
        try:
            truth = antiderivative(rng)
            choices = [("a sign", neg(truth)), *slips(truth)]
            choices.append(("a factor", mul(Number(2 + index % 4), truth)))
            slip, wrong = rng.choice(choices)
            f = Formulas(truth, wrong).integrand
            if not refuted(f, wrong) or on_another_branch(f, wrong):
                continue
        except DiscardedError:
            continue
        text = to_latex(truth)
        findings.append((slip, finding(rf"\int {to_latex(f)} \, dx", to_latex(wrong)), text))
        if len(findings) == 150:
            break
    return tuple(findings)


def test_of_our_own_slips_99_percent_are_found() -> None:
    rows = [row for _, row, _ in mutated()]
    missed = [row["status"] for row in rows if row["status"] not in (REFUTED, SUSPECT)]
    assert len(missed) <= 0.01 * len(rows), missed
    drawn_slips = {slip for slip, _, _ in mutated()}
    assert {"a sign", "a number", "a dropped term", "a dropped factor", "a factor"} <= drawn_slips


def test_of_our_own_slips_90_percent_are_named() -> None:
    """The name is the planted slip, or another slip with a proved correction."""
    missed = Counter(
        slip
        for slip, row, _ in mutated()
        if not row["kind"].startswith(slip) and not row["correction"]
    )
    assert sum(missed.values()) <= 0.1 * len(mutated()), missed


def test_corrections_are_right() -> None:
    for slip, problem, _, row in by_hand():
        if row["correction"] and problem.startswith(r"\int "):
            assert verify_antiderivative(row["correction"], problem).correct, (slip, problem)
    assert sum(bool(row["correction"]) for *_, row in by_hand()) > 40


def test_no_right_reference_is_refuted() -> None:
    for index in range(60):
        rng = HashedRandom("audit of right ones", index)
        try:
            truth = antiderivative(rng)
            f = Formulas(truth, truth).integrand
        except DiscardedError:
            continue
        row = finding(rf"\int {to_latex(f)} \, dx", to_latex(truth))
        assert row["status"] not in (REFUTED, "disputed"), (to_latex(f), to_latex(truth), row)


@pytest.mark.parametrize("at", range(0, len(BY_HAND), 7))
def test_the_program_of_a_report_runs_by_itself(at: int, tmp_path: Path) -> None:
    row = by_hand()[at][-1]
    if row["status"] != REFUTED:
        pytest.skip("nothing to show")
    program = row["program"]
    assert len(program.strip().split("\n")) <= 20
    file = tmp_path / "check.py"
    file.write_text(program)
    command = [sys.executable, "-P", "-I", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert row["got"][:8] in done.stdout
    assert row["expected"][:8] in done.stdout


def test_all_programs_claim_what_holds_and_mention_nothing_of_ours() -> None:
    for *_, row in by_hand():
        if row["program"]:
            assert "calculus" not in row["program"]
            exec(row["program"], {"print": lambda *_: None})


def test_a_program_of_a_right_reference_does_not_hold() -> None:
    row = finding(r"\int x^3 dx", "x^4/3")
    with pytest.raises(AssertionError):
        exec(row["program"].replace("x**4/3", "x**4/4"), {"print": lambda *_: None})


@pytest.mark.parametrize(
    ("problem", "reference", "slip"),
    [
        (
            r"\int \frac{1}{\sqrt{1 - \frac{1}{4}\sin^2 x}} dx",
            "elliptic_f(x, 1/2)",
            "another reading",
        ),
        (r"\int \frac{1}{x}dx", r"\frac{\log x}{\ln 10} \cdot \ln 10 + 0", "absolute value"),
        (r"\int \frac{1}{x \ln 10} dx", r"\log(x)", "another reading: logarithm"),
        (r"\int |x| dx", r"\frac{x^2}{2}", "part of the domain"),
        (r"\int x^{-1} dx", r"\ln x", "absolute value"),
        (
            r"\int \frac{\arcsin\sqrt{1 - x^2}}{\sqrt{1 - x^2}} dx",
            r"-\frac{1}{2} \arcsin^2(\sqrt{1 - x^2}) \frac{\sqrt{x^2}}{x}",
            "part of the domain",
        ),
        (r"\int \sec x dx", r"\operatorname{sech}^{-1} \cos x", "part of the domain"),
        (r"\int \sin(n x + \pi n) dx", r"-\frac{(-1)^n \cos(n x)}{n}", "missing condition"),
    ],
)
def test_what_is_right_in_some_sense_is_suspect(problem: str, reference: str, slip: str) -> None:
    row = finding(problem, reference)
    assert row["status"] == SUSPECT, row
    assert row["kind"].startswith(slip)
    assert row["reason"]


@pytest.mark.parametrize(
    ("note", "problem", "reference", "status"),
    [
        ("", r"\int \frac{1}{x} dx", r"\ln x", SUSPECT),
        ("as in the lecture", r"\int \frac{1}{x} dx", r"\ln x", SUSPECT),
        ("-1 < x < 0", r"\int \frac{1}{x} dx", r"\ln x", SUSPECT),
        ("x > 0", r"\int \frac{1}{x} dx", r"\ln x", PROVED),
        ("", r"\int \frac{1}{x} dx, \quad x > 0", r"\ln x", PROVED),
        ("", r"Assume x is positive. Find $\int \frac{1}{x} dx$", r"\ln x", PROVED),
        ("", r"Find $\int \frac{1}{x} dx$ for $x > 0$.", r"\ln x", PROVED),
        ("x > 1", r"\int \frac{1}{x \ln x} dx", r"\ln \ln x", PROVED),
        ("x > 0", r"\int \frac{1}{x \ln x} dx", r"\ln \ln x", SUSPECT),
        ("", r"\int \frac{2 \ln|x|}{x} dx", r"\ln^2 x", SUSPECT),
        ("x > 0", r"\int |x| dx", r"\frac{x^2}{2}", PROVED),
        ("x > 0", r"\int |x| dx", r"-\frac{x^2}{2}", REFUTED),
        ("x < 0", r"\int |x| dx", r"-\frac{x^2}{2}", PROVED),
        ("x < 0", r"\int |x| dx", r"-x^2", REFUTED),
    ],
)
def test_what_a_row_notes_on_its_variable_is_taken_into_account(
    note: str, problem: str, reference: str, status: str
) -> None:
    row = finding(problem, reference, note=note)
    assert row["status"] == status, row
    if status == REFUTED:
        (value,) = re.findall(r"-?[\d.]+", row["point"])
        assert float(value) > 0 if note == "x > 0" else float(value) < 0


def test_a_missing_absolute_value_is_one_that_mends_the_reference() -> None:
    row = finding(r"\int \frac{1}{a + x} dx", r"\ln(a + x)", assumptions={"a": "negative"})
    assert row["kind"] == "absolute value"
    x, a = map(float, re.findall(r"= (-?[\d.]+)", row["reason"]))
    assert a < 0 < -(a + x)
    # Arc sines are not real beyond 1, whatever the logarithm.
    assert finding(r"\int \frac{1}{x} dx", r"\ln x + \arcsin 2")["kind"] == ""


@pytest.mark.parametrize(
    ("problem", "reference", "where"),
    [
        (r"\int x dx", "x^{2", "reference: at offset 4: expected a closing brace"),
        (r"\int x dx", "x^2}", "reference: at offset 3: expected no closing brace"),
        (r"\int x dx", "x +", "reference: at offset 3: expected an operand"),
        (r"\int \foo dx", "x", "problem:"),
        ("integrate(2*x**, x)", "x**2", "problem:"),
    ],
)
def test_what_is_not_read_says_where(problem: str, reference: str, where: str) -> None:
    row = finding(problem, reference)
    assert row["status"] == UNREAD
    assert row["reason"].startswith(where)
