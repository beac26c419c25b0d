"""What an audit finds in a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ...rewards.records import Record

#: The reference is an identity that is proved, or a value that is enclosed.
PROVED = "proved"
#: The reference agrees to many digits wherever it was looked at.
AGREED = "agreed"
#: The reference is wrong at a point, and a second path confirms that.
REFUTED = "refuted"
#: The reference is right on a part of the domain, in another reading, or under another condition.
SUSPECT = "suspect"
#: The verifier refutes it and a second path does not: a problem of ours.
DISPUTED = "disputed"
UNDECIDED = "undecided"
#: The problem or the reference cannot be read; the reason says where, and what was expected.
UNREAD = "unread"
#: The row has no reference, or one of a kind that is not audited.
WITHOUT = "without a reference"
#: All statuses, in the order of reports.
STATUSES = (PROVED, AGREED, REFUTED, SUSPECT, DISPUTED, UNDECIDED, UNREAD, WITHOUT)


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """The verdict of an audit on one reference.

    Attributes:
        status: one of `STATUSES`.
        kind: of a refuted reference the slip, of a suspect one what makes it right.
        reason: an explanation.
        offset: where reading failed.
        point: where the reference is wrong.
        expected: the value there that follows from the problem.
        got: the reference's.
        program: the Python program that shows it.
        confirmed_by: ``certificate`` (its checker), ``mpmath`` (the program), or both.
        certificate: the certificate of the refutation.
        correction: a right reference, proved.
        corrected_by: how it was found.
        key: the problem's fingerprint.
        reference: the reference that was judged, where it is the alternative.

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
