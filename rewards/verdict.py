"""What the verifier says: a status, a reward, and the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Outcome of one verification. *Wrong* and *could not tell* are never the same value."""

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
    """A point that refutes an answer: both values as balls, printed as ``midpoint +/- radius``."""

    point: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a verdict was given. Fields that do not apply keep their defaults.

    ``coverage`` is the share of the integrand's real domain (under the probability measure stated
    in `rewards.decision.domain`) on which F' = f holds with the principal branches; ``digits`` is
    the number of decimal digits to which F' and f are guaranteed to agree at every one of
    ``points``.
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
    """One answer judged. ``reward`` is 1.0 for a correct answer and 0.0 otherwise by default."""

    status: Status
    reward: float
    answer: str | None = None
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def correct(self) -> bool:
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
        evidence = dict(row.get("evidence") or {})
        if evidence.get("witness"):
            evidence["witness"] = Witness(**evidence["witness"])
        for name in ("flags", "rules"):
            evidence[name] = tuple(evidence.get(name, ()))
        return cls(Status(row["status"]), row["reward"], row.get("answer"), Evidence(**evidence))


def _shallow(record: Evidence | Witness) -> dict[str, Any]:
    """`dataclasses.asdict` without its deep copies, which took a tenth of a sweep's time."""
    return {name: getattr(record, name) for name in record.__slots__}
