"""Judges the reference of a row, in a worker.

The verifier's refutation counts only if an independent computation confirms it: the checker of
certificates, or a program in plain mpmath (`second_opinion`). Before a refutation, the judge tries
readings and conditions that could make the reference right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...benchmarks.fingerprint import (
    Fingerprint,
    definite_fingerprint,
    fingerprint,
)
from ...rewards import (
    NoCertificateError,
    ProblemError,
    Verdict,
    certify,
    verify_antiderivative,
    verify_definite_integral,
    verify_equivalent,
    verify_value,
)
from ...rewards.numeric.quadrature import definite_readings
from ...rewards.numeric.sampling.integrand import Integrand, prepare
from ...rewards.questions import COURSE
from ...rewards.reading.expression.traversal import symbols_of
from ...rewards.reading.expression.tree import Expression
from ...rewards.reading.latex import to_latex
from ...rewards.verify.certificates.check import CertificateError, check
from ...rewards.verify.definite import decimal_contradiction
from .corrections.proposals import repaired, repairs_of_value
from .corrections.slips import repairs
from .course import course_judge, hashed
from .findings import AGREED, PROVED, REFUTED, SUSPECT, UNDECIDED, UNREAD, Finding, accepted, unread
from .items import OF_COURSE, AuditItem, kind_asked, stated_problem, stated_reference
from .iterated import audited_iterated, iterated
from .reading import UnreadError, boxed, tree_of
from .second_opinion.comparisons import equality, integral, slope
from .second_opinion.program import (
    Certifying,
    confirmed,
    no_certificate,
    witness_of,
)
from .suspicions import (
    ReferenceOnLine,
    Suspicion,
    other_conditions,
    other_readings,
    partly_right,
    real_line,
    right_as_asked,
    without_modulus,
)

#: A logarithm whose argument does not begin with a sign of a modulus.
_BARE_LOGARITHM = re.compile(r"\\?(?:ln|log)(?![a-z])(?!\s*(?:\\left)?\s*(?:\||\\lvert))")


def audited(row: dict[str, Any]) -> dict[str, Any]:
    """The finding on an item, both as JSON.

    Args:
        row: an `AuditItem`.

    """
    item = AuditItem.from_dict(row)
    finding = _finding(item)
    if finding.status == UNREAD and item.alternative:
        alternative = _finding(replace(item, reference=item.alternative))
        if alternative.status != UNREAD:
            finding = alternative.replaced(reference=item.alternative)
    return finding.to_dict()


def _finding(item: AuditItem) -> Finding:
    try:
        return _JUDGES[item.task](item)
    except UnreadError as error:
        return Finding(UNREAD, reason=str(error), offset=error.offset)
    except ProblemError as error:
        return Finding(UNREAD, reason=f"problem: {error}")


def _key(marks: Fingerprint) -> str:
    """A fingerprint in 16 characters, equal for problems with a constant ratio."""
    return hashed("|".join((*sorted(marks.marks), *marks.range)))


# --- indefinite integrals ---


@dataclass(frozen=True, slots=True)
class _Pair:
    """A reference F and the integrand f, with the conditions of the row."""

    answer: str
    problem: str
    integrand: Integrand
    variable: str | None  # as the row has it, so that the problem is read once
    comparisons: tuple[Expression, ...] = ()

    def verdict(self, answer: str | None = None, assumptions: Any = None) -> Verdict:
        return verify_antiderivative(
            boxed(self.answer if answer is None else answer),
            self.problem,
            variable=self.variable,
            assumptions=assumptions or self.integrand.assumptions,
        )


def _antiderivative(item: AuditItem) -> Finding:
    problem, assumptions = stated_problem(item)
    integrand = prepare(problem.formula, item.variable, assumptions)
    reference = stated_reference(item, problem.factor)
    comparisons = problem.conditions.comparisons
    return _of_pair(_Pair(reference, problem.formula, integrand, item.variable, comparisons))


def _of_pair(pair: _Pair) -> Finding:
    verdict = pair.verdict()
    key = ""
    with suppress(ProblemError):
        key = _key(fingerprint(pair.problem, pair.variable))
    finding = unread(verdict)
    if finding is not None:
        return finding.replaced(key=key)
    if verdict.correct:
        finding = accepted(verdict, verdict.evidence.proof == "identity", key)
        if finding.status not in (PROVED, AGREED) or not _BARE_LOGARITHM.search(pair.answer):
            return finding
        line = real_line(tree_of(pair.answer), pair.integrand, pair.comparisons)
        where = without_modulus(line)
        return Finding(SUSPECT, kind="absolute value", reason=where, key=key) if where else finding
    tree, f = _tree(pair.answer, verdict, pair.integrand), pair.integrand.expression
    line = real_line(tree, pair.integrand, pair.comparisons)
    if right_as_asked(line):
        return Finding(AGREED, reason="right wherever the row's conditions hold", key=key)
    witness = verdict.evidence.witness
    if witness is not None and witness.point.endswith("just above"):
        return Finding(SUSPECT, kind="part of the domain", reason=f"a jump {witness}", key=key)
    extra = {
        name for name in symbols_of(tree) - set(pair.integrand.symbols) if name[0] not in "CcKk"
    }
    if extra:  # read as something else than it is, or about another problem
        raise UnreadError(f"symbols that the problem lacks: {', '.join(sorted(extra))}")
    for suspicion in _suspicions(pair, tree, line):
        return Finding(SUSPECT, kind=suspicion.kind, reason=suspicion.reason, key=key)
    variable = pair.integrand.variable
    program = slope(tree, f, variable)
    certificate: Certifying = partial(_certificate, pair)
    if line is not None and line.limited:  # the verifier has looked elsewhere, too
        program = replace(program, allows=line.allows)
        if not line.allows(float(witness_of(verdict).get(variable, 0))):
            certificate = no_certificate
    finding = confirmed([program], verdict, key, certificate)
    if finding.status is not REFUTED:
        return finding
    return finding.replaced(**repaired(repairs(f, tree, variable), pair.verdict))


def _tree(text: str, verdict: Verdict, integrand: Integrand) -> Expression:
    """The reading of a reference behind the verdict."""
    reading = verdict.evidence.reading
    return tree_of(reading or text, integrand.symbols)


def _suspicions(pair: _Pair, tree: Expression, line: ReferenceOnLine | None) -> Iterator[Suspicion]:
    """Readings and conditions under which the verifier accepts a refuted reference."""
    for suspicion, reading in other_readings(tree, pair.answer):
        if pair.verdict(to_latex(reading)).correct:
            yield suspicion
    for suspicion, conditions in other_conditions(pair.integrand):
        if pair.verdict(assumptions=conditions).correct:
            yield suspicion
    if where := without_modulus(line):
        yield Suspicion("absolute value", where)
    yield from partly_right(line)


def _certificate(pair: _Pair) -> tuple[dict[str, Any] | None, bool | None]:
    """The certificate of a refutation, and whether the checker confirms it.

    None stands for a missing or undecided certificate.
    """
    try:
        certificate = certify(
            boxed(pair.answer),
            pair.problem,
            variable=pair.integrand.variable,
            assumptions=pair.integrand.assumptions,
        )
    except (NoCertificateError, ProblemError):
        return None, None
    try:
        fault = check(certificate)
    except CertificateError:
        return certificate, False
    return certificate, None if fault else True


# --- definite integrals ---


def _definite(item: AuditItem) -> Finding:
    stated, assumed = stated_problem(item)
    problem, assumptions = stated.formula, assumed or None
    if (twofold := iterated(problem, assumed)) is not None:
        return audited_iterated(twofold, tree_of(stated_reference(item, stated.factor)))
    integrals = definite_readings(problem, assumptions)
    key = ""
    with suppress(ValueError):
        key = _key(definite_fingerprint(problem))
    numeric = item.decimal and not integrals[0].parameters
    wrong = decimal_contradiction(problem, item.decimal) if numeric else ""
    if not item.reference:
        if not wrong:
            return Finding(AGREED, key=key, reason="the decimal agrees with the integral")
        item = replace(item, reference=item.decimal)
    reference = stated_reference(item, stated.factor)
    verdict = verify_definite_integral(boxed(reference), problem, assumptions=assumptions)
    finding = unread(verdict)
    if finding is not None:
        return finding.replaced(key=key)
    if verdict.correct:
        rigorous = verdict.evidence.method in ("enclosure", "divergence")
        finding = accepted(verdict, rigorous, key)
        if wrong and finding.status in (PROVED, AGREED):
            return Finding(SUSPECT, kind="the decimal", reason=wrong, key=key)
        return finding
    if verdict.evidence.witness is None:
        return Finding(UNDECIDED, reason=f"not confirmed: {verdict.evidence.detail}", key=key)
    if numeric and not wrong:  # a misprint, or read as something else than it is
        reason = (
            f"its decimal is right; the formula, as it is read, is not ({verdict.evidence.witness})"
        )
        return Finding(SUSPECT, kind="not its decimal", reason=reason, key=key)
    outermost = integrals[0]
    tree = tree_of(verdict.evidence.reading or reference, outermost.parameters)
    f, ends = outermost.integrand, (outermost.lower, outermost.upper)
    program = integral(f.expression, tree, f.variable, ends)
    finding = confirmed([program], verdict, key)
    if finding.status is not REFUTED:
        return finding

    def verdict_on(text: str) -> Verdict:
        return verify_definite_integral(boxed(text), problem, assumptions=assumptions)

    return finding.replaced(**repaired(repairs_of_value(finding, tree), verdict_on))


# --- values and functions that ought to be equal ---


def _value(item: AuditItem) -> Finding:
    stated, assumptions = stated_problem(item)
    problem, reference = stated.formula, stated_reference(item)
    try:
        target = tree_of(problem)
    except UnreadError as error:
        raise UnreadError(f"problem: {error}", error.offset) from None
    # Constants have a value with a closed form; formulas with symbols can only be compared.
    constant = not symbols_of(target)
    if constant:
        verdict = verify_value(boxed(reference), problem)
    else:
        verdict = verify_equivalent(
            boxed(reference), problem, variable=item.variable, assumptions=assumptions
        )
    finding = unread(verdict)
    if finding is not None:
        return finding
    if verdict.correct:
        return accepted(verdict, verdict.evidence.proof == "identity", "")
    # A refutation counts only with a second computation. Repairs are searched afterwards, as most
    # references are right.
    variable = item.variable or next(iter(sorted(symbols_of(target))), "")
    tree = tree_of(reference)
    finding = confirmed([equality(target, tree, variable)], verdict)
    if finding.status is not REFUTED:
        return finding
    proposals = repairs_of_value(finding, tree) if constant else iter(())
    return finding.replaced(**repaired(proposals, lambda text: verify_value(boxed(text), problem)))


def _arithmetic(item: AuditItem) -> Finding:
    """The finding by the exact recomputation of the benchmark's task."""
    if item.contradiction:
        return Finding(REFUTED, reason=item.contradiction)
    return Finding(PROVED)


def _differential(item: AuditItem) -> Finding:
    """A question for a derivative, or a differential equation."""
    return course_judge(kind_asked("derivative", item.problem))(item)


def _sum(item: AuditItem) -> Finding:
    """A sum; any other text is a formula with a value."""
    try:
        return course_judge("sum")(item)
    except ProblemError:
        return _value(item)


_JUDGES: dict[str, Callable[[AuditItem], Finding]] = {
    "integration": _antiderivative,
    "definite_integral": _definite,
    "value": _value,
    "arithmetic": _arithmetic,
    **{f"{OF_COURSE}{name}": course_judge(name) for name in COURSE},
    f"{OF_COURSE}derivative": _differential,
    f"{OF_COURSE}sum": _sum,
}
