"""The verdict of an audit on a reference, and the names of statuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ...rewards import Status, Verdict
from ...rewards.records import Record

#: The reference is proved: as an identity, or as a value that is enclosed.
PROVED = "proved"
#: The reference agrees to many digits at all points that were compared.
AGREED = "agreed"
#: The reference is wrong, and a second computation confirms that.
REFUTED = "refuted"
#: The reference is right on a part of the domain, in another reading, or under another condition.
SUSPECT = "suspect"
#: The verifier refutes the reference, and a second computation contradicts: a fault of ours.
DISPUTED = "disputed"
UNDECIDED = "undecided"
#: The problem or the reference cannot be read; the reason says where, and what was expected.
UNREAD = "unread"
#: The row has no reference, or asks for something that is not audited.
WITHOUT = "without a reference"
#: All statuses, in the order of reports.
STATUSES = (PROVED, AGREED, REFUTED, SUSPECT, DISPUTED, UNDECIDED, UNREAD, WITHOUT)


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """The verdict of an audit on a reference.

    Attributes:
        status: one of `STATUSES`.
        kind: the slip of a refuted reference; the sense in which a suspect reference is right.
        reason: an explanation.
        offset: the place in the text where reading failed.
        point: the values of the symbols at which the reference is wrong.
        expected: the problem's value at the point.
        got: the reference's value at the point.
        program: the Python program that compares both values.
        confirmed_by: ``certificate`` (the checker of certificates), ``mpmath`` (the program).
        certificate: the certificate of the refutation.
        correction: a reference accepted by the verifier.
        corrected_by: the origin of the correction.
        key: the problem's fingerprint.
        reference: the judged reference, if different from the first reference.

    >>> Finding(PROVED).status
    'proved'

    """

    status: str
    kind: str = ""
    reason: str = ""
    offset: int | None = None
    point: str = ""
    expected: str = ""
    got: str = ""
    program: str = ""
    confirmed_by: tuple[str, ...] = ()
    certificate: Mapping[str, Any] | None = None
    correction: str = ""
    corrected_by: str = ""
    key: str = ""
    reference: str = ""

    def replaced(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return replace(self, **changes)


def unread(verdict: Verdict) -> Finding | None:
    """The finding for a verdict without a decision; None for other verdicts."""
    evidence = verdict.evidence
    match verdict.status:
        case Status.UNPARSEABLE | Status.NOT_CLOSED_FORM | Status.NO_ANSWER:
            reason = evidence.detail or str(verdict.status).replace("_", " ")
            return Finding(UNREAD, reason=f"reference: {reason}", offset=evidence.offset)
        case Status.UNDECIDED | Status.TIMEOUT | Status.ERROR:
            return Finding(UNDECIDED, reason=evidence.detail or str(verdict.status))
    if verdict.status is Status.INCORRECT and evidence.witness is None:
        if "diverges" in evidence.detail:
            return None
        return Finding(UNREAD, reason=f"reference: {evidence.detail or 'several answers'}")
    return None


def accepted(verdict: Verdict, proved: bool, key: str) -> Finding:
    evidence = verdict.evidence
    status = PROVED if proved else AGREED
    second = [name for name in evidence.flags if name.endswith(":second")]
    if second:
        suspicion = f"another reading: {second[0].removesuffix(':second').replace('_', ' ')}"
        return Finding(SUSPECT, kind=suspicion, reason=f"right as {evidence.reading}", key=key)
    if evidence.coverage is not None and evidence.coverage < 1:
        share = f"F' = f with principal branches on {evidence.coverage:.1%} of the real domain"
        return Finding(SUSPECT, kind="part of the domain", reason=share, key=key)
    return Finding(status, key=key)
