"""The result for a solution: the claims, each with offsets and a judgement."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal

from ...records import Record
from ...verdict import Status, Verdict, Witness

#: What a claim does. ``integral`` writes down an antiderivative, ``back-substitution`` returns to
#: the variable of the problem, ``final`` is the answer.
Kind = Literal[
    "substitution",
    "parts",
    "partial fractions",
    "integral",
    "definite integral",
    "limit",
    "sum",
    "derivative",
    "differential equation",
    "back-substitution",
    "identity",
    "algebra",
    "arithmetic",
    "final",
]

#: How a solution came out (`Solution.outcome`).
Result = Literal["right", "lucky", "slip", "wrong", "unlocated", "undecided"]


class Judgement(StrEnum):
    """Whether a claim is right. An unread or undecided claim is ``unchecked``.

    >>> Judgement("correct") is Judgement.CORRECT
    True
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol introduced by the text.

    Attributes:
        name: the symbol.
        value: LaTeX of the value; for a symbol known by ``dv``, LaTeX of the differential.
        start: offset of the beginning in the completion.
        end: offset of the end.

    Example:
        >>> Definition("u", "x^2", 4, 11).name
        'u'

    """

    name: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Claim:
    r"""An equality stated by a solution.

    Attributes:
        kind: the purpose of the claim.
        judgement: whether the claim is right.
        left: LaTeX of the left side; in a chain, the previous link.
        right: LaTeX of the right side.
        start: offset of the beginning in the completion.
        end: offset of the end.
        displayed: whether the claim stands in a display or on a separate line.
        definitions: indices of the definitions (`Solution.definitions`) in use.
        follows: index of the previous claim of the same chain, or None.
        points: the number of sample points at which both sides agree, or differ.
        witness: a point that refutes the claim. ``expected`` is the left side and ``got`` the right
            side. If equality up to a constant suffices, both are derivatives.
        gain: the share of the problem solved by the claim (`Solution.progress`).
        detail: why the claim is unchecked.
        withdrawn: whether the text takes a wrong claim back. The judgement of a
            withdrawn claim is ``unchecked``, and later claims add nothing to the progress.

    Example:
        >>> from calculus_harness.rewards import verify_solution
        >>> verify_solution(r"$\int 2x\,dx = x^2 + C$", "2x").claims[0].kind
        'integral'

    """

    kind: Kind
    judgement: Judgement
    left: str
    right: str
    start: int
    end: int
    displayed: bool = False
    definitions: tuple[int, ...] = ()
    follows: int | None = None
    points: int = 0
    witness: Witness | None = None
    gain: float = 0.0
    detail: str = ""
    withdrawn: bool = False

    @property
    def failed(self) -> bool:
        """Whether the claim is wrong, even if withdrawn."""
        return self.withdrawn or self.judgement is Judgement.INCORRECT


@dataclass(frozen=True, slots=True)
class Solution(Record):
    r"""The result of `verify_solution`: a solution with a judgement for every claim.

    Attributes:
        claims: the claims in the order of the text.
        definitions: the symbols introduced by the text.
        verdict: the verdict on the final answer alone, whatever the steps are.

    Example:
        >>> from calculus_harness.rewards import verify_solution
        >>> text = r"$\int 2x\cos(x^2)\,dx = \int\cos u\,du = -\sin u + C = \sin(x^2) + C$"
        >>> solution = verify_solution("Let $u = x^2$. " + text, r"2x\cos(x^2)")
        >>> solution.outcome, solution.first_wrong
        ('lucky', 1)

    """

    computed: ClassVar[tuple[str, ...]] = ("first_wrong", "coverage", "outcome", "progress")

    claims: tuple[Claim, ...]
    definitions: tuple[Definition, ...]
    verdict: Verdict

    @property
    def first_wrong(self) -> int | None:
        """The index of the first wrong claim. If no claim is wrong, the result is None."""
        wrong = (at for at, claim in enumerate(self.claims) if _is(claim, Judgement.INCORRECT))
        return next(wrong, None)

    @property
    def coverage(self) -> float | None:
        """The share of judged claims among displayed claims, or None without displayed claims."""
        displayed = [claim for claim in self.claims if claim.displayed]
        judged = sum(not _is(claim, Judgement.UNCHECKED) for claim in displayed)
        return judged / len(displayed) if displayed else None

    @property
    def outcome(self) -> Result:
        """The outcome of the solution, from the verdict on the answer and the first wrong claim.

        ``right``: a right answer, and no wrong claim. ``lucky``: a right answer, and a wrong claim.
        ``slip``: the first wrong claim is the final answer. ``wrong``: the answer is not right, and
        a step is wrong. ``unlocated``: the answer is wrong or missing, and no claim is wrong.
        ``undecided``: the answer could not be judged, and no claim is wrong.
        """
        status, wrong = self.verdict.status, self.first_wrong
        if status is Status.CORRECT:
            return "right" if wrong is None else "lucky"
        if status in (Status.UNDECIDED, Status.TIMEOUT, Status.ERROR):
            return "undecided" if wrong is None else "wrong"
        if wrong is None:
            return "unlocated"
        return "slip" if self.claims[wrong].kind == "final" else "wrong"

    @property
    def progress(self) -> float:
        """The share of the problem (0 to 1) that the claims before the first wrong claim solve.

        Right claims reduce the size of the unsolved integrals. A claim that repeats an earlier
        claim, or is about another problem, adds nothing.
        """
        total = 0.0
        for claim in self.claims:
            if claim.failed:  # also one that the text gives up
                break
            total += claim.gain
        return total


def _is(claim: Claim, judgement: Judgement) -> bool:
    return claim.judgement is judgement
