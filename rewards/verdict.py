"""The result of a verification: a status, a reward, and the evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from .records import Record

#: The version of the verifier: raised whenever a verdict could come out differently. Runs keep the
#: verdicts of different versions apart (`run.py score` makes those of a new one).
VERSION = "28"
#: What the proof of an accepted answer is called in the evidence.
PROOFS = (
    "identity",
    "fundamental theorem",
    "expansion",
    "telescoping",
    "enclosure",
    "divergence",
)

#: The version of a published evaluator, where it has changed since the verifier's first version.
_EVALUATORS = {"published": "3", "welleck": "2"}


def version_of(method: str = "balls") -> str:
    """The version of a method's verdicts.

    The verifier's version comes first. For methods with a separately versioned evaluator, a dot
    and the evaluator's version follow.

    >>> version_of("published").partition(".")[2]
    '3'
    """
    own = _EVALUATORS.get(method)
    return VERSION if own is None else f"{VERSION}.{own}"


class Status(StrEnum):
    """The outcome of a verification. A wrong answer and an undecided answer have different values.

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
        point: the values of the variable and of all parameters. Empty if the problem has only
            numbers.
        expected: the expected value at the point, as a ball ``[midpoint +/- radius]``. For an
            antiderivative, the integrand's value.
        got: the answer's value at the point. For an antiderivative, the value of the answer's
            derivative.
        difference: ``got`` minus ``expected``, or empty if the verifier did not compute the
            difference.

    An answer may be refuted by a jump at the point. Then ``expected`` is the answer's value
    at the point, and ``got`` is the answer's value just above the point.

    Example:
        >>> from calculus_harness.rewards import verify_antiderivative
        >>> verify_antiderivative("x^3 + C", "2x").evidence.witness is not None
        True

    """

    point: str
    expected: str
    got: str
    difference: str = ""

    def described(self) -> dict[str, str]:
        """The numbers of the witness, without error bounds.

        Returns:
            A dictionary from names such as ``expected`` to numbers as texts.

        """
        jump = self.point.endswith("just above")
        names = ("value", "just above") if jump else ("integrand", "derivative")
        if not self.point:
            names = ("expected", "answer")
        values = {
            "at": self.point.replace("=", " = "),
            names[0]: self.expected,
            names[1]: self.got,
            "difference": self.difference,
        }
        return {name: _midpoints(text) for name, text in values.items() if text}

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.described().items())


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reasons for a verdict. Fields that do not apply keep their defaults.

    Attributes:
        method: the verifier or scorer that gave the verdict.
        reading: the answer as the verifier understood it, if the notation is ambiguous.
        points: number of sample points.
        digits: decimal digits to which the answer's derivative F' and the integrand f are
            guaranteed to agree at every point.
        coverage: share of the integrand's real domain on which F' = f holds with principal
            branches. `rewards.numeric.ball_arithmetic.domain` has the probability measure by which
            the share is measured.
        witness: the point that refutes the answer.
        flags: names of observations, of ambiguities in the notation, and of faults.
        detail: an explanation.
        offset: the position in the answer's text at which reading failed.
        extracted_by: where the answer stood in the text
            (`rewards.reading.extraction.Extraction.source`).
        seconds: the time of the verification, measured in the worker if a worker was used.
        proof: the basis of the verdict in one word (``docs/verifier.md`` has the table).
        rules: the functions and rewriting rules that a proof of identity uses.

    Example:
        >>> from calculus_harness.rewards import verify_antiderivative
        >>> evidence = verify_antiderivative("x^2 + C", "2x").evidence
        >>> evidence.coverage, evidence.points
        (1.0, 1)

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
class Verdict(Record):
    """The result of a verification.

    Attributes:
        status: the outcome.
        reward: 1.0 for a correct answer, ``undecided_reward`` (by default 0.0) for an undecided
            answer, else 0.0. If the steps of a solution are judged, the reward is the share of the
            problem that is solved.
        answer: the extracted answer.
        evidence: the reasons.

    Example:
        >>> Verdict(Status.CORRECT, 1.0, "x^2").correct
        True

    """

    computed: ClassVar[tuple[str, ...]] = ("correct",)

    status: Status
    reward: float
    answer: str | None = None
    evidence: Evidence = field(default_factory=Evidence)

    def __bool__(self) -> bool:
        raise TypeError("a Verdict is neither true nor false: ask for verdict.correct")

    def __repr__(self) -> str:
        evidence = self.evidence
        why = str(evidence.witness or evidence.detail or evidence.proof)
        text = f": {self.answer!r}" if self.answer is not None else ""
        return f"<Verdict {self.status}, reward {self.reward:g}{text}{f' ({why})' if why else ''}>"

    @property
    def correct(self) -> bool:
        """Whether the status is ``correct``."""
        return self.status is Status.CORRECT


def _midpoints(text: str) -> str:
    """Replace each ball ``[midpoint +/- radius]`` in a text by the midpoint.

    The midpoint of a ball ``[+/- radius]`` is 0.
    """
    return re.sub(r"\[([^\] ]*) ?\+/- [^\]]*\]", lambda ball: ball[1] or "0", text)
