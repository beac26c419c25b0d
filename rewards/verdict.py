"""The result of a verification: a status, a reward, and the evidence for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Outcome of one verification; *wrong* and *undecided* are different values.

    >>> Status("correct") is Status.CORRECT
    True
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NO_ANSWER = "no_answer"
    UNPARSEABLE = "unparseable"
    NOT_CLOSED_FORM = "not_closed_form"
    UNDECIDED = "undecided"
    TIMEOUT = "timeout"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Witness:
    """A point that refutes an answer.

    Attributes:
        point: the values of the variable and of all parameters.
        expected: the integrand's value there, as a ball ``[midpoint +/- radius]``.
        got: the value of the answer's derivative there.

    Example:
        >>> from calculus_harness.rewards import verify_antiderivative
        >>> verify_antiderivative("x^3 + C", "2x").evidence.witness is not None
        True

    """

    point: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reasons for a verdict. Fields that do not apply keep their defaults.

    Attributes:
        method: the verifier or scorer that gave it.
        reading: the answer as it was read, where its notation is ambiguous.
        points: number of sample points.
        digits: decimal digits to which F' and f are guaranteed to agree at every point.
        coverage: share of the integrand's real domain (under the probability measure of
            `rewards.decision.domain`) on which F' = f holds with principal branches.
        witness: the point that refutes the answer.
        flags: names of what was noticed, of ambiguities in the notation, and of faults.
        detail: an explanation.
        offset: where in the answer's text reading failed.
        extracted_by: where the answer was (`rewards.extraction.Extraction.source`).
        seconds: time that the verification took, in a worker if it ran in one.

    Example:
        >>> from calculus_harness.rewards import verify_antiderivative
        >>> evidence = verify_antiderivative("x^2 + C", "2x").evidence
        >>> evidence.coverage, evidence.points
        (1.0, 4)

    """

    method: str = "balls"
    reading: str = ""
    points: int = 0
    digits: float = 0.0
    coverage: float | None = None
    witness: Witness | None = None
    flags: tuple[str, ...] = ()
    detail: str = ""
    offset: int | None = None
    extracted_by: str = ""
    seconds: float = 0.0
    proof: str = ""
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a verification.

    Attributes:
        status: the outcome.
        reward: 1.0 for a correct answer and 0.0 otherwise, unless ``undecided_reward`` is given.
        answer: the extracted answer.
        evidence: the reasons.

    Example:
        >>> Verdict(Status.CORRECT, 1.0, "x^2").correct
        True

    """

    status: Status
    reward: float
    answer: str | None = None
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def correct(self) -> bool:
        """Whether the status is ``correct``."""
        return self.status is Status.CORRECT

    def to_dict(self) -> dict[str, Any]:
        """A JSON-serialisable dictionary; `from_dict` reads it back."""
        evidence = _shallow(self.evidence)
        if self.evidence.witness is not None:
            evidence["witness"] = _shallow(self.evidence.witness)
        return {
            "status": self.status.value,
            "reward": self.reward,
            "answer": self.answer,
            "evidence": evidence,
            "correct": self.correct,
        }

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> Verdict:
        """The verdict of a dictionary that `to_dict` made."""
        evidence = dict(row.get("evidence") or {})
        if evidence.get("witness"):
            evidence["witness"] = Witness(**evidence["witness"])
        for name in ("flags", "rules"):
            evidence[name] = tuple(evidence.get(name, ()))
        return cls(Status(row["status"]), row["reward"], row.get("answer"), Evidence(**evidence))


def _shallow(record: Evidence | Witness) -> dict[str, Any]:
    """`dataclasses.asdict` without its deep copies, which took a tenth of a sweep's time."""
    return {name: getattr(record, name) for name in record.__slots__}
