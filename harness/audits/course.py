"""Judges the references of questions of the course: limits, sums, derivatives, equations."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from ...benchmarks.fingerprint import question_text
from ...rewards import ProblemError, Status, Verdict
from ...rewards.proof.limit_questions import limit_readings
from ...rewards.questions import COURSE
from ...rewards.reading.expression.traversal import symbols_of
from ...rewards.reading.latex import ReadError
from ...rewards.reading.problem.derivative import read_derivative
from ...rewards.reading.problem.differential_equation import read_differential_equation
from ...rewards.reading.problem.power_series import asks_of_series, read_series
from ...rewards.reading.problem.sums import read_sum
from ...rewards.verdict import PROOFS
from .findings import REFUTED, SUSPECT, UNDECIDED, UNREAD, Finding, accepted, unread
from .items import AuditItem, stated_reference
from .reading import UnreadError, boxed, conditions_in, tree_of
from .second_opinion.comparisons import UncomputedError, of_course
from .second_opinion.program import UnprintableError, confirmed
from .slips import (
    UNFILTERED,
    Repair,
    repaired,
    repairs,
    repairs_of_value,
    rounded,
    undone,
    values_of,
)

#: Details of verdicts on references in other letters, and on solutions that are not general.
_IN_OTHER_LETTERS = re.compile("symbols that")
_NOT_GENERAL = re.compile("constants of integration|constants are not independent|every multiple")
#: The function on the left of an explicit solution.
_SOLVED_FOR = re.compile(r"\s*([A-Za-z](?:\([a-z]\))?\s*=)([^=]*)")


def course_judge(name: str) -> Callable[[AuditItem], Finding]:
    """The judge of a question of the course."""

    def judge(item: AuditItem) -> Finding:
        finding = judged(item)
        with suppress(ProblemError):
            return finding.replaced(key=_question_key(name, item.problem))
        return finding

    def judged(item: AuditItem) -> Finding:
        assumptions = dict(conditions_in(item.note).kinds) | item.assumptions
        reference, options = stated_reference(item), {"assumptions": assumptions}
        verdict = COURSE[name].verify(boxed(reference), item.problem, **options)
        if verdict.correct:
            return accepted(verdict, verdict.evidence.proof in PROOFS, "")
        if verdict.status is not Status.INCORRECT:
            return unread(verdict) or Finding(UNDECIDED, reason=verdict.evidence.detail)
        detail = verdict.evidence.detail
        if _IN_OTHER_LETTERS.search(detail):
            return Finding(UNREAD, reason=f"reference: {detail}")
        if _NOT_GENERAL.search(detail):
            return Finding(SUSPECT, kind="not the general solution", reason=detail)
        text = verdict.evidence.reading or reference
        try:
            programs = list(of_course(name, item.problem, text, assumptions, "diverges" in detail))
        except (UncomputedError, ReadError, UnreadError, UnprintableError) as error:
            why = verdict.evidence.witness or detail
            return Finding(UNDECIDED, reason=f"refuted ({why}), not confirmed: {error}")
        finding = confirmed(programs, verdict)
        if finding.status is not REFUTED:
            return finding

        equation = name == "differential_equation"
        solved = _SOLVED_FOR.fullmatch(text) if equation else None
        left, formula = ("", text) if solved is None else solved.groups()

        def verdict_on(text: str) -> Verdict:
            return COURSE[name].verify(boxed(f"{left} {text}"), item.problem, **options)

        proposals = _repairs_of_course(name, item, formula, finding)
        mended = repaired(proposals, verdict_on, UNFILTERED)
        # Values beside a point where a limit does not exist say nothing of a slip.
        if mended.get("correction"):
            return finding.replaced(**mended)
        if _is_rounded(formula, finding):
            return finding.replaced(kind="a decimal")
        # A program for an equation names its point, a program for a condition does not.
        return finding if finding.point or not equation else finding.replaced(kind="a condition")

    return judge


def _is_rounded(text: str, finding: Finding) -> bool:
    values = values_of(finding)
    with suppress(UnreadError):
        return values is not None and rounded(tree_of(text), *values)
    return False


def _repairs_of_course(name: str, item: AuditItem, text: str, finding: Finding) -> Iterator[Repair]:
    """Proposals for the reference of a question of the course whose reference is a formula."""
    question = read_derivative(item.problem) if name == "derivative" else None
    try:
        tree = tree_of(text, () if question is None else symbols_of(question.derivative))
    except UnreadError:  # an infinity, an implicit solution
        return
    if name == "differential_equation":
        variable = read_differential_equation(item.problem).variable
        yield from undone(tree, variable, lambda candidate: True)
        return
    if question is None or question.point:
        yield from repairs_of_value(finding, tree)
    if question is not None:
        yield from repairs(question.derivative, tree, question.variable, order=0)
        yield "", question.derivative  # by the rules


def _question_key(name: str, problem: str) -> str:
    """A hash of a question of the course; questions in other letters have the same."""
    match name:
        case "limit":
            question: object = limit_readings(problem)[0]
        case "sum":
            is_series = asks_of_series(problem)
            question = read_series(problem) if is_series else read_sum(problem)[0]
        case "derivative":
            # Different functions have the same derivative: numbers and signs have to agree, too.
            marks = re.sub(r"\\[A-Za-z]+|[A-Za-z\s(){}$]", "", problem)
            return hashed(f"{marks} {question_text(read_derivative(problem))}")
        case _:
            question = read_differential_equation(problem)
    return hashed(f"{name} {question_text(question)}")


def hashed(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
