"""Judges the references of questions of the course: limits, sums, derivatives, equations.

Two questions have equal keys if the trees are the same up to the name of the bound variable of a
limit, a sum or a derivative. Names of parameters and functions count, because assumptions may
depend on names. The same question in another algebraic form may have another key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ...rewards import ProblemError, Status, Verdict
from ...rewards.questions import COURSE
from ...rewards.reading.expression.traversal import substitute, symbols_of
from ...rewards.reading.expression.tree import Expression, Symbol
from ...rewards.reading.latex import ReadError
from ...rewards.reading.problem.derivative import read_derivative
from ...rewards.reading.problem.differential_equation import read_differential_equation, solutions
from ...rewards.reading.problem.limit import read_limit
from ...rewards.reading.problem.power_series import asks_of_series, read_series
from ...rewards.reading.problem.sums import read_sum
from ...rewards.verdict import PROOFS
from .corrections.proposals import (
    UNFILTERED,
    as_solution,
    repaired,
    repairs_of_value,
    rounded,
    values_of,
)
from .corrections.slips import Repair, repairs, undone
from .findings import REFUTED, SUSPECT, UNDECIDED, UNREAD, Finding, accepted, unread
from .items import AuditItem, stated_reference
from .reading import UnreadError, boxed, conditions_in, tree_of
from .second_opinion.comparisons import UncomputedError, of_course
from .second_opinion.program import UnprintableError, confirmed

#: The name in place of a bound variable; no text can have it.
_BOUND = Symbol("bound variable")
#: Details of verdicts on references in other letters, and on solutions that are not general.
_IN_OTHER_LETTERS = re.compile("symbols that")
_NOT_GENERAL = re.compile("constants of integration|constants are not independent|every multiple")


def course_judge(name: str) -> Callable[[AuditItem], Finding]:
    """The judge of a question of the course."""

    def judge(item: AuditItem) -> Finding:
        assumptions = dict(conditions_in(item.note).assumptions) | item.assumptions
        key = question_key(name, item.problem, assumptions)
        return judged(item, assumptions).replaced(key=key)

    def judged(item: AuditItem, assumptions: Mapping[str, str]) -> Finding:
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

        mended = _mended(name, item, text, finding, options)
        # Values beside a point where a limit does not exist say nothing of a slip.
        if mended.get("correction"):
            finding = finding.replaced(**mended)
        if finding.kind:
            return finding
        if _is_rounded(text, finding):
            return finding.replaced(kind="a decimal")
        # A program for an equation names its point, a program for a condition does not.
        if finding.point or name != "differential_equation":
            return finding
        return finding.replaced(kind="a condition")

    return judge


def _is_rounded(text: str, finding: Finding) -> bool:
    values = values_of(finding)
    with suppress(UnreadError):
        return values is not None and rounded(tree_of(text), *values)
    return False


def _mended(
    name: str, item: AuditItem, text: str, finding: Finding, options: Mapping[str, Any]
) -> dict[str, str]:
    """The kind of the slip and the correction, where a proposal is right."""

    def verdict_on(text: str) -> Verdict:
        return COURSE[name].verify(boxed(text), item.problem, **options)

    if name != "differential_equation":
        return repaired(_repairs_of_course(name, item, text, finding), verdict_on, UNFILTERED)
    question = read_differential_equation(item.problem)
    stated = solutions(text, question)
    formulas = stated[0].formulas if len(stated) == 1 else {}
    for function, tree in formulas.items():
        # A formula of a system is changed; the others stay.
        def written(candidate: Expression, function: str = function) -> str:
            return as_solution({**formulas, function: candidate})

        proposals = undone(tree, question.variable, lambda candidate: True)
        mended = repaired(proposals, verdict_on, UNFILTERED, written)
        if mended.get("correction"):
            return mended
    return {}


def _repairs_of_course(name: str, item: AuditItem, text: str, finding: Finding) -> Iterator[Repair]:
    """Proposals for the reference of a question of the course whose reference is a formula."""
    question = read_derivative(item.problem) if name == "derivative" else None
    try:
        tree = tree_of(text, () if question is None else symbols_of(question.derivative))
    except UnreadError:  # an infinity
        return
    if question is None or question.point:
        yield from repairs_of_value(finding, tree)
    if question is not None:
        yield from repairs(question.derivative, tree, question.variable, order=0)
        yield "", question.derivative  # by the rules


def question_key(name: str, problem: str, assumptions: Mapping[str, str]) -> str:
    """The mark of a question in 16 characters; empty for an unreadable question.

    Args:
        name: the name of the kind of question.
        problem: the text of the question.
        assumptions: assumptions on symbols, from the row.

    """
    try:
        canonical = _content(name, problem)
    except ProblemError:
        return ""
    return hashed(repr((name, canonical, sorted(assumptions.items()))))


def _content(name: str, problem: str) -> tuple[object, ...]:
    """The complete content of a question."""
    if name == "limit":
        limit = read_limit(problem)
        trees = [_unnamed(reading.expression, limit.variable) for reading in limit.readings]
        return trees, limit.at, limit.side, limit.conditions, limit.whole
    if name == "sum" and not asks_of_series(problem):
        return tuple(
            reading._replace(term=_unnamed(reading.term, reading.counter), counter="")
            for reading in read_sum(problem)
        )
    if name == "sum":
        return (read_series(problem),)
    if name == "derivative":
        slope = read_derivative(problem, written=True)
        if slope.curve is None and not slope.definitions and not slope.point:
            return _unnamed(slope.derivative, slope.variable), slope.assumptions, slope.bounds
        return (slope,)
    return (read_differential_equation(problem),)


def _unnamed(tree: Expression, variable: str) -> Expression:
    return substitute(tree, variable, _BOUND)


def hashed(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
