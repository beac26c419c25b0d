"""What is said of a solution: its claims, each with its place and whether it is right."""

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
    "derivative",
    "back-substitution",
    "identity",
    "algebra",
    "arithmetic",
    "final",
]

#: How a solution came out (`Solution.outcome`).
Result = Literal["right", "lucky", "slip", "wrong", "unlocated", "undecided"]


class Judgement(StrEnum):
    """Whether a claim is right. What is not read, or not decided, is ``unchecked``.

    >>> Judgement("correct") is Judgement.CORRECT
    True
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol that the text introduces.

    Attributes:
        name: the symbol.
        value: LaTeX of what it stands for; of a differential ``dv``, of that.
        start: offset in the completion.
        end: offset of its end.

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
    r"""One equality that a solution states.

    Attributes:
        kind: what it does.
        judgement: whether it is right.
        left: LaTeX of its left side; of a chain, the link before.
        right: LaTeX of its right side.
        start: offset in the completion.
        end: offset of its end.
        displayed: it stands in a display or on a line of its own.
        definitions: indices of the definitions (`Solution.definitions`) that it uses.
        follows: index of the claim before in the same chain, or None.
        points: sample points at which both sides agree, or differ.
        witness: a point that refutes it: ``expected`` is the left side there and ``got`` the right;
            of sides with integrals, or up to a constant, their derivatives.
        gain: the share of the problem that it settles (`Solution.progress`).
        detail: why it is unchecked.
        withdrawn: it is wrong, and the text gives it up, so that nothing is asserted. It is
            unchecked, but a try that has failed.

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
        """Whether it is wrong, asserted or not."""
        return self.withdrawn or self.judgement is Judgement.INCORRECT


@dataclass(frozen=True, slots=True)
class Solution(Record):
    r"""A solution with every claim judged; made by `verify_solution`.

    Attributes:
        claims: in the order of the text.
        definitions: the symbols that it introduces.
        verdict: of the final answer alone, whatever stands before it.

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
        """Index of the first claim that is wrong, or None."""
        wrong = (at for at, claim in enumerate(self.claims) if _is(claim, Judgement.INCORRECT))
        return next(wrong, None)

    @property
    def coverage(self) -> float | None:
        """Share of the displayed claims that were judged; None if there are none."""
        displayed = [claim for claim in self.claims if claim.displayed]
        judged = sum(not _is(claim, Judgement.UNCHECKED) for claim in displayed)
        return judged / len(displayed) if displayed else None

    @property
    def outcome(self) -> Result:
        """How it came out.

        ``right``: a right answer, and no wrong claim. ``lucky``: a right answer in spite of one.
        ``slip``: only the answer is wrong. ``wrong``: a step is. ``unlocated``: the answer is wrong
        or missing, and no claim was found to be. ``undecided``: the answer could not be judged.
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
        """The share of the problem that right claims settle before the first wrong one: 0 to 1.

        It is how far they bring down the size of the integrals that are left to be solved, so a
        claim that says nothing new, or nothing of this problem, adds nothing.
        """
        total = 0.0
        for claim in self.claims:
            if claim.failed:  # also one that the text gives up
                break
            total += claim.gain
        return total


def _is(claim: Claim, judgement: Judgement) -> bool:
    return claim.judgement is judgement
